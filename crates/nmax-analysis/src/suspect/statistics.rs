//! Statistics that break a tie, and never more: correlation with the response times given throughput, and who rose first.
//!
//! Series are differenced: two that only grow together are not related (their levels correlate near 1 whatever they are).

use nmax_metrics::{Nanos, Track, TrackKey};
use nmax_plan::choice::Choice;

use crate::change::change;
use crate::trend::{median, scaled_mad};
use crate::{Evidence, Point};

/// Fewest stretches of the course that say anything.
pub(super) const STRETCHES_MIN: usize = 20;
/// Rounds of the permutation.
const ROUNDS: u32 = 999;
/// Neighbors that stay together in a permutation: what follows each other depends on each other.
const BLOCK: usize = 5;
/// False discovery rate.
const RATE: f64 = 0.1;
/// Initial value of every permutation, so that a run is always judged alike.
const SEED: u64 = 20_071;
/// Standard deviations above the beginning from which a series has risen.
const DEVIATIONS: f64 = 3.0;
/// What counts as risen at least, relative to the beginning.
const RISE_MIN: f64 = 0.2;

/// How a figure goes with the response times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Relation {
    /// Partial correlation of the two, given throughput, −1 to 1.
    pub(super) correlation: f64,
    /// Probability of one as strong by chance.
    pub(super) chance: f64,
}

/// Mean response time, throughput and figure of each stretch of the hold in which all are known.
///
/// What is of the time since the reading before has the instant of its end, so it is looked for one reading later.
pub(super) fn aligned(evidence: &Evidence, figure: &TrackKey, track: &Track) -> Vec<[f64; 3]> {
    let late = track.usual().filter(|_| is_of_past(figure)).unwrap_or(Nanos::ZERO);
    let late_s = late.as_secs_f64();
    let held = evidence.course.points.iter().filter(|point| point.held && point.exchanges > 0);
    let row = |point: &Point| {
        let value = track.mean((nanos(point.start_s + late_s), nanos(point.end_s() + late_s)))?;
        Some([point.response?.mean_ms, point.exchanges as f64 / point.width_s, value])
    };
    held.filter_map(row).collect()
}

/// Whether readings are of the time since the one before; others are of the moment.
fn is_of_past(figure: &TrackKey) -> bool {
    let is_rate = ["_cores", "_ratio", "_per_s"].iter().any(|suffix| figure.metric.ends_with(suffix));
    is_rate || figure.source.starts_with("disk ")
}

fn nanos(s: f64) -> Nanos {
    Nanos((s.max(0.0) * 1e9).round() as u64)
}

/// Partial correlation of differences, and how likely it is by chance:
///
/// ```text
/// r(L, V | X) = (r_LV − r_LX·r_VX) / √((1 − r_LX²)(1 − r_VX²))
/// ```
///
/// - L: mean response time, V: the figure, X: throughput, each as differences of neighbors
///
/// Chance: share of 999 permutations of blocks of 5 of V whose |r| is as large, with one added to both; the sequence of
/// the permutations is fixed. `None` below 20 stretches, and where one of them stands still. O(rounds · n).
pub(super) fn relation(rows: &[[f64; 3]]) -> Option<Relation> {
    if rows.len() < STRETCHES_MIN {
        return None;
    }
    let difference = |column: usize| -> Vec<f64> {
        let pairs = rows.windows(2);
        pairs.map(|pair| pair[1][column] - pair[0][column]).collect()
    };
    let (latency, throughput, figure) = (difference(0), difference(1), difference(2));
    let correlation = partial(&latency, &throughput, &figure)?;
    let choice = Choice::new(SEED, 0, 0, 0);
    let mut blocks: Vec<Vec<f64>> = figure.chunks(BLOCK).map(<[f64]>::to_vec).collect();
    let (mut as_large, mut draw) = (1, 0);
    for _ in 0..ROUNDS {
        for last in (1..blocks.len()).rev() {
            draw += 1;
            blocks.swap(last, (choice.u64(draw) % (last as u64 + 1)) as usize);
        }
        let other = partial(&latency, &throughput, &blocks.concat()).unwrap_or(0.0);
        as_large += u32::from(other.abs() >= correlation.abs());
    }
    Some(Relation { correlation, chance: f64::from(as_large) / f64::from(ROUNDS + 1) })
}

fn partial(latency: &[f64], throughput: &[f64], figure: &[f64]) -> Option<f64> {
    let direct = pearson(latency, figure)?;
    let by_load = pearson(latency, throughput).unwrap_or(0.0);
    let of_load = pearson(figure, throughput).unwrap_or(0.0);
    let rest = (1.0 - by_load * by_load) * (1.0 - of_load * of_load);
    (rest > 1e-9).then(|| (direct - by_load * of_load) / rest.sqrt())
}

fn pearson(a: &[f64], b: &[f64]) -> Option<f64> {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let sums = a.iter().zip(b).fold([0.0; 3], |sums, (a, b)| {
        let (a, b) = (a - mean_a, b - mean_b);
        [sums[0] + a * b, sums[1] + a * a, sums[2] + b * b]
    });
    let scale = (sums[1] * sums[2]).sqrt();
    (scale > 0.0 && scale.is_finite()).then(|| sums[0] / scale)
}

/// Which of these hold when at most one in ten of those that are called so may be by chance (Benjamini and Hochberg 1995).
pub(super) fn discovered(chances: &[f64]) -> Vec<bool> {
    let mut sorted = chances.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let limits = sorted.iter().enumerate().filter(|(place, chance)| **chance <= RATE * (place + 1) as f64 / n);
    let limit = limits.map(|(_, chance)| *chance).next_back();
    chances.iter().map(|chance| limit.is_some_and(|limit| *chance <= limit)).collect()
}

/// The first stretch from which a series is above its beginning for good; `None` when it is not, or was from the start.
///
/// Above is beyond the median of the first quarter by three standard deviations (of the median absolute one) and a fifth.
pub(super) fn onset(series: &[f64]) -> Option<usize> {
    if series.len() < STRETCHES_MIN {
        return None;
    }
    let first = &series[..series.len() / 4];
    let center = median(first.iter().copied())?;
    let limit = center + (DEVIATIONS * scaled_mad(first, center)?).max(RISE_MIN * center.abs());
    let above: Vec<bool> = series.iter().map(|value| *value > limit).collect();
    change(&above).map(|change| change.at).filter(|at| *at > 0)
}

#[cfg(test)]
mod tests;
