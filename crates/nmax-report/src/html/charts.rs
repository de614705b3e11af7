//! Pictures over time, each with its legend, a description and the numbers behind it.

use nmax_analysis::series::Bin;
use nmax_metrics::ErrorKind;

use super::page::Html;
use crate::number;
use crate::svg::{Chart, HeatMap, Line, Scale};
use crate::tables::Table;
use crate::view::View;

/// Widths of the two drawings of a chart; the style shows the one that fits.
pub(super) const WIDTHS: [f64; 2] = [1040.0, 380.0];

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
pub(super) fn chart<'a>(
    view: &'a View,
    (id, title): (&'a str, &'a str),
    label: fn(f64) -> String,
    lines: Vec<Line>,
) -> Chart<'a> {
    Chart {
        id,
        title,
        description: String::new(),
        end_s: view.summary.duration_s,
        stages: &view.summary.stages,
        marks: interventions(view),
        gaps: &[],
        scale: Scale::linear(values(&lines)),
        label,
        heat: None,
        lines,
        height: 190.0,
    }
}

/// When interventions went on; those that were never over last to the end.
pub(super) fn interventions(view: &View) -> Vec<(f64, f64)> {
    let happened = view.judgement.effects.iter().map(|effect| &effect.happened);
    happened.map(|happened| (happened.start_s, happened.end_s.unwrap_or(view.summary.duration_s))).collect()
}

/// Writes a chart with its legend; the ranges of its lines are its description in words.
///
/// - `more`: classes of shades and what they are, for the legend
/// - `numbers`: what the lines are drawn from
pub(super) fn figure(
    page: &mut Html,
    about: &str,
    mut chart: Chart<'_>,
    more: &[(&str, &str)],
    numbers: Option<Table<usize>>,
) {
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
    let lines = chart.lines.iter().map(|line| {
        let sample = format!("<path class=\"line {}\" d=\"M1 4.5H25\"/>", line.class);
        (sample, line.name.as_str())
    });
    let more = more.iter().map(|(class, name)| (format!("<rect class=\"{class}\" width=\"26\" height=\"9\"/>"), *name));
    page.figure(
        (chart.title, about),
        lines.chain(more),
        |width| chart.render(width),
        |page| {
            if let Some(table) = numbers {
                page.details("Numbers", |page| page.table(&table));
            }
        },
    );
}

/// [`figure`] of bins of the course, with the numbers of each.
fn over_bins(page: &mut Html, view: &View, about: &str, chart: Chart<'_>) {
    let bins = &view.summary.series.bins;
    let mut table = Table::from_rows(0..bins.len()).number("from", |bin| number::span(bins[bin].start_s));
    for line in &chart.lines {
        let value = |bin: usize| line.points[bin].1.map_or_else(|| number::UNKNOWN.into(), chart.label);
        table = table.number(&line.name, value);
    }
    figure(page, about, chart, &[], Some(table));
}

/// Load, times and heat map.
pub(super) fn write(page: &mut Html, view: &View) {
    let bins = &view.summary.series.bins;
    if bins.is_empty() {
        return;
    }
    page.heading(2, "Over time");
    load(page, view);
    let outcomes = vec![
        filled(view, "ok", "c3", |bin| bin.ok_per_s),
        line(view, "failed", "c2 dash", |bin| Some(bin.failed_per_s)),
        line(view, "errors", "c4 dot", |bin| Some(bin.errors_per_s)),
    ];
    let exchanges = chart(view, ("exchanges", "Exchanges"), number::rate, outcomes);
    over_bins(page, view, "Ended per second, by outcome.", exchanges);
    let times = |page: &mut Html, titles, about, lines: Vec<Line>| {
        let scale = Scale::log(values(&lines));
        over_bins(page, view, about, Chart { scale, height: 240.0, ..chart(view, titles, number::time, lines) });
    };
    let about = "From the instant a request was due to its last byte; logarithmic.";
    let quantiles = vec![
        time(view, "max", "c5 dot", |bin| bin.response.max),
        time(view, "p99", "c2", |bin| bin.response.p99),
        time(view, "p95", "c4 dash", |bin| bin.response.p95),
        time(view, "p50", "c1", |bin| bin.response.p50),
    ];
    times(page, ("response", "Response time"), about, quantiles);
    let about = "Where response time leaves service time, requests waited before they were sent; logarithmic.";
    let three = vec![
        time(view, "response p99", "c2", |bin| bin.response.p99),
        time(view, "service p99", "c3 dash", |bin| bin.service.p99),
        time(view, "service p50", "c3 thin", |bin| bin.service.p50),
        time(view, "send lag p99", "c5 dot", |bin| bin.send_lag.p99),
    ];
    times(page, ("times", "Response, service and send lag at p99"), about, three);
    if let Some(heat) = HeatMap::new(bins, view.summary.duration_s) {
        let about =
            "Each cell counts exchanges by time and response time; a stronger color is more, on a logarithmic scale.";
        let lines = vec![
            time(view, "p99", "c2", |bin| bin.response.p99),
            time(view, "p50", "ci dash thin", |bin| bin.response.p50),
        ];
        let (low, high) = heat.range_ns();
        let chart = chart(view, ("heat", "Latency heat map"), number::time, lines);
        let chart = Chart { scale: Scale::Log { low, high }, heat: Some(heat), height: 300.0, ..chart };
        over_bins(page, view, about, chart);
    }
}

