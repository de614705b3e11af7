//! The real world: a monotonic clock, a `timerfd` in the reactor, the reactor's tasks.
//!
//! The time limits of `epoll` have steps of 1 ms; a `timerfd` keeps send lag near 10 µs. It is set once for each time that it fires.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::io;
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::task::{Poll, Waker};

use nmax_metrics::{Clock, Nanos};
use nmax_reactor::{Reactor, Source};
use rustix::time::{
    ClockId, Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, clock_gettime, timerfd_create,
    timerfd_settime,
};

use crate::measure::watch::threads::ThreadSchedule;
use crate::runtime::timers::{Slot, Timers};
use crate::runtime::{Runtime, ThreadTime, Timer};

/// Now, since an instant that all processes of this machine share and that lies before all of them.
#[inline]
pub fn monotonic() -> Nanos {
    let time = clock_gettime(ClockId::Monotonic);
    Nanos((time.tv_sec as u64).saturating_mul(1_000_000_000) + time.tv_nsec as u64)
}

/// Runs a future on this thread, and the tasks that it starts until it has ended. Tokio's reactor and timer are there too.
pub fn block_on<F: Future>(main: F) -> io::Result<F::Output> {
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let reactor = Reactor::new()?;
    tokio.block_on(reactor.within(main))
}

/// The run's clock on one thread. Copies share their origin, which is set when the run begins.
#[derive(Clone, Debug)]
pub struct RealClock {
    origin: Rc<Cell<Nanos>>,
}

impl RealClock {
    /// A clock whose origin is now.
    pub fn starting_now() -> Self {
        Self { origin: Rc::new(Cell::new(monotonic())) }
    }

    /// This clock as it is, for other threads.
    pub fn shared(&self) -> SharedClock {
        SharedClock(self.origin.get())
    }

    /// Moves the origin, an instant of [`monotonic`]; until then the clock says zero.
    pub fn set_origin(&self, origin: Nanos) {
        self.origin.set(origin);
    }
}

impl Clock for RealClock {
    #[inline]
    fn now(&self) -> Nanos {
        monotonic().since(self.origin.get())
    }
}

/// The same clock for other threads: its origin does not move any more.
#[derive(Clone, Copy, Debug)]
pub struct SharedClock(Nanos);

impl Clock for SharedClock {
    fn now(&self) -> Nanos {
        monotonic().since(self.0)
    }
}

/// The real world of one worker thread.
#[derive(Clone)]
pub struct RealRuntime {
    clock: RealClock,
    shared: Rc<Shared>,
}

struct Shared {
    clock: RealClock,
    timers: Timers,
    fd: Source<OwnedFd>,
    /// What the `timerfd` is set to.
    armed: Cell<Option<Nanos>>,
    schedule: ThreadSchedule,
}

impl Shared {
    /// Sets the `timerfd` to the next deadline, unless it is already.
    fn arm(&self) {
        let Some(at) = self.timers.next().filter(|at| self.armed.get() != Some(*at)) else { return };
        let wait = at.since(self.clock.now()).0.max(1);
        let seconds = i64::try_from(wait / 1_000_000_000).unwrap_or(i64::MAX);
        let value = Timespec { tv_sec: seconds, tv_nsec: (wait % 1_000_000_000) as i64 };
        let once = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value: value };
        timerfd_settime(&*self.fd, TimerfdTimerFlags::empty(), &once).expect("a timerfd takes every normalized time");
        self.armed.set(Some(at));
    }
}

impl RealRuntime {
    /// Must be called within a reactor; starts the task that drives the timers.
    pub fn start(clock: RealClock) -> io::Result<Self> {
        let fd = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
        let shared = Rc::new(Shared {
            clock: clock.clone(),
            timers: Timers::default(),
            fd: Source::new(fd)?,
            armed: Cell::new(None),
            schedule: ThreadSchedule::of_this_thread(),
        });
        let runtime = Self { clock, shared };
        let driver = runtime.clone();
        nmax_reactor::spawn(async move { driver.drive().await });
        Ok(runtime)
    }

    /// Wakes the tasks whose deadline has passed, and never returns. A woken task usually sets the next deadline itself, so
    /// this sets the `timerfd` only after those tasks have run: once for each time that it fires.
    async fn drive(&self) {
        let mut is_after = false;
        poll_fn(|context| {
            if std::mem::take(&mut is_after) {
                self.shared.arm();
            }
            while self.shared.fd.poll_readable(context).is_ready() {
                // Setting it again resets the timer's count, so nothing needs to be read from it.
                self.shared.fd.clear_readable();
                self.shared.armed.set(None);
                self.shared.timers.fire(self.clock.now());
                is_after = true;
                context.waker().wake_by_ref();
            }
            Poll::<()>::Pending
        })
        .await;
    }
}

impl Clock for RealRuntime {
    #[inline]
    fn now(&self) -> Nanos {
        self.clock.now()
    }
}

impl Runtime for RealRuntime {
    type Timer = RealTimer;

    fn timer(&self) -> RealTimer {
        RealTimer { runtime: self.clone(), slot: Rc::new(Slot::default()) }
    }

    fn spawn(&self, task: impl Future<Output = ()> + 'static) {
        nmax_reactor::spawn(task);
    }

    fn thread_time(&self) -> ThreadTime {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        ThreadTime {
            cpu: Nanos(time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()),
            run_wait: self.shared.schedule.run_wait().unwrap_or_default(),
        }
    }
}

/// A timer on the thread's `timerfd`.
pub struct RealTimer {
    runtime: RealRuntime,
    slot: Rc<Slot>,
}

impl Timer for RealTimer {
    async fn sleep_until(&self, at: Nanos) {
        poll_fn(|context| {
            if self.runtime.now() >= at {
                self.slot.disarm();
                return Poll::Ready(());
            }
            self.slot.watch(context.waker());
            self.arm(at);
            Poll::Pending
        })
        .await;
    }

    fn arm(&self, at: Nanos) {
        if self.runtime.shared.timers.arm(&self.slot, at).is_some() {
            self.runtime.shared.arm();
        }
    }

    fn watch(&self, waker: &Waker) {
        self.slot.watch(waker);
    }

    fn has_fired(&self) -> bool {
        self.slot.has_fired()
    }
}
