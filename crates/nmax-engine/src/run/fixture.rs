//! What is done once around a run: the plan's setup before the workers start, its teardown after the last has ended.
//!
//! The teardown is owed as soon as the setup began, also when that failed or the run was cut off: it gets the values
//! that were set until then, and at most the plan's graceful stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::error::StartError;
use crate::run::fixture_steps::{FixtureStage, StepsResult, run_steps};
use crate::run::settings::Settings;

/// How often it is looked whether somebody gave up.
const LOOK: Duration = Duration::from_millis(50);

/// Setup and teardown of a run; the coordinator of the run does each once. Dropping it runs a teardown that is still due.
#[derive(Debug)]
pub struct Fixture {
    settings: Settings,
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

impl Fixture {
    /// Does the setup; `is_cut` says when not to wait for it any more.
    ///
    /// # Errors
    /// When it failed. What it made so far is cleared up then.
    pub fn open(settings: &Settings, is_cut: &dyn Fn() -> bool) -> Result<Self, StartError> {
        let mut fixture = Self {
            settings: settings.clone(),
            state: if settings.plan.teardown.is_some() { State::Owed } else { State::Done },
            gave_up: Arc::default(),
            failure: None,
        };
        let Some(setup) = &settings.plan.setup else {
            return Ok(fixture);
        };
        let done = run_steps(settings, FixtureStage::Setup, setup, until(is_cut, None))?;
        let failure = failure_of("setup", &done);
        fixture.settings.values = Arc::new(done.values);
        // Whether what it made so far can be cleared up is the lesser news.
        failure.map_or(Ok(fixture), |text| Err(StartError::Setup(text)))
    }

    /// The settings of the run with the values that the setup left, for everybody who takes part in it.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Does the teardown beside; true once it has ended, or none is owed.
    pub fn close(&mut self) -> bool {
        match std::mem::replace(&mut self.state, State::Done) {
            State::Done => true,
            State::Owed => {
                let settings = self.settings.clone();
                let gave_up = Arc::clone(&self.gave_up);
                let thread = std::thread::Builder::new().name("nmax-teardown".into());
                match thread.spawn(move || tear_down(&settings, &gave_up)) {
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

    /// A teardown that is under way is not waited for any more; one that is only owed is still done.
    pub fn give_up(&self) {
        if let State::UnderWay(_) = self.state {
            self.leave();
        }
    }

    /// There is no time for a teardown any more, under way or owed.
    pub fn leave(&self) {
        self.gave_up.store(true, Ordering::Relaxed);
    }

    /// Why the teardown failed, once it has.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    fn join(&mut self, thread: JoinHandle<Option<String>>) {
        self.failure =
            thread.join().unwrap_or_else(|_| Some("the teardown of the run broke, which is a defect of nmax".into()));
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        match std::mem::replace(&mut self.state, State::Done) {
            State::Done => {}
            State::Owed => self.failure = tear_down(&self.settings, &self.gave_up),
            State::UnderWay(thread) => self.join(thread),
        }
    }
}

/// Does the teardown; why it failed, if it did.
fn tear_down(settings: &Settings, gave_up: &AtomicBool) -> Option<String> {
    let steps = settings.plan.teardown.as_ref()?;
    let cut = until(|| gave_up.load(Ordering::Relaxed), Some(settings.plan.graceful_stop));
    match run_steps(settings, FixtureStage::Teardown, steps, cut) {
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
fn failure_of(what: &str, done: &StepsResult) -> Option<String> {
    if done.is_ok {
        return None;
    }
    Some(match done.failures.first() {
        Some(failure) => format!("the {what} of the run failed: {}: {}", failure.name, failure.text),
        None => format!("the {what} of the run did not end in time"),
    })
}
