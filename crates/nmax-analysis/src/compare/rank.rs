//! Two samples compared by their ranks: the shift of Hodges and Lehmann, and the test of Mann and Whitney. Neither
//! assumes a law, so one odd run moves little.

use std::collections::BTreeSet;

use super::student::{critical, two_sided};
use crate::trend::centered_ranks;

/// Values of both samples together up to which the law of the ranks is exact.
const EXACT_MAX: usize = 50;

/// How far two samples lie apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// Median of all differences of a value after and one before.
    pub estimate: f64,
    /// Lower end of the interval; -∞ when there are too few values for one.
    pub low: f64,
    /// Upper end; ∞ when there are too few values.
    pub high: f64,
    /// Probability that samples of one law are at least that far apart.
    pub p: f64,
}

/// The shift from `before` to `after`, with an interval of at least this confidence; `None` when one is empty.
///
/// ```text
/// Δ = median of y_j − x_i over all i, j;   interval = [D₍ₖ₎, D₍ₙₘ₊₁₋ₖ₎],   k = max{k : P(U < k) ≤ α/2}
/// ```
///
/// - D: the differences in ascending order
/// - U: the statistic of Mann and Whitney when both samples have one law: pairs with y > x
///
/// The test is exact up to 50 values in all, given what ties there are; above, the normal form with its corrections for
/// ties and continuity. O(nm·log nm), and O(n·(n + m)³) for the exact law.
///
/// Sources: J. L. Hodges, E. L. Lehmann, *Estimates of location based on rank tests*, Ann. Math. Statist. 1963;
/// M. Hollander, D. A. Wolfe, *Nonparametric Statistical Methods* (1999), section 4.
pub(crate) fn shift(before: &[f64], after: &[f64], confidence: f64) -> Option<Shift> {
    let mut differences: Vec<f64> = after.iter().flat_map(|y| before.iter().map(move |x| y - x)).collect();
    if differences.is_empty() || differences.iter().any(|value| !value.is_finite()) {
        return None;
    }
    differences.sort_unstable_by(f64::total_cmp);
    let count = differences.len();
    let estimate = (differences[(count - 1) / 2] + differences[count / 2]) / 2.0;
    let tail = (1.0 - confidence) / 2.0;
    let (n, m) = (before.len(), after.len());
    let twice = twice_ranks(before, after);
    let (k, p) = if n + m > EXACT_MAX {
        (normal_rank(n, m, tail), normal_probability(&twice, n))
    } else {
        let law = sums(&twice, n);
        let p = exact_probability(&law, &twice, n);
        let is_tied = twice.iter().collect::<BTreeSet<_>>().len() < n + m;
        let untied = is_tied.then(|| sums(&(1..=n + m).map(|rank| 2 * rank).collect::<Vec<_>>(), n));
        (exact_rank(untied.as_ref().unwrap_or(&law), n, m, tail), p)
    };
    let (low, high) = match k {
        0 => (f64::NEG_INFINITY, f64::INFINITY),
        k => (differences[k - 1], differences[count - k]),
    };
    Some(Shift { estimate, low, high, p })
}

/// Least two-sided probability that the exact test can give: that of samples which do not overlap.
pub(crate) fn least_probability(n: usize, m: usize) -> f64 {
    (1..=n.min(m)).fold(2.0_f64, |p, i| p * i as f64 / (n.max(m) + i) as f64).min(1.0)
}

/// max{k : P(U < k) ≤ tail}, from the law of the doubled rank sums of different values; 0 when there is none.
fn exact_rank(law: &[f64], n: usize, m: usize, tail: f64) -> usize {
    let lowest = n * (n + 1);
    let mut below = 0.0;
    let fits = |k: &usize| {
        below += law.get(lowest + 2 * k).copied().unwrap_or(0.0);
        below <= tail
    };
    (0..n * m).take_while(fits).count()
}

/// The same by the normal form.
fn normal_rank(n: usize, m: usize, tail: f64) -> usize {
    let (n, m) = (n as f64, m as f64);
    let reach = critical(2.0 * tail, f64::INFINITY) * (n * m * (n + m + 1.0) / 12.0).sqrt();
    (n * m / 2.0 - reach).floor().max(0.0) as usize
}

/// How far the doubled rank sum of the first `n` is from its mean.
fn off(twice: &[usize], n: usize) -> f64 {
    let sum: usize = twice[..n].iter().sum();
    (sum as f64 - (n * (twice.len() + 1)) as f64).abs()
}

/// Two-sided probability of ranks at least as uneven as these, from the law of their sums.
fn exact_probability(law: &[f64], twice: &[usize], n: usize) -> f64 {
    let (off, center) = (off(twice, n), (n * (twice.len() + 1)) as f64);
    let far = |(sum, _): &(usize, &f64)| (*sum as f64 - center).abs() >= off - 1e-9;
    let share: f64 = law.iter().enumerate().filter(far).map(|(_, share)| share).sum();
    share.min(1.0)
}

/// The same by the normal form, corrected for ties and continuity.
fn normal_probability(twice: &[usize], n: usize) -> f64 {
    let all = twice.len() as f64;
    let mut sorted = twice.to_vec();
    sorted.sort_unstable();
    let ties = sorted.chunk_by(|a, b| a == b).map(|equal| equal.len() as f64);
    let ties: f64 = ties.map(|t| t * t * t - t).sum();
    let variance = n as f64 * (all - n as f64) / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)));
    // Sums are of doubled ranks.
    let z = (off(twice, n) / 2.0 - 0.5).max(0.0) / variance.sqrt();
    if variance > 0.0 { two_sided(z, f64::INFINITY) } else { 1.0 }
}

/// Doubled ranks of all values, those of `before` first; equal values share their mean rank.
fn twice_ranks(before: &[f64], after: &[f64]) -> Vec<usize> {
    let all: Vec<f64> = before.iter().chain(after).copied().collect();
    let rank_0 = (all.len() + 1) as f64;
    centered_ranks(&all).into_iter().map(|rank| (2.0 * rank + rank_0) as usize).collect()
}

/// Share of the choices of `n` of these numbers that have each sum.
fn sums(numbers: &[usize], n: usize) -> Vec<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    let most: usize = sorted.iter().rev().take(n).sum();
    let mut counts = vec![vec![0.0_f64; most + 1]; n + 1];
    counts[0][0] = 1.0;
    let mut reached = 0;
    for (seen, number) in sorted.into_iter().enumerate() {
        reached = (reached + number).min(most);
        for chosen in (1..=n.min(seen + 1)).rev() {
            let (fewer, more) = counts.split_at_mut(chosen);
            let from = &fewer[chosen - 1][..=reached - number.min(reached)];
            for (count, add) in more[0][number.min(reached)..=reached].iter_mut().zip(from) {
                *count += add;
            }
        }
    }
    let law = counts.swap_remove(n);
    let all: f64 = law.iter().sum();
    law.into_iter().map(|count| count / all).collect()
}

#[cfg(test)]
mod tests;
