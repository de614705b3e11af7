//! What the flags of a campaign mean beside the plan: all errors at once.

use nmax_plan::plan::{Plan, Workload};
use nmax_plan::threshold::{self, Threshold};
use nmax_plan::units::{parse_duration, parse_share};
use nmax_run::host;
use nmax_usl::Demand;

use super::apply;
use super::axis::{self, Axes, Load};
use super::head;
use super::measure::Count;
use super::price::{self, Price};
use crate::args::ScaleArgs;
use crate::commands::run::is_stdout;

/// What arguments mean beside the plan.
pub(super) struct Meant {
    pub(super) axes: Axes,
    pub(super) count: Count,
    pub(super) precision: f64,
    pub(super) find: Option<(String, Threshold)>,
    pub(super) price: Option<Price>,
    pub(super) demand: Option<Demand>,
}

/// Flags of a run that mean nothing for several, each with what to write in its place.
pub(super) fn refused(args: &ScaleArgs) -> Vec<String> {
    let is_rate = args.axis.iter().any(|axis| axis.split('=').next() == Some("rate"));
    let is_workers = args.axis.iter().any(|axis| axis.split('=').next() == Some("workers"));
    let flags = [
        (args.plan.profile.is_some(), "--profile", "levels have a shape of their own; leave it out"),
        (args.plan.compress.is_some(), "--compress", "levels are as short as --level-time says"),
        (args.plan.duration.is_some(), "--duration", "the length of a level is --level-time, that of all --budget"),
        (args.planless.requests.is_some(), "-n", "levels last as long as --level-time says"),
        (
            args.planless.vus.is_some() && !is_rate && !is_workers,
            "-c",
            "the number of users is what is varied: --max, or --axis vus=1,2,4",
        ),
        (args.planless.rate.is_some(), "-r", "to vary the rate, write --axis rate, or --axis rate=10/s,20/s"),
        (
            args.csv.as_deref().is_some_and(is_stdout) && args.output.json,
            "--csv -",
            "it and --json both write on standard output; give it a file",
        ),
        (args.svg.as_deref().is_some_and(is_stdout), "--svg -", "give the picture a file"),
        (is_workers && args.workers.is_some(), "--workers", "the number of workers is what is varied"),
    ];
    let given = flags.into_iter().filter(|(is_given, _, _)| *is_given);
    given.map(|(_, flag, help)| format!("{flag} does not go with `nmax scale`\n  help: {help}")).collect()
}

/// Reads everything that is text; all errors at once.
pub(super) fn meant(args: &ScaleArgs, plan: &Plan) -> Result<Meant, Vec<String>> {
    let mut errors = Vec::new();
    let axes = axis::parse(&args.axis, args.min, args.max, host::cores()).map_err(|mut more| errors.append(&mut more));
    let mut take = |error: String| errors.push(error);
    let count = Count::parse(&args.count, plan).map_err(&mut take);
    let precision = precision(&args.precision).map_err(&mut take);
    let find = args.find.as_deref().map(|text| objective(text, plan)).transpose().map_err(&mut take);
    let demand = args.demand.as_deref().map(demand).transpose().map_err(&mut take);
    let knobs = axes.as_ref().map_or(&[][..], |axes| &axes.knobs);
    let price = args.price.as_deref().map(|text| price::parse(text, knobs)).transpose().map_err(&mut take);
    let names: Vec<&str> = knobs.iter().map(|knob| knob.name.as_str()).collect();
    if let Ok(axes) = &axes {
        errors.extend(apply::check(args.apply.as_deref(), &names));
        if let (Some(line), false) = (&args.apply, args.allow_exec) {
            errors.push(format!(
                "--apply: it runs a command on this host, `{line}`\n  help: read what it does, then add --allow-exec"
            ));
        }
        if axes.load == Load::Workers && !is_closed(plan) {
            errors.push(
                "--axis workers: the plan is open, and workers share its rate\n  help: give the plan a closed workload: \
                 each worker then has that many users"
                    .into(),
            );
        }
        if axes.load == Load::Rate && !plan.background.is_empty() {
            errors.push(
                "--axis rate: N is what is in flight, and the background of the plan would be in it\n  help: leave the \
                 background out of the plan, or vary the users: --axis vus"
                    .into(),
            );
        }
        if axes.levels.is_some() && !axes.knobs.is_empty() {
            errors.push(format!(
                "--axis {}: at each setting of a knob the load is searched\n  help: leave its levels out; --min and --max \
                 bound it",
                axes.load.name()
            ));
        }
        if axes.load == Load::Workers && !axes.knobs.is_empty() {
            errors.push("--axis workers: a knob is tried under users or a rate\n  help: choose vus or rate".into());
        }
    }
    match (axes, count, precision, find, price, demand) {
        (Ok(axes), Ok(count), Ok(precision), Ok(find), Ok(price), Ok(demand)) if errors.is_empty() => {
            Ok(Meant { axes, count, precision, find, price, demand })
        }
        _ => Err(errors),
    }
}

fn is_closed(plan: &Plan) -> bool {
    matches!(plan.written.as_ref().unwrap_or(&plan.workload), Workload::Closed { .. })
}

fn precision(text: &str) -> Result<f64, String> {
    match parse_share(text) {
        Ok(share) if share > 0.0 && share <= 0.5 => Ok(share),
        _ => Err(format!("--precision {text}: this is no precision\n  help: write a share up to 50%, such as 5%")),
    }
}

/// A condition; a bare statistic is of the response time.
fn objective(text: &str, plan: &Plan) -> Result<(String, Threshold), String> {
    let first = text.split(|c: char| c.is_whitespace() || "<>=".contains(c)).next().unwrap_or_default();
    let is_stat = matches!(first, "mean" | "min" | "max")
        || first.strip_prefix('p').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let whole = if is_stat { format!("response_time {text}") } else { text.to_owned() };
    let parsed = threshold::parse(&whole)
        .map_err(|error| format!("--find '{text}': {}\n  help: {}", error.message, error.remedy))?;
    let names: Vec<String> = match &parsed.scope {
        threshold::Scope::Scenario(_) => plan.scenarios.iter().map(|scenario| scenario.name.clone()).collect(),
        threshold::Scope::Request(_) => nmax_engine::program::catalog(plan, usize::MAX).requests.list().to_vec(),
        _ => Vec::new(),
    };
    if let threshold::Scope::Scenario(name) | threshold::Scope::Request(name) = &parsed.scope
        && !names.contains(name)
    {
        let known = names.join(", ");
        return Err(format!("--find '{text}': the plan has no `{name}`\n  help: it has {known}"));
    }
    Ok((text.trim().to_owned(), parsed))
}

/// `NAME=TIME`.
fn demand(text: &str) -> Result<Demand, String> {
    let parsed = text.split_once('=').and_then(|(name, time)| {
        let time = parse_duration(time).ok().filter(|time| !time.is_zero())?;
        (!name.trim().is_empty()).then(|| (name.trim().to_owned(), time.as_secs_f64()))
    });
    let Some((name, seconds)) = parsed else {
        return Err(format!(
            "--demand {text}: this is no demand\n  help: write the resource and its busy time per completion, as in disk=2ms"
        ));
    };
    Ok(head::given(name, seconds))
}
