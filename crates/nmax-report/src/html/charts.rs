//! Pictures over time, each with its legend, a description and the numbers behind it.

use nmax_metrics::ErrorKind;

use super::Page;
use crate::number;
use crate::svg::{Chart, HeatMap, Line, Scale};
use crate::view::View;
use nmax_analysis::series::Bin;

/// Widths of the two drawings of a chart; the style shows the one that fits.
pub(super) const WIDTHS: [f64; 2] = [1040.0, 380.0];

/// What a line shows of a bin.
type Value = Box<dyn Fn(&Bin) -> Option<f64>>;

/// A line of a chart and of its table.
struct Track {
    name: &'static str,
    class: &'static str,
    area: bool,
    value: Value,
}

/// A figure to be.
struct Figure {
    id: &'static str,
    title: &'static str,
    about: String,
    log: bool,
    label: fn(f64) -> String,
    heat: bool,
    height: f64,
    tracks: Vec<Track>,
}

fn track(name: &'static str, class: &'static str, value: impl Fn(&Bin) -> Option<f64> + 'static) -> Track {
    Track { name, class, area: false, value: Box::new(value) }
}

fn filled(name: &'static str, class: &'static str, value: impl Fn(&Bin) -> Option<f64> + 'static) -> Track {
    Track { area: true, ..track(name, class, value) }
}

fn ns(value: Option<u64>) -> Option<f64> {
    value.map(|ns| ns as f64)
}

/// Load, times and heat map.
pub(super) fn write(page: &mut Page, view: &View) {
    if view.summary.series.bins.is_empty() {
        return;
    }
    page.text("<h2>Over time</h2>\n");
    figure(page, view, load(view));
    figure(page, view, exchanges());
    figure(page, view, response());
    figure(page, view, three_times());
    if HeatMap::new(&view.summary.series.bins, view.summary.duration_s).is_some() {
        figure(page, view, heat());
    }
}

/// Errors by kind, those that occurred.
pub(super) fn write_errors(page: &mut Page, view: &View) {
    let bins = &view.summary.series.bins;
    let happened = |kind: ErrorKind| bins.iter().any(|bin| bin.error_kinds[kind.index()] > 0);
    let mut tracks = Vec::new();
    if bins.iter().any(|bin| bin.failed_per_s > 0.0) {
        tracks.push(filled("failed (valid reply)", "c2", |bin| Some(bin.failed_per_s)));
    }
    let classes = ["c4", "c1 dash", "c3 dot", "c5", "ci dash", "c2 dot", "c4 dash", "c1 dot", "c5 dash"];
    let kinds = ErrorKind::ALL.into_iter().filter(|kind| happened(*kind));
    tracks.extend(kinds.zip(classes).map(|(kind, class)| {
        track(kind.name(), class, move |bin| Some(bin.error_kinds[kind.index()] as f64 / bin.width_s))
    }));
    if tracks.is_empty() {
        return;
    }
    let about = "Per second, by kind, over the whole run.".to_owned();
    let title = "Failures and errors";
    figure(
        page,
        view,
        Figure { id: "errors", title, about, log: false, label: plain_rate, heat: false, height: 190.0, tracks },
    );
}

/// Connections over time.
pub(super) fn write_connections(page: &mut Page, view: &View) {
    figure(page, view, connections());
}

/// What the injector felt.
pub(super) fn write_injector(page: &mut Page, view: &View) {
    let injector = &view.summary.injector;
    page.text("<h2>Injector</h2>\n");
    page.text("<div class=\"scroll\" tabindex=\"0\"><table class=\"facts\"><tbody>");
    let count = |n: Option<u64>| n.map_or_else(|| "not observed".into(), number::count);
    let share = |ratio: Option<f64>| ratio.map_or_else(|| "not observed".into(), number::share);
    let rows = [
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
    ];
    for (name, value) in rows {
        page.add(format_args!("<tr><th scope=\"row\">{name}</th><td>{value}</td></tr>"));
    }
    page.add(format_args!("</tbody></table></div><p class=\"note\">Phase {}.</p>\n", view.summary.phase.name));
}

fn plain_rate(value: f64) -> String {
    number::rate(value)
}

fn plain_count(value: f64) -> String {
    if value < 1000.0 { number::digits(value) } else { number::short_count(value.round() as u64) }
}

fn load(view: &View) -> Figure {
    let (title, about, label, tracks): (_, _, fn(f64) -> String, _) = if view.summary.open {
        let about = "Iterations per second: what the plan intends and what was started. Shaded parts are left out of the statistics.";
        let tracks = vec![
            filled("started", "c1", |bin| Some(bin.started_per_s)),
            track("intended", "ci dash thin", |bin| bin.intended),
        ];
        ("Load: intended and achieved", about, plain_rate, tracks)
    } else {
        let about = "Virtual users of the plan, and iterations in flight. Shaded parts are left out of the statistics.";
        let tracks = vec![
            filled("in flight", "c1", |bin| Some(bin.in_flight)),
            track("intended users", "ci dash thin", |bin| bin.intended),
        ];
        ("Load: intended and achieved", about, plain_count, tracks)
    };
    Figure { id: "load", title, about: about.into(), log: false, label, heat: false, height: 210.0, tracks }
}

fn exchanges() -> Figure {
    Figure {
        id: "exchanges",
        title: "Exchanges",
        about: "Ended per second, by outcome.".into(),
        log: false,
        label: plain_rate,
        heat: false,
        height: 190.0,
        tracks: vec![
            filled("ok", "c3", |bin| Some(bin.ok_per_s)),
            track("failed", "c2 dash", |bin| Some(bin.failed_per_s)),
            track("errors", "c4 dot", |bin| Some(bin.errors_per_s)),
        ],
    }
}

