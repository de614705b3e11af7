//! The live display: a few lines that replace each other, or one plain line per period.

use nmax_metrics::{Aggregate, Histogram, LatencySet, Nanos, RequestStats, Section, Window};
use nmax_plan::plan::{Plan, Workload};

use super::text::{Ink, Painted, left, shorten, width, wrap};
use super::{COLUMNS_MIN, Glyphs, Style, WIDTH_MIN};
use nmax_analysis::summary::shape;

use crate::number;

/// Hold from which on a run says that it is becoming useless, s.
const WARN_AFTER_S: f64 = 5.0;
/// Part of the p99 of response times that injector lag may be, as gate G3 has it.
const LAG_SHARE_MAX: f64 = 0.1;

/// The hold of a run in progress, as far as it has come: whether its injector was on time.
#[derive(Clone, Debug, Default)]
pub struct HoldSoFar {
    length_s: f64,
    response: Histogram,
    lag: Histogram,
}

impl HoldSoFar {
    /// Adds a window, merged over workers.
    pub fn push(&mut self, window: &Window) {
        let (load, total) = (window.aggregate.load(Section::Hold), window.aggregate.total(Section::Hold));
        if load.started > 0 || total.count() > 0 {
            self.length_s += window.width.as_secs_f64();
        }
        self.response.merge(&total.latencies().response);
        self.lag.merge(&load.injector_lag);
    }

    /// What a person should know before the end: that the injector is late by more than a tenth of the p99.
    pub fn warning(&self) -> Option<String> {
        let (lag, response) = (self.lag.quantile_ns(0.99)? as f64, self.response.quantile_ns(0.99)? as f64);
        let is_late = self.length_s >= WARN_AFTER_S && lag > LAG_SHARE_MAX * response;
        is_late
            .then(|| format!("injector late so far: {} of p99 {} are ours", number::time(lag), number::time(response)))
    }
}

