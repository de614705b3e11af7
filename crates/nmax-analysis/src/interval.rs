//! How far a quantile of independent values may be off: exact binomial order statistics, and the bounds that
//! unfinished exchanges leave open.
//!
//! Exchanges of a run are not independent: their intervals are those of [`batches`](crate::batches). Whole runs differ as
//! well; the unit of replication is the run.

use nmax_metrics::Histogram;

/// Confidence of the intervals that reports print.
pub const CONFIDENCE: f64 = 0.95;
/// Variance n·q·(1−q) up to which ranks are exact; above it the normal form is used.
///
/// At this limit the law spans about 25,000 values, so the sum stays under a millisecond.
const EXACT_VARIANCE_MAX: f64 = 1e6;
/// Weights below this share of the largest one are left out of the sum.
const NEGLIGIBLE: f64 = 1e-25;

/// Ranks (1 = smallest) of the order statistics that enclose the quantile `q` of `n` independent values.
///
/// ```text
/// l = max{k : P(B < k) ≤ α/2},  u = min{k : P(B ≥ k) ≤ α/2},  B ~ Bin(n, q),  α = 1 − confidence
/// ```
///
/// `None` unless 1 ≤ l and u ≤ n: a finite 95 % interval of p99 needs n ≥ 368. Exact while
/// n·q·(1−q) ≤ 10⁶; above it ⌊nq − z·√(nq(1−q))⌋ and ⌈nq + z·√(nq(1−q))⌉ + 1, which agree within one rank at 95 %.
/// O(√n), at most about 25,000 steps.
///
/// Source: H. A. David, H. N. Nagaraja, *Order Statistics* (2003), section 7.1.
pub fn quantile_ranks(n: u64, q: f64, confidence: f64) -> Option<(u64, u64)> {
    let inside = |share: f64| share > 0.0 && share < 1.0;
    if n == 0 || !inside(q) || !inside(confidence) {
        return None;
    }
    let tail = (1.0 - confidence) / 2.0;
    let (low, high) = match n as f64 * q * (1.0 - q) {
        variance if variance <= EXACT_VARIANCE_MAX => Binomial::new(n, q).ranks(tail),
        variance => normal_ranks(n as f64 * q, variance.sqrt(), tail),
    };
    (low >= 1 && high <= n).then_some((low, high))
}

/// Fewest values for a finite interval of the quantile `q`: P(B < 1) and P(B ≥ n) are both at most α/2.
///
/// `None` when `q` or `confidence` is not inside (0, 1).
pub fn samples_needed(q: f64, confidence: f64) -> Option<u64> {
    let inside = |share: f64| share > 0.0 && share < 1.0;
    if !inside(q) || !inside(confidence) {
        return None;
    }
    let rarer = q.max(1.0 - q);
    let estimate = (((1.0 - confidence) / 2.0).ln() / rarer.ln()).ceil().max(1.0) as u64;
    // The logarithms round: the least n that passes is the estimate or a neighbour.
    (estimate.saturating_sub(1).max(1)..=estimate.saturating_add(1))
        .find(|n| quantile_ranks(*n, q, confidence).is_some())
}

/// The law of Bin(n, q) where it is not negligible.
struct Binomial {
    first: u64,
    /// P(B = first + i), summing to 1.
    probabilities: Vec<f64>,
}

impl Binomial {
    /// Sums outwards from the mode by the ratio of neighbours, so nothing overflows or cancels.
    fn new(n: u64, q: f64) -> Self {
        let mode = (((n + 1) as f64 * q).floor() as u64).min(n);
        let odds = q / (1.0 - q);
        let mut below = Vec::new();
        let (mut k, mut weight) = (mode, 1.0);
        while k > 0 && weight > NEGLIGIBLE {
            weight *= k as f64 / ((n - k + 1) as f64 * odds);
            k -= 1;
            below.push(weight);
        }
        let first = k;
        let mut probabilities: Vec<f64> = below.into_iter().rev().collect();
        probabilities.push(1.0);
        let (mut k, mut weight) = (mode, 1.0);
        while k < n && weight > NEGLIGIBLE {
            weight *= (n - k) as f64 * odds / (k + 1) as f64;
            k += 1;
            probabilities.push(weight);
        }
        let total: f64 = probabilities.iter().sum();
        probabilities.iter_mut().for_each(|weight| *weight /= total);
        Self { first, probabilities }
    }

    /// max{k : P(B < k) ≤ tail} and min{k : P(B ≥ k) ≤ tail}.
    fn ranks(&self, tail: f64) -> (u64, u64) {
        let fitting = |steps: &mut dyn Iterator<Item = &f64>| {
            let mut sum = 0.0;
            steps
                .take_while(|probability| {
                    sum += **probability;
                    sum <= tail
                })
                .count() as u64
        };
        let below = fitting(&mut self.probabilities.iter());
        let above = fitting(&mut self.probabilities.iter().rev());
        let past_last = self.first + self.probabilities.len() as u64;
        (self.first + below, past_last - above)
    }
}

/// The normal form; its missing skewness is (1 − 2q)·(z² − 1)/6 ranks, less than half a rank at 95 %.
fn normal_ranks(mean: f64, deviation: f64, tail: f64) -> (u64, u64) {
    let reach = normal_quantile(tail) * deviation;
    ((mean - reach).floor().max(0.0) as u64, (mean + reach).ceil() as u64 + 1)
}

/// z with P(Z > z) = `tail` for a standard normal Z and `tail` from 1e-10 to 0.5, to about 1e-9.
///
/// Newton steps on the series Φ(z) = 1/2 + φ(z)·(z + z³/3 + z⁵/(3·5) + ...), from a rational start.
/// Sources: Abramowitz and Stegun, *Handbook of Mathematical Functions* (1964), 26.2.23 and 26.2.11.
fn normal_quantile(tail: f64) -> f64 {
    let t = (-2.0 * tail.ln()).sqrt();
    let numerator = 2.515517 + t * (0.802853 + t * 0.010328);
    let mut z = t - numerator / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for _ in 0..3 {
        let density = (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt();
        let (mut term, mut sum, mut odd) = (z, z, 1.0);
        while term > 1e-17 * sum {
            odd += 2.0;
            term *= z * z / odd;
            sum += term;
        }
        z += (0.5 - density * sum - tail) / density;
    }
    z
}

/// A quantile of finished and unfinished exchanges together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuantileBounds {
    /// As if unfinished exchanges had ended at their age, ns.
    pub low_ns: u64,
    /// As if they never ended, ns; `None` is beyond every value.
    pub high_ns: Option<u64>,
}

/// Bounds of the quantile `q` when some exchanges were unfinished: `completed` latencies and `censored` ages.
///
/// The true quantile lies between the two bounds; they agree when nothing was censored. `None` when both
/// histograms are empty. O(buckets).
pub fn quantile_bounds(completed: &Histogram, censored: &Histogram, q: f64) -> Option<QuantileBounds> {
    if censored.is_empty() {
        return completed.quantile_ns(q).map(|ns| QuantileBounds { low_ns: ns, high_ns: Some(ns) });
    }
    let mut at_age = completed.clone();
    at_age.merge(censored);
    let low_ns = at_age.quantile_ns(q)?;
    let rank = (q.clamp(0.0, 1.0) * at_age.count() as f64).ceil().max(1.0) as u64;
    // Both come from the same rank; reading buckets to 0.1 % must not put the high one below the low one.
    let high_ns = completed.value_at_rank_ns(rank).map(|ns| ns.max(low_ns));
    Some(QuantileBounds { low_ns, high_ns })
}

#[cfg(test)]
mod tests;
