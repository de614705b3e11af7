//! The view: every number of a report, computed once. All outputs print it and compute nothing.

use nmax_analysis::suspect::{Diagnosis, diagnose};
use nmax_analysis::{
    Answer, Batches, Breakdown, Effect, Evidence, Finding, Gate, Judgement, Reason, Steadiness, ThresholdResult,
    Verdict, Withheld,
};
use nmax_metrics::names::NAMES_MAX;
use nmax_metrics::{Aggregate, Catalog, Dropped, FailureExample, Nanos, Section, suggest_template};
use nmax_plan::plan::{Connection, Observed, Plan, RESOURCES_MAX, Scenario, Version, Visitor, Workload};

use crate::number;
use crate::problems::{self, Problem};
use crate::run::{Ending, Event, RunInfo};
use crate::series::Series;
use crate::shape::{self, Span};

mod connections;
mod groups;
mod hosts;
mod likeness;
mod logs;
mod observed;
mod stats;

pub use connections::Connections;
pub use groups::{GroupRow, LocationRow, PageRow};
pub use hosts::{FigureRow, HostView, Panel, PanelLine};
pub use likeness::{Likeness, LikenessMark, LikenessRow};
pub use logs::LogErrors;
pub use observed::ObservedRow;
pub use stats::{Dist, PHASES, PhaseTime, QUANTILES, Stats, Times, WITHHELD};

/// Everything that a report shows.
#[derive(Clone, Debug)]
pub struct View {
    /// Identity and origin.
    pub run: RunInfo,
    /// PASS, FAIL or INVALID.
    pub verdict: Verdict,
    /// How far the run came; whoever knows more than whether it was interrupted sets it.
    pub ending: Ending,
    /// Why, and warnings.
    pub reasons: Vec<Reason>,
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
    /// Quantiles of response times that the injector's own lag makes unknown, those of all requests first.
    pub withheld: Vec<Withheld>,
    /// By request name, most frequent first.
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
    /// What the run says to the question of its profile.
    pub answer: Option<Answer>,
    /// How many times shorter than written the run was; 1 = as written.
    pub compress: f64,
    /// Whether the hold was steady; `None` without a hold.
    pub steadiness: Option<Steadiness>,
    /// What each intervention did.
    pub effects: Vec<Effect>,
    /// What observed processes used.
    pub observed: Vec<ObservedRow>,
    /// By check, in the order of the plan.
    pub checks: Vec<CheckRow>,
    /// Thresholds, in the order of the plan.
    pub thresholds: Vec<ThresholdResult>,
    /// Gates that were looked at.
    pub gates: Vec<Gate>,
    /// What went wrong in the whole run, most frequent first.
    pub problems: Vec<Problem>,
    /// The injector in the phase.
    pub injector: Injector,
    /// The whole run over time.
    pub series: Series,
    /// The plan's stages on the time axis.
    pub stages: Vec<Span>,
    /// Choices that change what numbers mean: connection policy, visitor, version, timeout.
    pub policy: Vec<(String, String)>,
    /// What happened.
    pub events: Vec<Event>,
    /// Caps that were reached, each a sentence with a remedy.
    pub limits_hit: Vec<String>,
    /// Its response times taken apart; set by whoever keeps them over time.
    pub breakdown: Breakdown,
    /// What hosts and services felt over time, the injector last.
    pub hosts: Vec<HostView>,
    /// Errors that followed logs of applications had, by kind.
    pub log_errors: Vec<LogErrors>,
    /// What to look at first.
    pub diagnosis: Diagnosis,
    /// The plan observes more than this host: a person wants to see it.
    pub watches: bool,
    /// How like its source its traffic was; set by whoever compared them.
    pub likeness: Option<Likeness>,
    /// Where the page was written, for the last line of the table; set by whoever writes it.
    pub report_path: Option<String>,
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

impl View {
    /// Replies by status in the phase: of all requests first, then by name where they differ from the usual one.
    pub fn by_status(&self) -> Vec<(Option<&str>, String)> {
        stats::by_status(&self.total, &self.requests)
    }

