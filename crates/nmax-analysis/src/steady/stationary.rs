//! Statistics of stationarity: pure functions of a series at equal distances.

/// KPSS: critical value of η at 1 %, level-stationary.
///
/// Source: D. Kwiatkowski et al., *Journal of Econometrics* 54 (1992), table 1.
pub(crate) const KPSS_CRITICAL: f64 = 0.739;
/// Most values of which every pair gives a slope.
const SLOPED_MAX: usize = 100;

/// Values at the beginning of `series` that are a transient; `None` when they reach its middle.
///
/// ```text
/// d* = argmin over 0 ≤ d ≤ n/2 of (1/(n−d)²) · Σ_{i=d+1..n} (Y_i − Ȳ_{n,d})²
/// ```
///
/// - Y_1..Y_n: means of batches of five values; the result is 5·d*
/// - Ȳ_{n,d}: mean of Y_{d+1}..Y_n
///
/// `Some(0)` with fewer than four batches. O(n).
///
/// Source: K. P. White, M. J. Cobb, S. C. Spratt, *A comparison of five steady-state truncation heuristics for
/// simulation* (WSC 2000); K. Hoad, S. Robinson, R. Davies (WSC 2008).
pub(crate) fn mser5(series: &[f64]) -> Option<usize> {
    let batches: Vec<f64> = series.chunks_exact(5).map(mean).collect();
    let n = batches.len();
    if n < 4 {
        return Some(0);
    }
    // Shifted by the mean, so that sums of squares do not cancel.
    let shift = mean(&batches);
    let (mut sum, mut squares) = (0.0, 0.0);
    let (mut best, mut cut) = (f64::INFINITY, 0);
    for (d, value) in batches.iter().enumerate().rev() {
        let value = value - shift;
        sum += value;
        squares += value * value;
        let left = (n - d) as f64;
        let statistic = (squares - sum * sum / left).max(0.0) / (left * left);
        // From the back, so of equal ones the shortest transient is taken.
        if d <= n / 2 && statistic <= best {
            (best, cut) = (statistic, d);
        }
    }
    (cut < n / 2).then_some(5 * cut)
}

/// Change over the whole series, of its median, with its sign.
///
/// ```text
/// drift = b·n / median(y),   b = median_{i<j} (y_j − y_i)/(j − i)
/// ```
///
/// b is the Theil–Sen slope. Of more than 100 values, means of blocks are taken. `None` below two values and where
/// the median is not above 0. O(min(n, 100)²).
///
/// Source: P. K. Sen, *JASA* 63 (1968).
pub(crate) fn drift(series: &[f64]) -> Option<f64> {
    let middle = median(series.to_vec())?;
    let block = series.len().div_ceil(SLOPED_MAX).max(1);
    let blocks: Vec<f64> = series.chunks_exact(block).map(mean).collect();
    let mut slopes = Vec::with_capacity(blocks.len() * blocks.len().saturating_sub(1) / 2);
    for (i, early) in blocks.iter().enumerate() {
        let later = blocks.iter().enumerate().skip(i + 1);
        slopes.extend(later.map(|(j, late)| (late - early) / (j - i) as f64));
    }
    let slope = median(slopes)? / block as f64;
    (middle > 0.0).then(|| slope * series.len() as f64 / middle)
}

/// KPSS statistic η of a series against a constant level.
///
/// ```text
/// e_t = y_t − ȳ,   S_t = Σ_{i≤t} e_i,   γ_j = (1/n) Σ_{t>j} e_t e_{t−j}
/// σ̂² = γ_0 + 2 Σ_{j=1..l} (1 − j/(l+1)) γ_j,   l = min(⌊12(n/100)^¼⌋, ⌊n/15⌋)
/// η = Σ S_t² / (n² σ̂²)
/// ```
///
/// Without the second term of l, η of a straight line is below its critical value for n < 90, whatever its
/// slope: the lags take the trend for noise. `None` below 20 values. A constant series has η = 0. O(n·l).
///
/// Source: D. Kwiatkowski et al., *Journal of Econometrics* 54 (1992), eq. 10 to 13.
pub(crate) fn kpss(series: &[f64]) -> Option<f64> {
    let n = series.len();
    if n < 20 {
        return None;
    }
    let lags = ((12.0 * (n as f64 / 100.0).powf(0.25)) as usize).min(n / 15);
    kpss_with(series, lags)
}

