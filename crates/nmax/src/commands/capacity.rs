//! `nmax capacity`: what to buy, when, with what headroom, and what a bad day does.

use std::io::IsTerminal;
use std::path::Path;

use nmax_capacity::Document;
use nmax_report::{capacity, doc};
use nmax_run::Exit;
use nmax_run::capacity::question;
use serde_json::Value;

use super::Ended;
use super::report::{Subject, formats, put};
use super::run::is_stdout;
use crate::args::{CapacityArgs, CapacityVerb, QuestionArgs};
use crate::logs::Progress;
use crate::say;

/// Answers a document.
pub fn capacity(args: &CapacityArgs) -> Ended {
    match &args.what {
        CapacityVerb::Plan(args) => answer(args, capacity::plan),
        CapacityVerb::Day(args) => {
            if std::io::stderr().is_terminal() && !args.json {
                say::note("simulating days under each strategy, then their sizes and what breaks them: up to a minute");
            }
            answer(args, capacity::day)
        }
    }
}

/// What is said, the same as JSON, and whether the data support it.
fn answer(args: &QuestionArgs, of: fn(&Document) -> (doc::Document, Value, bool)) -> Ended {
    let files = formats(&args.output, None)?;
    let mut asked = question(&args.file, &args.set, &mut Progress::new(args.json))?;
    nmax_scale::capacity::measure(&mut asked, args.file.parent().unwrap_or(Path::new("")))?;
    let (document, json, is_supported) = of(&asked);
    if args.json {
        say::line(format_args!("{json:#}"));
    } else if !args.output.iter().any(|file| is_stdout(file)) {
        say::document(&document, args.wide);
    }
    put(&Subject::Capacity(Box::new(document), json), &files)?;
    let exit = if is_supported { Exit::Pass } else { Exit::Invalid };
    Ok(exit.forgiven(args.exit_zero))
}
