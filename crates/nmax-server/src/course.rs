//! A run, or a part of it, over time: windows and readings become lines.
//!
//! Live frames are made by the same functions of one window, so a line goes on with what it would have had.

use nmax_analysis::series::heat_row_low_ns;
use nmax_analysis::summary::{hosts_of, shape};
use nmax_analysis::{Bin, SeriesBuilder};
use nmax_metrics::{
    Aggregate, Catalog, Code, ErrorKind, Histogram, LatencySet, NameId, Nanos, Readings, RequestStats, Section, Window,
};
use nmax_plan::plan::{INJECTOR, Plan, Workload};
use nmax_plan::schedule;

use crate::api;

/// Most parts that a course is told apart into.
const PARTS_MAX: usize = 12;
/// Fewest points that are worth looking at: by wider windows than these, nothing is read.
const POINTS_MIN: u64 = 120;

/// By what exchanges are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    Request,
    Status,
    Tag,
    Location,
}

impl By {
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "request" => Some(Self::Request),
            "status" => Some(Self::Status),
            "tag" => Some(Self::Tag),
            "location" => Some(Self::Location),
            _ => None,
        }
    }
}

/// What is known of a run besides its windows.
pub(crate) struct Of<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) catalog: &'a Catalog,
}

/// The width of windows by which a span is read: the widest that leaves enough points.
pub(crate) fn width_of(span: Nanos, window: Nanos) -> Nanos {
    let widths = nmax_metrics::rollup::ROLLUPS.iter().map(|(width, _)| *width);
    widths
        .rev()
        .find(|width| width.0 * POINTS_MIN <= span.0 && width.0.is_multiple_of(window.0.max(1)))
        .unwrap_or(window)
}

/// Lines of a span of a run, made of its windows and readings in order.
pub(crate) struct Builder<'a> {
    of: Of<'a>,
    span: (Nanos, Nanos),
    points: usize,
    /// The only exchanges that count.
    filter: Option<(By, String)>,
    all: Option<SeriesBuilder>,
    /// Exchanges told apart.
    split: Option<By>,
    parts: Vec<(String, SeriesBuilder)>,
    readings: Readings,
    width: Nanos,
}

impl<'a> Builder<'a> {
    /// - `by`: with a value, only these exchanges count; without, each value has lines of its own
    pub(crate) fn new(of: Of<'a>, span: (Nanos, Nanos), points: usize, by: Option<(By, Option<String>)>) -> Self {
        let filter = by.clone().and_then(|(by, value)| Some((by, value?)));
        let split = by.and_then(|(by, value)| value.is_none().then_some(by));
        let length = span.1.since(span.0);
        let readings = Readings::with_width(Nanos((length.0 / points.max(1) as u64).max(1_000_000_000)));
        Self { of, span, points, filter, all: None, split, parts: Vec::new(), readings, width: Nanos::ZERO }
    }

    /// The names behind ids grow while a run goes on.
    pub(crate) fn window(&mut self, window: &Window, catalog: &Catalog) {
        let (from, until) = self.span;
        if window.start() < from || window.start() >= until || window.width == Nanos::ZERO {
            return;
        }
        if self.width == Nanos::ZERO {
            self.width = window.width;
        }
        // Bins count from the beginning of the span.
        let index = window.index - from.0.div_ceil(window.width.0);
        let length = Nanos(until.0 - from.0);
        let new = || SeriesBuilder::in_order(length, self.points);
        let aggregate = match &self.filter {
            Some((by, value)) => only(&window.aggregate, &Of { plan: self.of.plan, catalog }, *by, value),
            None => window.aggregate.clone(),
        };
        self.all.get_or_insert_with(new).push(&Window { index, width: window.width, aggregate });
        let Some(by) = self.split else { return };
        let of = Of { plan: self.of.plan, catalog };
        for value in values(&window.aggregate, &of, by) {
            if !self.parts.iter().any(|(known, _)| *known == value) {
                if self.parts.len() >= PARTS_MAX {
                    continue;
                }
                self.parts.push((value.clone(), SeriesBuilder::in_order(length, self.points)));
            }
        }
        for (value, builder) in &mut self.parts {
            let aggregate = only(&window.aggregate, &of, by, value);
            builder.push(&Window { index, width: window.width, aggregate });
        }
    }

