//! Pictures over the time of a run, each with its legend, a description and the numbers behind it.

use nmax_analysis::breakdown::Dimension;
use nmax_analysis::series::{Bin, heat_row_low_ns};
use nmax_metrics::ErrorKind;

use super::Part;
use crate::doc::table::Table;
use crate::doc::{Figure, Media, Section};
use crate::number;
use crate::svg::{Chart, Column, Columns, HeatMap, Key, LOOKS, Line, Scale, WIDE};
use crate::view::View;

pub(super) const SECTIONS: &[Part] = &[course];
pub(super) const SPREAD: &[Part] = &[spread];

/// Widths of the two drawings of a small picture; the style shows the one that fits.
const SMALL: [f64; 2] = [520.0, 380.0];
/// Height of a small picture.
const HEIGHT: f64 = 172.0;

/// A line of what bins of the course have, each value in the middle of its bin.
fn line(view: &View, name: &str, class: &'static str, value: impl Fn(&Bin) -> Option<f64>) -> Line {
    let bins = view.summary.series.bins.iter();
    let points = bins.map(|bin| (bin.start_s + bin.width_s / 2.0, value(bin))).collect();
    Line { name: name.to_owned(), class, area: false, points }
}

fn filled(view: &View, name: &str, class: &'static str, value: impl Fn(&Bin) -> f64) -> Line {
    Line { area: true, ..line(view, name, class, |bin| Some(value(bin))) }
}

fn time(view: &View, name: &str, class: &'static str, ns: impl Fn(&Bin) -> Option<u64>) -> Line {
    line(view, name, class, |bin| ns(bin).map(|ns| ns as f64))
}

/// Values of all lines.
pub(super) fn values(lines: &[Line]) -> impl Iterator<Item = f64> + Clone {
    lines.iter().flat_map(|line| line.points.iter().filter_map(|(_, value)| *value))
}

/// A chart from 0 on over the time of a run.
pub(super) fn chart(view: &View, (id, title): (&str, &str), label: fn(f64) -> String, lines: Vec<Line>) -> Chart {
    Chart {
        id: id.to_owned(),
        title: title.to_owned(),
        description: String::new(),
        end_s: view.summary.duration_s,
        stages: view.summary.stages.clone(),
        marks: interventions(view),
        gaps: Vec::new(),
        scale: Scale::linear(values(&lines)),
        label,
        heat: None,
        load: None,
        lines,
        has_names: false,
        height: HEIGHT,
    }
}

/// When interventions went on; those that were never over last to the end.
fn interventions(view: &View) -> Vec<(f64, f64)> {
    let happened = view.judgement.effects.iter().map(|effect| &effect.happened);
    happened.map(|happened| (happened.start_s, happened.end_s.unwrap_or(view.summary.duration_s))).collect()
}

