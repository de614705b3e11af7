//! The clocks of the recorder: the only place that reads one.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A monotonic clock with a wall time at its origin, so that a step of the system's clock tears no recording apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    origin: Instant,
    /// Wall time of `origin`, since 1970 (UTC).
    origin_wall: Duration,
}

impl Clock {
    /// Starts now.
    #[expect(clippy::disallowed_methods, reason = "a recording says when things happened")]
    pub(crate) fn start() -> Self {
        Self { origin: Instant::now(), origin_wall: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default() }
    }

    /// Time since the origin.
    #[expect(clippy::disallowed_methods, reason = "a recording says how long things took")]
    pub(crate) fn now(&self) -> Duration {
        Instant::now().saturating_duration_since(self.origin)
    }

    /// The calendar's time of an instant of [`Self::now`], in µs since 1970 (UTC).
    pub(crate) fn wall_us(&self, at: Duration) -> i64 {
        i64::try_from((self.origin_wall + at).as_micros()).unwrap_or(i64::MAX)
    }

    /// Seconds since 1970 (UTC) at the origin.
    pub(crate) fn origin_s(&self) -> u64 {
        self.origin_wall.as_secs()
    }
}
