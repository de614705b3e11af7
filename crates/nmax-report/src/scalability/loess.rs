//! A smoother: what the points say without any law.

/// Locally weighted regression: a line through the nearest share `span` of the points, with tricube weights,
/// evaluated at each of `at`. Nothing when there are fewer than four distinct places.
///
/// Source: W. S. Cleveland, *Robust Locally Weighted Regression and Smoothing Scatterplots*, JASA 74 (1979), without
/// the robust iterations.
pub fn loess(points: &[(f64, f64)], span: f64, at: &[f64]) -> Vec<(f64, f64)> {
    let is_usable = |(x, y): &&(f64, f64)| x.is_finite() && y.is_finite();
    let mut points: Vec<(f64, f64)> = points.iter().filter(is_usable).copied().collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let distinct = 1 + points.windows(2).filter(|pair| pair[0].0 < pair[1].0).count();
    if points.is_empty() || distinct < 4 {
        return Vec::new();
    }
    let count = points.len();
    let near = ((span.clamp(0.0, 1.0) * count as f64).ceil() as usize).clamp(4.min(count), count);
    let place = |x: &f64| local_line(&points, near, *x).map(|y| (*x, y));
    at.iter().filter_map(place).collect()
}

/// The line through the `near` nearest of the sorted points, at `x`.
fn local_line(points: &[(f64, f64)], near: usize, x: f64) -> Option<f64> {
    let mut start = points.partition_point(|point| point.0 < x).saturating_sub(near);
    while start + near < points.len() && points[start + near].0 - x < x - points[start].0 {
        start += 1;
    }
    let window = &points[start..start + near];
    let reach = f64::max(x - window[0].0, window[near - 1].0 - x);
    // Replicates may fill a window; it then takes the next other place as well.
    let reach = if window[0].0 == window[near - 1].0 { next_distance(points, x, reach) } else { reach * 1.000_001 };
    let (mut weights, mut sum_x, mut sum_y) = (0.0, 0.0, 0.0);
    let weight = |at: f64| {
        let share = ((at - x).abs() / reach).min(1.0);
        (1.0 - share.powi(3)).powi(3)
    };
    for (at, y) in window {
        let w = weight(*at);
        weights += w;
        sum_x += w * at;
        sum_y += w * y;
    }
    if weights <= 0.0 {
        return None;
    }
    let (mean_x, mean_y) = (sum_x / weights, sum_y / weights);
    let (mut spread, mut product) = (0.0, 0.0);
    for (at, y) in window {
        let w = weight(*at);
        spread += w * (at - mean_x).powi(2);
        product += w * (at - mean_x) * (y - mean_y);
    }
    let slope = if spread > 1e-12 * reach * reach * weights { product / spread } else { 0.0 };
    let y = mean_y + slope * (x - mean_x);
    y.is_finite().then_some(y)
}

/// Distance to the nearest point that is farther than `reach`.
fn next_distance(points: &[(f64, f64)], x: f64, reach: f64) -> f64 {
    let distances = points.iter().map(|point| (point.0 - x).abs());
    let next = distances.filter(|distance| *distance > reach).fold(f64::INFINITY, f64::min);
    if next.is_finite() { next } else { reach.max(1.0) }
}

#[cfg(test)]
mod tests;
