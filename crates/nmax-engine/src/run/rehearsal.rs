//! One iteration of one scenario with everything it sent and received: to look at a plan before it is run.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nmax_http::line::Line;
use nmax_http::{Alarm, Exchange, Fields, HeadText, KeepBody, Origin, Reply, Request};
use nmax_metrics::{ErrorKind, FailureExample, Fence, Nanos, Outcome, RawSample, Section};
use nmax_plan::plan::{Plan, Step, ThinkTime, Workload};
use nmax_plan::schedule::{Stage, StageKind};

use crate::error::StartError;
use crate::http::driver::{Driver, Drivers};
use crate::http::shown::Sent;
use crate::http::sockets::{HttpDriver, HttpDrivers};
use crate::measure::meter::{MeterSettings, Report};
use crate::program::{Records, catalog};
use crate::run::carrier::{self, carrier};
use crate::run::fixture::{Fixture, until};
use crate::run::settings::{KeepSamples, Settings};
use crate::run::worker;
use crate::runtime::real::{RealClock, RealRuntime, block_on};
use crate::schedule::source::times;

/// Most bytes of a body that are kept for a person to look at.
const BODY_MAX: usize = 64 * 1024;
/// Most bytes of a body that are kept until they are counted.
const COUNTED_MAX: usize = 16 << 20;
/// Longer than any iteration: everything falls into one window.
const WINDOW: Nanos = Nanos::from_secs(366 * 24 * 3600);

/// An exchange with all that was sent and received.
#[derive(Clone, Debug)]
pub struct Traced {
    /// Request name.
    pub name: String,
    /// Head as sent.
    pub request: HeadText,
    /// Body as sent.
    pub request_body: Vec<u8>,
    /// Head as received.
    pub reply: HeadText,
    /// The beginning of the body.
    pub reply_body: Vec<u8>,
    /// Length of the whole body, decoded; `None` when it is not known.
    pub reply_body_bytes: Option<u64>,
    /// What was measured.
    pub measured: RawSample,
    /// Why it was not ok.
    pub failure: Option<FailureExample>,
}

/// One iteration of a scenario.
#[derive(Clone, Debug)]
pub struct Rehearsal {
    /// Index of the scenario.
    pub scenario: usize,
    /// Its exchanges, in the order of their ends.
    pub exchanges: Vec<Traced>,
    /// What was not ok, also where no exchange was.
    pub failures: Vec<FailureExample>,
    /// Whether the iteration went through and was ok.
    pub is_ok: bool,
}

/// Which iteration is rehearsed, and how much of its replies is kept.
#[derive(Clone, Copy, Debug)]
pub struct RehearsalOptions {
    /// Index of the scenario.
    pub scenario: usize,
    /// Number of the iteration: another one reads other rows, counted from the end of each feeder, and makes other
    /// choices.
    pub number: u64,
    /// Most bytes of each body that are kept.
    pub body_max: usize,
}

impl RehearsalOptions {
    /// The first iteration of a scenario, with as much as a person looks at.
    const fn first(scenario: usize) -> Self {
        Self { scenario, number: 0, body_max: BODY_MAX }
    }
}

/// Runs one iteration of every scenario without pauses, those of the background too, between the setup and the teardown
/// of the run. Rows come from the end of each feeder, so that a run after it finds all of its own.
pub fn rehearse(settings: &Settings) -> Result<Vec<Rehearsal>, StartError> {
    let fixture = Fixture::open(settings, &|| false)?;
    (0..settings.plan.scenarios.len())
        .map(|scenario| trace(fixture.settings(), RehearsalOptions::first(scenario), std::future::ready(()), &|| false))
        .collect()
}

/// As [`rehearse`], of one scenario, any iteration of it: a replay that repeats nothing that one of another number did.
pub fn rehearse_iteration(settings: &Settings, options: RehearsalOptions) -> Result<Rehearsal, StartError> {
    let fixture = Fixture::open(settings, &|| false)?;
    trace(fixture.settings(), options, std::future::ready(()), &|| false)
}

/// Runs one iteration of a scenario without its pauses, as [`rehearse`] does, without setup and teardown of the run.
pub fn trace_iteration(settings: &Settings, scenario: usize) -> Result<Vec<Traced>, StartError> {
    trace_iteration_then(settings, scenario, std::future::ready(()))
}

