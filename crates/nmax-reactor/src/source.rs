//! Files that tell when they are ready, edge by edge.
//!
//! A file is registered once, for both directions. What the kernel tells is remembered until a system call finds that it is over.

use std::cell::{Cell, RefCell};
use std::io;
use std::ops::Deref;
use std::os::fd::{AsFd, OwnedFd};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use rustix::event::{Timespec, epoll};
use rustix::io::Errno;

use crate::tasks::{Core, current};

/// Events that one look takes.
pub(crate) const EVENTS_MAX: usize = 256;
/// The name of the event by which other threads wake.
const WOKEN: u64 = u64::MAX;

/// What is known of a file.
const READABLE: u8 = 1;
const WRITABLE: u8 = 2;
/// No more comes: that stays so.
const READ_ENDED: u8 = 4;
/// No more goes out.
const WRITE_ENDED: u8 = 8;

/// A file that this thread's tasks wait for. It is watched as long as it lives.
pub struct Source<F> {
    slot: Rc<Slot>,
    number: u32,
    core: Rc<Core>,
    /// Closed last, when its slot is no longer among those of the reactor.
    file: F,
}

/// What the reactor knows of a source.
struct Slot {
    /// Tells its events from those of a source that had the same number before.
    generation: u32,
    ready: Cell<u8>,
    reader: Waiter,
    writer: Waiter,
}

/// A task that waits for one direction.
#[derive(Default)]
struct Waiter {
    waits: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

/// All sources of a reactor.
pub(crate) struct Slots {
    epoll: OwnedFd,
    all: RefCell<All>,
    events: RefCell<Vec<epoll::Event>>,
}

#[derive(Default)]
struct All {
    slots: Vec<Option<Rc<Slot>>>,
    free: Vec<u32>,
    generation: u32,
}

/// What polling the sources found.
pub(crate) struct Polled {
    pub(crate) count: usize,
    /// Other threads woke tasks.
    pub(crate) is_woken: bool,
}

impl Waiter {
    #[inline]
    fn wait(&self, cx: &Context<'_>) {
        let mut waker = self.waker.borrow_mut();
        if !waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            *waker = Some(cx.waker().clone());
        }
        self.waits.set(true);
    }

    #[inline]
    fn wake(&self) {
        if self.waits.replace(false)
            && let Some(waker) = &*self.waker.borrow()
        {
            waker.wake_by_ref();
        }
    }
}

impl Slots {
    /// With the event by which other threads wake.
    pub(crate) fn new(event: &OwnedFd) -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        epoll::add(&epoll, event, epoll::EventData::new_u64(WOKEN), epoll::EventFlags::IN | epoll::EventFlags::ET)?;
        Ok(Self { epoll, all: RefCell::default(), events: RefCell::new(Vec::with_capacity(EVENTS_MAX)) })
    }

    /// What becomes readable when a source becomes ready.
    pub(crate) fn epoll(&self) -> &OwnedFd {
        &self.epoll
    }

    /// Takes what became ready, and wakes who waits for it; `waits` until something does.
    pub(crate) fn poll_events(&self, waits: bool) -> Polled {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut events = self.events.borrow_mut();
        events.clear();
        let limit = if waits { None } else { Some(&now) };
        match epoll::wait(&self.epoll, rustix::buffer::spare_capacity(&mut *events), limit) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => panic!("an epoll of our own cannot be asked: {error}"),
        }
        let all = self.all.borrow();
        let mut polled = Polled { count: events.len(), is_woken: false };
        for event in events.iter() {
            let name = event.data.u64();
            if name == WOKEN {
                polled.is_woken = true;
            } else if let Some(Some(slot)) = all.slots.get(name as u32 as usize)
                && slot.generation == (name >> 32) as u32
            {
                slot.mark_ready(event.flags);
            }
        }
        polled
    }

    fn add(&self, file: &impl AsFd) -> io::Result<(u32, Rc<Slot>)> {
        let mut all = self.all.borrow_mut();
        let (number, generation) = (all.free.last().copied().unwrap_or(all.slots.len() as u32), all.generation);
        let name = epoll::EventData::new_u64(u64::from(generation) << 32 | u64::from(number));
        let wanted = epoll::EventFlags::IN | epoll::EventFlags::OUT | epoll::EventFlags::RDHUP | epoll::EventFlags::ET;
        epoll::add(&self.epoll, file, name, wanted)?;
        let slot =
            Rc::new(Slot { generation, ready: Cell::new(0), reader: Waiter::default(), writer: Waiter::default() });
        all.generation = generation.wrapping_add(1) & (u32::MAX >> 1);
        match all.free.pop() {
            Some(free) => all.slots[free as usize] = Some(Rc::clone(&slot)),
            None => all.slots.push(Some(Rc::clone(&slot))),
        }
        Ok((number, slot))
    }

    /// Closing a file ends its watch.
    fn remove(&self, number: u32) {
        let mut all = self.all.borrow_mut();
        all.slots[number as usize] = None;
        all.free.push(number);
    }
}

