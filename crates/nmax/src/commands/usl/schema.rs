//! The JSON Schemas (2020-12) of what `nmax usl compare`, `what-if` and `predict` print.

use nmax_report::json;
use nmax_usl::{Change, Method, Model};
use serde_json::Value;

use crate::commands::schema::{
    allow, boolean, described, document, first_version, list, map, number, one_of, or_null, record, require, text,
};

/// Of `nmax usl compare`.
pub fn compare() -> Value {
    let mut root = json::usl_compare_schema();
    let caveats = described(list(text()), "What makes the versions hard to compare.");
    require(&mut root, &[("caveats", caveats)]);
    let difference = &mut root["properties"]["differences"]["items"];
    let changes = [Change::Rose, Change::Fell, Change::NotSeen, Change::Unknown];
    require(
        difference,
        &[
            (
                "change",
                described(
                    one_of(changes.map(Change::name)),
                    "What the interval says; `not_seen`: it holds no difference.",
                ),
            ),
            ("before", or_null(number())),
            ("after", or_null(number())),
            ("degrees_of_freedom", described(or_null(number()), "Of the interval, by Welch and Satterthwaite.")),
        ],
    );
    let at = "N at which throughputs are compared; absent for coefficients.";
    allow(difference, "at", described(number(), at));
    root
}

/// Of `nmax usl what-if`.
pub fn what_if() -> Value {
    let peak = |words| {
        let peak = record(&[("concurrency", number()), ("throughput", number())]);
        described(or_null(peak), words)
    };
    let mut root = json::usl_what_if_schema();
    require(
        &mut root,
        &[
            ("peak", peak("Of the law; null where it must not be said, or there is none.")),
            ("assumed_peak", peak("The same of --alpha, --beta and --gamma.")),
        ],
    );
    root
}

/// Of `nmax usl predict`.
pub fn predict() -> Value {
    let estimate = || {
        record(&[
            ("estimate", number()),
            ("low", described(or_null(number()), "Lower end of the 95 % interval; null without one.")),
            ("high", or_null(number())),
            ("at_bound", boolean()),
        ])
    };
    let measured = record(&[
        ("concurrency", described(number(), "Largest N measured.")),
        ("throughput", number()),
        ("concurrency_limit", described(number(), "Nothing is predicted beyond it.")),
        ("throughput_limit", number()),
    ]);
    let asked = "One of `concurrency`, `throughput` and `response_time_ms`.";
    let prediction = record(&[
        ("asked", described(map(number()), asked)),
        ("concurrency", or_null(estimate())),
        ("throughput", or_null(estimate())),
        ("response_time_ms", or_null(estimate())),
        ("efficiency", described(or_null(estimate()), "X over γN, 1 where each unit adds as much as the first.")),
        ("also_at", described(or_null(number()), "The other N with this throughput, behind the peak.")),
        ("refused", described(or_null(text()), "Why nothing is predicted; null when something is.")),
    ]);
    let method = one_of_or_null(Method::ALL.iter().map(|method| method.name()));
    document(
        "nmax usl predict",
        &[
            first_version(),
            ("nmax_version", text()),
            ("name", described(text(), "The measurements, or the coefficients as given.")),
            ("model", one_of(Model::ALL.iter().map(|model| model.name()))),
            ("method", described(method, "Of the fit; null where no fit of the law is used.")),
            ("by", described(text(), "The same in words.")),
            ("coefficients", described(map(estimate()), "`alpha`, `beta`, `gamma` or `cap`, as the model has them.")),
            ("think_time_ms", number()),
            ("measured", described(or_null(measured), "Null where the coefficients were given.")),
            ("predictions", described(list(prediction), "In the order of the questions.")),
            ("notes", list(text())),
        ],
    )
}

fn one_of_or_null<'a>(words: impl Iterator<Item = &'a str>) -> Value {
    let mut rules = one_of(words);
    let words = rules["enum"].as_array_mut().expect("built as a list");
    words.push(Value::Null);
    rules
}
