//! The table of requests: response, service and lag always together.

use nmax_analysis::Withheld;

use super::text::{Ink, left, right, shorten, width};
use super::{Lines, more};
use crate::number;
use crate::view::{View, WITHHELD, response_text};
use nmax_analysis::summary::Stats;

/// Most rows; the page and the files have the others.
const ROWS_MAX: usize = 40;
/// Most withheld times explained.
const WITHHELD_MAX: usize = 6;
/// Most lines of replies by status.
const STATUS_ROWS_MAX: usize = 9;
/// Columns before replies by status.
const STATUS_INDENT: usize = 10;
/// Least columns of a name beside its replies by status.
const STATUS_NAME_MIN: usize = 20;
/// From this width on, a row fits beside a readable name.
const ONE_LINE_MIN: usize = 78;

/// A column: group, title, width, and what stands in it.
struct Column {
    group: &'static str,
    title: &'static str,
    width: usize,
    cell: fn(&Stats) -> String,
}

const fn column(group: &'static str, title: &'static str, width: usize, cell: fn(&Stats) -> String) -> Column {
    Column { group, title, width, cell }
}

const COLUMNS: [Column; 8] = [
    column("", "count", 6, |stats| number::short_count(stats.count)),
    column("", "failed", 6, |stats| number::share_or_unknown(stats.failure_rate)),
    column("", "rate", 8, |stats| number::rate_or_unknown(stats.rate_per_s)),
    column("response", "p50", 7, |stats| response_text(stats, 0)),
    column("response", "p95", 7, |stats| response_text(stats, 2)),
    column("response", "p99", 7, |stats| response_text(stats, 3)),
    column("service", "p95", 7, |stats| number::time_or_unknown(stats.times.service.p95())),
    column("lag", "p99", 7, |stats| number::time_or_unknown(stats.times.send_lag.p99())),
];

const WIDE_COLUMNS: [Column; 26] = [
    column("", "count", 11, |stats| number::count(stats.count)),
    column("", "failed", 6, |stats| number::share_or_unknown(stats.failure_rate)),
    column("", "rate", 8, |stats| number::rate_or_unknown(stats.rate_per_s)),
    column("", "received", 8, |stats| number::bytes(stats.sums.bytes_received as f64)),
    column("", "sent", 8, |stats| number::bytes(stats.sums.bytes_sent as f64)),
    column("", "decoded", 8, |stats| number::bytes(stats.sums.bytes_decoded as f64)),
    column("response", "min", 7, |stats| number::time_or_unknown(stats.times.response.min_ns)),
    column("response", "mean", 7, |stats| mean(stats.times.response.mean_ns)),
    column("response", "p50", 7, |stats| response_text(stats, 0)),
    column("response", "p90", 7, |stats| response_text(stats, 1)),
    column("response", "p95", 7, |stats| response_text(stats, 2)),
    column("response", "p99", 7, |stats| response_text(stats, 3)),
    column("response", "p99.9", 7, |stats| response_text(stats, 4)),
    column("response", "max", 7, |stats| number::time_or_unknown(stats.times.response.max_ns)),
    column("service", "mean", 7, |stats| mean(stats.times.service.mean_ns)),
    column("service", "p50", 7, |stats| number::time_or_unknown(stats.times.service.p50())),
    column("service", "p95", 7, |stats| number::time_or_unknown(stats.times.service.p95())),
    column("service", "p99", 7, |stats| number::time_or_unknown(stats.times.service.p99())),
    column("service", "max", 7, |stats| number::time_or_unknown(stats.times.service.max_ns)),
    column("lag", "p50", 7, |stats| number::time_or_unknown(stats.times.send_lag.p50())),
    column("lag", "p99", 7, |stats| number::time_or_unknown(stats.times.send_lag.p99())),
    column("lag", "p99.9", 7, |stats| number::time_or_unknown(stats.times.send_lag.p999())),
    column("lag", "max", 7, |stats| number::time_or_unknown(stats.times.send_lag.max_ns)),
    column("first byte", "p50", 7, |stats| number::time_or_unknown(stats.times.ttfb.p50())),
    column("first byte", "p95", 7, |stats| number::time_or_unknown(stats.times.ttfb.p95())),
    column("first byte", "p99", 7, |stats| number::time_or_unknown(stats.times.ttfb.p99())),
];

fn mean(ns: Option<f64>) -> String {
    ns.map_or_else(|| number::UNKNOWN.into(), number::time)
}

/// Where names and numbers stand.
struct Layout {
    columns: &'static [Column],
    /// Columns of the name; `None` puts it on a line of its own.
    name: Option<usize>,
    /// Whether units follow their number without a space.
    tight: bool,
}

