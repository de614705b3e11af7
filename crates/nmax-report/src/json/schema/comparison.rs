//! The JSON Schemas (2020-12) of `nmax compare` and `nmax trend`.

use nmax_analysis::compare::Metric;
use serde_json::{Value, json};

use super::super::SCHEMA_VERSION;
use super::{boolean, count, described, list, number, number_or_null, record, text};

/// The schema of `nmax compare --json`. Every key is required; what is unknown is null.
pub fn comparison_schema() -> Value {
    whole(
        "nmax compare",
        &[
            ("schema_version", json!({ "const": SCHEMA_VERSION })),
            ("nmax_version", text()),
            ("said", described(said(), "The whole in one word; worse when a row is.")),
            ("weak", described(boolean(), "Too few runs for ranks in some row.")),
            ("margin", described(number(), "Share that counts as the same.")),
            ("failure_margin", described(number(), "The same for differences of failure rates.")),
            ("family", described(count(), "Rows that Holm's correction is for.")),
            ("runs_needed", described(count(), "Runs a side from which on ranks can tell among so many rows.")),
            ("history", described(count(), "Other runs that say how much equal runs differ.")),
            ("before", list(origin())),
            ("after", list(origin())),
            ("caveats", list(record(&[("text", text()), ("refuses", boolean())]))),
            ("only_before", list(text())),
            ("only_after", list(text())),
            ("left_out", count()),
            ("rows_silent", described(count(), "Rows that cannot tell a change and are not among these.")),
            ("rows", list(row())),
        ],
    )
}

/// The schema of `nmax trend --json`. Every key is required.
pub fn history_schema() -> Value {
    let run = record(&[
        ("id", text()),
        ("name", text()),
        ("started_at", text()),
        ("note", text()),
        ("tags", list(text())),
        ("verdict", text()),
        ("target", text()),
        ("plan_sha256", text()),
        ("value", number()),
    ]);
    let change = record(&[
        ("run", described(text(), "Id of the first run after it.")),
        ("at", described(count(), "Its place in `runs`, from 0.")),
        ("change", number()),
        ("interval", interval("array")),
        ("p", described(number(), "Times the places where it could have been.")),
        ("said", said()),
    ]);
    let level = record(&[("from", count()), ("to", count()), ("median", number())]);
    whole(
        "nmax trend",
        &[
            ("schema_version", json!({ "const": SCHEMA_VERSION })),
            ("nmax_version", text()),
            ("title", text()),
            ("metric", metric()),
            ("unit", unit()),
            ("request", text()),
            ("margin", number()),
            ("runs", list(run)),
            ("levels", described(list(level), "Runs from one place to the one before another, between changes.")),
            ("changes", list(change)),
            ("notes", list(text())),
        ],
    )
}

fn whole(title: &str, fields: &[(&'static str, Value)]) -> Value {
    let mut root = record(fields);
    let words = root.as_object_mut().expect("built as an object");
    words.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
    words.insert("title".into(), json!(title));
    let note = "Times are milliseconds, rates per second, instants RFC 3339 UTC. Unknown is null.";
    words.insert("description".into(), json!(note));
    root
}

fn origin() -> Value {
    let optional = json!({ "type": ["string", "null"] });
    record(&[
        ("label", text()),
        ("kind", json!({ "enum": ["run", "log"] })),
        ("name", text()),
        ("note", text()),
        ("tags", list(text())),
        ("started_at", text()),
        ("target", text()),
        ("verdict", optional.clone()),
        ("plan_sha256", text()),
        ("hold_s", number()),
        ("rate_per_s", described(number_or_null(), "Iterations per second of an open workload.")),
        ("vus", described(number_or_null(), "Virtual users of a closed one.")),
        ("profile", optional),
    ])
}

fn row() -> Value {
    record(&[
        ("request", described(text(), "`total` is all of them.")),
        ("metric", metric()),
        ("unit", unit()),
        (
            "scale",
            described(
                json!({ "enum": ["ratio", "difference"] }),
                "`change` is after over before, or after less before.",
            ),
        ),
        ("before", number()),
        ("after", number()),
        ("change", number_or_null()),
        ("interval", interval("null")),
        ("p", described(number(), "Of this row alone.")),
        ("p_adjusted", described(number(), "In view of all rows (Holm).")),
        ("weak", boolean()),
        ("said", said()),
    ])
}

fn said() -> Value {
    json!({ "enum": ["worse", "better", "changed", "inconclusive", "equivalent"] })
}

fn metric() -> Value {
    json!({ "enum": Metric::ALL.map(Metric::name) })
}

fn unit() -> Value {
    json!({ "enum": ["ms", "/s", "ratio", "bytes"] })
}

/// A pair of numbers; `or` is another type that it may have.
fn interval(or: &str) -> Value {
    json!({ "type": ["array", or], "items": number(), "minItems": 2, "maxItems": 2 })
}
