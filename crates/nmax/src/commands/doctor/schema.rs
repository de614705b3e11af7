//! The JSON Schema (2020-12) of what `nmax doctor` prints.

use nmax_run::host::Level;
use serde_json::Value;

use crate::commands::schema::{described, document, first_version, list, number, one_of, or_null, record, text};

/// The schema.
pub fn schema() -> Value {
    let levels = || one_of([Level::Ok, Level::Note, Level::Warning, Level::Error].map(Level::word));
    let finding = || {
        record(&[
            ("code", text()),
            ("level", levels()),
            ("what", described(text(), "What was looked at.")),
            ("value", described(text(), "For people.")),
            ("figure", described(or_null(number()), "The value as a number, where it is one.")),
            ("limit", described(or_null(number()), "What the figure is held against.")),
            ("meaning", text()),
            ("remedy", described(or_null(text()), "Null when there is nothing to do.")),
        ])
    };
    let forecast = described(or_null(list(finding())), "Of the plan on this host; null without a plan.");
    document(
        "nmax doctor",
        &[
            first_version(),
            ("level", described(levels(), "Of the worst.")),
            ("checks", described(list(finding()), "Of this host.")),
            ("forecast", forecast),
        ],
    )
}
