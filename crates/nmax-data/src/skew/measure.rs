//! Measures of inequality.

/// Gini coefficient of counts: half the mean difference of two of them, over their mean.
///
/// ```text
/// G = Σᵢ (2·i − n − 1)·xᵢ / (n·Σ xᵢ),   x sorted, i from 1
/// ```
///
/// In [0, 1): 0 when all are equal, near 1 when one has all. Each count stands for as many as its weight says, all next
/// to each other. `None` without counts. O(n log n).
///
/// Source: C. Dagum, *Gini Ratio*, The New Palgrave (1987). Law: `gini_is_half_the_mean_difference`.
pub(super) fn gini(counts: &[(u64, f64)]) -> Option<f64> {
    let mut sorted = counts.to_vec();
    sorted.sort_unstable_by_key(|(count, _)| *count);
    let n: f64 = sorted.iter().map(|(_, weight)| weight).sum();
    let total: f64 = sorted.iter().map(|(count, weight)| *count as f64 * weight).sum();
    (total > 0.0).then(|| {
        // Ranks before+1 … before+w add up to w·(before + (w + 1) / 2).
        let (_, sum) = sorted.iter().fold((0.0, 0.0), |(before, sum), (count, weight)| {
            let twice_mean_rank = 2.0 * before + weight + 1.0;
            (before + weight, sum + *count as f64 * weight * (twice_mean_rank - n - 1.0))
        });
        sum / (n * total)
    })
}

/// Exponent s of count ∝ 1 / rank^s: the slope of log count over log rank by least squares, at ranks 1, 2, 4, … so
/// that the many rare values do not outvote the few common ones. Ranks with counts below 5 are noise and left out.
///
/// `counts` fall. `None` for fewer than four such ranks. Law: `the_exponent_of_a_zipf_law_is_found`.
pub(super) fn zipf_exponent(counts: &[u64]) -> Option<f64> {
    let points: Vec<(f64, f64)> = std::iter::successors(Some(1_usize), |rank| rank.checked_mul(2))
        .map_while(|rank| Some((rank, *counts.get(rank - 1)?)))
        .take_while(|(_, count)| *count >= 5)
        .map(|(rank, count)| ((rank as f64).ln(), (count as f64).ln()))
        .collect();
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x / n, b + y / n));
    let (xy, xx) =
        points.iter().fold((0.0, 0.0), |(xy, xx), (px, py)| (xy + (px - x) * (py - y), xx + (px - x) * (px - x)));
    (points.len() >= 4).then(|| -xy / xx)
}
