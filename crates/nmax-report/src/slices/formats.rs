//! The answer for programs: JSON and CSV. Times are ms, rates per second, bytes and counts whole.

use nmax_json::{Version, records};
use nmax_slice::measure::{Measure, Unit};
use nmax_slice::saved::Saved;
use nmax_slice::{Answer, Cell, Kind, Request, Row, civil};
use nmax_text::csv::harmless;
use serde_json::{Map, Value, json};

use super::SliceView;
use crate::csv::quote;

/// Version of the shape.
const SCHEMA_VERSION: u64 = 1;
const NS_PER_MS: f64 = 1e6;

/// All of an answer.
pub fn json(view: &SliceView, request: &Request) -> Value {
    let answer = &view.answer;
    let measures = answer.measures.iter().map(|measure| json!({ "name": measure.name, "unit": unit(measure) }));
    let mut rows: Vec<Value> = Vec::new();
    for row in &answer.rows {
        let mut object = object(answer, row);
        let keys = row.key.iter().zip(&answer.keys);
        let keys: Map<String, Value> = keys.map(|(cell, (label, kind))| (label.clone(), key(cell, *kind))).collect();
        object.insert("key".to_owned(), Value::Object(keys));
        if answer.width.is_some() {
            let points = row.series.iter().map(|(at, values)| {
                let mut point = Map::new();
                point.insert("t".to_owned(), when(*at));
                point.insert("values".to_owned(), figures(answer, values));
                Value::Object(point)
            });
            object.insert("series".to_owned(), points.collect());
        }
        rows.push(Value::Object(object));
    }
    let span_s = answer.span.map(|(from, to)| number((to - from) as f64 / 1e9));
    json!({
        "schema_version": SCHEMA_VERSION,
        "source": view.source,
        "request": nmax_json::value::<Asked, _>((request, &None)),
        "keys": answer.keys.iter().map(|(label, _)| label).collect::<Vec<_>>(),
        "measures": measures.collect::<Vec<_>>(),
        "rows": rows,
        "other": answer.other.as_ref().map(|row| object(answer, row)),
        "other_groups": answer.other_groups,
        "total": object(answer, &answer.total),
        "seen": answer.seen,
        "span_s": span_s,
        "point_s": answer.width.map(|width| number(width as f64 / 1e9)),
        "notes": answer.notes,
        "warnings": view.warnings,
    })
}

fn object(answer: &Answer, row: &Row) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("values".to_owned(), figures(answer, &row.values));
    object
}

fn figures(answer: &Answer, values: &[Option<f64>]) -> Value {
    let values = answer.measures.iter().zip(values);
    values
        .map(|(measure, value)| (measure.name.clone(), value.map_or(Value::Null, |value| figure(measure, value))))
        .collect()
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
        (Cell::Number(ns), Kind::Moment) => number(*ns as f64 / 1e9),
        (Cell::Number(ns), Kind::Span) => number(*ns as f64 / NS_PER_MS),
        (Cell::Number(number), _) => json!(number),
    }
}

fn rfc3339(ns: i64) -> String {
    format!("{}Z", civil::stamp(ns, 0).replace(' ', "T"))
}

/// Seconds since the start of the run, or since 1970.
fn when(ns: i64) -> Value {
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
        slices: Vec<Kept> = slices.iter().collect::<Vec<_>>();
    }
    struct Kept(kept: &(String, Saved)) {
        name: String = &kept.0;
        #[serde(flatten)] asked: Asked = (&kept.1.request, &kept.1.phase);
    }
    /// A slice as it was asked for; only what was asked for is there.
    #[schemars(description = "")]
    struct Asked(asked: (&Request, &Option<String>)) {
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
            page += &line(&[keys.clone(), vec![plain(&when(*at))], values(figures)].concat());
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

/// JSON Schema of `nmax slice --json`.
pub fn schema() -> Value {
    let figures = json!({ "type": "object", "additionalProperties": { "type": ["number", "null"] } });
    let row = json!({ "type": "object", "properties": { "values": figures }, "required": ["values"] });
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What `nmax slice --json` prints",
        "description": "Spans of time are in ms, instants in s since the start of the run (of logs: since 1970), rates per second. null is not known.",
        "type": "object",
        "required": ["schema_version", "source", "request", "keys", "measures", "rows", "total", "seen", "notes", "warnings"],
        "properties": {
            "schema_version": { "const": SCHEMA_VERSION },
            "source": {
                "type": "object",
                "description": "What was read: a run, and which of its files, or access logs",
                "required": ["kind"],
                "properties": {
                    "kind": { "enum": ["run", "log"] },
                    "id": { "type": "string" }, "name": { "type": "string" }, "started_at": { "type": "string" },
                    "directory": { "type": "string" }, "phase": { "enum": ["hold", "whole"] },
                    "from": { "enum": ["samples", "kept_samples", "windows"], "description": "kept_samples are chosen for what they are: no share of the run" },
                    "files": texts, "format": { "type": "string" }, "lines": { "type": "integer" },
                    "parsed": { "type": "integer" }, "rejected": { "type": "integer" },
                },
            },
            "request": { "type": "object", "description": "The slice as it was asked for" },
            "keys": texts,
            "measures": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["name", "unit"],
                    "properties": {
                        "name": { "type": "string" },
                        "unit": { "enum": ["count", "ratio", "per_s", "ms", "bytes", "bytes_per_s"] },
                    },
                },
            },
            "rows": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["key", "values"],
                    "properties": {
                        "key": { "type": "object", "additionalProperties": { "type": ["string", "number", "null"] } },
                        "values": figures,
                        "series": {
                            "type": "array",
                            "items": {
                                "type": "object",
                                "required": ["t", "values"],
                                "properties": { "t": { "type": "number" }, "values": figures },
                            },
                        },
                    },
                },
            },
            "other": {
                "type": ["object", "null"],
                "description": "Groups that are not shown, together",
                "properties": { "values": figures },
                "required": ["values"],
            },
            "other_groups": { "type": ["integer", "null"], "description": "null: too many to count, or none" },
            "total": row,
            "seen": { "type": "integer", "description": "Exchanges that were looked at" },
            "span_s": { "type": ["number", "null"], "description": "Time that rates are over" },
            "point_s": { "type": ["number", "null"], "description": "Width of a point of the series" },
            "notes": texts,
            "warnings": texts,
        },
    })
}
