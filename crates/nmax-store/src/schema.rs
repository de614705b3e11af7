//! JSON Schemas of the files of a run's directory, kept fresh in `docs/schema/` by a test.

use nmax_json::schema;
use nmax_metrics::{Aggregate, Group};
use serde_json::{Map, Value, json};

use crate::line::length_of;
use crate::line::row::{Column, SHAPES, Shape};
use crate::records::{EventLine, FailureLine, ReadingsLine, ResourceLine};
use crate::{InjectorRecord, Manifest, Steered};

/// File name below `docs/schema/` and schema of every JSON file and every JSON line of a run's directory, except
/// `summary.json`.
pub fn all() -> Vec<(&'static str, Value)> {
    let manifest = "What was run, on what, when. Written once, before the first request.";
    let failures = "A failed exchange, redacted: the first 100 of each kind.";
    vec![
        ("manifest.schema.json", schema::<Manifest>("nmax manifest.json", manifest)),
        (
            "steered.schema.json",
            schema::<Steered>("nmax steered.json", "What a run went by since its load was changed."),
        ),
        (
            "injector.schema.json",
            schema::<InjectorRecord>("nmax injectors/N/injector.json", "One of several injectors of a run."),
        ),
        ("names.schema.json", names()),
        ("windows.schema.json", windows()),
        ("failures.schema.json", schema::<FailureLine>("a line of nmax failures.jsonl", failures)),
        ("resources.schema.json", schema::<ResourceLine>("a line of nmax resources.jsonl", "A reading of a host.")),
        (
            "rollup-resources.schema.json",
            schema::<ReadingsLine>("a line of resources.jsonl in a rollup of nmax", "Readings of hosts added up."),
        ),
        (
            "events.schema.json",
            schema::<EventLine>("a line of nmax events.jsonl", "Something that happened during the run."),
        ),
    ]
}

fn names() -> Value {
    let mut lists = vec![("requests", strings("request names; id n is tag rN"))];
    let none = Aggregate::default();
    lists.extend(Group::ALL.map(|group| {
        let has_tags = !none.table(group).distribution_names().is_empty();
        let tags = if has_tags { format!("; id n is tag {}N", group.letter()) } else { String::new() };
        let kind = match group {
            Group::Metric => ", as `KIND NAME UNIT #TAG`; absent without any",
            Group::Failure => ", by what they are; absent without any",
            _ => "",
        };
        (group.plural(), strings(&format!("{} names{kind}{tags}", group.name())))
    }));
    let overflowed = "how often a request name beyond the cap was asked for; it is counted as `other`";
    lists.push(("overflowed", count(overflowed)));
    document("nmax names.json", "Names behind ids: an id is the position in its list, from 0.", &lists)
}

fn windows() -> Value {
    let histogram = object(&[
        ("tag", string("tag of the line in latency.hlog")),
        ("count", count("number of values")),
        ("sum_ns", count("exact sum, ns; may exceed 64 bits; of metrics in the unit of their tag")),
        ("min_ns", count("exact smallest value, ns")),
        ("max_ns", count("exact largest value, ns")),
        ("clamped", count("values above one hour (3.6e12), counted as one hour")),
    ]);
    let lengths = Group::ALL.map(|group| (length_of(group), format!("{} seen so far by the writer", group.plural())));
    let mut fields = vec![
        ("index", count("number of the window; it begins at index * width_ns")),
        ("start_ns", count("its start, ns since the start of the run")),
        ("width_ns", count("its width, ns")),
    ];
    let place = |about: &str| {
        let mut place = object(&[("bytes", count("bytes before it")), ("lines", count("lines before it"))]);
        place["description"] = about.into();
        place
    };
    let span = || object(&[("from", place("where they begin")), ("to", place("where they end"))]);
    let mut parts = object(&[("windows", span()), ("latency", span())]);
    parts["description"] =
        "in a rollup: the lines of windows.jsonl and latency.hlog of the run that it is the sum of".into();
    fields.push((PARTS, parts));
    fields.extend(lengths.iter().map(|(name, about)| (name.as_str(), count(about))));
    fields.extend([
        ("hold", section("phase hold, which statistics are made of")),
        ("outside", section("ramps and warm-up")),
        ("histograms", list(histogram, "the window's lines of latency.hlog, in their order")),
    ]);
    let about = "One window: everything but the buckets of its histograms.";
    document("a line of nmax windows.jsonl", about, &fields)
}

fn section(description: &str) -> Value {
    let mut rows = vec![("requests", list(row(&SHAPES.request, "request id"), "request names with exchanges"))];
    rows.extend(Group::ALL.map(|group| {
        let rows = row(SHAPES.group(group), &format!("{} id", group.name()));
        (group.plural(), list(rows, group.about()))
    }));
    rows.push(("load", row(&SHAPES.load, "")));
    let mut section = object(&rows);
    section["description"] = description.into();
    section
}

/// A row of counts; those of a part are an object.
fn row(shape: &Shape, id: &str) -> Value {
    let field = |column: &Column| match column {
        Column::Count(declaration) => (declaration.name, count(declaration.about)),
        Column::Map { name, about } => (*name, counts(about)),
    };
    let mut fields: Vec<(&str, Value)> = Vec::new();
    fields.extend(shape.has_id.then(|| ("id", count(id))));
    for part in shape.parts() {
        let counts: Vec<_> = part.iter().map(field).collect();
        match part[0].part() {
            "" => fields.extend(counts),
            name => fields.push((name, object(&counts))),
        }
    }
    object(&fields)
}

fn document(title: &str, description: &str, properties: &[(&str, Value)]) -> Value {
    let mut schema = Map::new();
    schema.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
    schema.insert("title".into(), title.into());
    schema.insert("description".into(), description.into());
    if let Value::Object(object) = object(properties) {
        schema.extend(object);
    }
    schema.into()
}

/// What only windows of a rollup have.
const PARTS: &str = "parts";

/// An object that has exactly these properties, but for groups and parts that may be left out.
fn object(properties: &[(&str, Value)]) -> Value {
    let is_of = |group: Group, name: &str| group.plural() == name || length_of(group) == name;
    let may_lack =
        |name: &str| name == PARTS || Group::ALL.into_iter().any(|group| group.is_optional() && is_of(group, name));
    let required: Vec<&str> = properties.iter().map(|(name, _)| *name).filter(|name| !may_lack(name)).collect();
    let properties: Map<String, Value> =
        properties.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn list(items: Value, description: &str) -> Value {
    json!({ "type": "array", "items": items, "description": description })
}

fn strings(description: &str) -> Value {
    list(json!({ "type": "string" }), description)
}

fn string(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn count(description: &str) -> Value {
    json!({ "type": "integer", "minimum": 0, "description": description })
}

fn counts(description: &str) -> Value {
    json!({ "type": "object", "additionalProperties": { "type": "integer", "minimum": 0 }, "description": description })
}

#[cfg(test)]
mod tests;
