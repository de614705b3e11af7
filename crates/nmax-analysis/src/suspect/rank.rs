//! What is said of each resource, and which are to be looked at first.

use super::charge::Charge;
use super::measured::{Measured, Role};
use super::rules::{GAP_SHARE_MAX, LITTLE, TIE_SHARE, UNEXPLAINED_SHARE_MIN, WAIT_SHARE_MIN, residence};
use super::statistics::{aligned, discovered, onset, relation};
use super::system::System;
use super::{Finding, Kind, Label, Resource, Suspect, coverage, demand, falsify};
use crate::Evidence;
use crate::words::{digits, share, time_ms};

/// Most suspects.
pub(super) const SUSPECTS_MAX: usize = 3;
/// Share of what was measured in a resource that must be charged to others for it to be a symptom.
const MOVED_SHARE_MIN: f64 = 0.5;
/// How many times more than is charged must be in a resource for others to use it too.
const CHARGED_MIN: f64 = 1.2;
/// Tasks that run and wait on a host, of processes that nobody observes, from which they are said.
const OTHERS_MIN: f64 = 0.5;
/// Share of what is lent with which nothing is done that is watched, from which it is said.
const UNKNOWN_MIN: f64 = 0.5;
/// Utilization from which a resource follows the load.
const FOLLOWS_MIN: f64 = 0.2;

/// A resource, what it is charged and what is said of it.
pub(super) struct Judged {
    pub(super) suspect: Suspect,
    /// Requests that are charged to it or wait for it.
    pub(super) number: f64,
    /// It is lent, and what is done with it may be what nobody watches.
    is_unknown: bool,
    /// Requests wait for it, and what its holders do is not watched.
    is_open: bool,
}

/// The label and the evidence of each resource.
pub(super) fn judge(
    all: Vec<Measured>,
    charges: &[Charge],
    system: &System,
    by_level: &[(Resource, f64)],
) -> Vec<(Measured, Judged)> {
    let judged = |(one, charge): (Measured, &Charge)| {
        let part = charge.number() / system.in_flight().max(f64::MIN_POSITIVE);
        let label = label(&one, charge, part, system);
        let is_counted = one.is_counted && one.role != Role::Aside && !one.is_blind();
        let number = if is_counted { charge.number() + charge.open } else { 0.0 };
        let residence_s = is_counted.then(|| system.seconds(number));
        let mut findings = Vec::new();
        if is_counted && charge.open > 0.0 {
            findings.push(residence(open(&one, charge, system)));
        }
        if is_counted && charge.number() > 0.0 {
            findings.push(residence(said(charge, system.seconds(charge.number()), part, system)));
        }
        if charge.moved > 0.0 && label == Label::Symptom {
            findings.push(residence(moved(charge, system)));
        }
        if let Some(doubt) = &one.doubt {
            findings.push(Finding {
                kind: "coverage",
                text: doubt.clone(),
                source: "",
            });
        }
        findings.extend(one.rules.iter().cloned());
        findings.extend(one.findings.iter().cloned());
        findings.extend(demand::finding(&one, system, by_level));
        if one.others[0] + one.others[1] > one.number().max(OTHERS_MIN) {
            let text = format!(
                "processes that nobody observes keep {} cores busy and {} tasks waiting: observe them if they serve requests",
                digits(one.others[0]),
                digits(one.others[1])
            );
            findings.push(Finding {
                kind: "coverage",
                text,
                source: "",
            });
        }
        if one.role == Role::Leaf && one.is_pressed && one.number() > CHARGED_MIN * charge.number() {
            let text = format!(
                "{} are in it at a time, {} of them charged to requests: it works for others too",
                digits(one.number()),
                digits(charge.number())
            );
            findings.push(Finding {
                kind: "residence",
                text,
                source: "",
            });
        }
        if charge.unknown >= UNKNOWN_MIN {
            let text = format!(
                "in {} of the time that it is lent nothing is done that is watched",
                share(charge.unknown)
            );
            findings.push(Finding {
                kind: "coverage",
                text,
                source: "",
            });
        }
        if one.missing > GAP_SHARE_MAX {
            let text = format!("it was not read in {} of the phase", share(one.missing));
            findings.push(Finding {
                kind: "coverage",
                text,
                source: "",
            });
        }
        let suspect = Suspect {
            resource: one.resource.clone(),
            label,
            residence_s,
            demand_s: demand::demand_s(&one, system),
            utilization: one.utilization,
            falsify: falsify::of(&one, residence_s),
            findings,
        };
        let is_unknown = charge.unknown >= UNKNOWN_MIN;
        let is_open = is_counted && is_held_up(&one, charge, system);
        (
            one,
            Judged {
                suspect,
                number,
                is_unknown,
                is_open,
            },
        )
    };
    all.into_iter().zip(charges).map(judged).collect()
}

