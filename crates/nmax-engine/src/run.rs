//! A run on this machine: worker threads, the collector of their windows, and the way to stop them.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use nmax_metrics::{Catalog, Clock, Nanos};
use nmax_plan::plan::Workload;
use tokio::sync::watch;

use crate::collector::{Collector, Complete, WorkerUse};
use crate::context::SharedCatalog;
use crate::meter::Report;
use crate::program::{ProgramError, catalog};
use crate::real::RealClock;
use crate::seat::{Command, Link, Seat};
use crate::settings::Settings;
use crate::source::{Times, times};

/// Reports that may wait for the collector; beyond that workers wait, which their lag then shows.
const REPORTS_MAX: usize = 64;
/// Emptied windows that may wait for their worker.
const RECYCLED_MAX: usize = 4;
/// From the moment all workers are ready to the run's origin.
const LEAD: Duration = Duration::from_millis(5);

/// Why a run did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The plan cannot be made ready.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A thread, reactor or timer could not be made.
    #[error("worker {worker} did not start: {error}\n  help: see the limits of threads and open files (`ulimit -a`)")]
    Worker {
        /// Number of the worker.
        worker: u32,
        /// What failed.
        error: io::Error,
    },
    /// TLS settings.
    #[error("{0}")]
    Tls(String),
}

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

/// A run under way. Dropping it cuts it off and waits for its threads.
#[derive(Debug)]
pub struct Run {
    clock: RealClock,
    started_at: SystemTime,
    times: Times,
    catalog: SharedCatalog,
    collector: Collector,
    reports: Receiver<Report>,
    command: watch::Sender<Command>,
    threads: Vec<JoinHandle<()>>,
    ready: std::collections::VecDeque<Complete>,
}

impl Run {
    /// Starts the workers of a plan. They begin together, a short lead after all are ready.
    #[expect(
        clippy::disallowed_methods,
        reason = "the origin of the run's clock, and its wall time for labels"
    )]
    pub fn start(settings: &Settings) -> Result<Self, StartError> {
        let workers = worker_count(settings);
        let shared = Arc::new(Mutex::new(catalog(&settings.plan, settings.names_max)));
        let (reports_in, reports) = sync_channel(REPORTS_MAX);
        let (command, commands) = watch::channel(Command::Run);
        let (mut recycle, mut threads, mut seats) = (Vec::new(), Vec::new(), Vec::new());
        for worker in 0..workers {
            let (recycle_in, recycled) = sync_channel(RECYCLED_MAX);
            let (ready_in, ready) = sync_channel(1);
            let (origin_in, origin) = sync_channel(1);
            recycle.push(recycle_in);
            let seat = Seat {
                settings: settings.clone(),
                worker,
                workers,
                link: Link {
                    worker,
                    reports: SyncSender::clone(&reports_in),
                    recycled,
                },
                catalog: Arc::clone(&shared),
                commands: commands.clone(),
                ready: ready_in,
                origin,
            };
            let thread = std::thread::Builder::new()
                .name(format!("nmax-worker-{worker}"))
                .spawn(move || seat.run());
            threads.push(thread.map_err(|error| StartError::Worker { worker, error })?);
            seats.push((ready, origin_in));
        }
        for (ready, _) in &seats {
            // Workers whose seat is dropped with an error here go away by themselves.
            ready
                .recv()
                .unwrap_or_else(|_| Err(StartError::Tls("a worker ended before it was ready".into())))?;
        }
        let origin = Instant::now() + LEAD;
        let started_at = SystemTime::now() + LEAD;
        for (_, origin_in) in seats {
            let _ = origin_in.send((origin, started_at));
        }
        let clock = RealClock::starting_now();
        clock.set_origin(origin);
        Ok(Self {
            clock,
            started_at,
            times: times(&settings.plan),
            catalog: shared,
            collector: Collector::new(recycle),
            reports,
            command,
            threads,
            ready: std::collections::VecDeque::new(),
        })
    }

    /// What comes next; waits at most `patience` for it.
    pub fn next(&mut self, patience: Duration) -> Event {
        if let Some(complete) = self.ready.pop_front() {
            return Event::Window(Box::new(complete));
        }
        if self.collector.is_done() {
            return Event::Ended;
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
                self.ready
                    .pop_front()
                    .map_or(Event::Ended, |complete| Event::Window(Box::new(complete)))
            }
        }
    }

    /// Starts nothing more; exchanges under way may end.
    pub fn stop(&self) {
        self.command.send_if_modified(|command| {
            let is_running = *command == Command::Run;
            if is_running {
                *command = Command::Stop;
            }
            is_running
        });
    }

    /// Cuts everything off; what is under way is counted as censored.
    pub fn cut(&self) {
        self.command.send_replace(Command::Cut);
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

    /// Why the run ended before its plan did, if it did.
    pub fn ended_early(&self) -> Option<&str> {
        self.collector.ended_early()
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.command.send_replace(Command::Cut);
        // Workers may wait for room for a report.
        while self.reports.recv().is_ok() {}
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Workers that a run gets: as many as there is work for.
pub fn worker_count(settings: &Settings) -> u32 {
    let plan = &settings.plan;
    let work = match plan.workload {
        Workload::Closed { .. } => plan
            .stages
            .iter()
            .map(|stage| stage.from.max(stage.to))
            .fold(0.0, f64::max)
            .ceil(),
        Workload::Open { max_in_flight, .. } => f64::from(max_in_flight),
    };
    settings.workers.min(work as u32).max(1)
}
