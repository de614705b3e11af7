//! Slots that are lent, first come, first served.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::{Semaphore, SemaphorePermit};

use super::{Gauge, Refused};
use crate::clock;
use crate::timers::Timers;

/// A pool of slots.
pub(super) struct Pool {
    size: usize,
    held_ns: u64,
    timeout_ns: Option<u64>,
    slots: Semaphore,
    waiting: Gauge,
    timeouts: AtomicU64,
}

/// A slot that is lent. Dropping it gives it back.
pub(super) struct Slot<'a> {
    _permit: SemaphorePermit<'a>,
}

impl Pool {
    pub(super) fn new(size: usize, held_ns: u64, timeout_ns: Option<u64>) -> Self {
        Self {
            size,
            held_ns,
            timeout_ns,
            slots: Semaphore::new(size),
            waiting: Gauge::default(),
            timeouts: AtomicU64::new(0),
        }
    }

    /// Waits for a slot and uses it for its time; the slot is kept beyond that.
    pub(super) async fn enter(&self, timers: &Timers) -> Result<Slot<'_>, Refused> {
        let permit = {
            let _waiting = self.waiting.enter();
            tokio::select! {
                biased;
                permit = self.slots.acquire() => permit.map_err(|_| Refused::busy("the pool is closed"))?,
                () = timed_out(timers, self.timeout_ns) => {
                    self.timeouts.fetch_add(1, Ordering::Relaxed);
                    return Err(Refused::busy("no slot of the pool became free in time"));
                }
            }
        };
        if self.held_ns > 0 {
            timers.sleep(self.held_ns).await;
        }
        Ok(Slot { _permit: permit })
    }

    pub(super) fn figures(&self) -> [(&'static str, u64); 4] {
        let in_use = self.size.saturating_sub(self.slots.available_permits());
        [
            ("in_use", in_use as u64),
            ("waiting", self.waiting.value()),
            ("limit", self.size as u64),
            ("timeouts_total", self.timeouts.load(Ordering::Relaxed)),
        ]
    }
}

/// Ready after the time, or never.
async fn timed_out(timers: &Timers, timeout_ns: Option<u64>) {
    match timeout_ns {
        Some(span_ns) => timers.sleep_until(clock::now_ns().saturating_add(span_ns)).await,
        None => std::future::pending().await,
    }
}
