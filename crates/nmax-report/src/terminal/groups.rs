//! Tables of what is gathered by name: transactions, pages, transitions, locations. Only where there is something.

use super::text::{Ink, left, right, shorten};
use super::{Page, more};
use crate::number;
use crate::view::View;
use nmax_analysis::summary::{GroupRow, LocationRow, MetricRow, PageRow, SHOWN};

/// Most rows of a table; the page and the files have the others.
const ROWS_MAX: usize = 40;
/// Widest column of names.
const NAME_MAX: usize = 48;

/// A column: its title, its width and its cell.
type Column<R> = (&'static str, usize, fn(&R) -> String);

const TIMED: [Column<GroupRow>; 6] = [
    ("count", 7, |row| number::short_count(row.count)),
    ("failed", 7, |row| number::share_or_unknown(row.failure_rate)),
    ("rate", 9, |row| number::rate_or_unknown(row.rate_per_s)),
    ("p50", 8, |row| number::time_or_unknown(row.time.p50())),
    ("p95", 8, |row| number::time_or_unknown(row.time.p95())),
    ("p99", 8, |row| number::time_or_unknown(row.time.p99())),
];

const PAGES: [Column<PageRow>; 7] = [
    ("count", 7, |row| number::short_count(row.pages.count)),
    ("failed", 7, |row| number::share_or_unknown(row.pages.failure_rate)),
    ("p50", 8, |row| number::time_or_unknown(row.pages.time.p50())),
    ("p95", 8, |row| number::time_or_unknown(row.pages.time.p95())),
    ("bytes", 9, |row| row.bytes_per_page().map_or_else(|| number::UNKNOWN.to_owned(), number::bytes)),
    ("res.", 6, |row| number::digits(row.resources as f64 / row.pages.count.max(1) as f64)),
    ("cached", 7, |row| {
        let share = (row.resources > 0).then(|| row.cached as f64 / row.resources as f64);
        number::share_or_unknown(share)
    }),
];

const LOCATIONS: [Column<LocationRow>; 6] = [
    ("count", 7, |row| number::short_count(row.exchanges.count)),
    ("failed", 7, |row| number::share_or_unknown(row.exchanges.failure_rate)),
    ("p50", 8, |row| number::time_or_unknown(row.exchanges.time.p50())),
    ("p95", 8, |row| number::time_or_unknown(row.exchanges.time.p95())),
    ("page p95", 9, |row| number::time_or_unknown(row.pages.time.p95())),
    ("iter. p95", 10, |row| number::time_or_unknown(row.iterations.time.p95())),
];

/// Writes the tables.
pub(super) fn write(page: &mut Page, view: &View) {
    let phase = view.summary.phase.name;
    let name = |row: &GroupRow| row.name.clone();
    table(page, &format!("Pages (phase {phase})"), &view.summary.pages, &PAGES, |row| name(&row.pages));
    table(page, &format!("Transactions (phase {phase})"), &view.summary.transactions, &TIMED, name);
    table(page, &format!("Transitions (phase {phase})"), &view.summary.transitions, &TIMED, name);
    metrics(page, view);
    table(page, &format!("Locations (phase {phase})"), &view.summary.locations, &LOCATIONS, |row| name(&row.exchanges));
}

/// A table of each kind of the user's own metrics.
fn metrics(page: &mut Page, view: &View) {
    for (kind, heading, figures) in SHOWN {
        let rows: Vec<&MetricRow> = view.summary.metrics.iter().filter(|row| row.metric.kind == kind).collect();
        let heading = format!("{heading} (phase {})", view.summary.phase.name);
        let figures = [("count", "count")].iter().chain(figures).chain(&[("unread", "unread")]);
        let column = |(name, title): &(&'static str, _)| {
            let name = *name;
            (*title, 9, move |row: &&MetricRow| number::own(row, name))
        };
        table(page, &heading, &rows, &figures.map(column).collect::<Vec<_>>(), |row| row.title());
    }
}

fn table<R>(
    page: &mut Page,
    heading: &str,
    rows: &[R],
    columns: &[(&str, usize, impl Fn(&R) -> String)],
    named: impl Fn(&R) -> String,
) {
    if rows.is_empty() {
        return;
    }
    page.heading(heading);
    let numbers: usize = columns.iter().map(|(_, width, _)| width).sum();
    let name = page.width.saturating_sub(numbers).min(NAME_MAX);
    let titles: String = columns.iter().map(|(title, width, _)| right(title, *width)).collect();
    let titles = page.paint(&(left("", name) + &titles), Ink::Dim);
    page.line(titles);
    for row in rows.iter().take(ROWS_MAX) {
        let cells: String = columns.iter().map(|(_, width, cell)| right(&cell(row), *width)).collect();
        page.line(&(left(&shorten(&named(row), name), name) + &cells));
    }
    more(page, rows.len(), ROWS_MAX, "rows in the report");
}
