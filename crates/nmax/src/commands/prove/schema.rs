//! The JSON Schema (2020-12) of what `nmax check --prove --json` prints.

use serde_json::{Value, json};

use crate::commands::schema::{boolean, count, described, document, first_version, list, or_null, record, text};

/// The schema. Every key that is described is there; readers must ignore keys that they do not know.
pub fn schema() -> Value {
    let perhaps = |what| described(or_null(text()), what);
    let yes_or_no = |what| described(boolean(), what);
    let end = |place: bool| {
        let mut keys = vec![
            ("step", described(count(), "Number of the request in its scenario, from 1.")),
            ("request", described(text(), "Name of the request.")),
        ];
        if place {
            keys.push(("place", described(text(), "Where in it, such as `form field csrf`.")));
        }
        record(&keys)
    };
    let correlation = record(&[
        ("name", described(text(), "Name of the value in the plan.")),
        ("from", end(false)),
        ("source", described(text(), "What finds it in the reply.")),
        ("to", list(end(true))),
        (
            "state",
            described(
                json!({ "enum": ["proved", "harmless", "wrong", null] }),
                "Whether it must be fresh; null: it could not be tried.",
            ),
        ),
        ("proof", described(text(), "What the replays showed.")),
        ("evidence", perhaps("Why it was taken for a correlation when it was recorded.")),
    ]);
    let cookie = record(&[
        ("name", text()),
        ("set_by", perhaps("Name of the request whose reply set it first.")),
        ("sent", described(count(), "Requests of one replay that carried it.")),
    ]);
    let scenario = record(&[
        ("name", text()),
        ("ok", yes_or_no("It goes as the plan says, and none of its values is wrong.")),
        ("failures", described(list(text()), "Why it does not go as the plan says.")),
        ("correlations", list(correlation)),
        ("jar", described(list(cookie), "Cookies, which the jar carries.")),
        ("notes", list(text())),
    ]);
    let keys = [
        first_version(),
        ("plan", text()),
        ("target", text()),
        ("evidence", perhaps("The file beside the plan into which the verdicts were written.")),
        ("ok", yes_or_no("Every scenario is.")),
        ("replays", described(count(), "Iterations that were sent.")),
        ("proved", count()),
        ("harmless", count()),
        ("wrong", count()),
        ("not_tried", count()),
        ("scenarios", list(scenario)),
        ("warnings", list(text())),
    ];
    document("nmax check --prove", &keys)
}
