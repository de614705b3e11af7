//! A run on this machine: worker threads, the collector of their windows, and the way to stop them.

use crate::error::StartError;
use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use nmax_metrics::{Catalog, Clock, Nanos};
use nmax_plan::plan::{Change, Plan, SteerError, Workload};
use nmax_plan::schedule::Stage;
use tokio::sync::watch;

use crate::measure::collector::{Collector, Complete, WorkerUse};
use crate::measure::meter::Report;
use crate::measure::names::SharedCatalog;
use crate::program::catalog;
use crate::run::fixture::Fixture;
use crate::run::settings::Settings;
use crate::run::worker_thread::{Command, Link, Orders, WorkerThread};
use crate::runtime::real::{RealClock, SharedClock, monotonic};
use crate::schedule::source::{Slots, Times, times};

pub mod calibrate;
pub mod carrier;
pub(crate) mod fixture;
pub mod fixture_steps;
pub mod rehearsal;
pub mod settings;
pub mod worker;
pub(crate) mod worker_thread;

/// Reports that may wait for the collector; beyond that workers wait, which their lag then shows.
const REPORTS_MAX: usize = 64;
/// Emptied windows that may wait for their worker.
const RECYCLED_MAX: usize = 4;
/// How often it is looked whether a teardown has ended.
const TEARDOWN_LOOK: Duration = Duration::from_millis(5);
/// How far ahead of all workers the load is changed, at least: a thread that stands still for longer is late.
const STEER_LEAD: Nanos = Nanos::from_millis(250);
/// Changes come at whole multiples of a window, or of this where that is longer.
const STEP_MAX: Nanos = Nanos::from_secs(1);
/// From the moment all workers are ready to the run's origin.
const LEAD: Duration = Duration::from_millis(5);

/// What comes next from a run.
#[derive(Debug)]
pub enum Event {
    /// A window is complete.
    Window(Box<Complete>),
    /// Nothing within the time given.
    Quiet,
    /// Everything has ended and was reported.
    Ended,
}

/// Where the clock of a run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// On the clock of this machine, as [`monotonic`] gives it.
    pub at: Nanos,
    /// The same instant as wall time, for labels and cookies.
    pub wall: SystemTime,
}

impl Origin {
    /// A short lead from now, for a run that waits for no other.
    #[expect(clippy::disallowed_methods, reason = "the origin of the run's clock, and its wall time for labels")]
    pub fn soon() -> Self {
        Self { at: monotonic() + Nanos::from(LEAD), wall: SystemTime::now() + LEAD }
    }

    /// This instant, as [`monotonic`] gives it, ahead or past.
    #[expect(clippy::disallowed_methods, reason = "the wall time of the origin, for labels")]
    pub fn at(at: Nanos) -> Self {
        let (now, wall) = (monotonic(), SystemTime::now());
        Self { at, wall: wall + Duration::from(at.since(now)) - Duration::from(now.since(at)) }
    }
}

/// Workers that are ready and wait for the origin of their run. Dropping it ends them, and nothing was sent.
#[derive(Debug)]
pub struct Ready {
    plan: Arc<Plan>,
    times: Times,
    catalog: SharedCatalog,
    collector: Collector,
    reports: Receiver<Report>,
    orders: watch::Sender<Orders>,
    threads: Vec<JoinHandle<()>>,
    origins: Vec<SyncSender<Origin>>,
}

/// A run under way, or the part of it that this process takes. Dropping it cuts it off and waits for its threads.
#[derive(Debug)]
pub struct Run {
    clock: SharedClock,
    started_at: SystemTime,
    /// As it is run: as it was steered last.
    plan: Arc<Plan>,
    times: Times,
    catalog: SharedCatalog,
    collector: Collector,
    reports: Receiver<Report>,
    orders: watch::Sender<Orders>,
    threads: Vec<JoinHandle<()>>,
    ready: VecDeque<Complete>,
    /// The end of the run, unless somebody else owes it.
    fixture: Option<Fixture>,
    aborted: Option<String>,
}

impl Ready {
    /// Begins the load at `origin`, which should lie ahead: what is due before the workers know of it is late.
    pub fn begin(self, origin: Origin) -> Run {
        for waiting in self.origins {
            let _ = waiting.send(origin);
        }
        let clock = RealClock::starting_now();
        clock.set_origin(origin.at);
        Run {
            clock: clock.shared(),
            started_at: origin.wall,
            times: self.times,
            catalog: self.catalog,
            collector: self.collector,
            reports: self.reports,
            orders: self.orders,
            plan: self.plan,
            threads: self.threads,
            ready: VecDeque::new(),
            fixture: None,
            aborted: None,
        }
    }
}

impl Run {
    /// A whole run, alone: its setup, its workers, and a short lead after all are ready its origin. It ends with its
    /// teardown.
    pub fn start(settings: &Settings) -> Result<Self, StartError> {
        Self::start_unless(settings, &|| false)
    }

