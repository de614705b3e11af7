//! The budget of a campaign.

use std::time::{Duration, Instant};

/// The time that is spent and left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    began: Instant,
    pub(super) budget: Duration,
    /// What a level takes beside its load, before one was seen.
    expected: Duration,
    /// Longest that a level took beside its load.
    pub(super) overhead: Duration,
}

impl Clock {
    pub(super) fn start(began: Instant, budget: Duration, expected: Duration) -> Self {
        Self { began, budget, expected, overhead: expected }
    }

    /// Takes in how long a level took, of which so much was its load.
    pub(super) fn took(&mut self, whole: Duration, load: Duration) {
        // One that hung for long does not say what the next ones take.
        self.overhead = self.overhead.max(whole.saturating_sub(load).min(load.max(self.expected)));
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
