//! Named shapes of a run: from a profile to stages, and stages made shorter.
//!
//! A profile scales the workload that the plan has: levels are absolute, lengths are as written. [`compressed`] divides
//! lengths; levels stay, so a compressed run has fewer iterations at the same rates.

use std::time::Duration;

use crate::plan::{Profile, Workload};
use crate::schedule::{Stage, nanos};

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);

/// Largest factor of [`compressed`].
pub const COMPRESS_MAX: f64 = 1e6;

/// What a profile is made of: lengths, and absolute levels (iterations per second or VUs).
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Levels, each held equally long.
    Rungs {
        /// The levels, in order.
        levels: Vec<f64>,
        /// How long each is held.
        hold: Duration,
    },
    /// From nothing to a level and back; a part that is `None` is left out.
    Trapezium {
        /// Length of the way up.
        ramp: Option<Duration>,
        /// The level.
        to: f64,
        /// How long it is held.
        hold: Option<Duration>,
        /// Length of the way down.
        down: Option<Duration>,
    },
}

impl Shape {
    /// The usual shape of a profile for this workload, as [`workload`] gives it.
    pub fn usual(profile: Profile, workload: &Workload) -> Self {
        let full = full(workload);
        let trapezium = |ramp, to, hold, down| Self::Trapezium { ramp, to, hold, down };
        match profile {
            Profile::Smoke => trapezium(None, full, Some(20 * MINUTE), None),
            Profile::Ladder => Self::Rungs { levels: rungs(workload), hold: 5 * MINUTE },
            Profile::Peak => trapezium(Some(30 * MINUTE), full, Some(2 * HOUR), Some(5 * MINUTE)),
            Profile::Stress => trapezium(Some(8 * HOUR), 2.0 * full, None, None),
            Profile::Soak => trapezium(Some(30 * MINUTE), full, Some(24 * HOUR), None),
            Profile::Flood => trapezium(None, full, Some(2 * HOUR), None),
        }
    }

    /// The stages, one after the other. O(number of stages).
    pub fn stages(&self) -> Vec<Stage> {
        match self {
            Self::Rungs { levels, hold } => levels.iter().map(|level| Stage::hold(*level, Some(*hold))).collect(),
            Self::Trapezium { ramp, to, hold, down } => [
                ramp.map(|length| Stage::ramp(0.0, *to, length)),
                hold.map(|length| Stage::hold(*to, Some(length))),
                down.map(|length| Stage::ramp(*to, 0.0, length)),
            ]
            .into_iter()
            .flatten()
            .collect(),
        }
    }
}

/// The workload of a run, and the one that was written where another took its place: smoke has one user, the other
/// profiles keep what the plan says.
pub fn workload(profile: Option<Profile>, written: Workload) -> (Workload, Option<Workload>) {
    match profile {
        Some(Profile::Smoke) => (Workload::Closed { vus: 1 }, Some(written)),
        _ => (written, None),
    }
}

/// 100 %: iterations per second or VUs.
pub fn full(workload: &Workload) -> f64 {
    match workload {
        Workload::Open { rate_per_s, .. } => *rate_per_s,
        Workload::Closed { vus } => f64::from(*vus),
    }
}

/// 1, 10, 100, ... and all of the VUs; 1 %, 10 % and 100 % of a rate.
fn rungs(workload: &Workload) -> Vec<f64> {
    match workload {
        Workload::Open { rate_per_s, .. } => vec![rate_per_s / 100.0, rate_per_s / 10.0, *rate_per_s],
        Workload::Closed { vus } => {
            let powers = std::iter::successors(Some(1_u32), |power| power.checked_mul(10));
            let below = powers.take_while(|power| power < vus);
            below.chain([*vus]).map(f64::from).collect()
        }
    }
}

/// The length divided by `by` (≥ 1), to whole ns; nothing becomes zero that was not.
pub fn compressed(length: Duration, by: f64) -> Duration {
    if by == 1.0 || length.is_zero() {
        return length; // also where `f64` cannot hold the ns exactly
    }
    let ns = (nanos(length) as f64 / by).round().max(1.0);
    Duration::from_nanos(ns as u64)
}

/// The stages with every length divided by `by`; levels and kinds stay.
pub fn compress(stages: &mut [Stage], by: f64) {
    for stage in stages {
        let length = |ns| nanos(compressed(Duration::from_nanos(ns), by));
        stage.length_ns = stage.length_ns.map(length);
    }
}

#[cfg(test)]
mod tests;
