//! What the plan does to the system under test while the load goes on, and undoes again whatever happens.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::thread::JoinHandle;

use nmax_engine::Settings;
use nmax_metrics::Nanos;
use nmax_plan::plan::{Action, Intervention, Moment};

mod act;
pub use act::command;

#[cfg(test)]
mod tests;

/// The plan's interventions under way.
pub(super) struct Timeline {
    settings: Settings,
    items: Vec<Item>,
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
    thread: Option<JoinHandle<()>>,
}

impl Job {
    fn start(action: &Action, what: &Intervention, settings: &Settings) -> Self {
        let (sender, result) = sync_channel(1);
        let (action, limit, settings) = (action.clone(), what.limit, settings.clone());
        let is_over = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&is_over);
        let thread = std::thread::spawn(move || {
            let _ = sender.send(act::act(&action, limit, &seen, &settings));
        });
        Self { result, is_over, thread: Some(thread) }
    }

    fn poll(&mut self) -> Option<Result<(), String>> {
        match self.result.try_recv() {
            Ok(result) => Some(result),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err("it broke, which is a defect of nmax".into())),
        }
    }

    /// Ends it, and waits for that.
    fn end(self) -> Result<(), String> {
        self.is_over.store(true, Ordering::Relaxed);
        self.wait()
    }

    /// Waits for its end, which its limit ensures.
    fn wait(mut self) -> Result<(), String> {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        self.poll().unwrap_or(Ok(()))
    }
}

impl Timeline {
    pub(super) fn new(interventions: &[Intervention], settings: &Settings) -> Self {
        let item = |what: &Intervention| Item { what: what.clone(), state: State::Waiting };
        Self { settings: settings.clone(), items: interventions.iter().map(item).collect() }
    }

    /// Whether something waits for the measurements to be steady.
    pub(super) fn awaits_steadiness(&self) -> bool {
        let waits = |item: &Item| matches!(item.state, State::Waiting) && item.what.at == Moment::Steady;
        self.items.iter().any(waits)
    }

    /// Does what is due at `now`; returns what happened, by number of the intervention.
    pub(super) fn advance(&mut self, now: Nanos, is_steady: bool) -> Vec<(usize, Change)> {
        let mut changes = Vec::new();
        for (index, item) in self.items.iter_mut().enumerate() {
            let mut tell = |change| changes.push((index, change));
            item.state = match std::mem::replace(&mut item.state, State::Over) {
                State::Waiting if is_due(&item.what, now, is_steady) => {
                    tell(Change::Began);
                    State::Acting(Job::start(&item.what.action, &item.what, &self.settings))
                }
                State::Acting(mut job) => match job.poll() {
                    None => State::Acting(job),
                    Some(result) => acted(&item.what, now, result, &mut tell),
                },
                State::Done(Some(end)) if now >= end => leave(&item.what, &self.settings, &mut tell),
                State::Undoing(mut job) => match job.poll() {
                    None => State::Undoing(job),
                    Some(result) => over(result, &mut tell),
                },
                other => other,
            };
        }
        changes
    }

    /// The run has ended, as planned or not: undoes whatever was begun, and waits for it.
    pub(super) fn finish(&mut self) -> Vec<(usize, Change)> {
        let mut changes = Vec::new();
        for (index, item) in self.items.iter_mut().enumerate() {
            let mut tell = |change| changes.push((index, change));
            let mut state = std::mem::replace(&mut item.state, State::Over);
            if let State::Waiting = state {
                tell(Change::NotDone);
            }
            if let State::Acting(job) = state {
                // What is ended in the middle of it is undone too.
                state = acted(&item.what, Nanos::ZERO, job.end(), &mut tell);
            }
            if let State::Done(_) = state {
                state = leave(&item.what, &self.settings, &mut tell);
            }
            if let State::Undoing(job) = state {
                over(job.wait(), &mut tell);
            }
        }
        changes
    }
}

impl Drop for Timeline {
    /// Also when the session breaks, the system under test is left as it was.
    fn drop(&mut self) {
        self.finish();
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
