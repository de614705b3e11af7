//! The best of many starts, free or within bounds.

use super::polynomial::starts;
use super::solve::{Moving, Scratch, Solution, Unit, minimise};
use super::table::Table;
use super::{Bounds, FitError};
use crate::law::Usl;
use crate::observation::Observation;

/// Above this many different N the starts are tried on a part of them first.
const ROWS_FULL: usize = 512;
/// A search that stops with a larger cosine than this has found nothing.
const COSINE_STALLED: f64 = 1e-3;

/// An optimum and the names of the coefficients that a bound decided.
#[derive(Clone, Debug)]
pub(crate) struct Optimum {
    pub(crate) solution: Solution,
    pub(crate) at_bound: Vec<&'static str>,
}

/// The free optimum: lowest sum of squares without a pole on [1, 2·N_hi].
pub(crate) fn free(table: &Table, unit: Unit, scratch: &mut Scratch) -> Result<Solution, FitError> {
    from_starts(table, unit, &starts(table, unit), [true, true], scratch)
}

fn from_starts(
    table: &Table,
    unit: Unit,
    starts: &[(f64, f64)],
    moving: Moving,
    scratch: &mut Scratch,
) -> Result<Solution, FitError> {
    if table.rows.len() <= ROWS_FULL {
        return best(table, starts.iter().filter_map(|s| minimise(table, unit, *s, moving, scratch)));
    }
    let part = table.thinned(ROWS_FULL / 2);
    let rough = best(&part, starts.iter().filter_map(|s| minimise(&part, unit, *s, moving, scratch)));
    let rough = rough.ok().map(|s| (s.state.alpha, s.state.beta));
    let polished = rough.iter().chain(starts.first()).filter_map(|s| minimise(table, unit, *s, moving, scratch));
    best(table, polished)
}

/// The lowest sum of squares among those without a pole; an optimum before one that only came near.
fn best(table: &Table, solutions: impl Iterator<Item = Solution>) -> Result<Solution, FitError> {
    let mut pole = None;
    let mut found: Option<Solution> = None;
    for solution in solutions {
        let state = &solution.state;
        if solution.cosine > COSINE_STALLED {
            continue;
        }
        if table.has_pole(state.alpha, state.beta, 2.0 * table.n_hi()) {
            pole = Some(FitError::Pole { contention: state.alpha, coherency: state.beta, up_to: 2.0 * table.n_hi() });
            continue;
        }
        let wins =
            found.as_ref().is_none_or(|best| (solution.converged(), -state.rss) > (best.converged(), -best.state.rss));
        if wins {
            found = Some(solution);
        }
    }
    found.ok_or(pole.unwrap_or(FitError::NotConverged))
}

/// The optimum within `bounds`: the free one when it lies inside, else the best on an edge or corner.
pub(crate) fn bounded(table: &Table, unit: Unit, bounds: &Bounds, scratch: &mut Scratch) -> Result<Optimum, FitError> {
    let starts = starts(table, unit);
    let inside = |range: (f64, f64), value: f64| value >= range.0 && value <= range.1;
    let allowed = |s: &Solution| inside(bounds.contention, s.state.alpha) && inside(bounds.coherency, s.state.beta);
    let free = from_starts(table, unit, &starts, [true, true], scratch);
    if let Ok(solution) = free
        && allowed(&solution)
    {
        return Ok(Optimum { solution, at_bound: Vec::new() });
    }
    let mut edges: Vec<Optimum> = Vec::new();
    let mut edge = |starts: &[(f64, f64)], moving, at_bound: &[&'static str]| {
        let solution = from_starts(table, unit, starts, moving, scratch).ok();
        edges.extend(solution.map(|solution| Optimum { solution, at_bound: at_bound.to_vec() }));
    };
    let ends = |range: (f64, f64)| [range.0, range.1].into_iter().filter(|v| v.is_finite());
    for alpha in ends(bounds.contention) {
        let starts: Vec<_> =
            starts.iter().map(|s| (alpha, s.1.clamp(bounds.coherency.0, bounds.coherency.1))).collect();
        edge(&starts, [false, true], &["contention"]);
    }
    for beta in ends(bounds.coherency) {
        let starts: Vec<_> =
            starts.iter().map(|s| (s.0.clamp(bounds.contention.0, bounds.contention.1), beta)).collect();
        edge(&starts, [true, false], &["coherency"]);
        for alpha in ends(bounds.contention) {
            edge(&[(alpha, beta)], [false, false], &["contention", "coherency"]);
        }
    }
    edges.retain(|found| allowed(&found.solution));
    let lowest = |a: &Optimum, b: &Optimum| a.solution.state.rss.total_cmp(&b.solution.state.rss);
    edges.into_iter().min_by(lowest).ok_or(FitError::NotConverged)
}

/// The law that a quadratic gives, when it has no pole.
pub(crate) fn without_pole(law: Usl, observations: &[Observation]) -> Result<Usl, FitError> {
    let up_to = 2.0 * observations.iter().map(|o| o.n).fold(1.0, f64::max);
    if law.has_pole(up_to) {
        return Err(FitError::Pole { contention: law.contention, coherency: law.coherency, up_to });
    }
    Ok(law)
}
