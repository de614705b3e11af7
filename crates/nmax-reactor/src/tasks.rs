//! Which task is polled next, and who may wake it.
//!
//! Tasks that are ready are polled in the order in which they became so. Before one that woke itself is polled again, all others
//! that were ready have been, and the reactor was asked. A task that panics ends alone.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::os::fd::OwnedFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use rustix::event::{EventfdFlags, eventfd};
use tokio::io::unix::AsyncFd;

use crate::source::{EVENTS_MAX, Slots};

/// The number of the main future among the tasks.
const MAIN: u32 = u32::MAX;

thread_local! {
    /// The reactor whose tasks run on this thread now.
    static CURRENT: RefCell<Option<Rc<Core>>> = const { RefCell::new(None) };
}

/// A thread's tasks, and what they wait for. Its tasks end with it.
pub struct Reactor {
    core: Rc<Core>,
}

/// What tasks, their wakers and their sources share.
pub(crate) struct Core {
    tasks: RefCell<Tasks>,
    ready: RefCell<VecDeque<u32>>,
    pub(crate) slots: Slots,
    remote: Arc<RemoteWakes>,
    /// More may be ready than the last look at the sources showed.
    is_more: Cell<bool>,
}

#[derive(Default)]
struct Tasks {
    all: Vec<Option<Task>>,
    /// Numbers of those that have ended.
    free: Vec<u32>,
}

struct Task {
    future: Pin<Box<dyn Future<Output = ()>>>,
    handle: Handle,
}

/// A task as its wakers know it.
struct Handle {
    id: Arc<TaskId>,
    waker: Waker,
}

struct TaskId {
    number: u32,
    /// It is among those that are ready. Only its own thread looks.
    is_ready: AtomicBool,
    remote: Arc<RemoteWakes>,
}

/// What other threads woke.
struct RemoteWakes {
    woken: Mutex<Vec<u32>>,
    event: OwnedFd,
}

impl Handle {
    fn new(number: u32, remote: &Arc<RemoteWakes>) -> Self {
        let id = Arc::new(TaskId { number, is_ready: AtomicBool::new(false), remote: Arc::clone(remote) });
        Self { waker: Waker::from(Arc::clone(&id)), id }
    }
}

impl Wake for TaskId {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let is_here = current(|core| {
            let is_here = Arc::ptr_eq(&core.remote, &self.remote);
            if is_here && !self.is_ready.load(Ordering::Relaxed) {
                self.is_ready.store(true, Ordering::Relaxed);
                core.ready.borrow_mut().push_back(self.number);
            }
            is_here
        });
        if is_here != Some(true) {
            self.remote.wake(self.number);
        }
    }
}

impl RemoteWakes {
    #[cold]
    fn wake(&self, number: u32) {
        self.woken.lock().unwrap_or_else(PoisonError::into_inner).push(number);
        // Each write is an event of its own; a full counter would be one as well.
        let _ = rustix::io::write(&self.event, &1_u64.to_ne_bytes());
    }
}

/// Does something with the reactor whose tasks run here; `None` without one.
pub(crate) fn current<T>(act: impl FnOnce(&Rc<Core>) -> T) -> Option<T> {
    CURRENT.try_with(|current| current.borrow().as_ref().map(act)).ok().flatten()
}

/// Whether [`spawn`] has where to start a task.
pub fn can_spawn() -> bool {
    current(|_| ()).is_some()
}

/// Starts a task on this thread's reactor.
///
/// # Panics
/// Outside of a reactor.
pub fn spawn(task: impl Future<Output = ()> + 'static) {
    let core = current(Rc::clone).expect("a task starts where a reactor runs");
    core.spawn(Box::pin(task));
}

/// While it lives, the tasks of a reactor run on this thread.
struct Entered(Option<Rc<Core>>);

impl Entered {
    fn enter(core: &Rc<Core>) -> Self {
        Self(CURRENT.with(|current| current.replace(Some(Rc::clone(core)))))
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.with(|current| current.replace(self.0.take()));
    }
}

impl Reactor {
    /// Without tasks.
    pub fn new() -> io::Result<Self> {
        let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let slots = Slots::new(&event)?;
        let core = Core {
            tasks: RefCell::default(),
            ready: RefCell::default(),
            slots,
            remote: Arc::new(RemoteWakes { woken: Mutex::default(), event }),
            is_more: Cell::new(false),
        };
        Ok(Self { core: Rc::new(core) })
    }

