//! Disturbances that come back at equal intervals: short pulses by their spacing, all others by Fisher's test on the
//! periodogram and the shape of one cycle.

mod pulses;

use crate::trend::{centered_ranks, lag1, median, scaled_mad};

/// Fewest values that are looked at.
const VALUES_MIN: usize = 48;
/// Fewest cycles that make a period.
const CYCLES_MIN: usize = 4;
/// Probability of a false alarm of the test by frequencies, over all of them together.
const ALPHA: f64 = 0.005;
/// The strongest frequency may be up to this multiple of the cycle's own.
const HARMONICS_MAX: u32 = 12;
/// Share of the best explanation that is as good as it.
const NEARLY: f64 = 0.9;
/// Values count up to that many standard deviations from the median.
const REACH: f64 = 5.0;
/// Parts of a cycle that are told apart.
const PHASES_MAX: f64 = 60.0;
/// Step of the search for the exact frequency, in cycles over the series.
const FINE: f64 = 0.05;

/// A disturbance that comes back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cycle {
    /// From one to the next, in values of the series.
    pub(crate) period: f64,
    /// How long one lasts, in values of the series.
    pub(crate) length: f64,
    /// Median outside of it: of short pulses of all values, otherwise over the parts of a cycle of the median there.
    pub(crate) usual: f64,
    /// Mean within it: of short pulses of the values above half of the height, the median over all pulses; otherwise over
    /// the parts of the disturbance of the median there.
    pub(crate) disturbed: f64,
    /// Probability that chance alone shows a period as strong as this.
    pub(crate) p_value: f64,
}

/// The strongest cycle of evenly spaced values; `None` when chance explains them.
///
/// Short pulses spread over many frequencies, so their spacing is tested first. What has none is tested by frequencies.
pub(crate) fn cycle(values: &[f64]) -> Option<Cycle> {
    if values.len() < VALUES_MIN || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    pulses::pulses(values).or_else(|| wave(values))
}

/// The strongest cycle of any shape; `None` when chance explains it at 0.5 %.
///
/// Values count up to 5 standard deviations from the median, the deviation from the median absolute one; where most
/// are equal, ranks take their place. So single extremes do not count. A lag-1 correlation is taken out. With I_k the
/// periodogram at the frequencies of `m` numbers of cycles, from 4 upwards,
///
/// ```text
/// g = max I_k / Σ I_k,   P(g > x) ≤ m · (1 − x)^(m−1)
/// ```
///
/// which for small P is all of Fisher's law. Short disturbances are often strongest at a multiple of their frequency, so
/// the period is the smallest multiple of the strongest one that explains the values as well as the best. O(n²).
///
/// Source: R. A. Fisher, *Tests of significance in harmonic analysis*, Proc. R. Soc. A 1929.
fn wave(values: &[f64]) -> Option<Cycle> {
    let white = whitened(values);
    let tested = CYCLES_MIN..=(white.len() - 1) / 2;
    let m = tested.clone().count() as f64;
    let powers: Vec<f64> = tested.clone().map(|cycles| power(&white, cycles as f64)).collect();
    let sum: f64 = powers.iter().sum();
    let (strongest, most) = tested.zip(powers).max_by(|a, b| a.1.total_cmp(&b.1))?;
    let chance = |power: f64| (m * (1.0 - (power / sum).min(1.0)).powf(m - 1.0)).min(1.0);
    // Written so that a sum of 0 finds nothing.
    if !(sum > 0.0 && chance(most) < ALPHA) {
        return None;
    }
    let shortest = white.len() as f64 / strongest_near(&white, strongest as f64);
    let bounded = bounded(values);
    let period = refined(&bounded, shortest * fewest_multiple(&bounded, shortest));
    let shape = Shape::from_values(values, period)?;
    Some(Cycle {
        period,
        length: shape.share * period,
        usual: shape.usual,
        disturbed: shape.disturbed,
        p_value: chance(most),
    })
}

/// Bounded values without their lag-1 correlation.
fn whitened(values: &[f64]) -> Vec<f64> {
    let bounded = bounded(values);
    let correlation = lag1(&bounded).clamp(0.0, 0.99);
    let mut white: Vec<f64> = bounded.windows(2).map(|pair| pair[1] - correlation * pair[0]).collect();
    center(&mut white);
    white
}

