//! What a fleet is, and whether its server can serve it.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use nmax_engine::runtime::real::monotonic;
use nmax_fleet::coordinator::{Coordinator, Key};
use nmax_fleet::records::{Spec, Start, decode};
use nmax_metrics::{Clock, Nanos};
use nmax_nats::{
    Access, Agreement, Broker, Credentials, Level, Protection, Sizes, Tls, Workers, check as findings, users,
};
use nmax_run::{Exit, Trouble};
use nmax_text::number;
use serde_json::json;

use super::order::{known, pause};
use crate::args::{AccessArgs, BrokerArgs, FleetCheckArgs};
use crate::commands::Ended;
use crate::say;

/// How to connect, as typed.
pub(super) fn access(nats: &[String], args: &AccessArgs) -> Access {
    let client = args.tls_cert.clone().zip(args.tls_key.clone());
    Access {
        urls: nats.to_vec(),
        credentials: args.creds.clone().map_or(Credentials::None, Credentials::File),
        tls: Tls { authorities: args.tls_ca.clone().into_iter().collect(), client },
        protection: if args.unprotected { Protection::TrustedNetwork } else { Protection::Required },
        ..Access::default()
    }
}

/// Connects.
pub(super) fn connect(nats: &[String], args: &AccessArgs) -> Result<Broker, Trouble> {
    Broker::connect(&access(nats, args), Arc::new(Monotonic)).map_err(Trouble::unreachable)
}

/// The clock by which injectors begin.
struct Monotonic;

impl Clock for Monotonic {
    fn now(&self) -> Nanos {
        monotonic()
    }
}

/// The wall clock, ns since 1970.
struct Calendar;

impl Clock for Calendar {
    #[expect(clippy::disallowed_methods, reason = "what it is off by is to be found")]
    fn now(&self) -> Nanos {
        Nanos::from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
    }
}

/// Now, ns since 1970 on the wall clock.
pub(super) fn calendar() -> Nanos {
    Calendar.now()
}

/// Lists the injectors.
pub fn status(args: &BrokerArgs) -> Ended {
    let broker = connect(&args.nats, &args.access)?;
    let workers = Workers::new(&broker);
    pause(std::time::Duration::from_millis(1_500));
    let there = workers.list();
    if args.json {
        let rows: Vec<_> = there.iter().map(|worker| json!({
            "id": worker.id, "host": worker.host, "version": worker.version, "region": worker.region,
            "cores": worker.cores, "capacity_per_s": worker.capacity, "clock_error_ms": worker.clock_error_ns as f64 / 1e6,
            "run": worker.run, "draining": worker.is_draining,
        })).collect();
        say::line(format_args!("{:#}", json!({ "injectors": rows })));
        return Ok(Exit::Pass);
    }
    if there.is_empty() {
        say::note("no injector is there; `nmax fleet join` makes a machine one");
        return Ok(Exit::Pass);
    }
    say::line(format_args!("{:<28} {:<8} {:>5} {:>10}  {}", "INJECTOR", "REGION", "CORES", "CAPACITY", "STATE"));
    for worker in &there {
        let state = match (&worker.run, worker.is_draining) {
            (Some(run), false) => format!("run {run}"),
            (Some(run), true) => format!("run {run}, then leaves"),
            (None, true) => "takes no run".into(),
            (None, false) => "free".into(),
        };
        let region = worker.region.as_deref().unwrap_or("-");
        let capacity = format!("{}/s", number::count(u64::from(worker.capacity)));
        say::line(format_args!("{:<28} {region:<8} {:>5} {capacity:>10}  {state}", worker.id, worker.cores));
    }
    Ok(Exit::Pass)
}

/// Lists runs.
pub fn runs(args: &BrokerArgs) -> Ended {
    let broker = connect(&args.nats, &args.access)?;
    let mut rows = Vec::new();
    for offer in known(&broker) {
        let Ok(spec) = decode::<Spec>("spec", &offer.spec) else { continue };
        let mut agreement = Agreement::new(&broker, &offer.run, "look", Vec::new()).map_err(Trouble::unreachable)?;
        pause(std::time::Duration::from_millis(300));
        let of = spec.shards.len() as u32;
        let ended = (0..of).filter(|shard| agreement.once(Key::Ended(*shard), None).is_some()).count();
        let start = agreement.once(Key::Start, None).and_then(|bytes| decode::<Start>("start", &bytes).ok());
        let state = match start {
            None => "offered",
            Some(Start::Refused(_)) => "refused",
            Some(Start::Go { .. }) if ended == spec.shards.len() => "ended",
            Some(Start::Go { .. }) => "goes on, or lost injectors",
        };
        rows.push((offer, spec, state, ended));
    }
    if args.json {
        let rows: Vec<_> = rows.iter().map(|(offer, spec, state, ended)| {
            json!({ "run": offer.run, "injectors": spec.shards.len(), "ended": ended, "state": state, "offered_ns": offer.at.0 })
        }).collect();
        say::line(format_args!("{:#}", json!({ "runs": rows })));
        return Ok(Exit::Pass);
    }
    if rows.is_empty() {
        say::note("the fleet has no runs");
        return Ok(Exit::Pass);
    }
    say::line(format_args!("{:<16} {:>9} {:>6}  {}", "RUN", "INJECTORS", "ENDED", "STATE"));
    for (offer, spec, state, ended) in rows {
        say::line(format_args!("{:<16} {:>9} {ended:>6}  {state}", offer.run, spec.shards.len()));
    }
    Ok(Exit::Pass)
}

/// Checks the server.
pub fn check(args: &FleetCheckArgs) -> Ended {
    if args.permissions {
        say::text(users("nkey: UMANAGER", "nkey: UINJECTOR").as_str());
        return Ok(Exit::Pass);
    }
    let access = access(&args.broker.nats, &args.broker.access);
    let found = findings(&access, Arc::new(Calendar), Sizes::default());
    if args.broker.json {
        let rows: Vec<_> = found
            .iter()
            .map(|one| {
                let level = match one.level {
                    Level::Good => "ok",
                    Level::Warning => "warning",
                    Level::Failure => "failure",
                };
                json!({ "level": level, "what": one.what, "help": one.help })
            })
            .collect();
        say::line(format_args!("{:#}", json!({ "findings": rows })));
    } else {
        for one in &found {
            let mark = match one.level {
                Level::Good => "ok  ",
                Level::Warning => "warn",
                Level::Failure => "FAIL",
            };
            say::line(format_args!("{mark}  {}", one.what));
            if let Some(help) = &one.help {
                say::line(format_args!("      help: {help}"));
            }
        }
    }
    Ok(if found.iter().any(|one| one.level == Level::Failure) { Exit::Unreachable } else { Exit::Pass })
}
