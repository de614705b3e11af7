//! Where a quantile of the response times meets its limit on a ramp, from the pooled times of loads nearby.

use crate::Point;
use crate::course::{Pool, Spread};
use crate::trend::median;

/// Loads that are pooled: up to this share above and below.
const WINDOW: f64 = 0.05;
/// Loads around the crossing that tell where it is.
const REACH: f64 = 0.15;
/// Parts of the ramp that are pooled at once, at most.
const PARTS_MAX: usize = 120;
/// Fewest exchanges of a window.
const EXCHANGES_MIN: f64 = 50.0;
/// A point whose quantile is that many times the median of its window is a spike.
const SPIKE: f64 = 8.0;
/// Groups of points that are left out in turn for the interval.
const GROUPS: usize = 10;
/// What pooling and the line may be off, relative to the load: times grow faster than loads.
const BIAS: f64 = 0.01;
/// t of a two-sided 95 % interval with 9 degrees of freedom.
const T95: f64 = 2.262;

/// A stretch of the ramp.
struct Part<'a> {
    load: f64,
    spreads: Vec<&'a Spread>,
}

/// The load at which the quantile `q` of the times meets `limit_ms`, with its 95 % interval.
///
/// A point of a second is short for a queue: mostly its quantile is below that of the load, and now and then far above.
/// So the times of all points whose load is within 5 % are pooled. Their quantiles are made monotone (isotonic
/// regression of their logarithm), which gives a first crossing. Around it, up to 15 %, a line is laid through the
/// reciprocals: the times of a queue are nearly in proportion to 1/(C − λ) near its capacity C. The crossing is where
/// that line meets 1/limit. Points that are 8 times as slow as the median of those nearby are left out.
///
/// The interval is that of the jackknife, where each tenth of the time around the crossing is left out in turn, and 1 %
/// to both sides for what the method itself is off.
pub(super) fn crossing(ramp: &[&Point], q: f64, limit_ms: f64) -> Option<(f64, f64, f64)> {
    let parts = parts(ramp, q);
    let first = isotonic_crossing(&windows(&parts, q, None, (0.0, f64::INFINITY)), limit_ms)?;
    let near = (first * (1.0 - REACH), first * (1.0 + REACH));
    let at = |left_out: Option<usize>| fitted(&windows(&parts, q, left_out, near), first, limit_ms);
    let found = at(None)?;
    let others: Vec<f64> = (0..GROUPS).filter_map(|group| at(Some(group))).collect();
    let n = others.len() as f64;
    let mean = others.iter().sum::<f64>() / n.max(1.0);
    let squares: f64 = others.iter().map(|other| (other - mean) * (other - mean)).sum();
    let half = T95 * ((n - 1.0).max(0.0) / n.max(1.0) * squares).sqrt() + BIAS * found;
    Some((found, (found - half).max(0.0), found + half))
}

/// The ramp in at most 120 parts, without spikes.
fn parts<'a>(ramp: &[&'a Point], q: f64) -> Vec<Part<'a>> {
    let size = ramp.len().div_ceil(PARTS_MAX).max(1);
    let value = |point: &Point| Pool::from_spreads(std::iter::once(&point.spread)).quantile_ms(q);
    let values: Vec<Option<f64>> = ramp.iter().map(|point| value(point)).collect();
    let is_spike = |place: usize| {
        let near = values[place.saturating_sub(7)..(place + 8).min(values.len())].iter();
        let usual = median(near.copied().flatten());
        matches!((values[place], usual), (Some(value), Some(usual)) if value > SPIKE * usual)
    };
    let part = |(number, chunk): (usize, &[&'a Point])| {
        let load = chunk.iter().map(|point| point.level).sum::<f64>() / chunk.len() as f64;
        let kept = (0..chunk.len()).filter(|place| !is_spike(number * size + place));
        Part { load, spreads: kept.map(|place| &chunk[place].spread).collect() }
    };
    ramp.chunks(size).enumerate().map(part).collect()
}

/// Load and quantile of the pooled times around each part whose load lies in `near`. `left_out` is a group of those.
fn windows(parts: &[Part], q: f64, left_out: Option<usize>, near: (f64, f64)) -> Vec<(f64, f64)> {
    let top = parts.last().map_or(0.0, |part| part.load);
    let group = |load: f64| {
        let (low, high) = (near.0 * (1.0 - WINDOW), near.1 * (1.0 + WINDOW));
        ((load - low) / (high - low) * GROUPS as f64) as usize
    };
    let is_left_out = |load: f64| left_out.is_some_and(|left_out| group(load) == left_out);
    let window = |part: &Part| {
        let reach = WINDOW * part.load;
        // A part beyond the ramp would be missing on one side only.
        let is_whole = part.load + reach <= top * (1.0 + 1e-9);
        let inside = |other: &&Part| (other.load - part.load).abs() <= reach && !is_left_out(other.load);
        let spreads = parts.iter().filter(inside).flat_map(|other| &other.spreads).copied();
        let pool = Pool::from_spreads(spreads);
        (is_whole && pool.exchanges() >= EXCHANGES_MIN).then(|| Some((part.load, pool.quantile_ms(q)?))).flatten()
    };
    parts.iter().filter(|part| part.load >= near.0 && part.load <= near.1).filter_map(window).collect()
}

/// Where the isotonic regression of the logarithm of the values meets the limit.
fn isotonic_crossing(values: &[(f64, f64)], limit: f64) -> Option<f64> {
    // Sum and number of the values of each level set.
    let mut sets: Vec<(f64, usize)> = Vec::new();
    for (_, value) in values {
        sets.push((value.ln(), 1));
        while let [.., before, last] = sets[..]
            && before.0 / before.1 as f64 >= last.0 / last.1 as f64
        {
            sets.truncate(sets.len() - 2);
            sets.push((before.0 + last.0, before.1 + last.1));
        }
    }
    let levels: Vec<f64> =
        sets.iter().flat_map(|(sum, count)| std::iter::repeat_n(sum / *count as f64, *count)).collect();
    let beyond = levels.iter().position(|level| *level > limit.ln())?;
    let before = beyond.checked_sub(1)?;
    let share = (limit.ln() - levels[before]) / (levels[beyond] - levels[before]);
    Some(values[before].0 + share * (values[beyond].0 - values[before].0))
}

/// Where the line through the reciprocals of the values meets that of the limit.
fn fitted(values: &[(f64, f64)], first: f64, limit: f64) -> Option<f64> {
    let n = values.len() as f64;
    let pairs = values.iter().map(|(load, value)| (load - first, limit / value - 1.0));
    let (sx, sy, sxx, sxy) =
        pairs.fold((0.0, 0.0, 0.0, 0.0), |sum, (x, y)| (sum.0 + x, sum.1 + y, sum.2 + x * x, sum.3 + x * y));
    let slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    let at = first - (sy - slope * sx) / n / slope;
    // A line that does not fall says nothing.
    (values.len() >= 3 && slope < 0.0 && at.is_finite()).then(|| at.clamp(first * (1.0 - REACH), first * (1.0 + REACH)))
}
