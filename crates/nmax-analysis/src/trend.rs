//! Trends of a series: the Theil–Sen slope with an interval that knows of autocorrelation.

/// Blocks that a series is reduced to before its slopes are taken.
const BLOCKS_MAX: usize = 60;
/// Fewest values of a trend.
const VALUES_MIN: usize = 10;
/// z of a two-sided 95 % interval.
const Z95: f64 = 1.959_964;
/// Standard deviation of a normal law in units of its median absolute deviation.
const MAD_SCALE: f64 = 1.482_602;

/// Slope of a series with its 95 % interval, in units of the values per unit of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Trend {
    /// Theil–Sen estimate.
    pub(crate) slope: f64,
    /// Lower end of the interval.
    pub(crate) low: f64,
    /// Upper end of the interval.
    pub(crate) high: f64,
}

/// How the values of a block become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    /// By their median: single spikes do not count.
    Median,
    /// By their mean: for shares that are mostly 0.
    Mean,
}

/// The median; `None` without values. Values that are not finite are left out. O(n log n).
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n.is_multiple_of(2) => Some(sorted[middle - 1] / 2.0 + sorted[middle] / 2.0),
        _ => Some(sorted[middle]),
    }
}

/// Median absolute deviation from `center`, scaled to be the standard deviation of a normal law.
pub(crate) fn scaled_mad(values: &[f64], center: f64) -> Option<f64> {
    median(values.iter().map(|value| (value - center).abs())).map(|mad| mad * MAD_SCALE)
}

/// The trend of `series`, pairs of time and value in order of time; `None` with fewer than 10 of them.
///
/// The series is cut into at most 60 blocks, which removes most of its autocorrelation. Over the blocks
///
/// ```text
/// b = median over i < j of (y_j − y_i) / (t_j − t_i)
/// ```
///
/// and the interval is made of the slopes of rank (N ∓ z·√V)/2 of all N, with Kendall's variance V of the score,
/// corrected for ties and for what autocorrelation is left, as that of an AR(1) process:
///
/// ```text
/// V = V₀ · (1 + 2/(m(m−1)(m−2)) · Σ (m−i)(m−i−1)(m−i−2) · (6/π)·asin(ρ^i / 2))
/// ```
///
/// - m: number of blocks
/// - ρ: lag-1 correlation of the residuals, from their ranks, freed of its bias −(2 + 4ρ)/m; at least 0
///
/// O(n log n).
///
/// Sources: P. K. Sen, *Estimates of the regression coefficient based on Kendall's tau*, JASA 1968; K. H. Hamed,
/// A. R. Rao, *A modified Mann–Kendall trend test for autocorrelated data*, J. Hydrology 1998.
pub(crate) fn trend(series: &[(f64, f64)], block: Block) -> Option<Trend> {
    let blocks = blocks(series, block);
    let m = blocks.len();
    if m < VALUES_MIN {
        return None;
    }
    let mut slopes = Vec::with_capacity(m * (m - 1) / 2);
    for (later, (t_j, y_j)) in blocks.iter().enumerate() {
        let earlier = blocks[..later].iter();
        slopes.extend(earlier.filter(|(t_i, _)| t_j > t_i).map(|(t_i, y_i)| (y_j - y_i) / (t_j - t_i)));
    }
    slopes.sort_unstable_by(f64::total_cmp);
    let slope = median(slopes.iter().copied())?;
    let residuals: Vec<f64> = blocks.iter().map(|(t, y)| y - slope * t).collect();
    let values: Vec<f64> = blocks.iter().map(|(_, y)| *y).collect();
    let spread = Z95 * (score_variance(&values) * inflation(residual_correlation(&residuals), m)).sqrt();
    let low = ((slopes.len() as f64 - spread) / 2.0).floor().max(0.0) as usize;
    let high = slopes.len() - 1 - low.min(slopes.len() - 1);
    Some(Trend { slope, low: slopes[low].min(slope), high: slopes[high].max(slope) })
}

/// Neighbors joined to at most [`BLOCKS_MAX`] blocks of equal size; a last one of less than half of it is left out.
fn blocks(series: &[(f64, f64)], block: Block) -> Vec<(f64, f64)> {
    let finite: Vec<(f64, f64)> = series.iter().copied().filter(|(t, y)| t.is_finite() && y.is_finite()).collect();
    let size = finite.len().div_ceil(BLOCKS_MAX).max(1);
    let join = |part: &[(f64, f64)]| {
        let n = part.len() as f64;
        let mean = |value: fn(&(f64, f64)) -> f64| part.iter().map(value).sum::<f64>() / n;
        let value = match block {
            Block::Median => median(part.iter().map(|(_, y)| *y))?,
            Block::Mean => mean(|(_, y)| *y),
        };
        Some((mean(|(t, _)| *t), value))
    };
    let whole = finite.chunks(size).filter(|part| 2 * part.len() >= size);
    whole.filter_map(join).collect()
}

/// Variance of Kendall's score of independent values, less what ties take.
fn score_variance(values: &[f64]) -> f64 {
    let term = |n: f64| n * (n - 1.0) * (2.0 * n + 5.0) / 18.0;
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let ties: f64 = sorted.chunk_by(|a, b| a == b).map(|equal| term(equal.len() as f64)).sum();
    (term(values.len() as f64) - ties).max(0.0)
}

/// How many times larger autocorrelation makes the variance of Kendall's score.
fn inflation(correlation: f64, m: usize) -> f64 {
    let m = m as f64;
    let mut sum = 0.0;
    let mut power = 1.0;
    let mut lag = 1.0;
    while lag < m - 2.0 {
        power *= correlation;
        if power < 1e-6 {
            break;
        }
        let of_ranks = 6.0 / std::f64::consts::PI * (power / 2.0).asin();
        sum += (m - lag) * (m - lag - 1.0) * (m - lag - 2.0) * of_ranks;
        lag += 1.0;
    }
    1.0 + 2.0 / (m * (m - 1.0) * (m - 2.0)) * sum
}

/// Lag-1 correlation of residuals from a line, 0 to 0.95, freed of its bias.
fn residual_correlation(residuals: &[f64]) -> f64 {
    let m = residuals.len() as f64;
    let of_ranks = lag1(&centered_ranks(residuals));
    let plain = 2.0 * (std::f64::consts::PI / 6.0 * of_ranks).sin();
    ((plain + 2.0 / m) / (1.0 - 4.0 / m)).clamp(0.0, 0.95)
}

/// Lag-1 correlation of values with mean 0; 0 when they are all 0.
pub(crate) fn lag1(values: &[f64]) -> f64 {
    let all: f64 = values.iter().map(|value| value * value).sum();
    let next: f64 = values.iter().zip(&values[1.min(values.len())..]).map(|(a, b)| a * b).sum();
    if all > 0.0 { next / all } else { 0.0 }
}

/// The ranks of values less their mean, in place of the values; equal values share their mean rank.
pub(crate) fn centered_ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let center = (values.len() as f64 - 1.0) / 2.0;
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    for equal in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let rank = first as f64 + (equal.len() as f64 - 1.0) / 2.0 - center;
        equal.iter().for_each(|place| ranks[*place] = rank);
        first += equal.len();
    }
    ranks
}

#[cfg(test)]
mod tests;
