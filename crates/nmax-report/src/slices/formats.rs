//! The answer for programs: JSON and CSV. Times are ms, rates per second, bytes and counts whole.

use nmax_json::schemars::json_schema;
use nmax_json::{Map, Version, Word, records};
use nmax_slice::measure::{Measure, Unit};
use nmax_slice::saved::Saved;
use nmax_slice::{Answer, Cell, Kind, Request, Row, civil};
use nmax_text::csv::harmless;
use serde_json::{Value, json};

use super::SliceView;
use crate::csv::quote;

const NS_PER_MS: f64 = 1e6;

/// All of an answer.
pub fn json(view: &SliceView, request: &Request) -> Value {
    nmax_json::value::<Sliced, _>((view, request))
}

/// JSON Schema of `nmax slice --json`.
pub fn schema() -> Value {
    let about = "Spans of time are in ms, instants in s since the start of the run (of logs: since 1970), rates per second. \
                 null is not known.";
    nmax_json::schema::<Sliced>("What `nmax slice --json` prints", about)
}

records! {
    struct Sliced(of: (&SliceView, &Request)) {
        schema_version: Version = Version;
        #[schemars(with = "Origin")]
        source: Value = of.0.source.clone(), "What was read: a run, and which of its files, or access logs";
        request: SliceRequest = (of.1, &None), "The slice as it was asked for";
        keys: Vec<String> = of.0.answer.keys.iter().map(|(label, _)| label).collect::<Vec<_>>();
        measures: Vec<Measured> = &of.0.answer.measures;
        rows: Vec<Group> = of.0.answer.rows.iter().map(|row| (&of.0.answer, row)).collect::<Vec<_>>();
        other: Option<Together> = of.0.answer.other.as_ref().map(|row| (&of.0.answer, row)),
            "Groups that are not shown, together";
        other_groups: Option<u64> = of.0.answer.other_groups, "null: too many to count, or none";
        total: Together = (&of.0.answer, &of.0.answer.total);
        seen: u64 = of.0.answer.seen, "Exchanges that were looked at";
        #[schemars(with = "Option<f64>")]
        span_s: Option<Value> = of.0.answer.span.map(|(from, to)| seconds(to - from)), "Time that rates are over";
        #[schemars(with = "Option<f64>")]
        point_s: Option<Value> = of.0.answer.width.map(seconds), "Width of a point of the series";
        notes: Vec<String> = &of.0.answer.notes;
        warnings: Vec<String> = &of.0.warnings;
    }
    struct Measured(measure: &Measure) {
        name: String;
        unit: Word = unit(measure), in ["count", "ratio", "per_s", "ms", "bytes", "bytes_per_s"];
    }
    struct Together(of: (&Answer, &Row)) {
        #[schemars(with = "Map<Option<f64>>")] values: Map<Value> = figures(of.0, &of.1.values);
    }
    struct Group(of: (&Answer, &Row)) {
        #[schemars(with = "Map<Option<f64>>")] values: Map<Value> = figures(of.0, &of.1.values);
        #[schemars(extend("additionalProperties" = { "type": ["string", "number", "null"] }))]
        key: Map<Value> = of.1.key.iter().zip(&of.0.keys).map(|(cell, (label, kind))| (label, key(cell, *kind)))
            .collect::<Map<_>>();
        #[serde(skip_serializing_if = "Option::is_none")] #[schemars(with = "Vec<Point>")]
        series: Option<Vec<Point>> = of.0.width
            .map(|_| of.1.series.iter().map(|(at, values)| (of.0, *at, values)).collect::<Vec<_>>());
    }
    struct Point(of: (&Answer, i64, &Vec<Option<f64>>)) {
        #[schemars(with = "f64")] t: Value = seconds(of.1);
        #[schemars(with = "Map<Option<f64>>")] values: Map<Value> = figures(of.0, of.2);
    }
}

/// What a run, or logs, say of themselves.
struct Origin;
nmax_json::inline_schema!([] Origin, _generator => json_schema!({
    "type": "object",
    "required": ["kind"],
    "properties": {
        "kind": { "enum": ["run", "log"] },
        "id": { "type": "string" }, "name": { "type": "string" }, "started_at": { "type": "string" },
        "directory": { "type": "string" }, "phase": { "enum": ["hold", "whole"] },
        "from": {
            "enum": ["samples", "kept_samples", "windows"],
            "description": "kept_samples are chosen for what they are: no share of the run",
        },
        "files": { "type": "array", "items": { "type": "string" } }, "format": { "type": "string" },
        "lines": { "type": "integer" }, "parsed": { "type": "integer" }, "rejected": { "type": "integer" },
    },
}));

fn figures(answer: &Answer, values: &[Option<f64>]) -> Map<Value> {
    let values = answer.measures.iter().zip(values);
    values.map(|(measure, value)| (&measure.name, value.map_or(Value::Null, |value| figure(measure, value)))).collect()
}

fn figure(measure: &Measure, value: f64) -> Value {
    match measure.unit {
        Unit::Span => number((value / NS_PER_MS * 1e6).round() / 1e6),
        _ => number(value),
    }
}

/// A whole number without a decimal point, where it is one.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 { json!(value as i64) } else { json!(value) }
}

