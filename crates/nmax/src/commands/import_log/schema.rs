//! The JSON Schema (2020-12) of what `nmax import log` prints.

use serde_json::Value;

use crate::commands::schema::{count, described, document, first_version, list, map, number, record, text};

/// The schema. `lines` is the sum of `parsed`, `rejected`, `comments` and `blank`.
pub fn schema() -> Value {
    let example = record(&[("at", described(text(), "`FILE:LINE`")), ("line", text())]);
    let rejection = record(&[("reason", text()), ("count", count()), ("examples", list(example))]);
    document(
        "nmax import log",
        &[
            first_version(),
            ("format", text()),
            ("files", described(list(text()), "What was read.")),
            ("lines", count()),
            ("parsed", described(count(), "Requests.")),
            ("rejected", count()),
            ("comments", count()),
            ("blank", count()),
            ("rejections", described(list(rejection), "Why lines are no requests.")),
            ("requests", described(count(), "Of the chosen time.")),
            ("by_status", map(count())),
            ("by_method", map(count())),
            ("bytes", described(count(), "Of replies.")),
            ("first", described(text(), "First arrival, RFC 3339 UTC.")),
            ("last", text()),
            ("sessions", count()),
            ("scenarios", described(count(), "Of the plan.")),
            ("sessions_per_s", number()),
            ("requests_per_s", described(number(), "Resources included.")),
            ("covered", described(number(), "Share of the log's steps that the plan sends, 0 to 1.")),
            ("written", described(list(text()), "Files, the plan first.")),
            ("notes", list(text())),
            ("warnings", list(text())),
        ],
    )
}
