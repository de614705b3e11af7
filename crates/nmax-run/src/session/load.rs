//! The engine as what puts on the load of an injector, and a run of this process as a fleet of one.

use std::sync::Arc;
use std::time::Duration;

use nmax_engine::runtime::real::monotonic;
use nmax_engine::{Complete, Event, Fixture, Origin, Run, Settings, StartError, times};
use nmax_fleet::records::{Command, PROTOCOL, Policy, Spec};
use nmax_fleet::{Direct, Identity, Injector, Item, Load, Local, Measured, Part, Step, Warrant};
use nmax_metrics::{Fence, Nanos};

use super::SessionError;

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// How long a step waits for what comes next; so often signals are looked at.
const PATIENCE: Duration = Duration::from_millis(100);
/// From the decision to begin to the origin. A run of this process then begins as soon as its workers are ready.
const LEAD: Nanos = Nanos::from_millis(5);
/// Largest uncertainty of a clock, which this process has none of against itself.
const SKEW_MAX: Nanos = Nanos::from_millis(50);

/// The engine, with the part of a run that it takes.
pub(super) struct Engine<'a> {
    settings: Settings,
    /// Whether a setup under way is to be given up.
    is_cut: &'a dyn Fn() -> bool,
    /// It begins as soon as it can: no other has a part in the run.
    is_alone: bool,
    run: Option<Run>,
    /// One more than the number of the last window.
    windows: u64,
    /// What was set up, until the teardown begins.
    fixture: Option<Fixture>,
    /// Why it did not begin.
    failure: Option<StartError>,
}

impl<'a> Engine<'a> {
    /// That of a run with these settings.
    fn new(settings: &Settings, is_cut: &'a dyn Fn() -> bool) -> Self {
        Self {
            settings: settings.clone(),
            is_cut,
            is_alone: false,
            run: None,
            windows: 0,
            fixture: None,
            failure: None,
        }
    }

    /// Cuts off what is under way, a teardown too.
    fn cut(&self) {
        self.run.iter().for_each(Run::cut);
    }

    /// As [`Self::cut`], and leaves out what is left of the teardown.
    fn leave(&self) {
        self.fixture.iter().for_each(Fixture::leave);
        self.run.iter().for_each(Run::leave);
    }

    /// Makes workers ready for a part and lets them begin; the origin of their clock.
    fn start(&mut self, part: Part) -> Result<Nanos, StartError> {
        let settings = Settings {
            share: part.share,
            from: Nanos(part.from.saturating_mul(Nanos::from(self.settings.plan.window).0)),
            fence: Fence::at(part.fence),
            values: Arc::new(part.values),
            ..self.settings.clone()
        };
        let ready = Run::prepare(&settings)?;
        let origin = if self.is_alone { Origin::soon() } else { Origin::at(part.origin) };
        self.settings.fence = settings.fence;
        self.windows = part.from;
        self.run = Some(ready.begin(origin));
        Ok(origin.at)
    }

    /// Remembers what went wrong, as it is, beside the words for the others.
    fn told<T>(&mut self, result: Result<T, StartError>) -> Result<T, String> {
        result.map_err(|error| {
            let text = error.to_string();
            self.failure = Some(error);
            text
        })
    }
}