    pub(crate) fn reading(&mut self, reading: &nmax_metrics::Reading) {
        let (from, until) = self.span;
        let mut resource = reading.resource.clone();
        if !resource.value.is_finite() || resource.at < from || resource.at >= until {
            return;
        }
        resource.at = Nanos(resource.at.0 - from.0);
        if resource.host == nmax_analysis::fold::LOCAL {
            resource.host = INJECTOR.into();
        }
        self.readings.push_bin(&resource, &reading.bin);
    }

    /// The course; `events` in the order of time.
    pub(crate) fn finish(self, events: Vec<api::Event>) -> api::Course {
        let from_s = self.span.0.as_secs_f64();
        let bins = self.all.as_ref().map(|builder| builder.finish().bins).unwrap_or_default();
        let starts_s: Vec<f64> = bins.iter().map(|bin| from_s + bin.start_s).collect();
        let mut lines = Vec::new();
        if self.split.is_none() {
            let level = |bin: &Bin| shape::bin_level(&self.of.plan.stages, from_s + bin.start_s, bin.width_s);
            lines = self::lines(&bins, is_open(self.of.plan), self.filter.is_none(), level);
        }
        for (value, builder) in &self.parts {
            lines.extend(part_lines(value, &builder.finish().bins, bins.len()));
        }
        if self.filter.is_none() && self.split.is_none() {
            let end = Nanos(self.span.1.0 - self.span.0.0);
            lines.extend(host_lines(&self.readings, end, &bins));
        }
        api::Course {
            from_s,
            until_s: self.span.1.as_secs_f64(),
            width_s: bins.first().map_or(self.width.as_secs_f64(), |bin| bin.width_s),
            starts_s,
            lines,
            heat: heat(&bins),
            events,
            stages: stages(self.of.plan),
        }
    }
}

pub(crate) fn is_open(plan: &Plan) -> bool {
    matches!(plan.workload, Workload::Open { .. })
}

/// The stages of a plan on the time axis.
pub(crate) fn stages(plan: &Plan) -> Vec<api::Stage> {
    let phases = schedule::phases(&plan.stages).into_iter().zip(&plan.stages);
    phases
        .map(|(phase, stage)| api::Stage {
            kind: match phase.kind {
                schedule::StageKind::WarmUp => api::StageKind::WarmUp,
                schedule::StageKind::RampUp => api::StageKind::RampUp,
                schedule::StageKind::Hold => api::StageKind::Hold,
                schedule::StageKind::RampDown => api::StageKind::RampDown,
            },
            from_s: Nanos(phase.span.start_ns).as_secs_f64(),
            until_s: phase.span.end_ns.map(|end_ns| Nanos(end_ns).as_secs_f64()),
            from_level: stage.from,
            to_level: stage.to,
        })
        .collect()
}

