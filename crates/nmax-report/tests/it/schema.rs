//! `summary.json` against its committed schema.

use nmax_report::json;
use serde_json::Value;

use crate::sample::{Run, Shape};

/// Holds a committed schema against the code; `UPDATE=1` writes it.
pub(crate) fn is_fresh(file: &str, schema: &Value) {
    let path = format!("{}/../../docs/schema/{file}", env!("CARGO_MANIFEST_DIR"));
    let fresh = serde_json::to_string_pretty(schema).unwrap() + "\n";
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == fresh, "{file} is stale: run the tests of nmax-report once with UPDATE=1");
}

#[test]
fn the_committed_schema_is_fresh() {
    is_fresh("summary.schema.json", &json::schema());
}

/// What of the schema `value` breaks. Knows the words that the schema uses, and fails on others.
pub(crate) fn check(value: &Value, kind: &Value, root: &Value, at: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for (word, rule) in kind.as_object().unwrap() {
        match word.as_str() {
            "$schema" | "$defs" | "title" | "description" => {}
            "$ref" => {
                let target =
                    root.pointer(rule.as_str().unwrap().trim_start_matches('#')).expect("the reference exists");
                wrong.extend(check(value, target, root, at));
            }
            "anyOf" => {
                let broken = rule.as_array().unwrap().iter().map(|kind| check(value, kind, root, at));
                wrong.extend(broken.min_by_key(Vec::len).unwrap());
            }
            "const" => wrong.extend((value != rule).then(|| format!("{at} is not {rule}"))),
            "enum" => wrong.extend((!rule.as_array().unwrap().contains(value)).then(|| format!("{at} not in {rule}"))),
            "type" => wrong.extend((!has_type(value, rule)).then(|| format!("{at} = {value} is not {rule}"))),
            "minimum" => {
                wrong.extend((value.as_f64() < rule.as_f64() && !value.is_null()).then(|| format!("{at} too small")))
            }
            "minItems" | "maxItems" => {
                let length = value.as_array().map(|items| items.len() as u64);
                wrong.extend(length.filter(|n| Some(*n) != rule.as_u64()).map(|n| format!("{at} has {n} items")));
            }
            "required" => {
                let keys = rule.as_array().unwrap().iter().filter_map(Value::as_str);
                let missing = keys.filter(|key| value.is_object() && value.get(key).is_none());
                wrong.extend(missing.map(|key| format!("{at}.{key} is missing")));
            }
            "properties" | "additionalProperties" => {
                for (key, inner) in value.as_object().into_iter().flatten() {
                    let rule = if word == "properties" { rule.get(key) } else { Some(rule) };
                    match rule {
                        Some(rule) => wrong.extend(check(inner, rule, root, &format!("{at}.{key}"))),
                        None => wrong.push(format!("{at}.{key} is not in the schema")),
                    }
                }
            }
            "items" => {
                for inner in value.as_array().into_iter().flatten() {
                    wrong.extend(check(inner, rule, root, &format!("{at}[]")));
                }
            }
            other => panic!("the schema uses `{other}`, which this test does not know"),
        }
    }
    wrong
}

fn has_type(value: &Value, rule: &Value) -> bool {
    let one = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        _ => false,
    };
    rule.as_str().map_or_else(|| rule.as_array().unwrap().iter().filter_map(Value::as_str).any(one), one)
}

#[test]
fn real_output_satisfies_the_schema() {
    let root = json::schema();
    let mut empty = Run::new(&Shape { hold_s: 1, ..Shape::default() });
    empty.windows.clear();
    for run in [Run::new(&Shape::default()), Run::new(&Shape { hold_s: 1, rate_per_s: 2.0, ..Shape::default() }), empty]
    {
        let summary = json::summary(&run.view());
        assert_eq!(check(&summary, &root, &root, "summary"), Vec::<String>::new());
        assert!(summary.get("injectors").is_none() && summary.get("regions").is_none());
        let fleet = json::summary(&run.fleet(&[("eu1", Some("eu")), ("b", None)]));
        assert_eq!(check(&fleet, &root, &root, "summary"), Vec::<String>::new());
        assert_eq!(fleet["injectors"][1]["fails"], serde_json::json!(["G4_INJECTOR_CPU", "G8_GAPS", "G8_CLOCK"]));
        assert_eq!(fleet["regions"][1]["region"], Value::Null);
        assert_eq!(fleet["injectors"][0]["count"], fleet["regions"][0]["count"]);
    }
}

#[test]
fn wrong_output_does_not_satisfy_it() {
    let root = json::schema();
    let good = json::summary(&Run::new(&Shape { hold_s: 5, ..Shape::default() }).view());
    let breaks: [(&str, Value); 6] = [
        ("/verdict", "ok".into()),
        ("/total/count", 1.5.into()),
        ("/total/response_time_ms/p99", "1 ms".into()),
        ("/schema_version", 2.into()),
        ("/total/phases/wait/p95", "1 ms".into()),
        ("/connections/policy", "none".into()),
    ];
    for (path, wrong) in breaks {
        let mut bad = good.clone();
        *bad.pointer_mut(path).unwrap() = wrong;
        assert_eq!(check(&bad, &root, &root, "summary").len(), 1, "{path}");
    }
    let mut bad = good.clone();
    bad["total"].as_object_mut().unwrap().remove("send_lag_ms");
    assert_eq!(check(&bad, &root, &root, "summary"), ["summary.total.send_lag_ms is missing"]);
}

#[test]
fn times_are_milliseconds_with_microsecond_digits_and_unknown_is_null() {
    let run = Run::new(&Shape::default());
    let summary = json::summary(&run.view());
    let p99_ms = summary["total"]["response_time_ms"]["p99"].as_f64().unwrap();
    assert!((p99_ms * 1e3 - (p99_ms * 1e3).round()).abs() < 1e-6, "{p99_ms}");
    let direct = run.totals().total(nmax_metrics::Section::Hold).latencies().response.quantile_ns(0.99).unwrap();
    assert!((p99_ms - direct as f64 / 1e6).abs() <= 0.000_5);
    let mut empty = Run::new(&Shape { hold_s: 1, ..Shape::default() });
    empty.windows.clear();
    let summary = json::summary(&empty.view());
    assert_eq!(summary["total"]["response_time_ms"]["p50"], Value::Null);
    assert_eq!(summary["total"]["response_time_ms"]["ci95"], Value::Null);
    assert_eq!(summary["total"]["count"], 0);
}