    /// Computes every number of the report. O(names × buckets).
    pub fn new(
        evidence: &Evidence<'_>,
        judgement: &Judgement,
        run: RunInfo,
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
        let mut total = Stats::of(&counted.total(Section::Hold), length_s, Some(evidence.batches.total()));
        total.withhold(judgement.withheld.iter().filter(|one| one.request.is_none()));
        let mut requests = request_rows(counted, catalog, evidence.batches, length_s);
        for (name, stats) in &mut requests {
            stats.withhold(judgement.withheld.iter().filter(|one| one.request.as_ref() == Some(name)));
        }
        Self {
            verdict: judgement.verdict,
            ending: match (&evidence.injector.aborted, evidence.injector.interrupted) {
                (Some(_), _) => Ending::Aborted,
                (None, true) => Ending::Interrupted,
                (None, false) => Ending::Complete,
            },
            reasons: judgement.reasons.clone(),
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
            connections: Connections::of(counted, &whole, (connection_policy(plan), kept(plan))),
            total,
            requests,
            withheld: judgement.withheld.clone(),
            scenarios: scenario_rows(counted, catalog, length_s),
            transactions: groups::transactions(counted, catalog, length_s),
            pages: groups::pages(counted, catalog, length_s),
            transitions: groups::transitions(counted, catalog, length_s),
            locations: groups::locations(counted, catalog, length_s),
            background: background(plan).map(|scenario| scenario.name.clone()).collect(),
            answer: judgement.answer.clone(),
            compress: plan.compress,
            steadiness: judgement.steadiness.clone(),
            effects: judgement.effects.clone(),
            observed: observed::rows(evidence.observed),
            checks: check_rows(counted, catalog),
            thresholds: judgement.thresholds.clone(),
            gates: judgement.gates.clone(),
            problems: problems::collect(&whole, catalog, failures),
            injector: injector(evidence, counted),
            series,
            stages: shape::spans(&plan.stages, evidence.end),
            policy: policy(plan),
            events,
            limits_hit: limits_hit(catalog, &whole, evidence.readings.left_out),
            breakdown: Breakdown::default(),
            hosts: hosts::hosts(evidence, (start, end)),
            log_errors: logs::errors(evidence, (start, end)),
            diagnosis: diagnose(evidence),
            watches: plan.observe.iter().any(|one| matches!(one, Observed::Source(_))),
            likeness: None,
            report_path: None,
            run,
        }
    }

    /// What a verdict is read with when the run did not come to its end: `interrupted after 3 s of 60 s`.
    pub fn incomplete(&self) -> Option<String> {
        let word = match self.ending {
            Ending::Complete => return None,
            Ending::Interrupted => "interrupted",
            Ending::Aborted => "ended early by a condition",
            Ending::CutOff => "cut off",
            Ending::Running => "still running",
        };
        let planned = self.planned_s.map_or_else(String::new, |planned_s| format!(" of {}", number::span(planned_s)));
        Some(format!("{word} after {}{planned}", number::span(self.duration_s)))
    }

    /// What a verdict is read with when the run was shorter than written: `compressed 60 x`.
    pub fn compressed(&self) -> Option<String> {
        (self.compress > 1.0).then(|| format!("compressed {} x", number::digits(self.compress)))
    }

