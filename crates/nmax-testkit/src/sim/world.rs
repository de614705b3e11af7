//! A single-threaded world without time of its own: tasks run until none is ready, then the clock jumps.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use nmax_engine::runtime::timers::{Slot, Timers};
use nmax_engine::runtime::{Runtime, ThreadTime, Timer};
use nmax_metrics::{Clock, Nanos};

/// Clock, timers and tasks.
#[derive(Default)]
pub struct World {
    now: Cell<Nanos>,
    timers: Timers,
    tasks: RefCell<Vec<Option<Task>>>,
    ready: Arc<Ready>,
    /// Instants at which the thread is busy, and for how long; in order.
    blocks: RefCell<VecDeque<(Nanos, Nanos)>>,
}

struct Task {
    future: Pin<Box<dyn Future<Output = ()>>>,
    handle: Arc<Handle>,
    waker: Waker,
}

/// Tasks to poll, in the order of their waking.
#[derive(Default)]
struct Ready(Mutex<VecDeque<usize>>);

impl Ready {
    fn push(&self, task: usize) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push_back(task);
    }

    fn pop(&self) -> Option<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    fn is_empty(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}

/// What wakers of a task hold.
struct Handle {
    task: usize,
    is_queued: AtomicBool,
    ready: Arc<Ready>,
}

impl Wake for Handle {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.is_queued.swap(true, Ordering::Relaxed) {
            self.ready.push(self.task);
        }
    }
}

impl World {
    /// A world in which it is this instant.
    pub fn starting_at(now: Nanos) -> Self {
        Self { now: Cell::new(now), ..Self::default() }
    }

    /// Keeps the thread busy for `span` from `at` on: nothing runs meanwhile, then everything is late.
    pub fn block(&self, at: Nanos, span: Nanos) {
        let mut blocks = self.blocks.borrow_mut();
        let place = blocks.partition_point(|(earlier, _)| *earlier <= at);
        blocks.insert(place, (at, span));
    }

    /// Runs tasks and moves the clock until `is_over`. `quiet` is called whenever no task is ready.
    ///
    /// # Panics
    /// When nothing can ever happen again and it is not over.
    pub fn run(&self, is_over: impl Fn() -> bool, mut quiet: impl FnMut()) {
        loop {
            while let Some(task) = self.ready.pop() {
                self.poll(task);
                if is_over() {
                    return quiet();
                }
            }
            quiet();
            let next = self.timers.fire(self.now.get());
            if self.ready.is_empty() {
                let Some(next) = next else { panic!("the simulation is stuck at {:?}", self.now.get()) };
                self.advance(next);
            }
        }
    }

    /// Ends every task.
    pub fn clear(&self) {
        let tasks = std::mem::take(&mut *self.tasks.borrow_mut());
        drop(tasks);
    }

    /// Moves the clock to `next`, or to the end of the time in which the thread is busy.
    fn advance(&self, next: Nanos) {
        let (mut now, mut blocks) = (next, self.blocks.borrow_mut());
        while let Some((at, span)) = blocks.front().copied().filter(|(at, _)| *at <= now) {
            now = now.max(at + span);
            blocks.pop_front();
        }
        self.now.set(now);
    }

    fn poll(&self, number: usize) {
        let Some(mut task) = self.tasks.borrow_mut()[number].take() else {
            return;
        };
        task.handle.is_queued.store(false, Ordering::Relaxed);
        let polled = task.future.as_mut().poll(&mut Context::from_waker(&task.waker));
        if polled.is_pending() {
            self.tasks.borrow_mut()[number] = Some(task);
        }
    }

    fn spawn(&self, future: Pin<Box<dyn Future<Output = ()>>>) {
        let mut tasks = self.tasks.borrow_mut();
        let handle =
            Arc::new(Handle { task: tasks.len(), is_queued: AtomicBool::new(false), ready: Arc::clone(&self.ready) });
        let waker = Waker::from(Arc::clone(&handle));
        waker.wake_by_ref();
        tasks.push(Some(Task { future, handle, waker }));
    }
}

/// A world as the engine sees it.
#[derive(Clone)]
pub struct SimRuntime {
    world: Rc<World>,
}

impl SimRuntime {
    /// The runtime of this world.
    pub fn new(world: Rc<World>) -> Self {
        Self { world }
    }
}

impl Clock for SimRuntime {
    fn now(&self) -> Nanos {
        self.world.now.get()
    }
}

impl Runtime for SimRuntime {
    type Timer = SimTimer;

    fn timer(&self) -> SimTimer {
        SimTimer { runtime: self.clone(), slot: Rc::default() }
    }

    fn spawn(&self, task: impl Future<Output = ()> + 'static) {
        self.world.spawn(Box::pin(task));
    }

    fn thread_time(&self) -> ThreadTime {
        ThreadTime::default()
    }
}

/// A timer on the virtual clock.
pub struct SimTimer {
    runtime: SimRuntime,
    slot: Rc<Slot>,
}

impl Timer for SimTimer {
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
        // The world asks for the next deadline itself.
        let _ = self.runtime.world.timers.arm(&self.slot, at);
    }

    fn watch(&self, waker: &Waker) {
        self.slot.watch(waker);
    }

    fn has_fired(&self) -> bool {
        self.slot.has_fired()
    }
}
