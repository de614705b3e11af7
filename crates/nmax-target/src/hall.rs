//! Where requests of all workers share one [`Crowd`] and wait for their ends.
//!
//! Whoever leaves next waits on a timer of its own worker; the others wait to be woken. A departure makes the next one
//! look again, for it leaves earlier now; an arrival makes the timer end too early, which is then set anew.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::clock;
use crate::crowd::{Crowd, Place};
use crate::model::Usl;
use crate::timers::Timers;

/// A crowd and its bell-pushes.
pub(crate) struct Hall {
    crowd: Mutex<Crowd<Arc<Notify>>>,
}

/// What somebody inside waits for.
enum Turn {
    /// For this instant, in nanoseconds of `clock`: it is the next.
    Until(u64),
    /// To be woken.
    Called,
}

impl Hall {
    pub(crate) fn new(law: Usl) -> Self {
        Self { crowd: Mutex::new(Crowd::new(law)) }
    }

    /// Waits while `work` mean requests of work are done.
    pub(crate) async fn serve(&self, timers: &Timers, work: f64) {
        let bell = Arc::new(Notify::new());
        let seat =
            Seat { hall: self, place: self.after(clock::now_ns(), |crowd| crowd.enter(work, Arc::clone(&bell))) };
        while let Some(turn) = seat.turn() {
            match turn {
                Turn::Until(due_ns) => tokio::select! {
                    () = timers.sleep_until(due_ns) => {}
                    () = bell.notified() => {}
                },
                Turn::Called => bell.notified().await,
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Crowd<Arc<Notify>>> {
        self.crowd.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something to the crowd as it is at `now_ns`, and wakes whom that concerns.
    fn after<R>(&self, now_ns: u64, act: impl FnOnce(&mut Crowd<Arc<Notify>>) -> R) -> R {
        let mut crowd = self.lock();
        let before = crowd.first().map(|(place, _)| place);
        crowd.advance(now_ns, |bell| bell.notify_one());
        let result = act(&mut crowd);
        if let Some((place, bell)) = crowd.first()
            && before != Some(place)
        {
            bell.notify_one();
        }
        result
    }
}

/// Somebody inside. Dropped early, because its client went away, it makes room.
struct Seat<'a> {
    hall: &'a Hall,
    place: Place,
}

impl Seat<'_> {
    /// What to wait for; nothing once its work is done.
    fn turn(&self) -> Option<Turn> {
        self.hall.after(clock::now_ns(), |crowd| {
            if !crowd.holds(self.place) {
                return None;
            }
            let first = crowd.first().is_some_and(|(place, _)| place == self.place);
            let due_ns = crowd.next_ns().filter(|_| first);
            Some(due_ns.map_or(Turn::Called, Turn::Until))
        })
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.hall.after(clock::now_ns(), |crowd| crowd.leave(self.place));
    }
}