/// Values with mean 0 and without extremes.
fn bounded(values: &[f64]) -> Vec<f64> {
    let spread = median(values.iter().copied()).and_then(|middle| Some((middle, scaled_mad(values, middle)?)));
    let mut bounded: Vec<f64> = match spread {
        Some((middle, deviation)) if deviation > 0.0 => {
            let (low, high) = (middle - REACH * deviation, middle + REACH * deviation);
            values.iter().map(|value| value.clamp(low, high)).collect()
        }
        _ => centered_ranks(values),
    };
    center(&mut bounded);
    bounded
}

fn center(values: &mut [f64]) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter_mut().for_each(|value| *value -= mean);
}

/// |Σ x_t·e^(−2πi·f·t/n)|² at `cycles` f over the series, by Goertzel's recurrence.
fn power(values: &[f64], cycles: f64) -> f64 {
    let angle = std::f64::consts::TAU * cycles / values.len() as f64;
    let twice_cos = 2.0 * angle.cos();
    let (mut last, mut before) = (0.0, 0.0);
    for value in values {
        let next = value + twice_cos * last - before;
        before = last;
        last = next;
    }
    last * last + before * before - twice_cos * last * before
}

/// The strongest frequency at most one cycle away.
fn strongest_near(values: &[f64], cycles: f64) -> f64 {
    let steps = (1.0 / FINE).round() as i32;
    let near = (-steps..=steps).map(|step| cycles + f64::from(step) * FINE);
    near.map(|cycles| (cycles, power(values, cycles)))
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map_or(cycles, |(cycles, _)| cycles)
}

/// The smallest multiple of a period that explains the values nearly as well as the best one.
fn fewest_multiple(values: &[f64], period: f64) -> f64 {
    let possible = |multiple: &u32| period * f64::from(*multiple) * CYCLES_MIN as f64 <= values.len() as f64;
    let multiples: Vec<u32> = (1..=HARMONICS_MAX).take_while(possible).collect();
    let explained: Vec<f64> =
        multiples.iter().map(|multiple| explained(values, period * f64::from(*multiple))).collect();
    let best = explained.iter().copied().fold(0.0, f64::max);
    let enough = explained.iter().position(|share| *share >= NEARLY * best);
    enough.map_or(1.0, |place| f64::from(multiples[place]))
}

/// The period nearby that explains the values best: a small error adds up over many cycles.
fn refined(values: &[f64], period: f64) -> f64 {
    let shift = period / values.len() as f64;
    let near = (-8..=8).map(|quarter| period + shift * f64::from(quarter) / 4.0);
    near.map(|period| (period, explained(values, period)))
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map_or(period, |(period, _)| period)
}

/// Share of the variance that the phase within a cycle explains, freed of what chance explains.
fn explained(values: &[f64], period: f64) -> f64 {
    let n = values.len() as f64;
    let parts = phases(values, period);
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len().max(1) as f64;
    let squares = |part: &[f64]| {
        let mean = mean(part);
        part.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>()
    };
    let within: f64 = parts.iter().map(|part| squares(part)).sum();
    let all = squares(values) / (n - 1.0);
    1.0 - within / (n - parts.len() as f64).max(1.0) / all
}

/// The values by their place within a cycle.
fn phases(values: &[f64], period: f64) -> Vec<Vec<f64>> {
    let count = period.round().clamp(3.0, PHASES_MAX) as usize;
    let mut parts = vec![Vec::new(); count];
    for (place, value) in values.iter().enumerate() {
        let phase = (place as f64 / period).fract() * count as f64;
        parts[(phase as usize).min(count - 1)].push(*value);
    }
    parts
}

/// One cycle, from all of them laid over each other.
struct Shape {
    /// Share of the cycle that is disturbed.
    share: f64,
    usual: f64,
    disturbed: f64,
}

impl Shape {
    fn from_values(values: &[f64], period: f64) -> Option<Self> {
        let medians: Vec<f64> = phases(values, period).into_iter().filter_map(median).collect();
        let lowest = medians.iter().copied().fold(f64::INFINITY, f64::min);
        let (peak_at, peak) = medians.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let n = medians.len();
        let is_high = |place: usize| medians[place % n] > lowest + (peak - lowest) / 2.0;
        let after = (1..n).take_while(|step| is_high(peak_at + step)).count();
        let before = (1..n - after).take_while(|step| is_high(peak_at + n - step)).count();
        let part = |step: usize| medians[(peak_at + n - before + step) % n];
        let within: Vec<f64> = (0..=before + after).map(part).collect();
        let usual = median((within.len()..n).map(part))?;
        Some(Self {
            share: within.len() as f64 / n as f64,
            usual,
            disturbed: within.iter().sum::<f64>() / within.len() as f64,
        })
    }
}

#[cfg(test)]
mod tests;