fn load(page: &mut Html, view: &View) {
    let (about, label, lines): (_, fn(f64) -> String, _) = if view.summary.open {
        let lines = vec![
            filled(view, "started", "c1", |bin| bin.started_per_s),
            line(view, "intended", "ci dash thin", |bin| bin.intended),
        ];
        ("Iterations per second: what the plan intends and what was started.", number::rate, lines)
    } else {
        let lines = vec![
            filled(view, "in flight", "c1", |bin| bin.in_flight),
            line(view, "intended users", "ci dash thin", |bin| bin.intended),
        ];
        ("Virtual users of the plan, and iterations in flight.", count, lines)
    };
    let about = format!("{about} Shaded parts are left out of the statistics.");
    let chart = chart(view, ("load", "Load: intended and achieved"), label, lines);
    over_bins(page, view, &about, Chart { height: 210.0, ..chart });
}

fn count(value: f64) -> String {
    if value < 1000.0 { number::digits(value) } else { number::short_count(value.round() as u64) }
}

/// Errors by kind, those that occurred.
pub(super) fn write_errors(page: &mut Html, view: &View) {
    const CLASSES: [&str; 9] = ["c4", "c1 dash", "c3 dot", "c5", "ci dash", "c2 dot", "c4 dash", "c1 dot", "c5 dash"];
    let bins = &view.summary.series.bins;
    let mut lines = Vec::new();
    if bins.iter().any(|bin| bin.failed_per_s > 0.0) {
        lines.push(filled(view, "failed (valid reply)", "c2", |bin| bin.failed_per_s));
    }
    let happened = |kind: &ErrorKind| bins.iter().any(|bin| bin.error_kinds[kind.index()] > 0);
    lines.extend(ErrorKind::ALL.into_iter().filter(happened).zip(CLASSES).map(|(kind, class)| {
        line(view, kind.name(), class, |bin| Some(bin.error_kinds[kind.index()] as f64 / bin.width_s))
    }));
    if !lines.is_empty() {
        let chart = chart(view, ("errors", "Failures and errors"), number::rate, lines);
        over_bins(page, view, "Per second, by kind, over the whole run.", chart);
    }
}

/// Connections over time.
pub(super) fn write_connections(page: &mut Html, view: &View) {
    let lines = vec![
        filled(view, "in flight", "c1", |bin| bin.in_flight),
        line(view, "connections opened", "c4 dash", |bin| Some(bin.connections as f64)),
    ];
    let chart = chart(view, ("connections", "Iterations in flight, connections opened"), count, lines);
    let about = "Mean iterations in flight, and connections opened in each bin.";
    over_bins(page, view, about, Chart { height: 180.0, ..chart });
}

/// What the injector felt.
pub(super) fn write_injector(page: &mut Html, view: &View) {
    let injector = &view.summary.injector;
    page.heading(2, "Injector");
    let count = |n: Option<u64>| n.map_or_else(|| "not observed".into(), number::count);
    let share = |ratio: Option<f64>| ratio.map_or_else(|| "not observed".into(), number::share);
    page.facts([
        ("Workers", injector.workers.to_string()),
        ("Pacing slack", injector.pacing_slack_ns.map_or_else(|| "none, users decide".into(), number::time)),
        ("CPU, mean over workers", share(injector.cpu_utilization)),
        ("CPU, busiest worker", share(injector.cpu_utilization_max)),
        ("Injector lag p50", number::time_or_unknown(injector.lag.p50())),
        ("Injector lag p99", number::time_or_unknown(injector.lag.p99())),
        ("Injector lag max", number::time_or_unknown(injector.lag.max_ns)),
        ("Pickup delay p50", number::time_or_unknown(injector.pickup_delay.p50())),
        ("Pickup delay p99", number::time_or_unknown(injector.pickup_delay.p99())),
        ("Pickup delay max", number::time_or_unknown(injector.pickup_delay.max_ns)),
        ("Iterations that waited for a slot", number::count(view.summary.waited)),
        ("Open files, most", count(injector.open_files_max)),
        ("Local ports, most", count(injector.ports_used_max)),
        ("Connections of the host in TIME_WAIT, most", count(injector.time_wait_max)),
    ]);
    page.note(&format!("Phase {}.", view.summary.phase.name));
}
