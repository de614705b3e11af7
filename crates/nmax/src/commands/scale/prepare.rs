//! Everything that is checked before the first level: arguments, plan, host, target, one iteration.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use nmax_engine::KeepSamples;
use nmax_plan::plan::{Observed, Plan, Workload};
use nmax_plan::threshold::{self, Threshold};
use nmax_plan::units::{parse_duration, parse_share};
use nmax_report::scalability::ScaleInfo;
use nmax_usl::Demand;

use super::apply;
use super::axis::{self, Axes, Load};
use super::folder::Folder;
use super::head::{self, Head};
use super::knobs::{self, Setting};
use super::level::{self, Times};
use super::measure::Count;
use super::price::{self, Price};
use super::progress::Progress;
use super::rig::Rig;
use crate::args::ScaleArgs;
use crate::commands::run::{cores, fits, is_stdout, pinnable, writable};
use crate::commands::smoke;
use crate::exit::Exit;
use crate::host::{self, Host, Level, Need};
use crate::load;
use crate::session::Order;
use crate::signals::Interrupts;
use crate::{hints, preflight};

/// A campaign that may begin.
pub(super) struct Job {
    pub(super) rig: Rig,
    pub(super) axes: Axes,
    pub(super) apply: Option<(String, Duration)>,
    pub(super) replicates: usize,
    pub(super) runs_max: usize,
    /// Half width of the interval of the throughput at the peak.
    pub(super) precision: f64,
    /// As written, with the condition that it is.
    pub(super) find: Option<(String, Threshold)>,
    pub(super) price: Option<Price>,
    /// What is known before the first level.
    pub(super) head: Head,
    /// The setting that the system under test has.
    pub(super) is_set: Option<Setting>,
}

/// What arguments mean beside the plan.
struct Meant {
    axes: Axes,
    count: Count,
    precision: f64,
    find: Option<(String, Threshold)>,
    price: Option<Price>,
    demand: Option<Demand>,
}

/// Checks everything, in an order in which nothing is sent before the arguments are right.
pub(super) fn prepare(args: &ScaleArgs) -> Result<Job, (String, Exit)> {
    let usage = |error: String| (error, Exit::Usage);
    let refused = refused(args);
    if !refused.is_empty() {
        return Err(usage(refused.join("\nerror: ")));
    }
    let (plan, variables) =
        load::plan(&args.what, &args.plan, &args.planless).map_err(|error| usage(error.to_string()))?;
    let meant = meant(args, &plan).map_err(|errors| usage(errors.join("\nerror: ")))?;
    let times = Times::of(args.budget, args.level_time, args.warm_up);
    if times.total() > args.budget {
        return Err(usage(format!(
            "a level takes {:?} and the budget is {:?}\n  help: give a longer --budget, or a shorter --level-time",
            times.total(),
            args.budget
        )));
    }
    for file in [&args.csv, &args.svg]
        .into_iter()
        .flatten()
        .filter(|file| !is_stdout(file))
    {
        writable(file).map_err(usage)?;
    }
    host::raise();
    let mut notes = Vec::new();
    let interrupts = Interrupts::listen();
    let is_set = set_first(args, &meant.axes, &interrupts)?;
    let (axes, order) = order(args, plan, variables, meant.axes, times, &mut notes)?;
    if !args.no_smoke {
        smoke::rehearsal(&order, "the campaign")?;
    }
    let folder = Folder::create(&args.runs_dir, &order.name).map_err(usage)?;
    let head = head(&order, &folder, &axes, &meant.count, times, args, meant.demand, notes);
    folder.begin(&head).map_err(usage)?;
    let progress = Progress::new(args.output.quiet, args.budget);
    let objective = meant.find.as_ref().map(|(_, threshold)| threshold.clone());
    let rig = Rig::new(
        order,
        axes.load,
        meant.count,
        times,
        objective,
        folder,
        interrupts,
        progress,
        args.budget,
        !axes.knobs.is_empty(),
    );
    Ok(Job {
        rig,
        axes,
        apply: args.apply.clone().map(|line| (line, args.apply_time)),
        replicates: args.replicates as usize,
        runs_max: args.runs_max as usize,
        precision: meant.precision,
        find: meant.find,
        price: meant.price,
        head,
        is_set,
    })
}

