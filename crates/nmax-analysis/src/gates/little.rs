//! G5: Little's law: the number of iterations in flight, counted on its own, against their times.

use nmax_metrics::{Aggregate, Histogram, Nanos, Section};
use nmax_plan::schedule::held;
use nmax_plan::threshold::Op;

use super::Id;
use crate::wording::{digits, share};
use crate::{Course, Evidence, Gate};

/// Accepted difference of the two, of the number in flight, beside what the edges of the hold explain.
pub const LITTLE_SHARE_MAX: f64 = 0.05;
/// Fewest completed iterations that are tested.
pub const LITTLE_ITERATIONS_MIN: u64 = 100;
/// Fewest mean iteration times in a hold that is tested.
pub const LITTLE_TIMES_MIN: f64 = 20.0;

pub(super) const LITTLE: Id =
    Id { code: "G5", name: "Little's law", reason: "G5_LITTLES_LAW", op: Op::AtMost, unit: "%" };

/// G5 of a run with one hold: each further one has edges of its own.
pub(super) fn gate(evidence: &Evidence) -> Gate {
    match held(&evidence.plan.stages, evidence.hold.0.0, evidence.hold.1.0).len() {
        0 | 1 => little(evidence.totals, evidence.course, evidence.hold),
        _ => LITTLE.unknown("other stages lie between the holds"),
    }
}

/// G5: mean number of iterations in flight N = λ·W, measured twice.
///
/// ```text
/// N  = A/T               A: integral of the counter of iterations in flight over the hold
/// λW = S/T               S = Σ iteration times − Σ start delays
/// value = |A − S| / A    limit = 0.05 + allowance/A
/// ```
///
/// - T: length of the hold; iteration times count from the intended start, the counter from when a VU takes the
///   iteration: the start delay lies between
/// - allowance: what the edges of the hold explain. An iteration belongs to the hold by its start, the counter by the
///   clock. So A has what the iterations under way at the beginning still had to go, and S has what those at the end had
///   still to go, or had still to wait for a slot. Either is at most the sum of as many of the longest times: of the
///   iterations before the hold, and of those in it. A − S lies between the two, whatever the law of the arrivals, on a
///   ramp and beyond saturation as well. When A is the larger one, iterations that never ended are in A alone: Σ ages of
///   their exchanges, and for each at most the longest iteration for what came before
/// - under way at an edge: the largest number in flight of the stretches of the course around it
///
/// Tested from 100 iterations and 20 mean iteration times on, when no time was clamped. O(scenarios · buckets).
///
/// Source: J. D. C. Little, *Operations Research* 9 (1961); the edges: S. Stidham, *Operations Research* 22 (1974).
pub fn little(totals: &Aggregate, course: &Course, (start, end): (Nanos, Nanos)) -> Gate {
    let load = totals.load(Section::Hold);
    let (times, interrupted) = iterations(totals, Section::Hold);
    let n = times.count();
    let (Some(mean_ns), Some(max_ns)) = (times.mean_ns(), times.max_ns()) else {
        return LITTLE.unknown("no iteration was completed");
    };
    let area = load.in_flight_ns as f64;
    let sum = (mean_ns * n as f64 - load.start_delay_ns as f64).max(0.0);
    let hold_ns = end.since(start).0 as f64;
    let why = if area <= 0.0 || (load.waited > 0 && load.start_delay_ns == 0) {
        "the number in flight or the delay of starts was not measured"
    } else if n < LITTLE_ITERATIONS_MIN {
        "fewer than 100 iterations were completed"
    } else if sum / n as f64 * LITTLE_TIMES_MIN > hold_ns {
        "the hold is shorter than 20 iterations"
    } else if times.exact().clamped > 0 {
        "an iteration took longer than can be measured"
    } else {
        ""
    };
    if !why.is_empty() {
        return LITTLE.unknown(why);
    }
    let mean = area / hold_ns;
    let explained = match area > sum {
        true => {
            let (before, unfinished) = iterations(totals, Section::Outside);
            let under_way = in_flight(course, start, mean);
            longest(&before, under_way)
                + unfinished.min(under_way) as f64 * hold_ns
                + load.censored.mean_ns().unwrap_or_default() * load.censored.count() as f64
                + interrupted as f64 * max_ns as f64
        }
        false => longest(&times, in_flight(course, end, mean).saturating_add(load.waited)),
    };
    let limit = LITTLE_SHARE_MAX + explained / area;
    let figures = format!("{} iterations in flight by count, {} by their times", digits(mean), digits(sum / hold_ns));
    LITTLE.at((area - sum).abs() / area, limit).gate(
        |value| format!("{figures}, {} apart", share(value)),
        |value| {
            format!(
                "the numbers contradict each other: {figures}, {} apart where {} can be explained: repeat the run, and \
                 report it if it stays",
                share(value),
                share(limit)
            )
        },
    )
}

/// Times of the iterations that were completed, and how many were not.
fn iterations(totals: &Aggregate, section: Section) -> (Histogram, u64) {
    let (mut times, mut interrupted) = (Histogram::new(), 0);
    for stats in totals.scenarios.in_section(section) {
        times.merge(&stats.iteration_time);
        interrupted += stats.interrupted;
    }
    (times, interrupted)
}

/// Iterations in flight about an instant, at most; `mean` is known where the course says nothing.
fn in_flight(course: &Course, at: Nanos, mean: f64) -> u64 {
    let at_s = at.as_secs_f64();
    let around = course
        .points
        .iter()
        .filter(|point| point.start_s - point.width_s <= at_s && at_s <= point.end_s() + point.width_s);
    let most = around.map(|point| point.in_flight).reduce(f64::max).unwrap_or(mean);
    most.ceil().max(0.0) as u64
}

/// Sum of the `n` longest times, ns.
fn longest(times: &Histogram, n: u64) -> f64 {
    let mut left = n;
    let mut buckets: Vec<_> = times.recorded().collect();
    buckets.reverse();
    let taken = buckets.into_iter().map(|(_, high, count)| {
        let taken = count.min(left);
        left -= taken;
        taken as f64 * high as f64
    });
    taken.sum()
}
