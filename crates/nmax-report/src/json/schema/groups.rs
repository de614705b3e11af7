//! What is gathered by name, and what a run says beyond its numbers.

use serde_json::{Value, json};

use super::{boolean, count, described, list, number, number_or_null, record, reference, text};

fn all() -> Value {
    described(count(), "Those that reached their end, failed ones included.")
}

/// A group whose time has this key.
pub(super) fn timed(time: &str) -> Value {
    record(&[("count", all()), ("failed", count()), ("rate_per_s", number_or_null()), (time, reference("dist"))])
}

pub(super) fn page() -> Value {
    record(&[
        ("count", all()),
        ("failed", count()),
        ("rate_per_s", number_or_null()),
        ("page_time_ms", reference("dist")),
        ("resources", described(count(), "What belonged to the pages beside their documents.")),
        ("cached", described(count(), "Of those, from the cache without an exchange.")),
        ("unchanged", described(count(), "Of those, unchanged by the server's word (304).")),
        ("resources_failed", count()),
        ("bytes_received", described(count(), "Documents and resources, heads included.")),
    ])
}

pub(super) fn location() -> Value {
    record(&[
        ("exchanges", all()),
        ("failed", count()),
        ("response_time_ms", reference("dist")),
        ("iterations", all()),
        ("iteration_time_ms", reference("dist")),
        ("pages", all()),
        ("page_time_ms", reference("dist")),
    ])
}

pub(super) fn steady() -> Value {
    let test = record(&[
        ("name", text()),
        ("drift", described(number_or_null(), "Change over the hold, of the median, by the Theil-Sen slope.")),
        ("drift_limit", number()),
        ("kpss", number_or_null()),
        ("adf", described(number_or_null(), "Decides nothing.")),
        ("holds", maybe(boolean())),
    ]);
    let steady = record(&[
        ("holds", described(maybe(boolean()), "Null when there was too little to tell.")),
        ("transient_s", described(number_or_null(), "Beginning of the hold that is a transient by MSER-5.")),
        ("series", list(test)),
        ("text", text()),
    ]);
    described(maybe(steady), "Whether the hold stood still; null without a hold.")
}

pub(super) fn profile() -> Value {
    let finding = record(&[
        ("code", text()),
        ("subject", described(text(), "What it is of; empty when it is of all.")),
        ("value", number_or_null()),
        ("low", described(number_or_null(), "Of the 95 % interval.")),
        ("high", described(number_or_null(), "Of the 95 % interval.")),
        ("unit", text()),
        ("text", text()),
        ("trouble", boolean()),
    ]);
    let profile = record(&[
        ("name", json!({ "enum": ["smoke", "ladder", "peak", "stress", "soak", "flood"] })),
        ("headline", text()),
        ("findings", list(finding)),
    ]);
    described(maybe(profile), "What the run says to the question of its profile.")
}

pub(super) fn intervention() -> Value {
    let figures = || {
        maybe(record(&[
            ("length_s", number()),
            ("throughput_per_s", described(number(), "Exchanges that ended.")),
            ("failure_rate", number()),
            ("p50_ms", number_or_null()),
            ("p95_ms", number_or_null()),
        ]))
    };
    record(&[
        ("name", text()),
        ("start_s", number()),
        ("end_s", described(number_or_null(), "Null when it was never undone or over.")),
        ("error", described(maybe(text()), "Why its action or its undo failed.")),
        ("before", figures()),
        ("during", figures()),
        ("after", figures()),
        (
            "worst_p95_ms",
            described(
                number_or_null(),
                "Largest p95 of a stretch of the course from the beginning of the intervention until the figures were as before.",
            ),
        ),
        (
            "recovery_s",
            described(number_or_null(), "From its end until the figures were as before; null when that was not seen."),
        ),
        ("text", text()),
    ])
}

pub(super) fn observed() -> Value {
    record(&[
        ("name", text()),
        ("metric", described(text(), "With its unit, such as `memory_bytes`.")),
        ("first", number()),
        ("last", number()),
        ("max", number()),
    ])
}

/// The same, or null.
fn maybe(mut kind: Value) -> Value {
    let name = kind["type"].clone();
    kind["type"] = json!([name, "null"]);
    kind
}
