//! What hosts and services felt in the phase, a line for each.

use nmax_sources::Figure;
use nmax_sources::figures::*;

use super::Lines;
use super::text::Ink;
use crate::number;
use crate::view::View;
use nmax_analysis::summary::{FigureRow, HostView, LogErrors};

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

/// Nothing, unless somebody watches more than this host or asks for everything.
pub(super) fn write(page: &mut Lines, view: &View, wide: bool) {
    if view.summary.hosts.is_empty() || !(wide || view.summary.watches) {
        return;
    }
    page.heading(&format!("Hosts ({})", view.summary.phase.name));
    for host in &view.summary.hosts {
        let text = host_text(host);
        if !text.is_empty() {
            page.entry(&host.name, &text);
        }
        let services = SERVICES.iter().flat_map(|words| services(host, words, &view.summary.log_errors));
        for (name, text) in services.take(SERVICES_MAX) {
            page.item("–", Ink::Dim, &format!("{name}: {text}"));
        }
    }
}

/// Processors, memory, the busiest disk and the busiest interface.
fn host_text(host: &HostView) -> String {
    let mean = |source: &str, of: Figure| figure(host, source, of).and_then(|row| row.mean);
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
            let row = figure(host, source, *of)?;
            Some(format!("{} {word}", number::in_unit(row.mean?, &row.unit)))
        });
        told.take(FIGURES_MAX).collect::<Vec<_>>().join(", ")
    };
    let lines = names.into_iter().map(|source| (source, text(source)));
    lines.filter(|(_, text)| !text.is_empty()).collect()
}

fn figure<'a>(host: &'a HostView, source: &str, figure: Figure) -> Option<&'a FigureRow> {
    host.figures.iter().find(|row| row.source == source && row.metric == figure)
}

/// The source that has most of a figure, and how much.
fn most(host: &HostView, prefix: &str, figure: Figure) -> Option<(String, f64)> {
    let rows = host.figures.iter().filter(|row| row.source.starts_with(prefix) && row.metric == figure);
    let known = rows.filter_map(|row| Some((row.source.clone(), row.mean?)));
    known.max_by(|a, b| a.1.total_cmp(&b.1))
}