fn label(one: &Measured, charge: &Charge, part: f64, system: &System) -> Label {
    let measured = charge.number() + charge.moved + charge.open;
    let is_much = measured >= WAIT_SHARE_MIN * system.in_flight();
    if one.is_blind() {
        return Label::NotObserved;
    }
    if one.is_counted && one.is_pressed && part >= WAIT_SHARE_MIN && one.role != Role::Aside {
        return if one.doubt.is_none() {
            Label::Wait
        } else {
            Label::Saturated
        };
    }
    let is_meant = one.is_pressed || one.contained > 0.0;
    if is_meant && is_much && charge.moved >= MOVED_SHARE_MIN * measured {
        return Label::Symptom;
    }
    if !one.rules.is_empty() || is_held_up(one, charge, system) {
        return Label::Saturated;
    }
    if part >= WAIT_SHARE_MIN || one.utilization.is_some_and(|used| used >= FOLLOWS_MIN) {
        return Label::FollowsLoad;
    }
    Label::Exonerated
}

/// Whether requests wait much for what it lends, and nothing that is watched explains what its holders do.
fn is_held_up(one: &Measured, charge: &Charge, system: &System) -> bool {
    one.is_pressed && charge.open > 0.0 && charge.open >= WAIT_SHARE_MIN * system.in_flight()
}

/// `10 wait for 2 of 2, 153 ms of each request`
fn open(one: &Measured, charge: &Charge, system: &System) -> String {
    let lent = one.servers.map_or_else(
        || "it".to_owned(),
        |(held, limit)| format!("{} of {}", digits(held), digits(limit)),
    );
    format!(
        "{} wait for {lent}, {} of each request: N/X = {} / {} per s; what its holders do is not explained by what was \
         watched",
        digits(one.waiting),
        time_ms(system.seconds(charge.open) * 1e3),
        digits(charge.open),
        digits(system.throughput_per_s)
    )
}

fn said(charge: &Charge, residence_s: f64, part: f64, system: &System) -> String {
    format!(
        "each request spends {} in it, {} of its time: N/X = {} / {} per s; of that {} waiting",
        time_ms(residence_s * 1e3),
        share(part),
        digits(charge.number()),
        digits(system.throughput_per_s),
        time_ms(system.seconds(charge.waiting) * 1e3)
    )
}

fn moved(charge: &Charge, system: &System) -> String {
    let whose = charge.moved_to.as_ref().map_or_else(|| "others".to_owned(), name);
    format!(
        "{} more of each request are seen here and belong to what is inside it, most to {whose}",
        time_ms(system.seconds(charge.moved) * 1e3)
    )
}

/// `disk sda on db1`
pub(super) fn name(resource: &Resource) -> String {
    let named = if resource.name.is_empty() {
        String::new()
    } else {
        format!(" {}", resource.name)
    };
    format!("{}{named} on {}", resource.kind.name(), resource.host)
}

