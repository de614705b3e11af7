//! `nmax target`

use nmax_run::{Exit, Trouble};
use nmax_target::{Options, Target};

use super::Ended;
use crate::args::TargetArgs;
use crate::say;

/// Serves until a signal or the given time; prints each address on a line of its own.
pub fn target(args: &TargetArgs) -> Ended {
    let reactor = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Trouble::internal)?;
    reactor.block_on(async {
        let target = Target::bind(options(args)).await.map_err(|error| error.to_string())?;
        for address in target.addresses() {
            say::line(address.to_string());
        }
        target.run(nmax_agent::stopped(args.for_time)).await.map_err(Trouble::internal)?;
        Ok(Exit::Pass)
    })
}

fn options(args: &TargetArgs) -> Options {
    let default = Options::default();
    Options {
        listen: if args.listen.is_empty() { default.listen } else { args.listen.clone() },
        workers: args.workers.max(1),
        seed: args.seed,
        services: args.service.clone(),
        bottlenecks: args.bottleneck.clone(),
        stalls: args.stall.clone(),
        drift: args.drift.unwrap_or_default(),
        leak: args.leak.unwrap_or_default(),
        errors: args.errors.unwrap_or_default(),
        resets: args.resets.unwrap_or_default(),
        reply_bytes: args.reply_bytes,
        shop: args.shop,
        ca_file: args.ca_file.clone(),
        tls_names: default.tls_names,
        grace: default.grace,
    }
}
