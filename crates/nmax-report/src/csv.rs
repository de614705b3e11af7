//! One row per request name and one for all, for spreadsheets (RFC 4180).

use nmax_text::csv::{cell, harmless};
use nmax_text::shown_lines;

use crate::doc::table::{Alignment, Column, Table};
use crate::view::View;
use nmax_analysis::QUANTILES;
use nmax_analysis::summary::{Dist, PHASES, Stats};

mod scalability;
mod series;

pub use scalability::{coefficients, curves, measured, points};
pub use series::series;

/// Sums over exchanges in front of the times.
const SUMS_FIRST: usize = 2;
/// Those right behind the first three times; what was added since is last.
const SUMS_BEHIND: usize = 1;

/// The table of requests. Times are milliseconds, unknown is empty, lines end with CR LF. Quantiles of the response time
/// that are withheld are as measured, and named in the last column.
pub fn requests(view: &View) -> String {
    let mut header: Vec<String> = ["request", "count", "ok", "failed", "errors", "failure_rate", "rate_per_s"]
        .iter()
        .map(|name| (*name).to_owned())
        .collect();
    let mut sums = view.summary.total.sums().map(|(name, _)| name.to_owned());
    header.extend(sums.by_ref().take(SUMS_FIRST));
    for time in ["response_time", "service_time", "send_lag"] {
        header.extend(["mean", "min", "max"].map(|stat| format!("{time}_{stat}_ms")));
        header.extend(QUANTILES.map(|(quantile, _)| format!("{time}_{quantile}_ms")));
    }
    // New columns come last, so that those before keep their places.
    header.extend(sums.by_ref().take(SUMS_BEHIND));
    header.extend(TTFB.iter().map(|(name, _)| format!("ttfb_{name}_ms")));
    for phase in PHASES {
        header.push(format!("{phase}_count"));
        header.extend(["mean", "p95", "max"].map(|stat| format!("{phase}_{stat}_ms")));
    }
    header.push("response_time_withheld".into());
    header.extend(sums);
    let mut text = line(&header);
    for (name, stats) in &view.summary.requests {
        text.push_str(&line(&row(name, stats)));
    }
    text.push_str(&line(&row("total", &view.summary.total)));
    text
}

fn row(name: &str, stats: &Stats) -> Vec<String> {
    let mut cells = vec![harmless(name).into_owned()];
    cells.extend([stats.count, stats.ok, stats.failed, stats.errors].map(|n| n.to_string()));
    cells.extend([stats.failure_rate, stats.rate_per_s].map(|value| value.map_or_else(String::new, decimal)));
    let mut sums = stats.sums().map(|(_, sum)| sum.to_string());
    cells.extend(sums.by_ref().take(SUMS_FIRST));
    for dist in [&stats.times.response, &stats.times.service, &stats.times.send_lag] {
        cells.extend(times(dist));
    }
    cells.extend(sums.by_ref().take(SUMS_BEHIND));
    cells.extend(TTFB.iter().map(|(_, value)| milliseconds(value(&stats.times.ttfb))));
    for phase in PHASES {
        let found = stats.phases.iter().find(|row| row.name == phase);
        cells.push(found.map_or(0, |row| row.time.count).to_string());
        let time = found.map(|row| &row.time);
        let whole = |ns: Option<u64>| ns.map(|ns| ns as f64);
        cells.push(milliseconds(time.and_then(|time| time.mean_ns)));
        cells.push(milliseconds(whole(time.and_then(Dist::p95))));
        cells.push(milliseconds(whole(time.and_then(|time| time.max_ns))));
    }
    let withheld = QUANTILES.iter().zip(stats.withheld).filter(|(_, is_withheld)| *is_withheld);
    cells.push(withheld.map(|((name, _), _)| *name).collect::<Vec<_>>().join(" "));
    cells.extend(sums);
    cells
}

/// A figure of a distribution, ns.
type Figure = fn(&Dist) -> Option<f64>;

/// The columns of the time to the first byte.
const TTFB: [(&str, Figure); 5] = [
    ("mean", |dist| dist.mean_ns),
    ("p50", |dist| dist.p50().map(|ns| ns as f64)),
    ("p95", |dist| dist.p95().map(|ns| ns as f64)),
    ("p99", |dist| dist.p99().map(|ns| ns as f64)),
    ("max", |dist| dist.max_ns.map(|ns| ns as f64)),
];

fn milliseconds(ns: Option<f64>) -> String {
    ns.map_or_else(String::new, |ns| decimal_of(ns / 1e6, 3))
}

fn times(dist: &Dist) -> impl Iterator<Item = String> {
    let exact = [dist.mean_ns, dist.min_ns.map(|ns| ns as f64), dist.max_ns.map(|ns| ns as f64)];
    let quantiles = dist.quantiles_ns.map(|ns| ns.map(|ns| ns as f64));
    exact.into_iter().chain(quantiles).map(milliseconds)
}

fn decimal(value: f64) -> String {
    decimal_of(value, 6)
}

fn decimal_of(value: f64, digits: usize) -> String {
    // Halves are rounded as in JSON: formatting alone rounds them by what a float is a hair above or below.
    let value = nmax_json::rounded_to(value, 10f64.powi(digits as i32));
    nmax_text::number::trimmed(value, digits)
}

/// Titles with units, then rows. Words are made harmless, numbers have all their digits.
pub fn table<R>(table: &Table<R>) -> String {
    let columns: Vec<_> = table.columns.iter().filter(|column| column.title.is_some()).collect();
    let title = |column: &&Column| {
        let unit = if column.unit.is_empty() { String::new() } else { format!("({})", column.unit) };
        let parts = [column.group, column.title.as_deref().unwrap_or_default(), &unit];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    };
    let titles: Vec<String> = columns.iter().map(title).collect();
    let row = |row: usize| {
        let cells = columns.iter().map(|column| match (column.place, &column.cells[row]) {
            (Alignment::Number, cell) if column.unit.is_empty() && cell.exact.is_none() => cell.text.clone(),
            (Alignment::Number, cell) => cell.exact.clone().unwrap_or_default(),
            (_, cell) => harmless(&cell.line()).into_owned(),
        });
        line(&cells.collect::<Vec<_>>())
    };
    line(&titles) + &(0..table.len()).map(row).collect::<String>()
}

fn line(cells: &[String]) -> String {
    let quoted: Vec<String> = cells.iter().map(|text| quote(text)).collect();
    quoted.join(",") + "\r\n"
}

/// A cell of others, as it may be shown.
pub(crate) fn quote(text: &str) -> String {
    cell(&shown_lines(text)).into_owned()
}