    /// Heading of the run: its name, or the target when it has none.
    pub fn title(&self) -> &str {
        if self.run.name.is_empty() { &self.run.target } else { &self.run.name }
    }
}

/// The scenarios that run beside the mix.
fn background(plan: &Plan) -> impl Iterator<Item = &Scenario> {
    plan.background.iter().filter_map(|background| plan.scenarios.get(background.scenario))
}

/// The findings of an answer that say more than its headline.
pub fn findings(answer: &Answer) -> impl Iterator<Item = &Finding> {
    answer.findings.iter().filter(|finding| finding.text != answer.headline)
}

fn per_s(count: u64, length_s: f64) -> Option<f64> {
    (length_s > 0.0).then(|| count as f64 / length_s)
}

fn request_rows(counted: &Aggregate, catalog: &Catalog, batches: &Batches, length_s: f64) -> Vec<(String, Stats)> {
    let rows = counted.requests(Section::Hold).filter(|(_, stats)| !stats.is_empty());
    let row = |(id, stats)| (catalog.requests.name(id).to_owned(), Stats::of(stats, length_s, batches.request(id)));
    let mut rows: Vec<_> = rows.map(row).collect();
    rows.sort_by(|a, b| {
        let by_name = || hop(&a.0).cmp(&hop(&b.0)).then_with(|| a.0.cmp(&b.0));
        b.1.count.cmp(&a.1.count).then_with(by_name)
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
    let row = |(index, name): (usize, &String)| {
        let stats = counted.scenarios.get(Section::Hold, index)?;
        Some(ScenarioRow {
            name: name.clone(),
            iterations: stats.completed,
            failed: stats.failed,
            rate_per_s: per_s(stats.ended_within, length_s),
            iteration_time: Dist::of(&stats.iteration_time),
        })
    };
    catalog.scenarios.iter().enumerate().filter_map(row).collect()
}

fn check_rows(counted: &Aggregate, catalog: &Catalog) -> Vec<CheckRow> {
    let row = |(index, name): (usize, &String)| {
        let stats = counted.checks.get(Section::Hold, index)?;
        (stats.passed + stats.failed > 0).then(|| CheckRow {
            name: name.clone(),
            passed: stats.passed,
            failed: stats.failed,
        })
    };
    catalog.checks.iter().enumerate().filter_map(row).collect()
}

fn injector(evidence: &Evidence<'_>, counted: &Aggregate) -> Injector {
    let facts = evidence.injector;
    let load = counted.load(Section::Hold);
    Injector {
        workers: facts.workers,
        pacing_slack_ns: evidence.plan.slack_of_mix(facts.workers).map(|slack| slack.as_secs_f64() * 1e9),
        cpu_utilization: facts.cpu_utilization_mean,
        cpu_utilization_max: facts.cpu_utilization_max,
        lag: Dist::of(&load.injector_lag),
        pickup_delay: Dist::of(&load.pickup_delay),
        stalled_max_s: facts.stalled_max_s,
        open_files_max: facts.open_files_max,
        ports_used_max: facts.ports_used_max,
        time_wait_max: facts.time_wait_max,
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

fn policy(plan: &Plan) -> Vec<(String, String)> {
    let defaults = &plan.defaults;
    let connection = kept(plan);
    let visitor = match defaults.visitor {
        Visitor::Returning => "returning".to_owned(),
        Visitor::New => "new".to_owned(),
        Visitor::Mixed(share) => format!("{} new", number::share(share)),
    };
    let version = match defaults.version {
        Version::Http10 => "HTTP/1.0",
        Version::Http11 => "HTTP/1.1",
    };
    let workload = match &plan.workload {
        Workload::Open { max_in_flight, .. } => format!("open, at most {max_in_flight} in flight"),
        Workload::Closed { .. } => "closed".to_owned(),
    };
    let timeout = crate::number::span(defaults.timeout.as_secs_f64());
    let pairs = [("workload", workload.as_str()), ("connection", connection), ("visitor", visitor.as_str())];
    let rest = [("version", version), ("timeout", timeout.as_str())];
    let trust = ("tls", "any certificate accepted (--insecure): no proof of anything about trust");
    pairs
        .iter()
        .chain(&rest)
        .chain(defaults.insecure.then_some(&trust))
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

/// `readings_left_out`: readings of figures for which there was no room.
fn limits_hit(catalog: &Catalog, whole: &Aggregate, readings_left_out: u64) -> Vec<String> {
    let pages = catalog.pages.iter().enumerate().filter_map(|(page, name)| {
        let left_out = whole.pages.get(Section::Hold, page)?.left_out;
        let what = format!("page `{name}`: more than {RESOURCES_MAX} resources, {left_out} were not fetched in all");
        (left_out > 0).then_some(what)
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
    names_hit(catalog).into_iter().chain(pages).chain(readings).chain(samples).collect()
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
