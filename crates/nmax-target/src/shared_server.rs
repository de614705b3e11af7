//! Where requests of all workers share one [`ProcessorSharing`] system and wait for their ends.
//!
//! Whoever leaves next waits on a timer of its own worker; the others wait to be woken. A departure makes the next one
//! look again, for it leaves earlier now; an arrival makes the timer end too early, which is then set anew.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::clock;
use crate::model::Usl;
use crate::processor_sharing::{JobKey, ProcessorSharing};
use crate::timers::Timers;

/// A system under a law, and what wakes those who wait in it.
pub(crate) struct SharedServer {
    queue: Mutex<ProcessorSharing<Arc<Notify>>>,
}

/// What somebody inside waits for.
enum Wait {
    /// For this instant, in nanoseconds of `clock`: it is the next.
    Until(u64),
    /// To be woken.
    Called,
}

impl SharedServer {
    pub(crate) fn new(law: Usl) -> Self {
        Self { queue: Mutex::new(ProcessorSharing::new(law)) }
    }

    /// Waits while `work` mean requests of work are done.
    pub(crate) async fn serve(&self, timers: &Timers, work: f64) {
        let wakeup = Arc::new(Notify::new());
        let job = JobInService {
            server: self,
            key: self.after(clock::now_ns(), |queue| queue.enter(work, Arc::clone(&wakeup))),
        };
        while let Some(wait) = job.next_wait() {
            match wait {
                Wait::Until(due_ns) => tokio::select! {
                    () = timers.sleep_until(due_ns) => {}
                    () = wakeup.notified() => {}
                },
                Wait::Called => wakeup.notified().await,
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, ProcessorSharing<Arc<Notify>>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something to the system as it is at `now_ns`, and wakes whom that concerns.
    fn after<R>(&self, now_ns: u64, act: impl FnOnce(&mut ProcessorSharing<Arc<Notify>>) -> R) -> R {
        let mut queue = self.lock();
        let before = queue.first().map(|(key, _)| key);
        queue.advance(now_ns, |wakeup| wakeup.notify_one());
        let result = act(&mut queue);
        if let Some((key, wakeup)) = queue.first()
            && before != Some(key)
        {
            wakeup.notify_one();
        }
        result
    }
}

/// A request in service. Dropped early, because its client went away, it makes room.
struct JobInService<'a> {
    server: &'a SharedServer,
    key: JobKey,
}

impl JobInService<'_> {
    /// What to wait for; nothing once its work is done.
    fn next_wait(&self) -> Option<Wait> {
        self.server.after(clock::now_ns(), |queue| {
            if !queue.holds(self.key) {
                return None;
            }
            let first = queue.first().is_some_and(|(key, _)| key == self.key);
            let due_ns = queue.next_ns().filter(|_| first);
            Some(due_ns.map_or(Wait::Called, Wait::Until))
        })
    }
}

impl Drop for JobInService<'_> {
    fn drop(&mut self) {
        self.server.after(clock::now_ns(), |queue| queue.leave(self.key));
    }
}
