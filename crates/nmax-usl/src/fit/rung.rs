//! The rungs of the ladder, each fitted by relative errors.

use super::search::bounded;
use super::solve::{Scratch, Unit, evaluate};
use super::table::{Shape, Table};
use super::{Bounds, FitError, Scale};
use crate::law::Usl;
use crate::model::{Curve, Model};
use crate::observation::Observation;

/// The law and Amdahl's law hold α and β at 0 or above: with a growing throughput below that, the rung is another.
const NOT_NEGATIVE: Bounds = Bounds { contention: (0.0, f64::INFINITY), coherency: (0.0, f64::INFINITY) };
const AMDAHL: Bounds = Bounds { contention: (0.0, 1.0), coherency: (0.0, 0.0) };
const LN: Bounds = Bounds { contention: (-1.0, f64::INFINITY), coherency: (0.0, f64::INFINITY) };

/// Fits `model` by relative errors and gives its curve with the weighted residual sum of squares of ln X, for the ladder
/// of models.
///
/// Limits, as in the ladder's definition: 0 ≤ α ≤ 1 for Amdahl, α, β ≥ 0 for the law, α ≥ −1, β ≥ 0 for the
/// ln-variant. A law whose β is 0 here is Amdahl's.
pub fn fit_model(observations: &[Observation], model: Model) -> Result<(Curve, f64), FitError> {
    let shape = if model == Model::Ln { Shape::Log } else { Shape::Square };
    let table = Table::new(observations, Scale::Log, shape)?;
    let (found, needed) = (table.rows.len(), model.coefficients());
    if found < needed {
        return Err(FitError::TooFewConcurrencies { found, needed });
    }
    let mut scratch = Scratch::default();
    let within = |bounds: &Bounds, scratch: &mut Scratch| -> Result<(f64, f64, f64, f64), FitError> {
        let state = bounded(&table, Unit::Free, bounds, scratch)?.solution.state;
        Ok((state.alpha, state.beta, state.gain.exp(), state.rss))
    };
    Ok(match model {
        Model::Linear => {
            let state = evaluate(&table, Unit::Free, 0.0, 0.0, &mut scratch).ok_or(FitError::NotConverged)?;
            (Curve::Linear { unit_throughput: state.gain.exp() }, state.rss)
        }
        Model::Amdahl => {
            let (contention, _, unit_throughput, rss) = within(&AMDAHL, &mut scratch)?;
            (Curve::Amdahl { contention, unit_throughput }, rss)
        }
        Model::Usl => {
            let (contention, coherency, unit_throughput, rss) = within(&NOT_NEGATIVE, &mut scratch)?;
            (Curve::Usl(Usl { contention, coherency, unit_throughput }), rss)
        }
        Model::Ln => {
            let (contention, coherency, unit_throughput, rss) = within(&LN, &mut scratch)?;
            (Curve::Ln { contention, coherency, unit_throughput }, rss)
        }
        Model::Knee => knee(&table),
    })
}

/// min(γN, X_cap) with the least sum of squares of ln X.
///
/// For each cut of the points into "on the line" and "at the cap" both levels are means; where the levels contradict
/// the cut, the best lies at its edge, with the bend exactly at a measured N. Both kinds are tried for every cut.
/// O(different N).
fn knee(table: &Table) -> (Curve, f64) {
    let rows = &table.rows;
    // Sums over the first rows of w, w·y and w·y², for y = ln(X/N) (the line) and for y = ln X (the cap).
    let mut line = vec![[0.0; 3]];
    let mut cap = vec![[0.0; 3]];
    let base = rows.first().map_or(0.0, |r| r.y);
    let add = |sums: &mut Vec<[f64; 3]>, w: f64, y: f64| {
        let last = sums[sums.len() - 1];
        sums.push([last[0] + w, last[1] + w * y, last[2] + w * y * y]);
    };
    for row in rows {
        add(&mut line, row.w, row.y - base);
        add(&mut cap, row.w, row.y - base + row.n.ln());
    }
    let spread = |s: [f64; 3]| if s[0] > 0.0 { s[2] - s[1] * s[1] / s[0] } else { 0.0 };
    let minus = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let all = rows.len();
    let mut best = (f64::INFINITY, 0.0, 0.0);
    for cut in 1..=all {
        let (left, right) = (line[cut], minus(cap[all], cap[cut]));
        let here = rows[cut - 1].n.ln();
        if cut < all {
            let (gamma, top) = (left[1] / left[0], right[1] / right[0]);
            let bend = top - gamma;
            if bend >= here && bend <= rows[cut].n.ln() {
                best = lower(best, (spread(left) + spread(right), gamma, top));
            }
        }
        // Bend at this N: one level for both parts, the cap's moved by ln N.
        let moved = [right[0], right[1] - right[0] * here, right[2] - 2.0 * here * right[1] + here * here * right[0]];
        let joint = [left[0] + moved[0], left[1] + moved[1], left[2] + moved[2]];
        let gamma = joint[1] / joint[0];
        best = lower(best, (spread(joint), gamma, gamma + here));
    }
    let (_, gamma, top) = best;
    // The sums choose the bend; the sum of squares itself is taken anew, with all its digits.
    let residual = |row: &super::table::Row| row.y - base + row.n.ln() - (gamma + row.n.ln()).min(top);
    let rss = table.within + rows.iter().map(|row| row.w * residual(row).powi(2)).sum::<f64>();
    (Curve::Knee { unit_throughput: (gamma + base).exp(), cap: (top + base).exp() }, rss)
}

fn lower(a: (f64, f64, f64), b: (f64, f64, f64)) -> (f64, f64, f64) {
    if b.0 < a.0 { b } else { a }
}
