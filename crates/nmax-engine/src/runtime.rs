//! What a worker needs from the world: a clock, timers and tasks. Implemented by the real reactor in
//! [`crate::runtime::real`] and by the simulated one in the test kit, so that an hour passes in milliseconds.

use std::future::Future;

use nmax_metrics::{Clock, Nanos};

pub mod real;
pub mod timers;

/// A single-threaded world in which virtual users live.
pub trait Runtime: Clock + Clone + 'static {
    /// Its timers.
    type Timer: Timer;

    /// A timer, to be reused by its owner.
    fn timer(&self) -> Self::Timer;

    /// Starts a task on this thread.
    fn spawn(&self, task: impl Future<Output = ()> + 'static);

    /// How this thread has used the processor so far; zero where there is none.
    fn thread_time(&self) -> ThreadTime;
}

/// How a thread has used the processor so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadTime {
    /// CPU time.
    pub cpu: Nanos,
    /// Time that it was ready to run and waited for a processor; zero where the system does not tell.
    pub run_wait: Nanos,
}

/// A reusable timer with at most one deadline at a time.
pub trait Timer {
    /// Waits until the clock reaches `at`; at once when it has passed.
    fn sleep_until(&self, at: Nanos) -> impl Future<Output = ()> + '_;

    /// Sets a deadline without waiting: the task of the last [`Timer::watch`] is woken once it passes.
    /// Cheap when called over and over with later deadlines.
    fn arm(&self, at: Nanos);

    /// Makes `waker`'s task the one to wake.
    fn watch(&self, waker: &std::task::Waker);

    /// Whether the deadline set by [`Timer::arm`] has passed and the task was woken for it.
    fn has_fired(&self) -> bool;
}
