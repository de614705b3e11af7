//! What is done once around a run: the plan's setup before the workers start, its teardown after the last has ended.
//!
//! The teardown is owed as soon as the setup began, also when that failed or the run was cut off: it gets the values
//! that were set until then, and at most the plan's graceful stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::alone::{Alone, Once, run_steps};
use crate::run::StartError;
use crate::settings::Settings;

/// How often it is looked whether somebody gave up.
const LOOK: Duration = Duration::from_millis(50);

/// The end of a run that owes a teardown.
#[derive(Debug)]
pub(crate) struct Bracket {
    settings: Settings,
    values: Arc<Vec<String>>,
    state: State,
    gave_up: Arc<AtomicBool>,
    failure: Option<String>,
}

#[derive(Debug)]
enum State {
    Owed,
    UnderWay(JoinHandle<Option<String>>),
    Done,
}

impl Bracket {
    /// Does the setup; `is_cut` says when not to wait for it any more.
    pub(crate) fn open(settings: &Settings, is_cut: &dyn Fn() -> bool) -> Result<Self, StartError> {
        let mut bracket = Self {
            settings: settings.clone(),
            values: Arc::default(),
            state: if settings.plan.teardown.is_some() { State::Owed } else { State::Done },
            gave_up: Arc::default(),
            failure: None,
        };
        let Some(setup) = &settings.plan.setup else {
            return Ok(bracket);
        };
        let done = run_steps(settings, Once::Setup, setup, &[], until(is_cut, None))?;
        let failure = failure_of("setup", &done);
        bracket.values = Arc::new(done.values);
        match failure {
            None => Ok(bracket),
            Some(text) => {
                // What it made so far is cleared up; whether that works is the lesser news.
                bracket.close_now();
                Err(StartError::Setup(text))
            }
        }
    }

    /// The values that the setup left.
    pub(crate) fn values(&self) -> Arc<Vec<String>> {
        Arc::clone(&self.values)
    }

    /// Does the teardown beside; true once it has ended, or none is owed.
    pub(crate) fn close(&mut self) -> bool {
        match std::mem::replace(&mut self.state, State::Done) {
            State::Done => true,
            State::Owed => {
                let (settings, values) = (self.settings.clone(), self.values());
                let gave_up = Arc::clone(&self.gave_up);
                let thread = std::thread::Builder::new().name("nmax-teardown".into());
                match thread.spawn(move || tear_down(&settings, &values, &gave_up)) {
                    Ok(thread) => self.state = State::UnderWay(thread),
                    Err(error) => self.failure = Some(format!("the teardown of the run did not start: {error}")),
                }
                matches!(self.state, State::Done)
            }
            State::UnderWay(thread) if thread.is_finished() => {
                self.join(thread);
                true
            }
            under_way => {
                self.state = under_way;
                false
            }
        }
    }

    /// Does the teardown, or what is left of it, before it returns.
    pub(crate) fn close_now(&mut self) {
        match std::mem::replace(&mut self.state, State::Done) {
            State::Done => {}
            State::Owed => self.failure = tear_down(&self.settings, &self.values, &self.gave_up),
            State::UnderWay(thread) => self.join(thread),
        }
    }

    /// A teardown that is under way is not waited for any more; one that is only owed is still done.
    pub(crate) fn give_up(&self) {
        if let State::UnderWay(_) = self.state {
            self.leave();
        }
    }

    /// There is no time for a teardown any more, under way or owed.
    pub(crate) fn leave(&self) {
        self.gave_up.store(true, Ordering::Relaxed);
    }

    /// Why the teardown failed, once it has.
    pub(crate) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    fn join(&mut self, thread: JoinHandle<Option<String>>) {
        self.failure =
            thread.join().unwrap_or_else(|_| Some("the teardown of the run broke, which is a defect of nmax".into()));
    }
}

/// Does the teardown; why it failed, if it did.
fn tear_down(settings: &Settings, values: &[String], gave_up: &AtomicBool) -> Option<String> {
    let steps = settings.plan.teardown.as_ref()?;
    let cut = until(|| gave_up.load(Ordering::Relaxed), Some(settings.plan.graceful_stop));
    match run_steps(settings, Once::Teardown, steps, values, cut) {
        Ok(done) => failure_of("teardown", &done),
        Err(error) => Some(format!("the teardown of the run failed: {error}")),
    }
}

/// Ready when `is_over` says so, or the time is up.
pub(crate) async fn until(is_over: impl Fn() -> bool, limit: Option<Duration>) {
    let mut waited = Duration::ZERO;
    while !is_over() && limit.is_none_or(|limit| waited < limit) {
        tokio::time::sleep(LOOK).await;
        waited += LOOK;
    }
}

/// What to say of steps that failed.
fn failure_of(what: &str, done: &Alone) -> Option<String> {
    if done.is_ok {
        return None;
    }
    Some(match done.failures.first() {
        Some(failure) => format!("the {what} of the run failed: {}: {}", failure.name, failure.text),
        None => format!("the {what} of the run did not end in time"),
    })
}
