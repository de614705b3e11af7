//! How close the starts of one worker are, and which of them share a wake-up.

use std::time::Duration;

use super::{Arrivals, Plan, Workload};
use crate::schedule::{self, Stage};

/// Longest [`Plan::pacing_slack`].
pub const PACING_SLACK_MAX: Duration = Duration::from_millis(1);
/// Starts of one worker that are closer to each other than this share wake-ups by default: more than 5,000/s.
const APART_MIN: Duration = Duration::from_micros(200);
/// The slack that they get.
const SLACK: Duration = Duration::from_micros(100);

impl Plan {
    /// Time between two starts of one of `workers`, at the highest rate of a workload.
    pub fn starts_apart(&self, workload: &Workload, stages: &[Stage], workers: u32) -> Duration {
        let rate_per_s = match workload {
            Workload::Open { arrivals: Arrivals::Listed, .. } => {
                let last = schedule::phases(stages).last().and_then(|phase| phase.span.end_ns).unwrap_or(0);
                self.starts.len() as f64 * 1e9 / last.max(1) as f64
            }
            _ => stages.iter().map(|stage| stage.from.max(stage.to)).fold(0.0, f64::max),
        };
        Duration::from_nanos((f64::from(workers.max(1)) * 1e9 / rate_per_s) as u64)
    }

    /// The slack of starts that are so far apart: that of the plan, or by default 100 µs above 5,000/s, and none below.
    pub fn slack(&self, apart: Duration) -> Duration {
        let by_default = if apart < APART_MIN { SLACK } else { Duration::ZERO };
        self.pacing_slack.unwrap_or(by_default)
    }

    /// The slack of the mix with so many workers; `None` in closed workloads, which have no schedule.
    pub fn slack_of_mix(&self, workers: u32) -> Option<Duration> {
        let is_open = matches!(self.workload, Workload::Open { .. });
        is_open.then(|| self.slack(self.starts_apart(&self.workload, &self.stages, workers)))
    }
}
