//! The shift of failure rates between few runs, thought in counts. A rate lies between 0 and 1, so what equal runs differ
//! by near 1 % says nothing of those near 100 %: luck multiplies the odds, and no interval leaves \[−1, 1\].

use super::rank::Shift;
use super::student::{critical, two_sided};
use super::weak::{KNOWN_DF, Variance, sum};
use super::{ERROR_MAX, Figures, Metric};

/// Standard deviation of the logarithm of the odds of a failure from run to run, as long as nothing is known of it.
const LUCK: f64 = 0.3;
/// Normal deviate beyond which a probability is 0.
const Z_MAX: f64 = 37.0;
/// Halvings of [0, [`Z_MAX`]] when a probability is looked for: to 1e-10.
const HALVINGS: usize = 40;
/// Deviate of Student's law beyond which counts limit nothing.
const T_MAX: f64 = 1e9;

/// A share of so many exchanges in so many runs.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Side {
    /// Mean of the runs' shares.
    share: f64,
    /// Exchanges that would know it as well in one run: runs² / Σ 1/n.
    exchanges: f64,
    runs: f64,
}

/// How much shares of equal runs differ.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Spread {
    /// Variance of counts, times that of independent failures.
    counts: Variance,
    /// Standard deviation of the logarithm of the odds from run to run.
    odds: f64,
    /// Standard deviation of a share that is there besides.
    share: f64,
}

/// The shift between shares of few runs.
///
/// ```text
/// Δ = q − p,   low = Δ − √((q − q₋)² + (p₊ − p)²),   high = Δ + √((q₊ − q)² + (p − p₋)²)
/// p₊ = o(w₊(p, N/φ, t), e^(z·σ/√k)) + z·a/√k,   o(w, f) = f·w / (1 − w + f·w)
/// ```
///
/// - p, q: mean shares before and after; p₊, p₋: limits of one of them, each within 0 and 1, so that Δ's are within ±1
/// - w₊: upper limit of Wilson for N exchanges that are worth N/φ, since failures come together
/// - φ: variance of counts over that of independent failures, at least 1, by Pearson: of the parts of runs, and of runs of
///   one side. With 3 degrees of freedom among the runs compared and their history it is that of these runs alone
/// - σ, a: luck of a run, in odds and besides; without a history assumed, large, and a times `stretch`
/// - z, t: deviates of the normal law and of Student's, of equal probability
/// - k: runs of the side
///
/// The probability is the one whose interval ends at 0. Sides that change places turn the sign, and so do failures that
/// become successes. O(n + m + parts), times the halvings.
///
/// Sources: R. G. Newcombe, *Interval estimation for the difference between independent proportions*, Statist. Med. 1998,
/// method 10; E. B. Wilson, J. Amer. Statist. Assoc. 1927.
pub(super) fn shift(
    metric: Metric,
    before: &[&Figures],
    after: &[&Figures],
    history: &[Vec<&Figures>],
    stretch: f64,
) -> Option<Shift> {
    let (one, other) = (side(metric, before)?, side(metric, after)?);
    let spread = spread(metric, before, after, history, stretch);
    let estimate = other.share - one.share;
    let (low, high) = spread.around(one, other, critical(ERROR_MAX, f64::INFINITY));
    let reaches_zero = |z: f64| {
        let (low, high) = spread.around(one, other, z);
        low <= 0.0 && high >= 0.0
    };
    let (mut short, mut long) = (0.0, Z_MAX);
    for _ in 0..HALVINGS {
        let middle = (short + long) / 2.0;
        if reaches_zero(middle) {
            long = middle;
        } else {
            short = middle;
        }
    }
    Some(Shift { estimate, low, high, p: two_sided(short, f64::INFINITY) })
}

fn side(metric: Metric, runs: &[&Figures]) -> Option<Side> {
    let shares: Vec<(f64, f64)> = runs.iter().filter_map(|run| counted(metric, run)).collect();
    let runs = shares.len() as f64;
    (!shares.is_empty()).then(|| Side {
        share: (shares.iter().map(|(share, _)| share).sum::<f64>() / runs).clamp(0.0, 1.0),
        exchanges: runs * runs / shares.iter().map(|(_, n)| 1.0 / n).sum::<f64>(),
        runs,
    })
}

/// A share, and of how many exchanges.
fn counted(metric: Metric, figures: &Figures) -> Option<(f64, f64)> {
    Some((figures.values.get(metric)?, figures.count.max(1) as f64))
}

