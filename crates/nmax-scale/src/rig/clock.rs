//! The budget of a campaign.

use std::time::{Duration, Instant};

/// What a run takes beside its load, before one was seen.
const OVERHEAD: Duration = Duration::from_millis(500);

/// The time that is spent and left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    began: Instant,
    pub(super) budget: Duration,
    /// Longest that a level took beside its load.
    pub(super) overhead: Duration,
}

impl Clock {
    pub(super) fn start(began: Instant, budget: Duration) -> Self {
        Self { began, budget, overhead: OVERHEAD }
    }

    /// Time since the beginning.
    pub(super) fn spent(&self) -> Duration {
        now().saturating_duration_since(self.began)
    }

    /// Whether a piece of work fits into the budget.
    pub(super) fn has(&self, work: Duration) -> bool {
        self.spent() + work + self.overhead <= self.budget
    }
}

#[expect(clippy::disallowed_methods, reason = "the budget of a campaign is time of this machine")]
pub(crate) fn now() -> Instant {
    Instant::now()
}
