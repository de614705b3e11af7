//! This machine as an injector.

use std::collections::BTreeMap;
use std::time::Duration;

use nmax_engine::calibrate;
use nmax_engine::runtime::real::monotonic;
use nmax_fleet::coordinator::Coordinator;
use nmax_fleet::records::Spec;
use nmax_fleet::spool::Spool;
use nmax_fleet::{Identity, Trust};
use nmax_metrics::Nanos;
use nmax_metrics::clock::{Offset, OtherClock, Stamps};
use nmax_nats::{Agreement, Announcement, Broker, NatsError, ResultPublisher, Runs, Sizes, SpoolFolder, Worker};
use nmax_run::fleet::keys::{self, TrustKeys};
use nmax_run::fleet::member;
use nmax_run::safety::Consent;
use nmax_run::signals::Interrupts;
use nmax_run::{Exit, SessionError, Trouble, host};
use nmax_store::host::machine;

use super::look::{calendar, connect};
use super::order::{drained, pause};
use crate::args::JoinArgs;
use crate::commands::Ended;
use crate::live::Live;
use crate::say;

/// How often it is looked for a run.
const LOOK: Duration = Duration::from_millis(100);
/// An offer is good for this long: a run that has not begun by then does not begin.
const OFFER: Nanos = Nanos::from_secs(180);
/// The records of a run that was there before come one after the other.
const KNOWN: Nanos = Nanos::from_millis(300);
/// How long the capacity of this machine is measured.
const CALIBRATION: Duration = Duration::from_secs(2);

/// Takes part in runs until it is asked to end.
pub fn join(args: &JoinArgs) -> Ended {
    let trust = keys::trust(&args.trust)?;
    let broker = connect(&args.nats, &args.access, keys::connection(&args.trust))?;
    broker.hear(|text| say::note(format_args!("NATS: {text}")));
    let interrupts = Interrupts::listen().map_err(SessionError::from)?;
    if !wait_for_streams(&broker, &interrupts)? {
        return Ok(Exit::Pass);
    }
    let folder = SpoolFolder::open(&args.spool).map_err(|error| {
        format!("the spool {}: {error}\n  help: --spool names a folder for results on their way", args.spool.display())
    })?;
    let folder = folder.heard_by(&broker);
    host::raise();
    let workers = args.workers.unwrap_or_else(cores);
    let capacity = match args.capacity {
        Some(capacity) => capacity,
        None => capacity(workers)?,
    };
    let host = machine().remove("hostname").unwrap_or_else(|| "host".into());
    let random: [u8; 4] = keys::random()?;
    let id = format!("{}-{:08x}", member::token(&host), u32::from_be_bytes(random));
    let me = Identity {
        id: id.clone(),
        host: host.clone(),
        region: args.region.clone(),
        version: env!("CARGO_PKG_VERSION").into(),
        capacity,
        trust: Trust::Keys(trust.signers.clone()),
    };
    let worker = Worker {
        id: id.clone(),
        host,
        version: me.version.clone(),
        region: me.region.clone(),
        cores: cores(),
        workers,
        capacity,
        ..Worker::default()
    };
    let announcement = Announcement::new(&broker, worker.clone()).map_err(Trouble::unreachable)?;
    let mut drain = Agreement::new(&broker, &drained(&id), &id, trust.signers.clone()).map_err(Trouble::unreachable)?;
    say::note(format_args!("injector {id}: {capacity} requests/s; it waits for runs, Ctrl-C ends it"));
    let consent = Consent { is_for_others: true, ..args.safety.consent() };
    let mut joined = Joined {
        args,
        trust,
        runs: Runs::new(&broker),
        broker,
        folder,
        me,
        worker,
        announcement,
        workers,
        consent,
        met: BTreeMap::new(),
    };
    let (mut is_draining, mut clock) = (false, OtherClock::default());
    loop {
        joined.tell_clock(&mut clock, drain.stamps(monotonic()));
        if !is_draining && drain.command().is_some() {
            is_draining = true;
            joined.say_of(None, true);
            say::note("it takes no further run, as asked for");
        }
        if interrupts.count() > 0 || is_draining {
            return Ok(Exit::Pass);
        }
        joined.send_left_over(&interrupts);
        let Some(spec) = joined.next_run() else {
            pause(LOOK);
            continue;
        };
        joined.say_of(Some(&spec.run), false);
        let took_part = joined.take_part(&spec, &interrupts);
        joined.say_of(None, false);
        if args.once && took_part {
            return Ok(Exit::Pass);
        }
    }
}

/// Processors of this machine.
fn cores() -> u32 {
    std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32)
}

/// Requests per second that this process can send, as measured against a server of its own.
fn capacity(workers: u32) -> Result<u32, Trouble> {
    say::note("measuring for two seconds what this machine can send; `--capacity N` says it");
    let target = nmax_target::spawn(nmax_target::Options::default()).map_err(Trouble::internal)?;
    let found = calibrate(&target.url(), workers, CALIBRATION).map_err(Trouble::internal)?;
    Ok(found.requests_per_s as u32)
}

/// Waits until the streams are there, which those who order runs make; `false` when it is interrupted.
fn wait_for_streams(broker: &Broker, interrupts: &Interrupts) -> Result<bool, Trouble> {
    let mut is_said = false;
    while let Err(missing) = nmax_nats::look(broker) {
        match nmax_nats::prepare(broker, Sizes::default()) {
            Ok(()) => break,
            Err(NatsError::Denied { .. } | NatsError::Lost { .. }) if interrupts.count() > 0 => return Ok(false),
            Err(NatsError::Denied { .. }) if !is_said => {
                say::note(format_args!("{missing}; waiting"));
                is_said = true;
            }
            Err(NatsError::Denied { .. }) => pause(LOOK),
            Err(error) => return Err(Trouble::unreachable(error)),
        }
    }
    Ok(true)
}

