//! `nmax slice`: exchanges of a run or of access logs, by whatever tells them apart.
//!
//! # Layout
//! - this file: what is asked of what
//! - `logged`: access logs, opened
//! - `saved`: slices kept under a name; `schema`: what their list is

use std::path::Path;

use nmax_report::{number, slices};
use nmax_run::slices::SliceQuery;
use nmax_run::{Exit, Trouble};

use super::Ended;
use crate::args::SliceArgs;
use crate::{logs, say};

mod logged;
mod saved;

/// Shows a slice, or lists those that are kept.
pub fn slice(args: &SliceArgs) -> Ended {
    if args.list { saved::list(args) } else { show(args) }?;
    Ok(Exit::Pass)
}

fn show(args: &SliceArgs) -> Result<(), Trouble> {
    let asked = saved::requested_slice(args)?;
    let found = match run_of(args)? {
        Some(directory) => {
            let (request, phase) = (&asked.request, asked.phase.as_deref());
            let wanted = SliceQuery { request, phase, from: args.source, parquet: args.parquet.as_deref() };
            let (found, written) = nmax_run::slices::read(&directory, &wanted)?;
            if let (Some(rows), Some(file)) = (written, &args.parquet) {
                say::note(format_args!("{} exchanges written to {}", number::count(rows), file.display()));
            }
            found
        }
        None => logged::read(args, &asked.request)?,
    };
    // What did not work is not kept.
    saved::keep(args, &asked)?;
    logs::warn(&found.warnings);
    if args.json {
        say::line(format_args!("{:#}", slices::json(&found, &asked.request)));
    } else if args.csv {
        say::text(slices::csv(&found.answer));
    } else {
        say::document(&slices::document(&found), false);
    }
    Ok(())
}

/// The directory of the run that is meant; `None` when logs are.
fn run_of(args: &SliceArgs) -> Result<Option<std::path::PathBuf>, Trouble> {
    let asked = match args.what.as_slice() {
        [] => Path::new("last"),
        [one] => one,
        _ => return Ok(None),
    };
    if asked == Path::new("-") || asked.is_file() {
        let is_samples = asked.extension().is_some_and(|ending| ending == "parquet" || ending == "tmp");
        if is_samples {
            let help = "name the run: its directory, its id, or `last`";
            return Err(Trouble::usage(format_args!("{}: this file is a part of a run", asked.display()), help));
        }
        return Ok(None);
    }
    if asked.join("campaign.json").is_file() {
        let help = "name one of the runs in its folder `levels`";
        return Err(Trouble::usage(format_args!("{}: this is a scale, which is many runs", asked.display()), help));
    }
    let found = nmax_store::find(&args.runs_dir, &asked.to_string_lossy());
    let also = |error| format!("{error}\n  or name access logs: there is no file `{}`", asked.display());
    Ok(Some(found.map_err(also)?))
}
