//! `nmax run`

use std::path::Path;
use std::sync::Arc;

use nmax_engine::KeepSamples;
use nmax_export::Exports;
use nmax_export::summary::{self, Appended};
use nmax_plan::plan::Plan;
use nmax_report::terminal::table;
use nmax_report::{View, csv, html, json, junit};
use nmax_run::fidelity::{self, Reference, Visitors};
use nmax_run::host::{self, Finding, Need};
use nmax_run::load::is_url;
use nmax_run::secrets::Shown;
use nmax_run::signals::Interrupts;
use nmax_run::{Finished, Order, SessionError, Trouble, compare, hints, preflight, since, smoke};
use nmax_store::StoreError;
use nmax_text::Painted;

use super::serve::Page;
use super::{Ended, wire};
use crate::args::{OutputArgs, RunArgs, Samples};
use crate::live::Live;
use crate::logs::Progress;
use crate::{clearance, keys, live, load, say};

/// Runs; prints the result.
pub fn run(args: &RunArgs) -> Ended {
    let plan = load::plan(&args.what, &args.plan, &args.planless)?;
    if args.wire.wire {
        let shown = Shown::new(args.show_secrets, &plan.redactor);
        return wire::wire(&args.wire, &args.safety, plan, &shown);
    }
    let source = source(&plan)?;
    conduct(args, plan, source, Vec::new())
}

/// The traffic that the plan was made from.
fn source(plan: &Plan) -> Result<Option<Arc<Reference>>, String> {
    let Some(file) = &plan.source else { return Ok(None) };
    let profile = fidelity::profile(Path::new(file))?;
    Ok(Some(Arc::new(Reference { name: file.clone(), profile, note: None, visitors: Visitors::Iterations })))
}

