//! Deadlines of many reusable timers in one heap, with lazy removal. Knows no clock: the owner says what time it is.
//!
//! A timer has at most one live entry in the heap. Moving its deadline later leaves the entry where it is; when it
//! comes up, it is put back at the new deadline. So a time limit on every exchange costs one store per exchange.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;
use std::task::Waker;

use nmax_metrics::Nanos;

/// One reusable timer.
#[derive(Debug, Default)]
pub struct Slot {
    deadline: Cell<Option<Nanos>>,
    queued_at: Cell<Option<Nanos>>,
    waker: RefCell<Option<Waker>>,
    has_fired: Cell<bool>,
}

impl Slot {
    /// Makes `waker`'s task the one to wake. Clones only when the task changed.
    pub fn watch(&self, waker: &Waker) {
        let mut current = self.waker.borrow_mut();
        if !current.as_ref().is_some_and(|current| current.will_wake(waker)) {
            *current = Some(waker.clone());
        }
    }

    /// Forgets the deadline.
    pub fn disarm(&self) {
        self.deadline.set(None);
    }

    /// Whether the deadline has passed since it was set.
    pub fn has_fired(&self) -> bool {
        self.has_fired.get()
    }
}

struct Entry {
    at: Nanos,
    slot: Rc<Slot>,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}
impl Eq for Entry {}
impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.at.cmp(&other.at)
    }
}

/// All deadlines of one thread.
#[derive(Default)]
pub struct Timers {
    heap: RefCell<BinaryHeap<Reverse<Entry>>>,
}

impl Timers {
    /// Sets a slot's deadline. Returns the instant to wake up at when it became the earliest.
    pub fn arm(&self, slot: &Rc<Slot>, at: Nanos) -> Option<Nanos> {
        slot.deadline.set(Some(at));
        slot.has_fired.set(false);
        if slot.queued_at.get().is_some_and(|queued| queued <= at) {
            return None;
        }
        slot.queued_at.set(Some(at));
        let mut heap = self.heap.borrow_mut();
        let is_earliest = heap.peek().is_none_or(|Reverse(first)| at < first.at);
        heap.push(Reverse(Entry { at, slot: Rc::clone(slot) }));
        is_earliest.then_some(at)
    }

    /// The next instant to come back at; a deadline that was moved later may leave an earlier one here.
    pub fn next(&self) -> Option<Nanos> {
        self.heap.borrow().peek().map(|Reverse(first)| first.at)
    }

    /// Wakes everyone whose deadline is at or before `now`; returns the next instant to come back at.
    pub fn fire(&self, now: Nanos) -> Option<Nanos> {
        loop {
            let mut heap = self.heap.borrow_mut();
            let at = heap.peek()?.0.at;
            if at > now {
                return Some(at);
            }
            let Reverse(entry) = heap.pop()?;
            if entry.slot.queued_at.get() != Some(entry.at) {
                continue; // An earlier deadline took its place.
            }
            entry.slot.queued_at.set(None);
            match entry.slot.deadline.get() {
                Some(deadline) if deadline > now => {
                    entry.slot.queued_at.set(Some(deadline));
                    heap.push(Reverse(Entry { at: deadline, slot: entry.slot }));
                }
                Some(_) => {
                    drop(heap);
                    entry.slot.has_fired.set(true);
                    if let Some(waker) = entry.slot.waker.borrow().as_ref() {
                        waker.wake_by_ref();
                    }
                }
                None => {}
            }
        }
    }
}

impl std::fmt::Debug for Timers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Timers").field("entries", &self.heap.borrow().len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::task::Wake;

    use super::*;

    #[derive(Default)]
    struct Count(AtomicU32);
    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn watched() -> (Rc<Slot>, Arc<Count>) {
        let (slot, count) = (Rc::new(Slot::default()), Arc::new(Count::default()));
        slot.watch(&Waker::from(Arc::clone(&count)));
        (slot, count)
    }

    #[test]
    fn a_deadline_moved_later_fires_once_and_late() {
        let timers = Timers::default();
        let (slot, count) = watched();
        assert_eq!(timers.arm(&slot, Nanos(10)), Some(Nanos(10)));
        for later in 11..100 {
            assert_eq!(timers.arm(&slot, Nanos(later)), None, "no entry per exchange");
        }
        assert_eq!(timers.heap.borrow().len(), 1);
        assert_eq!(timers.fire(Nanos(10)), Some(Nanos(99)));
        assert_eq!(count.0.load(Ordering::Relaxed), 0);
        assert_eq!(timers.fire(Nanos(99)), None);
        assert_eq!(count.0.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_deadline_moved_earlier_fires_early_and_once() {
        let timers = Timers::default();
        let (slot, count) = watched();
        timers.arm(&slot, Nanos(50));
        assert_eq!(timers.arm(&slot, Nanos(20)), Some(Nanos(20)));
        timers.fire(Nanos(20));
        timers.fire(Nanos(60));
        assert_eq!(count.0.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_disarmed_timer_stays_silent() {
        let timers = Timers::default();
        let (slot, count) = watched();
        timers.arm(&slot, Nanos(5));
        slot.disarm();
        assert_eq!(timers.fire(Nanos(5)), None);
        assert_eq!(count.0.load(Ordering::Relaxed), 0);
        assert_eq!(timers.arm(&slot, Nanos(7)), Some(Nanos(7)), "and can be used again");
    }
}
