//! The summary of a run: every number of a report, computed once. Reports print it and compute nothing.
//!
//! # Layout
//! - this file: the run, its scenarios, checks and injector
//! - `stats`: requests; `connections`; `groups`: transactions, pages, transitions, locations
//! - `metrics`: those of the user's own
//! - `injectors`: by injector and region, where there are several
//! - `problems`: failures and errors by kind, with examples
//! - [`shape`]: the plan's stages on the time axis
//! - `observed`, `hosts`, `logs`: what was watched

use nmax_metrics::aggregate::METRICS_MAX;
use nmax_metrics::names::{NAMES_MAX, OTHER};
use nmax_metrics::{
    Aggregate, Catalog, Dropped, FailureExample, Nanos, PageStats, ScenarioStats, Section, suggest_template,
};
use nmax_plan::plan::{Connection, Observed, Plan, RESOURCES_MAX, Scenario, Visitor, Workload};

use crate::evidence::busy;
use crate::{Batches, Evidence, InjectorFacts, Judgement, Series};

mod connections;
mod groups;
mod hosts;
mod injectors;
mod logs;
mod metrics;
mod observed;
mod problems;
pub mod shape;
mod stats;

pub use connections::Connections;
pub use groups::{GroupRow, LocationRow, PageRow};
pub use hosts::{FigureRow, HostView, Panel, PanelLine, hosts_of};
pub use injectors::InjectorRow;
pub use logs::LogErrors;
pub use metrics::{MetricRow, SHOWN};
pub use observed::ObservedRow;
pub use problems::Problem;
pub use shape::Span;
pub use stats::{Dist, PHASES, PhaseTime, Stats, Times};

/// A file of the run's directory cannot be read in whole; the text says where.
pub const DAMAGED: &str = "FILE_DAMAGED";

/// Every number of a run.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The part of the run that the statistics are of.
    pub phase: Phase,
    /// Length of the whole run, drain included, seconds.
    pub duration_s: f64,
    /// Planned length of all stages, seconds; `None` when a number of iterations ends the run.
    pub planned_s: Option<f64>,
    /// Whether iterations start by schedule.
    pub open: bool,
    /// Mean intended iterations per second in the phase; `None` for closed workloads.
    pub intended_rate_per_s: Option<f64>,
    /// Mean planned virtual users in the phase; `None` for open workloads.
    pub intended_vus: Option<f64>,
    /// Iterations started per second in the phase; `None` when the phase has no length.
    pub achieved_rate_per_s: Option<f64>,
    /// Mean number of iterations in flight in the phase.
    pub in_flight: Option<f64>,
    /// Due iterations that never started, in the phase.
    pub dropped: Dropped,
    /// Of `dropped`, the share of due iterations.
    pub dropped_share: Option<f64>,
    /// Iterations that waited for an in-flight slot, in the phase.
    pub waited: u64,
    /// Exchanges unfinished at the end of the run.
    pub censored: u64,
    /// Age of the oldest of them, ns.
    pub censored_age_max_ns: Option<u64>,
    /// Connections, and what was done on them.
    pub connections: Connections,
    /// All requests.
    pub total: Stats,
    /// By request name: those of the plan in its order, then by first use; a redirect after the step that led to it.
    pub requests: Vec<(String, Stats)>,
    /// By scenario, in the order of the plan.
    pub scenarios: Vec<ScenarioRow>,
    /// By transaction, in the order of the plan.
    pub transactions: Vec<GroupRow>,
    /// By page, in the order of the plan.
    pub pages: Vec<PageRow>,
    /// By pair of pages, most frequent first.
    pub transitions: Vec<GroupRow>,
    /// By location, in the order of the plan.
    pub locations: Vec<LocationRow>,
    /// Names of the scenarios that ran beside the mix.
    pub background: Vec<String>,
    /// How many times shorter than written the run was; 1 = as written.
    pub compress: f64,
    /// What observed processes used.
    pub observed: Vec<ObservedRow>,
    /// By check, in the order of the plan.
    pub checks: Vec<CheckRow>,
    /// The user's own metrics, by name and tag.
    pub metrics: Vec<MetricRow>,
    /// What went wrong in the whole run, causes first.
    pub problems: Vec<Problem>,
    /// The injector in the phase; of several, sums and the worst.
    pub injector: Injector,
    /// By injector; none for a run on one.
    pub injectors: Vec<InjectorRow>,
    /// Exchanges and response times by region of the injectors; none where no region was given. What was measured by
    /// injectors without one is under the empty name.
    pub regions: Vec<GroupRow>,
    /// The whole run over time.
    pub series: Series,
    /// The plan's stages on the time axis.
    pub stages: Vec<Span>,
    /// How the load was changed while the run, or the one that it repeats, went on: a sentence of each change.
    pub steered: Vec<String>,
    /// What happened.
    pub events: Vec<Event>,
    /// Caps that were reached, each a sentence with a remedy.
    pub limits_hit: Vec<String>,
    /// What hosts and services felt over time, injectors last.
    pub hosts: Vec<HostView>,
    /// Errors that followed logs of applications had, by kind.
    pub log_errors: Vec<LogErrors>,
    /// The plan observes more than this host: a person wants to see it.
    pub watches: bool,
}

