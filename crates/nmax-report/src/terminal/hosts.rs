//! What hosts and services felt in the phase, a line for each.

use super::Page;
use super::text::Ink;
use crate::number;
use crate::view::{FigureRow, HostView, LogErrors, View};

/// Most services of a host.
const SERVICES_MAX: usize = 12;
/// Most figures of a service.
const FIGURES_MAX: usize = 6;

/// Words of a service's line: beginning of its source, its metrics and what they are called.
type Words = (&'static str, &'static [(&'static str, &'static str)]);

/// The services that have lines, and what these say.
const SERVICES: [Words; 7] = [
    ("process ", &[("cpu_cores", "cores"), ("waiting_count", "waiting for a processor"), ("memory_bytes", "memory")]),
    (
        "database ",
        &[
            ("active_count", "active"),
            ("wait_io_count", "wait for the disk"),
            ("wait_lock_count", "for locks"),
            ("wait_lwlock_count", "for light locks"),
            ("hit_ratio", "found in buffers"),
        ],
    ),
    ("pool ", &[("in_use_count", "in use"), ("limit_count", "at most"), ("waiting_count", "waiting")]),
    ("lock ", &[("waiting_count", "waiting"), ("holding_count", "held")]),
    ("dependency ", &[("in_flight_count", "under way"), ("calls_per_s", "calls"), ("errors_per_s", "errors")]),
    ("gc ", &[("pause_ratio", "of the time")]),
    ("log ", &[("requests_per_s", "requests"), ("duration_ms", "mean"), ("errors_per_s", "errors")]),
];

/// Nothing, unless somebody watches more than this host or asks for everything.
pub(super) fn write(page: &mut Page, view: &View, wide: bool) {
    if view.hosts.is_empty() || !(wide || view.watches) {
        return;
    }
    page.heading(&format!("Hosts ({})", view.phase.name));
    for host in &view.hosts {
        let text = host_text(host);
        if !text.is_empty() {
            page.entry(&host.name, &text);
        }
        let services = SERVICES.iter().flat_map(|words| services(host, words, &view.log_errors));
        for (name, text) in services.take(SERVICES_MAX) {
            page.item("–", Ink::Dim, &format!("{name}: {text}"));
        }
    }
}

/// Processors, memory, the busiest disk and the busiest interface.
fn host_text(host: &HostView) -> String {
    let mean = |source: &str, metric: &str| figure(host, source, metric).and_then(|row| row.mean);
    let mut parts = Vec::new();
    if let (Some(busy), Some(cores)) = (mean("cpu", "busy_cores"), mean("cpu", "cores_count")) {
        let waiting = mean("cpu", "waiting_count")
            .map_or_else(String::new, |waiting| format!(", {} waiting", number::digits(waiting)));
        parts.push(format!("{} of {} cores busy{waiting}", number::digits(busy), number::digits(cores)));
    }
    if let (Some(left), Some(all)) = (mean("memory", "available_bytes"), mean("memory", "total_bytes")) {
        parts.push(format!("{} of {} memory left", number::bytes(left), number::bytes(all)));
    }
    if let Some((source, queue)) = most(host, "disk ", "queue_count") {
        let time = mean(&source, "await_ms").map_or_else(String::new, |ms| format!(" of {}", number::time(ms * 1e6)));
        parts.push(format!("{source}: {} transfers{time}", number::digits(queue)));
    }
    if let Some((source, received)) = most(host, "net ", "received_bytes_per_s") {
        parts.push(format!("{source}: {}/s in", number::bytes(received)));
    }
    parts.join("; ")
}

fn services<'a>(host: &'a HostView, (prefix, metrics): &'a Words, errors: &[LogErrors]) -> Vec<(&'a str, String)> {
    let mut names: Vec<&str> = host.figures.iter().map(|row| row.source.as_str()).collect();
    names.retain(|source| source.starts_with(prefix));
    names.dedup();
    let text = |source: &str| {
        let of_log = |log: &&LogErrors| log.host == host.name && log.source == source;
        if let Some(log) = errors.iter().find(of_log) {
            return log.text();
        }
        let told = metrics.iter().filter_map(|(metric, word)| {
            let row = figure(host, source, metric)?;
            Some(format!("{} {word}", number::in_unit(row.mean?, &row.unit)))
        });
        told.take(FIGURES_MAX).collect::<Vec<_>>().join(", ")
    };
    let lines = names.into_iter().map(|source| (source, text(source)));
    lines.filter(|(_, text)| !text.is_empty()).collect()
}

fn figure<'a>(host: &'a HostView, source: &str, metric: &str) -> Option<&'a FigureRow> {
    host.figures.iter().find(|row| row.source == source && row.metric == metric)
}

/// The source that has most of a figure, and how much.
fn most(host: &HostView, prefix: &str, metric: &str) -> Option<(String, f64)> {
    let rows = host.figures.iter().filter(|row| row.source.starts_with(prefix) && row.metric == metric);
    let known = rows.filter_map(|row| Some((row.source.clone(), row.mean?)));
    known.max_by(|a, b| a.1.total_cmp(&b.1))
}