/// Sets the first setting: the system under test may be there only then.
fn set_first(args: &ScaleArgs, axes: &Axes, interrupts: &Interrupts) -> Result<Option<Setting>, (String, Exit)> {
    let (Some(line), Some(first)) = (&args.apply, knobs::settings(&axes.knobs).into_iter().next()) else {
        return Ok(None);
    };
    let words = knobs::words(&first);
    if !args.output.quiet {
        crate::say::note(format_args!("{words}: {}", apply::filled(line, &first)));
    }
    match apply::apply(line, &first, args.apply_time, interrupts) {
        Ok(()) => Ok(Some(first)),
        Err(_) if interrupts.count() > 0 => Err(("interrupted".into(), Exit::Interrupted)),
        Err(why) => Err((
            format!("--apply: {words}: {why}\n  help: try the command by hand; nothing was sent"),
            Exit::Usage,
        )),
    }
}

#[expect(clippy::too_many_arguments, reason = "everything that is known")]
fn head(
    order: &Order,
    folder: &Folder,
    axes: &Axes,
    count: &Count,
    times: Times,
    args: &ScaleArgs,
    demand: Option<Demand>,
    notes: Vec<String>,
) -> Head {
    let knobs = axes.knobs.iter().map(|knob| knob.name.clone());
    let observed = |observed: &Observed| {
        let Observed::Process { name, .. } = observed;
        name.clone()
    };
    let info = ScaleInfo {
        id: folder.id.clone(),
        name: order.name.clone(),
        target: nmax_engine::redact_users(&order.plan.target),
        started_at: folder.started_at.clone(),
        seed: order.plan.seed,
        axes: knobs.chain([axes.load.name().to_owned()]).collect(),
        count: count.words(),
        level_s: Some(times.hold.as_secs_f64()),
        budget_s: Some(args.budget.as_secs_f64()),
        elapsed_s: None,
        plan_sha256: crate::session::plan_text(&order.plan, &order.variables).1,
        machine: nmax_store::host::machine().into_iter().collect(),
        interrupted: false,
    };
    Head {
        info,
        nmax_version: env!("CARGO_PKG_VERSION").into(),
        load: axes.load,
        knobs: axes.knobs.clone(),
        x_unit: count.unit(),
        observed: order.plan.observe.iter().map(observed).collect(),
        cores: cores(),
        demand,
        notes,
        tags: order.tags.clone(),
        note: order.note.clone(),
    }
}

/// Flags of a run that mean nothing for several, each with what to write in its place.
fn refused(args: &ScaleArgs) -> Vec<String> {
    let is_rate = args.axis.iter().any(|axis| axis.split('=').next() == Some("rate"));
    let is_workers = args.axis.iter().any(|axis| axis.split('=').next() == Some("workers"));
    let flags = [
        (
            args.plan.profile.is_some(),
            "--profile",
            "levels have a shape of their own; leave it out",
        ),
        (
            args.plan.compress.is_some(),
            "--compress",
            "levels are as short as --level-time says",
        ),
        (
            args.plan.duration.is_some(),
            "--duration",
            "the length of a level is --level-time, that of all --budget",
        ),
        (
            args.planless.requests.is_some(),
            "-n",
            "levels last as long as --level-time says",
        ),
        (
            args.planless.vus.is_some() && !is_rate && !is_workers,
            "-c",
            "the number of users is what is varied: --max, or --axis vus=1,2,4",
        ),
        (
            args.planless.rate.is_some(),
            "-r",
            "to vary the rate, write --axis rate, or --axis rate=10/s,20/s",
        ),
        (
            args.csv.as_deref().is_some_and(is_stdout) && args.output.json,
            "--csv -",
            "it and --json both write on standard output; give it a file",
        ),
        (
            args.svg.as_deref().is_some_and(is_stdout),
            "--svg -",
            "give the picture a file",
        ),
        (
            is_workers && args.workers.is_some(),
            "--workers",
            "the number of workers is what is varied",
        ),
    ];
    let given = flags.into_iter().filter(|(is_given, _, _)| *is_given);
    given
        .map(|(_, flag, help)| format!("{flag} does not go with `nmax scale`\n  help: {help}"))
        .collect()
}

