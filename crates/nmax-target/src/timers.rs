//! Waits that end tens of microseconds after their deadline, by one timerfd per worker.
//!
//! Tokio's own timer has steps of 1 ms, too coarse for a calibrated target. Deadlines are
//! absolute nanoseconds of `clock`. One deadline costs O(log n), and a cancelled wait
//! leaves nothing behind.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use tokio::io::unix::AsyncFd;

use crate::clock;

/// How long before a deadline the timerfd fires, in nanoseconds.
///
/// An idle core takes some 60 us to wake up. The worker spends the rest of the lead looking
/// at the clock, serving other requests in between: CPU is the price of punctuality.
const LEAD_NS: u64 = 100_000;

/// Deadline in nanoseconds, then a serial number that tells equal deadlines apart.
type Key = (u64, u64);

/// The timers of one worker thread. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Timers {
    inner: Rc<Inner>,
}

struct Inner {
    fd: AsyncFd<OwnedFd>,
    waiting: RefCell<BTreeMap<Key, Waker>>,
    serial: Cell<u64>,
    armed_ns: Cell<Option<u64>>,
}

impl Timers {
    /// Creates the timerfd; must be called inside the worker's runtime.
    pub(crate) fn new() -> io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let fd = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        let inner =
            Inner { fd: watch(fd)?, waiting: RefCell::default(), serial: Cell::new(0), armed_ns: Cell::new(None) };
        Ok(Self { inner: Rc::new(inner) })
    }

    /// Fires timers until the worker ends. One such task per worker must run.
    pub(crate) async fn drive(self) -> io::Result<()> {
        let mut expirations = [0_u8; 8];
        loop {
            let mut ready = self.inner.fd.readable().await?;
            match rustix::io::read(self.inner.fd.get_ref(), &mut expirations) {
                Ok(_) | Err(rustix::io::Errno::AGAIN) => ready.clear_ready(),
                Err(error) => return Err(error.into()),
            }
            drop(ready);
            // Nothing needs to arm it while this task watches the clock itself.
            self.inner.armed_ns.set(Some(0));
            while self.inner.fire(clock::now_ns()) {
                tokio::task::yield_now().await;
            }
            self.inner.armed_ns.set(None);
            self.inner.arm()?;
        }
    }

    /// Waits until `deadline_ns`; at once when that has passed.
    pub(crate) fn sleep_until(&self, deadline_ns: u64) -> Sleep {
        let serial = self.inner.serial.get();
        self.inner.serial.set(serial + 1);
        Sleep { timers: self.clone(), key: (deadline_ns, serial) }
    }

    /// Waits for `span_ns` from now.
    pub(crate) fn sleep(&self, span_ns: u64) -> Sleep {
        self.sleep_until(clock::now_ns().saturating_add(span_ns))
    }
}

impl Inner {
    /// Wakes everybody whose deadline has passed; whether another one is nearer than the lead.
    fn fire(&self, now_ns: u64) -> bool {
        let mut waiting = self.waiting.borrow_mut();
        while let Some(entry) = waiting.first_entry() {
            let deadline_ns = entry.key().0;
            if deadline_ns > now_ns {
                return deadline_ns - now_ns <= LEAD_NS;
            }
            entry.remove().wake();
        }
        false
    }

    /// Sets the timerfd ahead of the earliest deadline unless it already is, or is earlier.
    fn arm(&self) -> io::Result<()> {
        let earliest_ns = self.waiting.borrow().keys().next().map(|key| key.0);
        let Some(deadline_ns) = earliest_ns else {
            return Ok(());
        };
        if self.armed_ns.get().is_some_and(|armed_ns| armed_ns <= deadline_ns) {
            return Ok(());
        }
        self.armed_ns.set(Some(deadline_ns));
        let zero = Timespec { tv_sec: 0, tv_nsec: 0 };
        // Zero would disarm it; one is in the past and fires at once.
        let value = timespec(deadline_ns.saturating_sub(LEAD_NS).max(1));
        let spec = Itimerspec { it_interval: zero, it_value: value };
        timerfd_settime(self.fd.get_ref(), TimerfdTimerFlags::ABSTIME, &spec)?;
        Ok(())
    }
}

/// Registers the timerfd with the runtime.
///
/// Tokio deprecates `new` because a type may lie about its descriptor, and the successor is
/// `unsafe`, which this workspace forbids. An `OwnedFd` keeps one descriptor open until it
/// is dropped, which is all that the successor asks for.
#[expect(deprecated, reason = "sound for an OwnedFd; the successor is an unsafe function")]
fn watch(fd: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::new(fd)
}

fn timespec(at_ns: u64) -> Timespec {
    let seconds = i64::try_from(at_ns / 1_000_000_000).unwrap_or(i64::MAX);
    Timespec { tv_sec: seconds, tv_nsec: (at_ns % 1_000_000_000) as _ }
}

/// A wait; ready once its deadline has passed, never before.
pub(crate) struct Sleep {
    timers: Timers,
    key: Key,
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let inner = &self.timers.inner;
        if clock::now_ns() >= self.key.0 {
            inner.waiting.borrow_mut().remove(&self.key);
            return Poll::Ready(());
        }
        inner.waiting.borrow_mut().insert(self.key, context.waker().clone());
        // A timerfd that cannot be set would only make this wait spin, not hang.
        if inner.arm().is_err() {
            context.waker().wake_by_ref();
        }
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.timers.inner.waiting.borrow_mut().remove(&self.key);
    }
}

#[cfg(test)]
mod tests;
