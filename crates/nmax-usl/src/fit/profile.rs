//! Intervals by profile likelihood, where those from the covariance are too simple.
//!
//! The interval of a value holds every θ for which the best sum of squares with θ held is at most
//! RSS·(1 + t²/(n−k)). It does not pretend to symmetry: N_peak of data that hardly bend may have no upper end.
//!
//! Used by `log` for α and β when their interval holds 0, and for the peak when the interval of N_peak spans more than
//! a factor 1.2.

use super::solve::{Scratch, State, Unit, evaluate};
use super::table::Table;
use super::{Estimate, Fit};

/// Span of N_peak's interval from which on it is profiled. N_peak is skewed: above this the symmetric interval of ln N_peak
/// misses three times as often on one side as on the other. A limit of 2 let the two kinds of misses add up: 92.8 % were
/// held instead of 95 % in one simulated design. `designs_that_reach_twice_the_peak` watches over it.
const SPAN_MAX: f64 = 1.2;
/// How often an end is looked for at twice the distance before it counts as missing.
const DOUBLINGS_MAX: usize = 30;

/// How far the first end lies at most, in ln of the value.
const REACH_MAX: f64 = 0.5;

/// A line in the plane of (α, β): a point and a direction.
type Line = ((f64, f64), (f64, f64));

/// Replaces the intervals that need it, and says which.
pub(crate) fn refine(fit: &mut Fit, table: &Table) {
    let Some(t) = fit.quantile else { return };
    let target = fit.rss * (1.0 + t * t / fit.degrees() as f64);
    if fit.rss <= table.floor {
        return;
    }
    let mut scratch = Scratch::default();
    let (alpha, beta) = (fit.law.contention, fit.law.coherency);
    let holds_zero = |e: &Estimate| e.low.is_some_and(|low| low <= 0.0) && e.high.is_some_and(|high| high >= 0.0);
    if holds_zero(&fit.contention) {
        let line = |value: f64| ((value, beta), (0.0, 1.0));
        fit.contention = ends_of(&fit.contention, fit.rss, target, |v| on_line(table, line(v), &mut scratch));
        fit.profiled.push("contention");
    }
    if holds_zero(&fit.coherency) {
        let line = |value: f64| ((alpha, value), (1.0, 0.0));
        fit.coherency = ends_of(&fit.coherency, fit.rss, target, |v| on_line(table, line(v), &mut scratch));
        fit.profiled.push("coherency");
    }
    let Some((place, height)) = fit.peak else { return };
    let spans = match (place.low, place.high) {
        (Some(low), Some(high)) => high > SPAN_MAX * low,
        _ => true,
    };
    if spans {
        // With N_peak held, β = (1−α)/N_peak².
        let line = |ln_n: f64| {
            let slope = (-2.0 * ln_n).exp();
            ((alpha, (1.0 - alpha) * slope), (1.0, -slope))
        };
        let place = in_ln(&place, |e| ends_of(e, fit.rss, target, |v| on_line(table, line(v), &mut scratch)));
        let mut from = (alpha, 1.0 / place.estimate);
        let height = in_ln(&height, |e| {
            ends_of(e, fit.rss, target, |ln_x| {
                let (state, q) = at_height(table, ln_x, from, &mut scratch)?;
                from = (state.alpha, q);
                Some(state.rss)
            })
        });
        fit.peak = Some((place, height));
        fit.profiled.push("peak");
    }
}

/// Applies `ends` to the logarithm of an estimate.
fn in_ln(value: &Estimate, ends: impl FnOnce(&Estimate) -> Estimate) -> Estimate {
    let ln = value.estimate.ln();
    // The covariance may give an absurd end where the data hardly bend; the search goes on from a near one.
    let start = value.high.map_or(ln + REACH_MAX, |high| high.ln().min(ln + REACH_MAX));
    let found = ends(&Estimate { estimate: ln, low: Some(2.0 * ln - start), high: Some(start), at_bound: false });
    // Back from logarithms an end may miss the value itself by rounding.
    let back = |end: Option<f64>| end.map(f64::exp).filter(|end| end.is_finite());
    Estimate {
        low: back(found.low).map(|low| low.min(value.estimate)),
        high: back(found.high).map(|high| high.max(value.estimate)),
        ..*value
    }
}

/// Both ends, looked for from those of `wald`.
fn ends_of(wald: &Estimate, rss: f64, target: f64, mut rss_at: impl FnMut(f64) -> Option<f64>) -> Estimate {
    let mut end = |first: Option<f64>| first.and_then(|first| end(wald.estimate, first, rss, target, &mut rss_at));
    Estimate { low: end(wald.low), high: end(wald.high), ..*wald }
}

