//! `nmax scale`: load at several levels, and the law behind them.

mod progress;

use std::path::Path;

use nmax_report::scalability::ScaleView;
use nmax_report::{csv, json, svg, terminal};
use nmax_run::Trouble;
use nmax_run::load::is_url;
use nmax_run::signals::Interrupts;
use nmax_scale::{Finished, Order, REPORT, Runner, Task, ThisMachine, Words, stored};
use nmax_text::Painted;

use super::run::{is_stdout, writable, write};
use super::{Ended, fleet};
use crate::args::{PlanlessArgs, ScaleArgs};
use crate::{live, load, say};
use progress::Progress;

/// Measures; prints the law.
pub fn scale(args: &ScaleArgs) -> Ended {
    let told = measure(args).and_then(|finished| write_results(&finished, args));
    told.map(|exit| exit.forgiven(args.exit_zero)).map_err(|trouble| trouble.forgiven(args.exit_zero))
}

fn measure(args: &ScaleArgs) -> Result<Finished, Trouble> {
    let refused = refused(args);
    if !refused.is_empty() {
        return Err(refused.join("\nerror: ").into());
    }
    let plan = load::plan(&args.what, &args.plan, &planless(args))?;
    let task = Task::parse(&task_words(args), &plan)?;
    for file in [&args.csv, &args.svg].into_iter().flatten().filter(|file| !is_stdout(file)) {
        writable(file)?;
    }
    let runner: Box<dyn Runner> = match has_axis(args, "injectors") {
        true => fleet::runner(&args.injectors)?,
        false => Box::new(ThisMachine),
    };
    let interrupts = Interrupts::listen().map_err(|error| error.to_string())?;
    let order = Order {
        plan,
        task,
        runner,
        consent: args.safety.consent(),
        workers: args.work.workers,
        pin: args.work.pin.clone(),
        is_rehearsed: !args.no_smoke,
        runs_dir: args.entry.runs_dir.clone(),
        name: args.entry.name.clone(),
        note: args.entry.note.clone().unwrap_or_default(),
        tags: args.entry.tag.clone(),
    };
    nmax_scale::run(order, &interrupts, &mut Progress::new(args.output.quiet, args.budget))
}

fn task_words(args: &ScaleArgs) -> Words {
    Words {
        axis: args.axis.clone(),
        apply: args.apply.clone(),
        allow_exec: args.allow_exec,
        apply_time: args.apply_time,
        count: args.count.clone(),
        min: args.min,
        max: args.max,
        level_time: args.level_time,
        warm_up: args.warm_up,
        replicates: args.replicates,
        budget: args.budget,
        runs_max: args.runs_max,
        precision: args.precision.clone(),
        find: args.find.clone(),
        price: args.price.clone(),
        demand: args.demand.clone(),
    }
}

/// Whether an axis is there.
fn has_axis(args: &ScaleArgs, name: &str) -> bool {
    args.axis.iter().any(|axis| axis.split('=').next() == Some(name))
}

/// Flags of a run that mean nothing for several, each with what to write in its place.
fn refused(args: &ScaleArgs) -> Vec<String> {
    let is_rate = has_axis(args, "rate");
    let is_workers = has_axis(args, "workers");
    let is_injectors = has_axis(args, "injectors");
    let flags = [
        (args.plan.profile.is_some(), "--profile", "levels have a shape of their own; leave it out"),
        (args.plan.compress.is_some(), "--compress", "levels are as short as --level-time says"),
        (args.plan.duration.is_some(), "--duration", "the length of a level is --level-time, that of all --budget"),
        (args.planless.requests.is_some(), "-n", "levels last as long as --level-time says"),
        (
            args.planless.vus.is_some() && !is_rate && !is_workers && !is_injectors,
            "-c",
            "the number of users is what is varied: --max, or --axis vus=1,2,4",
        ),
        (
            args.planless.vus.is_some() && is_rate && !is_url(&args.what),
            "-c",
            "the plan says how many may be in flight: --set workload.open.max_in_flight=100",
        ),
        (
            args.planless.rate.is_some() && !is_injectors,
            "-r",
            "to vary the rate, write --axis rate, or --axis rate=10/s,20/s",
        ),
        (
            args.csv.as_deref().is_some_and(is_stdout) && args.output.json,
            "--csv -",
            "it and --json both write on standard output; give it a file",
        ),
        (args.svg.as_deref().is_some_and(is_stdout), "--svg -", "give the picture a file"),
        (is_workers && args.work.workers.is_some(), "--workers", "the number of workers is what is varied"),
        (is_injectors && !args.work.pin.is_empty(), "--pin", "this machine puts on no load"),
    ];
    let given = flags.into_iter().filter(|(is_given, _, _)| *is_given);
    given.map(|(_, flag, help)| format!("{flag} does not go with `nmax scale`\n  help: {help}")).collect()
}

/// The flags of a URL. On an axis of rates the iterations arrive at random anyway, and no rate is given.
fn planless(args: &ScaleArgs) -> PlanlessArgs {
    let is_random = has_axis(args, "rate") && is_url(&args.what);
    PlanlessArgs { poisson: args.planless.poisson && !is_random, ..args.planless.clone() }
}

/// Writes and prints what has just ended.
fn write_results(finished: &Finished, args: &ScaleArgs) -> Ended {
    let view = &finished.view;
    let forms: [(_, &dyn Fn() -> String); 2] = [
        (&args.svg, &|| view.sides.as_ref().map_or_else(|| svg::figure(&view.fit), svg::compare)),
        (&args.csv, &|| csv::measured(view)),
    ];
    for (file, form) in forms {
        if let Some(file) = file {
            write(file, &form())?;
        }
    }
    if !args.csv.as_deref().is_some_and(is_stdout) {
        print(view, &finished.directory, args.output.json);
    }
    Ok(finished.exit)
}

/// Prints a campaign again.
pub fn show(directory: &Path, as_json: bool) -> Result<(), String> {
    print(&stored::read(directory)?, directory, as_json);
    Ok(())
}

/// Prints a campaign on standard output.
fn print(view: &ScaleView, directory: &Path, as_json: bool) {
    if as_json {
        return say::line(format_args!("{:#}", json::scale(view)));
    }
    say::text(text(view));
    let report = directory.join(REPORT);
    if report.is_file() {
        say::line(format_args!("report          {}", report.display()));
    }
}

/// As fits standard output.
fn text(view: &ScaleView) -> Painted {
    terminal::write(&nmax_report::report::scalability::scale(view), live::style(80, false))
}
