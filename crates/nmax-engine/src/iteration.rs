//! An iteration, who does it, and how its steps and itself end.

use std::cell::{Cell, RefCell};
use std::task::Waker;

use nmax_metrics::Nanos;

/// Index of a location in the plan.
pub(crate) type LocationId = u16;

/// A virtual user's place among the others of its worker.
#[derive(Debug, Default)]
pub struct VuSlot {
    /// Number in the run.
    pub number: u32,
    /// Number among the users of its source.
    pub own: u64,
    /// Which source its iterations come from: 0 is the mix.
    pub source: u32,
    /// Where its line leads from.
    pub location: Cell<Option<LocationId>>,
    /// Its task.
    pub waker: RefCell<Option<Waker>>,
    /// When it started its first iteration.
    pub begun: Cell<Option<Nanos>>,
    /// When it got its first reply.
    pub served: Cell<Option<Nanos>>,
    /// The iteration that it was given.
    pub assignment: Cell<Option<Assignment>>,
}

impl VuSlot {
    /// Wakes its task.
    pub fn wake(&self) {
        if let Some(waker) = self.waker.borrow().as_ref() {
            waker.wake_by_ref();
        }
    }
}

/// An iteration to run.
#[derive(Clone, Copy, Debug)]
pub struct Assignment {
    /// Number in the run, from 0.
    pub number: u64,
    /// Coordinates of its choices.
    pub choice: (u64, u64),
    /// Index of the scenario.
    pub scenario: usize,
    /// Where its user is.
    pub location: Option<LocationId>,
    /// When its first request is due.
    pub intended: Nanos,
    /// When a VU took it.
    pub begun: Nanos,
    /// How long it waited for an in-flight slot.
    pub slot_wait: Nanos,
}

impl Assignment {
    /// Whether it is none of the background, whose choices have coordinates of their own.
    #[inline]
    pub(crate) fn is_of_mix(&self) -> bool {
        self.choice.0 >> 32 == 0
    }
}

/// How an iteration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IterationEnd {
    /// Every exchange was ok.
    Ok,
    /// Some exchange or extraction was not.
    Failed,
    /// The end of the run cut it off.
    Interrupted,
}

/// A request's place in its run.
#[derive(Clone, Copy)]
pub(crate) struct StartTimes {
    /// When it is due.
    pub(crate) intended: Nanos,
    /// When its turn came: `intended`, or later when the VU was not free.
    pub(crate) begun: Nanos,
    /// How long the iteration waited for a slot; on its first request only.
    pub(crate) slot_wait: Nanos,
}

/// How a step ended.
#[derive(Clone, Copy, Debug)]
pub enum StepEnd {
    /// The iteration goes on from this instant; whether the step was ok.
    Next(Nanos, bool),
    /// Later steps lack a value: the iteration ends, failed.
    Stop(Nanos),
    /// The run's end cut it off.
    Cut(Nanos),
}

impl StepEnd {
    /// When it ended, and whether it was ok; `None` when it was cut off.
    pub(crate) fn outcome(self) -> Option<(Nanos, bool)> {
        match self {
            Self::Next(done, is_ok) => Some((done, is_ok)),
            Self::Stop(done) => Some((done, false)),
            Self::Cut(_) => None,
        }
    }
}
