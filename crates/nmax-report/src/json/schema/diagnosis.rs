//! The schema of `diagnosis`.

use nmax_analysis::suspect::{Kind, Label};
use serde_json::{Value, json};

use super::{described, list, number, number_or_null, record, text};

pub(super) fn diagnosis() -> Value {
    let part = of_resource(&[("service_s", number()), ("waiting_s", number())]);
    let budget = record(&[
        ("response_s", number()),
        ("throughput_per_s", number()),
        ("parts", list(part)),
        (
            "unexplained_s",
            described(number(), "What is left of the response time; negative when resources worked for others too."),
        ),
    ]);
    let bounds = of_resource(&[("demand_s", number()), ("throughput_max_per_s", number()), ("knee", number_or_null())]);
    record(&[
        ("refused", described(list(text()), "Why nothing is said of the system; empty when something is.")),
        ("suspects", described(list(suspect()), "At most three, the first to look at first.")),
        ("others", list(suspect())),
        ("budget", maybe(budget)),
        ("bounds", maybe(bounds)),
        ("coverage", list(coverage())),
    ])
}

fn of_resource(more: &[(&str, Value)]) -> Value {
    let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    let mut fields = vec![
        ("host", text()),
        ("kind", json!({ "enum": kinds })),
        ("name", described(text(), "Which of its kind; empty where there is one.")),
    ];
    fields.extend_from_slice(more);
    record(&fields)
}

fn suspect() -> Value {
    let labels =
        [Label::Wait, Label::Saturated, Label::NotObserved, Label::FollowsLoad, Label::Symptom, Label::Exonerated];
    let finding = record(&[("kind", text()), ("text", text()), ("source", text())]);
    of_resource(&[
        ("label", json!({ "enum": labels.map(Label::name) })),
        ("residence_s", described(number_or_null(), "Seconds of each request that are spent in it.")),
        ("demand_s", described(number_or_null(), "Seconds of service that each request asks of it.")),
        ("utilization", number_or_null()),
        ("findings", list(finding)),
        ("falsify", text()),
    ])
}

fn coverage() -> Value {
    let cell = || {
        let states = ["observed", "gap", "not_observed"];
        maybe(record(&[("state", json!({ "enum": states })), ("text", text())]))
    };
    of_resource(&[("utilization", cell()), ("saturation", cell()), ("errors", cell()), ("remedy", text())])
}

/// The same, or null.
fn maybe(mut kind: Value) -> Value {
    let name = kind["type"].clone();
    kind["type"] = json!([name, "null"]);
    kind
}
