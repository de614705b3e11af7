//! G5: Little's law: the number of iterations in flight, counted on its own, against their times.

use nmax_metrics::{Aggregate, Histogram, Section};
use nmax_plan::threshold::Op;

use super::{Id, Tested, unknown};
use crate::Gate;
use crate::words::{digits, share};

/// Accepted difference of the two, of the number in flight, beside what the edges of the hold explain.
pub const LITTLE_SHARE_MAX: f64 = 0.05;
/// Fewest completed iterations that are tested.
pub const LITTLE_ITERATIONS_MIN: u64 = 100;
/// Fewest mean iteration times in a hold that is tested.
pub const LITTLE_TIMES_MIN: f64 = 20.0;

pub(super) const LITTLE: Id = Id {
    code: "G5",
    name: "Little's law",
    reason: "G5_LITTLES_LAW",
};

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
///   clock. At an edge the iterations under way have λ·E\[t²\]/2 still to go (mean residual life); both edges give
///   Σ t². When A is the larger one, iterations that never ended are in A alone: Σ ages of their exchanges, and for
///   each at most the longest iteration for what came before
///
/// Tested from 100 iterations and 20 mean iteration times on, when no time was clamped. O(scenarios · buckets).
///
/// Sources: J. D. C. Little, *Operations Research* 9 (1961); residual life: L. Kleinrock, *Queueing Systems* I (1975),
/// eq. 5.14.
pub fn little(totals: &Aggregate, hold_s: f64) -> Gate {
    let load = totals.load(Section::Hold);
    let (mut times, mut interrupted) = (Histogram::new(), 0);
    for stats in (0..totals.scenario_count()).filter_map(|index| totals.scenario(Section::Hold, index)) {
        times.merge(&stats.iteration_time);
        interrupted += stats.interrupted;
    }
    let n = times.count();
    let (Some(mean_ns), Some(max_ns)) = (times.mean_ns(), times.max_ns()) else {
        return unknown(LITTLE, "%", "no iteration was completed");
    };
    let area = load.in_flight_ns as f64;
    let sum = (mean_ns * n as f64 - load.start_delay_ns as f64).max(0.0);
    let hold_ns = hold_s * 1e9;
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
        return unknown(LITTLE, "%", why);
    }
    let squares: f64 = times
        .recorded()
        .map(|(low, high, n)| ((low + high) as f64 / 2.0).powi(2) * n as f64)
        .sum();
    let edges = squares / hold_ns;
    let unfinished = match area > sum {
        true => {
            load.censored.mean_ns().unwrap_or_default() * load.censored.count() as f64
                + interrupted as f64 * max_ns as f64
        }
        false => 0.0,
    };
    let limit = LITTLE_SHARE_MAX + (edges + unfinished) / area;
    let figures = format!(
        "{} iterations in flight by count, {} by their times",
        digits(area / hold_ns),
        digits(sum / hold_ns)
    );
    Tested {
        id: LITTLE,
        value: (area - sum).abs() / area,
        op: Op::AtMost,
        limit,
        unit: "%",
    }
    .gate(
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
