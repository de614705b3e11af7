//! `nmax import log`: a plan and a traffic profile of access logs.
//!
//! # Layout
//! - this file: read, sum up, plan, write

use std::path::PathBuf;

use nmax_log::plan::{Made, PlanOptions, write};
use nmax_log::record::Record;
use nmax_log::traffic::{Options, Traffic};
use nmax_record::files::{PlanDestination, Readers, refused, replace};
use nmax_report::traffic::{self, LogView, doubts, nothing};
use nmax_run::logs::Logs;
use nmax_run::{Exit, Trouble};
use nmax_secrets::MASK;
use nmax_secrets::targets::Hider;

use super::Ended;
use crate::args::LogArgs;
use crate::logs::Progress;
use crate::{logs, say};

/// Reads the logs and writes the plan.
pub fn import_log(args: &LogArgs) -> Ended {
    let found = import(args)?;
    logs::warn(&found.warnings);
    if args.json {
        say::line(format_args!("{:#}", traffic::json(&found)));
    }
    if let Err(reason) = found.made {
        return Err(reason.into());
    }
    if !args.json {
        say::document(&traffic::document(&found), false);
    }
    Ok(Exit::Pass)
}

fn import(args: &LogArgs) -> Result<LogView, Trouble> {
    let read = args.read.ask();
    let mut logs = Logs::open(&read)?;
    let stem = PathBuf::from(logs.stem());
    let destination = PlanDestination::new(args.output.as_deref().unwrap_or(&stem), args.force)?;
    destination.vacant(&[destination.plan()])?;
    let period = logs.period(&read, &mut Progress::new(args.json))?;
    let mut traffic = Traffic::new(Options {
        session_timeout_s: args.session_timeout.as_secs(),
        period,
        with_robots: args.with_robots,
        templates: args.template.clone(),
        utc_offset_s: read.zone_s,
        ..Options::default()
    });
    let mut hider = Hider::default();
    let counts = logs.read(&mut Progress::new(args.json), |record| {
        let target = hider.hide(record.target);
        traffic.add(&Record { target, ..*record });
    });
    let profile = traffic.finish();
    let options = PlanOptions {
        name: destination.name().to_owned(),
        target: args.target.clone(),
        with_writes: args.include_writes,
        log: logs.names().join(", "),
    };
    let made = match profile.requests {
        0 => Err(nothing(&counts, (&logs.names(), &logs.other_hosts()), &profile, read.zone_s)),
        _ => write(&profile, &options).map_err(|error| error.to_string()),
    };
    let written = made.as_ref().map_or_else(|_| Ok(Vec::new()), |made| store(&destination, made))?;
    let mut warnings = doubts(&counts);
    if hider.count() > 0 {
        let count = hider.count();
        warnings.push(format!(
            "{count} values of parameters with secret names (token, session, ...) were replaced by {MASK}; give the \
             plan values of its own where requests need them"
        ));
    }
    warnings.extend(profile.warnings.iter().chain(made.iter().flat_map(|made| &made.warnings)).cloned());
    if !profile.season.strays.is_empty() {
        warnings.extend(counts.strays(profile.season.span()));
    }
    Ok(LogView {
        format: logs.format(),
        why: logs.why(),
        files: logs.names(),
        notes: logs.notes.clone(),
        counts,
        chosen: period.map(|_| chosen(args)),
        zone_s: read.zone_s,
        profile,
        made,
        written: written.iter().map(|path| path.display().to_string()).collect(),
        warnings,
    })
}

/// What was chosen, in words.
fn chosen(args: &LogArgs) -> String {
    match (&args.read.day, args.read.peak_hour) {
        (_, true) => "the hour with most requests".into(),
        (Some(day), _) if day == "busiest" => "the day with most requests".into(),
        (Some(day), _) => format!("the day {day}"),
        (None, false) => "the chosen time".into(),
    }
}

/// Writes plan, profile and data files; the plan first in the list.
fn store(destination: &PlanDestination, made: &Made) -> Result<Vec<PathBuf>, Trouble> {
    let mut files = vec![(destination.plan(), made.plan.as_str())];
    files.extend(made.files.iter().map(|file| (destination.path(&file.name), file.text.as_str())));
    let paths: Vec<PathBuf> = files.iter().map(|(path, _)| path.clone()).collect();
    destination.vacant(&paths)?;
    destination.prepare()?;
    // The plan last: where it is, everything that it names is.
    for (path, text) in files.iter().rev() {
        replace(path, text.as_bytes(), Readers::All).map_err(|error| refused(path, &error))?;
    }
    Ok(paths)
}