/// A figure of a chart; the ranges of its lines are its description in words. Its numbers are those of its lines in the
/// bins of the course.
///
/// - `shades`: classes of shades and what they are, for the legend
pub(super) fn figure(view: &View, about: &str, mut chart: Chart, shades: &[(&'static str, &str)]) -> Figure {
    let range = |line: &Line| {
        let values = line.points.iter().filter_map(|(_, value)| *value);
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        let text = |value| (chart.label)(value);
        if low > high {
            format!("{}: no values", line.name)
        } else {
            format!("{} from {} to {}", line.name, text(low), text(high))
        }
    };
    let ranges: Vec<_> = chart.lines.iter().map(range).collect();
    chart.description = format!("{about} {}.", ranges.join("; ")).trim_start().to_owned();
    let load = chart.load.iter().map(|(load, _)| (Key::Area("load"), load.name.clone()));
    let lines = chart.lines.iter().map(|line| (Key::Curve(line.class), line.name.clone()));
    let shades = shades.iter().map(|(class, name)| (Key::Area(class), (*name).to_owned()));
    let is_wide = chart.has_names;
    Figure {
        legend: lines.chain(load).chain(shades).collect(),
        drawings: if is_wide { WIDE } else { SMALL }.map(|width| chart.render(width)).into(),
        is_wide,
        numbers: Some(numbers(view, &chart)).filter(|table| !table.is_empty()),
        axis_s: view.summary.series.bins.first().map(|bin| (bin.width_s, chart.end_s)),
        about: about.to_owned(),
        title: chart.title,
        id: chart.id,
    }
}

/// What lines have in each bin of the course: the mean of their points, most of which stand alone in a bin.
fn numbers(view: &View, chart: &Chart) -> Table<()> {
    let bins = &view.summary.series.bins;
    let mut table = Table::from_rows(0..bins.len()).number("from", |bin| number::span(bins[bin].start_s));
    let load = chart.load.iter().map(|(load, _)| load);
    for line in chart.lines.iter().chain(load) {
        let label: fn(f64) -> String = if line.class == "load" { level } else { chart.label };
        let mut sums = vec![(0.0, 0_u32); bins.len()];
        for (at, value) in &line.points {
            let place = bins.partition_point(|bin| bin.start_s <= *at).checked_sub(1);
            if let (Some(place), Some(value)) = (place, value) {
                sums[place] = (sums[place].0 + value, sums[place].1 + 1);
            }
        }
        table = table.number(&line.name, |bin| match sums[bin] {
            (_, 0) => number::UNKNOWN.into(),
            (sum, count) => label(sum / f64::from(count)),
        });
    }
    table.done()
}

/// Load, times of every request, outcomes, quantiles, and response beside service and lag.
fn course(view: &View) -> Option<Section> {
    if view.summary.series.bins.is_empty() {
        return None;
    }
    let section = Section::new("course", "Over time").aside("shaded: left out of the statistics");
    Some(section.with(|body| {
        body.on(Media::PICTURES);
        if let Some(figure) = by_request(view) {
            body.figure(figure);
        }
        body.figure(load(view));
        let outcomes = vec![
            filled(view, "ok", "c3", |bin| bin.ok_per_s),
            line(view, "failed", "c2 dash", |bin| Some(bin.failed_per_s)),
            line(view, "errors", "c4 dot", |bin| Some(bin.errors_per_s)),
        ];
        let exchanges = chart(view, ("exchanges", "Exchanges"), number::rate, outcomes);
        body.figure(figure(view, "Ended per second, by outcome.", exchanges, &[]));
        let quantiles = vec![
            time(view, "max", "c5 dot", |bin| bin.response.max),
            time(view, "p99", "c2", |bin| bin.response.p99),
            time(view, "p95", "c4 dash", |bin| bin.response.p95),
            time(view, "p50", "c1", |bin| bin.response.p50),
        ];
        body.figure(times(view, ("response", "Response time"), "From due to last byte; logarithmic.", quantiles));
        let three = vec![
            time(view, "response p99", "c2", |bin| bin.response.p99),
            time(view, "service p99", "c3 dash", |bin| bin.service.p99),
            time(view, "service p50", "c3", |bin| bin.service.p50),
            time(view, "send lag p99", "c5 dot", |bin| bin.send_lag.p99),
        ];
        let about = "Where response leaves service, requests waited before they were sent.";
        body.figure(times(view, ("times", "Response, service, send lag"), about, three));
    }))
}

fn times(view: &View, titles: (&str, &str), about: &str, lines: Vec<Line>) -> Figure {
    let scale = Scale::log(values(&lines));
    figure(view, about, Chart { scale, ..chart(view, titles, number::time, lines) }, &[])
}

/// p95 of every request with the load on the same axis.
fn by_request(view: &View) -> Option<Figure> {
    let rows = view.judgement.breakdown.rows.iter().filter(|row| row.dimension == Dimension::Name);
    let mut rows: Vec<_> = rows.filter(|row| row.points.iter().any(|point| point.p95_ms.is_some())).collect();
    let slowest = |row: &&nmax_analysis::breakdown::Row| row.response.as_ref().map_or(0.0, |time| time.p95_ms);
    let left_out = rows.len().saturating_sub(LOOKS.len());
    if left_out > 0 {
        rows.sort_by(|a, b| slowest(b).total_cmp(&slowest(a)));
    }
    rows.truncate(LOOKS.len());
    // The order of the plan, as in the table.
    let place = |name: &str| view.summary.requests.iter().position(|(other, _)| other == name);
    rows.sort_by_key(|row| place(&row.value).unwrap_or(usize::MAX));
    let line = |(row, class): (&nmax_analysis::breakdown::Row, &'static str)| Line {
        name: row.value.clone(),
        class,
        area: false,
        points: row
            .points
            .iter()
            .map(|point| (point.start_s + point.width_s / 2.0, point.p95_ms.map(|ms| ms * 1e6)))
            .collect(),
    };
    let lines: Vec<Line> = rows.into_iter().zip(LOOKS).map(line).collect();
    if lines.is_empty() {
        return None;
    }
    let (load, unit) = load_line(view);
    let most = load.points.iter().filter_map(|(_, value)| *value).fold(0.0, f64::max);
    let scale = Scale::log(values(&lines));
    let base = chart(view, ("p95", "Response time p95 of every request, and the load"), number::time, lines);
    let rest = if left_out > 0 { format!(" The {} slowest requests.", LOOKS.len()) } else { String::new() };
    let about = format!("Logarithmic; grey: {unit}.{rest}");
    let label = format!("{} {unit}", level(most));
    Some(figure(view, &about, Chart { scale, load: Some((load, label)), has_names: true, height: 270.0, ..base }, &[]))
}

/// What is put on the target: iterations started per second, or in flight.
fn load_line(view: &View) -> (Line, &'static str) {
    match view.summary.open {
        true => (line(view, "load, 1/s", "load", |bin| Some(bin.started_per_s)), "iterations per second"),
        false => (line(view, "load, users", "load", |bin| Some(bin.in_flight)), "users in flight"),
    }
}

fn load(view: &View) -> Figure {
    let (about, label, lines): (_, fn(f64) -> String, _) = if view.summary.open {
        let lines = vec![
            filled(view, "started", "c1", |bin| bin.started_per_s),
            line(view, "intended", "ci dash thin", |bin| bin.intended),
        ];
        ("Iterations per second: intended by the plan, and started.", number::rate, lines)
    } else {
        let lines = vec![
            filled(view, "in flight", "c1", |bin| bin.in_flight),
            line(view, "intended users", "ci dash thin", |bin| bin.intended),
        ];
        ("Virtual users of the plan, and iterations in flight.", level, lines)
    };
    figure(view, about, chart(view, ("load", "Load"), label, lines), &[])
}

fn level(value: f64) -> String {
    if value < 1000.0 { number::digits(value) } else { number::short_count(value.round() as u64) }
}

/// Failures and errors by kind, where there are several kinds.
pub(super) fn errors(view: &View) -> Option<Figure> {
    const CLASSES: [&str; 9] = ["c4", "c1 dash", "c3 dot", "c5", "ci dash", "c6", "c7 dash", "c8", "c5 dash"];
    let bins = &view.summary.series.bins;
    let mut lines = Vec::new();
    if bins.iter().any(|bin| bin.failed_per_s > 0.0) {
        lines.push(filled(view, "failed (valid reply)", "c2", |bin| bin.failed_per_s));
    }
    let happened = |kind: &ErrorKind| bins.iter().any(|bin| bin.error_kinds[kind.index()] > 0);
    lines.extend(ErrorKind::ALL.into_iter().filter(happened).zip(CLASSES).map(|(kind, class)| {
        line(view, kind.name(), class, |bin| Some(bin.error_kinds[kind.index()] as f64 / bin.width_s))
    }));
    // One kind is a line of the exchanges already.
    let chart = Chart { has_names: true, ..chart(view, ("errors", "Failures and errors"), number::rate, lines) };
    (chart.lines.len() > 1).then(|| figure(view, "Per second, by kind.", chart, &[]))
}

/// Iterations in flight, and connections.
pub(super) fn connections(view: &View) -> Figure {
    let lines = vec![
        filled(view, "in flight", "c1", |bin| bin.in_flight),
        line(view, "connections opened", "c4 dash", |bin| Some(bin.connections as f64)),
    ];
    let chart = chart(view, ("connections", "Iterations in flight, connections opened"), level, lines);
    figure(view, "Mean in flight; opened in each bin.", chart, &[])
}

/// How response times are distributed: of all exchanges, and over time.
fn spread(view: &View) -> Option<Section> {
    let bins = &view.summary.series.bins;
    let heat = HeatMap::new(bins, view.summary.duration_s)?;
    let rows = bins.iter().map(|bin| bin.heat.len()).max()?;
    let count = |row: usize| bins.iter().filter_map(|bin| bin.heat.get(row)).sum::<u64>();
    let counts: Vec<u64> = (0..rows).map(count).collect();
    let first = counts.iter().position(|count| *count > 0)?;
    let last = counts.iter().rposition(|count| *count > 0)?;
    let columns = (first..=last).map(|row| Column {
        from: heat_row_low_ns(row),
        to: heat_row_low_ns(row + 1),
        count: counts[row],
    });
    let columns: Vec<Column> = columns.collect();
    let total: u64 = counts.iter().sum();
    let numbers = Table::from_rows(&columns)
        .time("from", |column| column.from)
        .time("to", |column| column.to)
        .count("exchanges", |column| column.count)
        .share("share", |column| column.count as f64 / total.max(1) as f64)
        .done();
    let histogram = Columns {
        id: "distribution",
        title: "Distribution of response times",
        description: format!("{} exchanges of the whole run, by response time.", number::count(total)),
        label: number::time,
        columns,
    };
    let drawings = SMALL.map(|width| histogram.render(width)).into();
    let distribution = Figure {
        id: histogram.id.into(),
        title: histogram.title.into(),
        about: "Exchanges by response time, whole run; logarithmic.".into(),
        drawings,
        numbers: Some(numbers),
        ..Figure::default()
    };
    let about = "Exchanges by time and response time; a stronger color is more, logarithmic.";
    let lines = vec![
        time(view, "p99", "c2", |bin| bin.response.p99),
        time(view, "p50", "ci dash thin", |bin| bin.response.p50),
    ];
    let (low, high) = heat.range_ns();
    let chart = chart(view, ("heat", "Heat map of response times"), number::time, lines);
    let chart = Chart { scale: Scale::Log { low, high }, heat: Some(heat), height: 200.0, ..chart };
    let section = Section::new("distribution", "Distribution");
    Some(section.with(|body| {
        body.on(Media::PICTURES).figure(distribution).figure(figure(view, about, chart, &[]));
    }))
}
