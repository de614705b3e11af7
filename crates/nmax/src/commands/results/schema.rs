//! The JSON Schema (2020-12) of what `nmax runs` prints.

use serde_json::Value;

use crate::commands::schema::{boolean, described, document, first_version, list, or_null, record, require, text};

/// The schema.
pub fn schema() -> Value {
    let one = || {
        record(&[
            ("id", text()),
            ("name", text()),
            ("started_at", described(text(), "RFC 3339 UTC.")),
            ("target", text()),
            ("note", text()),
            ("tags", list(text())),
            ("finished", boolean()),
            ("interrupted", boolean()),
            ("running", described(boolean(), "Some process still writes it.")),
            ("path", text()),
        ])
    };
    let mut run = one();
    require(
        &mut run,
        &[
            ("verdict", described(or_null(text()), "`pass`, `fail` or `invalid`; null without a summary.")),
            ("aborted", described(boolean(), "A condition ended it.")),
        ],
    );
    document(
        "nmax runs",
        &[
            first_version(),
            ("runs", described(list(run), "Newest first.")),
            ("scales", described(list(one()), "Campaigns of `nmax scale`.")),
        ],
    )
}
