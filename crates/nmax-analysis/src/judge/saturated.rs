//! An open load that the target did not keep up with: replies end at a rate below that of the starts, and what is in
//! flight grows for as long as the load lasts.

use nmax_metrics::Section;
use nmax_plan::plan::{Arrivals, Profile, Workload};

use crate::steady::level_part;
use crate::wording::{digits, share};
use crate::{Evidence, Point, Reason};

/// Share of the starts that must have ended meanwhile.
pub const ENDED_SHARE_MIN: f64 = 0.98;
/// Stretches of one level that are looked at, at least.
pub const STRETCHES_MIN: usize = 3;
/// Iterations that ended from one third to the next, at least.
const ENDED_MIN: f64 = 30.0;
/// How much less the second step may be than the first, relative to it.
const STEP_MIN: f64 = 0.5;
/// How much more may end in the second step than in the first, relative to it.
const ENDED_MAX: f64 = 1.1;
/// Quantile of the normal law below which growth is taken for chance: one in 2,000.
const Z: f64 = 3.29;

/// What tells that the load was more than the target could take, however short the run.
///
/// The part of the hold with one level is cut into thirds, with N₁, N₂, N₃ iterations in flight on average. From one third
/// to the next S iterations started, each weighted by the share of the third that sees the difference, so C = S − ΔN ended.
/// The load is beyond what the target can do when
///
/// ```text
/// C < 0.98·S                of both steps
/// N₃ − N₂ ≥ ½·(N₂ − N₁) > 0     C₂ ≤ 1.1·C₁
/// N₃ − N₁ > 3.29·√(C + S·[arrivals are random])
/// ```
///
/// A queue that only fills up to what Little's law gives, with replies that take long beside the hold, grows less and
/// less while ever more iterations end: it fails the second line. The third is what a system that just keeps up does by
/// chance. O(stretches).
pub(super) fn saturated(evidence: &Evidence) -> Option<Reason> {
    let Workload::Open { arrivals, .. } = evidence.plan.workload else {
        return None;
    };
    if matches!(evidence.plan.profile, Some(Profile::Ladder | Profile::Stress)) {
        return None; // They look for this, and say where it begins.
    }
    let points = level_part(&evidence.course.points);
    let third = points.len() / STRETCHES_MIN;
    if third == 0 {
        return None;
    }
    let (first, last) = (points.first()?.in_flight, points.last()?.in_flight);
    // What does not fill a third is left out at the beginning.
    let points = &points[points.len() - STRETCHES_MIN * third..];
    let mean = |points: &[Point]| points.iter().map(|point| point.in_flight).sum::<f64>() / third as f64;
    let flying: Vec<f64> = points.chunks_exact(third).map(mean).collect();
    let steps = [flying[1] - flying[0], flying[2] - flying[1]];
    let started = [0, third].map(|from| weighted(&points[from..from + 2 * third]));
    let ended = [started[0] - steps[0], started[1] - steps[1]];
    let (grown, started, all) = (steps[0] + steps[1], started[0] + started[1], ended[0] + ended[1]);
    let chance = match arrivals {
        Arrivals::Even => all,
        Arrivals::Poisson => all + started,
        Arrivals::Listed => return None, // Their level is not one.
    };
    let is_beyond = all < ENDED_SHARE_MIN * started
        && steps[0] > 0.0
        && steps[1] >= STEP_MIN * steps[0]
        && ended[0] >= ENDED_MIN
        && ended[1] <= ENDED_MAX * ended[0]
        && grown > Z * chance.max(0.0).sqrt();
    if !is_beyond {
        return None;
    }
    let (load, hold_s) = (evidence.totals.load(Section::Hold), evidence.hold_s());
    let ended_per_s = completed(evidence) as f64 / hold_s;
    let started_per_s = load.started as f64 / hold_s;
    let text = format!(
        "the target did not keep up: of {}/s started {}/s completed within the hold ({}), and the iterations in flight \
         grew from {} to {}; response times depend on how long the load lasts: lower the rate, or find what holds \
         the target up",
        digits(started_per_s),
        digits(ended_per_s),
        share(ended_per_s / started_per_s),
        digits(first),
        digits(last)
    );
    let figures = [
        ("completed", format!("{} /s", digits(ended_per_s))),
        ("started", format!("{} /s", digits(started_per_s))),
        ("in_flight.first", digits(first)),
        ("in_flight.last", digits(last)),
    ];
    Some(Reason::new("TARGET_SATURATED", text, figures))
}

/// Starts of two neighboring thirds, by the difference that they make to what is in flight in the one and in the other: all
/// of it in the middle, none at the ends.
fn weighted(points: &[Point]) -> f64 {
    let middle = points.len() as f64 / 2.0;
    let weight = |at: usize| 1.0 - (at as f64 + 0.5 - middle).abs() / middle;
    points.iter().enumerate().map(|(at, point)| weight(at) * point.started as f64).sum()
}

/// Iterations of the mix that ended within the hold.
fn completed(evidence: &Evidence) -> u64 {
    let counted = evidence.plan.scenarios.iter().zip(evidence.totals.scenarios.in_section(Section::Hold));
    counted.filter(|(scenario, _)| scenario.weight > 0.0).map(|(_, stats)| stats.ended_within).sum()
}

#[cfg(test)]
mod tests;
