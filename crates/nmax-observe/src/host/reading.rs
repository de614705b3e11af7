//! What the parts of a host share while it is read: the time, the files, and where figures and notes go.

use std::collections::HashSet;

use nmax_metrics::Nanos;
use nmax_sources::Figure;
use rustix::time::{ClockId, clock_gettime};

use super::files::Files;
use crate::Reading;

/// Notes that one source makes in a run; a host that changes all the time is not worth more.
const NOTES_MAX: usize = 100;

/// One look at a host.
#[derive(Debug)]
pub(crate) struct HostReading<'a> {
    /// When, on the run's clock.
    pub(crate) now: Nanos,
    /// Its files.
    pub(crate) files: &'a mut Files,
    /// What a person should know.
    pub(crate) notes: &'a mut Notes,
    /// What was seen.
    pub(crate) readings: Vec<Reading>,
}

impl HostReading<'_> {
    /// Adds a figure that is known.
    pub(crate) fn put(&mut self, source: &str, figure: Figure, value: Option<f64>) {
        if let Some(value) = value.filter(|value| value.is_finite()) {
            self.readings.push(Reading::new(source, figure, value));
        }
    }

    /// Adds several figures of one source.
    pub(crate) fn put_all(&mut self, source: &str, figures: &[(Figure, Option<f64>)]) {
        for (figure, value) in figures {
            self.put(source, *figure, *value);
        }
    }
}

/// What a person should know once.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    said: HashSet<String>,
    fresh: Vec<String>,
    changes: Vec<String>,
    changed: usize,
}

impl Notes {
    /// Says it unless it was said before.
    pub(crate) fn note_once(&mut self, text: &str) {
        if !self.said.contains(text) && self.said.len() < NOTES_MAX {
            self.said.insert(text.to_owned());
            self.fresh.push(text.to_owned());
        }
    }

    /// Says that something changed, which may happen again.
    pub(crate) fn change(&mut self, text: String) {
        if self.changed < NOTES_MAX {
            self.changed += 1;
            self.changes.push(text);
        }
    }

    /// What was said once since the last call.
    pub(crate) fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.fresh)
    }

    /// What changed since the last call.
    pub(crate) fn take_changes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.changes)
    }
}

/// Counters as they were, to see what they grew by.
#[derive(Debug)]
pub(crate) struct Previous<T>(Option<(Nanos, T)>);

impl<T> Default for Previous<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Previous<T> {
    /// Keeps the counters of now; those before, and the time between in seconds, which is above 0.
    pub(crate) fn replace(&mut self, now: Nanos, counters: T) -> Option<(f64, T)> {
        let (at, before) = self.0.replace((now, counters))?;
        let span_s = now.since(at).as_secs_f64();
        (span_s > 0.0).then_some((span_s, before))
    }
}

/// Growth of a counter per second. `None` where it is unknown or went back: it was reset, or went round.
pub(crate) fn per_s(now: Option<u64>, before: Option<u64>, span_s: f64) -> Option<f64> {
    growth(now, before).map(|growth| growth / span_s)
}

/// [`per_s`] of several counters.
pub(crate) fn rates<const N: usize>(now: [Option<u64>; N], before: [Option<u64>; N], span_s: f64) -> [Option<f64>; N] {
    std::array::from_fn(|at| per_s(now[at], before[at], span_s))
}

/// Growth of a counter. `None` where it is unknown or went back.
pub(crate) fn growth(now: Option<u64>, before: Option<u64>) -> Option<f64> {
    Some(now?.checked_sub(before?)? as f64)
}

/// Lets something dear be done as often as it costs no more than a part of a core.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// One part of a core in this many.
    share: u64,
    next: Nanos,
}

impl Pace {
    /// One part of a core in `share`.
    pub(crate) const fn new(share: u64) -> Self {
        Self { share, next: Nanos::ZERO }
    }

    /// Does it if it is not too early.
    pub(crate) fn run<T>(&mut self, now: Nanos, work: impl FnOnce() -> T) -> Option<T> {
        if now < self.next {
            return None;
        }
        let before = thread_cpu();
        let made = work();
        let cost = thread_cpu().since(before);
        self.next = now + Nanos(cost.0.saturating_mul(self.share));
        Some(made)
    }
}

/// CPU time of this thread.
fn thread_cpu() -> Nanos {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Nanos(time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs())
}