/// Reads everything that is text; all errors at once.
fn meant(args: &ScaleArgs, plan: &Plan) -> Result<Meant, Vec<String>> {
    let mut errors = Vec::new();
    let axes = axis::parse(&args.axis, args.min, args.max, cores()).map_err(|mut more| errors.append(&mut more));
    let mut take = |error: String| errors.push(error);
    let count = Count::parse(&args.count, plan).map_err(&mut take);
    let precision = precision(&args.precision).map_err(&mut take);
    let find = args
        .find
        .as_deref()
        .map(|text| objective(text, plan))
        .transpose()
        .map_err(&mut take);
    let demand = args.demand.as_deref().map(demand).transpose().map_err(&mut take);
    let knobs = axes.as_ref().map_or(&[][..], |axes| &axes.knobs);
    let price = args
        .price
        .as_deref()
        .map(|text| price::parse(text, knobs))
        .transpose()
        .map_err(&mut take);
    let names: Vec<&str> = knobs.iter().map(|knob| knob.name.as_str()).collect();
    if let Ok(axes) = &axes {
        errors.extend(apply::check(args.apply.as_deref(), &names));
        if axes.load == Load::Workers && !is_closed(plan) {
            errors.push(
                "--axis workers: the plan is open, and workers share its rate\n  help: give the plan a closed workload: \
                 each worker then has that many users"
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
        (Ok(axes), Ok(count), Ok(precision), Ok(find), Ok(price), Ok(demand)) if errors.is_empty() => Ok(Meant {
            axes,
            count,
            precision,
            find,
            price,
            demand,
        }),
        _ => Err(errors),
    }
}

fn is_closed(plan: &Plan) -> bool {
    matches!(plan.written.as_ref().unwrap_or(&plan.workload), Workload::Closed { .. })
}

fn precision(text: &str) -> Result<f64, String> {
    match parse_share(text) {
        Ok(share) if share > 0.0 && share <= 0.5 => Ok(share),
        _ => Err(format!(
            "--precision {text}: this is no precision\n  help: write a share up to 50%, such as 5%"
        )),
    }
}

/// A condition; a bare statistic is of the response time.
fn objective(text: &str, plan: &Plan) -> Result<(String, Threshold), String> {
    let first = text
        .split(|c: char| c.is_whitespace() || "<>=".contains(c))
        .next()
        .unwrap_or_default();
    let is_stat = matches!(first, "mean" | "min" | "max")
        || first
            .strip_prefix('p')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let whole = if is_stat {
        format!("response_time {text}")
    } else {
        text.to_owned()
    };
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
        return Err(format!(
            "--find '{text}': the plan has no `{name}`\n  help: it has {known}"
        ));
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

/// Everything of a run, checked for the highest level: what is said is said once.
fn order(
    args: &ScaleArgs,
    plan: Plan,
    variables: load::Variables,
    mut axes: Axes,
    times: Times,
    notes: &mut Vec<String>,
) -> Result<(Axes, Order), (String, Exit)> {
    let usage = |error: String| (error, Exit::Usage);
    let origins = preflight::origins(&plan).map_err(usage)?;
    let workers = args.workers.unwrap_or_else(cores);
    let need = |level: f64| {
        let highest = level::plan(&plan, axes.load, level, times, plan.seed, None);
        Need::of(&highest, &origins, u64::from(workers))
    };
    if args.max.is_none() && axes.levels.is_none() && axes.load == Load::Vus {
        let asked = axes.range.1;
        axes.range.1 = carried(axes.range, &need);
        if axes.range.1 < asked {
            notes.push(format!(
                "at most {} users are tried: this host does not carry {asked} (`nmax doctor`)",
                axes.range.1
            ));
        }
    }
    let warnings = fits(&need(axes.range.1)).map_err(usage)?;
    pinnable(&args.pin).map_err(usage)?;
    if !plan.timeline.is_empty() {
        notes.push("the timeline of the plan is left out: a level is to stand still".into());
    }
    if !plan.background.is_empty() {
        notes.push("the background of the plan begins anew at each level".into());
    }
    hints::say(&hints::warnings(&plan, &origins));
    notes.iter().for_each(|note| {
        if !args.output.quiet {
            crate::say::note(format_args!("note: {note}"));
        }
    });
    let plan = Arc::new(plan);
    let cleared = preflight::clear(&args.safety, &plan, &origins)?;
    let order = Order {
        name: args.name.clone().unwrap_or_else(|| plan.name.clone()),
        plan,
        variables,
        allow: cleared.allow,
        authorization: cleared.authorization,
        workers,
        pin: args.pin.clone(),
        keep: KeepSamples::None,
        runs_dir: args.runs_dir.clone(),
        note: args.note.clone(),
        tags: args.tag.clone(),
        quiet: args.output.quiet,
        warnings,
    };
    Ok((axes, order))
}

/// The highest load that this host carries, halved from the highest of the range.
fn carried((least, most): (f64, f64), need: &dyn Fn(f64) -> Need) -> f64 {
    let host = Host::read(Path::new("/"));
    let mut level = most;
    while level / 2.0 >= least
        && host::forecast(&host, &need(level))
            .iter()
            .any(|one| one.level == Level::Error)
    {
        level = (level / 2.0).floor();
    }
    level
}
