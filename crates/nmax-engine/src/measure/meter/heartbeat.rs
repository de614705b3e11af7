//! A worker's heart: a timer of its own whose beats tell when the worker was not there, whatever the load is.
//!
//! A closed workload sends its next request when it *sees* a reply, so a worker that stands still makes nothing late but
//! the reply itself, and that looks like the server's doing. A beat that is late knows better.

use nmax_metrics::Nanos;

use super::Meter;

/// How often the heart beats.
const BEAT: Nanos = Nanos::from_millis(20);
/// A worker may be this late for a beat before it counts as standing still: busy workers and hosts are.
const LATE_MAX: Nanos = Nanos::from_millis(50);

/// What is known of a worker's beats.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heartbeat {
    /// When the next beat is due; never before the first.
    due: Nanos,
    /// Standing still is counted up to here.
    counted: Nanos,
}

impl Default for Heartbeat {
    fn default() -> Self {
        Self { due: Nanos::MAX, counted: Nanos::ZERO }
    }
}

impl Meter {
    /// The heart begins to beat; returns when the first beat is due.
    pub fn first_beat(&mut self, now: Nanos) -> Nanos {
        self.heartbeat = Heartbeat { due: now + BEAT, counted: now };
        self.heartbeat.due
    }

    /// A beat has come; returns when the next one is due. Beats that were due while the worker stood still count too, so
    /// their delays are those of something that is ready at a random instant.
    pub fn beat(&mut self, now: Nanos) -> Nanos {
        self.count_stall(now, now);
        while self.heartbeat.due <= now {
            let section = self.section(self.heartbeat.due);
            let delay = now.since(self.heartbeat.due);
            self.window.aggregate.load_mut(section).pickup_delay.record(delay.0);
            self.heartbeat.due = self.heartbeat.due + BEAT;
        }
        self.heartbeat.due
    }

    /// Adds the time without a beat up to `until`, if at `now` the beat is later than a busy worker's, to the open window.
    pub(super) fn count_stall(&mut self, now: Nanos, until: Nanos) {
        if now.since(self.heartbeat.due) <= LATE_MAX {
            return;
        }
        let mut from = self.heartbeat.due.max(self.heartbeat.counted);
        while from < until {
            let to = self.next_border(from).min(until);
            let section = self.section(from);
            let load = self.window.aggregate.load_mut(section);
            load.stalled = load.stalled + to.since(from);
            from = to;
        }
        self.heartbeat.counted = from;
    }
}
