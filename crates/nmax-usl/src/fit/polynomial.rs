//! Fits of transformed data by linear least squares: quick, not iterative, and weighting the points in a way of their
//! own. They are here because published coefficients were made with them, and as starting points.

use super::solve::Unit;
use super::table::Table;
use crate::linear::Orthogonal;

/// Least squares of y on two or three columns. `None` when the columns depend on each other.
fn least_squares<const K: usize>(columns: [Vec<f64>; K], y: Vec<f64>) -> Option<[f64; K]> {
    let solution = Orthogonal::new(columns.into()).ok()?.solve(y);
    solution.iter().all(|v| v.is_finite()).then(|| solution.try_into().ok())?
}

/// (α, β, γ) by a quadratic in N/X.
///
/// ```text
/// N/X = c + b·(N−1) + a·(N−1)²:  γ = 1/c, β = a/c, α = (b−a)/c
/// ```
///
/// Needs three different N.
pub(crate) fn poly3(table: &Table) -> Option<(f64, f64, f64)> {
    let span = (table.n_hi() - 1.0).max(1.0);
    let root = |w: f64| w.sqrt();
    let columns = [0, 1, 2].map(|power| table.rows.iter().map(|r| root(r.w) * (r.u / span).powi(power)).collect());
    let y = table.rows.iter().map(|r| root(r.w) * r.cost).collect();
    let [c, b, a] = least_squares(columns, y)?;
    let (b, a) = (b / span, a / (span * span));
    let law = ((b - a) / c, a / c, 1.0 / c);
    (c > 0.0 && law.2.is_finite()).then_some(law)
}

/// (α, β) with γ = X(1), by a quadratic through the origin.
///
/// ```text
/// C = X/X(1),  N/C − 1 = b·(N−1) + a·(N−1)²:  β = a, α = b − a
/// ```
///
/// Source: N. J. Gunther, *Guerrilla Capacity Planning* (2007), ch. 5. Needs two different N besides 1.
pub(crate) fn poly2(table: &Table, unit: f64) -> Option<(f64, f64)> {
    let span = (table.n_hi() - 1.0).max(1.0);
    let columns = [1, 2].map(|power| table.rows.iter().map(|r| r.w.sqrt() * (r.u / span).powi(power)).collect());
    let y = table.rows.iter().map(|r| r.w.sqrt() * (unit * r.cost - 1.0)).collect();
    let [b, a] = least_squares(columns, y)?;
    let (b, a) = (b / span, a / (span * span));
    Some((b - a, a))
}

/// Where to begin the search: the quadratics, a grid, and points that fit the range of N.
pub(crate) fn starts(table: &Table, unit: Unit) -> Vec<(f64, f64)> {
    let n_hi = table.n_hi();
    let mut starts: Vec<(f64, f64)> = poly3(table).map(|(alpha, beta, _)| (alpha, beta)).into_iter().collect();
    if let Unit::Given(gamma) = unit {
        starts.extend(poly2(table, gamma));
    }
    for alpha in [0.0, 0.01, 0.1, 0.4] {
        for beta in [1e-8, 1e-4, 1e-2] {
            starts.push((alpha, beta));
        }
    }
    for alpha in [0.0, 1.0 / n_hi] {
        for beta in [0.0, 0.3 / (n_hi * n_hi), 3.0 / (n_hi * n_hi)] {
            starts.push((alpha, beta));
        }
    }
    starts
}
