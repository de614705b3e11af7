//! The JSON Schema (2020-12) of what `nmax import har --json` and `nmax import curl --json` print.

use serde_json::{Value, json};

use crate::commands::schema::{count, described, document, first_version, list, or_null, record, text};

/// The schema. Every key that is described is there; readers must ignore keys that they do not know.
pub fn schema() -> Value {
    let keys = [
        first_version(),
        ("plan", described(text(), "The plan that was written.")),
        ("files", described(list(text()), "Everything that was written, the plan first.")),
        ("entries", described(count(), "Entries of all files.")),
        ("scenarios", count()),
        ("steps", described(count(), "Requests of the plan.")),
        ("resources", described(count(), "What the pages of the plan load with them.")),
        ("redactions", described(count(), "Places in which a secret was replaced in what is stored.")),
        (
            "skipped",
            described(
                list(record(&[
                    ("file", described(or_null(text()), "The file that it is in; null when there was none.")),
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
        ("correlations", described(list(correlation()), "Values that the server gives and the user sends back.")),
        ("jar", described(list(json!({ "type": "object" })), "Cookies, which the jar carries.")),
        ("generated", described(list(json!({ "type": "object" })), "Values that the client makes.")),
        ("denied", described(list(json!({ "type": "object" })), "What looks like a correlation and is none.")),
        ("parameters", described(list(text()), "What differs from user to user.")),
        ("warnings", list(text())),
    ];
    document("nmax import har", &keys)
}

fn correlation() -> Value {
    let end = |what| described(json!({ "type": "object" }), what);
    record(&[
        ("name", described(text(), "Its name in the plan.")),
        ("scenario", text()),
        ("from", end("Step and request whose reply gives it.")),
        ("source", described(text(), "What finds it there.")),
        ("to", list(end("Step, request and place where it is sent, and the template that writes it."))),
        ("recorded", described(text(), "The recorded value, or what stands for a secret.")),
        ("state", json!({ "enum": ["found", "changes", "same", "proved", "harmless", "wrong"] })),
        ("evidence", described(text(), "Why it is taken for one.")),
    ])
}
