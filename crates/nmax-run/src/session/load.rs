//! The engine as what puts on the load of an injector, and a run of this process as a fleet of one.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use nmax_engine::runtime::real::monotonic;
use nmax_engine::{Complete, Event, Fixture, Origin, Run, Settings, StartError, times};
use nmax_fleet::batch::{BatchId, Content};
use nmax_fleet::records::{Command, PROTOCOL, Policy, Spec};
use nmax_fleet::spool::{Disk, Publisher, Spool};
use nmax_fleet::{
    Coordinator, Direct, Identity, Injector, Item, Load, Local, Measured, Part, ResultSink, Step, Warrant,
};
use nmax_metrics::names::{NamesSent, NewNames};
use nmax_metrics::{Fence, Frame, Nanos};

use super::SessionError;

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// How long a step waits for what comes next; so often signals are looked at.
const PATIENCE: Duration = Duration::from_millis(100);
/// How often it is looked how the others are.
const LOOK: Duration = Duration::from_millis(20);
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
    type Window = Taken;

    /// Whether its targets may be loaded was asked when its plan was read.
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

    fn fenced_at(&self) -> Option<Nanos> {
        let fence = &self.settings.fence;
        fence.was_reached().then(|| fence.get())
    }

    fn command(&mut self, command: Command) {
        match command {
            Command::Stop => self.run.iter().for_each(Run::stop),
            Command::Cut => self.cut(),
        }
    }

    fn next(&mut self) -> Measured<Taken> {
        let Some(run) = &mut self.run else { return Measured::Quiet };
        match run.next(PATIENCE) {
            Event::Quiet => Measured::Quiet,
            Event::Window(complete) => {
                let index = complete.window.index;
                self.windows = index + 1;
                // Each frame has all names, so that it can be read alone.
                let names = run.catalog().new_names(&mut NamesSent::default());
                Measured::Window { index, window: Taken { complete, names } }
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
        workers: None,
        policy: Policy::Continue,
        window_ns: Nanos::from(settings.plan.window).0,
        end_ns: times(&settings.plan).end.unwrap_or(Nanos::MAX).0,
        hard_stop_ns: u64::MAX,
        lead_ns: LEAD.0,
        skew_max_ns: SKEW_MAX.0,
        warrant: None,
    }
}

/// What the engine measured in a window, and the names behind its numbers.
pub(super) struct Taken {
    complete: Box<Complete>,
    names: NewNames,
}

/// A sink that hands windows to the session too.
pub(super) trait SessionSink: ResultSink<Taken> {
    /// The next window.
    fn take(&mut self) -> Option<Box<Complete>>;

    /// Something that goes with the next window: a line.
    fn note(&mut self, line: &str);
}

impl SessionSink for Direct<Taken> {
    fn take(&mut self) -> Option<Box<Complete>> {
        match Self::take(self) {
            Some((_, Item::Window { window, .. })) => Some(window.complete),
            _ => None,
        }
    }

    fn note(&mut self, _: &str) {}
}

/// The engine's part of a run, as the session conducts it.
pub(super) trait Conducted {
    /// What comes next.
    fn next(&mut self) -> Event;
    /// The run.
    fn run(&self) -> &Run;
    /// The same, to be changed.
    fn run_mut(&mut self) -> &mut Run;
    /// Starts nothing more; what is under way may end.
    fn stop(&mut self);
    /// Cuts off what is under way, now, also where that is the teardown.
    fn cut(&mut self);
    /// As [`Self::cut`], and leaves out what is left of the teardown.
    fn leave(&mut self);
    /// Whether what is measured is sent to others.
    fn is_sent(&self) -> bool;
    /// Something that goes with the next window: a line.
    fn note(&mut self, line: &str);
}

/// How an injector takes part in a run.
pub(super) struct Injecting<'a, C, S> {
    injector: Injector<C, Engine<'a>, S>,
    /// Why its part would be lost when this machine is asked to end; `None` where it is all of the run.
    lost: Option<&'static str>,
    /// Nothing more is waited for.
    is_left: bool,
}

impl<'a> Injecting<'a, Local, Direct<Taken>> {
    /// A run of this process alone: does the setup and begins. A setup that is still under way when `is_cut` says so is cut
    /// off, and has failed.
    pub(super) fn of_this_process(
        settings: &Settings,
        id: &str,
        is_cut: &'a dyn Fn() -> bool,
    ) -> Result<Self, SessionError> {
        let me = Identity { id: id.into(), version: VERSION.into(), ..Identity::default() };
        let spec = spec(settings, id);
        Self::start(me, (Local::new(&spec), Direct::default()), settings, is_cut, None)
    }
}

