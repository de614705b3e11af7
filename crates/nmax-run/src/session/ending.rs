//! How a run ended: what is only known then, and what it means for the exit code.

use nmax_analysis::{Fold, Judgement};
use nmax_engine::Run;
use nmax_engine::measure::watch;
use nmax_metrics::{Aggregate, Catalog, ErrorKind, Nanos, Resource, Section};
use nmax_plan::plan::{Plan, Workload};
use nmax_sources::{RUN, figures};
use nmax_store::{RunWriter, StoreError};

use super::Order;
use crate::Exit;

/// When the run ended. An open workload that went as planned ends with its schedule, also when its last reply came
/// before: 4 starts at 1/s take 4 s, not the 3 s between the first and the last.
pub(super) fn ended_at(plan: &Plan, run: &Run, is_cut: bool) -> Nanos {
    let is_open = matches!(plan.workload, Workload::Open { .. });
    let as_planned = is_open && !is_cut && run.ended_early().is_none();
    let planned = run.times().end.filter(|_| as_planned);
    planned.unwrap_or(Nanos::ZERO).max(run.ended_at())
}

/// Processors that the workers may run on.
fn cpus(run: &Run, order: &Order) -> usize {
    let mut pinned: Vec<usize> = order.pin.iter().copied().take(run.workers() as usize).collect();
    pinned.sort_unstable();
    pinned.dedup();
    let is_all_pinned = order.pin.len() >= run.workers() as usize;
    let all = || std::thread::available_parallelism().map_or(1, |n| n.get());
    if is_all_pinned { pinned.len().max(1) } else { all() }
}

/// Utilization within the hold of what is busiest: a worker, or the CPUs that all workers share.
fn busiest(run: &Run, order: &Order) -> Option<f64> {
    let each: Vec<f64> = run.used().filter_map(|used| used.utilization()).collect();
    let together = each.iter().sum::<f64>() / cpus(run, order) as f64;
    each.into_iter().chain([together]).reduce(f64::max).filter(|busiest| *busiest > 0.0)
}

/// Whether the workers may only run on some of the host's processors.
fn is_confined(order: &Order) -> bool {
    let all = rustix::thread::sched_getaffinity(None).ok();
    let allowed = all.map(|set| set.count() as usize);
    let online = std::fs::read_to_string("/proc/cpuinfo").map(|text| text.matches("\nprocessor").count() + 1);
    !order.pin.is_empty() || matches!((allowed, online), (Some(allowed), Ok(online)) if allowed < online)
}

/// How a run ended.
pub(super) struct End {
    pub(super) ended: Nanos,
    /// How a person asked for it, if one did.
    pub(super) asked: Option<String>,
    /// Something ended it before its plan did.
    pub(super) is_stopped: bool,
    /// Its directory could not be written.
    pub(super) is_broken: bool,
    /// What else used the processors of this host.
    pub(super) beside: Vec<Resource>,
}

/// What is known of the workers at `at`; it counts as of the last time.
pub(super) fn of_workers(at: Nanos, run: &Run, order: &Order) -> Vec<Resource> {
    let line = |figure, value| watch::resource(at, RUN, figure, value);
    let mut lines = vec![
        line(figures::WORKERS_COUNT, f64::from(run.workers())),
        line(figures::WORKERS_CPUS_COUNT, cpus(run, order) as f64),
        line(figures::WORKERS_CONFINED, f64::from(u8::from(is_confined(order)))),
    ];
    let stalled = run.used().map(|used| used.stalled).max();
    lines.extend(stalled.map(|stalled| line(figures::STALLED_HOLD_MAX_S, stalled.as_secs_f64())));
    lines.extend(busiest(run, order).map(|cpu| line(figures::CPU_UTILIZATION_HOLD_MAX, cpu)));
    lines.extend(watch::open_files_limit().map(|limit| line(figures::OPEN_FILES_LIMIT_COUNT, limit as f64)));
    lines
}

/// Writes what is only known at the end.
pub(super) fn end(
    writer: &mut RunWriter,
    fold: &mut Fold,
    (run, order): (&Run, &Order),
    catalog: &Catalog,
    End { ended, asked, is_stopped, is_broken, beside }: End,
) -> Result<(), StoreError> {
    let known = fold.load_ended.or(run.load_ended()).or(run.times().end);
    let load_ended = known.unwrap_or(ended).min(ended);
    let line = |figure, value| watch::resource(ended, RUN, figure, value);
    let mut lines = vec![
        line(figures::LOAD_ENDED_S, load_ended.as_secs_f64()),
        line(figures::ENDED_S, ended.as_secs_f64()),
        line(figures::INTERRUPTED, f64::from(u8::from(is_stopped))),
    ];
    lines.extend(of_workers(ended, run, order));
    lines.extend(beside);
    if let Some(at) = run.broke_at() {
        let planned = run.times().end.unwrap_or(ended).max(ended);
        let missing = planned.since(at).0.div_ceil(Nanos::from(order.plan.window).0).max(1);
        lines.push(line(figures::WINDOWS_MISSING_COUNT, missing as f64));
    }
    lines.iter().for_each(|line| fold.resource(line));
    let mut events: Vec<(Nanos, &str, String)> = backgrounds_ended(run, &order.plan);
    let mut last = |code, text| events.push((ended, code, text));
    if let Some(why) = run.ended_early() {
        let code = if run.broke_at().is_some() { "BROKE" } else { "DATA_ENDED" };
        last(code, why.to_owned());
    }
    if let Some(how) = asked {
        last("INTERRUPTED", format!("the run was stopped {how}"));
    }
    if catalog.requests.overflowed() > 0 {
        let template = nmax_metrics::suggest_template(catalog.requests.list());
        let advice = template.map_or_else(String::new, |name| format!("; give the step `name: {name}`"));
        let text = format!("more request names than are told apart, the rest is `other`{advice}");
        last("NAMES_CAPPED", text);
    }
    events.iter().for_each(|(at, code, text)| fold.event(*at, code, text));
    if is_broken {
        return Ok(());
    }
    lines.iter().try_for_each(|line| writer.resource(line))?;
    events.iter().try_for_each(|(at, code, text)| writer.event(*at, code, text))
}

/// Backgrounds that ran out of rows, which ends nothing else.
fn backgrounds_ended(run: &Run, plan: &Plan) -> Vec<(Nanos, &'static str, String)> {
    let name = |number: u32| {
        let beside = plan.background.get(number as usize - 1);
        beside.map_or("", |beside| plan.scenarios[beside.scenario].name.as_str())
    };
    let event = |(number, at): (&u32, &Nanos)| {
        let name = name(*number);
        let text = format!("the data of the background `{name}` ended: nothing of it starts any more, the mix goes on");
        (*at, "DATA_ENDED", text)
    };
    run.background_ended().iter().map(event).collect()
}

/// What the judgement and the exchanges mean for the exit code.
pub(crate) fn exit_of(judgement: &Judgement, totals: &Aggregate) -> Exit {
    let total = totals.whole().total(Section::Hold);
    let unreachable = [ErrorKind::Dns, ErrorKind::Connect, ErrorKind::Tls, ErrorKind::Blocked];
    let never: u64 = unreachable.iter().map(|kind| total.errors[kind.index()]).sum();
    if total.count() > 0 && never == total.count() {
        return Exit::Unreachable;
    }
    match judgement.verdict {
        nmax_analysis::Verdict::Pass => Exit::Pass,
        nmax_analysis::Verdict::Fail => Exit::Failed,
        nmax_analysis::Verdict::Invalid => Exit::Invalid,
    }
}
