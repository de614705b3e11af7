//! What hosts and services felt, on the time axis of the load.

use nmax_analysis::Event;
use nmax_analysis::summary::{FigureRow, HostView, LogErrors, Panel};
use nmax_plan::plan::INJECTOR;
use nmax_sources::Figure;
use nmax_sources::figures::*;

use super::{Part, course};
use crate::doc::table::Table;
use crate::doc::{Item, Mark, Media, Section};
use crate::number;
use crate::svg::{Chart, LOOKS, Line, Scale};
use crate::view::View;

pub(super) const SECTIONS: &[Part] = &[hosts, figures];

/// Height of a picture.
const HEIGHT: f64 = 136.0;
/// Most pictures of a host that are shown at once; the others are folded.
const PANELS_MAX: usize = 4;
/// Most services of a host.
const SERVICES_MAX: usize = 12;
/// Most figures of a service.
const FIGURES_MAX: usize = 6;

/// Words of a service's line: beginning of its source, its figures and what they are called.
type Words = (&'static str, &'static [(Figure, &'static str)]);

/// The services that have lines, and what these say.
const SERVICES: [Words; 7] = [
    ("process ", &[(CPU_CORES, "cores"), (WAITING_COUNT, "waiting for a processor"), (MEMORY_BYTES, "memory")]),
    (
        "database ",
        &[
            (ACTIVE_COUNT, "active"),
            (WAIT_IO_COUNT, "wait for the disk"),
            (WAIT_LOCK_COUNT, "for locks"),
            (WAIT_LWLOCK_COUNT, "for light locks"),
            (HIT_RATIO, "found in buffers"),
        ],
    ),
    ("pool ", &[(IN_USE_COUNT, "in use"), (LIMIT_COUNT, "at most"), (WAITING_COUNT, "waiting")]),
    ("lock ", &[(WAITING_COUNT, "waiting"), (HOLDING_COUNT, "held")]),
    ("dependency ", &[(IN_FLIGHT_COUNT, "under way"), (CALLS_PER_S, "calls"), (ERRORS_PER_S, "errors")]),
    ("gc ", &[(PAUSE_RATIO, "of the time")]),
    ("log ", &[(REQUESTS_PER_S, "requests"), (DURATION_MS, "mean"), (ERRORS_PER_S, "errors")]),
];

/// In the terminal lines, where more than this host is watched or everything is asked for; else pictures.
fn hosts(view: &View) -> Option<Section> {
    let media = if view.summary.watches { Media::TERMINAL } else { Media::WIDE };
    let section = Section::new("resources", "Resources").aside(view.summary.phase.name).with(|body| {
        for (number, host) in view.summary.hosts.iter().enumerate() {
            let text = host_text(host);
            let name = if host.name == INJECTOR { "this host" } else { &host.name };
            body.on(media).facts([(name, text.as_str())]);
            let services = SERVICES.iter().flat_map(|words| services(host, words, &view.summary.log_errors));
            let services = services.map(|(name, text)| Item::new(Mark::Neutral, format!("{name}: {text}")));
            body.items(services.take(SERVICES_MAX));
            body.on(Media::PAPER).heading(format!("On {name}")).text(sentence(&text));
            let logs = view.summary.log_errors.iter().filter(|log| log.host == host.name);
            body.items(logs.map(|log| Item::new(Mark::Warning, format!("{}: {}", log.source, log.text()))));
            let clock = clock(view, host);
            let picture = |(index, panel): (usize, &Panel)| figure(view, &format!("h{number}-{index}"), panel, &clock);
            let mut pictures = host.panels.iter().enumerate().map(picture);
            body.on(Media::PICTURES);
            for picture in pictures.by_ref().take(PANELS_MAX) {
                body.figure(picture);
            }
            let rest = host.panels.len().saturating_sub(PANELS_MAX);
            body.on(Media::PAGE).fold(format!("{rest} more pictures of {name}"), |body| {
                pictures.for_each(|picture| {
                    body.figure(picture);
                });
            });
        }
    });
    section.said()
}

/// A text as a sentence.
fn sentence(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{text}.") }
}

/// Every figure that was read.
fn figures(view: &View) -> Option<Section> {
    let value = |row: &FigureRow, value: Option<f64>| number::or_unknown(value, number::unit_label(&row.unit));
    let section = Section::new("readings", "All readings of hosts").aside(view.summary.phase.name).appendix();
    section
        .with(|body| {
            body.on(Media::PAGE);
            for host in &view.summary.hosts {
                let table = Table::from_rows(&host.figures)
                    .word("source", |row| &row.source)
                    .word("figure", |row| &row.metric)
                    .number("mean", |row| value(row, row.mean))
                    .number("most", |row| value(row, row.max))
                    .share("read", |row| row.covered);
                body.heading(format!("All figures of {}", host.name)).table(table);
                if host.left_out > 0 {
                    body.note(format!("{} more figures are in resources.jsonl.", number::count(host.left_out as u64)));
                }
            }
        })
        .said()
}

/// When the clock of the host was found to be off.
fn clock(view: &View, host: &HostView) -> Vec<(f64, f64)> {
    let of_clock = format!(" on {}: ", host.name);
    let is_of_clock = |event: &&Event| event.code == "CLOCK_OFFSET" && event.text.contains(&of_clock);
    let off = view.summary.events.iter().filter(is_of_clock);
    off.map(|event| (event.at_s, event.at_s)).collect()
}

fn figure(view: &View, id: &str, panel: &Panel, clock: &[(f64, f64)]) -> crate::doc::Figure {
    let lines = panel.lines.iter().zip(LOOKS).map(|(line, class)| Line {
        name: line.name.clone(),
        class,
        area: false,
        points: line.points.clone(),
    });
    let mut chart = course::chart(view, (id, &panel.title), number::unit_label(&panel.unit), lines.collect());
    let is_share = panel.unit == "ratio" && course::values(&chart.lines).all(|value| value <= 1.0);
    if let Scale::Linear { max } = &mut chart.scale
        && is_share
    {
        // Shares end at all of it.
        *max = max.min(1.0);
    }
    let marks = match (chart.marks.as_slice(), clock) {
        ([], []) => None,
        (_, []) => Some("intervention"),
        ([], _) => Some("clock found off"),
        _ => Some("intervention, or clock found off"),
    };
    let gaps = (!panel.gaps.is_empty()).then_some("no readings");
    let shades = [("mark", marks), ("gap", gaps)];
    let shades: Vec<_> = shades.into_iter().filter_map(|(class, name)| Some((class, name?))).collect();
    chart.marks.extend(clock);
    course::figure(view, "", Chart { height: HEIGHT, gaps: panel.gaps.clone(), ..chart }, &shades)
}

/// Processors, memory, the busiest disk and the busiest interface.
fn host_text(host: &HostView) -> String {
    let mean = |source: &str, of: Figure| reading(host, source, of).and_then(|row| row.mean);
    let mut parts = Vec::new();
    if let (Some(busy), Some(cores)) = (mean("cpu", BUSY_CORES), mean("cpu", CORES_COUNT)) {
        let waiting = mean("cpu", WAITING_COUNT)
            .map_or_else(String::new, |waiting| format!(", {} waiting", number::digits(waiting)));
        parts.push(format!("{} of {} cores busy{waiting}", number::digits(busy), number::digits(cores)));
    }
    if let (Some(left), Some(all)) = (mean("memory", AVAILABLE_BYTES), mean("memory", TOTAL_BYTES)) {
        parts.push(format!("{} of {} memory left", number::bytes(left), number::bytes(all)));
    }
    if let Some((source, queue)) = most(host, "disk ", QUEUE_COUNT) {
        let time = mean(&source, AWAIT_MS).map_or_else(String::new, |ms| format!(" of {}", number::time(ms * 1e6)));
        parts.push(format!("{source}: {} transfers{time}", number::digits(queue)));
    }
    if let Some((source, received)) = most(host, "net ", RECEIVED_BYTES_PER_S) {
        parts.push(format!("{source}: {}/s in", number::bytes(received)));
    }
    parts.join("; ")
}

fn services<'a>(host: &'a HostView, (prefix, figures): &'a Words, errors: &[LogErrors]) -> Vec<(&'a str, String)> {
    let mut names: Vec<&str> = host.figures.iter().map(|row| row.source.as_str()).collect();
    names.retain(|source| source.starts_with(prefix));
    names.dedup();
    let text = |source: &str| {
        let of_log = |log: &&LogErrors| log.host == host.name && log.source == source;
        if let Some(log) = errors.iter().find(of_log) {
            return log.text();
        }
        let told = figures.iter().filter_map(|(of, word)| {
            let row = reading(host, source, *of)?;
            Some(format!("{} {word}", number::in_unit(row.mean?, &row.unit)))
        });
        told.take(FIGURES_MAX).collect::<Vec<_>>().join(", ")
    };
    let lines = names.into_iter().map(|source| (source, text(source)));
    lines.filter(|(_, text)| !text.is_empty()).collect()
}

fn reading<'a>(host: &'a HostView, source: &str, figure: Figure) -> Option<&'a FigureRow> {
    host.figures.iter().find(|row| row.source == source && row.metric == figure)
}

/// The source that has most of a figure, and how much.
fn most(host: &HostView, prefix: &str, figure: Figure) -> Option<(String, f64)> {
    let rows = host.figures.iter().filter(|row| row.source.starts_with(prefix) && row.metric == figure);
    let known = rows.filter_map(|row| Some((row.source.clone(), row.mean?)));
    known.max_by(|a, b| a.1.total_cmp(&b.1))
}
