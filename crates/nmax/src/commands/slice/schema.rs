//! The JSON Schema (2020-12) of what `nmax slice --list` prints.

use serde_json::Value;

use crate::commands::schema::{allow, boolean, count, document, first_version, list, one_of, record, text};

/// The schema. Of a slice only what was asked for is there.
pub fn list_schema() -> Value {
    let texts = || list(text());
    let mut slice = record(&[("name", text())]);
    for (key, rules) in [
        ("where", texts()),
        ("by", texts()),
        ("tag", texts()),
        ("show", texts()),
        ("sort", text()),
        ("top", count()),
        ("every", text()),
        ("over_time", boolean()),
        ("phase", one_of(["hold", "whole"])),
    ] {
        allow(&mut slice, key, rules);
    }
    document("nmax slice --list", &[first_version(), ("slices", list(slice))])
}