/// Runs a plan; prints the result. `told` is what belongs beside its numbers: codes and words.
pub fn conduct(args: &RunArgs, plan: Plan, source: Option<Arc<Reference>>, told: Vec<(&'static str, String)>) -> Ended {
    one_output(&[
        (args.output.json, "--json"),
        (args.keep.junit.as_deref().is_some_and(is_stdout), "--junit -"),
        (args.keep.csv.as_deref().is_some_and(is_stdout), "--csv -"),
    ])?;
    host::raise();
    let mut order = order(args, plan, source).map_err(|trouble| trouble.forgiven(args.keep.exit_zero))?;
    order.warnings.extend(told);
    for file in [&args.keep.junit, &args.keep.csv].into_iter().flatten().filter(|file| !is_stdout(file)) {
        writable(file)?;
    }
    let runs_dir = &args.keep.entry.runs_dir;
    // Before the run, which would be the last one itself.
    let baseline = args.keep.baseline.as_ref().map(|asked| compare::baseline_named(runs_dir, asked)).transpose()?;
    order.note = note(args, &order);
    if !args.no_smoke {
        let said = smoke::smoke(&order).map_err(|trouble| trouble.forgiven(args.keep.exit_zero))?;
        said.filter(|_| !args.output.quiet).into_iter().for_each(say::note);
    }
    let page = args.ui.map(|listen| Page::open(runs_dir, listen)).transpose()?;
    if let Some(page) = &page {
        say::note(format_args!("watch it at {}", page.address));
    }
    let mut exports = Exports::start(&args.export.options())?;
    if let Some(url) = exports.url().filter(|_| !args.output.quiet) {
        say::note(format_args!("metrics of the run are at {url}"));
    }
    let mut live = Live::new(args.output.quiet);
    let interrupts = Interrupts::listen().map_err(SessionError::from)?;
    let mut finished = nmax_run::run(&order, &interrupts, &mut [&mut live, &mut exports])?;
    if let Some(baseline) = baseline.filter(|_| finished.trouble.is_none()) {
        let found = compare::baseline(runs_dir, &baseline, &finished.directory, &mut Progress::new(true))?;
        finished.view.baseline = Some(found);
        rewrite(&finished).map_err(Trouble::unreachable)?;
    }
    if ![&args.keep.junit, &args.keep.csv].into_iter().flatten().any(|file| is_stdout(file)) {
        print(&finished.view, &args.output);
    }
    for (file, text) in [(&args.keep.junit, junit::xml as fn(&View) -> String), (&args.keep.csv, csv::requests)] {
        if let Some(file) = file {
            write(file, &text(&finished.view)).map_err(Trouble::unreachable)?;
        }
    }
    exports.finish(&finished).into_iter().for_each(say::warning);
    announce_end(args, &finished)?;
    if let Some(page) = page.filter(|_| live::is_watched() && !args.output.quiet) {
        page.stay();
    }
    Ok(finished.exit.forgiven(args.keep.exit_zero))
}

/// Tells the CI job and the webhook of the end. What goes wrong is a warning, unless it was asked to be more.
fn announce_end(args: &RunArgs, finished: &Finished) -> Result<(), Trouble> {
    if let Some(file) = args.export.ci_summary.as_ref().filter(|file| !file.as_os_str().is_empty()) {
        match summary::append(file, &finished.view) {
            Ok(Appended::Whole) => {}
            Ok(Appended::Line | Appended::Nothing) => {
                say::warning(format_args!("{}: too long already, so the report is not in it", file.display()));
            }
            Err(error) => say::warning(unwritable(file, &error)),
        }
    }
    let Some(hook) = args.export.hook() else { return Ok(()) };
    let exit = finished.exit.forgiven(args.keep.exit_zero);
    match hook.send(&finished.view, exit.code(), &finished.directory.display().to_string()) {
        Err(why) if args.export.webhook_required => Err(Trouble::unreachable(format!("webhook: {why}"))),
        Err(why) => {
            say::warning(format_args!("webhook: {why}"));
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

fn order(args: &RunArgs, plan: Plan, source: Option<Arc<Reference>>) -> Result<Order, Trouble> {
    let origins = preflight::origins(&plan)?;
    let workers = host::workers(args.keep.work.workers, &plan, &origins);
    let warnings = host::fits(&Need::for_plan(&plan, &origins, u64::from(workers)))?;
    warnings.iter().map(Finding::says).for_each(say::warning);
    host::pinnable(&args.keep.work.pin)?;
    let acts: Vec<String> = hints::acts_here(&plan).map(|item| format!("`{}`", item.name)).collect();
    if !args.allow_exec && !acts.is_empty() {
        let help =
            "read what is done (`nmax check`), then add --allow-exec; `--set timeline=null` leaves the timeline out";
        let (names, verb) = (acts.join(", "), if acts.len() == 1 { "acts" } else { "act" });
        let what = format_args!("{names} of the timeline {verb} on this host by a command or a signal");
        return Err(Trouble::usage(what, help));
    }
    hints::warnings(&plan, &origins).into_iter().for_each(say::warning);
    clearance::observed(&plan)?;
    let plan = Arc::new(plan);
    let cleared = clearance::clear(&args.safety, &plan, &origins)?;
    Ok(Order {
        name: args.keep.entry.name.clone().unwrap_or_else(|| plan.name.clone()),
        plan,
        allow: cleared.allow,
        authorization: cleared.authorization,
        workers,
        pin: args.keep.work.pin.clone(),
        keep: match args.keep.samples {
            Samples::All if !nmax_store::KEEPS_SAMPLES => {
                let help = "build it whole: `make build`, or `cargo build --release --package nmax`";
                return Err(Trouble::usage("--samples all: this nmax was built without Parquet", help));
            }
            Samples::All => KeepSamples::All,
            Samples::Some if nmax_store::KEEPS_SAMPLES => KeepSamples::Some,
            Samples::Some | Samples::None => KeepSamples::None,
        },
        id: args.run_id.clone(),
        runs_dir: args.keep.entry.runs_dir.clone(),
        note: String::new(),
        tags: args.keep.entry.tag.clone(),
        warnings: warnings.iter().map(Finding::event).collect(),
        source,
    })
}

/// Why the run is made: as said, or asked for where a person is there and the plan was run before.
fn note(args: &RunArgs, order: &Order) -> String {
    if let Some(note) = &args.keep.entry.note {
        return note.clone();
    }
    let is_machine = args.output.quiet || args.output.json || is_url(&args.what);
    if is_machine || !live::is_watched() || !keys::is_ours() {
        return String::new();
    }
    let name = order.plan.redactor.text(&order.name);
    let last = since::last(&order.runs_dir, &name, None);
    last.and_then(|run| say::ask(&format!("What changed since run {}? [Enter: nothing] ", run.id))).unwrap_or_default()
}

/// Writes the results of a run again, as its view is now.
pub fn rewrite(finished: &Finished) -> Result<(), StoreError> {
    let summary = format!("{:#}\n", json::summary(&finished.view));
    nmax_store::write_results(&finished.directory, &summary, &html::page(&finished.view))
}

/// `-` in the place of a file.
pub fn is_stdout(file: &Path) -> bool {
    file == Path::new("-")
}

/// Standard output takes one result: `flags` are whether each is given, and how it is written.
pub fn one_output(flags: &[(bool, &str)]) -> Result<(), Trouble> {
    let given: Vec<&str> = flags.iter().filter(|(is_given, _)| *is_given).map(|(_, flag)| *flag).collect();
    if given.len() < 2 {
        return Ok(());
    }
    let text = format!("{} both write on standard output", given.join(" and "));
    Err(Trouble::usage(text, "give all but one a file"))
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
    table(view, live::style(80, wide))
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
    write_bytes(file, text.as_bytes())
}

/// Writes a file; the error says what to do.
pub fn write_bytes(file: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(file, bytes).map_err(|error| unwritable(file, &error))
}

fn unwritable(file: &Path, error: &std::io::Error) -> String {
    format!("{}: cannot write: {error}\n  help: choose a writable path", file.display())
}
