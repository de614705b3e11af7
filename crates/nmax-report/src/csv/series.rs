//! Several runs in one summary.

use nmax_analysis::compare::{Load, Metric};

use super::decimal;
use crate::doc::table::Table;
use crate::series::{SeriesRun, SeriesView};

/// A row for each run, oldest first. Times are milliseconds, unknown is empty.
pub fn series(view: &SeriesView) -> String {
    let exact = |figure: Option<f64>| figure.map_or_else(String::new, decimal);
    let of = |metric: Metric| move |run: &SeriesRun| exact(run.figures.values.get(metric));
    let table = Table::from_rows(&view.runs)
        .word("run", |run| &run.figures.origin.label)
        .word("name", |run| &run.figures.origin.name)
        .word("profile", |run| run.figures.origin.profile.clone().unwrap_or_default())
        .word("started_at", |run| &run.figures.origin.started_at)
        .word("verdict", |run| run.verdict().map_or("", |verdict| verdict.name()))
        .word("incomplete", |run| run.figures.incomplete.clone().unwrap_or_default())
        .number("intended_rate_per_s", |run| match run.figures.origin.load {
            Load::Open(rate) => decimal(rate),
            _ => String::new(),
        })
        .number("intended_vus", |run| match run.figures.origin.load {
            Load::Closed(vus) => decimal(vus),
            _ => String::new(),
        })
        .number("achieved_rate_per_s", |run| exact(run.figures.achieved_per_s))
        .number("count", |run| run.figures.count.to_string())
        .number("rate_per_s", of(Metric::Throughput))
        .number("failure_rate", of(Metric::FailureRate))
        .number("response_time_p50_ms", of(Metric::ResponseP50))
        .number("response_time_p95_ms", of(Metric::ResponseP95))
        .number("response_time_p99_ms", of(Metric::ResponseP99))
        .word("note", |run| &run.figures.origin.note);
    super::table(&table)
}
