//! The rows of a comparison: as a document, and as reports show them.

use nmax_log::fidelity::{Measure, Row, Verdict};
use nmax_report::view::{Likeness, LikenessMark, LikenessRow};
use serde_json::{Value, json};

/// Version of the document that a comparison is written as.
const SCHEMA_VERSION: u64 = 1;

/// A comparison as a document.
pub(super) fn to_json(source: &str, rows: &[Row], notes: &[String]) -> Value {
    json!({ "schema_version": SCHEMA_VERSION, "source": source, "rows": rows, "notes": notes })
}

/// A comparison of such a document; `None` when it is none.
pub(super) fn of_json(value: &Value) -> Option<(String, Vec<Row>, Vec<String>)> {
    if value["schema_version"].as_u64()? != SCHEMA_VERSION {
        return None;
    }
    let rows = serde_json::from_value(value["rows"].clone()).ok()?;
    let notes = serde_json::from_value(value["notes"].clone()).ok()?;
    Some((value["source"].as_str()?.to_owned(), rows, notes))
}

/// A comparison as reports show it.
pub(super) fn likeness(source: &str, rows: &[Row], notes: &[String]) -> Likeness {
    Likeness { source: source.to_owned(), rows: rows.iter().map(row).collect(), notes: notes.to_vec() }
}

fn row(row: &Row) -> LikenessRow {
    let (verdict, mark) = match row.verdict {
        Verdict::Alike => ("alike", LikenessMark::Alike),
        Verdict::Near => ("near", LikenessMark::Near),
        Verdict::Unlike => ("unlike", LikenessMark::Apart),
        Verdict::Faster => ("faster", LikenessMark::Neutral),
        Verdict::Slower => ("slower", LikenessMark::Neutral),
        Verdict::Unknown => ("not known", LikenessMark::Neutral),
    };
    let measure = match row.measure {
        Measure::TotalVariation => "total variation",
        Measure::KolmogorovSmirnov => "Kolmogorov-Smirnov",
        Measure::Ratio => "run / source",
    };
    LikenessRow {
        what: row.what.clone(),
        source: row.source.clone(),
        run: row.run.clone(),
        distance: row.distance,
        measure: measure.to_owned(),
        verdict: verdict.to_owned(),
        mark,
        why: row.why.clone(),
    }
}
