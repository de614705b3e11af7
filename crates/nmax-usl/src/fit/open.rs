//! The law from open-loop data: X is set, R is observed, and N is neither.
//!
//! N = X·(R+Z) would carry the error of R onto both axes, and X on N would then fit the error as well. So R is fitted
//! on X, through the rising branch of the law: R̂(X) = N_low(X)/X − Z.

use super::interval::{Assembly, assemble_from};
use super::{Fit, FitError, Method, Regression, Scale, fit};
use crate::law::Usl;
use crate::observation::Observation;

/// (α, β, ln γ).
type Point = [f64; 3];

/// Largest cosine between residuals and a column at an optimum.
const COSINE_DONE: f64 = 1e-8;

/// Above this many runs the starts are tried on a part of them first.
const ROWS_FULL: usize = 512;

/// One run, ready.
#[derive(Clone, Copy)]
struct Row {
    x: f64,
    ln_r: f64,
    w: f64,
}

struct Problem {
    rows: Vec<Row>,
    think_s: f64,
    /// Largest N that was present by Little's law.
    n_hi: f64,
    x_max: f64,
}

/// The problem at one point: sum of squares, JᵀWJ and JᵀWr with J = d ln R̂/d(α, β, ln γ).
struct State {
    at: Point,
    rss: f64,
    normal: [[f64; 3]; 3],
    gradient: [f64; 3],
}

/// Fits the law to runs with a set throughput X (per second) and an observed mean response time R (seconds), with think
/// time `think_s`; the observations' N is not read.
///
/// ```text
/// min Σ w(ln R − ln(N_low(X)/X − Z))²
/// dN/dα = X(N−1)/(γ − X·D′),  dN/dβ = X·N(N−1)/(γ − X·D′),  dN/d ln γ = −γN/(γ − X·D′),  D′ = α − β + 2βN
/// ```
///
/// Every X must lie below the law's peak, since no open load above it is ever steady; data that press against the peak
/// have no optimum ([`FitError::AtPeak`]). Every run needs an R with X(R+Z) ≥ 1: the law begins at N = 1. Law:
/// `open_loop_points_of_a_law_are_the_law`.
pub fn fit_open(observations: &[Observation], think_s: f64) -> Result<Fit, FitError> {
    let (problem, by_little) = Problem::new(observations, think_s)?;
    let starts = problem.starts(&by_little);
    let starts = match problem.thinned(ROWS_FULL) {
        // Of very many runs a part tells where to begin.
        Some(part) => {
            let ends = starts.iter().filter_map(|start| part.descend(*start));
            let best = ends.min_by(|(a, _), (b, _)| a.rss.total_cmp(&b.rss));
            let best = best.map(|(state, _)| state.at);
            best.into_iter().chain(starts.first().copied()).collect()
        }
        None => starts,
    };
    let mut best: Option<(State, f64)> = None;
    let mut pressed = false;
    for start in starts {
        let Some((state, cosine)) = problem.descend(start) else {
            continue;
        };
        let law = law_of(state.at);
        pressed |= law.peak_throughput().is_some_and(|most| most < problem.x_max * (1.0 + 1e-3));
        if cosine > 1e3 * COSINE_DONE || law.has_pole(2.0 * problem.n_hi) {
            continue;
        }
        if best.as_ref().is_none_or(|(b, _)| state.rss < b.rss) {
            best = Some((state, cosine));
        }
    }
    let at_peak = FitError::AtPeak { most: problem.x_max };
    let (state, cosine) = best.ok_or(if pressed { at_peak } else { FitError::NotConverged })?;
    Ok(assemble_from(
        &by_little,
        Assembly {
            method: Method::Log,
            regression: Regression::ResponseTime,
            scale: Scale::Log,
            law: law_of(state.at),
            rss: state.rss,
            inverse: inverse(&state.normal),
            converged: cosine <= COSINE_DONE,
            at_bound: Vec::new(),
        },
    ))
}

fn law_of([contention, coherency, ln_gamma]: Point) -> Usl {
    Usl { contention, coherency, unit_throughput: ln_gamma.exp() }
}

impl Problem {
    /// Checks the runs; with them as closed observations at N = X(R+Z), where the search begins.
    fn new(observations: &[Observation], think_s: f64) -> Result<(Self, Vec<Observation>), FitError> {
        let mut by_little = Vec::with_capacity(observations.len());
        for o in observations {
            let r_s = o.r_s.unwrap_or(f64::NAN);
            if !(r_s > 0.0 && r_s < 1e100) {
                return Err(FitError::UnusableValue { row: o.row, what: "R", found: r_s });
            }
            by_little.push(Observation { n: o.x * (r_s + think_s), ..o.clone() });
        }
        super::table::check(&by_little)?;
        let mut set: Vec<u64> = by_little.iter().map(|o| o.x.to_bits()).collect();
        set.sort_unstable();
        set.dedup();
        if set.len() < 3 {
            return Err(FitError::TooFewConcurrencies { found: set.len(), needed: 3 });
        }
        let weight_mean = by_little.iter().map(|o| o.weight).sum::<f64>() / by_little.len() as f64;
        let row = |o: &Observation| Row { x: o.x, ln_r: o.r_s.unwrap_or(1.0).ln(), w: o.weight / weight_mean };
        let largest = |of: fn(&Observation) -> f64| by_little.iter().map(of).fold(0.0, f64::max);
        let (n_hi, x_max) = (largest(|o| o.n), largest(|o| o.x));
        Ok((Self { rows: by_little.iter().map(row).collect(), think_s, n_hi, x_max }, by_little))
    }

