//! The JSON Schemas (2020-12) of `nmax usl compare` and `nmax usl what-if`.

use nmax_usl::Change;
use serde_json::{Value, json};

use super::super::SCHEMA_VERSION;
use super::usl::{analysis, one_of, whole};
use super::{count, described, list, map, number, number_or_null, record, text};

/// The schema of [`compare`](super::super::compare). Every key is required; what is unknown is null.
pub fn usl_compare_schema() -> Value {
    let mut version = vec![("name", text())];
    version.extend(analysis());
    let coefficients = ["contention", "coherency", "unit throughput", "throughput"];
    let changes = [Change::Rose, Change::Fell, Change::NotSeen, Change::Unknown].map(Change::name);
    let mut difference = record(&[
        ("from", described(text(), "The first version.")),
        ("to", described(text(), "A later one.")),
        ("coefficient", one_of(coefficients.into_iter())),
        (
            "value",
            described(
                number_or_null(),
                "Later less earlier of contention and coherency, later over earlier of throughputs.",
            ),
        ),
        ("low", described(number_or_null(), "Lower end of the 95 % interval; null without one.")),
        ("high", number_or_null()),
        ("text", text()),
        (
            "change",
            described(one_of(changes.into_iter()), "What the interval says; `not_seen`: it holds no difference."),
        ),
        ("before", number_or_null()),
        ("after", number_or_null()),
        ("degrees_of_freedom", described(number_or_null(), "Of the interval, by Welch and Satterthwaite.")),
    ]);
    let at = "N at which throughputs are compared; absent for coefficients.";
    difference["properties"]["at"] = described(number(), at);
    let mut fields = head();
    fields.push(("versions", described(list(record(&version)), "The law of each, as of `nmax usl fit`.")));
    fields.push(("differences", described(list(difference), "Of each later version from the first.")));
    fields.push(("caveats", described(list(text()), "What makes the versions hard to compare.")));
    whole("nmax usl compare", &fields)
}

/// The schema of [`what_if`](super::super::what_if). Every key is required; what is unknown is null.
pub fn usl_what_if_schema() -> Value {
    let law = || record(&["alpha", "beta", "gamma"].map(|name| (name, number())));
    let throughputs = || {
        described(
            map(number_or_null()),
            "X of `base` and of what is assumed, by name; null where nothing is said, beyond twice what was measured.",
        )
    };
    let peak = |words| {
        let peak = json!({
            "type": ["object", "null"],
            "properties": { "concurrency": number(), "throughput": number() },
            "required": ["concurrency", "throughput"],
        });
        described(peak, words)
    };
    let mut fields = head();
    fields.extend([
        ("base", described(law(), "The law that was fitted, or given.")),
        ("n_max", described(number(), "Largest N shown.")),
        ("assumed", described(list(record(&[("name", text()), ("law", law())])), "Laws with other coefficients.")),
        ("curves", list(record(&[("n", number()), ("x", throughputs())]))),
        (
            "weeks",
            described(
                list(record(&[("week", count()), ("n", number()), ("x", throughputs())])),
                "The load as it grows.",
            ),
        ),
        ("notes", list(text())),
        ("peak", peak("Of the law; null where it must not be said, or there is none.")),
        ("assumed_peak", peak("The same of --alpha, --beta and --gamma.")),
    ]);
    whole("nmax usl what-if", &fields)
}

fn head() -> Vec<(&'static str, Value)> {
    vec![("schema_version", json!({ "const": SCHEMA_VERSION })), ("nmax_version", text()), ("title", text())]
}
