//! What the plan does to the system under test while the load goes on, and undoes again whatever happens.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use nmax_engine::Settings;
use nmax_metrics::Nanos;
use nmax_plan::plan::{Action, Intervention, Moment};

use crate::signals::Undo;

mod act;
pub use act::command;

#[cfg(test)]
mod tests;

/// How often it is looked whether everything is undone.
const LOOK: Duration = Duration::from_millis(5);

/// The plan's interventions under way. Shared with the listener of signals, which undoes them when the run cannot.
pub(super) struct Timeline(Arc<Mutex<Course>>);

struct Course {
    settings: Settings,
    items: Vec<Item>,
    /// Nothing begins any more.
    is_over: bool,
    /// What happened and was not taken yet, by number of the intervention.
    changes: Vec<(usize, Change)>,
}

struct Item {
    what: Intervention,
    state: State,
}

enum State {
    /// Its moment has not come.
    Waiting,
    /// Its action goes on.
    Acting(Job),
    /// Done, and to be undone or over at that instant; `None` at the end of the run.
    Done(Option<Nanos>),
    /// Its undo goes on.
    Undoing(Job),
    Over,
}

/// Something that happened to an intervention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Its action began.
    Began,
    /// It was undone, or is over.
    Ended,
    /// An action of it failed, for this reason.
    Failed(String),
    /// The run ended before its moment came.
    NotDone,
}

/// An action on a thread of its own, which ends by its limit.
struct Job {
    result: Receiver<Result<(), String>>,
    /// Set when it is to end before.
    is_over: Arc<AtomicBool>,
}

impl Job {
    /// Does it on a thread; on this one where there is none to be had, since an undo must be done all the same.
    fn start(action: &Action, what: &Intervention, settings: &Settings) -> Self {
        let (sender, result) = sync_channel(1);
        let is_over = Arc::new(AtomicBool::new(false));
        let work = {
            let (sender, action, limit, settings) = (sender.clone(), action.clone(), what.limit, settings.clone());
            let seen = Arc::clone(&is_over);
            move || drop(sender.send(act::act(&action, limit, &seen, &settings)))
        };
        if std::thread::Builder::new().name("nmax-action".into()).spawn(work).is_err() {
            let _ = sender.send(act::act(action, what.limit, &is_over, settings));
        }
        Self { result, is_over }
    }

    fn poll(&mut self) -> Option<Result<(), String>> {
        match self.result.try_recv() {
            Ok(result) => Some(result),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err("it broke, which is a defect of nmax".into())),
        }
    }

    /// Ends it before its limit.
    fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

impl Timeline {
    pub(super) fn new(interventions: &[Intervention], settings: &Settings) -> Self {
        let item = |what: &Intervention| Item { what: what.clone(), state: State::Waiting };
        let items = interventions.iter().map(item).collect();
        let course = Course { settings: settings.clone(), items, is_over: false, changes: Vec::new() };
        Self(Arc::new(Mutex::new(course)))
    }

    fn course(&self) -> MutexGuard<'_, Course> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether something waits for the measurements to be steady.
    pub(super) fn awaits_steadiness(&self) -> bool {
        let waits = |item: &Item| matches!(item.state, State::Waiting) && item.what.at == Moment::Steady;
        self.course().items.iter().any(waits)
    }

    /// Does what is due at `now`; returns what happened, by number of the intervention.
    pub(super) fn advance(&mut self, now: Nanos, is_steady: bool) -> Vec<(usize, Change)> {
        let mut course = self.course();
        if course.is_over {
            course.retreat();
        } else {
            course.advance(now, is_steady);
        }
        std::mem::take(&mut course.changes)
    }

    /// The load has ended, as planned or not: begins to undo whatever was begun, all at once, and waits for nothing.
    pub(super) fn retreat(&mut self) -> Vec<(usize, Change)> {
        let mut course = self.course();
        course.retreat();
        std::mem::take(&mut course.changes)
    }

    /// As [`Self::retreat`], and waits until all is undone. When `is_late` says so, what still goes on is left to end
    /// by itself.
    #[expect(clippy::disallowed_methods, reason = "waits for commands and calls, which have limits in real time")]
    pub(super) fn finish(&mut self, is_late: &dyn Fn() -> bool) -> Vec<(usize, Change)> {
        loop {
            let mut course = self.course();
            if course.retreat() {
                return std::mem::take(&mut course.changes);
            }
            if is_late() {
                course.leave_behind();
                return std::mem::take(&mut course.changes);
            }
            drop(course);
            std::thread::sleep(LOOK);
        }
    }

