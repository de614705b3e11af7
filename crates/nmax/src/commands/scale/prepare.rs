//! Everything that is checked before the first level: arguments, plan, host, target, one iteration.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use nmax_engine::KeepSamples;
use nmax_plan::plan::{Observed, Plan};
use nmax_plan::threshold::Threshold;
use nmax_report::scalability::ScaleInfo;
use nmax_run::Exit;
use nmax_run::Order;
use nmax_run::host::{self, Host, Level, Need};
use nmax_run::preflight;
use nmax_run::signals::Interrupts;
use nmax_usl::Demand;

use super::apply;
use super::axis::{Axes, Load};
use super::data;
use super::flags::{meant, refused};
use super::folder::Folder;
use super::head::Head;
use super::knobs::{self, Setting};
use super::level::{self, Times};
use super::measure::{self, Count};
use super::price::Price;
use super::progress::Progress;
use super::rig::Rig;
use crate::args::{PlanlessArgs, ScaleArgs};
use crate::commands::run::{fits, is_stdout, pinnable, writable};
use crate::commands::smoke;
use crate::load;
use crate::{clearance, hints};

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

/// Checks everything, in an order in which nothing is sent before the arguments are right.
pub(super) fn prepare(args: &ScaleArgs) -> Result<Job, (String, Exit)> {
    let usage = |error: String| (error, Exit::Usage);
    let refused = refused(args);
    if !refused.is_empty() {
        return Err(usage(refused.join("\nerror: ")));
    }
    let plan = load::plan(&args.what, &args.plan, &planless(args)).map_err(|error| usage(error.to_string()))?;
    let meant = meant(args, &plan).map_err(|errors| usage(errors.join("\nerror: ")))?;
    Times::check(args.level_time).map_err(usage)?;
    let times = Times::of(args.budget, args.level_time, args.warm_up);
    if times.total() > args.budget {
        return Err(usage(format!(
            "a level takes {:?} and the budget is {:?}\n  help: give a longer --budget, or a shorter --level-time",
            times.total(),
            args.budget
        )));
    }
    for file in [&args.csv, &args.svg].into_iter().flatten().filter(|file| !is_stdout(file)) {
        writable(file).map_err(usage)?;
    }
    host::raise();
    let mut notes = Vec::new();
    let interrupts = Interrupts::listen().map_err(|error| usage(error.to_string()))?;
    // Whatever is done to the system under test is in the budget.
    let began = super::rig::now();
    let is_set = set_first(args, &meant.axes, &interrupts)?;
    let (axes, order) = order(args, plan, (meant.axes, &meant.count, meant.find.is_some()), times, &mut notes)?;
    if !args.no_smoke {
        smoke::rehearsal(&order, "the campaign", args.output.quiet)?;
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
        (began, args.budget),
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

/// The flags of a URL. On an axis of rates the iterations arrive at random anyway, and no rate is given.
fn planless(args: &ScaleArgs) -> PlanlessArgs {
    let is_rate = args.axis.iter().any(|axis| axis.split('=').next() == Some("rate"));
    PlanlessArgs { poisson: args.planless.poisson && !(is_rate && load::is_url(&args.what)), ..args.planless.clone() }
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
        Err(why) => {
            Err((format!("--apply: {words}: {why}\n  help: try the command by hand; nothing was sent"), Exit::Usage))
        }
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
    let observed = order.plan.observe.iter().filter_map(|observed| match observed {
        Observed::Process { name, .. } => Some(name.clone()),
        Observed::Source(_) => None,
    });
    let info = ScaleInfo {
        id: folder.id.clone(),
        name: order.name.clone(),
        target: order.plan.redactor.url(&order.plan.target),
        started_at: folder.started_at.clone(),
        seed: order.plan.seed,
        axes: knobs.chain([axes.load.name().to_owned()]).collect(),
        count: count.words(),
        level_s: Some(times.hold.as_secs_f64()),
        budget_s: Some(args.budget.as_secs_f64()),
        elapsed_s: None,
        plan_sha256: nmax_run::plan_text(&order.plan).1,
        machine: nmax_store::host::machine().into_iter().collect(),
        interrupted: false,
    };
    Head {
        info,
        nmax_version: env!("CARGO_PKG_VERSION").into(),
        load: axes.load,
        knobs: axes.knobs.clone(),
        x_unit: count.unit(),
        observed: observed.collect(),
        cores: host::cores(),
        demand,
        notes,
        tags: order.tags.clone(),
        note: order.note.clone(),
    }
}

/// Everything of a run, checked for the highest level: what is said is said once.
fn order(
    args: &ScaleArgs,
    plan: Plan,
    (mut axes, count, find): (Axes, &Count, bool),
    times: Times,
    notes: &mut Vec<String>,
) -> Result<(Axes, Order), (String, Exit)> {
    let usage = |error: String| (error, Exit::Usage);
    let origins = preflight::origins(&plan).map_err(usage)?;
    let workers = host::workers(args.workers, &plan, &origins);
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
    notes.extend(data::check(&plan, &axes, times).map_err(usage)?);
    let warnings = fits(&need(axes.range.1)).map_err(usage)?;
    pinnable(&args.pin).map_err(usage)?;
    if !plan.timeline.is_empty() {
        notes.push("the timeline of the plan is left out: a level is to stand still".into());
    }
    if !plan.background.is_empty() {
        notes.push("the background of the plan begins anew at each level, and is not counted".into());
    }
    if *count == Count::Requests && !measure::is_told_apart(&plan) {
        notes.push(
            "requests of the background that vary in their names, or have those of the mix, are counted with it: give \
             them names of their own"
                .into(),
        );
    }
    if find && !axes.knobs.is_empty() {
        notes.push("a load at which the objective does not hold is not usable: the best one is searched below".into());
    }
    hints::say(&hints::warnings(&plan, &origins));
    notes.iter().for_each(|note| {
        if !args.output.quiet {
            crate::say::note(format_args!("note: {note}"));
        }
    });
    clearance::observed(&plan).map_err(usage)?;
    let plan = Arc::new(plan);
    let cleared = clearance::clear(&args.safety, &plan, &origins)?;
    let order = Order {
        name: args.name.clone().unwrap_or_else(|| plan.name.clone()),
        plan,
        allow: cleared.allow,
        authorization: cleared.authorization,
        workers,
        pin: args.pin.clone(),
        keep: KeepSamples::None,
        runs_dir: args.runs_dir.clone(),
        note: args.note.clone(),
        tags: args.tag.clone(),
        warnings,
        source: None,
    };
    Ok((axes, order))
}

/// The highest load that this host carries, halved from the highest of the range.
fn carried((least, most): (f64, f64), need: &dyn Fn(f64) -> Need) -> f64 {
    let host = Host::read(Path::new("/"));
    let mut level = most;
    while level / 2.0 >= least && host::forecast(&host, &need(level)).iter().any(|one| one.level == Level::Error) {
        level = (level / 2.0).floor();
    }
    level
}