    /// Runs a future on this thread, and all tasks until it has ended. Others are paused then.
    pub fn block_on<F: Future>(&self, main: F) -> F::Output {
        let core = &self.core;
        let _entered = Entered::enter(core);
        let (mut main, handle) = (pin!(main), core.main());
        loop {
            if let Poll::Ready(output) = core.poll_ready(main.as_mut(), &handle) {
                return output;
            }
            let is_idle = core.ready.borrow().is_empty();
            core.poll_sources(is_idle);
        }
    }

    /// The same as a part of something that runs on tokio's reactor, for futures that need both.
    #[expect(deprecated, reason = "its successor is unsafe; an `OwnedFd` cannot be closed behind tokio's back")]
    pub async fn within<F: Future>(&self, main: F) -> io::Result<F::Output> {
        let core = &self.core;
        let events = AsyncFd::new(core.slots.epoll().try_clone()?)?;
        let (mut main, handle) = (pin!(main), core.main());
        poll_fn(|cx| {
            loop {
                let _entered = Entered::enter(core);
                core.poll_sources(false);
                if let Poll::Ready(output) = core.poll_ready(main.as_mut(), &handle) {
                    return Poll::Ready(Ok(output));
                }
                if core.is_more.get() || !core.ready.borrow().is_empty() {
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
                match events.poll_read_ready(cx)? {
                    Poll::Ready(mut ready) => ready.clear_ready(),
                    Poll::Pending => return Poll::Pending,
                }
            }
        })
        .await
    }
}

impl Drop for Reactor {
    /// Tasks may hold what holds the reactor.
    fn drop(&mut self) {
        let _entered = Entered::enter(&self.core);
        let tasks = std::mem::take(&mut self.core.tasks.borrow_mut().all);
        drop(tasks);
    }
}

impl Core {
    /// A handle for the main future, which is ready.
    fn main(&self) -> Handle {
        let handle = Handle::new(MAIN, &self.remote);
        handle.id.is_ready.store(true, Ordering::Relaxed);
        self.ready.borrow_mut().push_back(MAIN);
        handle
    }

    fn spawn(&self, future: Pin<Box<dyn Future<Output = ()>>>) {
        let mut tasks = self.tasks.borrow_mut();
        let number = tasks.free.pop().unwrap_or_else(|| {
            tasks.all.push(None);
            tasks.all.len() as u32 - 1
        });
        let handle = Handle::new(number, &self.remote);
        handle.id.is_ready.store(true, Ordering::Relaxed);
        self.ready.borrow_mut().push_back(number);
        tasks.all[number as usize] = Some(Task { future, handle });
    }

    /// Polls all that is ready now, each at most once; returns what the main future ended with.
    fn poll_ready<F: Future>(&self, mut main: Pin<&mut F>, handle: &Handle) -> Poll<F::Output> {
        let count = self.ready.borrow().len();
        for _ in 0..count {
            let Some(number) = self.ready.borrow_mut().pop_front() else { break };
            if number == MAIN {
                handle.id.is_ready.store(false, Ordering::Relaxed);
                if let Poll::Ready(output) = main.as_mut().poll(&mut Context::from_waker(&handle.waker)) {
                    return Poll::Ready(output);
                }
            } else {
                self.poll(number);
            }
        }
        Poll::Pending
    }

    #[inline]
    fn poll(&self, number: u32) {
        // Taken out, since a task may start others.
        let Some(mut task) = self.tasks.borrow_mut().all.get_mut(number as usize).and_then(Option::take) else {
            return;
        };
        task.handle.id.is_ready.store(false, Ordering::Relaxed);
        let mut context = Context::from_waker(&task.handle.waker);
        let polled = catch_unwind(AssertUnwindSafe(|| task.future.as_mut().poll(&mut context)));
        let mut tasks = self.tasks.borrow_mut();
        if let Ok(Poll::Pending) = polled {
            tasks.all[number as usize] = Some(task);
        } else {
            tasks.free.push(number);
            drop(tasks);
            drop(task);
        }
    }

    /// Wakes those whose sources became ready, and whom other threads woke; waits for that if need be.
    fn poll_sources(&self, waits: bool) {
        let polled = self.slots.poll_events(waits);
        self.is_more.set(polled.count == EVENTS_MAX);
        if polled.is_woken {
            self.take_woken();
        }
    }

    #[cold]
    fn take_woken(&self) {
        let woken = std::mem::take(&mut *self.remote.woken.lock().unwrap_or_else(PoisonError::into_inner));
        for number in woken {
            // Whose flag is set already is in the queue twice, and then finds nothing to do.
            self.ready.borrow_mut().push_back(number);
        }
    }
}

#[cfg(test)]
mod tests;
