//! The JSON Schema (2020-12) of what `nmax fidelity` prints, and of `fidelity.json` in a run's directory.

use serde_json::Value;

use crate::commands::schema::{described, document, first_version, list, number, one_of, or_null, record, text};

/// The schema.
pub fn schema() -> Value {
    let topics = ["mix", "statuses", "arrivals", "sessions", "think", "popularity", "sizes", "latency"];
    let measures = ["total-variation", "kolmogorov-smirnov", "ratio"];
    let verdicts = ["alike", "near", "unlike", "faster", "slower", "unknown"];
    let row = record(&[
        ("topic", one_of(topics)),
        ("what", described(text(), "Such as `latency p95 of GET /item/{id}`.")),
        ("source", described(text(), "Figure of the source, for people.")),
        ("run", text()),
        ("distance", described(or_null(number()), "Null where one of them is unknown.")),
        ("measure", described(one_of(measures), "Of the distance; `ratio`: run over source.")),
        ("verdict", one_of(verdicts)),
        ("why", text()),
    ]);
    document(
        "nmax fidelity",
        &[
            first_version(),
            ("source", described(text(), "What the run is compared with.")),
            ("rows", list(row)),
            ("notes", list(text())),
        ],
    )
}