/// The suspects, first the one to look at first, and all others.
///
/// Time decides: what waits is ordered by what each request spends in it. The unexplained rest stands among them with the
/// resources that nobody watched, and so does a pool or lock whose holders do what nobody watches. What else is saturated
/// comes after them. What nobody watched is one line, so that it does not crowd out what was measured.
pub(super) fn rank(
    evidence: &Evidence,
    judged: Vec<(Measured, Judged)>,
    unwatched: &[Resource],
    unexplained: f64,
    system: &System,
) -> (Vec<Suspect>, Vec<Suspect>) {
    let (mut waits, others): (Vec<_>, Vec<_>) = judged
        .into_iter()
        .partition(|(_, judged)| judged.suspect.label == Label::Wait);
    waits.sort_by(|a, b| b.1.number.total_cmp(&a.1.number));
    break_tie(evidence, &mut waits);
    let (mut lenders, others): (Vec<_>, Vec<_>) = others
        .into_iter()
        .partition(|(_, judged)| judged.suspect.label == Label::Saturated && judged.is_open);
    lenders.sort_by(|a, b| b.1.number.total_cmp(&a.1.number));
    let (mut saturated, rest): (Vec<_>, Vec<_>) = others
        .into_iter()
        .partition(|(_, judged)| judged.suspect.label == Label::Saturated);
    let is_lender = |one: &Measured| one.is_pressed && matches!(one.role, Role::Lender { .. });
    saturated.sort_by_key(|(one, _)| (one.role == Role::Aside, !is_lender(one), usize::MAX - one.rules.len()));
    let is_open = unexplained >= UNEXPLAINED_SHARE_MIN * system.in_flight();
    let lender = waits
        .first()
        .filter(|(_, judged)| judged.is_unknown)
        .or(lenders.first())
        .map(|(one, _)| one.resource.clone());
    let why = Why {
        unexplained_s: is_open.then(|| system.seconds(unexplained)),
        lender,
    };
    let place = match (is_open, &why.lender) {
        _ if unwatched.is_empty() => usize::MAX,
        (true, _) => waits
            .iter()
            .take_while(|(_, judged)| judged.number >= unexplained)
            .count(),
        (false, Some(_)) => 1,
        (false, None) => usize::MAX,
    };
    for lender in lenders {
        let place = waits
            .iter()
            .take_while(|(_, wait)| wait.number >= lender.1.number)
            .count();
        waits.insert(place, lender);
    }
    let mut blanks: Vec<Suspect> = unwatched
        .iter()
        .map(|resource| blank(resource, unwatched, &why, system))
        .collect();
    let mut first: Vec<Suspect> = waits
        .into_iter()
        .chain(saturated)
        .map(|(_, judged)| judged.suspect)
        .collect();
    if place < usize::MAX {
        first.insert(place.min(first.len()), blanks.remove(0));
    }
    let mut last = first.split_off(SUSPECTS_MAX.min(first.len()));
    let seen = rest
        .into_iter()
        .filter(|(one, _)| !(one.is_blind() && unwatched.contains(&one.resource)));
    last.extend(seen.map(|(_, judged)| judged.suspect));
    last.extend(blanks);
    last.sort_by_key(|suspect| suspect.label);
    (first, last)
}

/// Why what nobody watched is worth a look.
struct Why {
    /// Seconds of each request that nothing explains, where they are many.
    unexplained_s: Option<f64>,
    /// What requests wait for, although nothing that is watched is done with it.
    lender: Option<Resource>,
}

