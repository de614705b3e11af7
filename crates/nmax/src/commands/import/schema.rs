//! The JSON Schema (2020-12) of what `nmax import har --json` and `nmax import curl --json` print.

use serde_json::{Map, Value, json};

/// The schema. Every key that is described is there; readers must ignore keys that they do not know.
pub fn schema() -> Value {
    let mut root = record(&[
        ("schema_version", json!({ "const": 1 })),
        ("plan", described(text(), "The plan that was written.")),
        (
            "files",
            described(list(text()), "Everything that was written, the plan first."),
        ),
        ("entries", described(count(), "Entries of all files.")),
        ("scenarios", count()),
        ("steps", described(count(), "Requests of the plan.")),
        (
            "resources",
            described(count(), "What the pages of the plan load with them."),
        ),
        (
            "redactions",
            described(count(), "Places in which a secret was replaced in what is stored."),
        ),
        (
            "skipped",
            described(
                list(record(&[
                    (
                        "file",
                        json!({ "type": ["string", "null"], "description": "The file that it is in; null when there was none." }),
                    ),
                    (
                        "entry",
                        described(
                            count(),
                            "Number of the entry in its file, from 1; 0 where a file is damaged, and `url` says where.",
                        ),
                    ),
                    ("url", text()),
                    ("reason", text()),
                ])),
                "Entries that the plan does not send.",
            ),
        ),
        (
            "correlations",
            described(
                list(correlation()),
                "Values that the server gives and the user sends back.",
            ),
        ),
        (
            "jar",
            described(list(json!({ "type": "object" })), "Cookies, which the jar carries."),
        ),
        (
            "generated",
            described(list(json!({ "type": "object" })), "Values that the client makes."),
        ),
        (
            "denied",
            described(
                list(json!({ "type": "object" })),
                "What looks like a correlation and is none.",
            ),
        ),
        ("parameters", described(list(text()), "What differs from user to user.")),
        ("warnings", list(text())),
    ]);
    root["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    root["title"] = json!("nmax import har");
    root
}

fn correlation() -> Value {
    let end = |what| described(json!({ "type": "object" }), what);
    record(&[
        ("name", described(text(), "Its name in the plan.")),
        ("scenario", text()),
        ("from", end("Step and request whose reply gives it.")),
        ("source", described(text(), "What finds it there.")),
        (
            "to",
            list(end(
                "Step, request and place where it is sent, and the template that writes it.",
            )),
        ),
        (
            "recorded",
            described(text(), "The recorded value, or what stands for a secret."),
        ),
        (
            "state",
            json!({ "enum": ["found", "changes", "same", "proved", "harmless", "wrong"] }),
        ),
        ("evidence", described(text(), "Why it is taken for one.")),
    ])
}

/// An object with these keys, all of which are there.
pub(crate) fn record(keys: &[(&str, Value)]) -> Value {
    let required: Vec<&str> = keys.iter().map(|(key, _)| *key).collect();
    let properties: Map<String, Value> = keys
        .iter()
        .map(|(key, rules)| ((*key).to_owned(), rules.clone()))
        .collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

/// A list.
pub(crate) fn list(of: Value) -> Value {
    json!({ "type": "array", "items": of })
}

/// A text.
pub(crate) fn text() -> Value {
    json!({ "type": "string" })
}

/// A whole number from 0.
pub(crate) fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

/// Rules with a word on what is meant.
pub(crate) fn described(mut rules: Value, words: &str) -> Value {
    rules["description"] = json!(words);
    rules
}
