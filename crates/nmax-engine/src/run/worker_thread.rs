//! A worker's thread: made ready before the run's origin, then the run itself.

use std::convert::identity;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::{SystemTime, UNIX_EPOCH};

use nmax_metrics::{Clock, Nanos};
use nmax_plan::plan::Plan;
use nmax_plan::schedule::hold_gaps;
use nmax_reactor::Reactor;
use tokio::sync::watch;

use crate::context::Context;
use crate::error::StartError;
pub(crate) use crate::measure::meter::Link;
use crate::measure::meter::{Meter, MeterSettings};
use crate::measure::names::SharedCatalog;
use crate::protocol::Protocol as _;
use crate::run::carrier::{Carried, Carrier, carrier};
use crate::run::settings::Settings;
use crate::run::{Origin, worker};
use crate::runtime::real::{RealClock, RealRuntime, monotonic};
use crate::runtime::{Runtime, Timer};
use crate::schedule::pace;
use crate::schedule::source::{Slots, Sources, times};

/// How long the run's origin waits for connections that are opened ahead of it.
const AHEAD_MAX: Nanos = Nanos::from_secs(1);

/// What a running worker is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Go on.
    Run,
    /// Start nothing more; let exchanges end.
    Stop,
    /// Cut everything off.
    Cut,
}

/// What running workers are told.
#[derive(Clone, Debug)]
pub(crate) struct Orders {
    /// What to do.
    pub(crate) command: Command,
    /// The plan whose stages the load goes by: that of the settings, or as it was steered last.
    pub(crate) plan: Arc<Plan>,
}

/// What a worker's thread starts with.
pub(crate) struct WorkerThread {
    pub(crate) settings: Settings,
    pub(crate) worker: u32,
    pub(crate) workers: u32,
    /// Slots of iterations in flight, shared by all workers.
    pub(crate) slots: Slots,
    pub(crate) link: Link,
    pub(crate) catalog: SharedCatalog,
    pub(crate) orders: watch::Receiver<Orders>,
    pub(crate) ready: SyncSender<Result<(), StartError>>,
    pub(crate) origin: Receiver<Origin>,
}

impl WorkerThread {
    /// The thread's whole life.
    #[expect(clippy::disallowed_methods, reason = "waits for the run's origin before its reactor turns")]
    pub(crate) fn run(self) {
        let worker = self.worker;
        let reactor = match Reactor::new() {
            Ok(reactor) => reactor,
            Err(error) => return drop(self.ready.send(Err(StartError::Worker { worker, error }))),
        };
        reactor.block_on(async move {
            let prepared = self.prepare();
            let (carried, runtime, clock) = match prepared {
                Ok(prepared) => prepared,
                Err(error) => return drop(self.ready.send(Err(error))),
            };
            let plan = &self.settings.plan;
            let sources =
                Sources::new(plan, &self.slots, self.settings.share, (worker, self.workers), || runtime.timer());
            let sources = match sources {
                Ok(sources) => sources.starting_at(self.settings.from),
                Err(error) => return drop(self.ready.send(Err(error.into()))),
            };
            if let Some(count) = pace::ahead(plan, sources.fraction) {
                let timer = runtime.timer();
                tokio::select! {
                    () = carried.0.open_ahead(count) => {}
                    () = timer.sleep_until(runtime.now() + AHEAD_MAX) => {}
                }
            }
            let _ = self.ready.send(Ok(()));
            let Ok(Origin { at, wall }) = self.origin.recv() else { return };
            clock.set_origin(at);
            std::thread::sleep((at + self.settings.from).since(monotonic()).into());
            self.live(carried, runtime, sources, wall).await;
        });
    }

    fn prepare(&self) -> Result<(Carried<Carrier>, RealRuntime, RealClock), StartError> {
        let worker = self.worker;
        if let Some(cpu) = self.settings.pin.get(worker as usize) {
            pin_to(*cpu).map_err(|error| StartError::Worker { worker, error })?;
        }
        // Only matters for sleeps outside the timerfd; a refusal changes nothing.
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
        let catalog = self.catalog.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        let clock = RealClock::starting_now();
        let runtime = RealRuntime::start(clock.clone()).map_err(|error| StartError::Worker { worker, error })?;
        let carried =
            carrier(&self.settings, &self.settings.plan, &catalog, (&clock, self.settings.fence.clone()), identity)?;
        Ok((carried, runtime, clock))
    }

    async fn live(
        self,
        (carrier, program): Carried<Carrier>,
        runtime: RealRuntime,
        sources: Sources<<RealRuntime as Runtime>::Timer>,
        wall: SystemTime,
    ) {
        let plan = Arc::clone(&self.settings.plan);
        let times = times(&plan);
        let settings = MeterSettings {
            width: Nanos::from(plan.window),
            hold: times.hold,
            keep: self.settings.keep,
            seed: plan.seed,
        };
        let meter = Meter::new(settings, self.link, runtime.thread_time()).leaving_out(hold_gaps(&plan.stages));
        let meter = meter.starting_at(self.settings.from);
        let meter = if self.settings.reports_exchanges { meter.with_exchange_events() } else { meter };
        let unix_origin = wall.duration_since(UNIX_EPOCH).map_or(Nanos::ZERO, Nanos::from);
        let context = Context::new(runtime, carrier, program, sources, meter, self.catalog, unix_origin);
        let context = Rc::new(context.fenced_by(self.settings.fence));
        let obedient = Rc::clone(&context);
        let grace = Nanos::from(plan.graceful_stop);
        nmax_reactor::spawn(async move { obey(&obedient, self.settings.plan, self.orders, grace).await });
        worker::run(context, times, grace).await;
    }
}

/// Does what the run's owner says.
async fn obey(
    context: &Rc<Context<RealRuntime, Carrier>>,
    mut course: Arc<Plan>,
    mut orders: watch::Receiver<Orders>,
    grace: Nanos,
) {
    let timer = context.runtime.timer();
    loop {
        let Orders { command, plan } = orders.borrow_and_update().clone();
        if !Arc::ptr_eq(&course, &plan) {
            // Whoever gave the order made a schedule of it before.
            let _ = context.steer(&plan);
            course = plan;
        }
        match command {
            Command::Run => {}
            Command::Stop => {
                context.stop();
                let end = context.runtime.now() + grace;
                tokio::select! {
                    () = timer.sleep_until(end) => context.cut_off(),
                    _ = cut(&mut orders) => context.cut_off(),
                }
                return;
            }
            Command::Cut => return context.cut_off(),
        }
        if orders.changed().await.is_err() {
            return context.cut_off();
        }
    }
}

/// Waits for another command than to stop, or until its owner is gone.
async fn cut(orders: &mut watch::Receiver<Orders>) {
    let _ = orders.wait_for(|orders| orders.command == Command::Cut).await;
}

fn pin_to(cpu: usize) -> std::io::Result<()> {
    let mut set = rustix::thread::CpuSet::new();
    set.set(cpu);
    Ok(rustix::thread::sched_setaffinity(None, &set)?)
}
