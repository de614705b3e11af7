//! The variance of sums of values that depend on each other, of that of independent ones.

use super::BATCHES_MIN;

/// Figures of batches: how many values each has, and what they add up to.
pub(super) struct Sums {
    batches: Vec<(f64, f64)>,
    /// Variance of one value.
    variance: f64,
}

/// How much more the total varies than that of independent values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Inflation {
    /// φ: 1 for independent values.
    pub(super) ratio: f64,
    /// Degrees of freedom behind it.
    pub(super) freedom: f64,
}

impl Inflation {
    /// Standard error of φ, relative.
    pub(super) fn error(self) -> f64 {
        (2.0 / self.freedom).sqrt()
    }
}

impl Sums {
    /// What trickles in at the end, in batches that have less than half of a mean one, belongs to the last full one.
    pub(super) fn new(mut batches: Vec<(f64, f64)>, variance: f64) -> Self {
        let half = batches.iter().map(|(n, _)| n).sum::<f64>() / (2.0 * batches.len().max(1) as f64);
        while batches.len() > 1 {
            let Some(rest) = batches.pop_if(|last| last.0 < half) else { break };
            let end = batches.len() - 1;
            batches[end] = added(batches[end], rest);
        }
        Self { batches, variance }
    }

    /// Neighbours joined, to at most `parts`.
    pub(super) fn joined(&self, parts: usize) -> Self {
        let by = self.batches.len().div_ceil(parts).max(1);
        let join = |some: &[(f64, f64)]| some.iter().copied().fold((0.0, 0.0), added);
        Self::new(self.batches.chunks(by).map(join).collect(), self.variance)
    }

    /// What each batch has beyond its share: y_k − n_k·Σy/Σn. They add up to 0.
    pub(super) fn residuals(&self) -> Vec<f64> {
        let (values, sum): (f64, f64) = self.batches.iter().copied().fold((0.0, 0.0), added);
        self.batches.iter().map(|(n, sum_of_batch)| sum_of_batch - n * sum / values).collect()
    }

    /// Values in all.
    pub(super) fn values(&self) -> f64 {
        self.batches.iter().map(|(n, _)| n).sum()
    }

    /// Variance of the total of independent values.
    pub(super) fn independent(&self) -> f64 {
        self.variance * self.values()
    }
}

fn added(one: (f64, f64), other: (f64, f64)) -> (f64, f64) {
    (one.0 + other.0, one.1 + other.1)
}

/// φ by overlapping batches, each at least a `parts`-th of the whole; `None` with fewer than ten batches.
///
/// ```text
/// φ = V/(n·σ²),  V = M²/(s(M−s+1)(M−s)) · Σ_j (e_j + … + e_{j+s−1})²,  s = ⌈M/parts⌉
/// ```
///
/// - e_k: residual of batch k of M; n·σ²: variance of the sum of n independent values
///
/// A total that cannot vary has φ = 1. Degrees of freedom: 3/2·(M/s − 1)/(1 + 1/(2s²)). O(M).
///
/// Source: M. S. Meketon, B. Schmeiser, *Overlapping batch means: something for nothing?* (WSC 1984).
pub(super) fn inflation(sums: &Sums, parts: usize) -> Option<Inflation> {
    let residuals = sums.residuals();
    let (m, s) = (residuals.len(), residuals.len().div_ceil(parts).max(1));
    if m < BATCHES_MIN || m < 2 * s {
        return None;
    }
    let squares: f64 = residuals.windows(s).map(|span| span.iter().sum::<f64>().powi(2)).sum();
    let (whole, span) = (m as f64, s as f64);
    let variance = whole * whole / (span * (whole - span + 1.0) * (whole - span)) * squares;
    let independent = sums.independent();
    Some(Inflation {
        ratio: if independent > 0.0 { variance / independent } else { 1.0 },
        freedom: 1.5 * (whole / span - 1.0) / (1.0 + 0.5 / (span * span)),
    })
}
