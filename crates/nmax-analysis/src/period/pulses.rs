//! Short disturbances that come back at equal intervals: pulses laid over each other by candidate periods.

use super::{CYCLES_MIN, Cycle};
use crate::trend::{median, scaled_mad};

/// Probability of a false alarm, over all periods together.
const ALPHA: f64 = 0.01;
/// A pulse is that many standard deviations above the median, at least.
const HEIGHT_MIN: f64 = 4.0;
/// Shortest period, in values.
const PERIOD_MIN: f64 = 6.0;
/// Largest share of the values in pulses: what is more frequent is no short disturbance.
const SHARE_MAX: f64 = 0.15;
/// Share of the cycles that must have their pulse.
const COVERED_MIN: f64 = 0.75;
/// Most pulses per cycle, with those of chance.
const PULSES_MAX: f64 = 4.0;
/// Pulses belong to a period when all lie in a window of that many values, or of that share of the period.
const WINDOW: (f64, f64) = (3.0, 0.05);
/// Periods tried per window by which they shift the end of the series.
const STEPS: f64 = 5.0;

/// Values in a row above the median by [`HEIGHT_MIN`]; single ones below it do not end a pulse.
struct Pulse {
    start: usize,
    end: usize,
}

/// A window within the cycle, by the pulse at its beginning.
pub(super) struct Fold {
    pub(super) period: f64,
    /// Middle of the window in the first cycle.
    pub(super) middle: f64,
    pub(super) window: f64,
    /// Cycles whose window lies in the series, and those of them with a pulse.
    pub(super) cycles: usize,
    pub(super) covered: usize,
}

/// The strongest period of short pulses; `None` when chance explains it at 1 %.
///
/// The null hypothesis is that k pulses fall anywhere among n values. A window of w values in each of c cycles, placed at
/// one of the pulses, is then met by the others one after the other: with j cycles covered, the next pulse covers one
/// more with probability (c − 1 − j)·w/n. The probability to cover as many as are covered is multiplied by the number of
/// windows tried: k places and (n/w)·ln(longest/shortest period) periods.
pub(super) fn pulses(values: &[f64]) -> Option<Cycle> {
    let n = values.len() as f64;
    let usual = median(values.iter().copied())?;
    let height = HEIGHT_MIN * scaled_mad(values, usual)?;
    let pulses = above(values, usual + height);
    let k = pulses.len() as f64;
    let longest = (PULSES_MAX * n / k).min(n / CYCLES_MIN as f64);
    let shortest = (COVERED_MIN * n / k).max(PERIOD_MIN);
    let within: usize = pulses.iter().map(|pulse| pulse.end - pulse.start).sum();
    if pulses.len() < CYCLES_MIN || within as f64 > SHARE_MAX * n || shortest >= longest {
        return None;
    }
    let best = strongest(&pulses, n, shortest, longest)?;
    let tried = k * n / (WINDOW.0 + 0.5) * (longest / shortest).ln().max(1.0);
    let p_value = (tried * chance(&best, pulses.len(), n)).min(1.0);
    if p_value >= ALPHA {
        return None;
    }
    let found: Vec<(f64, &Pulse)> = pulses.iter().filter_map(|pulse| Some((best.cycle(pulse)?, pulse))).collect();
    let shapes = found.iter().map(|(_, pulse)| shape(&values[pulse.start..pulse.end], usual));
    let (lengths, heights): (Vec<f64>, Vec<f64>) = shapes.unzip();
    Some(Cycle { period: slope(&found)?, length: median(lengths)?, usual, disturbed: median(heights)?, p_value })
}

/// All pulses above a limit.
fn above(values: &[f64], limit: f64) -> Vec<Pulse> {
    let mut pulses: Vec<Pulse> = Vec::new();
    for (place, _) in values.iter().enumerate().filter(|(_, value)| **value > limit) {
        match pulses.last_mut() {
            Some(last) if place <= last.end + 1 => last.end = place + 1,
            _ => pulses.push(Pulse { start: place, end: place + 1 }),
        }
    }
    pulses
}