impl Layout {
    fn new(width: usize, wide: bool) -> Self {
        if wide {
            return Self { columns: &WIDE_COLUMNS, name: Some(32), tight: false };
        }
        let numbers: usize = COLUMNS.iter().map(|column| column.width + 1).sum();
        let name = (width >= ONE_LINE_MIN).then(|| (width - numbers).min(48));
        Self { columns: &COLUMNS, name, tight: name.is_none() }
    }

    /// Width of a column with the space before it, of which heads always have one.
    fn room(&self, column: &Column) -> usize {
        let head = column.title.len().max(if self.stands_alone(column) { column.group.len() } else { 0 });
        if self.tight { column.width.max(head + 1) } else { column.width + 1 }
    }

    /// Whether no other column is in its group.
    fn stands_alone(&self, column: &Column) -> bool {
        self.columns.iter().filter(|other| other.group == column.group).count() == 1
    }

    fn cells(&self, text: impl Fn(&Column) -> String) -> String {
        let cell = |column: &Column| {
            let text = text(column);
            let text = if self.tight { text.replace(' ', "") } else { text };
            right(&text, self.room(column))
        };
        self.columns.iter().map(cell).collect()
    }

    /// Group names, centered over their columns.
    fn groups(&self) -> String {
        let mut line = String::new();
        for group in self.columns.chunk_by(|a, b| a.group == b.group) {
            let room: usize = group.iter().map(|column| self.room(column)).sum();
            let name = group[0].group;
            let rule = room.saturating_sub(name.len() + 3);
            let text = if name.is_empty() || group.len() == 1 {
                right(name, room)
            } else {
                format!(" {} {name} {}", "─".repeat(rule / 2), "─".repeat(rule - rule / 2))
            };
            line.push_str(&text);
        }
        line
    }
}

/// Writes the table: one row per request name, then the total of several.
pub(super) fn write(page: &mut Lines, view: &View, wide: bool) {
    let layout = Layout::new(page.width, wide);
    let phase = &view.summary.phase;
    let (start, end) = (number::span(phase.start_s), number::span(phase.end_s));
    page.heading(&format!("Requests (phase {}, {start} to {end})", phase.name));
    let lead = " ".repeat(layout.name.unwrap_or(0));
    let groups = page.paint(&(lead + &layout.groups()), Ink::Dim);
    page.line(groups);
    let titles = left("", layout.name.unwrap_or(0)) + &layout.cells(|column| column.title.to_owned());
    let titles = page.paint(&titles, Ink::Dim);
    page.line(titles);
    for (name, stats) in view.summary.requests.iter().take(ROWS_MAX) {
        row(page, &layout, name, stats, Ink::Plain);
    }
    more(page, view.summary.requests.len(), ROWS_MAX, "request names in the report");
    if view.summary.requests.len() != 1 {
        row(page, &layout, "total", &view.summary.total, Ink::Bold);
    }
    withheld(page, view, wide);
    status(page, view);
}

/// Why cells have a mark in place of a time. With one request name, its row is that of the total.
fn withheld(page: &mut Lines, view: &View, wide: bool) {
    let titles = |one: &&Withheld| wide || ["p50", "p95", "p99"].contains(&one.quantile);
    let shown = |one: &&Withheld| one.request.is_none() || view.summary.requests.len() > 1;
    let all: Vec<_> = view.judgement.withheld.iter().filter(titles).filter(shown).collect();
    for one in all.iter().take(WITHHELD_MAX) {
        page.item(WITHHELD, Ink::Warning, &one.text());
    }
    more(page, all.len(), WITHHELD_MAX, "withheld times");
}

/// Replies by status: of all, and of the names that had others than the usual one.
fn status(page: &mut Lines, view: &View) {
    let rows = view.summary.by_status();
    for (name, replies) in rows.iter().take(STATUS_ROWS_MAX) {
        match name {
            None => page.entry("status", replies),
            Some(name) => {
                let room = page.width.saturating_sub(STATUS_INDENT + 2 + width(replies)).max(STATUS_NAME_MIN);
                page.entry("", &format!("{}: {replies}", shorten(name, room)));
            }
        }
    }
    more(page, rows.len(), STATUS_ROWS_MAX, "request names in the report");
}

fn row(page: &mut Lines, layout: &Layout, name: &str, stats: &Stats, ink: Ink) {
    let cells = layout.cells(|column| (column.cell)(stats));
    let line = match layout.name {
        Some(columns) => left(&shorten(name, columns), columns) + &cells,
        None => {
            let name = page.paint(&shorten(name, page.width), if ink == Ink::Plain { Ink::Accent } else { ink });
            page.line(name);
            cells
        }
    };
    let line = page.paint(&line, ink);
    page.line(line);
}
