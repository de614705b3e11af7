//! A small JSON Schema check: the words that the schemas of answers use, and no others.

use serde_json::Value;

/// Panics with everything in which `value` breaks the schema of `summary.json`.
#[track_caller]
pub(crate) fn assert_summary(value: &Value) {
    assert_schema(value, "summary");
}

/// Panics with everything in which `value` breaks the schema of this name.
#[track_caller]
pub(crate) fn assert_schema(value: &Value, name: &str) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema");
    let file = format!("{folder}/{name}.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert_fits(value, &schema, &schema, name);
}

/// Panics with everything in which `value` breaks `rules`, which are a part of the document `root`.
#[track_caller]
pub(crate) fn assert_fits(value: &Value, rules: &Value, root: &Value, name: &str) {
    let mut wrong = Vec::new();
    check(value, rules, root, name, &mut wrong);
    assert!(wrong.is_empty(), "{wrong:#?}\n{value:#}");
}

fn check(value: &Value, rules: &Value, root: &Value, at: &str, wrong: &mut Vec<String>) {
    for (word, rule) in rules.as_object().unwrap() {
        let holds = match word.as_str() {
            "$ref" => {
                let rules = root.pointer(rule.as_str().unwrap().trim_start_matches('#'));
                check(value, rules.unwrap(), root, at, wrong);
                true
            }
            "anyOf" => {
                let broken = |rules| {
                    let mut wrong = Vec::new();
                    check(value, rules, root, at, &mut wrong);
                    wrong
                };
                wrong.extend(rule.as_array().unwrap().iter().map(broken).min_by_key(Vec::len).unwrap());
                true
            }
            "const" => value == rule,
            "enum" => rule.as_array().unwrap().contains(value),
            "type" => names(rule).iter().any(|name| is_a(value, name)),
            "minimum" => value.as_f64().is_none_or(|value| value >= rule.as_f64().unwrap()),
            "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap()),
            "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= rule.as_u64().unwrap()),
            "required" => names(rule).iter().all(|key| !value.is_object() || value.get(key).is_some()),
            "properties" | "additionalProperties" => {
                for (key, inner) in value.as_object().into_iter().flatten() {
                    let at = format!("{at}.{key}");
                    match if word == "properties" { rule.get(key) } else { Some(rule) } {
                        Some(rules) => check(inner, rules, root, &at, wrong),
                        None => wrong.push(format!("{at} is not in the schema")),
                    }
                }
                true
            }
            "items" => {
                for (index, inner) in value.as_array().into_iter().flatten().enumerate() {
                    check(inner, rule, root, &format!("{at}[{index}]"), wrong);
                }
                true
            }
            "$schema" | "$defs" | "title" | "description" | "format" | "default" => true,
            other => panic!("the schema uses `{other}`, which this check does not know"),
        };
        if !holds {
            wrong.push(format!("{at} breaks {word}: {rule}"));
        }
    }
}

fn names(rule: &Value) -> Vec<&str> {
    match rule {
        Value::String(name) => vec![name],
        other => other.as_array().unwrap().iter().filter_map(Value::as_str).collect(),
    }
}

fn is_a(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("the schema has the type `{other}`"),
    }
}