/// The value beyond which the sum of squares exceeds `target`, on the side of `first`; `None` when none does.
///
/// The square root of the excess is nearly linear in the value, so a secant closes in quickly.
fn end(estimate: f64, first: f64, rss: f64, target: f64, rss_at: &mut impl FnMut(f64) -> Option<f64>) -> Option<f64> {
    let goal = (target - rss).sqrt();
    let mut excess = |value: f64| rss_at(value).map_or(f64::INFINITY, |found| (found - rss).max(0.0).sqrt());
    let reach = first - estimate;
    let mut inner = (estimate, 0.0);
    let mut outer = None;
    let mut value = first;
    for _ in 0..DOUBLINGS_MAX {
        let found = excess(value);
        if found >= goal {
            outer = Some((value, found));
            break;
        }
        inner = (value, found);
        value = estimate + 2.0 * (value - estimate);
    }
    let mut outer = outer?;
    for round in 0..60 {
        if (outer.0 - inner.0).abs() <= 1e-6 * reach.abs() {
            break;
        }
        let share = (goal - inner.1) / (outer.1 - inner.1);
        // Every third round halves, so that a bent curve cannot hold one side.
        let share = if round % 3 == 2 || !share.is_finite() { 0.5 } else { share.clamp(0.001, 0.999) };
        let value = inner.0 + share * (outer.0 - inner.0);
        let found = excess(value);
        if found >= goal { outer = (value, found) } else { inner = (value, found) }
    }
    Some(inner.0).filter(|value| value.is_finite())
}

/// The least sum of squares on a line, by damped Gauss-Newton steps along it.
fn on_line(table: &Table, line: Line, scratch: &mut Scratch) -> Option<f64> {
    let ((alpha, beta), (da, db)) = line;
    let n_hi = table.n_hi();
    let mut at = |s: f64| {
        let (alpha, beta) = (alpha + s * da, beta + s * db);
        if table.has_pole(alpha, beta, n_hi) { None } else { evaluate(table, Unit::Free, alpha, beta, scratch) }
    };
    let mut place = 0.0;
    // The line may begin where D ≤ 0: then at the nearest place where it is not.
    let mut state = match at(0.0) {
        Some(state) => state,
        None => {
            let found = (-40..=40).filter_map(|k: i32| {
                let s = f64::from(k.signum()) * 10.0_f64.powf(f64::from(k.abs()) / 4.0 - 10.0);
                at(s).map(|state| (s, state))
            });
            let (s, state) = found.min_by(|a, b| a.1.rss.total_cmp(&b.1.rss))?;
            place = s;
            state
        }
    };
    for _ in 0..60 {
        let [aa, ab, bb] = state.normal;
        let gradient = da * state.gradient[0] + db * state.gradient[1];
        let square = da * da * aa + 2.0 * da * db * ab + db * db * bb;
        if square <= 0.0 || gradient.abs() <= 1e-10 * (square * state.rss).sqrt() {
            break;
        }
        let mut step = -gradient / square;
        let mut moved = None;
        for _ in 0..40 {
            moved = at(place + step).filter(|next| next.rss < state.rss);
            if moved.is_some() {
                break;
            }
            step *= 0.25;
        }
        let Some(next) = moved else { break };
        place += step;
        state = next;
    }
    Some(state.rss)
}

/// The least sum of squares with X_peak held, and where: by steps over (α, q) with q = 1/N_peak, since β = (1−α)q² is
/// flat where q is 0 and q is not.
///
/// ```text
/// β = (1−α)·q²,  ln γ = ln X_peak + ln S,  S = α + (1−α)(2q − q²)
/// ```
fn at_height(table: &Table, ln_x: f64, from: (f64, f64), scratch: &mut Scratch) -> Option<(State, f64)> {
    let n_hi = table.n_hi();
    let mut at = |alpha: f64, q: f64| {
        let beta = (1.0 - alpha) * q * q;
        let inside = q > 0.0 && alpha < 1.0 && !table.has_pole(alpha, beta, n_hi);
        if inside { evaluate(table, Unit::Peak(ln_x), alpha, beta, scratch) } else { None }
    };
    let (mut state, mut q) = (at(from.0, from.1)?, from.1);
    let mut damping = 1e-3;
    for _ in 0..100 {
        // Columns by (α, q): β moves with −q² and with 2(1−α)q.
        let (down, across) = (-q * q, 2.0 * (1.0 - state.alpha) * q);
        let [aa, ab, bb] = state.normal;
        let ga = state.gradient[0] + down * state.gradient[1];
        let gq = across * state.gradient[1];
        let (naa, naq, nqq) =
            (aa + 2.0 * down * ab + down * down * bb, across * (ab + down * bb), across * across * bb);
        let done = |gradient: f64, square: f64| gradient.abs() <= 1e-9 * (square * state.rss).sqrt();
        if done(ga, naa) && done(gq, nqq) {
            break;
        }
        let (da, dq) = (naa * (1.0 + damping), nqq * (1.0 + damping));
        let det = da * dq - naq * naq;
        // N_peak beyond everything is where a law without peak lies: q may come near 0, and never there.
        let next_q = (q + (naq * ga - da * gq) / det).max(0.2 * q);
        // α answers to the step that q really takes.
        let next_alpha = state.alpha - (ga + naq * (next_q - q)) / da;
        match at(next_alpha, next_q).filter(|next| next.rss < state.rss) {
            Some(next) => {
                let little = next.rss > state.rss * (1.0 - 1e-12) && q * n_hi < 1e-6;
                (state, q) = (next, next_q);
                damping *= 0.1;
                if little {
                    break;
                }
            }
            None if damping > 1e12 => break,
            None => damping = (damping * 8.0).max(1e-6),
        }
    }
    Some((state, q))
}