/// The part of a run that statistics are of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phase {
    /// `hold`, or `whole` when the run never held.
    pub name: &'static str,
    /// Beginning, seconds since the start of the run.
    pub start_s: f64,
    /// End, seconds since the start of the run.
    pub end_s: f64,
    /// What statistics are of, seconds: the holds without what lies between them.
    length_s: f64,
}

impl Phase {
    /// Length, seconds.
    pub fn length_s(&self) -> f64 {
        self.length_s
    }
}

/// Numbers of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenarioRow {
    /// Its name.
    pub name: String,
    /// Iterations completed.
    pub iterations: u64,
    /// Completed iterations in which something was not ok.
    pub failed: u64,
    /// Iterations completed within the phase, per second.
    pub rate_per_s: Option<f64>,
    /// Durations of completed iterations.
    pub iteration_time: Dist,
}

/// Counts of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckRow {
    /// Its name.
    pub name: String,
    /// Held.
    pub passed: u64,
    /// Did not hold.
    pub failed: u64,
}

/// What is known of the injector.
#[derive(Clone, Debug, PartialEq)]
pub struct Injector {
    /// Worker threads.
    pub workers: u32,
    /// Starts that are due within this time share a wake-up, ns; `None` in closed workloads.
    pub pacing_slack_ns: Option<f64>,
    /// Mean CPU utilization over workers, 0 to 1.
    pub cpu_utilization: Option<f64>,
    /// CPU utilization of the busiest worker, 0 to 1.
    pub cpu_utilization_max: Option<f64>,
    /// What the injector itself added to response times.
    pub lag: Dist,
    /// How long something that was ready waited for its worker.
    pub pickup_delay: Dist,
    /// Time that the worst worker stood still, s.
    pub stalled_max_s: Option<f64>,
    /// Most open descriptors at once.
    pub open_files_max: Option<u64>,
    /// Most local ports in use at once.
    pub ports_used_max: Option<u64>,
    /// Most connections of the host in TIME_WAIT at once.
    pub time_wait_max: Option<u64>,
}

/// Something that happened in a run and is worth a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When, seconds since the beginning of the run.
    pub at_s: f64,
    /// Stable code.
    pub code: String,
    /// One sentence for a person.
    pub text: String,
}

impl Summary {
    /// Replies by status in the phase: of all requests first, then by name where they differ from the usual one.
    pub fn by_status(&self) -> Vec<(Option<&str>, String)> {
        stats::by_status(&self.total, &self.requests)
    }

