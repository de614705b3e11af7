//! `nmax run`

use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;

use nmax_engine::KeepSamples;
use nmax_plan::plan::Plan;
use nmax_report::terminal::{Style, table};
use nmax_report::{View, csv, json, junit};
use nmax_run::Exit;
use nmax_run::fidelity::{self, Source, Visitors};
use nmax_run::host::{self, Finding, Need};
use nmax_run::preflight;
use nmax_run::secrets::Shown;
use nmax_run::signals::Interrupts;
use nmax_run::{Order, SessionError, hints, smoke};
use nmax_text::Painted;

use super::wire;
use crate::args::{OutputArgs, RunArgs, Samples};
use crate::live::Live;
use crate::{clearance, live, load, say};

/// Runs; prints the result.
pub fn run(args: &RunArgs) -> Exit {
    let plan = match load::plan(&args.what, &args.plan, &args.planless) {
        Ok(loaded) => loaded,
        Err(error) => return complain(&error, Exit::Usage),
    };
    if args.wire.wire {
        let shown = Shown::new(args.show_secrets, &plan.redactor);
        return wire::wire(&args.wire, &args.safety, plan, &shown);
    }
    let source = match source(&plan) {
        Ok(source) => source,
        Err(error) => return complain(&error, Exit::Usage),
    };
    conduct(args, plan, source, Vec::new())
}

/// The traffic that the plan was made from.
fn source(plan: &Plan) -> Result<Option<Arc<Source>>, String> {
    let Some(file) = &plan.source else { return Ok(None) };
    let profile = fidelity::profile(Path::new(file))?;
    Ok(Some(Arc::new(Source { name: file.clone(), profile, note: None, visitors: Visitors::Iterations })))
}