impl<'a, C: Coordinator, S: SessionSink> Injecting<'a, C, S> {
    /// Takes part in the run of a coordinator, and returns once the load begins.
    pub(super) fn start(
        me: Identity,
        (coordinator, sink): (C, S),
        settings: &Settings,
        is_cut: &'a dyn Fn() -> bool,
        lost: Option<&'static str>,
    ) -> Result<Self, SessionError> {
        let mut injector = Injector::new(me, coordinator, Engine::new(settings, is_cut), sink);
        loop {
            match injector.step(monotonic()) {
                Step::Running => return Ok(Self { injector, lost, is_left: false }),
                Step::Waiting(_) if lost.is_some() && is_cut() => {
                    return Err(SessionError::Fleet(vec!["it was ended before the run began".into()]));
                }
                Step::Waiting(_) if lost.is_some() => pause(),
                Step::Waiting(_) => {}
                Step::Refused(why) => {
                    let failure = injector.load_mut().failure.take();
                    return Err(failure.map_or_else(|| SessionError::Fleet(why), SessionError::Start));
                }
                Step::Done => return Err(SessionError::NotNeeded),
            }
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a thread that waits for other injectors")]
pub(crate) fn pause() {
    std::thread::sleep(LOOK);
}

impl<C: Coordinator, S: SessionSink> Conducted for Injecting<'_, C, S> {
    fn next(&mut self) -> Event {
        let step = self.injector.step(monotonic());
        match (self.injector.sink_mut().take(), step) {
            (Some(complete), _) => Event::Window(complete),
            (None, Step::Done | Step::Refused(_)) => Event::Ended,
            (None, Step::Waiting(_)) if self.is_left => Event::Ended,
            (None, Step::Waiting(_)) if self.lost.is_some() => {
                pause();
                Event::Quiet
            }
            _ => Event::Quiet,
        }
    }

    fn run(&self) -> &Run {
        self.injector.load().run.as_ref().expect("what was started has begun")
    }

    fn run_mut(&mut self) -> &mut Run {
        self.injector.load_mut().run.as_mut().expect("what was started has begun")
    }

    fn stop(&mut self) {
        self.injector.end_early(Command::Stop, self.lost);
    }

    fn cut(&mut self) {
        self.injector.end_early(Command::Cut, self.lost);
        self.injector.load().cut();
        // What is not acknowledged stays in the spool.
        self.is_left = self.lost.is_some();
    }

    fn leave(&mut self) {
        self.cut();
        self.injector.load().leave();
    }

    fn is_sent(&self) -> bool {
        self.lost.is_some()
    }

    fn note(&mut self, line: &str) {
        self.injector.sink_mut().note(line);
    }
}

/// Windows on their way to the broker, and to the session of this injector.
pub(super) struct Tee<D, P> {
    spool: Spool<D, P>,
    waiting: VecDeque<Box<Complete>>,
    notes: String,
}

impl<D: Disk, P: Publisher> Tee<D, P> {
    pub(super) fn new(spool: Spool<D, P>) -> Self {
        Self { spool, waiting: VecDeque::new(), notes: String::new() }
    }
}

impl<D: Disk, P: Publisher> ResultSink<Taken> for Tee<D, P> {
    fn append(&mut self, id: BatchId, item: Item<Taken>) -> Result<(), String> {
        let mut complete = None;
        let item = match item {
            Item::Window { index, window: Taken { complete: measured, names } } => {
                let Complete { window, raw, exchange_events, failures } = *measured;
                let frame = Frame { injector: id.shard, names, window };
                let content = Content { frame: frame.encode(), notes: std::mem::take(&mut self.notes) };
                let window = frame.window;
                complete = Some(Box::new(Complete { window, raw, exchange_events, failures }));
                Item::Window { index, window: content }
            }
            Item::End(end) => Item::End(end),
        };
        self.waiting.extend(complete);
        self.spool.append(id, item)
    }

    fn advance(&mut self, now: Nanos) -> usize {
        ResultSink::<Content>::advance(&mut self.spool, now)
    }
}

impl<D: Disk, P: Publisher> SessionSink for Tee<D, P> {
    fn take(&mut self) -> Option<Box<Complete>> {
        self.waiting.pop_front()
    }

    fn note(&mut self, line: &str) {
        self.notes.push_str(line);
    }
}

#[cfg(test)]
mod tests;
