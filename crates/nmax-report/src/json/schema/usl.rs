//! The JSON Schemas (2020-12) of `nmax usl fit` and `nmax scale`.

use nmax_usl::{Code, Dimension, Method, Model};
use serde_json::{Value, json};

use super::super::SCHEMA_VERSION;
use super::{boolean, count, described, list, map, number, number_or_null, record, reference, text};

/// The schema of `nmax usl fit --json`. Every key is required; what is unknown is null.
pub fn usl_schema() -> Value {
    let mut fields = head();
    fields.extend(analysis());
    let mut asked = rung();
    asked["type"] = json!(["object", "null"]);
    let asked =
        described(asked, "The model that `--model` asked for; null when none was, or when it cannot be fitted.");
    fields.push(("asked_model", asked));
    whole("The law of scalability, fitted by nmax", &fields)
}

/// The schema of `scale.json` and `nmax scale --json`: that of a fit, with the levels behind it.
pub fn scale_schema() -> Value {
    let mut fields = head();
    fields.extend(analysis());
    fields.extend(campaign());
    whole("scale.json of nmax", &fields)
}

pub(super) fn whole(title: &str, fields: &[(&'static str, Value)]) -> Value {
    let mut root = record(fields);
    let words = root.as_object_mut().expect("built as an object");
    words.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
    words.insert("title".into(), json!(title));
    let note = "Throughputs are per second, times milliseconds. Unknown is null, never 0.";
    words.insert("description".into(), json!(note));
    words.insert("$defs".into(), json!({ "estimate": estimate() }));
    root
}

fn head() -> Vec<(&'static str, Value)> {
    vec![
        ("schema_version", json!({ "const": SCHEMA_VERSION })),
        ("nmax_version", text()),
        ("title", text()),
        ("subtitle", described(text(), "How the data were read, or where they come from.")),
        ("n_label", described(text(), "What N counts, in words.")),
        ("x_unit", described(text(), "Unit of X, per second.")),
    ]
}

fn estimate() -> Value {
    record(&[
        ("estimate", number()),
        ("low", described(number_or_null(), "Lower end of the 95 % interval; null without one.")),
        ("high", number_or_null()),
        ("at_bound", described(boolean(), "A bound decided the value, and not the data.")),
    ])
}

fn estimate_or_null() -> Value {
    nullable(&[("estimate", number()), ("low", number_or_null()), ("high", number_or_null()), ("at_bound", boolean())])
}

fn nullable(fields: &[(&str, Value)]) -> Value {
    let mut kind = record(fields);
    kind["type"] = json!(["object", "null"]);
    kind
}

pub(super) fn one_of<'a>(names: impl Iterator<Item = &'a str>) -> Value {
    json!({ "enum": names.collect::<Vec<_>>() })
}

fn sign() -> Value {
    json!({ "enum": ["positive", "negative", "negligible", "undetermined", null] })
}

fn pair_or_null() -> Value {
    json!({ "type": ["array", "null"], "items": number(), "minItems": 2, "maxItems": 2 })
}

pub(super) fn analysis() -> Vec<(&'static str, Value)> {
    let models = Model::ALL.iter().map(|model| model.name());
    let best = [("concurrency", number()), ("throughput", number())];
    vec![
        (
            "model",
            described(
                one_of(models.chain(["not_distinguishable"])),
                "The model that leads every other by more than 4 AICc.",
            ),
        ),
        ("method", one_of(Method::ALL.iter().map(|method| method.name()))),
        (
            "regression",
            described(
                one_of(["throughput", "response_time"].into_iter()),
                "What was fitted: X on N, or R on X where the load was open and N is X·(R + Z).",
            ),
        ),
        ("dimension", one_of(DIMENSIONS.iter().map(|dimension| dimension.name()))),
        ("think_ms", number()),
        ("n", described(count(), "Observations fitted.")),
        ("alpha", described(estimate_or_null(), "Contention, by the chosen method, whichever model leads.")),
        ("beta", described(estimate_or_null(), "Coherency.")),
        ("gamma", described(estimate_or_null(), "Throughput of one unit.")),
        ("alpha_sign", sign()),
        ("beta_sign", sign()),
        ("at_bound", described(list(text()), "Coefficients that a bound decided.")),
        ("converged", json!({ "type": ["boolean", "null"] })),
        ("rss", described(number_or_null(), "Residual sum of squares, of ln X by the method `log`, else of X.")),
        ("residual_sd", number_or_null()),
        ("r_squared", described(number_or_null(), "Of X; it decides nothing.")),
        ("best", described(nullable(&best), "The largest throughput measured.")),
        (
            "observed_peak",
            described(
                nullable(&[
                    ("concurrency", number()),
                    ("throughput", number()),
                    ("between", json!({ "type": "array", "items": number(), "minItems": 2, "maxItems": 2 })),
                ]),
                "The largest throughput, when N on both sides was lower beyond noise.",
            ),
        ),
        ("peak", described(peak(), "Of the law; null when a condition for it fails.")),
        ("peak_refused", described(list(text()), "Why there is no peak of the law.")),
        ("gate", list(record(&[("name", text()), ("holds", boolean()), ("text", text())]))),
        ("limit", described(estimate_or_null(), "Gamma over alpha: the roof without coherency.")),
        ("optimum", described(estimate_or_null(), "1 over alpha: where the linear line meets the roof.")),
        ("class", json!({ "enum": ["A", "B", "C", "D", "undetermined"] })),
        ("class_text", text()),
        (
            "demand",
            described(
                nullable(&[("name", text()), ("ms", reference("estimate"))]),
                "Busy time per completion of the most demanding resource.",
            ),
        ),
        (
            "ceiling",
            described(
                nullable(&[
                    ("name", text()),
                    ("throughput", reference("estimate")),
                    ("reading", json!({ "enum": ["explained", "cap_comes_first", "other_suspect", null] })),
                    ("text", text()),
                ]),
                "The law beside the most demanding resource.",
            ),
        ),
        ("ladder", list(rung())),
        ("findings", list(finding())),
        ("left_out", described(list(count()), "Rows that were not fitted, from 1.")),
        ("meaning", described(list(text()), "Three sentences.")),
        ("points_total", described(count(), "Points that there are.")),
        (
            "points",
            described(
                list(point()),
                "In the order of N; of more than 10,000 every few, the first and the last among them. The CSV file has all.",
            ),
        ),
    ]
}

/// What N may count.
const DIMENSIONS: [Dimension; 7] = [
    Dimension::Vus,
    Dimension::InFlight,
    Dimension::Rate,
    Dimension::Workers,
    Dimension::Nodes,
    Dimension::Threads,
    Dimension::Other,
];

fn peak() -> Value {
    let pair = [("concurrency", number()), ("throughput", number())];
    nullable(&[
        ("concurrency", reference("estimate")),
        ("throughput", reference("estimate")),
        ("integer", described(record(&pair), "The better of the integers beside it.")),
        (
            "alternative",
            described(nullable(&pair), "Peak of the ln-variant, when it explains the data nearly as well."),
        ),
        (
            "alternative_is_beyond",
            described(boolean(), "The ln-variant does, and puts its peak beyond twice what was measured."),
        ),
    ])
}

fn rung() -> Value {
    record(&[
        ("model", one_of(Model::ALL.iter().map(|model| model.name()))),
        ("k", described(count(), "Parameters, the variance included.")),
        ("aicc", described(number_or_null(), "Null when there are too few observations.")),
        ("delta", described(number_or_null(), "Distance to the best.")),
        ("rss", described(number_or_null(), "Residual sum of squares of ln X.")),
        ("coefficients", map(number_or_null())),
    ])
}

fn finding() -> Value {
    record(&[
        ("code", one_of(Code::ALL.iter().map(|code| code.name()))),
        ("effect", json!({ "enum": ["block", "warn", "note"] })),
        ("rows", described(list(count()), "From 1.")),
        ("text", text()),
    ])
}

fn point() -> Value {
    record(&[
        ("row", described(count(), "Of the data, from 1.")),
        ("n", number_or_null()),
        ("x", number_or_null()),
        ("r", described(number_or_null(), "Mean response time, ms; N/X less the think time when it was not measured.")),
        ("capacity", described(number_or_null(), "X over X(1).")),
        ("efficiency", described(number_or_null(), "X over N X(1); null when X(1) was not measured.")),
        ("efficiency_of_law", described(number_or_null(), "X over gamma N.")),
        ("fitted", described(number_or_null(), "X by the law.")),
        ("band", described(pair_or_null(), "95 % band of the law's mean.")),
        ("residual", described(number_or_null(), "Of ln X by the method `log`, else of X.")),
        ("zone", described(json!({ "enum": ["A", "B", "C", null] }), "Above, on or below the Amdahl bound.")),
    ])
}

fn campaign() -> Vec<(&'static str, Value)> {
    let mut of_version = vec![("name", text())];
    of_version.extend(analysis());
    vec![
        ("run", run()),
        ("stopped", described(text(), "Which rule ended the campaign.")),
        ("notes", list(text())),
        ("find", found()),
        ("knobs", list(knob())),
        ("versions", described(list(record(&of_version)), "One law per value of the second axis.")),
        ("levels", described(list(level()), "In the order in which they were run.")),
    ]
}

fn run() -> Value {
    record(&[
        ("id", text()),
        ("name", text()),
        ("target", text()),
        ("started_at", text()),
        ("seed", count()),
        ("axes", list(text())),
        ("count", described(text(), "What X counts.")),
        ("level_s", number_or_null()),
        ("budget_s", number_or_null()),
        ("elapsed_s", number_or_null()),
        ("plan_sha256", text()),
        ("machine", map(text())),
        ("interrupted", boolean()),
    ])
}

fn found() -> Value {
    let fields = [
        ("objective", text()),
        ("level", described(number_or_null(), "Highest level that holds it; null when none did.")),
        ("low", number_or_null()),
        ("high", number_or_null()),
        ("x", number_or_null()),
        ("runs", count()),
        ("text", text()),
    ];
    described(nullable(&fields), "The answer to --find.")
}

fn knob() -> Value {
    record(&[
        ("values", map(text())),
        ("load", described(number_or_null(), "At which the throughput was best.")),
        ("x", number_or_null()),
        ("r_ms", number_or_null()),
        ("runs", count()),
        ("price_per_h", number_or_null()),
        ("price_per_million", described(number_or_null(), "Of a million usable completions.")),
        ("why", text()),
    ])
}

fn level() -> Value {
    record(&[
        ("number", count()),
        ("purpose", text()),
        ("setting", text()),
        ("level", described(number(), "What was asked for.")),
        ("n", described(number_or_null(), "What the law is fitted over.")),
        ("x", number_or_null()),
        ("r_ms", number_or_null()),
        ("verdict", text()),
        ("used", described(boolean(), "Whether it was fitted.")),
        ("why", text()),
        ("run", text()),
    ])
}
