//! The JSON Schema (2020-12) of what `nmax explain` prints.

use nmax_analysis::explain::Weight;
use serde_json::Value;

use crate::commands::schema::{described, document, first_version, list, one_of, record, text};

/// The schema.
pub fn schema() -> Value {
    let code = record(&[
        ("code", text()),
        ("title", text()),
        ("weight", described(one_of(Weight::ALL.map(Weight::name)), "What it may do to the verdict.")),
        ("means", text()),
        ("computed", text()),
        ("remedy", text()),
    ]);
    document("nmax explain", &[first_version(), ("codes", list(code))])
}