    /// Computes every number. O(names × buckets).
    ///
    /// - `judgement`: quantiles that are not known, and gates that injectors fail
    pub fn new(
        evidence: &Evidence<'_>,
        Judgement { withheld, gates, .. }: &Judgement,
        mut series: Series,
        failures: &[FailureExample],
        events: Vec<Event>,
    ) -> Self {
        let (plan, catalog) = (evidence.plan, evidence.catalog);
        let whole = evidence.totals.whole();
        let held = evidence.hold_s() > 0.0;
        let (name, (start, end)) = if held { ("hold", evidence.hold) } else { ("whole", (Nanos::ZERO, evidence.end)) };
        let length_s = if held { evidence.hold_s() } else { evidence.end.as_secs_f64() };
        let phase = Phase { name, start_s: start.as_secs_f64(), end_s: end.as_secs_f64(), length_s };
        let counted = if held { evidence.totals } else { &whole };
        let load = counted.load(Section::Hold);
        let open = matches!(plan.workload, Workload::Open { .. });
        let level = (length_s > 0.0).then(|| match held {
            true => shape::held_level(&plan.stages, start, end),
            false => shape::mean_level(&plan.stages, start, end),
        });
        for bin in &mut series.bins {
            bin.intended = shape::bin_level(&plan.stages, bin.start_s, bin.width_s);
        }
        let mut total = Stats::from_stats(&counted.total(Section::Hold), length_s, Some(evidence.batches.total()));
        total.withhold(withheld.iter().filter(|one| one.request.is_none()));
        let mut requests = request_rows(counted, catalog, evidence.batches, length_s);
        for (name, stats) in &mut requests {
            stats.withhold(withheld.iter().filter(|one| one.request.as_ref() == Some(name)));
        }
        let (injectors, regions) = injectors::rows(evidence, gates, (held, length_s));
        Self {
            phase,
            duration_s: evidence.end.as_secs_f64(),
            planned_s: shape::end(&plan.stages).filter(|_| plan.iterations.is_none()).map(Nanos::as_secs_f64),
            open,
            intended_rate_per_s: level.filter(|_| open),
            intended_vus: level.filter(|_| !open),
            achieved_rate_per_s: per_s(load.started, length_s),
            in_flight: (length_s > 0.0).then(|| load.in_flight_ns as f64 / 1e9 / length_s),
            dropped: load.dropped(),
            dropped_share: (load.due > 0).then(|| load.dropped().total() as f64 / load.due as f64),
            waited: load.waited,
            censored: whole.load(Section::Hold).censored.count(),
            censored_age_max_ns: whole.load(Section::Hold).censored.max_ns(),
            connections: Connections::from_aggregates(counted, &whole, (connection_policy(plan), kept(plan))),
            total,
            requests,
            scenarios: scenario_rows(counted, catalog, length_s),
            transactions: groups::transactions(counted, catalog, length_s),
            pages: groups::pages(counted, catalog, length_s),
            transitions: groups::transitions(counted, catalog, length_s),
            locations: groups::locations(counted, catalog, length_s),
            background: background(plan).map(|scenario| scenario.name.clone()).collect(),
            compress: plan.compress,
            observed: observed::rows(evidence.observed),
            checks: check_rows(counted, catalog),
            metrics: metrics::rows(counted, catalog, length_s),
            problems: problems::collect(&whole, catalog, failures),
            injector: injector(evidence, counted),
            injectors,
            regions,
            series,
            stages: shape::spans(&plan.stages, evidence.end),
            steered: steered(plan),
            limits_hit: limits_hit(catalog, &whole, evidence.readings.left_out)
                .into_iter()
                .chain(damaged(&events))
                .collect(),
            events,
            hosts: hosts::hosts(evidence, (start, end)),
            log_errors: logs::errors(evidence, (start, end)),
            watches: plan.observe.iter().any(|one| matches!(one, Observed::Source(_))),
        }
    }
}

/// The scenarios that run beside the mix.
fn background(plan: &Plan) -> impl Iterator<Item = &Scenario> {
    plan.background.iter().filter_map(|background| plan.scenarios.get(background.scenario))
}

/// A sentence of each change of the load.
fn steered(plan: &Plan) -> Vec<String> {
    let changes = plan.steered.iter().flat_map(|steered| &steered.changes);
    changes.map(|change| plan.said_of(change)).collect()
}

fn per_s(count: u64, length_s: f64) -> Option<f64> {
    (length_s > 0.0).then(|| count as f64 / length_s)
}

fn request_rows(counted: &Aggregate, catalog: &Catalog, batches: &Batches, length_s: f64) -> Vec<(String, Stats)> {
    let rows = counted.requests(Section::Hold).filter(|(_, stats)| !stats.is_empty());
    let row =
        |(id, stats)| (catalog.requests.name(id).to_owned(), Stats::from_stats(stats, length_s, batches.request(id)));
    let mut rows: Vec<_> = rows.map(row).collect();
    let id = |name: &str| catalog.requests.find(name);
    rows.sort_by_cached_key(|(name, _)| {
        let (step, number) = hop(name);
        (id(step).or_else(|| id(name)), number, id(name))
    });
    rows
}

/// A request name as the name of its step and the number of the redirect: `sign-up +10` comes after `sign-up +9`.
fn hop(name: &str) -> (&str, u32) {
    let parts = name.rsplit_once(" +");
    let hop = parts.and_then(|(step, number)| Some((step, number.parse().ok()?)));
    hop.unwrap_or((name, 0))
}

fn scenario_rows(counted: &Aggregate, catalog: &Catalog, length_s: f64) -> Vec<ScenarioRow> {
    let row = |(name, stats): (&str, &ScenarioStats)| ScenarioRow {
        name: name.to_owned(),
        iterations: stats.completed,
        failed: stats.failed,
        rate_per_s: per_s(stats.ended_within, length_s),
        iteration_time: Dist::from_histogram(&stats.iteration_time),
    };
    counted.scenarios.named(Section::Hold, &catalog.scenarios).map(row).collect()
}

