//! Members of JSON objects, whatever is written in their place.

use serde_json::Value;

/// A member as a text; empty when there is none.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A member that is no empty text.
pub(super) fn some_text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    Some(text(value, key)).filter(|text| !text.is_empty())
}

/// A member as a number, also out of quotes.
pub(super) fn number(value: &Value, key: &str) -> Option<f64> {
    match value.get(key)? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
    .filter(|number: &f64| number.is_finite())
}

/// A member as a list; empty when there is none.
pub(super) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A value as a text: what is no text is written as JSON, and null is empty.
pub(super) fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Pairs of a list of `{ name, value }`, or of an object.
pub(super) fn pairs(value: &Value, key: &str) -> Vec<(String, String)> {
    match value.get(key) {
        Some(Value::Array(list)) => list
            .iter()
            .filter_map(|pair| {
                let value = pair.get("value").map(as_text).unwrap_or_default();
                Some((some_text(pair, "name")?.to_owned(), value))
            })
            .collect(),
        Some(Value::Object(object)) => object.iter().map(|(name, value)| (name.clone(), as_text(value))).collect(),
        _ => Vec::new(),
    }
}
