//! The rows of a comparison: as a document, and as reports show them.

use nmax_json::{Version, records};
use nmax_log::fidelity::{Measure, Row, Verdict};
use nmax_report::view::{Likeness, LikenessMark, LikenessRow};
use serde_json::Value;

use super::Fidelity;

/// Version of the document that a comparison is written as.
const SCHEMA_VERSION: u64 = 1;

/// The JSON Schema of what `nmax fidelity --json` prints, and of `fidelity.json` in a run's directory.
pub fn schema() -> Value {
    nmax_json::schema::<Compared>("nmax fidelity", "")
}

const TOPICS: [&str; 8] = ["mix", "statuses", "arrivals", "sessions", "think", "popularity", "sizes", "latency"];

records! {
    pub(super) struct Compared(of: &Fidelity) {
        schema_version: Version = Version;
        source: String, "What the run is compared with.";
        rows: Vec<RowOf>;
        notes: Vec<String>;
    }
    pub(super) struct RowOf(row: &Row) {
        topic: String = nmax_json::word(&row.topic), in TOPICS;
        what: String, "Such as `latency p95 of GET /item/{id}`.";
        source: String, "Figure of the source, for people.";
        run: String;
        distance: Option<f64>, "Null where one of them is unknown.";
        measure: String = nmax_json::word(&row.measure), in ["total-variation", "kolmogorov-smirnov", "ratio"],
            "Of the distance; `ratio`: run over source.";
        verdict: String = nmax_json::word(&row.verdict), in ["alike", "near", "unlike", "faster", "slower", "unknown"];
        why: String;
    }
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