fn response() -> Figure {
    Figure {
        id: "response",
        title: "Response time",
        about: "From the instant a request was due to its last byte; logarithmic.".into(),
        log: true,
        label: number::time,
        heat: false,
        height: 240.0,
        tracks: vec![
            track("max", "c5 dot", |bin| ns(bin.response.max)),
            track("p99", "c2", |bin| ns(bin.response.p99)),
            track("p95", "c4 dash", |bin| ns(bin.response.p95)),
            track("p50", "c1", |bin| ns(bin.response.p50)),
        ],
    }
}

fn three_times() -> Figure {
    Figure {
        id: "times",
        title: "Response, service and send lag at p99",
        about: "Where response time leaves service time, requests waited before they were sent; logarithmic.".into(),
        log: true,
        label: number::time,
        heat: false,
        height: 240.0,
        tracks: vec![
            track("response p99", "c2", |bin| ns(bin.response.p99)),
            track("service p99", "c3 dash", |bin| ns(bin.service.p99)),
            track("service p50", "c3 thin", |bin| ns(bin.service.p50)),
            track("send lag p99", "c5 dot", |bin| ns(bin.send_lag.p99)),
        ],
    }
}

fn heat() -> Figure {
    Figure {
        id: "heat",
        title: "Latency heat map",
        about:
            "Each cell counts exchanges by time and response time; a stronger color is more, on a logarithmic scale."
                .into(),
        log: true,
        label: number::time,
        heat: true,
        height: 300.0,
        tracks: vec![
            track("p99", "c2", |bin| ns(bin.response.p99)),
            track("p50", "ci dash thin", |bin| ns(bin.response.p50)),
        ],
    }
}

fn connections() -> Figure {
    Figure {
        id: "connections",
        title: "Iterations in flight, connections opened",
        about: "Mean iterations in flight, and connections opened in each bin.".into(),
        log: false,
        label: plain_count,
        heat: false,
        height: 180.0,
        tracks: vec![
            filled("in flight", "c1", |bin| Some(bin.in_flight)),
            track("connections opened", "c4 dash", |bin| Some(bin.connections as f64)),
        ],
    }
}

fn figure(page: &mut Page, view: &View, figure: Figure) {
    let bins = &view.summary.series.bins;
    let heat = HeatMap::new(bins, view.summary.duration_s).filter(|_| figure.heat);
    let values = || figure.tracks.iter().flat_map(|track| bins.iter().filter_map(&track.value));
    let scale = match &heat {
        Some(heat) => {
            let (low, high) = heat.range_ns();
            Scale::Log { low, high }
        }
        None if figure.log => Scale::log(values()),
        None => Scale::linear(values()),
    };
    let points = |track: &Track| bins.iter().map(|bin| (bin.start_s + bin.width_s / 2.0, (track.value)(bin))).collect();
    let lines = figure.tracks.iter().map(|track| Line { class: track.class, area: track.area, points: points(track) });
    let description = describe(&figure, bins);
    let chart = Chart {
        id: figure.id,
        title: figure.title,
        description: &description,
        end_s: view.summary.duration_s,
        stages: &view.summary.stages,
        marks: &marks(view),
        gaps: &[],
        scale,
        label: figure.label,
        heat,
        lines: lines.collect(),
        height: figure.height,
    };
    page.add(format_args!("<figure><figcaption><h3>{}</h3><p>{}</p>", figure.title, figure.about));
    legend(page, &figure.tracks);
    page.text("</figcaption>");
    for width in WIDTHS {
        page.add(format_args!("{}", chart.render(width)));
    }
    table(page, &figure, bins);
    page.text("</figure>\n");
}

/// When interventions went on; those that were never over last to the end.
pub(super) fn marks(view: &View) -> Vec<(f64, f64)> {
    let happened = view.judgement.effects.iter().map(|effect| &effect.happened);
    happened.map(|happened| (happened.start_s, happened.end_s.unwrap_or(view.summary.duration_s))).collect()
}

fn legend(page: &mut Page, tracks: &[Track]) {
    page.text("<ul class=\"legend\">");
    for track in tracks {
        page.add(format_args!(
            "<li><svg viewBox=\"0 0 26 9\" aria-hidden=\"true\"><path class=\"line {}\" d=\"M1 4.5H25\"/></svg>{}</li>",
            track.class, track.name
        ));
    }
    page.text("</ul>");
}

/// The range of every line, in words.
fn describe(figure: &Figure, bins: &[Bin]) -> String {
    let range = |track: &Track| {
        let values = bins.iter().filter_map(&track.value);
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        let text = |value| (figure.label)(value);
        if low > high {
            format!("{}: no values", track.name)
        } else {
            format!("{} from {} to {}", track.name, text(low), text(high))
        }
    };
    let ranges: Vec<_> = figure.tracks.iter().map(range).collect();
    format!("{} {}.", figure.about, ranges.join("; "))
}

fn table(page: &mut Page, figure: &Figure, bins: &[Bin]) {
    page.text(
        "<details><summary>Numbers</summary><div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th>from</th>",
    );
    for track in &figure.tracks {
        page.add(format_args!("<th>{}</th>", track.name));
    }
    page.text("</tr></thead><tbody>");
    for bin in bins {
        page.add(format_args!("<tr><td>{}</td>", number::span(bin.start_s)));
        for track in &figure.tracks {
            let text = (track.value)(bin).map_or_else(|| number::UNKNOWN.into(), figure.label);
            page.add(format_args!("<td>{text}</td>"));
        }
        page.text("</tr>");
    }
    page.text("</tbody></table></div></details>");
}
