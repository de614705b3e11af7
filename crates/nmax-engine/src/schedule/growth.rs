//! How many users an open workload may make.

use std::cell::Cell;

use nmax_metrics::Nanos;

/// Starts that are at least this far apart get a user at once, while they are on time.
const APART: Nanos = Nanos::from_micros(200);
/// A start that is at most this late is on time.
pub(crate) const ON_TIME: Nanos = Nanos::from_millis(1);
/// How often the limit is set anew, once the load is four times as old; oftener before, when nothing is known yet.
const PERIOD: Nanos = Nanos::from_millis(100);
/// Least time until it is.
const PERIOD_MIN: Nanos = Nanos::from_millis(5);
/// Users that may always be made.
pub(crate) const USERS_MIN: f64 = 4.0;
/// Users that work off what is late: fewer would hardly be quicker than the schedule.
const LATE_USERS: u32 = 12;
/// Before the target has answered for the first time, as many more as are due within this time.
const FIRST: Nanos = Nanos::from_micros(100);
/// How many times larger the limit becomes in one period, at most.
const GROWTH_MAX: f64 = 4.0;
/// In [`PERIOD`] where more users would bring little: the target completes what is due, or is saturated.
const GROWTH_SLOW: f64 = 1.125;
/// A target whose users became more by so much more than what it completes is saturated.
const SATURATED: f64 = 1.1;
/// It stays so until it completes so many times what it did, or nothing is late.
const SATURATED_GAIN: f64 = 1.25;
/// Share of what was due that a target completes when it keeps up.
const KEEPS_UP: f64 = 0.95;
/// How many times larger it becomes in a period in which nothing was answered since the start.
const GROWTH_FIRST: f64 = 2.0;
/// Share of a period in which the worker may compute or wait for a processor: with more, users are not what it lacks.
const BUSY_SHARE_MAX: f64 = 0.8;

/// How many users an open workload may make.
#[derive(Debug)]
pub(crate) struct Growth {
    /// Time between two starts at the highest rate of this worker.
    pub(crate) apart: Cell<Nanos>,
    /// Users that may have been made.
    users_max: Cell<u32>,
    /// Iterations that users completed.
    completed: Cell<u64>,
    /// When the load began.
    born: Cell<Nanos>,
    /// Where the period under way began.
    begun: Cell<PeriodStart>,
    /// Users, and iterations completed per second, in the last period in which the target fell behind; once it is
    /// saturated, in that in which it was found to be.
    behind: Cell<Option<(f64, f64)>>,
    /// More users bring no more completed iterations.
    is_saturated: Cell<bool>,
    /// The same for long enough: what is due waits for the target.
    pub(crate) is_awaited: Cell<bool>,
    /// In the period under way the worker itself woke too late.
    pub(crate) is_own_stall: Cell<bool>,
}

/// How things were when a period began.
#[derive(Clone, Copy, Debug, Default)]
struct PeriodStart {
    at: Nanos,
    completed: u64,
    due: u64,
    lateness: Nanos,
    /// Time in which the worker computed or waited for a processor.
    computing: Nanos,
}

impl Growth {
    /// For starts that are `apart` from each other at least.
    pub(crate) fn new(apart: Nanos) -> Self {
        let first = USERS_MIN + FIRST.0 as f64 / apart.0.max(1) as f64;
        Self {
            apart: Cell::new(apart),
            users_max: Cell::new(first as u32),
            completed: Cell::new(0),
            born: Cell::default(),
            begun: Cell::default(),
            behind: Cell::new(None),
            is_saturated: Cell::new(false),
            is_awaited: Cell::new(false),
            is_own_stall: Cell::new(false),
        }
    }

    /// The load begins at this instant, with the start of this number.
    pub(crate) fn begin(&self, at: Nanos, due: u64) {
        self.born.set(at);
        self.begun.set(PeriodStart { at, due, ..PeriodStart::default() });
    }

    /// Whether one more than these users may be at work for the start at the head of the queue, which is late by this.
    pub(crate) fn allows(&self, busy: u32, lateness: Nanos) -> bool {
        let is_apart = self.apart.get() >= APART && lateness <= ON_TIME;
        let at_least = if lateness > ON_TIME { LATE_USERS } else { 0 };
        is_apart || busy < self.users_max.get().max(at_least)
    }

    /// When the period under way ends.
    #[inline]
    pub(crate) fn period_end(&self) -> Nanos {
        let begun = self.begun.get().at;
        begun + Nanos(begun.since(self.born.get()).0 / 4).clamp(PERIOD_MIN, PERIOD)
    }

    /// Ends a period and sets the limit: `busy` of `made` users are in an iteration, `due` is the number of the start at
    /// the head of the queue, which is late by `lateness`.
    pub(crate) fn end_period(&self, now: Nanos, (busy, made): (u32, u32), due: u64, lateness: Nanos, computing: Nanos) {
        let end = PeriodStart { at: now, completed: self.completed.get(), due, lateness, computing };
        let begun = self.begun.replace(end);
        let length = now.since(begun.at).0 as f64;
        let late_starts = lateness.since(begun.lateness).0 as f64 / self.apart.get().0.max(1) as f64;
        let (completed, due) = ((end.completed - begun.completed) as f64, (end.due - begun.due) as f64 + late_starts);
        let is_computing = computing.since(begun.computing).0 as f64 > BUSY_SHARE_MAX * length;
        let is_own_stall = self.is_own_stall.take();
        let made = f64::from(made);
        let slowly = made * GROWTH_SLOW.powf(length / PERIOD.0 as f64);
        if lateness <= ON_TIME || is_computing || is_own_stall || completed >= KEEPS_UP * due {
            self.behind.set(None);
            self.is_saturated.set(false);
            self.is_awaited.set(false);
        }
        let users_max = if lateness <= ON_TIME {
            2.0 * f64::from(busy) + USERS_MIN
        } else if is_computing || is_own_stall {
            made
        } else if end.completed == 0 {
            made * GROWTH_FIRST
        } else if completed < KEEPS_UP * due {
            let per_s = completed * 1e9 / length;
            let (users, before_per_s) = self.behind.get().unwrap_or((made, per_s));
            let gain = (per_s / before_per_s.max(1.0)).max(1.0);
            if self.is_saturated.get() {
                self.is_saturated.set(gain < SATURATED_GAIN);
            } else {
                self.behind.set(Some((made, per_s)));
                self.is_saturated.set(made / users > SATURATED * gain);
            }
            // Too little is completed in a short period to blame the target.
            self.is_awaited.set(self.is_saturated.get() && length >= PERIOD.0 as f64);
            if self.is_saturated.get() { slowly } else { made * (due / completed.max(1.0)).min(GROWTH_MAX) }
        } else if lateness >= begun.lateness {
            slowly + 1.0
        } else {
            made
        };
        self.users_max.set(users_max.max(USERS_MIN) as u32);
    }

    /// A user completed an iteration.
    #[inline]
    pub(crate) fn has_completed(&self) {
        self.completed.set(self.completed.get() + 1);
    }
}
