//! Which suspects are to be looked at first.

use super::judge::Judged;
use super::measured::{Measured, Role};
use super::rules::{TIE_SHARE, UNEXPLAINED_SHARE_MIN, residence, said};
use super::statistics::{aligned, discovered, onset, relation};
use super::system::System;
use super::{Finding, Kind, Label, Resource, Suspect, coverage, falsify};
use crate::Evidence;
use crate::wording::{digits, share, time_ms};

/// Most suspects.
pub(super) const SUSPECTS_MAX: usize = 3;

/// The suspects, first the one to look at first, and all others.
///
/// Time decides: what waits is ordered by what each request spends in it. The unexplained rest stands among them with the
/// resources that nobody watched, and so does a pool or lock whose holders do what nobody watches; before both stands a full
/// pool that does not tell who waits for it. What else is saturated comes after them. What nobody watched is one line, so
/// that it does not crowd out what was measured.
pub(super) fn rank(
    evidence: &Evidence,
    judged: Vec<(Measured, Judged)>,
    unwatched: &[Resource],
    unexplained: f64,
    system: &System,
) -> (Vec<Suspect>, Vec<Suspect>) {
    let (mut waits, others): (Vec<_>, Vec<_>) =
        judged.into_iter().partition(|(_, judged)| judged.suspect.label == Label::Wait);
    waits.sort_by(|a, b| b.1.number.total_cmp(&a.1.number));
    break_tie(evidence, &mut waits);
    let (mut lenders, others): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|(_, judged)| judged.suspect.label == Label::Saturated && judged.is_open);
    lenders.sort_by(|a, b| b.1.number.total_cmp(&a.1.number));
    let (mut saturated, rest): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|(_, judged)| judged.suspect.label == Label::Saturated);
    let mute: Vec<_> = saturated.extract_if(.., |(one, _)| one.is_mute).collect();
    let is_lender = |one: &Measured| one.is_pressed && matches!(one.role, Role::Lender { .. });
    let is_full = |one: &Measured| is_lender(one) && !one.rules.is_empty();
    saturated.sort_by_key(|(one, _)| (one.role == Role::Aside, !is_lender(one), usize::MAX - one.rules.len()));
    let full = saturated.extract_if(.., |(one, _)| is_full(one));
    let full: Vec<_> = full.collect();
    waits.splice(..0, full);
    let is_open = unexplained >= UNEXPLAINED_SHARE_MIN * system.in_flight();
    let lender =
        waits.first().filter(|(_, judged)| judged.is_unknown).or(lenders.first()).map(|(one, _)| one.resource.clone());
    let why = UnwatchedReason { unexplained_s: is_open.then(|| system.seconds(unexplained)), lender };
    for lender in lenders {
        let place = waits.iter().take_while(|(_, wait)| wait.number >= lender.1.number).count();
        waits.insert(place, lender);
    }
    let place = match (is_open, &why.lender) {
        _ if unwatched.is_empty() => usize::MAX,
        // What was measured comes before what was not: a full pool shows where requests wait.
        (true, _) => waits.iter().take_while(|(one, judged)| is_full(one) || judged.number >= unexplained).count(),
        (false, Some(_)) => 1,
        (false, None) => usize::MAX,
    };
    let mut blanks: Vec<Suspect> = unwatched.iter().map(|resource| blank(resource, unwatched, &why, system)).collect();
    let larger = match is_open {
        true => waits.iter().take_while(|(_, wait)| wait.number >= unexplained).count(),
        false => waits.len(),
    };
    let mut first: Vec<Suspect> = waits.into_iter().chain(saturated).map(|(_, judged)| judged.suspect).collect();
    if place < usize::MAX {
        first.insert(place.min(first.len()), blanks.remove(0));
    }
    let mute = mute.into_iter().map(|(_, judged)| queued(judged.suspect, why.unexplained_s));
    first.splice(larger..larger, mute);
    let mut last = first.split_off(SUSPECTS_MAX.min(first.len()));
    let seen = rest.into_iter().filter(|(one, _)| !(one.is_blind() && unwatched.contains(&one.resource)));
    last.extend(seen.map(|(_, judged)| judged.suspect));
    last.extend(blanks);
    last.sort_by_key(|suspect| suspect.label);
    (first, last)
}

/// Why what nobody watched is worth a look.
struct UnwatchedReason {
    /// Seconds of each request that nothing explains, where they are many.
    unexplained_s: Option<f64>,
    /// What requests wait for, although nothing that is watched is done with it.
    lender: Option<Resource>,
}

/// A full pool that does not tell who waits for it, with the time that may be spent in waiting.
fn queued(mut pool: Suspect, unexplained_s: Option<f64>) -> Suspect {
    let may = unexplained_s.map_or_else(String::new, |unexplained_s| {
        format!(
            "; {} of each request that nothing that was watched explains may be spent so",
            time_ms(unexplained_s * 1e3)
        )
    });
    let text = format!(
        "more requests were in the system than it has slots, all were in use, and none was ever counted as waiting: who \
         waits for it is not told (PHP-FPM on a socket in a file never tells){may}"
    );
    pool.findings.insert(0, said("coverage", text));
    pool
}

/// A resource that nobody watched.
fn blank(resource: &Resource, all: &[Resource], why: &UnwatchedReason, system: &System) -> Suspect {
    let remedy = coverage::remedy(resource);
    let mut findings = vec![said("coverage", format!("{resource} was not observed"))];
    if let Some(unexplained_s) = why.unexplained_s {
        let others: Vec<String> = all.iter().filter(|other| *other != resource).map(Resource::to_string).collect();
        let beside = match others.is_empty() {
            true => String::new(),
            false => format!("; nor was any of these watched: {}", others.join(", ")),
        };
        // Of dependencies there may be any number: those that are watched say nothing of others.
        let more = match all.iter().any(|other| other.kind == Kind::Dependency) {
            true => "",
            false => "; there may be dependencies besides those that are watched",
        };
        findings.push(residence(format!(
            "{} of each request's {} cannot be explained by what was watched{beside}{more}",
            time_ms(unexplained_s * 1e3),
            time_ms(system.served_s() * 1e3)
        )));
    }
    if let Some(lender) = &why.lender {
        let text = format!("no observed resource explains the time that {lender} is held; this unobserved one might");
        findings.push(said("coverage", text));
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
    let tied = waits.iter().take_while(|(_, judged)| judged.number >= (1.0 - TIE_SHARE) * largest).count();
    if tied < 2 {
        return;
    }
    let rows = waits[..tied].iter().map(|(one, _)| {
        let figure = &one.figure;
        let track = evidence.readings.get(&figure.host, &figure.source, &figure.metric);
        track.map_or_else(Vec::new, |track| aligned(evidence, figure, track))
    });
    let rows: Vec<Vec<[f64; 3]>> = rows.collect();
    let relations: Vec<_> = rows.iter().map(|rows| relation(rows)).collect();
    let chances: Vec<f64> = relations.iter().map(|relation| relation.map_or(1.0, |relation| relation.chance)).collect();
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
            let text = match slow - risen {
                0 => "it rose together with the response times".to_owned(),
                1 => "it rose one stretch of the course before the response times".to_owned(),
                earlier => format!("it rose {earlier} stretches of the course before the response times"),
            };
            judged.suspect.findings.push(said("order", text));
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