/// Runs a plan; prints the result. `told` is what belongs beside its numbers: codes and words.
pub fn conduct(args: &RunArgs, plan: Plan, source: Option<Arc<Source>>, told: Vec<(&'static str, String)>) -> Exit {
    if let Err(error) = one_output(args) {
        return complain(&error, Exit::Usage);
    }
    host::raise();
    let order = match order(args, plan) {
        Ok(mut order) => {
            order.warnings.extend(told);
            Order { source, ..order }
        }
        Err((error, exit)) => return complain(&error, exit).forgiven(args.exit_zero),
    };
    for file in [&args.junit, &args.csv].into_iter().flatten() {
        if !is_stdout(file)
            && let Err(error) = writable(file)
        {
            return complain(&error, Exit::Usage);
        }
    }
    match if args.no_smoke { Ok(None) } else { smoke::smoke(&order) } {
        Ok(said) => said.filter(|_| !args.output.quiet).into_iter().for_each(say::note),
        Err((error, exit)) => return complain(&error, exit).forgiven(args.exit_zero),
    }
    let mut live = Live::new(args.output.quiet);
    let finished = Interrupts::listen().map_err(SessionError::from);
    let finished = match finished.and_then(|interrupts| nmax_run::run(&order, &interrupts, &mut [&mut live])) {
        Ok(finished) => finished,
        Err(error) => return complain(&error, Exit::Usage),
    };
    if ![&args.junit, &args.csv].into_iter().flatten().any(|file| is_stdout(file)) {
        print(&finished.view, &args.output);
    }
    for (file, text) in [(&args.junit, junit::xml as fn(&View) -> String), (&args.csv, csv::requests)] {
        if let Some(file) = file
            && let Err(error) = write(file, &text(&finished.view))
        {
            return complain(&error, Exit::Unreachable);
        }
    }
    finished.exit.forgiven(args.exit_zero)
}

fn order(args: &RunArgs, plan: Plan) -> Result<Order, (String, Exit)> {
    let usage = |error: String| (error, Exit::Usage);
    let origins = preflight::origins(&plan).map_err(usage)?;
    let workers = host::workers(args.workers, &plan, &origins);
    let warnings = host::fits(&Need::of(&plan, &origins, u64::from(workers))).map_err(usage)?;
    warnings.iter().map(Finding::says).for_each(say::warning);
    host::pinnable(&args.pin).map_err(usage)?;
    let acts: Vec<String> = hints::acts_here(&plan).map(|item| format!("`{}`", item.name)).collect();
    if !args.allow_exec && !acts.is_empty() {
        let help =
            "read what is done (`nmax check`), then add --allow-exec; `--set timeline=null` leaves the timeline out";
        let (names, verb) = (acts.join(", "), if acts.len() == 1 { "acts" } else { "act" });
        let what = format!("{verb} on this host by a command or a signal");
        return Err(usage(format!("{names} of the timeline {what}\n  help: {help}")));
    }
    hints::warnings(&plan, &origins).into_iter().for_each(say::warning);
    clearance::observed(&plan).map_err(usage)?;
    let plan = Arc::new(plan);
    let cleared = clearance::clear(&args.safety, &plan, &origins)?;
    Ok(Order {
        name: args.name.clone().unwrap_or_else(|| plan.name.clone()),
        plan,
        allow: cleared.allow,
        authorization: cleared.authorization,
        workers,
        pin: args.pin.clone(),
        keep: match args.samples {
            Samples::All if !nmax_store::KEEPS_SAMPLES => {
                let help = "build it whole: `make build`, or `cargo build --release --package nmax`";
                return Err(usage(format!("--samples all: this nmax was built without Parquet\n  help: {help}")));
            }
            Samples::All => KeepSamples::All,
            Samples::Some if nmax_store::KEEPS_SAMPLES => KeepSamples::Some,
            Samples::Some | Samples::None => KeepSamples::None,
        },
        runs_dir: args.runs_dir.clone(),
        note: args.note.clone(),
        tags: args.tag.clone(),
        warnings: warnings.iter().map(Finding::event).collect(),
        source: None,
    })
}

/// `-` in the place of a file.
pub fn is_stdout(file: &Path) -> bool {
    file == Path::new("-")
}

/// Standard output takes one result.
fn one_output(args: &RunArgs) -> Result<(), String> {
    let flags = [
        (args.output.json, "--json"),
        (args.junit.as_deref().is_some_and(is_stdout), "--junit -"),
        (args.csv.as_deref().is_some_and(is_stdout), "--csv -"),
    ];
    let given: Vec<&str> = flags.iter().filter(|(is_given, _)| *is_given).map(|(_, flag)| *flag).collect();
    if given.len() < 2 {
        return Ok(());
    }
    let given = given.join(" and ");
    Err(format!("{given} both write on standard output\n  help: give all but one a file"))
}

/// Prints a result on standard output.
pub fn print(view: &View, output: &OutputArgs) {
    if output.json {
        say::line(format_args!("{:#}", json::summary(view)));
    } else {
        say::text(text(view, output.wide));
    }
}

/// The result as a table, as fits standard output.
pub fn text(view: &View, wide: bool) -> Painted {
    let is_terminal = std::io::stdout().is_terminal();
    let width = live::output_width(80);
    table(view, Style { color: is_terminal && live::use_color(), width, wide })
}

/// Whether a file can be written; an old one keeps its text, a new one is not left behind.
pub fn writable(file: &Path) -> Result<(), String> {
    let is_new = match file.metadata() {
        Ok(known) if !known.is_file() && !known.is_dir() => return Ok(()), // A pipe or device.
        known => known.is_err(),
    };
    let opened = std::fs::OpenOptions::new().append(true).create(true).open(file);
    if opened.is_ok() && is_new {
        let _ = std::fs::remove_file(file);
    }
    opened.map(drop).map_err(|error| unwritable(file, &error))
}

/// Writes a file, or standard output for `-`; the error says what to do.
pub fn write(file: &Path, text: &str) -> Result<(), String> {
    if is_stdout(file) {
        say::text(text);
        return Ok(());
    }
    std::fs::write(file, text).map_err(|error| unwritable(file, &error))
}

fn unwritable(file: &Path, error: &std::io::Error) -> String {
    format!("{}: cannot write: {error}\n  help: choose a writable path", file.display())
}

/// Whatever quotes a URL must not quote its password, nor a value of the plan that is secret. Help is in words of our own.
fn without_secrets(error: &str) -> String {
    let masked = |line: &str| match line.starts_with("  help: ") {
        true => line.to_owned(),
        false => say::without_secrets(line),
    };
    error.lines().map(masked).collect::<Vec<_>>().join("\n")
}

/// Says what is wrong, on standard error.
pub fn complain(error: &dyn std::fmt::Display, exit: Exit) -> Exit {
    say::note(format_args!("error: {}", without_secrets(&error.to_string())));
    exit
}
