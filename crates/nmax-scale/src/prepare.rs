//! Everything that is checked before the first level: arguments, plan, host, target, one iteration.

use std::path::Path;
use std::sync::Arc;

use nmax_engine::KeepSamples;
use nmax_plan::plan::{Observed, Plan};
use nmax_report::scalability::ScaleInfo;
use nmax_run::host::{self, Finding, Host, Level, Need};
use nmax_run::preflight::{self, Cleared};
use nmax_run::signals::Interrupts;
use nmax_run::{Exit, Trouble, hints, smoke};

use crate::axis::Load;
use crate::folder::Folder;
use crate::head::Head;
use crate::job::Job;
use crate::listener::Listener;
use crate::measure::{self, Count};
use crate::order::Order;
use crate::rig::{self, Rig};
use crate::runner::Runner;
use crate::setting::{self, Setting};
use crate::task::Task;
use crate::{apply, data, level};

/// Checks everything, in an order in which nothing is sent before the arguments are right.
pub(crate) fn prepare<'a>(
    order: Order,
    interrupts: &'a Interrupts,
    listener: &'a mut dyn Listener,
) -> Result<Job<'a>, Trouble> {
    host::raise();
    let is_rehearsed = order.is_rehearsed;
    let mut notes = Vec::new();
    // Whatever is done to the system under test is in the budget.
    let began = rig::now();
    let is_set = set_first(&order.task, interrupts, listener)?;
    let (task, order, runner) = cleared(order, &mut notes, listener)?;
    if is_rehearsed {
        listener.note(&smoke::rehearsal(&order, "the campaign")?);
    }
    let folder = Folder::create(&order.runs_dir, &order.name)?;
    let head = head(&order, &folder, &task, notes);
    folder.begin(&head)?;
    let rig = Rig::new((runner, order), &task, folder, began, interrupts, listener);
    Ok(Job { rig, task, head, is_set })
}

/// Sets the first setting: the system under test may be there only then.
fn set_first(task: &Task, interrupts: &Interrupts, listener: &mut dyn Listener) -> Result<Option<Setting>, Trouble> {
    let (Some((line, limit)), Some(first)) = (&task.apply, setting::settings(&task.axes.knobs).into_iter().next())
    else {
        return Ok(None);
    };
    let words = setting::describe(&first);
    listener.note(&format!("{words}: {}", apply::filled(line, &first)));
    match apply::apply(line, &first, *limit, interrupts) {
        Ok(()) => Ok(Some(first)),
        Err(_) if interrupts.count() > 0 => Err(Trouble { text: "interrupted".into(), exit: Exit::Interrupted }),
        Err(why) => {
            Err(Trouble::usage(format_args!("--apply: {words}: {why}"), "try the command by hand; nothing was sent"))
        }
    }
}

fn head(order: &nmax_run::Order, folder: &Folder, task: &Task, notes: Vec<String>) -> Head {
    let Task { axes, count, .. } = task;
    let knobs = axes.knobs.iter().map(|knob| knob.name.clone());
    let threads = axes.threads.iter().map(|_| Load::Workers.name().to_owned());
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
        axes: knobs.chain([axes.load.name().to_owned()]).chain(threads).collect(),
        count: count.describe(),
        level_s: Some(task.times.hold.as_secs_f64()),
        budget_s: Some(task.budget.as_secs_f64()),
        elapsed_s: None,
        plan_sha256: nmax_run::plan_text(&order.plan).1,
        machine: nmax_store::host::machine().into_iter().collect(),
        interrupted: false,
    };
    Head {
        info,
        nmax_version: env!("CARGO_PKG_VERSION").into(),
        load: axes.load,
        has_sides: axes.threads.is_some(),
        knobs: axes.knobs.clone(),
        x_unit: count.unit(),
        observed: observed.collect(),
        cores: host::cores(),
        demand: task.demand.clone(),
        notes,
        tags: order.tags.clone(),
        note: order.note.clone(),
    }
}

