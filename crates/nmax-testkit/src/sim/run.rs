//! A plan in the simulated world, from its origin to its end, with the engine's own workers and collector.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use nmax_engine::context::Context;
use nmax_engine::http::state::{Http, HttpPlan};
use nmax_engine::measure::collector::{Collector, Complete};
use nmax_engine::measure::exchange_events::ExchangeEvents;
use nmax_engine::measure::meter::{Link, Meter, MeterSettings, Report};
use nmax_engine::measure::names::SharedCatalog;
use nmax_engine::program::{Program, catalog};
use nmax_engine::run::worker;
use nmax_engine::runtime::{Runtime, ThreadTime, Timer};
use nmax_engine::schedule::source::{Slots, Sources, times};
use nmax_engine::script::Scripts;
use nmax_engine::{Files, KeepSamples};
use nmax_metrics::names::NamesSent;
use nmax_metrics::{Aggregate, Catalog, Clock, FailureExample, Fence, Frame, Nanos, RawSample, Section, Window};
use nmax_plan::plan::Plan;
use nmax_plan::share::Share;

use super::driver::{KeepRequests, Sent, SimDrivers};
use super::server::Server;
use super::world::{SimRuntime, World};

/// Reports that may wait until no task is ready; a blocked worker ends many windows at once.
const REPORTS_MAX: usize = 65_536;

/// How a plan is simulated.
#[derive(Clone, Debug)]
pub struct Options {
    /// Workers, all in one world.
    pub workers: u32,
    /// Part of the run that is simulated.
    pub share: Share,
    /// From when on it is simulated.
    pub from: Nanos,
    /// From when on nothing is started or sent.
    pub fence: Nanos,
    /// Instants at which the fence is moved, and where to.
    pub fences: Vec<(Nanos, Nanos)>,
    /// Time to open a connection.
    pub connect: Nanos,
    /// Which exchanges are kept whole.
    pub keep: KeepSamples,
    /// Whether windows are kept; otherwise only their sum.
    pub keeps_windows: bool,
    /// Number of the injector whose frames are kept, as it would send them.
    pub sends: Option<u32>,
    /// Whether every exchange is told with its target.
    pub reports_exchanges: bool,
    /// Which requests are kept.
    pub requests: KeepRequests,
    /// Instants at which the thread is busy, and for how long.
    pub blocks: Vec<(Nanos, Nanos)>,
    /// When workers learn of a change of the load, and the plan with it.
    pub steered: Vec<(Nanos, Arc<Plan>)>,
    /// When a user stops the run.
    pub stop_at: Option<Nanos>,
    /// When a user cuts the run off.
    pub cut_at: Option<Nanos>,
    /// Most request names told apart.
    pub names_max: usize,
    /// Files that bodies are made of.
    pub files: Files,
    /// Wall time at the run's origin, seconds since 1970.
    pub unix_origin_s: i64,
    /// How long after sending each driver wants to be polled, for nothing.
    pub alarm_after: Option<Nanos>,
    /// What does the iterations of scenarios that are not declared.
    pub scripts: Scripts,
}

impl Options {
    /// One worker, every exchange and every window kept.
    pub fn all() -> Self {
        Self {
            workers: 1,
            share: Share::whole(),
            from: Nanos::ZERO,
            fence: Nanos::MAX,
            fences: Vec::new(),
            connect: Nanos::ZERO,
            keep: KeepSamples::All,
            keeps_windows: true,
            sends: None,
            reports_exchanges: false,
            requests: KeepRequests::None,
            blocks: Vec::new(),
            steered: Vec::new(),
            stop_at: None,
            cut_at: None,
            names_max: nmax_metrics::names::NAMES_MAX,
            files: Files::default(),
            unix_origin_s: 1_700_000_000,
            alarm_after: None,
            scripts: Scripts::default(),
        }
    }

