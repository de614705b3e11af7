//! Least squares by damped Gauss-Newton steps over (α, β).
//!
//! For given (α, β) the best γ has a closed form, in both scales, so only two coefficients are searched: the columns of
//! the Jacobian are projected on what γ cannot explain. Steps are damped as by Levenberg and Marquardt, with the
//! damping scaled by the columns; a step into D ≤ 0 on the measured range is refused. Nothing else bounds the search.

use super::Scale;
use super::table::Table;

/// What is known of γ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Unit {
    /// It is fitted.
    Free,
    /// It is given, per second.
    Given(f64),
    /// It follows from ln X_peak, which is given (only in the log scale).
    Peak(f64),
}

/// Which of (α, β) move.
pub(crate) type Moving = [bool; 2];

/// The problem at one (α, β).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct State {
    pub(crate) alpha: f64,
    pub(crate) beta: f64,
    /// ln γ, or γ.
    pub(crate) gain: f64,
    /// Weighted sum of squares, replicates' own scatter included.
    pub(crate) rss: f64,
    /// JᵀWJ of the projected columns: (αα, αβ, ββ).
    pub(crate) normal: [f64; 3],
    /// JᵀWr of the projected columns, with J = dr/d(α, β).
    pub(crate) gradient: [f64; 2],
    /// Share of each column of dX̂/d(α, β) that γ's own column explains.
    pub(crate) explained: [f64; 2],
    /// Squared length of γ's column.
    pub(crate) gain_square: f64,
}

/// Vectors that are filled anew at each step; kept to spare their allocation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    model: Vec<f64>,
    columns: Vec<[f64; 2]>,
}

/// An optimum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Solution {
    pub(crate) state: State,
    /// Largest cosine between the residuals and a free column; 0 at an optimum.
    pub(crate) cosine: f64,
}

/// Cosine below which steps end: coefficients then move by less than 1e-8 standard errors or so.
const COSINE_DONE: f64 = 1e-8;
/// Cosine below which an optimum counts as one: coefficients lie within 1e-5 standard errors of it. Rounding keeps some
/// searches from coming nearer.
const COSINE_CONVERGED: f64 = 1e-5;
/// Steps are few; more mean that the optimum runs away.
const STEPS_MAX: usize = 200;

impl Solution {
    pub(crate) fn converged(&self) -> bool {
        self.cosine <= COSINE_CONVERGED
    }
}

/// The problem at (α, β); `None` where D ≤ 0 at a measured N or a number overflows.
pub(crate) fn evaluate(table: &Table, unit: Unit, alpha: f64, beta: f64, scratch: &mut Scratch) -> Option<State> {
    scratch.model.clear();
    scratch.columns.clear();
    let mut state = State { alpha, beta, ..State::default() };
    match table.scale {
        Scale::Log => evaluate_log(table, unit, &mut state, scratch)?,
        Scale::Linear => evaluate_linear(table, unit, &mut state, scratch)?,
    }
    state.rss += table.within;
    let finite = state.rss.is_finite() && state.normal.iter().chain(&state.gradient).all(|v| v.is_finite());
    finite.then_some(state)
}

/// r = ln(X/N) + ln D − ln γ; d ln X̂/dα = −(N−1)/D and so on; γ's column is 1.
fn evaluate_log(table: &Table, unit: Unit, state: &mut State, scratch: &mut Scratch) -> Option<()> {
    let (mut sum, mut total) = (0.0, 0.0);
    let mut means = [0.0; 2];
    for row in &table.rows {
        let d = 1.0 + state.alpha * row.u + state.beta * row.v;
        if d.is_nan() || d <= 0.0 {
            return None;
        }
        let e = row.y + d.ln();
        let column = [-row.u / d, -row.v / d];
        sum += row.w * e;
        total += row.w;
        means[0] += row.w * column[0];
        means[1] += row.w * column[1];
        scratch.model.push(e);
        scratch.columns.push(column);
    }
    (state.gain, state.explained) = match unit {
        Unit::Free => (sum / total, [means[0] / total, means[1] / total]),
        Unit::Given(gamma) => (gamma.ln(), [0.0; 2]),
        Unit::Peak(ln_peak) => gain_from_peak(ln_peak, state.alpha, state.beta)?,
    };
    state.gain_square = total;
    for (row, (e, column)) in table.rows.iter().zip(scratch.model.iter().zip(&scratch.columns)) {
        let c = [column[0] - state.explained[0], column[1] - state.explained[1]];
        accumulate(state, row.w, e - state.gain, c);
    }
    Some(())
}

/// ln γ and its slopes by −(α, β) when X_peak is held: ln γ = ln X_peak + ln S with S = α − β + 2√(β(1−α)).
fn gain_from_peak(ln_peak: f64, alpha: f64, beta: f64) -> Option<(f64, [f64; 2])> {
    let ratio = (beta / (1.0 - alpha)).sqrt();
    let s = alpha - beta + 2.0 * (beta * (1.0 - alpha)).sqrt();
    (beta > 0.0 && alpha < 1.0 && s > 0.0).then(|| (ln_peak + s.ln(), [-(1.0 - ratio) / s, -(1.0 / ratio - 1.0) / s]))
}