    /// As [`Run::start`]; a setup that is still under way when `is_cut` says so is cut off, and has failed.
    pub fn start_unless(settings: &Settings, is_cut: &dyn Fn() -> bool) -> Result<Self, StartError> {
        let fixture = Fixture::open(settings, is_cut)?;
        let mut run = Self::prepare(fixture.settings())?.begin(Origin::soon());
        run.fixture = Some(fixture);
        Ok(run)
    }

    /// The run ends with this teardown.
    pub fn owe(&mut self, fixture: Fixture) {
        self.fixture = Some(fixture);
    }

    /// Makes the workers of this process's share ready. Setup and teardown of the run are the caller's ([`Fixture`]).
    pub fn prepare(settings: &Settings) -> Result<Ready, StartError> {
        let workers = worker_count(settings);
        require_room(settings)?;
        let shared = Arc::new(Mutex::new(catalog(&settings.plan, settings.names_max)));
        let (reports_in, reports) = sync_channel(REPORTS_MAX);
        let (orders, told) = watch::channel(Orders { command: Command::Run, plan: Arc::clone(&settings.plan) });
        let slots = Slots::new(&settings.plan, settings.share);
        let (mut recycle, mut threads, mut seats) = (Vec::new(), Vec::new(), Vec::new());
        for worker in 0..workers {
            let (recycle_in, recycled) = sync_channel(RECYCLED_MAX);
            let (ready_in, ready) = sync_channel(1);
            let (origin_in, origin) = sync_channel(1);
            recycle.push(recycle_in);
            let worker_thread = WorkerThread {
                settings: settings.clone(),
                worker,
                workers,
                slots: slots.clone(),
                link: Link { worker, reports: SyncSender::clone(&reports_in), recycled },
                catalog: Arc::clone(&shared),
                orders: told.clone(),
                ready: ready_in,
                origin,
            };
            let thread =
                std::thread::Builder::new().name(format!("nmax-worker-{worker}")).spawn(move || worker_thread.run());
            threads.push(thread.map_err(|error| StartError::Worker { worker, error })?);
            seats.push((ready, origin_in));
        }
        let mut origins = Vec::new();
        for (ready, origin_in) in seats {
            // Workers whose origin is dropped with an error here go away by themselves.
            ready.recv().unwrap_or_else(|_| Err(StartError::Tls("a worker ended before it was ready".into())))?;
            origins.push(origin_in);
        }
        let plan = Arc::clone(&settings.plan);
        let first = settings.from.0 / Nanos::from(plan.window).0;
        let (times, collector) = (times(&plan), Collector::new(recycle).starting_at(first));
        Ok(Ready { plan, times, catalog: shared, collector, reports, orders, threads, origins })
    }

    /// What comes next; waits at most `patience` for it.
    pub fn next(&mut self, patience: Duration) -> Event {
        if let Some(complete) = self.ready.pop_front() {
            return Event::Window(Box::new(complete));
        }
        if self.collector.is_done() {
            return self.end(patience);
        }
        match self.reports.recv_timeout(patience) {
            Ok(report) => {
                self.ready.extend(self.collector.add(report));
                match self.ready.pop_front() {
                    Some(complete) => Event::Window(Box::new(complete)),
                    None => Event::Quiet,
                }
            }
            Err(RecvTimeoutError::Timeout) => Event::Quiet,
            Err(RecvTimeoutError::Disconnected) => {
                self.ready.extend(self.collector.give_up());
                match self.ready.pop_front() {
                    Some(complete) => Event::Window(Box::new(complete)),
                    None => self.end(patience),
                }
            }
        }
    }

    /// Everything was reported: the teardown is left.
    #[expect(clippy::disallowed_methods, reason = "waits for a thread that reports nothing")]
    fn end(&mut self, patience: Duration) -> Event {
        let begun = Instant::now();
        while !self.fixture.as_mut().is_none_or(Fixture::close) {
            if begun.elapsed() >= patience {
                return Event::Quiet;
            }
            std::thread::sleep(TEARDOWN_LOOK.min(patience));
        }
        Event::Ended
    }

    /// Starts nothing more, as [`Run::stop`], and [`Run::ended_early`] gives this reason.
    pub fn abort(&mut self, reason: &str) {
        self.aborted.get_or_insert_with(|| reason.to_owned());
        self.stop();
    }

    /// Why the teardown of the run failed, once it has.
    pub fn teardown_failure(&self) -> Option<&str> {
        self.fixture.as_ref()?.failure()
    }

    /// Starts nothing more; exchanges under way may end.
    pub fn stop(&self) {
        self.orders.send_if_modified(|orders| {
            let is_running = orders.command == Command::Run;
            if is_running {
                orders.command = Command::Stop;
            }
            is_running
        });
    }