    /// One worker and nothing kept but the sum: memory does not grow with the length of the run.
    pub fn sum() -> Self {
        Self { keep: KeepSamples::None, keeps_windows: false, ..Self::all() }
    }
}

/// What a simulated run measured.
#[derive(Debug)]
pub struct Simulated {
    /// Complete windows, in order.
    pub windows: Vec<Window>,
    /// The same as they are sent.
    pub frames: Vec<Vec<u8>>,
    /// Their sum.
    pub totals: Aggregate,
    /// Exchanges kept whole, in order of their window.
    pub raw: Vec<RawSample>,
    /// What was told, window after window.
    pub exchange_events: Vec<ExchangeEvents>,
    /// Failed exchanges kept for study.
    pub failures: Vec<FailureExample>,
    /// Names.
    pub catalog: Catalog,
    /// When the last worker ended.
    pub end: Nanos,
    /// Why workers ended before the plan did, if they did.
    pub ended_early: Option<String>,
    /// Backgrounds whose data ended, by number from 1, and when.
    pub background_ended: BTreeMap<u32, Nanos>,
    /// Every request, in the order of sending.
    pub transcript: Vec<Sent>,
}

impl Simulated {
    /// The sum of hold and outside.
    pub fn whole(&self) -> Aggregate {
        self.totals.whole()
    }

    /// Exchanges that ended, in hold and outside.
    pub fn exchanges(&self) -> u64 {
        Section::ALL.iter().map(|section| self.totals.total(*section).count()).sum()
    }

    /// Due, started, dropped and the like, in hold and outside.
    pub fn load(&self) -> nmax_metrics::LoadStats {
        self.whole().load(Section::Hold).clone()
    }

    /// All exchanges kept whole, by the instant at which they were due.
    pub fn by_intended(&self) -> Vec<RawSample> {
        let mut raw = self.raw.clone();
        raw.sort_by_key(|raw| (raw.sample.intended, raw.iteration));
        raw
    }
}

/// Runs a plan against a server in simulated time.
///
/// # Panics
/// When the plan cannot be made ready, or the simulation is stuck.
pub fn simulate(plan: &Arc<Plan>, server: impl Server, options: &Options) -> Simulated {
    let world = Rc::new(World::starting_at(options.from));
    let fence = Fence::at(options.fence);
    for (at, span) in &options.blocks {
        world.block(*at, *span);
    }
    let runtime = SimRuntime::new(Rc::clone(&world));
    let (connect, limit) = (options.connect, plan.defaults.body_limit_bytes);
    let drivers = SimDrivers::new(runtime.clone(), server, connect, limit, options.requests);
    let drivers = drivers.alarmed_after(options.alarm_after).fenced_by(&fence);
    let shared = Arc::new(Mutex::new(catalog(plan, options.names_max)));
    let (reports_in, reports) = sync_channel(REPORTS_MAX);
    let running = Rc::new(Cell::new(options.workers));
    let slots = Slots::new(plan, options.share);
    let mut recycle = Vec::new();
    for worker in 0..options.workers {
        let (recycle_in, recycled) = sync_channel(1);
        recycle.push(recycle_in);
        let catalog = shared.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let of = HttpPlan::new(plan, &catalog).expect("the plan of a test can be made ready");
        let program = Program::new(Arc::clone(plan), &catalog, &options.files, &of);
        let program = program.and_then(|program| program.with_scripts(&options.scripts));
        let program = program.expect("the plan of a test can be made ready");
        let sources = Sources::new(plan, &slots, options.share, (worker, options.workers), || runtime.timer())
            .expect("the plan of a test has a schedule")
            .starting_at(options.from);
        let settings = MeterSettings {
            width: Nanos::from(plan.window),
            hold: times(plan).hold,
            keep: options.keep,
            seed: plan.seed,
        };
        let meter = Meter::new(settings, Link { worker, reports: reports_in.clone(), recycled }, ThreadTime::default())
            .leaving_out(nmax_plan::schedule::hold_gaps(&plan.stages))
            .starting_at(options.from);
        let meter = if options.reports_exchanges { meter.with_exchange_events() } else { meter };
        let context = Context::new(
            runtime.clone(),
            Http::new(drivers.clone(), of),
            program,
            sources,
            meter,
            Arc::clone(&shared),
            Nanos::from_secs(options.unix_origin_s as u64),
        );
        start(&runtime, Rc::new(context.fenced_by(fence.clone())), plan, options, &running);
    }
    for (at, to) in options.fences.clone() {
        let (fence, timer) = (fence.clone(), runtime.timer());
        runtime.spawn(async move {
            timer.sleep_until(at).await;
            fence.set(to);
        });
    }
    let (catalog, sent) = (Arc::clone(&shared), NamesSent::default());
    let collector = Collector::new(recycle).starting_at(options.from.0 / Nanos::from(plan.window).0);
    let mut taken = Taken { collector, options, catalog, sent, simulated: empty() };
    world.run(|| running.get() == 0, || taken.take(&reports));
    world.clear();
    let ended_early = taken.collector.ended_early().map(str::to_owned);
    let background_ended = taken.collector.background_ended().clone();
    Simulated {
        catalog: shared.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        end: runtime.now(),
        ended_early,
        background_ended,
        transcript: drivers.take_transcript(),
        ..taken.simulated
    }
}