/// Times of keys are seconds, or RFC 3339 where they are dates.
fn key(cell: &Cell, kind: Kind) -> Value {
    match (cell, kind) {
        (Cell::Unknown, _) => Value::Null,
        (Cell::Text(text), _) => json!(&**text),
        (Cell::Number(ns), Kind::Calendar { .. }) => json!(rfc3339(*ns)),
        (Cell::Number(ns), Kind::Moment) => seconds(*ns),
        (Cell::Number(ns), Kind::Span) => number(*ns as f64 / NS_PER_MS),
        (Cell::Number(number), _) => json!(number),
    }
}

fn rfc3339(ns: i64) -> String {
    format!("{}Z", civil::stamp(ns, 0).replace(' ', "T"))
}

fn seconds(ns: i64) -> Value {
    number(ns as f64 / 1e9)
}

fn unit(measure: &Measure) -> &'static str {
    match measure.unit {
        Unit::Count | Unit::Number => "count",
        Unit::Ratio => "ratio",
        Unit::PerSecond => "per_s",
        Unit::Span => "ms",
        Unit::Bytes => "bytes",
        Unit::BytesPerSecond => "bytes_per_s",
    }
}

/// Slices kept under names, as `nmax slice --list` prints them.
pub fn list(slices: &Vec<(String, Saved)>) -> Value {
    nmax_json::value::<Slices, _>(slices)
}

/// JSON Schema of `nmax slice --list`.
pub fn list_schema() -> Value {
    nmax_json::schema::<Slices>("nmax slice --list", "")
}

records! {
    struct Slices(slices: &Vec<(String, Saved)>) {
        schema_version: Version = Version;
        slices: Vec<SavedSlice> = slices.iter().collect::<Vec<_>>();
    }
    struct SavedSlice(kept: &(String, Saved)) {
        name: String = &kept.0;
        #[serde(flatten)] asked: SliceRequest = (&kept.1.request, &kept.1.phase);
    }
    /// A slice as it was asked for; only what was asked for is there.
    #[schemars(description = "")]
    struct SliceRequest(asked: (&Request, &Option<String>)) {
        #[serde(skip_serializing_if = "Vec::is_empty")] r#where: Vec<String> = &asked.0.filter;
        #[serde(skip_serializing_if = "Vec::is_empty")] by: Vec<String> = &asked.0.by;
        #[serde(skip_serializing_if = "Vec::is_empty")] tag: Vec<String> = &asked.0.tags;
        #[serde(skip_serializing_if = "Vec::is_empty")] show: Vec<String> = &asked.0.show;
        #[serde(skip_serializing_if = "Option::is_none")] #[schemars(with = "String")]
        sort: Option<String> = &asked.0.sort;
        #[serde(skip_serializing_if = "Option::is_none")] #[schemars(with = "u64")]
        top: Option<u64> = &asked.0.top;
        #[serde(skip_serializing_if = "Option::is_none")] #[schemars(with = "String")]
        every: Option<String> = &asked.0.every;
        #[serde(skip_serializing_if = "Option::is_none")] #[schemars(with = "bool")]
        over_time: Option<bool> = asked.0.is_over_time.then_some(true);
        #[serde(skip_serializing_if = "Option::is_none")] #[schemars(with = "String")]
        phase: Option<String> = asked.1, in ["hold", "whole"];
    }
}

/// A line per group, or per group and point of time. The groups that are not shown are the line `(other)`.
pub fn csv(answer: &Answer) -> String {
    let mut head: Vec<String> = answer.keys.iter().map(|(label, _)| label.clone()).collect();
    if answer.width.is_some() {
        head.push("time_s".to_owned());
    }
    head.extend(answer.measures.iter().map(|measure| match measure.unit {
        Unit::Span => format!("{}_ms", measure.name),
        Unit::PerSecond | Unit::BytesPerSecond => format!("{}_per_s", measure.name),
        _ => measure.name.clone(),
    }));
    let mut page = line(&head);
    let values = |values: &[Option<f64>]| {
        let values = answer.measures.iter().zip(values);
        values
            .map(|(measure, value)| value.map_or(String::new(), |value| plain(&figure(measure, value))))
            .collect::<Vec<_>>()
    };
    for row in &answer.rows {
        let keys: Vec<String> =
            row.key.iter().zip(&answer.keys).map(|(cell, (_, kind))| plain(&key(cell, *kind))).collect();
        if answer.width.is_none() {
            page += &line(&[keys, values(&row.values)].concat());
            continue;
        }
        for (at, figures) in &row.series {
            page += &line(&[keys.clone(), vec![plain(&seconds(*at))], values(figures)].concat());
        }
    }
    if let Some(other) = answer.other.as_ref().filter(|_| answer.width.is_none()) {
        let mut keys = vec!["(other)".to_owned()];
        keys.resize(answer.keys.len(), String::new());
        page += &line(&[keys, values(&other.values)].concat());
    }
    page
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A line of CSV. Words that a spreadsheet would take for a formula are made harmless.
fn line(fields: &[String]) -> String {
    fields.iter().map(|text| quote(&harmless(text))).collect::<Vec<_>>().join(",") + "\n"
}