    /// Changes the load of the mix, from an instant on that all workers learn of before: at the beginning of a window of at
    /// most a second. `to` is the level, `None` for that of the instant; `ramp` is how long the way there takes.
    ///
    /// What was due before that instant is due as it was. The plan that is run from then on has the change as its last.
    ///
    /// # Errors
    /// Why the load cannot be changed so; then nothing has changed.
    pub fn steer(&mut self, to: Option<f64>, ramp: Duration) -> Result<&Arc<Plan>, SteerError> {
        let step = Nanos::from(self.plan.window).min(STEP_MAX);
        let at = (self.now() + STEER_LEAD).0.div_ceil(step.0).saturating_mul(step.0);
        let last = self.plan.steered.as_ref().and_then(|steered| steered.changes.last());
        let at = Duration::from_nanos(at).max(last.map_or(Duration::ZERO, |last| last.at));
        self.plan = Arc::new(self.plan.steer(Change { at, to, ramp })?);
        self.times = times(&self.plan);
        self.orders.send_modify(|orders| orders.plan = Arc::clone(&self.plan));
        Ok(&self.plan)
    }

    /// The plan that is run, with every change so far.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Cuts everything off; what is under way is counted as censored. A teardown of the run that is under way is cut off
    /// too; one that is only due is still done.
    pub fn cut(&self) {
        self.fixture.iter().for_each(Fixture::give_up);
        self.orders.send_modify(|orders| orders.command = Command::Cut);
    }

    /// As [`Run::cut`], and leaves out what is left of the teardown too.
    pub fn leave(&self) {
        self.fixture.iter().for_each(Fixture::leave);
        self.orders.send_modify(|orders| orders.command = Command::Cut);
    }

    /// The run's clock, for other threads.
    pub fn clock(&self) -> SharedClock {
        self.clock
    }

    /// Now, on the run's clock.
    pub fn now(&self) -> Nanos {
        self.clock.now()
    }

    /// Wall time of the run's origin, for labels.
    pub fn started_at(&self) -> SystemTime {
        self.started_at
    }

    /// Planned times.
    pub fn times(&self) -> Times {
        self.times
    }

    /// Worker threads.
    pub fn workers(&self) -> u32 {
        self.threads.len() as u32
    }

    /// Names as known so far.
    pub fn catalog(&self) -> MutexGuard<'_, Catalog> {
        self.catalog.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// CPU used by each worker within the hold.
    pub fn used(&self) -> impl Iterator<Item = WorkerUse> + '_ {
        self.collector.used()
    }

    /// When the last open iteration was started, or was to be, once every one was.
    pub fn load_ended(&self) -> Option<Nanos> {
        self.collector.load_ended()
    }

    /// When the first worker broke, if one did: from then on measurements are missing.
    pub fn broke_at(&self) -> Option<Nanos> {
        self.collector.broke_at()
    }

    /// When the last worker ended, once it has.
    pub fn ended_at(&self) -> Nanos {
        self.collector.ended_at()
    }

    /// Backgrounds whose data ended before their workload, by number from 1, and when they last found no row.
    pub fn background_ended(&self) -> &BTreeMap<u32, Nanos> {
        self.collector.background_ended()
    }

    /// Why the run ended before its plan did, if it did.
    pub fn ended_early(&self) -> Option<&str> {
        self.aborted.as_deref().or_else(|| self.collector.ended_early())
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.orders.send_modify(|orders| orders.command = Command::Cut);
        // Workers may wait for room for a report.
        while self.reports.recv().is_ok() {}
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// A part of an open workload without a slot would drop all that is due.
fn require_room(settings: &Settings) -> Result<(), StartError> {
    let (plan, share) = (&settings.plan, settings.share);
    let beside = plan.background.iter().map(|background| &background.workload);
    for workload in std::iter::once(&plan.workload).chain(beside) {
        if let Workload::Open { max_in_flight: most, .. } = *workload
            && share.fraction() > 0.0
            && share.count_below(u64::from(most)) == 0
        {
            return Err(StartError::Share { most });
        }
    }
    Ok(())
}

/// Workers that a share of a run gets: as many as there is work for.
pub fn worker_count(settings: &Settings) -> u32 {
    let plan = &settings.plan;
    let work = |workload, stages| settings.share.count_below(work(workload, stages));
    let main = work(&plan.workload, &plan.stages);
    // A worker without work of the mix knows its end only from the plan.
    let work = if times(plan).closes.is_some() {
        let background = plan.background.iter();
        let background = background.map(|background| work(&background.workload, &background.stages));
        background.fold(main, u64::max)
    } else {
        main
    };
    settings.workers.min(u32::try_from(work).unwrap_or(u32::MAX)).max(1)
}

/// Most iterations at once, in the whole run.
fn work(workload: &Workload, stages: &[Stage]) -> u64 {
    match workload {
        Workload::Closed { .. } => {
            stages.iter().map(|stage| stage.from.max(stage.to)).fold(0.0, f64::max).ceil() as u64
        }
        Workload::Open { max_in_flight, .. } => u64::from(*max_in_flight),
    }
}
