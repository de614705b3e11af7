//! `nmax slice`: exchanges of a run or of access logs, by whatever tells them apart.
//!
//! # Layout
//! - this file: what is asked of what
//! - `run`: which of a run's files answer; `raw`: its exchanges one by one, on all cores; `windows`: the sums of each second
//! - `logs`: access logs as columns
//! - `saved`: slices kept under a name
//! - `table`, `formats`: the answer for people, and for programs

use std::path::Path;
use std::sync::Arc;

use nmax_run::Exit;
use nmax_slice::saved::Saved;
use nmax_slice::{Answer, Request, Schema, Slice, SliceError};
use serde_json::Value;

use super::run::complain;
use crate::args::SliceArgs;
use crate::{logs, say};

mod formats;
mod logged;
mod raw;
mod run;
mod saved;
mod schema;
mod table;
mod windows;

pub use formats::schema;
pub use schema::list_schema;

/// An answer, and what it is of.
struct Found {
    answer: Answer,
    /// What was read: `run 20en ("shop"), hold`, `access.log`.
    title: String,
    /// The same for programs.
    source: Value,
    /// What a person must see before the numbers.
    warnings: Vec<String>,
}

/// Shows a slice, or lists those that are kept.
pub fn slice(args: &SliceArgs) -> Exit {
    let done = if args.list { saved::list(args) } else { show(args) };
    match done {
        Ok(()) => Exit::Pass,
        Err(error) => complain(&error, Exit::Usage),
    }
}

fn show(args: &SliceArgs) -> Result<(), String> {
    let asked = saved::asked(args)?;
    let found = match run_of(args)? {
        Some(directory) => run::read(&directory, args, &asked)?,
        None => logged::read(args, &asked.request)?,
    };
    // What did not work is not kept.
    saved::keep(args, &asked)?;
    logs::warn(&found.warnings);
    if args.json {
        say::line(format_args!("{:#}", formats::json(&found, &asked.request)));
    } else if args.csv {
        say::text(formats::csv(&found.answer));
    } else {
        say::text(table::text(&found));
    }
    Ok(())
}

/// The directory of the run that is meant; `None` when logs are.
fn run_of(args: &SliceArgs) -> Result<Option<std::path::PathBuf>, String> {
    let asked = match args.what.as_slice() {
        [] => Path::new("last"),
        [one] => one,
        _ => return Ok(None),
    };
    if asked == Path::new("-") || asked.is_file() {
        let is_samples = asked.extension().is_some_and(|ending| ending == "parquet" || ending == "tmp");
        if is_samples {
            let help = "name the run: its directory, its id, or `last`";
            return Err(format!("{}: this file is a part of a run\n  help: {help}", asked.display()));
        }
        return Ok(None);
    }
    if asked.join("campaign.json").is_file() {
        let help = "name one of the runs in its folder `levels`";
        return Err(format!("{}: this is a scale, which is many runs\n  help: {help}", asked.display()));
    }
    let found = nmax_store::find(&args.runs_dir, &asked.to_string_lossy());
    found.map(Some).map_err(|error| format!("{error}\n  or name access logs: there is no file `{}`", asked.display()))
}

/// A request bound to a source, or everything that is wrong with it.
fn compile(request: &Request, schema: &Schema) -> Result<Arc<Slice>, String> {
    Slice::compile(request, schema).map(Arc::new).map_err(|errors| joined(&errors))
}

/// Errors as one text.
fn joined(errors: &[SliceError]) -> String {
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    texts.join("\nerror: ")
}

/// What is asked: a slice, and the part of the run.
type Asked = Saved;