    /// Every few runs of many, in the order of X, the last among them, since no X may lie above the peak; `None` of few.
    fn thinned(&self, most: usize) -> Option<Self> {
        if self.rows.len() <= most {
            return None;
        }
        let mut rows = self.rows.clone();
        rows.sort_by(|a, b| a.x.total_cmp(&b.x));
        let last = rows.last().copied();
        let stride = rows.len().div_ceil(most / 2);
        let rows = rows.into_iter().step_by(stride).chain(last).collect();
        Some(Self { rows, ..*self })
    }

    /// Points with every X below their peak: the closed fit at N = X(R+Z), and a grid.
    fn starts(&self, by_little: &[Observation]) -> Vec<Point> {
        let mut plane: Vec<(f64, f64)> =
            fit(by_little, Method::Log).iter().map(|f| (f.law.contention, f.law.coherency)).collect();
        for alpha in [0.0, 0.01, 0.1, 0.4] {
            plane.extend([1e-8, 1e-4, 1e-2].map(|beta| (alpha, beta)));
            plane.push((alpha, 0.3 / (self.n_hi * self.n_hi)));
        }
        let reach = |(alpha, beta): (f64, f64)| {
            let unit = Usl { contention: alpha, coherency: beta, unit_throughput: 1.0 };
            let most = unit.peak_throughput().or(unit.roof());
            // γ from N̂ = X(R+Z) on average, raised until the largest X lies 5 % below the peak.
            let terms = by_little.iter().map(|o| o.x.ln() - o.n.ln() + unit.denominator_at(o.n).ln());
            let ln_gamma = terms.sum::<f64>() / by_little.len() as f64;
            let least = most.map_or(f64::NEG_INFINITY, |most| (1.05 * self.x_max / most).ln());
            [alpha, beta, ln_gamma.max(least)]
        };
        plane.into_iter().map(reach).filter(|p| p.iter().all(|v| v.is_finite())).collect()
    }

    /// The problem at `at`; `None` where some X is above the peak.
    fn evaluate(&self, at: Point) -> Option<State> {
        let law = law_of(at);
        let mut state = State { at, rss: 0.0, normal: [[0.0; 3]; 3], gradient: [0.0; 3] };
        for row in &self.rows {
            let n = law.rising_root(row.x)?;
            let gap = law.unit_throughput - row.x * (law.contention - law.coherency + 2.0 * law.coherency * n);
            let r_s = n / row.x - self.think_s;
            if !(n > 0.0 && gap > 0.0 && r_s > 0.0) {
                return None;
            }
            let residual = row.ln_r - r_s.ln();
            // d ln R̂ = dN/(X·R̂).
            let by = 1.0 / (row.x * r_s * gap);
            let column = [row.x * (n - 1.0) * by, row.x * n * (n - 1.0) * by, -law.unit_throughput * n * by];
            state.rss += row.w * residual * residual;
            for i in 0..3 {
                state.gradient[i] += row.w * column[i] * residual;
                for j in 0..3 {
                    state.normal[i][j] += row.w * column[i] * column[j];
                }
            }
        }
        let finite = state.rss.is_finite() && state.normal.iter().flatten().all(|v| v.is_finite());
        finite.then_some(state)
    }

    /// Damped Gauss-Newton steps from `start`; the cosine tells how good the end is.
    fn descend(&self, start: Point) -> Option<(State, f64)> {
        let mut state = self.evaluate(start)?;
        let floor = self.rows.len() as f64 * 1e-27;
        let cosine = |s: &State| {
            if s.rss <= floor {
                return 0.0;
            }
            (0..3).map(|i| s.gradient[i].abs() / (s.normal[i][i] * s.rss).sqrt()).fold(0.0, f64::max)
        };
        let mut damping = 1e-3;
        for _ in 0..200 {
            let before = cosine(&state);
            if before <= 1e-2 * COSINE_DONE || damping > 1e14 {
                break;
            }
            let mut damped = state.normal;
            for (i, row) in damped.iter_mut().enumerate() {
                row[i] *= 1.0 + damping;
            }
            let next = inverse(&damped).and_then(|inverse| {
                let step = |i: usize| (0..3).map(|j| inverse[i][j] * state.gradient[j]).sum::<f64>();
                self.evaluate([state.at[0] + step(0), state.at[1] + step(1), state.at[2] + step(2)])
            });
            match next {
                Some(next)
                    if next.rss < state.rss * (1.0 - 1e-13)
                        || (next.rss <= state.rss * (1.0 + 1e-13) && cosine(&next) < before) =>
                {
                    state = next;
                    damping *= 0.1;
                }
                _ if before <= COSINE_DONE => break,
                _ => damping = (damping * 8.0).max(1e-6),
            }
        }
        let end = cosine(&state);
        Some((state, end))
    }
}

/// Inverse of a symmetric positive matrix, scaled to a unit diagonal first; `None` where it has none.
fn inverse(m: &[[f64; 3]; 3]) -> Option<[[f64; 3]; 3]> {
    let scale = [m[0][0].sqrt(), m[1][1].sqrt(), m[2][2].sqrt()];
    let unit = |i: usize, j: usize| m[i][j] / (scale[i] * scale[j]);
    // Cofactors of a 3×3 matrix, indices taken around.
    let cofactor = |i: usize, j: usize| {
        let (a, b, c, d) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        unit(a, c) * unit(b, d) - unit(a, d) * unit(b, c)
    };
    let det: f64 = (0..3).map(|j| unit(0, j) * cofactor(0, j)).sum();
    let mut inverse = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            inverse[i][j] = cofactor(i, j) / (det * scale[i] * scale[j]);
        }
    }
    (det > 0.0 && inverse.iter().flatten().all(|v| v.is_finite())).then_some(inverse)
}
