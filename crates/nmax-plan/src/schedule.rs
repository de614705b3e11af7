//! Schedules: when iterations start and how many VUs are active, as values.
//!
//! A schedule is built from stages and answers questions; it has no clock and no position. Times are
//! nanoseconds since the start of the run, levels are iterations per second in open workloads and
//! VUs in closed ones.
//!
//! # Layout
//! - this file: stages, the spans they take, the interval of the statistics
//! - [`open`]: start number to offset and back
//! - `curve`: the integral of a linear rate and its inverse
//! - `poisson`: sorted uniforms with random access
//! - [`closed`]: active VUs over time
//! - [`mean_level`], [`level_at`]: what is planned between two instants, and at one; [`cut`]: what is planned before one

use std::ops::Range;
use std::time::Duration;

pub mod closed;
mod curve;
mod level;
pub mod open;
mod poisson;

#[cfg(test)]
mod tests;

pub use closed::Closed;
pub use level::{cut, level_at, mean_level};
pub use open::{Arrivals, Cursor, Open, STARTS_MAX, Total};

/// Highest level of a stage, far above what a machine can do: integrals of levels stay finite.
pub const LEVEL_MAX: f64 = 1e12;

/// A stretch of a run, with a level that changes linearly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// Level at its beginning, from 0 to [`LEVEL_MAX`]: iterations per second or VUs.
    pub from: f64,
    /// Level at its end, from 0 to [`LEVEL_MAX`].
    pub to: f64,
    /// Length in ns; `None` is unbounded, for the last stage only, at a constant level.
    pub length_ns: Option<u64>,
    /// What it is for.
    pub kind: StageKind,
}

impl Stage {
    /// A steady level for so long; `None` is unbounded.
    pub fn hold(level: f64, length: Option<Duration>) -> Self {
        Self { from: level, to: level, length_ns: length.map(nanos), kind: StageKind::Hold }
    }

    /// A linear change of the level.
    pub fn ramp(from: f64, to: f64, length: Duration) -> Self {
        let kind = if to < from { StageKind::RampDown } else { StageKind::RampUp };
        Self { from, to, length_ns: Some(nanos(length)), kind }
    }
}

/// A length as stages have it.
pub(crate) fn nanos(length: Duration) -> u64 {
    u64::try_from(length.as_nanos()).unwrap_or(u64::MAX)
}

/// What a stage is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StageKind {
    /// Left out of the statistics: caches fill, connections open.
    WarmUp,
    /// Towards a higher level.
    RampUp,
    /// A steady level, the subject of the statistics.
    Hold,
    /// Towards a lower level.
    RampDown,
}

/// When a stage begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    /// What the stage is for.
    pub kind: StageKind,
    /// The interval it takes.
    pub span: Span,
}

/// The interval from `start_ns` up to but not including `end_ns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Beginning, ns since the start of the run.
    pub start_ns: u64,
    /// End, ns since the start of the run; `None` when it is unbounded.
    pub end_ns: Option<u64>,
}

impl Span {
    /// Whether the interval contains this instant.
    pub fn contains(&self, t_ns: u64) -> bool {
        t_ns >= self.start_ns && self.end_ns.is_none_or(|end_ns| t_ns < end_ns)
    }
}

/// Why stages cannot be a schedule.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum StageError {
    /// A level is negative, above [`LEVEL_MAX`] or not a number.
    #[error("level {level} of stage {stage} is not a number from 0 to 10^12")]
    NotALevel {
        /// Position of the stage, from 0.
        stage: usize,
        /// The level.
        level: f64,
    },
    /// An unbounded stage has a successor, which would never begin.
    #[error("stage {stage} never ends, but is not the last")]
    UnboundedBeforeLast {
        /// Position of the stage, from 0.
        stage: usize,
    },
    /// An unbounded stage has no end at which to reach another level.
    #[error("stage {stage} never ends, but changes its level")]
    UnboundedRamp {
        /// Position of the stage, from 0.
        stage: usize,
    },
    /// The stages take more than 2⁶⁴ − 1 ns, about 584 years.
    #[error("stage {stage} ends after more than 584 years")]
    TooLong {
        /// Position of the stage, from 0.
        stage: usize,
    },
}

