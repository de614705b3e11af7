//! A figure over many runs: where it changed for good, by how much, and how sure that is.
//!
//! Change points by E-divisive with a t-test in place of permutations, so the same runs always give the same answer.

use crate::compare::rank;
use crate::compare::student::{critical, two_sided};
use crate::compare::{Better, Conclusion, ERROR_MAX, Metric, Scale};
use crate::trend::median;

/// Fewest runs on each side of a change: one odd run is no change.
pub const RUNS_MIN: usize = 3;
/// Most runs that are looked at.
pub const RUNS_MAX: usize = 1_000;
/// Largest probability of a change point, times the places where it could have been.
const P_MAX: f64 = 0.01;
/// Share of failures above which a run says how long failing takes.
const MOSTLY: f64 = 0.5;

/// A change for good.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The first run after it, from 0.
    pub at: usize,
    /// Ratio or difference of the runs up to the next change and those since the last one.
    pub change: f64,
    /// Its 95 % interval.
    pub interval: (f64, f64),
    /// Probability of such a difference without a change, times the places where it could have been.
    pub p: f64,
    /// Better, worse, changed; or equivalent, when it is smaller than the margin.
    pub said: Conclusion,
}

/// A figure over runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// Changes, in order.
    pub steps: Vec<Step>,
    /// First run and the one after the last of each stretch between changes, with its median.
    pub levels: Vec<(usize, usize, f64)>,
}

impl History {
    /// What the last change beyond the margin was for: a small one after it takes nothing of it back.
    pub fn last(&self) -> Option<Conclusion> {
        let mut said = self.steps.iter().rev().map(|step| step.said);
        said.find(|said| *said != Conclusion::Equivalent)
    }
}

/// The changes in the values of `metric` over runs, oldest first; `None` when some value has no score.
///
/// In each stretch the place is sought where both parts differ most by their energy distance,
///
/// ```text
/// Q(τ) = mn/(m+n) · ( 2/(mn) Σ |xᵢ−yⱼ| − Σ_{i<k} |xᵢ−xₖ| / (m choose 2) − Σ_{j<l} |yⱼ−yₗ| / (n choose 2) )
/// ```
///
/// - x, y: the m and n scores before and from τ on, at least 3 each
///
/// and kept when a t-test with pooled variance between both parts has p · (places tried) ≤ 1 %. Then both parts are
/// looked at alike. In the end each change is tested again between its neighbors, and the weakest are dropped one by one.
/// O(n²) for each change.
///
/// Sources: D. S. Matteson, N. A. James, *A nonparametric approach for multiple change point analysis*, JASA 2014;
/// the t-test: arXiv 2505.06758.
pub fn history(metric: Metric, values: &[f64], margin: f64) -> Option<History> {
    let scores: Vec<f64> = values.iter().map(|value| metric.score(*value)).collect::<Option<_>>()?;
    let mut places = Vec::new();
    split(&scores, 0, &mut places);
    places.sort_unstable();
    while let Some(weakest) = weakest(&scores, &places) {
        places.remove(weakest);
    }
    let edges: Vec<usize> = std::iter::once(0).chain(places).chain([scores.len()]).collect();
    let steps = edges.windows(3).map(|edges| step(metric, &scores, edges, margin)).collect();
    let level = |edges: &[usize]| Some((edges[0], edges[1], median(values[edges[0]..edges[1]].iter().copied())?));
    Some(History { steps, levels: edges.windows(2).filter_map(level).collect() })
}

/// Adds the changes of a stretch that begins at run `first`.
fn split(scores: &[f64], first: usize, places: &mut Vec<usize>) {
    let Some(at) = farthest(scores) else { return };
    if probability(&scores[..at], &scores[at..]) > P_MAX {
        return;
    }
    places.push(first + at);
    split(&scores[..at], first, places);
    split(&scores[at..], first + at, places);
}

/// The place with the largest energy distance; `None` when the stretch is too short for any. O(n²).
fn farthest(scores: &[f64]) -> Option<usize> {
    let all = scores.len();
    if all < 2 * RUNS_MIN {
        return None;
    }
    let distances = |part: &[f64], value: f64| part.iter().map(|other| (other - value).abs()).sum::<f64>();
    let total: f64 = (0..all).map(|place| distances(&scores[..place], scores[place])).sum();
    let (mut left, mut right) = (0.0, total);
    let mut best: Option<(usize, f64)> = None;
    for at in 1..=all - RUNS_MIN {
        left += distances(&scores[..at - 1], scores[at - 1]);
        right -= distances(&scores[at..], scores[at - 1]);
        let (m, n) = (at as f64, (all - at) as f64);
        if at < RUNS_MIN {
            continue;
        }
        let between = 2.0 * (total - left - right) / (m * n);
        let inside = 2.0 * left / (m * (m - 1.0)) + 2.0 * right / (n * (n - 1.0));
        let energy = m * n / (m + n) * (between - inside);
        if best.is_none_or(|(_, most)| energy > most) {
            best = Some((at, energy));
        }
    }
    best.map(|(at, _)| at)
}

