//! G2: whether scenarios were started as often as the plan's mix says.

use nmax_metrics::{Aggregate, Section};
use nmax_plan::mix::Mix;
use nmax_plan::plan::{Plan, Workload};
use nmax_plan::threshold::Op;

use super::{Id, TOLERATED_COUNT};
use crate::Gate;
use crate::wording::{count, counted, share};

/// Deviation of a scenario's share that is accepted, of the share.
pub const MIX_DEVIATION_MAX: f64 = 0.02;
/// Standard deviations that are accepted of what the order of scenarios leaves to chance: about one correct run in ten
/// thousand is further off. At 2.58 it would be one in a hundred for each scenario.
pub const MIX_ERRORS_MAX: f64 = 4.0;

pub(super) const MIX: Id = Id { code: "G2", name: "mix", reason: "G2_MIX", op: Op::AtMost, unit: "%" };

/// G2: of the iterations started, each scenario of the mix has about its planned share.
///
/// ```text
/// value = |k/n − p|
/// limit = max(0.02·p, 3/n, (4·σ + spared)/n)
/// ```
///
/// - n: iterations of the mix that started within the hold; k: those of the scenario; p: its planned share
/// - σ: standard deviation of k by the order in which the plan picks. The mix is exact in each cycle of c iterations,
///   so only cycles that are cut off count: open σ² = p(1−p)·min(n, c/2). The VUs of a closed workload go through the
///   same cycle from places next to each other: with V VUs and I = n/V, σ² = p(1−p)·min(V²·min(I, c/4), I²·min(V, c/4))
/// - spared: of an open workload the due iterations that never started, whichever they would have been; of a closed one
///   its VUs, for the iteration that the end finds a VU in is more often one of a long scenario
///
/// The scenario that is furthest beyond its own limit is told. Not tested with fewer than two scenarios in the mix.
/// Background scenarios have no weight in it. O(scenarios).
pub fn mix(plan: &Plan, totals: &Aggregate, users: u64) -> Gate {
    let weights: Vec<f64> = plan.scenarios.iter().map(|scenario| scenario.weight).collect();
    let started = |index: usize| totals.scenarios.get(Section::Hold, index).map_or(0, |stats| stats.started);
    let members: Vec<usize> = (0..weights.len()).filter(|index| weights[*index] > 0.0).collect();
    let n: u64 = members.iter().map(|index| started(*index)).sum();
    let Some(mix) = Mix::new(&weights).ok().filter(|_| members.len() > 1) else {
        return MIX.unknown("the plan has one scenario, and no mix");
    };
    if n == 0 {
        return MIX.unknown("no iteration of the mix started");
    }
    let cycle = f64::from(mix.cycle());
    let spared = match plan.workload {
        Workload::Open { .. } => totals.load(Section::Hold).dropped().total(),
        Workload::Closed { .. } => users,
    };
    let deviation_of = |index: usize| {
        let p = f64::from(mix.count(index)) / cycle;
        let noise = match plan.workload {
            Workload::Open { .. } => (n as f64).min(cycle / 2.0),
            Workload::Closed { .. } => cut_cycles(n as f64, users.max(1) as f64, cycle / 4.0),
        };
        let sigma = (p * (1.0 - p) * noise).sqrt();
        let chance = MIX_ERRORS_MAX * sigma + spared as f64;
        let limit = chance.max(MIX_DEVIATION_MAX * p * n as f64).max(TOLERATED_COUNT as f64);
        let off = (started(index) as f64 - p * n as f64).abs();
        (index, p, off / n as f64, limit / n as f64)
    };
    let all = members.into_iter().map(deviation_of);
    let Some((index, p, value, limit)) = all.max_by(|a, b| (a.2 / a.3).total_cmp(&(b.2 / b.3))) else {
        return MIX.unknown("the plan has no mix");
    };
    let figures = format!(
        "`{}` is {} of {} ({}), planned {}",
        plan.scenarios[index].name,
        count(started(index)),
        counted(n, "iteration"),
        share(started(index) as f64 / n as f64),
        share(p)
    );
    MIX.at(value, limit).gate(
        |_| format!("every scenario has its share; furthest off, {figures}"),
        |_| {
            format!(
                "the mix is not the planned one: {figures}, at most {} off would do: the plan was not carried out; run \
                 longer, or report it",
                share(limit)
            )
        },
    )
}

/// Variance, in units of p(1−p), of how often a scenario is picked by `users` VUs in `n` iterations, when cycles are
/// four times `quarter` long: that of the VUs' cut cycles, or of the rounds' cut cycles, whichever is smaller.
fn cut_cycles(n: f64, users: f64, quarter: f64) -> f64 {
    let each = n / users;
    (users * users * each.min(quarter)).min(each * each * users.min(quarter))
}
