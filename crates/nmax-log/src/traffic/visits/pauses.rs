//! Pauses between steps, summed up as a lognormal law.

use crate::traffic::profile::Lognormal;

/// Logarithms of pauses, summed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pauses {
    pub(crate) count: u64,
    log_sum: f64,
    square_sum: f64,
    /// The longest pause, in ms.
    longest_ms: u32,
}

/// Pauses that the spread of all counts as, where the pauses of one transition are few.
const PAUSES_OF_ALL: f64 = 10.0;

/// 95 % of a normal law lie below mean + 1.645 standard deviations.
const Z95: f64 = 1.644_853_626_951_472_2;

impl Pauses {
    pub(crate) fn add(&mut self, pause_ms: u32) {
        let log = (f64::from(pause_ms.max(1)) / 1e3).ln();
        self.count += 1;
        self.log_sum += log;
        self.square_sum += log * log;
        self.longest_ms = self.longest_ms.max(pause_ms);
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.log_sum += other.log_sum;
        self.square_sum += other.square_sum;
        self.longest_ms = self.longest_ms.max(other.longest_ms);
    }

    /// The lognormal law by the method of moments of the logarithms; `None` without pauses.
    ///
    /// ```text
    /// median = e^μ,  p95 = e^(μ + 1.645·σ),  μ = mean of ln t, σ = standard deviation of ln t (n − 1)
    /// ```
    ///
    /// No p95 is longer than the longest pause.
    pub(crate) fn fit(&self) -> Option<Lognormal> {
        self.law(self.variance())
    }

    /// As [`fit`](Self::fit), of a part of `all`: a few pauses hardly tell their spread, so that of all is weighed in.
    ///
    /// ```text
    /// σ² = ((n − 1)·s² + k·σ₀²) / (n − 1 + k)
    /// ```
    ///
    /// - s², σ₀²: variance of ln t of these pauses, and of all
    /// - k: [`PAUSES_OF_ALL`]
    pub(crate) fn fit_within(&self, all: &Self) -> Option<Lognormal> {
        let freedom = self.count.saturating_sub(1) as f64;
        let sum = freedom * self.variance() + PAUSES_OF_ALL * all.variance();
        let limits = Self { longest_ms: all.longest_ms, ..*self };
        limits.law(sum / (freedom + PAUSES_OF_ALL))
    }

    /// Variance of the logarithms; 0 of one pause.
    fn variance(&self) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        let n = self.count as f64;
        let mean = self.log_sum / n;
        ((self.square_sum - n * mean * mean) / (n - 1.0)).max(0.0)
    }

    fn law(&self, variance: f64) -> Option<Lognormal> {
        if self.count == 0 {
            return None;
        }
        let mean = self.log_sum / self.count as f64;
        let median_s = mean.exp();
        let longest_s = (f64::from(self.longest_ms.max(1)) / 1e3).max(median_s);
        Some(Lognormal { median_s, p95_s: (mean + Z95 * variance.sqrt()).exp().min(longest_s) })
    }
}

#[cfg(test)]
mod tests;