/// The same with a given number of lags.
pub(super) fn kpss_with(series: &[f64], lags: usize) -> Option<f64> {
    let n = series.len() as f64;
    let middle = mean(series);
    let rest: Vec<f64> = series.iter().map(|value| value - middle).collect();
    let covariance = |lag: usize| rest[lag..].iter().zip(&rest).map(|(a, b)| a * b).sum::<f64>() / n;
    let own = covariance(0);
    // What rounding leaves of a constant is no noise.
    if own <= (1e-12 * middle).powi(2) {
        return Some(0.0);
    }
    let weighted = (1..=lags.min(rest.len() - 1)).map(|lag| (1.0 - lag as f64 / (lags + 1) as f64) * covariance(lag));
    let variance = own + 2.0 * weighted.sum::<f64>();
    let (mut sum, mut squares) = (0.0, 0.0);
    for value in &rest {
        sum += value;
        squares += sum * sum;
    }
    (variance > 0.0).then(|| squares / (n * n * variance))
}

/// ADF statistic t(φ̂) with constant and k = ⌊(n−1)^⅓⌋ lagged differences.
///
/// ```text
/// Δy_t = c + φ·y_{t−1} + Σ_{i=1..k} δ_i Δy_{t−i} + ε_t
/// ```
///
/// Below −3.43 a unit root is rejected at 1 %. `None` when n < 20 or the equations have no solution, as for a
/// constant. O(n·k²).
///
/// Source: D. A. Dickey, W. A. Fuller, *JASA* 74 (1979); lags as in A. Trapletti, R package `tseries`.
pub(crate) fn adf(series: &[f64]) -> Option<f64> {
    let n = series.len();
    if n < 20 {
        return None;
    }
    adf_with(series, ((n - 1) as f64).cbrt() as usize)
}

/// The same with a given number of lags.
pub(super) fn adf_with(series: &[f64], lags: usize) -> Option<f64> {
    // The statistic does not change with place and scale; the equations are better off without them.
    let (place, scale) = (mean(series), deviation(series)?);
    let level: Vec<f64> = series.iter().map(|value| (value - place) / scale).collect();
    let steps: Vec<f64> = level.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let rows = (lags..steps.len()).map(|t| {
        let mut row = vec![level[t], 1.0];
        row.extend((1..=lags).map(|lag| steps[t - lag]));
        (row, steps[t])
    });
    let rows: Vec<(Vec<f64>, f64)> = rows.collect();
    let (size, free) = (lags + 2, rows.len().checked_sub(lags + 3)? + 1);
    let mut normal = vec![vec![0.0; size]; size];
    let mut right = vec![0.0; size];
    for (row, step) in &rows {
        for (i, a) in row.iter().enumerate() {
            right[i] += a * step;
            for (j, b) in row.iter().enumerate() {
                normal[i][j] += a * b;
            }
        }
    }
    let estimate = solve(&normal, &right)?;
    let mut unit = vec![0.0; size];
    unit[0] = 1.0;
    let variance_share = solve(&normal, &unit)?[0];
    let error = |(row, step): &(Vec<f64>, f64)| step - row.iter().zip(&estimate).map(|(x, b)| x * b).sum::<f64>();
    let squares: f64 = rows.iter().map(|row| error(row).powi(2)).sum();
    let error = (squares / free as f64 * variance_share).sqrt();
    (error > 1e-12).then(|| estimate[0] / error)
}

/// Gauss elimination with pivots; `None` for a singular matrix.
fn solve(matrix: &[Vec<f64>], right: &[f64]) -> Option<Vec<f64>> {
    let n = right.len();
    let mut rows: Vec<Vec<f64>> =
        matrix.iter().zip(right).map(|(row, value)| row.iter().chain([value]).copied().collect()).collect();
    for column in 0..n {
        let pivot = (column..n).max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()))?;
        rows.swap(column, pivot);
        let (above, below) = rows.split_at_mut(column + 1);
        let first = &above[column];
        if first[column].abs() < 1e-10 {
            return None;
        }
        for row in below {
            let factor = row[column] / first[column];
            row.iter_mut().zip(first).skip(column).for_each(|(x, y)| *x -= factor * y);
        }
    }
    let mut solution = vec![0.0; n];
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| rows[i][j] * solution[j]).sum();
        solution[i] = (rows[i][n] - known) / rows[i][i];
    }
    Some(solution)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Root of the mean square distance from the mean; `None` for what is constant but for rounding.
fn deviation(values: &[f64]) -> Option<f64> {
    let middle = mean(values);
    let squares = values.iter().map(|value| (value - middle).powi(2)).sum::<f64>();
    let deviation = (squares / values.len().max(1) as f64).sqrt();
    (deviation > 1e-12 * middle.abs()).then_some(deviation)
}

/// The middle value, or the mean of the two; O(n).
fn median(mut values: Vec<f64>) -> Option<f64> {
    let n = values.len();
    if n == 0 {
        return None;
    }
    let (below, upper, _) = values.select_nth_unstable_by(n / 2, f64::total_cmp);
    let upper = *upper;
    match n % 2 {
        1 => Some(upper),
        _ => below.iter().copied().max_by(f64::total_cmp).map(|lower| (lower + upper) / 2.0),
    }
}
