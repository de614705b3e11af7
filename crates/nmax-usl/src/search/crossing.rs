//! Where a noisy, rising curve crosses 0, with an interval.

#[cfg(test)]
mod tests;

use crate::quantile::student_t;

/// How far from the crossing its ends are looked for, as a distance of the argument.
const REACH: f64 = 0.7;
/// Steps to either side in that distance.
const STEPS: usize = 2000;

/// The crossing of y(u) with 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Crossing {
    /// Its place.
    pub(super) at: f64,
    /// Ends of the 95 % interval; `None` where the data leave one open.
    pub(super) low: Option<f64>,
    /// Upper end.
    pub(super) high: Option<f64>,
}

/// Fits y = b₀ + b₁u (+ b₂u² with three different u and seven runs) by least squares, and finds where it
/// crosses 0 on its rise.
///
/// The interval holds every u at which 0 lies in the 95 % interval of the fitted mean: |ŷ(u)| ≤ t(.975, n−k)·se(ŷ(u)).
/// It is exact for normal noise around a curve of that form, also where the slope is uncertain.
///
/// Source: E. C. Fieller, *Some problems in interval estimation*, 1954. `None` with fewer than two different u, or when
/// nothing crosses within reach of them. O(n).
pub(super) fn crossing(points: &[(f64, f64)]) -> Option<Crossing> {
    let count = points.len();
    let mut places: Vec<f64> = points.iter().map(|&(u, _)| u).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let (first, last) = (*places.first()?, *places.last()?);
    if places.len() < 2 {
        return None;
    }
    let terms = if places.len() >= 3 && count >= 7 { 3 } else { 2 };
    let middle = (first + last) / 2.0;
    let scale = (last - first) / 2.0;
    let basis = |u: f64| {
        let v = (u - middle) / scale;
        [1.0, v, if terms == 3 { v * v } else { 0.0 }]
    };
    let fit = Fit::least_squares(points.iter().map(|&(u, y)| (basis(u), y)), terms)?;
    // Only the rising part counts: a parabola crosses twice.
    let step = REACH / STEPS as f64;
    let rises = |u: f64| fit.mean(basis(u + step)) > fit.mean(basis(u));
    let crosses = |u: f64| fit.mean(basis(u)) <= 0.0 && fit.mean(basis(u + step)) > 0.0 && rises(u);
    let steps = (((last - first) + 2.0 * REACH) / step).ceil() as usize;
    let from = (0..steps).map(|index| first - REACH + index as f64 * step).find(|&u| crosses(u))?;
    let (y0, y1) = (fit.mean(basis(from)), fit.mean(basis(from + step)));
    let at = from - y0 / (y1 - y0) * step;
    let degrees = count.saturating_sub(terms);
    if degrees == 0 {
        return Some(Crossing { at, low: None, high: None });
    }
    let t = student_t(0.975, degrees as f64);
    let variance = fit.rss / degrees as f64;
    let outside = |u: f64| fit.mean(basis(u)).abs() > t * (variance * fit.leverage(basis(u))).sqrt();
    let end = |sign: f64| {
        // Fine steps near the crossing, coarser ones further out.
        let places = (0..STEPS).map(|index| at + sign * REACH * (index as f64 / STEPS as f64).powi(2));
        places.into_iter().find(|&u| outside(u) && (fit.mean(basis(u)) > 0.0) == (sign > 0.0))
    };
    Some(Crossing { at, low: end(-1.0), high: end(1.0) })
}

/// Least squares with up to three terms.
struct Fit {
    coefficients: [f64; 3],
    inverse: [[f64; 3]; 3],
    rss: f64,
}

impl Fit {
    fn least_squares(points: impl Iterator<Item = ([f64; 3], f64)> + Clone, terms: usize) -> Option<Self> {
        let mut normal = [[0.0; 3]; 3];
        let mut right = [0.0; 3];
        for (x, y) in points.clone() {
            for i in 0..terms {
                right[i] += x[i] * y;
                for j in 0..terms {
                    normal[i][j] += x[i] * x[j];
                }
            }
        }
        // A term that is left out stays at 0.
        (terms..3).for_each(|i| normal[i][i] = 1.0);
        let inverse = invert(&normal)?;
        let coefficients = [0, 1, 2].map(|i| (0..3).map(|j| inverse[i][j] * right[j]).sum());
        let mut fit = Self { coefficients, inverse, rss: 0.0 };
        fit.rss = points.map(|(x, y)| (y - fit.mean(x)).powi(2)).sum();
        Some(fit)
    }

    fn mean(&self, x: [f64; 3]) -> f64 {
        (0..3).map(|i| self.coefficients[i] * x[i]).sum()
    }

    fn leverage(&self, x: [f64; 3]) -> f64 {
        (0..3).map(|i| (0..3).map(|j| x[i] * self.inverse[i][j] * x[j]).sum::<f64>()).sum()
    }
}

fn invert(m: &[[f64; 3]; 3]) -> Option<[[f64; 3]; 3]> {
    let cofactor = |i: usize, j: usize| {
        let (a, b) = ((i + 1) % 3, (i + 2) % 3);
        let (c, d) = ((j + 1) % 3, (j + 2) % 3);
        m[a][c] * m[b][d] - m[a][d] * m[b][c]
    };
    let determinant: f64 = (0..3).map(|j| m[0][j] * cofactor(0, j)).sum();
    (determinant.abs() > 1e-12).then(|| [0, 1, 2].map(|i| [0, 1, 2].map(|j| cofactor(j, i) / determinant)))
}
