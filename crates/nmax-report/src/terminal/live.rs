//! What a run shows while it goes on: the last seconds, and all of it so far.
//!
//! # Layout
//! - this file: what is known, from windows and sums; the plain line for logs
//! - `panel`: the lines that a terminal shows, which replace each other

use nmax_analysis::Reason;
use nmax_metrics::{Aggregate, Catalog, Histogram, LatencySet, Nanos, RequestStats, Section, Window};
use nmax_plan::plan::{Plan, Workload};

use nmax_analysis::summary::shape;

use crate::number;

mod panel;

pub use panel::{Keys, Room, panel};

/// Most rows of the distribution of response times.
const SPREAD_ROWS_MAX: usize = 8;
/// Numbers within a power of ten at which rows of the distribution end: the first of these that needs no more rows than
/// there are.
const SPREAD_STEPS: [&[u64]; 3] = [&[10, 12, 15, 20, 25, 30, 40, 50, 60, 80], &[10, 20, 50], &[10]];
/// Share of the response times below the first row's end at least, and above the last but one at most.
const SPREAD_TAIL: f64 = 0.01;
/// Most kinds of failures that are named.
const KINDS_MAX: usize = 4;

/// All of a run so far.
#[derive(Clone, Copy, Debug)]
pub struct SoFar<'a> {
    /// The sum of all windows.
    pub totals: &'a Aggregate,
    /// The names behind its numbers.
    pub catalog: &'a Catalog,
    /// What spoils the run, by the gates of its judgement.
    pub reasons: &'a [Reason],
}

/// A run in progress.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveView {
    elapsed_s: f64,
    /// Planned length, seconds; `None` when it is not known in advance.
    pub total_s: Option<f64>,
    /// Stage of the plan at the end of the last window.
    pub stage: &'static str,
    /// The stage after it, and how long until then, seconds.
    pub next: Option<(&'static str, f64)>,
    is_open: bool,
    /// Mean level of the plan: iterations per second (open) or virtual users (closed).
    pub intended: Option<f64>,
    /// Iterations started per second.
    pub started_per_s: Option<f64>,
    completed_per_s: Option<f64>,
    /// Mean of iterations.
    in_flight: Option<f64>,
    /// Exchanges in the last windows.
    pub count: u64,
    /// Of the last windows: response and service times, and lag.
    latencies: LatencySet,
    /// Exchanges ended, per window, oldest first.
    pub history: Vec<u64>,
    /// (failed + errors) / count, of all so far.
    failure_rate: Option<f64>,
    /// Due iterations that never started, so far.
    dropped: u64,
    /// Replies by status, so far.
    pub status: String,
    /// Kinds of failures and errors so far, the most frequent first.
    pub failures: Vec<(String, u64)>,
    /// Response times so far: the end of each row, ns, `None` of the last, and how many are in it.
    pub spread: Vec<(Option<u64>, u64)>,
    /// What spoils the run so far.
    pub warnings: Vec<String>,
}

impl LiveView {
    /// From the last windows, oldest first, of equal width and merged over workers, and all of the run so far.
    ///
    /// - `elapsed_s`, `total_s`: since the beginning of the run, and its planned length
    pub fn new(plan: &Plan, (elapsed_s, total_s): (f64, Option<f64>), windows: &[Window], so_far: SoFar<'_>) -> Self {
        let mut sum = Aggregate::default();
        windows.iter().for_each(|window| sum.merge(&window.aggregate));
        let sum = sum.whole();
        let (load, total) = (sum.load(Section::Hold), sum.total(Section::Hold));
        let covered_s: f64 = windows.iter().map(|window| window.width.as_secs_f64()).sum();
        let per_s = |n: f64| (covered_s > 0.0).then(|| n / covered_s);
        let start = windows.first().map_or(Nanos::ZERO, Window::start);
        let end = windows.last().map_or(Nanos::ZERO, Window::end);
        let stages = shape::spans(&plan.stages, Nanos::MAX);
        let at_s = end.as_secs_f64();
        let now = stages.iter().position(|span| at_s <= span.end_s);
        let next = now.and_then(|now| Some((stages.get(now + 1)?.name, stages[now].end_s - at_s)));
        let mut all = so_far.totals.total(Section::Hold);
        all.merge(&so_far.totals.total(Section::Outside));
        let dropped = Section::ALL.iter().map(|section| so_far.totals.load(*section).dropped().total()).sum();
        Self {
            elapsed_s,
            total_s,
            stage: now.map_or("drain", |now| stages[now].name),
            next,
            is_open: matches!(plan.workload, Workload::Open { .. }),
            intended: (end > start).then(|| shape::mean_level(&plan.stages, start, end)),
            started_per_s: per_s(load.started as f64),
            completed_per_s: per_s(total.count() as f64),
            in_flight: per_s(load.in_flight_ns as f64 / 1e9),
            count: total.count(),
            latencies: total.latencies(),
            history: windows.iter().map(|window| completed(&window.aggregate)).collect(),
            failure_rate: all.failure_rate(),
            dropped,
            status: status(&all),
            failures: failures(so_far),
            spread: spread(&all.latencies().response),
            warnings: so_far.reasons.iter().map(warning).collect(),
        }
    }
}

