//! Runs that are ordered, and ended.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use nmax_engine::KeepSamples;
use nmax_fleet::records::{Command, Policy as Loss, Spec, decode};
use nmax_fleet::seal::SealKey;
use nmax_fleet::warrant::{PublicKey, SigningKey};
use nmax_metrics::Nanos;
use nmax_nats::{Agreement, Broker, Offers, Sizes, Subscription, Worker, Workers};
use nmax_plan::plan::Plan;
use nmax_run::fleet::keys;
use nmax_run::fleet::manager::{self, Arrival, Link};
use nmax_run::fleet::member;
use nmax_run::fleet::offer::{LEASE, Offered, offer};
use nmax_run::signals::Interrupts;
use nmax_run::{Exit, Order, SessionError, Trouble, new_id};
use nmax_text::number::counted;

use super::look::connect_owner;
use crate::args::{AbortArgs, DrainArgs, FleetReportArgs, FleetRunArgs, OutputArgs, Policy};
use crate::commands::{Ended, run};
use crate::live::Live;
use crate::{load, say};

/// How long it is listened for what injectors say of themselves, and for runs.
pub(super) const SEEN: Duration = Duration::from_millis(1_500);
/// Sentences of what fails that wait to be said; more than that say nothing new.
const HEARD_MAX: usize = 64;
/// How often it is looked for what has to be there, and how long between two looks.
const LOOKS: u32 = 50;
const LOOK: Duration = Duration::from_millis(100);

/// Runs a plan on a fleet; prints the result.
pub fn run(args: &FleetRunArgs) -> Ended {
    let keys = keys::owner(&args.broker.fleet_key)?;
    let plan = Arc::new(load::plan(&args.what, &args.plan, &Default::default())?);
    let broker = connect_owner(&args.broker)?;
    nmax_nats::prepare(&broker, Sizes::default()).map_err(Trouble::unreachable)?;
    let shards: Vec<Option<String>> = match &args.region[..] {
        [] => vec![None; args.injectors as usize],
        regions => regions.iter().flat_map(|(name, count)| vec![Some(name.clone()); *count as usize]).collect(),
    };
    enough(&Workers::new(&broker), &shards, 0)?;
    let (run, now) = new_id();
    let order = Order {
        name: args.entry.name.clone().unwrap_or_else(|| plan.name.clone()),
        note: args.entry.note.clone().unwrap_or_default(),
        tags: args.entry.tag.clone(),
        ..watched(plan, &run, args.entry.runs_dir.clone())
    };
    let policy = match args.policy {
        Policy::Continue => Loss::Continue,
        Policy::Takeover => Loss::Takeover { ttl_ns: LEASE.0 },
    };
    let offered = Offered { shards, policy, run: run.clone(), now: instant(now) };
    let put = &mut |bytes: &[u8]| nmax_nats::put(&broker, bytes).map_err(|error| error.to_string());
    let spec = offer(&order, &keys, offered, put)?;
    say::note(format_args!(
        "run {run} is offered to {} injectors; `nmax fleet abort {run}` ends it",
        spec.shards.len()
    ));
    let output = OutputArgs { json: args.broker.json, wide: args.wide, quiet: args.quiet };
    follow(&broker, &keys, &order, &spec, &output, args.exit_zero)
}

/// Writes the report of a run from its first result on.
pub fn report(args: &FleetReportArgs) -> Ended {
    let keys = keys::owner(&args.broker.fleet_key)?;
    let broker = connect_owner(&args.broker)?;
    let offer = offered(&broker, &args.run)?;
    let spec: Spec = decode("spec", &offer.spec).map_err(|error| error.to_string())?;
    let order = of_others(&broker, &keys.seal, &spec, &args.runs_dir)?;
    let output = OutputArgs { json: args.broker.json, wide: false, quiet: false };
    follow(&broker, &keys, &order, &spec, &output, args.exit_zero)
}

/// An instant as runs have it.
pub(super) fn instant(at: jiff::Timestamp) -> Nanos {
    Nanos(u64::try_from(at.as_nanosecond()).unwrap_or_default())
}