/// A panel and a line of it, with its value in a bin.
type Drawn = (&'static str, &'static str, &'static str, &'static str, &'static str, fn(&Bin) -> Option<f64>);

fn ms(ns: Option<u64>) -> Option<f64> {
    ns.map(|ns| ns as f64 / 1e6)
}

/// Id, panel, its title, the line's name, its unit, its value. The first two are of iterations, which no filter tells apart.
const LINES: [Drawn; 11] = [
    ("started", "rate", "Iterations per second", "started", "1/s", |bin| Some(bin.started_per_s)),
    ("in_flight", "in_flight", "Iterations in flight", "in flight", "count", |bin| Some(bin.in_flight)),
    ("ok", "throughput", "Exchanges per second", "ok", "1/s", |bin| Some(bin.ok_per_s)),
    ("failed", "throughput", "Exchanges per second", "failed", "1/s", |bin| Some(bin.failed_per_s)),
    ("errors", "throughput", "Exchanges per second", "no reply", "1/s", |bin| Some(bin.errors_per_s)),
    ("p50", "response", "Response time", "p50", "ms", |bin| ms(bin.response.p50)),
    ("p95", "response", "Response time", "p95", "ms", |bin| ms(bin.response.p95)),
    ("p99", "response", "Response time", "p99", "ms", |bin| ms(bin.response.p99)),
    ("max", "response", "Response time", "max", "ms", |bin| ms(bin.response.max)),
    ("lag_p99", "lag", "Send lag", "p99", "ms", |bin| ms(bin.send_lag.p99)),
    ("bytes", "bytes", "Bytes received", "received", "bytes/s", |bin| Some(bin.bytes_per_s)),
];

/// Of how many of [`LINES`] a filter says nothing.
const OF_ITERATIONS: usize = 2;

/// Lines of bins.
fn lines(bins: &[Bin], is_open: bool, is_whole: bool, level: impl Fn(&Bin) -> Option<f64>) -> Vec<api::Line> {
    let mut lines = Vec::new();
    if is_whole {
        let (panel, panel_title, title, unit) = match is_open {
            true => ("rate", "Iterations per second", "intended", "1/s"),
            false => ("in_flight", "Iterations in flight", "virtual users", "count"),
        };
        let values = bins.iter().map(level).collect();
        lines.push(line("intended", panel, panel_title, title, unit, values));
    }
    for (id, panel, panel_title, title, unit, value) in &LINES[if is_whole { 0 } else { OF_ITERATIONS }..] {
        lines.push(line(id, panel, panel_title, title, unit, bins.iter().map(value).collect()));
    }
    for kind in ErrorKind::ALL {
        let count = |bin: &Bin| bin.error_kinds[kind.index()];
        if bins.iter().any(|bin| count(bin) > 0) {
            let values = bins.iter().map(|bin| Some(count(bin) as f64 / bin.width_s)).collect();
            lines.push(line(
                &format!("error {}", kind.name()),
                "errors",
                "No reply, by kind",
                kind.name(),
                "1/s",
                values,
            ));
        }
    }
    lines
}

fn line(id: &str, panel: &str, panel_title: &str, title: &str, unit: &str, values: Vec<Option<f64>>) -> api::Line {
    let values = values.into_iter().map(|value| value.filter(|value| value.is_finite())).collect();
    let text = str::to_owned;
    api::Line {
        id: text(id),
        panel: text(panel),
        panel_title: text(panel_title),
        title: text(title),
        unit: text(unit),
        values,
    }
}

/// Rate and response time of one of several parts.
fn part_lines(value: &str, bins: &[Bin], count: usize) -> [api::Line; 2] {
    let padded = |of: fn(&Bin) -> Option<f64>| {
        let mut values: Vec<Option<f64>> = bins.iter().map(of).collect();
        values.resize(count, None);
        values
    };
    [
        line(
            &format!("rate {value}"),
            "split_rate",
            "Exchanges per second",
            value,
            "1/s",
            padded(|bin| Some(bin.completed_per_s)),
        ),
        line(
            &format!("p95 {value}"),
            "split_p95",
            "Response time, p95",
            value,
            "ms",
            padded(|bin| ms(bin.response.p95)),
        ),
    ]
}

/// What was read of hosts, at the bins of the course.
fn host_lines(readings: &Readings, end: Nanos, bins: &[Bin]) -> Vec<api::Line> {
    let mut lines = Vec::new();
    for host in hosts_of(readings, &[INJECTOR], (Nanos::ZERO, end), end) {
        let name = if host.name == INJECTOR { "this host" } else { &host.name };
        for panel in host.panels {
            let panel_id = format!("host {} {}", host.name, panel.title);
            let panel_title = format!("{name}: {}", panel.title);
            for of in panel.lines {
                let id = format!("{panel_id} {}", of.name);
                let values = resampled(&of.points, bins);
                lines.push(line(&id, &panel_id, &panel_title, &of.name, unit(&panel.unit), values));
            }
        }
    }
    lines
}

fn unit(unit: &str) -> &str {
    match unit {
        "bytes per s" => "bytes/s",
        "per s" => "1/s",
        unit => unit,
    }
}

/// The mean of the points within each bin; a bin without one has that of the point that it follows by less than its width.
fn resampled(points: &[(f64, Option<f64>)], bins: &[Bin]) -> Vec<Option<f64>> {
    let mut points = points.iter().peekable();
    let mut values = Vec::new();
    let mut last: Option<(f64, f64)> = None;
    for bin in bins {
        let (mut sum, mut count) = (0.0, 0_u32);
        while let Some((at, value)) = points.next_if(|(at, _)| *at < bin.start_s + bin.width_s) {
            match value {
                Some(value) if *at >= bin.start_s => (sum, count) = (sum + value, count + 1),
                _ => {}
            }
            last = value.map(|value| (*at, value)).or(last);
        }
        let carried = last.filter(|(at, _)| bin.start_s - at <= (2.0 * bin.width_s).max(2.5)).map(|(_, value)| value);
        values.push(if count > 0 { Some(sum / f64::from(count)) } else { carried });
    }
    values
}

/// Rows of the heat map from the lowest to the highest that has an exchange.
fn heat(bins: &[Bin]) -> api::Heat {
    let rows = || bins.iter().flat_map(|bin| bin.heat.iter().enumerate().filter(|(_, count)| **count > 0));
    let first = rows().map(|(row, _)| row).min().unwrap_or(0);
    let end = rows().map(|(row, _)| row + 1).max().unwrap_or(first);
    api::Heat {
        edges_ms: (first..=end).map(|row| heat_row_low_ns(row) / 1e6).collect(),
        columns: bins.iter().map(|bin| bin.heat.get(first..end).unwrap_or_default().to_vec()).collect(),
    }
}

/// One window of a running run as the values of the lines of its course; `recent` is what was read of hosts lately.
pub(crate) fn frame(plan: &Plan, window: &Window, recent: &[nmax_metrics::Reading], end: Option<Nanos>) -> api::Frame {
    let mut one = SeriesBuilder::new(window.width, 1);
    one.push(&Window { index: 0, width: window.width, aggregate: window.aggregate.clone() });
    let bins = one.finish().bins;
    let start_s = window.start().as_secs_f64();
    let level = |bin: &Bin| shape::bin_level(&plan.stages, start_s, bin.width_s);
    let mut all = lines(&bins, is_open(plan), true, level);
    // Readings of the last seconds, which end with the window.
    const BEFORE: Nanos = Nanos::from_secs(5);
    let base = Nanos(window.end().0.saturating_sub(BEFORE.0));
    let mut readings = Readings::with_width(Nanos::from_secs(1));
    for reading in recent.iter().filter(|reading| reading.resource.at >= base && reading.resource.value.is_finite()) {
        let mut resource = reading.resource.clone();
        resource.at = Nanos(resource.at.0 - base.0);
        if resource.host == nmax_analysis::fold::LOCAL {
            resource.host = INJECTOR.into();
        }
        readings.push(&resource);
    }
    let length_s = window.end().since(base).as_secs_f64();
    let last = [Bin { start_s: 0.0, width_s: length_s + 1.0, ..Bin::default() }];
    all.extend(host_lines(&readings, window.end().since(base) + Nanos::from_secs(1), &last));
    let api::Heat { edges_ms, mut columns } = heat(&bins);
    api::Frame {
        start_s,
        width_s: window.width.as_secs_f64(),
        values: all.into_iter().map(|mut line| (line.id, line.values.pop().flatten())).collect(),
        heat: columns.pop().unwrap_or_default(),
        heat_edges_ms: edges_ms,
        level_now: shape::mean_level(&plan.stages, window.start(), window.end()),
        planned_end_s: end.map(Nanos::as_secs_f64),
        next: next(plan, window.end()),
    }
}

/// What the plan does next.
fn next(plan: &Plan, now: Nanos) -> String {
    let stages = stages(plan);
    let at_s = now.as_secs_f64();
    let unit = if is_open(plan) { "/s" } else { " virtual users" };
    let level = |level: f64| format!("{}{unit}", nmax_report::number::digits(level));
    let place = stages.iter().position(|stage| stage.until_s.is_none_or(|until_s| at_s < until_s));
    let Some(place) = place else { return "requests under way end".into() };
    let Some(until_s) = stages[place].until_s else {
        return format!("{} until it is stopped", level(stages[place].to_level));
    };
    let left = nmax_report::number::span((until_s - at_s).max(0.0));
    match stages.get(place + 1) {
        Some(stage) if stage.from_level == stage.to_level => format!("in {left}: {}", level(stage.to_level)),
        Some(stage) => format!("in {left}: from {} to {}", level(stage.from_level), level(stage.to_level)),
        None => format!("in {left}: the end"),
    }
}

/// The values that exchanges of a window have.
pub(crate) fn values(aggregate: &Aggregate, of: &Of<'_>, by: By) -> Vec<String> {
    let requests = || Section::ALL.iter().flat_map(|section| aggregate.requests(*section));
    let mut values: Vec<String> = match by {
        By::Request => {
            let some = requests().filter(|(_, stats)| stats.count() > 0);
            some.map(|(id, _)| of.catalog.requests.name(id).to_owned()).collect()
        }
        By::Status => {
            let codes = requests().flat_map(|(_, stats)| stats.status.iter());
            codes.filter(|(_, count)| *count > 0).map(|(code, _)| code.to_string()).collect()
        }
        By::Tag => nmax_analysis::breakdown::traits(of.plan, of.catalog).into_iter().flat_map(|one| one.tags).collect(),
        By::Location => of.catalog.locations.clone(),
    };
    values.sort_unstable();
    values.dedup();
    values
}

/// The exchanges of a window that have a value, under one name.
fn only(aggregate: &Aggregate, of: &Of<'_>, by: By, value: &str) -> Aggregate {
    let mut found = Aggregate::default();
    let is_tagged: Vec<bool> = match by {
        By::Tag => {
            let traits = nmax_analysis::breakdown::traits(of.plan, of.catalog);
            traits.iter().map(|one| one.tags.iter().any(|tag| tag == value)).collect()
        }
        _ => Vec::new(),
    };
    for section in Section::ALL {
        for (id, stats) in aggregate.requests(section) {
            let is_meant = match by {
                By::Request => of.catalog.requests.name(id) == value,
                By::Tag => is_tagged.get(id.0 as usize) == Some(&true),
                By::Status | By::Location => false,
            };
            if is_meant {
                found.request_mut(section, NameId(0)).merge(stats);
            }
            if by == By::Status {
                stats.status.iter().filter(|(code, _)| code.to_string() == value).for_each(|(code, count)| {
                    let times = stats.response_of(*code).unwrap_or_default();
                    found.request_mut(section, NameId(0)).merge(&stats_of_times(times, *code, *count));
                });
            }
        }
        if by == By::Location
            && let Some(index) = of.catalog.locations.iter().position(|name| name == value)
            && let Some(stats) = aggregate.locations.get(section, index)
        {
            let (times, count) = (stats.exchanges.time.clone(), stats.exchanges.count);
            found.request_mut(section, NameId(0)).merge(&stats_of_times(times, RequestStats::USUAL_STATUS, count));
        }
    }
    found
}

/// Exchanges of which only their response times are known.
fn stats_of_times(response: Histogram, status: Code, count: u64) -> RequestStats {
    let is_ok = status.number().is_none_or(|number| number < 400);
    let mut stats = RequestStats::default();
    stats.outcomes[usize::from(!is_ok)] = Some(Box::new(LatencySet { response, ..LatencySet::default() }));
    stats.status = vec![(status, count)];
    stats
}
