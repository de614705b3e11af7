//! Results by injector and by region, of a run on several injectors.

use std::borrow::Cow;

use nmax_metrics::{Aggregate, RequestStats, Section};

use super::{Dist, GroupRow};
use crate::evidence::busy;
use crate::gates::reason_code;
use crate::{Evidence, Gate, InjectorFacts};

/// Numbers of one of several injectors.
#[derive(Clone, Debug, PartialEq)]
pub struct InjectorRow {
    /// Its name.
    pub name: String,
    /// Where it is; `None` where that was not said.
    pub region: Option<String>,
    /// Which part of the load it had, from 0.
    pub shard: u32,
    /// Worker threads.
    pub workers: u32,
    /// Iterations that it started in the phase.
    pub started: u64,
    /// Of all iterations that were started in the phase, the share of these, 0 to 1; `None` without any.
    pub started_share: Option<f64>,
    /// Its exchanges and their response times.
    pub exchanges: GroupRow,
    /// What it added to response times.
    pub lag: Dist,
    /// CPU utilization of its busiest worker, or the mean over its workers where that is not known, 0 to 1.
    pub cpu_utilization: Option<f64>,
    /// Largest uncertainty of its clock against the others, s.
    pub clock_error_s: Option<f64>,
    /// Largest jump of its clock, s.
    pub clock_jump_s: Option<f64>,
    /// Time of which its report is missing, s.
    pub lost_s: f64,
    /// Codes of the gates that it fails.
    pub fails: Vec<&'static str>,
}

/// An injector, what it measured in the phase, and the sum of its exchanges.
type Part<'a> = (&'a InjectorFacts, Cow<'a, Aggregate>, RequestStats);

/// Every injector; none for a run on one.
fn parts<'a>(evidence: &Evidence<'a>, held: bool) -> Vec<Part<'a>> {
    let own = |facts: &'a InjectorFacts| {
        let totals = &facts.own.as_deref()?.totals;
        let totals = if held { Cow::Borrowed(totals) } else { Cow::Owned(totals.whole()) };
        let exchanges = totals.total(Section::Hold);
        Some((facts, totals, exchanges))
    };
    if evidence.injectors.len() < 2 { Vec::new() } else { evidence.injectors.iter().filter_map(own).collect() }
}

/// By injector, in the order of the run, and by region, in the order of the first injector of each.
///
/// - `held`: whether the phase is the hold, and not the whole run
pub(super) fn rows(
    evidence: &Evidence<'_>,
    gates: &[Gate],
    (held, length_s): (bool, f64),
) -> (Vec<InjectorRow>, Vec<GroupRow>) {
    let parts = parts(evidence, held);
    let started: u64 = parts.iter().map(|(_, totals, _)| totals.load(Section::Hold).started).sum();
    let window_s = evidence.plan.window.as_secs_f64();
    let row = |(facts, totals, exchanges): &Part<'_>| {
        let load = totals.load(Section::Hold);
        let failed = gates.iter().filter(|gate| gate.failing.contains(&facts.name));
        InjectorRow {
            name: facts.name.clone(),
            region: facts.region.clone(),
            shard: facts.shard,
            workers: facts.workers,
            started: load.started,
            started_share: (started > 0).then(|| load.started as f64 / started as f64),
            exchanges: GroupRow::from_requests(&facts.name, exchanges, length_s),
            lag: Dist::from_histogram(&load.injector_lag),
            cpu_utilization: facts.cpu_utilization_max.or_else(|| busy(totals)),
            clock_error_s: facts.clock_error_s,
            clock_jump_s: facts.clock_jump_s,
            lost_s: facts.windows_lost() as f64 * window_s,
            fails: failed.map(reason_code).collect(),
        }
    };
    let mut regions: Vec<(&str, RequestStats)> = Vec::new();
    let has_regions = parts.iter().any(|(facts, ..)| facts.region.is_some());
    for (facts, _, exchanges) in parts.iter().filter(|_| has_regions) {
        let name = facts.region.as_deref().unwrap_or_default();
        let place = regions.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
            regions.push((name, RequestStats::default()));
            regions.len() - 1
        });
        regions[place].1.merge(exchanges);
    }
    let region = |(name, stats): &(&str, RequestStats)| GroupRow::from_requests(name, stats, length_s);
    (parts.iter().map(row).collect(), regions.iter().map(region).collect())
}

#[cfg(test)]
mod tests;