/// An injector that has joined.
struct Joined<'a> {
    args: &'a JoinArgs,
    trust: TrustKeys,
    broker: Broker,
    runs: Runs,
    folder: SpoolFolder,
    me: Identity,
    worker: Worker,
    announcement: Announcement,
    workers: u32,
    consent: Consent,
    /// Since when runs are known; `None` for those that were looked at.
    met: BTreeMap<String, Option<Nanos>>,
}

impl Joined<'_> {
    /// Says to the others what it does.
    fn say_of(&self, run: Option<&str>, is_draining: bool) {
        self.announcement.set(Worker { run: run.map(str::to_owned), is_draining, ..self.worker.clone() });
    }

    /// Says how its clock stands against the server's, by these exchanges with it.
    fn tell_clock(&mut self, clock: &mut OtherClock, stamps: Vec<Stamps>) {
        stamps.iter().for_each(|stamps| clock.exchanged(stamps));
        let (now, wall) = (monotonic(), calendar());
        let Some(Offset { offset_s, error_s }) = clock.offset(now).filter(|_| !stamps.is_empty()) else { return };
        self.worker.clock_offset_ns = (wall.0 as f64 - (now.0 as f64 + offset_s * 1e9)) as i64;
        self.worker.clock_error_ns = (error_s * 1e9).max(1.0) as u64;
        let Worker { clock_offset_ns, clock_error_ns, .. } = self.worker;
        self.announcement.amend(|worker| *worker = Worker { clock_offset_ns, clock_error_ns, ..worker.clone() });
    }

    /// A run that was offered and may still begin.
    fn next_run(&mut self) -> Option<Spec> {
        let (now, oldest) = (monotonic(), Nanos(calendar().0.saturating_sub(OFFER.0)));
        for run in self.runs.offered_since(oldest) {
            let since = *self.met.entry(run.spec.run.clone()).or_insert(Some(now));
            if since.is_none_or(|since| now.since(since) < KNOWN) {
                continue;
            }
            self.met.insert(run.spec.run.clone(), None);
            // One that asks for more threads than there are is for others.
            if run.is_open() && run.spec.workers <= Some(self.workers) {
                return Some(run.spec);
            }
        }
        None
    }

    /// Takes part in a run; whether it was needed.
    fn take_part(&mut self, spec: &Spec, interrupts: &Interrupts) -> bool {
        let run = &spec.run;
        say::note(format_args!("run {run} is offered"));
        let get = |name: &str| nmax_nats::get(&self.broker, name).map_err(|error| error.to_string());
        let (me, folder) = (&self.me, self.args.spool.join(run));
        let part = || {
            let order = member::admit(spec, &me.id, &self.trust, &folder, &self.consent, self.workers, &get)?;
            let publisher = ResultPublisher::new(&self.broker, run).map_err(|error| error.to_string())?;
            let file = self.folder.create(run, &me.id).map_err(|error| format!("its spool: {error}"))?;
            let path = file.path().to_owned();
            Ok::<_, String>((order, Spool::new(run, file, publisher), path))
        };
        let agreement = match Agreement::new(&self.broker, run, &me.id, self.trust.signers.clone()) {
            Ok(agreement) => agreement,
            Err(error) => {
                say::warning(format_args!("run {run}: {error}"));
                return false;
            }
        };
        let (order, spool, path) = match part() {
            Ok(part) => part,
            Err(why) => {
                say::warning(format_args!("run {run}: {why}"));
                member::refuse(me.clone(), agreement, &why, interrupts);
                return true;
            }
        };
        let finished = member::take_part(order, me, (agreement, spool), interrupts, &mut [&mut Live::new(true)]);
        let is_needed = !matches!(finished, Ok(None));
        match finished {
            Ok(Some(finished)) => {
                say::note(format_args!("run {run}: its part has ended; {}", finished.directory.display()));
                if interrupts.count() > 1 {
                    say::note(
                        "results that the server does not have stay in the spool; the next `nmax fleet join` sends them",
                    );
                    return true;
                }
            }
            Ok(None) => say::note(format_args!("run {run} needs no further injector")),
            Err(error) => say::warning(format_args!("run {run}: {error}")),
        }
        let _ = std::fs::remove_file(path);
        is_needed
    }

    /// Sends what processes before this one left.
    fn send_left_over(&self, interrupts: &Interrupts) {
        let Ok(left) = self.folder.left_over() else { return };
        for left in left {
            let Ok(publisher) = ResultPublisher::new(&self.broker, &left.run) else { continue };
            let path = left.file.path().to_owned();
            let Ok(mut spool) = Spool::open(&left.run, left.file, publisher, left.length) else { continue };
            let mut last = None;
            while interrupts.count() == 0 {
                let unsent = nmax_fleet::ResultSink::<nmax_fleet::batch::Content>::advance(&mut spool, monotonic());
                if unsent == 0 {
                    let _ = std::fs::remove_file(&path);
                    break;
                }
                if last.is_none() {
                    say::note(format_args!("run {}: {unsent} results of an injector that ended are sent", left.run));
                    last = Some(unsent);
                }
                pause(LOOK);
            }
        }
    }
}
