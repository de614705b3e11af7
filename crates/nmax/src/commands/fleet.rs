//! `nmax fleet`

use std::path::Path;
use std::sync::Arc;

use nmax_run::Trouble;
#[cfg(not(feature = "nats"))]
use nmax_scale::Runner;
use nmax_server::Fleet;

use super::Ended;
#[cfg(feature = "nats")]
use crate::args::FleetVerb;
#[cfg(not(feature = "nats"))]
use crate::args::InjectorsArgs;
use crate::args::{FleetArgs, WatchArgs};

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
        #[cfg(feature = "nats")]
        FleetVerb::Key(args) => look::key(args),
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
    {
        let _ = runs_dir;
        Err(without_nats())
    }
}
