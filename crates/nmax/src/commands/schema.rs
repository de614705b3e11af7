//! JSON Schemas (2020-12) in few words: what the answers of commands are made of.
//!
//! Every key that is described is there, unless it is said to be absent; readers must ignore keys that they do not know.

use serde_json::{Map, Value, json};

/// The schema of what a command prints.
pub(super) fn document(command: &str, keys: &[(&str, Value)]) -> Value {
    let mut root = record(keys);
    root["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    root["title"] = json!(command);
    root
}

/// An object with these keys, all of which are there.
pub(super) fn record(keys: &[(&str, Value)]) -> Value {
    let required: Vec<&str> = keys.iter().map(|(key, _)| *key).collect();
    let properties: Map<String, Value> = keys.iter().map(|(key, rules)| ((*key).to_owned(), rules.clone())).collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

/// Adds a key to a record that may be absent.
pub(super) fn allow(record: &mut Value, key: &str, rules: Value) {
    record["properties"][key] = rules;
}

/// The same, or null.
pub(super) fn or_null(mut rules: Value) -> Value {
    rules["type"] = json!([rules["type"], "null"]);
    rules
}

/// A list.
pub(super) fn list(of: Value) -> Value {
    json!({ "type": "array", "items": of })
}

/// An object with any keys.
pub(super) fn map(of: Value) -> Value {
    json!({ "type": "object", "additionalProperties": of })
}

/// One of these words.
pub(super) fn one_of<'a>(words: impl IntoIterator<Item = &'a str>) -> Value {
    json!({ "enum": words.into_iter().collect::<Vec<_>>() })
}

/// A text.
pub(super) fn text() -> Value {
    json!({ "type": "string" })
}

/// True or false.
pub(super) fn boolean() -> Value {
    json!({ "type": "boolean" })
}

/// A number.
pub(super) fn number() -> Value {
    json!({ "type": "number" })
}

/// A whole number from 0.
pub(super) fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

/// Version 1 of a document.
pub(super) fn first_version() -> (&'static str, Value) {
    ("schema_version", json!({ "const": 1 }))
}

/// Rules with a word on what is meant.
pub(super) fn described(mut rules: Value, words: &str) -> Value {
    rules["description"] = json!(words);
    rules
}