fn completed(aggregate: &Aggregate) -> u64 {
    let sections = Section::ALL.iter().flat_map(|section| aggregate.requests(*section));
    sections.map(|(_, stats): (_, &RequestStats)| stats.count()).sum()
}

/// `200 9,812 · 302 120 · no reply 3`
fn status(all: &RequestStats) -> String {
    let mut replies: Vec<_> = all.status.iter().filter(|(_, count)| *count > 0).collect();
    replies.sort();
    let of_status = replies.into_iter().map(|(status, count)| format!("{status} {}", number::count(*count)));
    let none = (all.errors() > 0).then(|| format!("no reply {}", number::count(all.errors())));
    of_status.chain(none).collect::<Vec<_>>().join(" · ")
}

fn failures(so_far: SoFar<'_>) -> Vec<(String, u64)> {
    let table = &so_far.totals.failures;
    let count = |number| -> u64 {
        let of = |section: &Section| table.get(*section, number).map_or(0, |stats| stats.count);
        Section::ALL.iter().map(of).sum()
    };
    let all = so_far.catalog.failures.iter().enumerate().map(|(number, kind)| (kind.clone(), count(number)));
    let mut kinds: Vec<_> = all.filter(|(_, count)| *count > 0).collect();
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    kinds
}

fn warning(reason: &Reason) -> String {
    let so_far = if reason.decides { "INVALID so far" } else { "so far" };
    format!("{so_far}: {} [{}]", reason.text, reason.code)
}

/// Counts of response times in rows that end at round numbers. The rows reach from where the shortest are to where all but
/// the longest are; those are in the first and the last row.
fn spread(times: &Histogram) -> Vec<(Option<u64>, u64)> {
    let (Some(low), Some(high)) = (times.quantile_ns(SPREAD_TAIL), times.quantile_ns(1.0 - SPREAD_TAIL)) else {
        return Vec::new();
    };
    let mut ends = Vec::new();
    for steps in SPREAD_STEPS {
        let all = (2..13).flat_map(|power| steps.iter().map(move |step| step * 10_u64.pow(power)));
        ends = all.skip_while(|end| *end < low).collect();
        ends.truncate(ends.iter().position(|end| *end >= high).map_or(ends.len(), |last| last + 1));
        if ends.len() < SPREAD_ROWS_MAX {
            break;
        }
    }
    let excess = ends.len().saturating_sub(SPREAD_ROWS_MAX - 1);
    let mut rows: Vec<(Option<u64>, u64)> = ends.drain(excess..).map(|end| (Some(end), 0)).chain([(None, 0)]).collect();
    for (_, value, count) in times.recorded() {
        let row = rows.iter_mut().find(|(end, _)| end.is_none_or(|end| value <= end));
        row.expect("the last row has no end").1 += count;
    }
    rows
}

/// One line for logs: no color, no control characters, not bound to a width.
pub fn plain_line(live: &LiveView) -> String {
    let total = live.total_s.map_or_else(String::new, |total_s| format!("/{}", number::span(total_s)));
    let warnings: String = live.warnings.iter().map(|text| format!("; ! {text}")).collect();
    let status = if live.status.is_empty() { String::new() } else { format!("; status {}", live.status) };
    format!(
        "{}{total} {}: iterations {}; response {}{}; service {}{status}; {}{warnings}",
        number::span(live.elapsed_s),
        live.stage,
        load_text(live),
        response_text(live),
        longest_text(live),
        service_text(live),
        failure_text(live),
    )
}

fn load_text(live: &LiveView) -> String {
    let started = number::rate_or_unknown(live.started_per_s);
    let intended = match live.intended {
        Some(rate) if live.is_open => format!("{started} of {}", number::rate(rate)),
        Some(vus) => format!("{started}, {} VUs", number::digits(vus)),
        None => started,
    };
    let in_flight = live.in_flight.map_or_else(|| number::UNKNOWN.into(), number::digits);
    format!("{intended}, in flight {in_flight}")
}

fn time(word: &str, ns: Option<u64>) -> String {
    format!("{word} {}", number::time_or_unknown(ns).replace(' ', ""))
}

fn response_text(live: &LiveView) -> String {
    let times = &live.latencies.response;
    let of = [("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99)];
    of.map(|(word, q)| time(word, times.quantile_ns(q))).join(" ")
}

fn longest_text(live: &LiveView) -> String {
    time(" max", live.latencies.response.max_ns())
}

fn service_text(live: &LiveView) -> String {
    let LatencySet { service, send_lag, .. } = &live.latencies;
    format!("{}, {}", time("p95", service.quantile_ns(0.95)), time("lag p99", send_lag.quantile_ns(0.99)))
}

/// How much failed so far, and of what kinds.
fn failure_text(live: &LiveView) -> String {
    let kinds = live.failures.iter().take(KINDS_MAX);
    let mut kinds: Vec<String> = kinds.map(|(kind, count)| format!("{kind} {}", number::count(*count))).collect();
    let more = live.failures.len().saturating_sub(KINDS_MAX);
    kinds.extend((more > 0).then(|| format!("{more} more")));
    let kinds = if kinds.is_empty() { String::new() } else { format!(": {}", kinds.join(" · ")) };
    let dropped = if live.dropped > 0 { format!(", {} dropped", number::count(live.dropped)) } else { String::new() };
    format!("{} failed{dropped}{kinds}", number::share_or_unknown(live.failure_rate))
}