/// A run that was ordered elsewhere, as it is followed into a folder.
pub(super) fn of_others(broker: &Broker, seal: &SealKey, spec: &Spec, runs_dir: &Path) -> Result<Order, String> {
    let get = |name: &str| nmax_nats::get(broker, name).map_err(|error| error.to_string());
    let folder = std::env::temp_dir().join(format!("nmax-report-{}-{}", spec.run, std::process::id()));
    let plan = member::plan(spec, seal, &folder, &get);
    let _ = std::fs::remove_dir_all(&folder);
    Ok(watched(Arc::new(plan?), &spec.run, runs_dir.to_owned()))
}

/// A run of others, of which this process loads nothing.
fn watched(plan: Arc<Plan>, run: &str, runs_dir: PathBuf) -> Order {
    Order {
        name: plan.name.clone(),
        allow: Arc::new(|_, _| Err("the one who orders a run of a fleet loads nothing".into())),
        plan,
        authorization: None,
        workers: 0,
        pin: Vec::new(),
        keep: KeepSamples::None,
        id: Some(run.to_owned()),
        runs_dir,
        note: String::new(),
        tags: Vec::new(),
        warnings: Vec::new(),
        source: None,
    }
}

/// Follows a run to its end and prints the result.
fn follow(
    broker: &Broker,
    keys: &keys::OwnerKeys,
    order: &Order,
    spec: &Spec,
    output: &OutputArgs,
    exits_zero: bool,
) -> Ended {
    let interrupts = Interrupts::listen().map_err(SessionError::from)?;
    let mut fleet = Fleet::new(broker, &spec.run, vec![keys.signing.public()], Some(&keys.signing))?;
    let mut live = Live::new(output.quiet || output.json);
    let finished = manager::conduct(order, spec, &mut fleet, &interrupts, &mut [&mut live])?;
    run::print(&finished.view, output);
    if let Some(trouble) = &finished.trouble {
        return Err(Trouble::unreachable(trouble));
    }
    Ok(finished.exit.forgiven(exits_zero))
}

/// Complains when fewer injectors with so many threads are there than are asked for.
pub(super) fn enough(workers: &Workers, shards: &[Option<String>], threads: u32) -> Result<(), Trouble> {
    for _ in 0..LOOKS {
        if are_enough(&workers.list(), shards, threads).is_ok() {
            return Ok(());
        }
        pause(LOOK);
    }
    are_enough(&workers.list(), shards, threads)
}

/// How many of these injectors are free, of a region, with so many threads.
pub(super) fn free(there: &[Worker], region: Option<&String>, threads: u32) -> usize {
    let is_of = |worker: &&Worker| worker.workers >= threads && (region.is_none() || worker.region.as_ref() == region);
    there.iter().filter(|worker| worker.run.is_none() && !worker.is_draining).filter(is_of).count()
}

/// Checks that each region has as many free injectors as the run asks for.
fn are_enough(there: &[Worker], shards: &[Option<String>], threads: u32) -> Result<(), Trouble> {
    let mut regions: Vec<Option<&String>> = shards.iter().map(Option::as_ref).collect();
    regions.dedup();
    for region in regions {
        let (wanted, found) = (shards.iter().filter(|of| of.as_ref() == region).count(), free(there, region, threads));
        if found < wanted {
            let of = region.map_or_else(String::new, |region| format!(" of region {region}"));
            let with = if threads > 1 { format!(" with {threads} threads") } else { String::new() };
            return Err(Trouble::unreachable(format!(
                "{}{of}{with} {} asked for, and {found} are free\n  \
                 help: `nmax fleet join` makes a machine one; `nmax fleet status` lists them",
                counted(wanted as u64, "injector"),
                if wanted == 1 { "is" } else { "are" }
            )));
        }
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "waits for what other machines say of themselves")]
pub(super) fn pause(time: Duration) {
    std::thread::sleep(time);
}

/// The way to the injectors of a run.
pub(super) struct Fleet<'a> {
    broker: &'a Broker,
    run: &'a str,
    /// Its name, of this follower alone.
    me: String,
    /// Signs what is asked of the run; `None` for one who asks nothing.
    key: Option<&'a SigningKey>,
    agreement: Agreement,
    subscription: Subscription,
    heard: Receiver<String>,
}

