//! The schemas of `breakdown` and `hosts`.

use nmax_analysis::breakdown::Dimension;
use serde_json::{Value, json};

use super::{count, count_or_null, described, list, map, number, number_or_null, record, text};

pub(super) fn hosts() -> Value {
    let figure = record(&[
        ("source", text()),
        ("metric", text()),
        ("unit", text()),
        ("mean", number_or_null()),
        ("max", number_or_null()),
        ("covered", described(number(), "Share of the phase in which it was read, 0 to 1.")),
    ]);
    described(
        list(record(&[("name", text()), ("figures", list(figure))])),
        "Means and maxima in the phase of everything that was read, by host.",
    )
}

pub(super) fn log_errors() -> Value {
    let log = record(&[
        ("host", text()),
        ("source", text()),
        ("count", count()),
        ("kinds", described(map(count()), "The most frequent ones; those that name no kind are in `count` only.")),
    ]);
    described(list(log), "Errors in the phase of every followed log of an application.")
}

pub(super) fn breakdown() -> Value {
    let operations = record(&[("host", text()), ("what", text()), ("per_s", number()), ("per_request", number())]);
    record(&[
        ("rows", list(row())),
        ("bandwidth_bytes_per_s", number_or_null()),
        ("bandwidth_of", json!({ "type": ["string", "null"] })),
        ("operations", list(operations)),
        ("sides", maybe(sides())),
        ("notes", list(text())),
    ])
}

fn row() -> Value {
    record(&[
        ("dimension", json!({ "enum": Dimension::ALL.map(Dimension::name) })),
        ("value", text()),
        ("count", count()),
        ("rate_per_s", number_or_null()),
        ("failed", count_or_null()),
        ("response_time_ms", maybe(latency())),
        ("connect_ms", number_or_null()),
        ("ttfb_ms", number_or_null()),
        ("receive_ms", number_or_null()),
        ("bytes", number_or_null()),
        (
            "floor_ms",
            described(
                number_or_null(),
                "Bytes per exchange by the bandwidth that was measured, where that is much of the response time.",
            ),
        ),
    ])
}

fn latency() -> Value {
    record(&["mean", "p50", "p95", "p99"].map(|name| (name, number())))
}

fn sides() -> Value {
    let side = || record(&[("count", count()), ("time_ms", maybe(latency()))]);
    let row = record(&[
        ("name", described(text(), "Method and path template; empty for all requests.")),
        ("status", count_or_null()),
        ("client", side()),
        ("server", side()),
        ("upstream_ms", number_or_null()),
        ("outside_ms", described(number_or_null(), "The network, and the queue in front of the server.")),
        ("front_ms", number_or_null()),
    ]);
    record(&[
        ("logs", described(list(text()), "Logs that are the server's side, added together.")),
        ("behind", described(list(text()), "Logs of the servers behind these that tell their times.")),
        ("rows", list(row)),
        ("others", described(count(), "Requests in the log that were not the run's.")),
        ("offset_s", number_or_null()),
        ("notes", list(text())),
    ])
}

/// The same, or null.
fn maybe(mut kind: Value) -> Value {
    let name = kind["type"].clone();
    kind["type"] = json!([name, "null"]);
    kind
}