/// As [`once`]; what is under way when `is_cut` says so is cut off.
pub fn trace_iteration_unless(
    settings: &Settings,
    scenario: usize,
    is_cut: &dyn Fn() -> bool,
) -> Result<Vec<Traced>, StartError> {
    Ok(trace(settings, RehearsalOptions::first(scenario), std::future::ready(()), is_cut)?.exchanges)
}

/// As [`once`]; then waits for `after` on the same reactor, while sockets that servers should close are still watched.
pub fn trace_iteration_then(
    settings: &Settings,
    scenario: usize,
    after: impl Future<Output = ()>,
) -> Result<Vec<Traced>, StartError> {
    Ok(trace(settings, RehearsalOptions::first(scenario), after, &|| false)?.exchanges)
}

fn trace(
    settings: &Settings,
    options: RehearsalOptions,
    after: impl Future<Output = ()>,
    is_cut: &dyn Fn() -> bool,
) -> Result<Rehearsal, StartError> {
    let scenario = options.scenario;
    let plan = Arc::new(only(&settings.plan, scenario));
    let worker_error = |error| StartError::Worker { worker: 0, error };
    let names = catalog(&plan, settings.names_max);
    let clock = RealClock::starting_now();
    let log = Rc::new(RefCell::new(Vec::new()));
    let recording = |inner| Recording { inner, log: Rc::clone(&log), body_max: options.body_max };
    let (http, mut program) = carrier(settings, &plan, &names, (&clock, Fence::default()), recording)?;
    program.records = Records::Last;
    program.first_iteration = options.number;
    program.known.clone_from(&settings.known);
    let (reports_in, reports) = sync_channel(4);
    let shared_names = Arc::new(Mutex::new(names));
    let names = Arc::clone(&shared_names);
    block_on(async move {
        let runtime = RealRuntime::start(clock).map_err(worker_error)?;
        let times = times(&plan);
        let meter = MeterSettings { width: WINDOW, hold: times.hold, keep: KeepSamples::All, seed: plan.seed };
        let context = carrier::only_worker(runtime, (http, program), meter, reports_in, names)?;
        let cut = async {
            until(is_cut, None).await;
            context.cut_off();
            std::future::pending().await
        };
        tokio::select! {
            () = worker::run(Rc::clone(&context), times, Nanos::from(plan.graceful_stop)) => {}
            () = cut => {}
        }
        after.await;
        Ok::<(), StartError>(())
    })
    .map_err(worker_error)??;
    let (mut raw, mut failures) = (Vec::new(), Vec::new());
    let (mut completed, mut failed_iterations) = (0, 0);
    for report in reports {
        if let Report::Window { raw: kept, failures: failed, window, .. } = report {
            for section in Section::ALL {
                let stats = window.aggregate.scenarios.get(section, scenario);
                completed += stats.map_or(0, |stats| stats.completed);
                failed_iterations += stats.map_or(0, |stats| stats.failed);
            }
            raw.extend(kept);
            failures.extend(failed);
        }
    }
    let names = shared_names.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    // An exchange that could not even be rendered has a record and no bytes.
    let mut log = log.take().into_iter();
    let exchanges = raw
        .into_iter()
        .map(|measured| {
            let is_rendered =
                measured.sample.outcome != Outcome::Error(ErrorKind::Protocol) || measured.sample.sent.is_some();
            let sent = if is_rendered { log.next() } else { None };
            let sent = sent.unwrap_or_default();
            Traced {
                name: names.requests.name(measured.sample.name).to_owned(),
                failure: failures.iter().find(|failure| failure.at == measured.sample.done).cloned(),
                request: sent.request,
                request_body: sent.request_body,
                reply: sent.reply,
                reply_body: sent.reply_body,
                reply_body_bytes: sent.reply_body_bytes,
                measured,
            }
        })
        .collect();
    Ok(Rehearsal { scenario, exchanges, failures, is_ok: completed == 1 && failed_iterations == 0 })
}

