//! What is gathered by name: pages, transactions, transitions, the user's own metrics, locations.

use nmax_analysis::NoInterval;
use nmax_analysis::summary::{Dist, GroupRow, MetricRow, SHOWN, Summary};

use crate::doc::table::{Cell, Table};
use crate::number::{self, time_or_unknown};

/// Titles of the columns of [`nmax_analysis::QUANTILES`].
pub(super) const QUANTILES: [&str; 5] = ["p50", "p90", "p95", "p99", "p99.9"];

/// The tables that have rows, each with its headings in the terminal and in the page.
pub(super) fn tables(summary: &Summary) -> Vec<((&'static str, &'static str), Table<()>)> {
    let mut all = vec![
        (("Pages", "Pages"), pages(summary)),
        (("Transactions", "Transactions"), transactions("transaction", &summary.transactions)),
        (("Transitions", "Transitions between pages"), transactions("from -> to", &summary.transitions)),
    ];
    all.extend(SHOWN.map(|(kind, heading, figures)| {
        let rows = summary.metrics.iter().filter(|row| row.metric.kind == kind);
        ((heading, heading), metrics(rows, figures))
    }));
    all.push((("Locations", "Locations"), locations(summary)));
    all.retain(|(_, table)| !table.is_empty());
    all
}

/// Name, count, failures and rate of a group.
pub(super) fn counted<'a, R>((name, count): (&str, &str), rows: &'a [R], of: fn(&R) -> &GroupRow) -> Table<&'a R> {
    Table::from_rows(rows)
        .named()
        .word(name, |row| &of(row).name)
        .short("", 0)
        .count(count, |row| of(row).count)
        .short("count", 7)
        .share("failed", |row| of(row).failure_rate)
        .short("failed", 7)
        .rate("rate", |row| of(row).rate_per_s)
}

/// With its times, of which the terminal has some.
pub(super) fn timed<'a, R: Copy>(
    table: Table<R>,
    median: &str,
    short: &[&'static str],
    of: impl Fn(R) -> &'a Dist,
) -> Table<R> {
    let mut table = table.group("");
    for (index, name) in QUANTILES.into_iter().enumerate() {
        table = table.number(if index == 0 { median } else { name }, |row| quantile(of(row), index));
        if short.contains(&name) {
            table = table.short(name, 8);
        }
    }
    table.time("max", |row| of(row).max_ns)
}

/// From one to another, with one unit where both have it: `51.6 – 57.0 ms`.
fn range(low: &str, high: &str) -> String {
    match (low.split_once(' '), high.split_once(' ')) {
        (Some((low, unit)), Some((_, other))) if unit == other => format!("{low} – {high}"),
        _ => format!("{low} – {high}"),
    }
}

/// A percentile with its interval below.
pub(super) fn quantile(dist: &Dist, index: usize) -> Cell {
    let value = Cell::from(time_or_unknown(dist.quantiles_ns[index]));
    match dist.intervals_ns[index] {
        Ok((low, high)) => value.small(range(&number::time(low as f64), &number::time(high as f64))),
        Err(NoInterval::NotExamined) => value,
        Err(_) if dist.count == 0 => value,
        Err(why) => value.small(why.text()),
    }
}

fn transactions(name: &str, rows: &[GroupRow]) -> Table<()> {
    let counted = counted((name, "count"), rows, |row| row).short("rate", 9);
    timed(counted, "time p50", &["p50", "p95", "p99"], |row| &row.time).done()
}

fn pages(summary: &Summary) -> Table<()> {
    let pages = counted(("page", "count"), &summary.pages, |row| &row.pages);
    timed(pages, "page time p50", &["p50", "p95"], |row| &row.pages.time)
        .group("")
        .bytes("bytes per page", |row| row.bytes_per_page())
        .short("bytes", 9)
        .count("resources", |row| row.resources)
        .count("from cache", |row| row.cached)
        .count("unchanged (304)", |row| row.unchanged)
        .count("failed", |row| row.resources_failed)
        .number("", |row| number::digits(row.resources as f64 / row.pages.count.max(1) as f64))
        .only_short("res.", 6)
        .share("", |row| (row.resources > 0).then(|| row.cached as f64 / row.resources as f64))
        .only_short("cached", 7)
        .done()
}

/// A kind of the user's own metrics.
fn metrics<'a>(rows: impl Iterator<Item = &'a MetricRow>, figures: &[(&'static str, &'static str)]) -> Table<()> {
    let mut table = Table::from_rows(rows).named().word("metric", |row| row.title()).short("", 0);
    for (name, title) in [&("count", "count")].into_iter().chain(figures).chain([&("unread", "unread")]) {
        table = table.number(*title, |row| number::own(row, name)).short(title, 9);
    }
    table.done()
}

fn locations(summary: &Summary) -> Table<()> {
    counted(("location", "requests"), &summary.locations, |row| &row.exchanges)
        .group("")
        .time("response p50", |row| row.exchanges.time.p50())
        .short("p50", 8)
        .time("p95", |row| row.exchanges.time.p95())
        .short("p95", 8)
        .time("p99", |row| row.exchanges.time.p99())
        .group("")
        .time("page p50", |row| row.pages.time.p50())
        .time("p95", |row| row.pages.time.p95())
        .short("page p95", 9)
        .group("")
        .time("iteration p50", |row| row.iterations.time.p50())
        .time("p95", |row| row.iterations.time.p95())
        .short("iter. p95", 10)
        .done()
}