/// The interval of each stage, in order.
///
/// An end beyond 2⁶⁴ − 1 ns is treated as unbounded.
pub fn phases(stages: &[Stage]) -> Vec<Phase> {
    let mut next_ns = Some(0_u64);
    let phase = |stage: &Stage| {
        let start_ns = next_ns.unwrap_or(u64::MAX);
        next_ns = stage.length_ns.and_then(|length_ns| start_ns.checked_add(length_ns));
        Phase { kind: stage.kind, span: Span { start_ns, end_ns: next_ns } }
    };
    stages.iter().map(phase).collect()
}

/// The interval of the statistics: from the first hold's beginning to the last hold's end; the whole run when there is no hold.
pub fn hold_span(stages: &[Stage]) -> Span {
    let phases = phases(stages);
    let is_hold = |phase: &&Phase| phase.kind == StageKind::Hold;
    let first = phases.iter().find(is_hold).or(phases.first());
    let last = phases.iter().rfind(is_hold).or(phases.last());
    match (first, last) {
        (Some(first), Some(last)) => Span { start_ns: first.span.start_ns, end_ns: last.span.end_ns },
        _ => Span { start_ns: 0, end_ns: Some(0) },
    }
}

/// What lies between the holds and is none, in order: ramps there are no part of the statistics, as those before and after.
/// Nothing when there is no hold, for then the whole run is one.
pub fn hold_gaps(stages: &[Stage]) -> Vec<Range<u64>> {
    if stages.iter().all(|stage| stage.kind != StageKind::Hold) {
        return Vec::new();
    }
    let hold = hold_span(stages);
    let between = phases(stages).into_iter().filter(|phase| phase.kind != StageKind::Hold);
    let ranges = between.filter_map(|phase| Some(phase.span.start_ns..phase.span.end_ns?));
    ranges
        .filter(|gap| gap.start >= hold.start_ns && hold.end_ns.is_none_or(|end| gap.end <= end) && !gap.is_empty())
        .collect()
}

/// The parts of `from` to `to`, an interval of the statistics, that are held, in order.
pub fn held(stages: &[Stage], from: u64, to: u64) -> Vec<Range<u64>> {
    let mut parts = Vec::new();
    let mut begin = from;
    for gap in hold_gaps(stages) {
        parts.push(begin..gap.start.min(to));
        begin = begin.max(gap.end);
    }
    parts.push(begin..to);
    parts.retain(|part| !part.is_empty());
    parts
}

/// Checks stage number `stage` and returns its end, ns since the start of the run.
fn check(stage: usize, of: &Stage, is_last: bool, start_ns: u64) -> Result<Option<u64>, StageError> {
    for level in [of.from, of.to] {
        if !(0.0..=LEVEL_MAX).contains(&level) {
            return Err(StageError::NotALevel { stage, level });
        }
    }
    match of.length_ns {
        Some(length_ns) => start_ns.checked_add(length_ns).map(Some).ok_or(StageError::TooLong { stage }),
        None if !is_last => Err(StageError::UnboundedBeforeLast { stage }),
        None if of.from != of.to => Err(StageError::UnboundedRamp { stage }),
        None => Ok(None),
    }
}

/// Removes floating point noise: a value within a few units in the last place of an integer becomes it.
///
/// Monotone, because the values that become an integer form an interval around it. 33.3/s for 10 s are
/// 333 starts, not 332.99999999999994.
fn snap(value: f64) -> f64 {
    // A cast is much faster than `round`. Beyond, noise is no smaller than the distance of integers.
    if value >= 1e15 {
        return value;
    }
    let integer = (value + 0.5) as u64 as f64;
    let tolerance = (16.0 * f64::EPSILON * integer.max(1.0)).min(0.25);
    if (value - integer).abs() <= tolerance { integer } else { value }
}

/// The least t in 0..=`max` at which `reached` holds, for a monotone `reached`; `None` when it never does.
///
/// Gallops away from `guess`: O(log of the distance between guess and answer) calls.
fn least(guess: u64, max: u64, reached: impl Fn(u64) -> bool) -> Option<u64> {
    let guess = guess.min(max);
    let mut step = 1_u64;
    // Afterwards `reached` is false at `low` and true at `high`.
    let (mut low, mut high);
    if reached(guess) {
        high = guess;
        loop {
            if high == 0 {
                return Some(0);
            }
            low = high.saturating_sub(step);
            if !reached(low) {
                break;
            }
            high = low;
            step = step.saturating_mul(2);
        }
    } else {
        low = guess;
        loop {
            if low == max {
                return None;
            }
            high = low.saturating_add(step).min(max);
            if reached(high) {
                break;
            }
            low = high;
            step = step.saturating_mul(2);
        }
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if reached(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}