    /// What the listener of signals does when the process is about to end.
    pub(super) fn undo(&self) -> Undo {
        let course = Arc::clone(&self.0);
        Box::new(move || match course.try_lock() {
            Ok(mut course) => course.retreat(),
            Err(TryLockError::Poisoned(course)) => course.into_inner().retreat(),
            // The run is at it.
            Err(TryLockError::WouldBlock) => false,
        })
    }
}

impl Drop for Timeline {
    /// Also when the session breaks, the system under test is left as it was.
    fn drop(&mut self) {
        self.finish(&|| false);
    }
}

impl Course {
    fn advance(&mut self, now: Nanos, is_steady: bool) {
        let Self { settings, items, changes, .. } = self;
        for (index, item) in items.iter_mut().enumerate() {
            let mut tell = |change| changes.push((index, change));
            item.state = match std::mem::replace(&mut item.state, State::Over) {
                State::Waiting if is_due(&item.what, now, is_steady) => {
                    tell(Change::Began);
                    State::Acting(Job::start(&item.what.action, &item.what, settings))
                }
                State::Acting(mut job) => match job.poll() {
                    None => State::Acting(job),
                    Some(result) => acted(&item.what, now, result, &mut tell),
                },
                State::Done(Some(end)) if now >= end => leave(&item.what, settings, &mut tell),
                State::Undoing(mut job) => match job.poll() {
                    None => State::Undoing(job),
                    Some(result) => over(result, &mut tell),
                },
                other => other,
            };
        }
    }

    /// Undoes whatever was begun, without waiting for it; whether all of it is over.
    fn retreat(&mut self) -> bool {
        self.is_over = true;
        let Self { settings, items, changes, .. } = self;
        for (index, item) in items.iter_mut().enumerate() {
            let mut tell = |change| changes.push((index, change));
            item.state = match std::mem::replace(&mut item.state, State::Over) {
                State::Waiting => {
                    tell(Change::NotDone);
                    State::Over
                }
                State::Acting(mut job) => {
                    job.end();
                    match job.poll() {
                        None => State::Acting(job),
                        Some(result) => {
                            // What is ended in the middle of it is undone too.
                            acted(&item.what, Nanos::ZERO, result, &mut tell);
                            leave(&item.what, settings, &mut tell)
                        }
                    }
                }
                State::Done(_) => leave(&item.what, settings, &mut tell),
                State::Undoing(mut job) => match job.poll() {
                    None => State::Undoing(job),
                    Some(result) => over(result, &mut tell),
                },
                State::Over => State::Over,
            };
        }
        items.iter().all(|item| matches!(item.state, State::Over))
    }

    /// Tells of what still goes on that it is not waited for any more.
    fn leave_behind(&mut self) {
        let Self { settings, items, changes, .. } = self;
        for (index, item) in items.iter_mut().enumerate() {
            let state = std::mem::replace(&mut item.state, State::Over);
            if let State::Acting(_) = state {
                // It did not end when it was killed. Its undo has the rest of the time.
                leave(&item.what, settings, &mut |_| {});
            }
            if !matches!(state, State::Over) {
                let why = "it still went on when nmax had to end, and was left to end by itself: see that it did";
                changes.push((index, Change::Failed(format!("undo: {why}"))));
            }
        }
    }
}

fn is_due(what: &Intervention, now: Nanos, is_steady: bool) -> bool {
    match what.at {
        Moment::At(at) => now >= Nanos::from(at),
        Moment::Steady => is_steady,
    }
}

/// What follows an action. What failed may have done part of its work, so it is undone at once.
fn acted(what: &Intervention, now: Nanos, result: Result<(), String>, tell: &mut impl FnMut(Change)) -> State {
    if let Err(why) = result {
        tell(Change::Failed(why));
        return State::Done(Some(now));
    }
    match (what.lasts, &what.undo) {
        (Some(lasts), _) => State::Done(Some(now + Nanos::from(lasts))),
        (None, Some(_)) => State::Done(None),
        (None, None) => State::Done(Some(now)),
    }
}

/// Its time is over: it is undone, or just ends.
fn leave(what: &Intervention, settings: &Settings, tell: &mut impl FnMut(Change)) -> State {
    match &what.undo {
        Some(undo) => State::Undoing(Job::start(undo, what, settings)),
        None => over(Ok(()), tell),
    }
}

fn over(result: Result<(), String>, tell: &mut impl FnMut(Change)) -> State {
    if let Err(why) = result {
        tell(Change::Failed(format!("undo: {why}")));
    }
    tell(Change::Ended);
    State::Over
}