impl Load for Engine<'_> {
    type Window = Box<Complete>;

    /// Whoever ordered a run of this process has asked whether its targets may be loaded.
    fn admit(&mut self, spec: &Spec, warrant: Option<&Warrant>) -> Result<(), String> {
        self.is_alone = warrant.is_none() && spec.shards.len() == 1;
        Ok(())
    }

    fn set_up(&mut self) -> Option<Result<Vec<String>, String>> {
        let opened = Fixture::open(&self.settings, self.is_cut);
        Some(self.told(opened).map(|fixture| {
            let values = fixture.settings().values.to_vec();
            self.fixture = Some(fixture);
            values
        }))
    }

    fn begin(&mut self, part: Part) -> Result<Nanos, String> {
        let started = self.start(part);
        self.told(started)
    }

    fn fence(&mut self, at: Nanos) {
        let (Some(run), fence) = (&self.run, &self.settings.fence) else { return };
        let now = run.now();
        // One that has passed stays where it was, and one that lies back stands now.
        if at > now || !fence.is_reached(now) {
            fence.set(at.max(now));
        }
    }

    fn was_fenced(&self) -> bool {
        self.settings.fence.was_reached()
    }

    fn command(&mut self, command: Command) {
        match command {
            Command::Stop => self.run.iter().for_each(Run::stop),
            Command::Cut => self.cut(),
        }
    }

    fn next(&mut self) -> Measured<Box<Complete>> {
        let Some(run) = &mut self.run else { return Measured::Quiet };
        match run.next(PATIENCE) {
            Event::Quiet => Measured::Quiet,
            Event::Window(window) => {
                self.windows = window.window.index + 1;
                Measured::Window { index: window.window.index, window }
            }
            Event::Ended => Measured::Ended { windows: self.windows, why: run.ended_early().map(str::to_owned) },
        }
    }

    fn tear_down(&mut self) -> bool {
        let Some(run) = &mut self.run else { return true };
        if let Some(fixture) = self.fixture.take() {
            run.owe(fixture);
        }
        matches!(run.next(PATIENCE), Event::Ended)
    }
}

/// A run of this process, which ends it.
fn spec(settings: &Settings, id: &str) -> Spec {
    Spec {
        protocol: PROTOCOL,
        version: VERSION.into(),
        run: id.into(),
        plan: String::new(),
        bundle: None,
        shards: vec![None],
        policy: Policy::Continue,
        window_ns: Nanos::from(settings.plan.window).0,
        end_ns: times(&settings.plan).end.unwrap_or(Nanos::MAX).0,
        hard_stop_ns: u64::MAX,
        lead_ns: LEAD.0,
        skew_max_ns: SKEW_MAX.0,
        warrant: None,
    }
}

/// A run of this process: an injector that agrees with itself, and hands over windows as they are.
pub(super) struct Only<'a>(Injector<Local, Engine<'a>, Direct<Box<Complete>>>);

impl<'a> Only<'a> {
    /// Does the setup and begins; a setup that is still under way when `is_cut` says so is cut off, and has failed.
    pub(super) fn start(settings: &Settings, id: &str, is_cut: &'a dyn Fn() -> bool) -> Result<Self, SessionError> {
        let me = Identity { id: id.into(), version: VERSION.into(), ..Identity::default() };
        let local = Local::new(&spec(settings, id));
        let mut injector = Injector::new(me, local, Engine::new(settings, is_cut), Direct::default());
        loop {
            match injector.step(monotonic()) {
                Step::Running => return Ok(Self(injector)),
                Step::Waiting(_) => {}
                Step::Refused(why) => {
                    let failure = injector.load_mut().failure.take();
                    return Err(failure.map_or_else(|| SessionError::Refused(why.join("; ")), SessionError::Start));
                }
                Step::Done => return Err(SessionError::Refused("it has no part in the run".into())),
            }
        }
    }

    /// What comes next.
    pub(super) fn next(&mut self) -> Event {
        let step = self.0.step(monotonic());
        match (self.0.sink_mut().take(), step) {
            (Some((_, Item::Window { window, .. })), _) => Event::Window(window),
            (None, Step::Done | Step::Refused(_)) => Event::Ended,
            _ => Event::Quiet,
        }
    }

    /// The run.
    pub(super) fn run(&self) -> &Run {
        self.0.load().run.as_ref().expect("what was started has begun")
    }

    /// The same, to be changed.
    pub(super) fn run_mut(&mut self) -> &mut Run {
        self.0.load_mut().run.as_mut().expect("what was started has begun")
    }

    /// Starts nothing more; what is under way may end.
    pub(super) fn stop(&mut self) {
        self.0.coordinator_mut().ask(Command::Stop);
    }

    /// Cuts off what is under way, now, also where that is the teardown.
    pub(super) fn cut(&mut self) {
        self.0.coordinator_mut().ask(Command::Cut);
        self.0.load().cut();
    }

    /// As [`Self::cut`], and leaves out what is left of the teardown.
    pub(super) fn leave(&mut self) {
        self.0.coordinator_mut().ask(Command::Cut);
        self.0.load().leave();
    }
}

#[cfg(test)]
mod tests;