/// Everything of a run, checked for the highest level: what is said is said once.
fn cleared(
    order: Order,
    notes: &mut Vec<String>,
    listener: &mut dyn Listener,
) -> Result<(Task, nmax_run::Order, Box<dyn Runner>), Trouble> {
    let Order { plan, mut task, mut runner, .. } = order;
    let origins = preflight::origins(&plan)?;
    let free = runner.free();
    let (workers, warnings) = match free {
        None => {
            let workers = host::workers(order.workers, &plan, &origins);
            let (load, times) = (task.axes.load, task.times);
            let need = |level: f64| {
                let highest = level::plan(&plan, load, level, times, plan.seed, None);
                Need::for_plan(&highest, &origins, u64::from(workers))
            };
            (workers, fits_host(&need, &mut task, notes)?)
        }
        Some(free) => (fits_fleet(&mut *runner, &plan, &mut task, order.workers, (free, notes))?, Vec::new()),
    };
    notes.extend(data::check(&plan, &task.axes, task.times)?);
    warnings.iter().for_each(|finding| listener.warning(&finding.says()));
    host::pinnable(&order.pin)?;
    if !plan.timeline.is_empty() {
        notes.push("the timeline of the plan is left out: a level is to stand still".into());
    }
    if !plan.background.is_empty() {
        notes.push("the background of the plan begins anew at each level, and is not counted".into());
    }
    if task.count == Count::Requests && !measure::is_told_apart(&plan) {
        notes.push(
            "requests of the background that vary in their names, or have those of the mix, are counted with it: give \
             them names of their own"
                .into(),
        );
    }
    if task.find.is_some() && !task.axes.knobs.is_empty() {
        notes.push("a load at which the objective does not hold is not usable: the best one is searched below".into());
    }
    hints::warnings(&plan, &origins).iter().for_each(|text| listener.warning(text));
    notes.iter().for_each(|note| listener.remark(note));
    preflight::observed(&plan)?.iter().for_each(|text| listener.authority(text));
    let plan = Arc::new(plan);
    // With injectors this machine sends no load. Each injector checks the targets itself.
    let cleared = match free {
        Some(_) if !order.is_rehearsed => Cleared {
            allow: Arc::new(|_, _| Err("the one who orders the runs of a fleet loads nothing".into())),
            authorization: None,
            notes: Vec::new(),
        },
        Some(_) => preflight::clear(&order.consent, &plan, &origins).map_err(|Trouble { text, exit }| Trouble {
            text: format!("{text}\n  help: the smoke test is sent from here; `--no-smoke` leaves it to the injectors"),
            exit,
        })?,
        None => preflight::clear(&order.consent, &plan, &origins)?,
    };
    cleared.notes.iter().for_each(|text| listener.authority(text));
    let run = nmax_run::Order {
        name: order.name.unwrap_or_else(|| plan.name.clone()),
        plan,
        allow: cleared.allow,
        authorization: cleared.authorization,
        workers,
        pin: order.pin,
        keep: KeepSamples::None,
        id: None,
        runs_dir: order.runs_dir,
        note: order.note,
        tags: order.tags,
        warnings: warnings.iter().map(Finding::event).collect(),
        source: None,
    };
    Ok((task, run, runner))
}

/// Checks that this host carries the highest level. Lowers that level where the user set none.
fn fits_host(need: &dyn Fn(f64) -> Need, task: &mut Task, notes: &mut Vec<String>) -> Result<Vec<Finding>, Trouble> {
    if task.is_open_ended && task.axes.load == Load::Vus {
        let asked = task.axes.range.1;
        let most = carried(task.axes.range, need);
        if most < asked {
            notes.push(format!("at most {most} users are tried: this host does not carry {asked} (`nmax doctor`)"));
        }
        task.axes.range.1 = most;
    }
    Ok(host::fits(&need(task.axes.range.1))?)
}

/// Checks that enough injectors with enough threads are free. Lowers the highest level where the user set none. Returns
/// the threads of each, 0 for all that it has.
fn fits_fleet(
    runner: &mut dyn Runner,
    plan: &Plan,
    task: &mut Task,
    workers: Option<u32>,
    (free, notes): (u32, &mut Vec<String>),
) -> Result<u32, Trouble> {
    let axes = &mut task.axes;
    if task.is_open_ended {
        axes.range.1 = f64::from(free).max(axes.range.0);
        notes.push(format!("at most {} are tried: so many are free", axes.load.says(axes.range.1)));
    }
    let workers = if axes.threads.is_some() { 1 } else { workers.unwrap_or_default() };
    runner.ready(axes.range.1 as u32, workers)?;
    if let Some(most) = axes.threads.iter().flatten().copied().reduce(f64::max) {
        runner.ready(1, most as u32)?;
    }
    if !plan.observe.is_empty() {
        notes.push("what the plan observes is not read in runs of a fleet".into());
    }
    Ok(workers)
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
