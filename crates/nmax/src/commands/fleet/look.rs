//! What a fleet is, and whether its server can serve it.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use nmax_engine::runtime::real::monotonic;
use nmax_fleet::records::Start;
use nmax_metrics::{Clock, Nanos};
use nmax_nats::{
    Access, Broker, Credentials, Heard, KnownRun, Level, Protection, Reading, Runs, Sizes, Tls, User, Worker, Workers,
    certificate, check as findings, configuration,
};
use nmax_run::fleet::keys::{self, Connection};
use nmax_run::fleet::offer::SKEW_MAX;
use nmax_run::{Exit, Trouble};
use nmax_server::{FleetInjector, FleetRun, Health};
use nmax_text::number;
use serde_json::json;

use super::order::{SEEN, pause};
use crate::args::{AccessArgs, BrokerArgs, KeyArgs};
use crate::commands::Ended;
use crate::say;

/// How to connect, as typed.
///
/// - `known`: what the fleet's key file says, for who gives nothing else
pub(super) fn access(nats: &[String], args: &AccessArgs, known: Connection) -> Access {
    let client = args.tls_cert.clone().zip(args.tls_key.clone());
    let credentials = match (&args.creds, known.user) {
        (Some(file), _) => Credentials::File(file.clone()),
        (None, Some(seed)) if !nats.iter().any(|url| url.contains('@')) => Credentials::Nkey(seed),
        _ => Credentials::None,
    };
    Access {
        urls: nats.to_vec(),
        credentials,
        tls: Tls { authorities: args.tls_ca.clone().or(known.certificate).into_iter().collect(), client },
        protection: if args.unprotected { Protection::TrustedNetwork } else { Protection::Required },
        ..Access::default()
    }
}

/// Connects as an injector.
pub(super) fn connect(nats: &[String], args: &AccessArgs, known: Connection) -> Result<Broker, Trouble> {
    Broker::connect(&access(nats, args, known), Arc::new(Monotonic)).map_err(Trouble::unreachable)
}

/// Connects as the one who orders runs.
pub(super) fn connect_owner(args: &BrokerArgs) -> Result<Broker, Trouble> {
    connect(&args.nats, &args.access, keys::connection(&args.fleet_key))
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
    let broker = connect_owner(args)?;
    let workers = Workers::new(&broker);
    broker.wait_until_read(Reading::Workers).map_err(Trouble::unreachable)?;
    pause(SEEN);
    let there = injectors(&workers, monotonic());
    if args.json {
        say::line(format_args!("{:#}", json!({ "injectors": there })));
        return Ok(Exit::Pass);
    }
    if there.is_empty() {
        say::note("no injector is there; `nmax fleet join` makes a machine one");
        return Ok(Exit::Pass);
    }
    say::line(format_args!("{:<28} {:<8} {:>5} {:>10}  {}", "INJECTOR", "REGION", "CORES", "CAPACITY", "STATE"));
    for injector in &there {
        let FleetInjector { id, cores, state, .. } = injector;
        let region = injector.region.as_deref().unwrap_or("-");
        let capacity = format!("{}/s", number::count(u64::from(injector.capacity_per_s)));
        say::line(format_args!("{id:<28} {region:<8} {cores:>5} {capacity:>10}  {state}"));
    }
    Ok(Exit::Pass)
}

/// The injectors that are there, and those that fell silent, at `now` on the clock of the connection.
pub(super) fn injectors(workers: &Workers, now: Nanos) -> Vec<FleetInjector> {
    let known = |heard: Heard| {
        let (silent_s, health) = (now.since(heard.at).as_secs_f64(), health(&heard));
        let state = match (health, &heard.worker.run) {
            (Health::Silent, _) => format!("silent for {silent_s:.0} s"),
            (_, Some(run)) if heard.worker.is_draining => format!("run {run}, then leaves"),
            (_, Some(run)) => format!("run {run}"),
            (Health::Draining, None) => "takes no run".into(),
            (_, None) => "free".into(),
        };
        let Worker { id, host, version, region, cores, capacity, .. } = heard.worker;
        let (offset, error) = (heard.worker.clock_offset_ns as f64 / 1e6, heard.worker.clock_error_ns as f64 / 1e6);
        let state = match health {
            Health::ClockUncertain => format!("{state}; its clock is uncertain by {error:.0} ms"),
            _ => state,
        };
        FleetInjector {
            id,
            host,
            version,
            region,
            cores,
            capacity_per_s: capacity,
            // No exchange is without an error.
            clock_offset_ms: (error > 0.0).then_some(offset),
            clock_error_ms: (error > 0.0).then_some(error),
            run: heard.worker.run,
            draining: heard.worker.is_draining,
            silent_s,
            health,
            state,
        }
    };
    workers.heard().into_iter().map(known).collect()
}

