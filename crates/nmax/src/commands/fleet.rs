//! `nmax fleet`

use std::path::Path;
use std::sync::Arc;

use nmax_run::fleet::keys;
use nmax_run::{Exit, Trouble};
#[cfg(not(feature = "nats"))]
use nmax_scale::Runner;
use nmax_server::Fleet;

use super::Ended;
#[cfg(not(feature = "nats"))]
use crate::args::InjectorsArgs;
use crate::args::{FleetArgs, FleetVerb, KeyArgs, WatchArgs};
use crate::say;

#[cfg(feature = "nats")]
mod join;
#[cfg(feature = "nats")]
mod levels;
#[cfg(feature = "nats")]
mod look;
#[cfg(feature = "nats")]
mod order;
#[cfg(feature = "nats")]
mod watch;
#[cfg(feature = "nats")]
pub use levels::connect as runner;

/// Does what is asked of a fleet.
pub fn fleet(args: &FleetArgs) -> Ended {
    match &args.verb {
        FleetVerb::Key(args) => key(args),
        #[cfg(feature = "nats")]
        FleetVerb::Join(args) => join::join(args),
        #[cfg(feature = "nats")]
        FleetVerb::Run(args) => order::run(args),
        #[cfg(feature = "nats")]
        FleetVerb::Report(args) => order::report(args),
        #[cfg(feature = "nats")]
        FleetVerb::Status(args) => look::status(args),
        #[cfg(feature = "nats")]
        FleetVerb::Ls(args) => look::runs(args),
        #[cfg(feature = "nats")]
        FleetVerb::Abort(args) => order::abort(args),
        #[cfg(feature = "nats")]
        FleetVerb::Drain(args) => order::drain(args),
        #[cfg(feature = "nats")]
        FleetVerb::Check(args) => look::check(args),
        #[cfg(not(feature = "nats"))]
        _ => Err(without_nats()),
    }
}

/// The injectors of a fleet, for the levels of a campaign.
#[cfg(not(feature = "nats"))]
pub fn runner(_: &InjectorsArgs) -> Result<Box<dyn Runner>, Trouble> {
    Err(without_nats())
}

#[cfg(not(feature = "nats"))]
fn without_nats() -> Trouble {
    Trouble::usage(
        "this nmax was built without NATS",
        "build it whole: `make build`, or `cargo build --release --package nmax --features nats`",
    )
}

/// The fleet that a server shows, if one was named; its runs are written into `runs_dir`.
pub fn watched(args: &WatchArgs, runs_dir: &Path) -> Result<Option<Arc<dyn Fleet>>, Trouble> {
    if args.nats.is_empty() {
        return Ok(None);
    }
    #[cfg(feature = "nats")]
    return Ok(Some(watch::watch(args, runs_dir)?));
    #[cfg(not(feature = "nats"))]
    Err(without_nats())
}

/// Makes the keys of a fleet.
fn key(args: &KeyArgs) -> Ended {
    let users = users()?;
    let [owner, trust] = keys::make(&args.dir, [&users[0][0], &users[1][0]])?;
    say::line(format_args!("{}: orders runs and ends them; keep it to yourself", owner.display()));
    say::line(format_args!("{}: give it to each injector, for `nmax fleet join --trust`", trust.display()));
    #[cfg(feature = "nats")]
    look::write_users(&args.dir, users)?;
    Ok(Exit::Pass)
}

/// As whom those who order runs and injectors connect: seed and public key of each.
fn users() -> Result<[[String; 2]; 2], String> {
    let new = || {
        #[cfg(feature = "nats")]
        return nmax_nats::new_user(keys::random()?).map_err(|error| error.to_string());
        #[cfg(not(feature = "nats"))]
        Ok::<_, String>([String::new(), String::new()])
    };
    Ok([new()?, new()?])
}
