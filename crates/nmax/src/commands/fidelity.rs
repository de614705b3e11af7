//! `nmax fidelity`: the traffic of a run beside that of its source, again or beside another.

use std::io::IsTerminal;
use std::path::Path;

use nmax_report::terminal::{Style, likeness};
use nmax_run::Exit;
use nmax_run::fidelity::{Fidelity, TRAFFIC, profile, stored};
use nmax_text::Painted;

use super::run::complain;
use crate::args::FidelityArgs;
use crate::{live, say};

/// Prints the comparison.
pub fn fidelity(args: &FidelityArgs) -> Exit {
    match compared(args) {
        Ok(text) => {
            say::text(text);
            Exit::Pass
        }
        Err(error) => complain(&error, Exit::Usage),
    }
}

fn compared(args: &FidelityArgs) -> Result<Painted, String> {
    let directory = nmax_store::find(&args.runs_dir, &args.run).map_err(|error| error.to_string())?;
    let found = match &args.source {
        None => stored(&directory).ok_or_else(|| none(&directory))?,
        Some(source) => {
            let own = directory.join(TRAFFIC);
            if !own.exists() {
                return Err(none(&directory));
            }
            let name = source.display().to_string();
            Fidelity::of(name, &profile(source)?, profile(&own)?)
        }
    };
    if args.json {
        return Ok(format_args!("{:#}\n", found.to_json()).into());
    }
    let is_terminal = std::io::stdout().is_terminal();
    let style = Style { color: is_terminal && live::use_color(), width: live::output_width(100), wide: false };
    Ok(likeness(&found.likeness(), style))
}

/// A run whose traffic was not summed up.
fn none(directory: &Path) -> String {
    format!(
        "{}: the run was not compared with anything\n  help: give the plan `source: NAME.traffic.json`, or run it with \
         --set source=NAME.traffic.json; replays are always compared with their log",
        directory.display()
    )
}
