//! G7: whether the arrivals of a Poisson workload are as irregular as they should be. A diagnosis; it decides nothing.
//!
//! Windows keep counts and no instants, so this is the index of dispersion of starts per window; distances between
//! single arrivals (Anderson–Darling, Kolmogorov–Smirnov) are tested where schedules are made, not in a run.

use nmax_plan::plan::{Arrivals, Plan, Workload};

use crate::course::{Course, Point};
use crate::steady::level_part;

/// Fewest windows of one level that are tested.
const ARRIVAL_WINDOWS_MIN: usize = 60;
/// Standard errors of the index of dispersion that are accepted: one correct run in a thousand is further off.
pub(crate) const ARRIVAL_ERRORS_MAX: f64 = 3.29;

/// Starts per window against the law of a Poisson process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dispersion {
    /// Variance ÷ mean of the counts; 1 for a Poisson process, 0 for an even one.
    pub(crate) index: f64,
    /// Largest distance from 1 that is accepted.
    pub(crate) limit: f64,
    /// Windows behind it.
    pub(crate) windows: usize,
}

impl Dispersion {
    /// Whether the counts are like those of a Poisson process.
    pub(crate) fn holds(&self) -> bool {
        (self.index - 1.0).abs() <= self.limit
    }
}

/// The index of dispersion of the starts in the longest part of the hold with one level.
///
/// ```text
/// D = s²/m,   accepted: |D − 1| ≤ 3.29·√(2/(n − 1))
/// ```
///
/// - m, s²: mean and variance (with n − 1) of the starts in n windows; (n − 1)·D is χ² with n − 1 degrees of freedom for
///   means from about 5 up, which has variance 2(n − 1)
///
/// `None` for other workloads, fewer than 60 windows, a mean below 5, and when iterations had to wait or were dropped:
/// then starts are the target's doing. O(n).
///
/// Source: D. R. Cox, P. A. W. Lewis, *The Statistical Analysis of Series of Events* (1966), section 6.3.
pub(crate) fn dispersion(plan: &Plan, course: &Course) -> Option<Dispersion> {
    let is_poisson = matches!(plan.workload, Workload::Open { arrivals: Arrivals::Poisson, .. });
    let part = level_part(&course.points);
    let held_up = part.iter().any(|point| point.held_up > 0);
    // Background scenarios start by laws of their own.
    if !is_poisson || held_up || !plan.background.is_empty() || part.len() < ARRIVAL_WINDOWS_MIN {
        return None;
    }
    dispersion_of(part)
}

fn dispersion_of(points: &[Point]) -> Option<Dispersion> {
    let n = points.len() as f64;
    let starts = || points.iter().map(|point| point.started as f64);
    let mean = starts().sum::<f64>() / n;
    let variance = starts().map(|count| (count - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean >= 5.0).then(|| Dispersion {
        index: variance / mean,
        limit: ARRIVAL_ERRORS_MAX * (2.0 / (n - 1.0)).sqrt(),
        windows: points.len(),
    })
}

#[cfg(test)]
mod tests;