/// The window that is covered most beyond chance, in standard deviations.
fn strongest(pulses: &[Pulse], n: f64, shortest: f64, longest: f64) -> Option<Fold> {
    let mut best: Option<(f64, Fold)> = None;
    let mut period = shortest;
    while period <= longest {
        let window = WINDOW.0.max(WINDOW.1 * period);
        for fold in folds(pulses, n, period, window) {
            let is_enough = fold.covered >= CYCLES_MIN && fold.covered as f64 >= COVERED_MIN * fold.cycles as f64;
            let score = fold.score(pulses.len(), n);
            if is_enough && best.as_ref().is_none_or(|(most, _)| score > *most) {
                best = Some((score, fold));
            }
        }
        period *= 1.0 + window / STEPS / n;
    }
    best.map(|(_, fold)| fold)
}

/// The windows of a period that begin with a pulse.
fn folds(pulses: &[Pulse], n: f64, period: f64, window: f64) -> impl Iterator<Item = Fold> {
    let mut phases: Vec<f64> = pulses.iter().map(|pulse| pulse.start as f64 % period).collect();
    phases.sort_unstable_by(f64::total_cmp);
    let count = phases.len();
    let mut end = 0;
    (0..count).filter_map(move |first| {
        let phase = |place: usize| phases[place % count] + if place < count { 0.0 } else { period };
        end = end.max(first + 1);
        while end < first + count && phase(end) <= phases[first] + window {
            end += 1;
        }
        let middle = (phases[first] + window / 2.0) % period;
        let cycles = ((n - middle) / period).ceil() as usize;
        // Two pulses of one cycle in one window are rare: those of chance next to a true one.
        let covered = (end - first).min(cycles);
        (covered >= CYCLES_MIN).then_some(Fold { period, middle, window, cycles, covered })
    })
}

impl Fold {
    /// Covered cycles less those by chance, in standard deviations.
    fn score(&self, pulses: usize, n: f64) -> f64 {
        let others = (self.cycles - 1) as f64;
        let met = 1.0 - (1.0 - (self.window + 0.5) / n).powf((pulses - 1) as f64);
        ((self.covered - 1) as f64 - others * met) / (others * met * (1.0 - met)).sqrt()
    }

    /// The number of the cycle in whose window a pulse begins.
    fn cycle(&self, pulse: &Pulse) -> Option<f64> {
        let place = (pulse.start as f64 - self.middle) / self.period;
        let is_within = (place - place.round()).abs() * self.period <= self.window / 2.0 + 1e-6;
        is_within.then(|| place.round())
    }
}

/// Probability that all pulses but the first cover as many other cycles.
pub(super) fn chance(fold: &Fold, pulses: usize, n: f64) -> f64 {
    let others = fold.cycles - 1;
    let width = (fold.window + 0.5) / n;
    let mut covered = vec![0.0; others + 1];
    covered[0] = 1.0;
    for _ in 1..pulses {
        for j in (0..=others).rev() {
            let from = if j > 0 { covered[j - 1] * (others - j + 1) as f64 * width } else { 0.0 };
            covered[j] = covered[j] * (1.0 - (others - j) as f64 * width) + from;
        }
    }
    covered[fold.covered - 1..].iter().sum()
}

/// How many values of a pulse reach half of its height, and their mean.
fn shape(pulse: &[f64], usual: f64) -> (f64, f64) {
    let peak = pulse.iter().copied().fold(usual, f64::max);
    let high = || pulse.iter().filter(|value| **value >= usual + (peak - usual) / 2.0);
    let count = high().count() as f64;
    (count, high().sum::<f64>() / count)
}

/// Least squares: values from one cycle to the next.
fn slope(found: &[(f64, &Pulse)]) -> Option<f64> {
    let n = found.len() as f64;
    let mean = |of: fn(&(f64, &Pulse)) -> f64| found.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|(cycle, _)| *cycle), mean(|(_, pulse)| pulse.start as f64));
    let above: f64 = found.iter().map(|(cycle, pulse)| (cycle - x) * (pulse.start as f64 - y)).sum();
    let below: f64 = found.iter().map(|(cycle, _)| (cycle - x) * (cycle - x)).sum();
    (below > 0.0).then(|| above / below)
}
