//! `nmax target`

use nmax_run::Exit;
use nmax_target::{Options, Target};

use super::run::complain;
use crate::args::TargetArgs;
use crate::say;

/// Serves until a signal or the given time; prints each address on a line of its own.
pub fn target(args: &TargetArgs) -> Exit {
    let reactor = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(reactor) => reactor,
        Err(error) => return complain(&error, Exit::Internal),
    };
    reactor.block_on(async {
        let target = match Target::bind(options(args)).await {
            Ok(target) => target,
            Err(error) => return complain(&error, Exit::Usage),
        };
        for address in target.addresses() {
            say::line(address.to_string());
        }
        match target.run(nmax_agent::stopped(args.for_time)).await {
            Ok(()) => Exit::Pass,
            Err(error) => complain(&error, Exit::Internal),
        }
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