/// How an injector is.
fn health(Heard { worker, is_silent, .. }: &Heard) -> Health {
    match &worker.run {
        _ if *is_silent => Health::Silent,
        _ if Nanos(worker.clock_error_ns) > SKEW_MAX => Health::ClockUncertain,
        _ if worker.is_draining => Health::Draining,
        Some(_) => Health::Loads,
        None => Health::Free,
    }
}

/// Lists runs.
pub fn runs(args: &BrokerArgs) -> Ended {
    let broker = connect_owner(args)?;
    let known = Runs::new(&broker);
    broker.wait_until_read(Reading::Runs).map_err(Trouble::unreachable)?;
    pause(SEEN);
    let now = calendar();
    let mut rows: Vec<FleetRun> = known.list().iter().map(|run| row(run, now)).collect();
    rows.reverse();
    if args.json {
        say::line(format_args!("{:#}", json!({ "runs": rows })));
        return Ok(Exit::Pass);
    }
    if rows.is_empty() {
        say::note("the fleet has no runs");
        return Ok(Exit::Pass);
    }
    say::line(format_args!("{:<16} {:>9} {:>6}  {}", "RUN", "INJECTORS", "ENDED", "STATE"));
    for FleetRun { run, injectors, ended, state, .. } in rows {
        say::line(format_args!("{run:<16} {injectors:>9} {ended:>6}  {state}"));
    }
    Ok(Exit::Pass)
}

/// How far a run came, at `now` on the calendar.
pub(super) fn row(run: &KnownRun, now: Nanos) -> FleetRun {
    let KnownRun { at, spec, start, ended } = run;
    let (injectors, ended) = (spec.shards.len() as u32, ended.len() as u32);
    let is_over = |origin_ns: &u64| now > Nanos(*origin_ns) + Nanos(spec.hard_stop_ns);
    let (state, goes_on) = match start {
        None => ("offered", true),
        Some(Start::Refused(_)) => ("refused", false),
        Some(Start::Go { .. }) if ended == injectors => ("ended", false),
        Some(Start::Go { origin_ns, .. }) if is_over(origin_ns) => ("ended, and lost injectors", false),
        Some(Start::Go { .. }) => ("goes on, or lost injectors", true),
    };
    let reasons = match start {
        Some(Start::Refused(reasons)) => reasons.clone(),
        _ => Vec::new(),
    };
    let offered_at = jiff::Timestamp::from_nanosecond(i128::from(at.0)).unwrap_or_default().to_string();
    FleetRun { run: spec.run.clone(), offered_at, injectors, ended, state: state.into(), goes_on, reasons }
}

/// Makes the keys of a fleet, and the configuration of its server beside them.
pub fn key(args: &KeyArgs) -> Ended {
    const NAMES: [&str; 2] = ["fleet.conf", "fleet.pem"];
    let [configured, pem] = NAMES.map(|name| args.dir.join(name));
    let user = || User::new(keys::random()?).map_err(|error| error.to_string());
    let users = [user()?, user()?];
    let certified = (!args.broker.is_empty()).then(|| certificate(&args.broker)).transpose();
    let certified = certified.map_err(|error| error.to_string())?;
    let shown = certified.as_ref().map_or("", |[certificate, _]| certificate);
    let [owner, trust] = keys::make(&args.dir, [&users[0].seed, &users[1].seed], shown)?;
    say::line(format_args!("{}: orders runs and ends them; keep it to yourself", owner.display()));
    say::line(format_args!("{}: give it to each injector, for `nmax fleet join --trust`", trust.display()));
    let tls = certified.as_ref().map(|_| NAMES[1]);
    keys::write(&configured, &configuration(&users, tls))?;
    let beside = if let Some([certificate, key]) = certified {
        keys::write(&pem, &format!("{certificate}{key}"))?;
        format!(", with {} beside it", NAMES[1])
    } else {
        String::new()
    };
    say::line(format_args!(
        "{}: start the server with it: `nats-server -c {}`{beside}",
        configured.display(),
        NAMES[0]
    ));
    Ok(Exit::Pass)
}

/// Checks the server.
pub fn check(args: &BrokerArgs) -> Ended {
    let access = access(&args.nats, &args.access, keys::connection(&args.fleet_key));
    let found = findings(&access, Arc::new(Calendar), Sizes::default());
    if args.json {
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