/// Pooled estimate of a difference: the difference, its standard error, degrees of freedom.
fn pooled(x: &[f64], y: &[f64]) -> (f64, f64, f64) {
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let (a, b) = (mean(x), mean(y));
    let squares = |part: &[f64], center: f64| part.iter().map(|value| (value - center).powi(2)).sum::<f64>();
    let df = (x.len() + y.len()) as f64 - 2.0;
    let variance = (squares(x, a) + squares(y, b)) / df;
    let error = (variance * (1.0 / x.len() as f64 + 1.0 / y.len() as f64)).sqrt();
    (b - a, error, df)
}

/// Probability of a difference like this without a change, times the places where it could have been.
fn probability(x: &[f64], y: &[f64]) -> f64 {
    let (difference, error, df) = pooled(x, y);
    // Where all values are equal but for rounding there is nothing to see.
    if difference.abs() < 1e-12 {
        return 1.0;
    }
    let places = (x.len() + y.len() + 1).saturating_sub(2 * RUNS_MIN).max(1);
    (two_sided(difference / error, df) * places as f64).min(1.0)
}

/// Whether no change stands out among these scores. Here two runs make a part: what is asked is not where a change was, but
/// whether all may be runs of one system. O(n²).
pub(crate) fn is_steady(scores: &[f64]) -> bool {
    let places = scores.len().saturating_sub(3);
    let is_step = |at: usize| {
        let (difference, error, df) = pooled(&scores[..at], &scores[at..]);
        difference.abs() > 1e-12 && two_sided(difference / error, df) * places as f64 <= P_MAX
    };
    !(2..2 + places).any(is_step)
}

/// The change that is least sure, if it is not sure enough beside its neighbors.
fn weakest(scores: &[f64], places: &[usize]) -> Option<usize> {
    let edges: Vec<usize> = std::iter::once(0).chain(places.iter().copied()).chain([scores.len()]).collect();
    let p = edges.windows(3).map(|edges| probability(&scores[edges[0]..edges[1]], &scores[edges[1]..edges[2]]));
    let (place, most) = p.enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
    (most > P_MAX).then_some(place)
}

/// What failures make of the changes of another figure. What fails takes another time than what succeeds, mostly a shorter
/// one, and more of it is done in a second:
///
/// - a change is not for the better where failures rose by more than `margin`, with 95 % confidence
/// - it is neither for the better nor for the worse where most requests failed on one side of it only
///
/// Such changes are [`Said::Changed`] then. `failures` are the failure rates of the same runs, 0 to 1. Returned are the
/// places in `history.steps` of those that were something else before. O(n² log n).
pub fn weigh_failures(history: &mut History, failures: &[f64], margin: f64) -> Vec<usize> {
    let mut places = Vec::new();
    let levels = history.levels.windows(2);
    for (place, (step, pair)) in history.steps.iter_mut().zip(levels).enumerate() {
        let edges = [pair[0].0, pair[0].1, pair[1].1];
        if edges[2] > failures.len() {
            break;
        }
        let of_failures = self::step(Metric::FailureRate, failures, &edges, margin);
        let has_risen = of_failures.said == Conclusion::Worse && of_failures.interval.0 > 0.0;
        let is_failing = |part: &[f64]| median(part.iter().copied()).is_some_and(|share| share > MOSTLY);
        let is_other = is_failing(&failures[edges[0]..edges[1]]) != is_failing(&failures[edges[1]..edges[2]]);
        let is_told = matches!(step.said, Conclusion::Better | Conclusion::Worse);
        if is_told && is_other || step.said == Conclusion::Better && has_risen {
            step.said = Conclusion::Changed;
            places.push(place);
        }
    }
    places
}

fn step(metric: Metric, scores: &[f64], edges: &[usize], margin: f64) -> Step {
    let (x, y) = (&scores[edges[0]..edges[1]], &scores[edges[1]..edges[2]]);
    let by_ranks = rank::shift(x, y, 1.0 - ERROR_MAX).filter(|shift| shift.low.is_finite());
    let (estimate, low, high) = by_ranks.map_or_else(
        || {
            let (difference, error, df) = pooled(x, y);
            let reach = critical(ERROR_MAX, df) * error;
            (difference, difference - reach, difference + reach)
        },
        |shift| (shift.estimate, shift.low, shift.high),
    );
    let is_small = match metric.scale() {
        Scale::Ratio => -margin.ln_1p() <= low && high <= margin.ln_1p(),
        Scale::Difference => -margin <= low && high <= margin,
    };
    let said = match metric.better() {
        _ if is_small => Conclusion::Equivalent,
        Better::Neither => Conclusion::Changed,
        Better::Less if estimate < 0.0 => Conclusion::Better,
        Better::More if estimate > 0.0 => Conclusion::Better,
        Better::Less | Better::More => Conclusion::Worse,
    };
    Step {
        at: edges[1],
        change: metric.shown(estimate),
        interval: (metric.shown(low), metric.shown(high)),
        p: probability(x, y),
        said,
    }
}

#[cfg(test)]
mod tests;