/// The plan with nothing but one iteration of one scenario.
fn only(plan: &Plan, scenario: usize) -> Plan {
    let mut plan = plan.clone();
    for (index, other) in plan.scenarios.iter_mut().enumerate() {
        other.weight = if index == scenario { 1.0 } else { 0.0 };
        other.pacing = None;
        for steps in [&mut other.setup, &mut other.steps, &mut other.teardown] {
            without_pauses(steps);
        }
    }
    plan.background.clear();
    plan.workload = Workload::Closed { vus: 1 };
    plan.stages = vec![Stage { from: 1.0, to: 1.0, length_ns: None, kind: StageKind::Hold }];
    plan.iterations = Some(1);
    plan
}

fn without_pauses(steps: &mut [Step]) {
    for step in steps {
        match step {
            Step::Think(think) => *think = ThinkTime::Fixed(Duration::ZERO),
            Step::Transaction(transaction) => without_pauses(&mut transaction.steps),
            Step::If(step) => {
                without_pauses(&mut step.then);
                without_pauses(&mut step.otherwise);
            }
            Step::Loop(step) => without_pauses(&mut step.steps),
            Step::Choose(branches) => branches.iter_mut().for_each(|branch| without_pauses(&mut branch.steps)),
            Step::Call(_) | Step::Set(_) | Step::End(_) | Step::Script => {}
        }
    }
}

/// What one exchange sent and received.
#[derive(Debug, Default)]
struct Seen {
    request: HeadText,
    request_body: Vec<u8>,
    reply: HeadText,
    reply_body: Vec<u8>,
    reply_body_bytes: Option<u64>,
}

struct Recording {
    inner: HttpDrivers,
    log: Rc<RefCell<Vec<Seen>>>,
    body_max: usize,
}

impl Drivers for Recording {
    type Driver = RecordingDriver;

    fn make(&self, alarm: Alarm) -> RecordingDriver {
        RecordingDriver {
            inner: self.inner.make(alarm),
            log: Rc::clone(&self.log),
            body_max: self.body_max,
            seen: None,
        }
    }
}

struct RecordingDriver {
    inner: HttpDriver,
    log: Rc<RefCell<Vec<Seen>>>,
    body_max: usize,
    /// The exchange under way; the log has them in the order of their ends, as the meter has.
    seen: Option<Seen>,
}

impl Driver for RecordingDriver {
    async fn exchange(&mut self, request: &Request<'_>, into: &mut Exchange) {
        let sent = Sent { text: request.text, rest: request.rest };
        self.seen = Some(Seen { request: sent.text.fields().to_head(), request_body: sent.body(), ..Seen::default() });
        let keep_body = match request.keep_body {
            KeepBody::Discard => KeepBody::UpTo(COUNTED_MAX),
            KeepBody::UpTo(most) => KeepBody::UpTo(most.max(self.body_max)),
        };
        self.inner.exchange(&Request { keep_body, ..*request }, into).await;
        let reply = self.inner.reply();
        if let Some(mut seen) = self.seen.take() {
            seen.reply = reply.fields().to_head();
            seen.reply_body = reply.body()[..reply.body().len().min(self.body_max)].to_vec();
            seen.reply_body_bytes = match reply.body_truncated() {
                false => Some(reply.body().len() as u64),
                true => Some(into.bytes_decoded).filter(|bytes| *bytes > 0),
            };
            self.log.borrow_mut().push(seen);
        }
    }

    fn sibling(&self, alarm: Alarm) -> Self {
        Self { inner: self.inner.sibling(alarm), log: Rc::clone(&self.log), body_max: self.body_max, seen: None }
    }

    fn concurrency(&self, origin: &Origin) -> usize {
        self.inner.concurrency(origin)
    }

    fn abandon(&mut self) -> Exchange {
        self.log.borrow_mut().extend(self.seen.take());
        self.inner.abandon()
    }

    fn reply(&self) -> Reply<'_> {
        self.inner.reply()
    }

    fn remains(&self) -> (Fields<'_>, &[u8]) {
        self.inner.remains()
    }

    fn rest(&mut self) {
        self.inner.rest();
    }

    fn close(&mut self) {
        self.inner.close();
    }

    fn set_line(&mut self, line: Option<Rc<Line>>) {
        self.inner.set_line(line);
    }

    fn forget(&mut self) {
        self.inner.forget();
    }
}
