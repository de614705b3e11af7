//! Service demands D = U / X, whether they stay the same under load, and the bounds that they imply.

use nmax_metrics::Nanos;
use nmax_plan::schedule::{StageKind, phases};

use super::measured::{Measured, Role};
use super::rules::OPERATIONAL;
use super::span_readings::SpanReadings;
use super::system::System;
use super::{Bounds, Finding, Kind, Resource};
use crate::Evidence;
use crate::wording::{digits, share, time_ms};

/// Fewest exchanges of a level that say anything.
const EXCHANGES_MIN: f64 = 50.0;
/// How far demands of the levels may be apart, relative to the smallest, and still be the same.
const CONSTANT_MAX: f64 = 0.25;

/// Seconds of service that each request asks of a resource, over all of its servers.
///
/// ```text
/// D = U / X
/// ```
///
/// - U: mean number of its servers that are busy
/// - X: throughput, 1/s
pub(super) fn demand_s(one: &Measured, system: &System) -> Option<f64> {
    let (used, _) = one.servers?;
    Some(used / system.throughput_per_s)
}

/// A level that was held, with the throughput there.
pub(super) struct Level {
    pub(super) span: (Nanos, Nanos),
    pub(super) throughput_per_s: f64,
}

/// Levels of the hold, where they differ.
pub(super) fn levels(evidence: &Evidence) -> Vec<Level> {
    let stages = &evidence.plan.stages;
    let held = stages.iter().zip(phases(stages));
    let held = held.filter(|(stage, _)| stage.kind == StageKind::Hold && stage.from == stage.to && stage.to > 0.0);
    let found: Vec<Level> = held
        .filter_map(|(_, phase)| {
            let start = Nanos(phase.span.start_ns).max(evidence.hold.0);
            let end = Nanos(phase.span.end_ns.unwrap_or(u64::MAX)).min(evidence.hold.1);
            let (start_s, end_s) = (start.as_secs_f64(), end.as_secs_f64());
            let inside = |point: &&crate::Point| point.start_s >= start_s - 1e-6 && point.end_s() <= end_s + 1e-6;
            let points = evidence.course.points.iter().filter(inside);
            let (n, length_s) =
                points.fold((0.0, 0.0), |(n, length_s), point| (n + point.exchanges as f64, length_s + point.width_s));
            (n >= EXCHANGES_MIN && length_s > 0.0).then(|| Level { span: (start, end), throughput_per_s: n / length_s })
        })
        .collect();
    if found.len() >= 2 { found } else { Vec::new() }
}

/// Demand of a resource at each level, s; `measure` gives its figures there.
pub(super) fn of_levels(
    levels: &[Level],
    look: &SpanReadings,
    system: &System,
    measure: impl Fn(&SpanReadings, &System) -> Vec<Measured>,
) -> Vec<(Resource, f64)> {
    let each = levels.iter().flat_map(|level| {
        let scale = level.throughput_per_s / system.throughput_per_s;
        let mut there = System { throughput_per_s: level.throughput_per_s, ..system.clone() };
        for (_, busy, waiting) in &mut there.injectors {
            (*busy, *waiting) = (*busy * scale, *waiting * scale);
        }
        let all = measure(&look.within(level.span), &there);
        let demand = |one: &Measured| Some((one.resource.clone(), demand_s(one, &there)?));
        all.iter().filter_map(demand).collect::<Vec<_>>()
    });
    each.collect()
}

/// What is said of a demand, and whether it stays the same.
pub(super) fn finding(one: &Measured, system: &System, by_level: &[(Resource, f64)]) -> Option<Finding> {
    let (used, servers) = one.servers?;
    let demand_ms = demand_s(one, system)? * 1e3;
    if demand_ms <= 0.0 {
        return None;
    }
    let mut text = format!(
        "each request asks for {} of it (D = U/X = {} / {} per s)",
        time_ms(demand_ms),
        digits(used),
        digits(system.throughput_per_s)
    );
    let all: Vec<f64> = by_level.iter().filter(|(resource, _)| *resource == one.resource).map(|(_, s)| *s).collect();
    let (low, high) = all.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), s| (low.min(*s), high.max(*s)));
    if all.len() >= 2 && low > 0.0 {
        let range = format!("{} to {} over {} levels", time_ms(low * 1e3), time_ms(high * 1e3), all.len());
        text += &match high <= (1.0 + CONSTANT_MAX) * low {
            true => format!("; it stays the same, {range}"),
            false => format!("; it changes with the load, {range}"),
        };
    }
    if used > 0.0 && servers > 0.0 {
        let most = servers / used * system.throughput_per_s;
        text += &format!("; at {} used it bounds throughput at {}/s", share(used / servers), digits(most));
    }
    Some(Finding { kind: "demand", text, source: OPERATIONAL })
}

/// Bounds by the resource with the largest demand per server.
///
/// ```text
/// X ≤ m / D_max        N* = (ΣD + Z) · m / D_max
/// ```
///
/// - D: demand of each resource, s; m: servers of the one whose D/m is largest
/// - ΣD: what has a pool or lock is at other resources meanwhile, so it is the sum over those others, or the largest demand
///   of a pool or lock where that is more
/// - Z: think time of users who wait for replies, s; else 0, and N* counts exchanges in flight
///
/// How busy a disk is does not bound it: it may serve many at a time. So disks are left out.
pub(super) fn bounds(all: &[Measured], system: &System) -> Option<Bounds> {
    let counted = all.iter().filter(|one| one.is_counted && one.resource.kind != Kind::Disk && !one.is_blind());
    let each = counted.filter_map(|one| {
        let (used, servers) = one.servers.filter(|(used, servers)| *used > 0.0 && *servers > 0.0)?;
        Some((one, used / system.throughput_per_s, servers))
    });
    let each: Vec<(&Measured, f64, f64)> = each.collect();
    let (one, demand_s, servers) = each.iter().max_by(|a, b| (a.1 / a.2).total_cmp(&(b.1 / b.2)))?;
    let is_lender = |one: &Measured| matches!(one.role, Role::Lender { .. });
    let (lent, own): (Vec<_>, Vec<_>) = each.iter().partition(|(one, ..)| is_lender(one));
    let own_s: f64 = own.iter().map(|(_, demand_s, _)| demand_s).sum();
    let all_s = lent.iter().map(|(_, demand_s, _)| *demand_s).fold(own_s, f64::max);
    Some(Bounds {
        resource: one.resource.clone(),
        demand_s: *demand_s,
        throughput_max_per_s: servers / demand_s,
        knee: Some((all_s + system.think_s) * servers / demand_s),
    })
}