/// The last windows of a run in progress.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveView {
    elapsed_s: f64,
    /// Planned length, seconds; `None` when it is not known in advance.
    pub total_s: Option<f64>,
    /// Stage of the plan at the end of the last window.
    pub stage: &'static str,
    is_open: bool,
    /// Mean level of the plan: iterations per second (open) or virtual users (closed).
    pub intended: Option<f64>,
    /// Iterations started per second.
    pub started_per_s: Option<f64>,
    completed_per_s: Option<f64>,
    /// Mean of iterations.
    in_flight: Option<f64>,
    /// Exchanges.
    pub count: u64,
    /// (failed + errors) / count
    failure_rate: Option<f64>,
    /// Due iterations that never started.
    dropped: u64,
    /// Times, ns, each with the words before it.
    times_ns: [(&'static str, Option<u64>); 5],
    /// Exchanges ended, per window, oldest first.
    pub history: Vec<u64>,
    /// What spoils the run so far, of [`HoldSoFar::warning`].
    pub warning: Option<String>,
}

impl LiveView {
    /// From the last windows, oldest first, of equal width and merged over workers; `elapsed_s` is since the beginning of
    /// the run, `total_s` its planned length.
    pub fn new(plan: &Plan, elapsed_s: f64, total_s: Option<f64>, windows: &[Window]) -> Self {
        let mut sum = Aggregate::default();
        windows.iter().for_each(|window| sum.merge(&window.aggregate));
        let sum = sum.whole();
        let (load, total) = (sum.load(Section::Hold), sum.total(Section::Hold));
        let latencies: LatencySet = total.latencies();
        let covered_s: f64 = windows.iter().map(|window| window.width.as_secs_f64()).sum();
        let per_s = |n: f64| (covered_s > 0.0).then(|| n / covered_s);
        let start = windows.first().map_or(Nanos::ZERO, Window::start);
        let end = windows.last().map_or(Nanos::ZERO, Window::end);
        let stages = shape::spans(&plan.stages, Nanos::MAX);
        let at_s = end.as_secs_f64();
        let stage = stages.iter().find(|span| at_s <= span.end_s).map_or("drain", |span| span.name);
        Self {
            elapsed_s,
            total_s,
            stage,
            is_open: matches!(plan.workload, Workload::Open { .. }),
            intended: (end > start).then(|| shape::mean_level(&plan.stages, start, end)),
            started_per_s: per_s(load.started as f64),
            completed_per_s: per_s(total.count() as f64),
            in_flight: per_s(load.in_flight_ns as f64 / 1e9),
            count: total.count(),
            failure_rate: total.failure_rate(),
            dropped: load.dropped().total(),
            times_ns: [
                ("response p50", latencies.response.quantile_ns(0.5)),
                (" p95", latencies.response.quantile_ns(0.95)),
                (" p99", latencies.response.quantile_ns(0.99)),
                (", service p95", latencies.service.quantile_ns(0.95)),
                (", lag p99", latencies.send_lag.quantile_ns(0.99)),
            ],
            history: windows.iter().map(|window| completed(&window.aggregate)).collect(),
            warning: None,
        }
    }
}

fn completed(aggregate: &Aggregate) -> u64 {
    let sections = Section::ALL.iter().flat_map(|section| aggregate.requests(*section));
    sections.map(|(_, stats): (_, &RequestStats)| stats.count()).sum()
}

/// The display: always the same number of lines, one more beside a warning, none wider than `style.width`. Below
/// [`WIDTH_MIN`] texts are wrapped and not shortened, so that the number of lines varies.
pub fn progress(live: &LiveView, style: Style) -> Vec<Painted> {
    let columns = style.width.max(COLUMNS_MIN);
    let is_narrow = columns < WIDTH_MIN;
    let fit = |text: &str| if is_narrow { wrap(text, columns) } else { vec![shorten(text, columns)] };
    let inked = |text: &str, ink| Painted::inked(text, ink, style.color);
    let painted = |text: &str, ink| fit(text).into_iter().map(move |line| inked(&line, ink));
    let clock = match live.total_s {
        Some(total_s) => format!("{} of {}", number::span(live.elapsed_s), number::span(total_s)),
        None => number::span(live.elapsed_s),
    };
    let stage = match is_narrow {
        true => shorten(&format!("{} {clock}", live.stage), columns),
        false => format!("{} {clock}", left(live.stage, 9)),
    };
    let room = columns.saturating_sub(width(&stage) + 2);
    let bar = live.total_s.map_or_else(String::new, |total_s| bar(live.elapsed_s / total_s.max(1e-9), room.min(40)));
    let failing = live.failure_rate.is_some_and(|rate| rate > 0.0);
    let symbol = if failing { "✗" } else { "✓" };
    let failures = format!("{symbol} {} failed", number::share_or_unknown(live.failure_rate));
    let dropped = if live.dropped > 0 { format!("  ! {} dropped", number::count(live.dropped)) } else { String::new() };
    let rate = left(&number::rate_or_unknown(live.completed_per_s), 9);
    let spark = sparkline(&live.history, columns.saturating_sub(if is_narrow { width(&rate) + 1 } else { 26 }).min(60));
    let ink = if failing { Ink::Bad } else { Ink::Good };
    let mut lines = vec![Painted::from(stage + "  ") + inked(&bar, Ink::Accent)];
    lines.extend(fit(&load_text(live)).into_iter().map(Painted::from));
    lines.extend(fit(&times_text(live)).into_iter().map(Painted::from));
    lines.extend(painted(&format!("{failures}{dropped}"), ink));
    lines.push(Painted::from(rate + " ") + inked(&spark, Ink::Accent));
    lines.extend(live.warning.iter().flat_map(|text| painted(&format!("! {text}"), Ink::Warning)));
    lines.iter_mut().for_each(Painted::trim_end);
    lines
}

/// One line for logs: no color, no control characters, not bound to a width.
pub fn plain_line(live: &LiveView) -> String {
    let total = live.total_s.map_or_else(String::new, |total_s| format!("/{}", number::span(total_s)));
    let dropped = if live.dropped > 0 { format!(", {} dropped", live.dropped) } else { String::new() };
    let warning = live.warning.as_ref().map_or_else(String::new, |text| format!("; ! {text}"));
    format!(
        "{}{total} {}: {}; {}; failed {}{dropped}{warning}",
        number::span(live.elapsed_s),
        live.stage,
        load_text(live),
        times_text(live),
        number::share_or_unknown(live.failure_rate),
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
    format!("iterations {intended}, in flight {in_flight}")
}

fn times_text(live: &LiveView) -> String {
    let time = |(words, ns): &(&str, _)| format!("{words} {}", number::time_or_unknown(*ns).replace(' ', ""));
    live.times_ns.iter().map(time).collect()
}

fn bar(share: f64, columns: usize) -> String {
    let filled = ((share.clamp(0.0, 1.0) * columns as f64).round() as usize).min(columns);
    "█".repeat(filled) + &"░".repeat(columns - filled)
}

/// The last values that fit, scaled from zero to their maximum.
fn sparkline(values: &[u64], columns: usize) -> String {
    let shown = &values[values.len().saturating_sub(columns)..];
    let max = shown.iter().copied().max().unwrap_or(0).max(1);
    let bars = Glyphs::Unicode.heights();
    let spark = |value: &u64| bars[(u128::from(*value) * 7).div_ceil(u128::from(max)).min(7) as usize];
    shown.iter().map(spark).collect()
}