/// r = X − γf with f = N/D; dX̂/dα = −γf(N−1)/D and so on; γ's column is f.
fn evaluate_linear(table: &Table, unit: Unit, state: &mut State, scratch: &mut Scratch) -> Option<()> {
    let (mut along, mut square) = (0.0, 0.0);
    let mut shares = [0.0; 2];
    for row in &table.rows {
        let d = 1.0 + state.alpha * row.u + state.beta * row.v;
        if d.is_nan() || d <= 0.0 {
            return None;
        }
        let f = row.n / d;
        let column = [-f * row.u / d, -f * row.v / d];
        along += row.w * row.y * f;
        square += row.w * f * f;
        shares[0] += row.w * f * column[0];
        shares[1] += row.w * f * column[1];
        scratch.model.push(f);
        scratch.columns.push(column);
    }
    let free = match unit {
        Unit::Free => 1.0,
        Unit::Given(_) | Unit::Peak(_) => 0.0,
    };
    state.gain = match unit {
        Unit::Free => along / square,
        Unit::Given(gamma) => gamma,
        Unit::Peak(_) => return None,
    };
    let gamma = state.gain;
    let share = [free * shares[0] / square, free * shares[1] / square];
    state.explained = [gamma * share[0], gamma * share[1]];
    state.gain_square = square;
    for (row, (f, column)) in table.rows.iter().zip(scratch.model.iter().zip(&scratch.columns)) {
        let c = [gamma * (column[0] - share[0] * f), gamma * (column[1] - share[1] * f)];
        accumulate(state, row.w, row.y - gamma * f, c);
    }
    Some(())
}

/// Adds a row: `residual`, and `model` = dX̂/d(α, β), projected; dr is its negative.
fn accumulate(state: &mut State, w: f64, residual: f64, model: [f64; 2]) {
    state.rss += w * residual * residual;
    state.normal[0] += w * model[0] * model[0];
    state.normal[1] += w * model[0] * model[1];
    state.normal[2] += w * model[1] * model[1];
    state.gradient[0] -= w * model[0] * residual;
    state.gradient[1] -= w * model[1] * residual;
}

/// Steps downhill from `start` until the scaled gradient vanishes. `None` when the start itself is impossible.
pub(crate) fn minimise(
    table: &Table,
    unit: Unit,
    start: (f64, f64),
    moving: Moving,
    scratch: &mut Scratch,
) -> Option<Solution> {
    let n_hi = table.n_hi();
    if table.has_pole(start.0, start.1, n_hi) {
        return None;
    }
    let mut state = evaluate(table, unit, start.0, start.1, scratch)?;
    let mut damping = 1e-3;
    for _ in 0..STEPS_MAX {
        let cosine = cosine(table, &state, moving);
        // One step beyond the test is nearly free and makes the digits sure.
        if cosine <= 1e-3 * COSINE_DONE {
            break;
        }
        let Some((da, db)) = step(&state, moving, damping) else {
            break;
        };
        let (alpha, beta) = (state.alpha + da, state.beta + db);
        let next = if table.has_pole(alpha, beta, n_hi) { None } else { evaluate(table, unit, alpha, beta, scratch) };
        match next {
            Some(next) if better(table, &next, &state, moving) => {
                state = next;
                damping = if damping < 1e-9 { 0.0 } else { damping * 0.1 };
            }
            _ if cosine <= COSINE_DONE || damping > 1e14 => break,
            _ => damping = (damping * 8.0).max(1e-6),
        }
    }
    Some(Solution { state, cosine: cosine(table, &state, moving) })
}

/// Whether the step went downhill; where the sum of squares has no digits left to tell, by the gradient.
fn better(table: &Table, next: &State, state: &State, moving: Moving) -> bool {
    if next.rss < state.rss * (1.0 - 1e-13) {
        return true;
    }
    next.rss <= state.rss * (1.0 + 1e-13) && cosine(table, next, moving) < cosine(table, state, moving)
}

/// The Levenberg-Marquardt step; `None` when the columns say nothing.
fn step(state: &State, moving: Moving, damping: f64) -> Option<(f64, f64)> {
    let [aa, ab, bb] = state.normal;
    let (aa, bb) = (aa * (1.0 + damping), bb * (1.0 + damping));
    let [ga, gb] = state.gradient;
    let (da, db) = match moving {
        [true, true] => {
            let det = aa * bb - ab * ab;
            ((ab * gb - bb * ga) / det, (ab * ga - aa * gb) / det)
        }
        [true, false] => (-ga / aa, 0.0),
        [false, true] => (0.0, -gb / bb),
        [false, false] => (0.0, 0.0),
    };
    (da.is_finite() && db.is_finite()).then_some((da, db))
}

/// Largest cosine between residuals and a moving column; 0 where the residuals are rounding.
fn cosine(table: &Table, state: &State, moving: Moving) -> f64 {
    if state.rss <= table.floor {
        return 0.0;
    }
    let one = |moves: bool, gradient: f64, square: f64| {
        if moves && square > 0.0 { gradient.abs() / (square * state.rss).sqrt() } else { 0.0 }
    };
    one(moving[0], state.gradient[0], state.normal[0]).max(one(moving[1], state.gradient[1], state.normal[2]))
}
