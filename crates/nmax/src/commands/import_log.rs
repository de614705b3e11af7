//! `nmax import log`: a plan and a traffic profile of access logs.
//!
//! # Layout
//! - this file: read, sum up, plan, write
//! - `text` and `charts`: what was found, for people; `figures`: the same for programs, which `schema` describes

use std::io::IsTerminal;
use std::path::PathBuf;

use nmax_log::plan::{Made, PlanOptions, write};
use nmax_log::record::Record;
use nmax_log::traffic::{Options, Profile, Traffic};
use nmax_record::files::{Place, Readers, Trouble, refused, replace};
use nmax_report::terminal::Glyphs;
use nmax_run::Exit;
use nmax_run::logs::{Counts, LogError, Logs};
use nmax_secrets::MASK;
use nmax_secrets::targets::Hider;

use super::run::complain;
use crate::args::LogArgs;
use crate::logs::Progress;
use crate::{live, logs, say};

mod charts;
mod figures;
pub mod schema;
mod text;

/// What was found in logs, and made of it.
struct Found {
    format: String,
    why: String,
    files: Vec<String>,
    notes: Vec<String>,
    counts: Counts,
    /// The traffic of the chosen time; the season is of all.
    profile: Profile,
    /// The chosen time in words; `None` is all.
    chosen: Option<String>,
    /// What hours and days are shifted by, s.
    zone_s: i32,
    made: Made,
    /// What was written, the plan first.
    written: Vec<PathBuf>,
    warnings: Vec<String>,
}

/// An hour in µs.
const HOUR_US: i64 = 3_600_000_000;

/// Whether charts have to do with ASCII.
fn chart_is_ascii() -> bool {
    live::glyphs(std::io::stdout().is_terminal()) == Glyphs::Ascii
}

/// Reads the logs and writes the plan.
pub fn import_log(args: &LogArgs) -> Exit {
    match import(args) {
        Ok(found) => {
            logs::warn(&found.warnings);
            if args.json {
                say::line(format_args!("{:#}", figures::json(&found)));
            } else {
                say::text(text::text(&found));
            }
            Exit::Pass
        }
        Err((error, exit)) => complain(&error, exit),
    }
}

fn import(args: &LogArgs) -> Result<Found, Trouble> {
    let read = args.read.ask();
    let usage = |error: LogError| (error.to_string(), Exit::Usage);
    let mut logs = Logs::open(&read).map_err(usage)?;
    let stem = PathBuf::from(logs.stem());
    let place = Place::new(args.output.as_deref().unwrap_or(&stem), args.force)?;
    place.vacant(&[place.plan()])?;
    let period = logs.period(&read, &mut Progress::new(args.json)).map_err(usage)?;
    let mut traffic = Traffic::new(Options {
        session_timeout_s: args.session_timeout.as_secs(),
        period,
        with_robots: args.with_robots,
        utc_offset_s: read.zone_s,
        ..Options::default()
    });
    let mut hider = Hider::default();
    let counts = logs.read(&mut Progress::new(args.json), |record| {
        let target = hider.hide(record.target);
        traffic.add(&Record { target, ..*record });
    });
    let profile = traffic.finish();
    if profile.requests == 0 {
        return Err((nothing(&counts, &logs, &profile, read.zone_s), Exit::Usage));
    }
    let options = PlanOptions {
        name: place.name().to_owned(),
        target: args.target.clone(),
        with_writes: args.include_writes,
        log: logs.names().join(", "),
    };
    let made = write(&profile, &options).map_err(|error| (error.to_string(), Exit::Usage))?;
    let written = store(&place, &made)?;
    let mut warnings = counts.warnings();
    if hider.count() > 0 {
        let count = hider.count();
        warnings.push(format!(
            "{count} values of parameters with secret names (token, session, ...) were replaced by {MASK}; give the \
             plan values of its own where requests need them"
        ));
    }
    warnings.extend(profile.warnings.iter().chain(&made.warnings).cloned());
    if !profile.season.strays.is_empty() {
        warnings.extend(counts.strays(profile.season.span()));
    }
    Ok(Found {
        format: logs.format(),
        why: logs.why(),
        files: logs.names(),
        notes: logs.notes.clone(),
        counts,
        chosen: period.map(|_| chosen(args)),
        zone_s: read.zone_s,
        profile,
        made,
        written,
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

/// Why there is nothing to make a plan of.
fn nothing(counts: &Counts, logs: &Logs, profile: &Profile, zone_s: i32) -> String {
    let names = logs.names().join(", ");
    let hours = &profile.season.hours;
    let hosts = logs.other_hosts();
    let help = match (hours.first(), hours.last()) {
        _ if counts.parsed == 0 => "name the format with --format, as the server's configuration says it".to_owned(),
        (Some(first), Some(last)) => format!(
            "choose another time with --from, --to or --day: the log is of {} to {}; --zone says in which time zone they are",
            text::stamp(first.from_us, zone_s),
            text::stamp(last.from_us + HOUR_US, zone_s)
        ),
        _ if !hosts.is_empty() => format!("choose another --host: the log names {}", hosts.join(", ")),
        _ => "choose another time with --from, --to or --day".to_owned(),
    };
    let reasons = counts.rejections.iter().map(|(reason, rejected)| {
        let example = rejected.examples.first();
        let at = example.map_or(String::new(), |(place, line)| format!(" ({place}: {line})"));
        format!("\n  {} lines: {reason}{at}", rejected.count)
    });
    let reasons: String = reasons.take(5).collect();
    let (parsed, lines) = (counts.parsed, counts.lines);
    format!("{names}: no request to make a plan of; {parsed} of {lines} lines are requests{reasons}\n  help: {help}")
}

/// Writes plan, profile and data files; the plan first in the list.
fn store(place: &Place, made: &Made) -> Result<Vec<PathBuf>, Trouble> {
    let mut files = vec![(place.plan(), made.plan.as_str())];
    files.extend(made.files.iter().map(|file| (place.path(&file.name), file.text.as_str())));
    let paths: Vec<PathBuf> = files.iter().map(|(path, _)| path.clone()).collect();
    place.vacant(&paths)?;
    place.prepare()?;
    // The plan last: where it is, everything that it names is.
    for (path, text) in files.iter().rev() {
        replace(path, text.as_bytes(), Readers::All).map_err(|error| refused(path, &error))?;
    }
    Ok(paths)
}