fn spread(metric: Metric, before: &[&Figures], after: &[&Figures], history: &[Vec<&Figures>], stretch: f64) -> Spread {
    let of = |runs: &[&Figures]| runs.iter().filter_map(|run| counted(metric, run)).collect::<Vec<_>>();
    let groups = [of(before), of(after)].into_iter().chain(history.iter().map(|group| of(group)));
    let between = dispersion(groups);
    if between.df >= KNOWN_DF {
        return Spread {
            counts: Variance { value: between.value.max(1.0), ..between },
            odds: 0.0,
            share: metric.least_deviation(),
        };
    }
    let parts = before.iter().chain(after).map(|run| {
        let n = run.count as f64 / run.blocks.len().max(1) as f64;
        let shares = run.blocks.iter().filter_map(|block| block.get(metric));
        shares.map(|share| (share, n)).collect::<Vec<_>>()
    });
    let alone = Variance { value: 1.0, df: f64::INFINITY };
    Spread {
        counts: sum(&[alone, beyond(dispersion(parts)), beyond(between)]),
        odds: LUCK,
        share: stretch * metric.least_deviation(),
    }
}

/// Variance of shares within groups over that of independent failures (Pearson's χ² by its degrees of freedom). Groups
/// where all or none failed do not tell it.
fn dispersion(groups: impl Iterator<Item = Vec<(f64, f64)>>) -> Variance {
    let (mut squares, mut df) = (0.0, 0.0);
    for group in groups {
        let all: f64 = group.iter().map(|(_, n)| n).sum();
        let center = group.iter().map(|(share, n)| share * n).sum::<f64>() / all;
        let alone = center * (1.0 - center);
        if group.len() > 1 && alone > 1e-12 {
            squares += group.iter().map(|(share, n)| n * (share - center).powi(2)).sum::<f64>() / alone;
            df += group.len() as f64 - 1.0;
        }
    }
    Variance { value: if df > 0.0 { squares / df } else { 0.0 }, df }
}

/// What is more than independent failures.
fn beyond(dispersion: Variance) -> Variance {
    Variance { value: (dispersion.value - 1.0).max(0.0), ..dispersion }
}

impl Spread {
    /// The interval of the difference for a normal deviate.
    fn around(&self, before: Side, after: Side, z: f64) -> (f64, f64) {
        let ((p_low, p_high), (q_low, q_high)) = (self.limits(before, z), self.limits(after, z));
        let (p, q) = (before.share, after.share);
        let low = q - p - (q - q_low).hypot(p_high - p);
        let high = q - p + (q_high - q).hypot(p - p_low);
        (low.max(-1.0), high.min(1.0))
    }

    /// The limits of one side.
    fn limits(&self, side: Side, z: f64) -> (f64, f64) {
        let t = deviate(z, self.counts.df);
        let (low, high) = wilson(side.share, side.exchanges / self.counts.value, t);
        let luck = (z * self.odds / side.runs.sqrt()).exp();
        let besides = z * self.share / side.runs.sqrt();
        ((with_odds(low, 1.0 / luck) - besides).max(0.0), (with_odds(high, luck) + besides).min(1.0))
    }
}

/// Limits of a share that was seen in `n` exchanges; \[0, 1\] where nothing is known.
fn wilson(share: f64, n: f64, t: f64) -> (f64, f64) {
    if t >= T_MAX {
        return (0.0, 1.0);
    }
    let more = t * t / n;
    let center = (share + more / 2.0) / (1.0 + more);
    let reach = (more * (share * (1.0 - share) + more / 4.0)).sqrt() / (1.0 + more);
    // The share lies within, whatever is lost in rounding.
    ((center - reach).clamp(0.0, share), (center + reach).clamp(share, 1.0))
}

/// The share whose odds are so many times those of this one.
fn with_odds(share: f64, factor: f64) -> f64 {
    factor * share / (1.0 - share + factor * share)
}

/// The deviate of Student's law that is as likely as `z` of the normal one: never less, and some per cent more where
/// there are few degrees of freedom.
///
/// ```text
/// t = √(ν·(exp(u²/ν) − 1)),   u = z·(8ν + 3)/(8ν + 1)
/// ```
///
/// Source: D. L. Wallace, *Bounds on normal approximations to Student's and the chi-square distributions*, Ann. Math.
/// Statist. 1959.
fn deviate(z: f64, df: f64) -> f64 {
    if df.is_infinite() {
        return z;
    }
    let u = z * (8.0 * df + 3.0) / (8.0 * df + 1.0);
    (df * (u * u / df).exp_m1()).sqrt()
}

#[cfg(test)]
mod tests;
