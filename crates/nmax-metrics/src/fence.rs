//! The instant from which on nothing is started or sent any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::Nanos;

/// The bit of a fence that was reached.
const REACHED: u64 = 1 << 63;

/// The instant, on a clock that all who look at it share, from which on they start and send nothing. Another thread may
/// move it until one of them has reached it; then it stays, so that all end at the same instant. Clones are the same fence.
#[derive(Clone, Debug)]
pub struct Fence(Arc<AtomicU64>);

impl Default for Fence {
    /// One that is never reached, unless it is moved.
    fn default() -> Self {
        Self::at(Nanos::MAX)
    }
}

impl Fence {
    /// A fence at this instant; those after 292 years are never reached.
    pub fn at(at: Nanos) -> Self {
        Self(Arc::new(AtomicU64::new(at.0.min(REACHED - 1))))
    }

    /// Moves it to an earlier or later instant; false when it was reached before, and has not moved.
    pub fn set(&self, at: Nanos) -> bool {
        let at = at.0.min(REACHED - 1);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |old| (old < REACHED).then_some(at)).is_ok()
    }

    /// Where it is.
    pub fn get(&self) -> Nanos {
        Nanos(self.0.load(Ordering::Relaxed) & !REACHED)
    }

    /// Whether it may ever be reached, where it is now.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.get().0 < REACHED - 1
    }

    /// Whether `now` is at or after it. Where it is, it stays from then on.
    #[inline]
    pub fn is_reached(&self, now: Nanos) -> bool {
        now >= self.get() && self.reach(now)
    }

    /// Whether somebody has reached it.
    pub fn was_reached(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= REACHED
    }

    #[cold]
    fn reach(&self, now: Nanos) -> bool {
        let reach = |at| (at < REACHED && now.0 >= at).then_some(at | REACHED);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, reach).is_ok() || self.was_reached()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_moves_until_it_is_reached() {
        let (fence, at) = (Fence::default(), Nanos);
        let same = fence.clone();
        assert!(!fence.is_set() && fence.set(at(50)) && same.get() == at(50) && same.is_set());
        assert!(!same.is_reached(at(49)) && !same.was_reached() && fence.set(at(40)) && fence.set(at(60)));
        assert!(!fence.is_reached(at(59)) && fence.is_reached(at(60)) && same.was_reached());
        assert!(!same.set(at(70)) && same.get() == at(60), "it stays where it was reached");
        assert!(same.is_reached(at(61)) && !same.is_reached(at(59)), "what lies before it does");
    }
}
