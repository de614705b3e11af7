//! A mutex that threads hold one after the other.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::thread_pool::{ThreadPool, Work};
use super::{Gauge, Refused};

/// The lock and the threads that want it.
pub(super) struct Lock {
    pool: ThreadPool,
    held: Arc<Held>,
}

#[derive(Default)]
struct Held {
    mutex: Mutex<()>,
    /// Requests that want it, with those that have it.
    wanting: Gauge,
    holding: Gauge,
}

impl Lock {
    pub(super) fn new(held_ns: u64, threads: usize) -> io::Result<Self> {
        let held = Arc::new(Held::default());
        let works = (0..threads).map(|_| holding(&held, held_ns)).collect();
        Ok(Self { pool: ThreadPool::start("lock", works)?, held })
    }

    /// Waits for the lock, holds it, and gives it back.
    pub(super) async fn pass(&self, number: u64) -> Result<(), Refused> {
        let _wanting = self.held.wanting.enter();
        self.pool.work(number).await
    }

    pub(super) fn figures(&self) -> [(&'static str, u64); 2] {
        let holding = self.held.holding.value();
        let waiting = self.held.wanting.value().saturating_sub(holding);
        [("waiting", waiting), ("holding", holding)]
    }
}

fn holding(held: &Arc<Held>, held_ns: u64) -> Work {
    let held = Arc::clone(held);
    Box::new(move |_| {
        let _locked = held.mutex.lock().unwrap_or_else(PoisonError::into_inner);
        let _holding = held.holding.enter();
        #[expect(clippy::disallowed_methods, reason = "this thread is there to hold the lock and do nothing")]
        std::thread::sleep(Duration::from_nanos(held_ns));
        Ok(())
    })
}