impl<'a> Fleet<'a> {
    /// That of one who follows a run, and knows whose orders count.
    pub(super) fn new(
        broker: &'a Broker,
        run: &'a str,
        signers: Vec<PublicKey>,
        key: Option<&'a SigningKey>,
    ) -> Result<Self, Trouble> {
        let me = format!("manager-{:08x}", u32::from_be_bytes(keys::random()?));
        let agreement = Agreement::new(broker, run, &me, signers).map_err(Trouble::unreachable)?;
        let subscription = Subscription::new(broker, run, &me).map_err(Trouble::unreachable)?;
        let (say, heard) = sync_channel(HEARD_MAX);
        broker.hear(move |text| drop(say.try_send(text.replace("\n  help: ", "; "))));
        Ok(Self { broker, run, me, key, agreement, subscription, heard })
    }
}

impl Link for Fleet<'_> {
    type Coordinator = Agreement;

    fn coordinator(&mut self) -> &mut Agreement {
        &mut self.agreement
    }

    fn arrival(&mut self) -> Option<Arrival> {
        let arrival = self.subscription.take()?;
        let (batch, at) = (arrival.batch.clone(), arrival.at);
        let answer = move |is_done: bool| if is_done { arrival.done() } else { arrival.again() };
        Some(Arrival { batch, at, answer: Box::new(answer) })
    }

    fn rewind(&mut self) -> Result<(), String> {
        let again = format!("{}-again", self.me);
        self.subscription = Subscription::new(self.broker, self.run, &again).map_err(|error| error.to_string())?;
        Ok(())
    }

    fn heard(&mut self) -> Vec<String> {
        self.heard.try_iter().collect()
    }

    fn refusals(&self) -> BTreeMap<&'static str, u64> {
        self.broker.refusals()
    }

    fn order(&mut self, command: Command) -> Result<(), String> {
        let key = self.key.ok_or("it is only followed from here")?;
        nmax_nats::order(self.broker, self.run, command, key).map_err(|error| error.to_string())
    }
}

/// Ends a run.
pub fn abort(args: &AbortArgs) -> Ended {
    let keys = keys::owner(&args.broker.fleet_key)?;
    let broker = connect_owner(&args.broker)?;
    offered(&broker, &args.run)?;
    let command = if args.cut { Command::Cut } else { Command::Stop };
    nmax_nats::order(&broker, &args.run, command, &keys.signing).map_err(Trouble::unreachable)?;
    say::line(format_args!("run {} is asked to end: injectors that are connected do it within a second", args.run));
    Ok(Exit::Pass)
}

/// The run of this id.
fn offered(broker: &Broker, run: &str) -> Result<nmax_nats::Offer, Trouble> {
    let mut offers = Offers::new(broker);
    let look = |_| {
        pause(LOOK);
        offers.take().into_iter().find(|offer| offer.run == run)
    };
    (0..LOOKS)
        .find_map(look)
        .ok_or_else(|| Trouble::usage(format_args!("{run}: the fleet has no such run"), "`nmax fleet ls` lists runs"))
}

/// Asks injectors to take no further run.
pub fn drain(args: &DrainArgs) -> Ended {
    let keys = keys::owner(&args.broker.fleet_key)?;
    let broker = connect_owner(&args.broker)?;
    let workers = Workers::new(&broker);
    pause(SEEN);
    let there: Vec<String> = workers.list().into_iter().map(|worker| worker.id).collect();
    if let Some(missing) = args.injectors.iter().find(|asked| !there.contains(asked)) {
        return Err(Trouble::usage(format_args!("{missing}: no such injector"), "`nmax fleet status` lists them"));
    }
    let asked = if args.injectors.is_empty() { &there } else { &args.injectors };
    for injector in asked {
        nmax_nats::order(&broker, &drained(injector), Command::Stop, &keys.signing).map_err(Trouble::unreachable)?;
        say::line(format_args!("{injector} takes no further run"));
    }
    Ok(Exit::Pass)
}

/// Where an injector is asked to take no further run.
pub(super) fn drained(injector: &str) -> String {
    format!("drain-{injector}")
}
