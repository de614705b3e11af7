//! The pipeline, in the order of confidence: validity, coverage, physics, rules, statistics.

use std::collections::BTreeSet;

use nmax_plan::plan::INJECTOR;

use super::charge::charge;
use super::judge::judge;
use super::measured::Measured;
use super::rank::{SUSPECTS_MAX, rank};
use super::rules::said;
use super::span_readings::SpanReadings;
use super::system::System;
use super::{
    Budget, Diagnosis, Kind, Label, Part, Resource, Suspect, beside, coverage, cpu, demand, disk, memory, network,
    service, slow,
};

/// Part of a sum below which a difference is rounding.
const ROUNDING: f64 = 1e-9;
use crate::{Evidence, Gate};

/// What to look at first, given the gates of the run.
///
/// - A run that is not valid says nothing of the system: only the injector is diagnosed.
/// - R = Σ Nᵢ/X + unexplained: means over the hold, by Little's law, charged to the innermost resource that is watched.
/// - At most three suspects. What was not watched is one of them where a quarter of the time or more is unexplained. It
///   comes before resources that have less of the time, and after every full pool.
///
/// O(figures · resources).
pub(crate) fn diagnose(evidence: &Evidence, gates: &[Gate]) -> Diagnosis {
    let look = SpanReadings::new(evidence.readings, evidence.hold);
    let Some(system) = System::from_evidence(evidence, &look) else {
        return refused("no exchange ended in the hold, so nothing can be said of the system");
    };
    let closed: Vec<&Gate> = gates.iter().filter(|gate| !gate.holds).collect();
    if !closed.is_empty() {
        return of_injector(&look, &system, &closed);
    }
    let all = measure(&look, &system);
    let missing = coverage::unwatched(&all, &system);
    let rows = coverage::rows(&all, &system);
    if evidence.readings.is_empty() {
        let slow_request = slow::find(evidence);
        return Diagnosis {
            coverage: rows,
            slow_request,
            ..refused("nothing was watched beside the requests themselves")
        };
    }
    let charges = charge(&all, &system, coverage::behind(&missing));
    let budget = budget(&all, &charges, &system);
    let bounds = demand::bounds(&all, &system);
    let levels = demand::levels(evidence);
    let by_level = demand::of_levels(&levels, &look, &system, measure);
    let doubtful = all.iter().zip(&charges).filter(|(one, _)| one.doubt.is_some() && one.is_pressed);
    let doubtful: f64 = doubtful.map(|(_, charge)| charge.number()).sum();
    let open: f64 = charges.iter().map(|charge| charge.open).sum();
    let unexplained = budget.unexplained_s * system.throughput_per_s + doubtful + open;
    let judged = judge(all, &charges, &system, &by_level);
    let (mut suspects, others) = rank(evidence, judged, &missing, unexplained, &system);
    beside::name(&mut suspects, evidence.injectors);
    Diagnosis {
        refused: Vec::new(),
        coverage: rows,
        budget: Some(budget),
        bounds,
        slow_request: slow::find(evidence),
        suspects,
        others,
    }
}

fn refused(why: &str) -> Diagnosis {
    Diagnosis { refused: vec![why.to_owned()], ..Diagnosis::default() }
}

/// Everything that was read of the hosts, and the way to the target.
fn measure(look: &SpanReadings, system: &System) -> Vec<Measured> {
    let read = look.hosts();
    let hosts: BTreeSet<&str> = read.iter().copied().chain(system.hosts.iter().map(String::as_str)).collect();
    hosts.into_iter().flat_map(|host| of_host(look, system, host)).collect()
}

fn of_host(look: &SpanReadings, system: &System, host: &str) -> Vec<Measured> {
    let mut disks = disk::measure(look, system, host, memory::of_disks(look, host));
    let memory = memory::measure(look, system, host, &disks);
    if memory.is_none() {
        let doubt = format!("it may be swapping: memory of {host} is not watched");
        disks.iter_mut().for_each(|disk| disk.doubt = Some(doubt.clone()));
    }
    let mut all: Vec<Measured> = cpu::measure(look, system, host).into_iter().collect();
    all.extend(memory);
    all.extend(disks);
    all.extend(network::measure(look, system, host));
    let services = service::measure(look, system, host, &all);
    all.extend(services);
    all
}

/// Seconds of a request in each resource. The wait for a free virtual user is a part as well: it is what waiting
/// elsewhere looks like from outside, so it is no suspect.
fn budget(all: &[Measured], charges: &[super::charge::Charge], system: &System) -> Budget {
    let parts = all.iter().zip(charges).filter(|(_, charge)| charge.number() + charge.open > 0.0);
    let mut parts: Vec<Part> = parts
        .map(|(one, charge)| Part {
            resource: one.resource.clone(),
            service_s: system.seconds(charge.service),
            waiting_s: system.seconds(charge.waiting + charge.open),
        })
        .collect();
    let explained_s: f64 = parts.iter().map(Part::residence_s).sum();
    if system.slot_wait_s > 0.0 {
        parts.push(Part {
            resource: Resource { host: INJECTOR.to_owned(), kind: Kind::Pool, name: "virtual users".to_owned() },
            service_s: 0.0,
            waiting_s: system.slot_wait_s,
        });
    }
    parts.sort_by(|a, b| b.residence_s().total_cmp(&a.residence_s()));
    let unexplained_s = system.served_s() - explained_s;
    // What rounding leaves of a sum is not a time.
    let is_rounding = unexplained_s.abs() <= ROUNDING * system.served_s();
    Budget {
        response_s: system.response_s,
        throughput_per_s: system.throughput_per_s,
        parts,
        unexplained_s: if is_rounding { 0.0 } else { unexplained_s },
    }
}

/// A run that is not valid: what its injector ran short of.
fn of_injector(look: &SpanReadings, system: &System, closed: &[&Gate]) -> Diagnosis {
    let mut suspects: Vec<Suspect> = Vec::new();
    for gate in closed {
        let Some(kind) = of_gate(gate.name) else { continue };
        let finding = said("gate", gate.text.clone());
        let host = gate.injector.as_deref().unwrap_or(INJECTOR);
        let same = |one: &Suspect| one.resource.kind == kind && one.resource.host == host;
        if let Some(known) = suspects.iter_mut().find(|suspect| same(suspect)) {
            known.findings.push(finding);
            continue;
        }
        suspects.push(Suspect {
            resource: Resource { host: host.to_owned(), kind, name: String::new() },
            label: Label::Saturated,
            residence_s: None,
            demand_s: None,
            utilization: None,
            findings: vec![finding],
            falsify: "run the same plan from a larger injector or at a lower rate: the gate must open".to_owned(),
        });
    }
    suspects.truncate(SUSPECTS_MAX);
    let rows: Vec<_> = system.injectors.iter().flat_map(|(name, ..)| of_host(look, system, name)).collect();
    Diagnosis {
        refused: closed
            .iter()
            .map(|gate| format!("the run is not valid: {} {}, see above", gate.code, gate.name))
            .collect(),
        coverage: rows.iter().map(Measured::coverage).collect(),
        suspects,
        ..Diagnosis::default()
    }
}

/// The resource of a closed gate.
fn of_gate(name: &str) -> Option<Kind> {
    match name {
        "injector CPU" | "run queue" | "injector lag" | "rate" | "stalls" => Some(Kind::Cpu),
        "memory" | "swap" => Some(Kind::Memory),
        "open files" | "local ports" => Some(Kind::Pool),
        _ => None,
    }
}
