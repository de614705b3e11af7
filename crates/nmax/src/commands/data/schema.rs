//! The JSON Schema (2020-12) of what `nmax data check` prints.

use serde_json::Value;

use super::skew::hash_name;
use crate::args::HashName;
use crate::commands::schema::{
    allow, boolean, count, described, document, first_version, list, number, one_of, or_null, record, text,
};

/// The schema. `shards` is absent where nobody asked for them.
pub fn schema() -> Value {
    let value = record(&[("value", text()), ("count", count())]);
    let mut column = record(&[
        ("name", text()),
        ("count", described(count(), "Values that are not empty.")),
        ("empty", count()),
        ("distinct", described(count(), "Different values.")),
        ("duplicates", described(count(), "Values beyond the first of each kind.")),
        ("is_exact", described(boolean(), "All was counted; else estimated within a few percent.")),
        ("top", described(list(value), "The commonest first.")),
        ("top_count_error", described(count(), "How much too low the counts of `top` may be.")),
        ("top_1_share", described(number(), "Of the values, 0 to 1.")),
        ("top_10_share", number()),
        ("gini", described(or_null(number()), "0 where all values are equally common.")),
        ("zipf_exponent", described(or_null(number()), "Null for fewer than ten values.")),
    ]);
    let spread = || {
        record(&[
            ("rows", described(list(count()), "Of each shard.")),
            ("largest_to_mean", described(or_null(number()), "Null without values.")),
        ])
    };
    let hashes = [HashName::Fnv, HashName::Murmur3, HashName::Crc32];
    let shards = record(&[
        ("hash", one_of(hashes.map(hash_name))),
        ("by_hash", spread()),
        ("by_range", described(spread(), "Ranges with as many different values each.")),
    ]);
    allow(&mut column, "shards", described(shards, "Absent without --shards."));
    document("nmax data check", &[first_version(), ("file", text()), ("rows", count()), ("columns", list(column))])
}
