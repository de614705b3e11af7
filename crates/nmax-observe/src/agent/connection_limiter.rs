//! Who is connected to an agent: callers who have not shown the token, for a moment, and those who have.
//!
//! Anybody who reaches the agent may connect. Until a caller has shown the token it has little time and no right to stay:
//! where many wait, the one that came first makes room for the next. So an honest caller, who says everything at once, is
//! heard whatever others do; and descriptors are bounded.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;
use tokio::time::timeout;

/// Callers who know the token, at once.
pub(super) const KNOWN_MAX: usize = 32;
/// Callers who have not shown it, at once.
pub(super) const STRANGERS_MAX: usize = 128;
/// Time in which a caller has to show it, from its connection on.
pub(super) const STRANGER_TIME_MAX: Duration = Duration::from_secs(3);

/// Everybody who is connected.
#[derive(Debug)]
pub(super) struct ConnectionLimiter {
    strangers: Mutex<Strangers>,
    permits: Arc<Semaphore>,
}

#[derive(Debug, Default)]
struct Strangers {
    /// The next one's number.
    next: u64,
    /// By number, so the first one came first.
    waiting: VecDeque<(u64, AbortHandle)>,
}

impl ConnectionLimiter {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self { strangers: Mutex::default(), permits: Arc::new(Semaphore::new(KNOWN_MAX)) })
    }

    /// A caller comes in; `serve` starts the task that serves it. The one that has waited longest leaves where there is no
    /// room.
    pub(super) fn enter(self: &Arc<Self>, serve: impl FnOnce(Arc<Guest>) -> AbortHandle) {
        // Held until the caller is among those who wait, so that it does not leave before.
        let mut strangers = self.strangers();
        strangers.next += 1;
        if strangers.waiting.len() >= STRANGERS_MAX
            && let Some((_, task)) = strangers.waiting.pop_front()
        {
            task.abort();
        }
        let number = strangers.next;
        let guest = Guest { number, limiter: Arc::clone(self), permit: OnceLock::new(), is_known: Notify::new() };
        let task = serve(Arc::new(guest));
        strangers.waiting.push_back((number, task));
    }

    fn strangers(&self) -> MutexGuard<'_, Strangers> {
        self.strangers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn forget(&self, number: u64) {
        self.strangers().waiting.retain(|(other, _)| *other != number);
    }
}

/// One caller.
#[derive(Debug)]
pub(super) struct Guest {
    number: u64,
    limiter: Arc<ConnectionLimiter>,
    permit: OnceLock<OwnedSemaphorePermit>,
    is_known: Notify,
}

impl Guest {
    /// Gives a caller who has shown the token a permit, which it keeps; false when none is free.
    pub(super) fn sit_down(&self) -> bool {
        if self.permit.get().is_some() {
            return true;
        }
        let Ok(permit) = Arc::clone(&self.limiter.permits).try_acquire_owned() else {
            return false;
        };
        let is_first = self.permit.set(permit).is_ok();
        self.limiter.forget(self.number);
        self.is_known.notify_one();
        is_first
    }

    /// Waits until the caller has had its time without showing the token; for ever when it shows it.
    pub(super) async fn is_late(&self) {
        if timeout(STRANGER_TIME_MAX, self.is_known.notified()).await.is_ok() {
            std::future::pending().await
        }
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        self.limiter.forget(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn guests(limiter: &Arc<ConnectionLimiter>, count: usize) -> Vec<Arc<Guest>> {
        let mut all = Vec::new();
        for _ in 0..count {
            limiter.enter(|guest| {
                all.push(guest);
                tokio::spawn(std::future::pending::<()>()).abort_handle()
            });
        }
        all
    }

    fn waiting(limiter: &Arc<ConnectionLimiter>) -> Vec<u64> {
        limiter.strangers().waiting.iter().map(|(number, _)| *number).collect()
    }

    /// Law: never more than so many wait; those who came last stay, and those who are known are not among them.
    #[tokio::test]
    async fn the_first_to_come_leaves_first() {
        let limiter = ConnectionLimiter::new();
        let known = guests(&limiter, 2).await;
        assert!(known.iter().all(|guest| guest.sit_down() && guest.sit_down()));
        assert!(waiting(&limiter).is_empty());
        let crowd = guests(&limiter, STRANGERS_MAX + 5).await;
        let last: Vec<u64> = crowd[5..].iter().map(|guest| guest.number).collect();
        assert_eq!(waiting(&limiter), last);
        drop(crowd);
        assert!(waiting(&limiter).is_empty());
    }

    /// Law: strangers take no permit of those who know the token, and a permit is free again when its guest has left.
    #[tokio::test]
    async fn seats_are_for_those_who_are_known() {
        let limiter = ConnectionLimiter::new();
        let _crowd = guests(&limiter, STRANGERS_MAX).await;
        let mut known = guests(&limiter, KNOWN_MAX + 1).await;
        let seated = known.iter().filter(|guest| guest.sit_down()).count();
        assert_eq!(seated, KNOWN_MAX);
        let without = known.pop().unwrap();
        assert!(!without.sit_down());
        known.pop();
        assert!(without.sit_down());
    }
}
