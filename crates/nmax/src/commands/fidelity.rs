//! `nmax fidelity`: the traffic of a run beside that of its source, again or beside another.

use std::path::Path;

use nmax_run::Exit;
use nmax_run::fidelity::{Fidelity, TRAFFIC, profile, stored};

use super::{Ended, Trouble};
use crate::args::FidelityArgs;
use crate::{live, say};

/// Prints the comparison.
pub fn fidelity(args: &FidelityArgs) -> Ended {
    let directory = nmax_store::find(&args.runs_dir, &args.run)?;
    let found = match &args.source {
        None => stored(&directory).ok_or_else(|| none(&directory))?,
        Some(source) => {
            let own = directory.join(TRAFFIC);
            if !own.exists() {
                return Err(none(&directory));
            }
            let name = source.display().to_string();
            Fidelity::new(name, &profile(source)?, profile(&own)?)
        }
    };
    if args.json {
        say::line(format_args!("{:#}", found.to_json()));
    } else {
        let document = nmax_report::report::likeness(&found.likeness());
        say::text(nmax_report::terminal::write(&document, live::style(100, args.wide)));
    }
    Ok(Exit::Pass)
}

/// A run whose traffic was not summed up.
fn none(directory: &Path) -> Trouble {
    Trouble::usage(
        format_args!("{}: the run was not compared with anything", directory.display()),
        "give the plan `source: NAME.traffic.json`, or run it with --set source=NAME.traffic.json; replays are always \
         compared with their log",
    )
}