/// Starts a worker's main task, and what interferes with it.
fn start(
    runtime: &SimRuntime,
    context: Rc<Context<SimRuntime, Http<SimDrivers>>>,
    plan: &Plan,
    options: &Options,
    running: &Rc<Cell<u32>>,
) {
    for (at, is_cut) in [(options.stop_at, false), (options.cut_at, true)] {
        let Some(at) = at else { continue };
        let (context, timer) = (Rc::clone(&context), runtime.timer());
        runtime.spawn(async move {
            timer.sleep_until(at).await;
            if is_cut { context.cut_off() } else { context.stop() }
        });
    }
    for (at, plan) in options.steered.clone() {
        let (context, timer) = (Rc::clone(&context), runtime.timer());
        runtime.spawn(async move {
            timer.sleep_until(at).await;
            context.steer(&plan).expect("the plan of a test has a schedule");
        });
    }
    let (running, times, grace) = (Rc::clone(running), times(plan), Nanos::from(plan.graceful_stop));
    runtime.spawn(async move {
        worker::run(context, times, grace).await;
        running.set(running.get() - 1);
    });
}

fn empty() -> Simulated {
    Simulated {
        windows: Vec::new(),
        frames: Vec::new(),
        totals: Aggregate::default(),
        raw: Vec::new(),
        exchange_events: Vec::new(),
        failures: Vec::new(),
        catalog: Catalog::default(),
        end: Nanos::ZERO,
        ended_early: None,
        background_ended: BTreeMap::new(),
        transcript: Vec::new(),
    }
}

/// Takes reports as they come, so that memory is bounded.
struct Taken<'a> {
    collector: Collector,
    options: &'a Options,
    catalog: SharedCatalog,
    sent: NamesSent,
    simulated: Simulated,
}

impl Taken<'_> {
    fn take(&mut self, reports: &Receiver<Report>) {
        while let Ok(report) = reports.try_recv() {
            for complete in self.collector.add(report) {
                let Complete { window, raw, exchange_events, failures } = complete;
                if !exchange_events.is_empty() {
                    self.simulated.exchange_events.push(exchange_events);
                }
                self.simulated.totals.merge(&window.aggregate);
                self.simulated.raw.extend(raw);
                self.simulated.failures.extend(failures);
                if let Some(injector) = self.options.sends {
                    let names = self.catalog.lock().unwrap_or_else(PoisonError::into_inner).new_names(&mut self.sent);
                    self.simulated.frames.push(Frame { injector, names, window: window.clone() }.encode());
                }
                if self.options.keeps_windows {
                    self.simulated.windows.push(window);
                }
            }
        }
    }
}
