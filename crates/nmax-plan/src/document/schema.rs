//! The tables of keys as a JSON Schema (draft 2020-12), for editors.

use serde_json::{Map, Value, json};

use super::keys::{DECISION, ROOT, STEP, Shape, Table};

/// The schema of plan documents. Committed as `docs/schema/plan.schema.json`.
pub fn schema() -> Value {
    let mut schema = titled("nmax plan, version 1", &ROOT);
    let condition = json!({ "anyOf": [text_like(&["${stock} > 0", "${state} == done"]), object(&DECISION)] });
    schema["$defs"] = json!({ "step": object(&STEP), "condition": condition });
    schema
}

/// The schema of documents whose root is this table.
pub fn titled(title: &str, root: &Table) -> Value {
    let mut schema = object(root);
    if let Value::Object(members) = &mut schema {
        members.shift_insert(0, "$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
        members.shift_insert(1, "title".into(), json!(title));
    }
    schema
}

fn object(table: &Table) -> Value {
    let properties: Map<String, Value> = table
        .keys
        .iter()
        .map(|key| {
            let mut value = shape(&key.shape);
            if let Value::Object(members) = &mut value {
                members.insert("description".into(), json!(key.about));
            }
            (key.name.to_owned(), value)
        })
        .collect();
    let required: Vec<&str> = table.keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    let mut schema = json!({ "type": "object", "additionalProperties": false, "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// Single values may also be texts with `${env.NAME}`.
fn shape(shape: &Shape) -> Value {
    match shape {
        Shape::Text => json!({ "type": ["string", "number", "boolean"] }),
        Shape::Duration => text_like(&["250ms", "1.5s", "2m", "1h30m"]),
        Shape::Rate => text_like(&["200/s", "2k/s", "120/m"]),
        Shape::BitRate => text_like(&["256kbit/s", "100Mbit/s"]),
        Shape::Size => text_like(&["64kB", "1MiB"]),
        Shape::Share => text_like(&["30%", "2.5%"]),
        Shape::Level => json!({ "type": ["string", "integer"], "examples": ["100%", "200/s", 50] }),
        Shape::Threshold => text_like(&["response_time p95 < 400ms", "failure_rate < 1%", "rate >= 99%"]),
        Shape::Null => json!({ "type": "null" }),
        Shape::Bool => json!({ "type": ["boolean", "string"] }),
        Shape::Whole(1, 1) => json!({ "const": 1 }),
        Shape::Whole(min, max) => or_environment(json!({ "type": "integer", "minimum": min, "maximum": max })),
        Shape::Number => or_environment(json!({ "type": "number", "minimum": 0 })),
        Shape::Any => json!({}),
        Shape::OneOf(words) => one_of(&words()),
        Shape::Status => json!({ "type": ["integer", "string"], "examples": [200, "2xx", "200-299"] }),
        Shape::Steps => json!({ "type": "array", "items": { "$ref": "#/$defs/step" } }),
        Shape::Condition => json!({ "$ref": "#/$defs/condition" }),
        Shape::List(item) => json!({ "type": "array", "items": self::shape(item) }),
        Shape::Map(value) => json!({ "type": "object", "additionalProperties": self::shape(value) }),
        Shape::Object(table) => object(table),
        Shape::Either(shapes) => json!({ "anyOf": shapes.iter().map(self::shape).collect::<Vec<_>>() }),
    }
}

fn text_like(examples: &[&str]) -> Value {
    json!({ "type": "string", "examples": examples })
}

fn or_environment(value: Value) -> Value {
    json!({ "anyOf": [value, { "type": "string", "pattern": "\\$\\{env\\." }] })
}

/// Words that YAML reads as numbers, such as `1.1`, are accepted as numbers too.
fn one_of(words: &[&str]) -> Value {
    let numbers = words.iter().filter_map(|word| word.parse::<f64>().ok()).map(Value::from);
    let values: Vec<Value> = words.iter().map(|word| json!(word)).chain(numbers).collect();
    or_environment(json!({ "enum": values }))
}

#[cfg(test)]
mod tests;
