//! `nmax steer`

use std::time::Duration;

use nmax_plan::plan::Workload;
use nmax_run::control::{self, Action, Wish};
use nmax_run::{Exit, Trouble, plan_of_manifest};
use nmax_store::Manifest;

use super::{Ended, results};
use crate::args::{Level, SteerArgs};
use crate::say;

/// How long a run may take to answer: it looks ten times a second.
const PATIENCE: Duration = Duration::from_secs(10);

/// Asks a running run for another load, and prints what it says.
pub fn steer(args: &SteerArgs) -> Ended {
    let directory = results::find(&args.runs_dir, &args.run)?;
    let action = match args.wish.load {
        Some(level) => {
            let workload = plan_of_manifest(&Manifest::read(&directory)?.plan)?.workload;
            Action::Load { level: fitting(level, &workload)?, ramp: args.ramp.unwrap_or_default() }
        }
        None if args.wish.hold => Action::Hold,
        None => Action::Stop,
    };
    let last = control::read(&directory)?.last().map_or(0, |wish| wish.revision);
    let by = std::env::var("USER").unwrap_or_default();
    let asked = control::ask(&directory, &Wish { revision: last + 1, action, by });
    let asked = asked.map_err(|error| Trouble::usage(format_args!("{}: {error}", directory.display()), HELP))?;
    let answer = asked.wait(PATIENCE).ok_or_else(|| {
        Trouble::unreachable(format_args!(
            "{}: the run did not answer within 10 s\n  help: `nmax show {}` says whether it goes on",
            directory.display(),
            args.run
        ))
    })?;
    match answer.is_done {
        true => say::line(format_args!("{}", answer.text)),
        false => return Err(Trouble::usage(answer.text, HELP)),
    }
    Ok(Exit::Pass)
}

const HELP: &str =
    "`nmax runs` lists runs, those that go on are RUNNING; `nmax steer --help` says what can be asked for";

/// The level, if it is one of this workload.
fn fitting(level: Level, workload: &Workload) -> Result<f64, Trouble> {
    match (level, workload) {
        (Level::PerSecond(level), Workload::Open { .. }) | (Level::Vus(level), Workload::Closed { .. }) => Ok(level),
        (Level::PerSecond(_), Workload::Closed { .. }) => Err(Trouble::usage(
            "the workload of this run is closed, so its load is a number of virtual users",
            "write a number, such as --load 50",
        )),
        (Level::Vus(_), Workload::Open { .. }) => Err(Trouble::usage(
            "the workload of this run is open, so its load is a rate",
            "write a rate, such as --load 200/s",
        )),
    }
}