fn check_rows(counted: &Aggregate, catalog: &Catalog) -> Vec<CheckRow> {
    let all = counted.checks.named(Section::Hold, &catalog.checks);
    all.filter(|(_, stats)| stats.passed + stats.failed > 0)
        .map(|(name, stats)| CheckRow { name: name.to_owned(), passed: stats.passed, failed: stats.failed })
        .collect()
}

fn injector(evidence: &Evidence<'_>, counted: &Aggregate) -> Injector {
    let all = evidence.injectors;
    let load = counted.load(Section::Hold);
    let most = |of: fn(&InjectorFacts) -> Option<u64>| all.iter().filter_map(of).max();
    let largest = |of: fn(&InjectorFacts) -> Option<f64>| all.iter().filter_map(of).reduce(f64::max);
    let workers = all.iter().map(|facts| facts.workers).sum();
    Injector {
        workers,
        pacing_slack_ns: evidence.plan.slack_of_mix(workers).map(|slack| slack.as_secs_f64() * 1e9),
        cpu_utilization: busy(evidence.totals),
        cpu_utilization_max: largest(|facts| facts.cpu_utilization_max),
        lag: Dist::from_histogram(&load.injector_lag),
        pickup_delay: Dist::from_histogram(&load.pickup_delay),
        stalled_max_s: largest(|facts| facts.stalled_max_s),
        open_files_max: most(|facts| facts.open_files_max),
        ports_used_max: most(|facts| facts.ports_used_max),
        time_wait_max: most(|facts| facts.time_wait_max),
    }
}

fn connection_policy(plan: &Plan) -> &'static str {
    match plan.defaults.connection {
        Connection::KeepAlive => "keep-alive",
        Connection::PerIteration => "per-iteration",
        Connection::PerRequest => "per-request",
    }
}

/// What the connection policy comes to.
fn kept(plan: &Plan) -> &'static str {
    match (plan.defaults.visitor, plan.defaults.connection) {
        (Visitor::New, Connection::KeepAlive | Connection::PerIteration) => "new visitors",
        _ => connection_policy(plan),
    }
}

/// What of the run's directory could not be read.
fn damaged(events: &[Event]) -> Vec<String> {
    let damaged = events.iter().filter(|event| event.code == DAMAGED);
    damaged.map(|event| format!("could not be read: {}", event.text)).collect()
}

/// `readings_left_out`: readings of figures for which there was no room.
fn limits_hit(catalog: &Catalog, whole: &Aggregate, readings_left_out: u64) -> Vec<String> {
    let pages = whole.pages.named(Section::Hold, &catalog.pages).filter(|(_, stats)| stats.left_out > 0);
    let pages = pages.map(|(name, PageStats { left_out, .. })| {
        format!("page `{name}`: more than {RESOURCES_MAX} resources, {left_out} were not fetched in all")
    });
    let readings = (readings_left_out > 0).then(|| {
        format!(
            "more figures were observed than have room here: {readings_left_out} readings of later ones are in \
             `resources.jsonl` only, and the diagnosis does not know them"
        )
    });
    let samples = whole.load(Section::Hold).samples_left_out;
    let samples = (samples > 0).then(|| {
        format!(
            "more than a million exchanges of a worker in a window: {samples} are missing in `samples-NNNN.parquet`, drawn \
             uniformly; use a shorter `window`, more workers or a lower rate"
        )
    });
    let mut metrics = whole.metrics.named(Section::Hold, &catalog.metrics);
    let other = metrics.find(|(name, _)| *name == OTHER).map(|(_, stats)| {
        let numbers = stats.values + stats.unread;
        format!(
            "more than {METRICS_MAX} metrics and tags of metrics: {numbers} numbers of later ones are left out; use fewer tags"
        )
    });
    names_hit(catalog).into_iter().chain(other).chain(pages).chain(readings).chain(samples).collect()
}

fn names_hit(catalog: &Catalog) -> Option<String> {
    let names = &catalog.requests;
    if names.overflowed() == 0 {
        return None;
    }
    let advice = suggest_template(names.list())
        .map_or_else(|| "give steps a `name`".to_owned(), |template| format!("name the step `{template}`"));
    Some(format!("more than {NAMES_MAX} request names: later ones are counted as `other`; {advice}"))
}

#[cfg(test)]
mod tests;