/// A resource that nobody watched.
fn blank(resource: &Resource, all: &[Resource], why: &Why, system: &System) -> Suspect {
    let remedy = coverage::remedy(resource);
    let mut findings = vec![Finding {
        kind: "coverage",
        text: format!("nobody watched {}", name(resource)),
        source: "",
    }];
    if let Some(unexplained_s) = why.unexplained_s {
        let others: Vec<String> = all.iter().filter(|other| *other != resource).map(name).collect();
        let beside = match others.is_empty() {
            true => String::new(),
            false => format!("; nor was any of these watched: {}", others.join(", ")),
        };
        findings.push(Finding {
            kind: "residence",
            text: format!(
                "{} of each request's {} cannot be explained by what was watched{beside}",
                time_ms(unexplained_s * 1e3),
                time_ms(system.served_s() * 1e3)
            ),
            source: LITTLE,
        });
    }
    if let Some(lender) = &why.lender {
        let text = format!(
            "nothing that is watched explains what is done with {}, so it may be done here",
            name(lender)
        );
        findings.push(Finding {
            kind: "coverage",
            text,
            source: "",
        });
    }
    Suspect {
        resource: resource.clone(),
        label: Label::NotObserved,
        residence_s: None,
        demand_s: None,
        utilization: None,
        findings,
        falsify: falsify::unwatched(&remedy, why.unexplained_s),
    }
}

/// Orders those whose time is within a fifth of the largest by what goes with the response times, then by who rose first.
fn break_tie(evidence: &Evidence, waits: &mut [(Measured, Judged)]) {
    let largest = waits.first().map_or(0.0, |(_, judged)| judged.number);
    let tied = waits
        .iter()
        .take_while(|(_, judged)| judged.number >= (1.0 - TIE_SHARE) * largest)
        .count();
    if tied < 2 {
        return;
    }
    let rows = waits[..tied].iter().map(|(one, _)| {
        let figure = &one.figure;
        let track = evidence.readings.get(&figure.host, &figure.source, &figure.metric);
        track.map_or_else(Vec::new, |track| aligned(evidence, track))
    });
    let rows: Vec<Vec<[f64; 3]>> = rows.collect();
    let relations: Vec<_> = rows.iter().map(|rows| relation(rows)).collect();
    let chances: Vec<f64> = relations
        .iter()
        .map(|relation| relation.map_or(1.0, |relation| relation.chance))
        .collect();
    let holds = discovered(&chances);
    let mut keys = Vec::with_capacity(tied);
    for (place, (_, judged)) in waits[..tied].iter_mut().enumerate() {
        let mut key = (0.0, usize::MAX);
        if let Some(relation) = relations[place].filter(|relation| holds[place] && relation.correlation > 0.0) {
            // A tenth of a correlation is no difference.
            key.0 = (relation.correlation * 10.0).round();
            judged.suspect.findings.push(Finding {
                kind: "statistics",
                text: format!(
                    "it goes with the response times, given throughput: partial correlation {} of differences, {} by chance",
                    digits(relation.correlation),
                    share(relation.chance)
                ),
                source: "Y. Benjamini, Y. Hochberg, Journal of the Royal Statistical Society B 1995",
            });
        }
        let column = |column: usize| rows[place].iter().map(|row| row[column]).collect::<Vec<f64>>();
        if let (Some(risen), Some(slow)) = (onset(&column(2)), onset(&column(0)))
            && risen <= slow
        {
            key.1 = risen;
            let text = format!(
                "it rose {} stretches of the course before the response times",
                slow - risen
            );
            judged.suspect.findings.push(Finding {
                kind: "order",
                text,
                source: "",
            });
        }
        keys.push(key);
    }
    let mut order: Vec<usize> = (0..tied).collect();
    order.sort_by(|a, b| keys[*b].0.total_cmp(&keys[*a].0).then(keys[*a].1.cmp(&keys[*b].1)));
    permute(&mut waits[..tied], &order);
}

/// Puts `order[i]` at place i.
fn permute(items: &mut [(Measured, Judged)], order: &[usize]) {
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(to, from)| places[*from] = to);
    for place in 0..places.len() {
        while places[place] != place {
            let to = places[place];
            items.swap(place, to);
            places.swap(place, to);
        }
    }
}

/// The resource of a closed gate.
pub(super) fn of_gate(name: &str) -> Option<Kind> {
    match name {
        "injector CPU" | "run queue" | "injector lag" | "rate" => Some(Kind::Cpu),
        "memory" | "swap" => Some(Kind::Memory),
        "open files" | "local ports" => Some(Kind::Pool),
        _ => None,
    }
}