impl Slot {
    #[inline]
    fn mark_ready(&self, flags: epoll::EventFlags) {
        use epoll::EventFlags as Flags;
        let tells = |flag, bits| if flags.intersects(flag) { bits } else { 0 };
        let news = tells(Flags::IN.union(Flags::PRI), READABLE)
            | tells(Flags::OUT, WRITABLE)
            | tells(Flags::RDHUP, READ_ENDED)
            | tells(Flags::HUP, READ_ENDED | WRITE_ENDED)
            | tells(Flags::ERR, READABLE | WRITABLE);
        self.ready.set(self.ready.get() | news);
        if news & (READABLE | READ_ENDED) != 0 {
            self.reader.wake();
        }
        if news & (WRITABLE | WRITE_ENDED) != 0 {
            self.writer.wake();
        }
    }

    #[inline]
    fn is(&self, wanted: u8) -> bool {
        self.ready.get() & wanted != 0
    }

    #[inline]
    fn is_not(&self, over: u8) {
        self.ready.set(self.ready.get() & !over);
    }
}

impl<F: AsFd> Source<F> {
    /// Watches a file that does not block.
    ///
    /// # Panics
    /// Outside of a reactor.
    pub fn new(file: F) -> io::Result<Self> {
        let core = current(Rc::clone).expect("a source is made where a reactor runs");
        let (number, slot) = core.slots.add(&file)?;
        Ok(Self { slot, number, core, file })
    }

    /// Ready when something may be read, or nothing ever again.
    #[inline]
    pub fn poll_readable(&self, cx: &Context<'_>) -> Poll<()> {
        if self.slot.is(READABLE | READ_ENDED) {
            return Poll::Ready(());
        }
        self.slot.reader.wait(cx);
        Poll::Pending
    }

    /// Ready when something may be written, or nothing ever again.
    pub fn poll_writable(&self, cx: &Context<'_>) -> Poll<()> {
        if self.slot.is(WRITABLE | WRITE_ENDED) {
            return Poll::Ready(());
        }
        self.slot.writer.wait(cx);
        Poll::Pending
    }

    /// All was read that was there: the reactor tells of more.
    #[inline]
    pub fn clear_readable(&self) {
        self.slot.is_not(READABLE);
    }

    /// Nothing can be written now: the reactor tells when it can.
    pub fn clear_writable(&self) {
        self.slot.is_not(WRITABLE);
    }
}

impl<F> Deref for Source<F> {
    type Target = F;

    fn deref(&self) -> &F {
        &self.file
    }
}

impl<F> Drop for Source<F> {
    fn drop(&mut self) {
        self.core.slots.remove(self.number);
    }
}

impl<F: std::fmt::Debug> std::fmt::Debug for Source<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source").field("file", &self.file).finish_non_exhaustive()
    }
}
