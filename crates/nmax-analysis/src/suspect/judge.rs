//! What is said of each resource: its label and the evidence.

use super::charge::Charge;
use super::measured::{Measured, Role};
use super::rules::{GAP_SHARE_MAX, WAIT_SHARE_MIN, residence, said};
use super::system::System;
use super::{Finding, Label, Resource, Suspect, demand, falsify};
use crate::wording::{digits, share, time_ms};

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
    pub(super) is_unknown: bool,
    /// Requests wait for it, and what its holders do is not watched.
    pub(super) is_open: bool,
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
        if is_counted {
            findings.extend(residences(&one, charge, part, system));
        }
        if charge.moved > 0.0 && label == Label::Symptom {
            findings.push(residence(moved(charge, system)));
        }
        findings.extend(one.doubt.iter().map(|doubt| said("coverage", doubt.clone())));
        findings.extend(one.rules.iter().cloned());
        findings.extend(one.findings.iter().cloned());
        findings.extend(demand::finding(&one, system, by_level));
        findings.extend(limits(&one, charge));
        let judged = Judged {
            suspect: Suspect {
                resource: one.resource.clone(),
                label,
                residence_s,
                demand_s: demand::demand_s(&one, system),
                utilization: one.utilization,
                falsify: falsify::experiment(&one, residence_s),
                findings,
            },
            number,
            is_unknown: charge.unknown >= UNKNOWN_MIN,
            is_open: is_counted && is_held_up(&one, charge, system),
        };
        (one, judged)
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
        return if one.doubt.is_none() { Label::Wait } else { Label::Saturated };
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

/// The time of each request that is spent in it, or in waiting for it.
fn residences(one: &Measured, charge: &Charge, part: f64, system: &System) -> Vec<Finding> {
    let mut findings = Vec::new();
    if charge.open > 0.0 {
        findings.push(residence(open(one, charge, system)));
    }
    if charge.number() > 0.0 {
        findings.push(residence(spent(charge, part, system)));
    }
    findings
}

/// `10 wait for 2 of 2, 153 ms of each request`
fn open(one: &Measured, charge: &Charge, system: &System) -> String {
    let lent =
        one.servers.map_or_else(|| "it".to_owned(), |(held, limit)| format!("{} of {}", digits(held), digits(limit)));
    format!(
        "{} wait for {lent}, {} of each request: N/X = {} / {} per s; what its holders do is not explained by what was \
         watched",
        digits(one.waiting),
        time_ms(system.seconds(charge.open) * 1e3),
        digits(charge.open),
        digits(system.throughput_per_s)
    )
}

fn spent(charge: &Charge, part: f64, system: &System) -> String {
    let text = format!(
        "each request spends {} in it, {} of its time: N/X = {} / {} per s",
        time_ms(system.seconds(charge.number()) * 1e3),
        share(part),
        digits(charge.number()),
        digits(system.throughput_per_s)
    );
    if charge.waiting <= 0.0 {
        return text;
    }
    format!("{text}; of that {} waiting", time_ms(system.seconds(charge.waiting) * 1e3))
}

fn moved(charge: &Charge, system: &System) -> String {
    let whose = charge.moved_to.as_ref().map_or_else(|| "others".to_owned(), Resource::to_string);
    format!(
        "{} more of each request were measured here and belong to nested resources, mostly to {whose}",
        time_ms(system.seconds(charge.moved) * 1e3)
    )
}

/// How far what was read of it goes: who else uses it, what is not watched, and when nobody read.
fn limits(one: &Measured, charge: &Charge) -> Vec<Finding> {
    let mut findings = Vec::new();
    if one.others[0] + one.others[1] > one.number().max(OTHERS_MIN) {
        let text = format!(
            "processes that are not observed keep {} cores busy and {} tasks waiting: observe them if they serve requests",
            digits(one.others[0]),
            digits(one.others[1])
        );
        findings.push(said("coverage", text));
    }
    if one.role == Role::Leaf && one.is_pressed && one.number() > CHARGED_MIN * charge.number() {
        let text = format!(
            "{} are in it at a time, {} of them charged to requests: it works for others too",
            digits(one.number()),
            digits(charge.number())
        );
        findings.push(said("residence", text));
    }
    if charge.unknown >= UNKNOWN_MIN {
        let text = format!("in {} of the time that it is lent nothing is done that is watched", share(charge.unknown));
        findings.push(said("coverage", text));
    }
    if one.missing > GAP_SHARE_MAX {
        let text = format!("it was not read in {} of the phase", share(one.missing));
        findings.push(said("coverage", text));
    }
    findings
}
