//! What is gathered by name: scenarios, transactions, pages, transitions, locations.

use serde_json::{Value, json};

use super::{dist, micro_or_null, object};
use crate::view::View;
use nmax_analysis::summary::{GroupRow, LocationRow, PageRow, ScenarioRow};

pub(super) fn scenarios(view: &View) -> Value {
    let one = |row: &ScenarioRow| {
        json!({
            "iterations": row.iterations,
            "failed": row.failed,
            "rate_per_s": micro_or_null(row.rate_per_s),
            "iteration_time_ms": dist(&row.iteration_time),
        })
    };
    object(view.summary.scenarios.iter().map(|row| (row.name.clone(), one(row))))
}

pub(super) fn transactions(view: &View) -> Value {
    timed(&view.summary.transactions, "transaction_time_ms")
}

pub(super) fn transitions(view: &View) -> Value {
    timed(&view.summary.transitions, "transition_time_ms")
}

fn timed(rows: &[GroupRow], time: &str) -> Value {
    object(rows.iter().map(|row| (row.name.clone(), group(row, time))))
}

fn group(row: &GroupRow, time: &str) -> Value {
    let mut value = json!({
        "count": row.count,
        "failed": row.failed,
        "rate_per_s": micro_or_null(row.rate_per_s),
    });
    value[time] = dist(&row.time);
    value
}

pub(super) fn pages(view: &View) -> Value {
    let one = |row: &PageRow| {
        let mut value = group(&row.pages, "page_time_ms");
        let counts = [
            ("resources", row.resources),
            ("cached", row.cached),
            ("unchanged", row.unchanged),
            ("resources_failed", row.resources_failed),
            ("bytes_received", row.bytes_received),
        ];
        counts.iter().for_each(|(name, count)| value[*name] = json!(count));
        value
    };
    object(view.summary.pages.iter().map(|row| (row.pages.name.clone(), one(row))))
}

pub(super) fn locations(view: &View) -> Value {
    let one = |row: &LocationRow| {
        json!({
            "exchanges": row.exchanges.count,
            "failed": row.exchanges.failed,
            "response_time_ms": dist(&row.exchanges.time),
            "iterations": row.iterations.count,
            "iteration_time_ms": dist(&row.iterations.time),
            "pages": row.pages.count,
            "page_time_ms": dist(&row.pages.time),
        })
    };
    object(view.summary.locations.iter().map(|row| (row.exchanges.name.clone(), one(row))))
}
