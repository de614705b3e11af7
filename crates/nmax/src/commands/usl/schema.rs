//! The JSON Schema (2020-12) of what `nmax usl predict` prints.

use nmax_usl::{Method, Model};
use serde_json::Value;

use crate::commands::schema::{
    boolean, described, document, first_version, list, map, number, one_of, or_null, record, text,
};

/// The schema.
pub fn schema() -> Value {
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
    let mut method = one_of(Method::ALL.iter().map(|method| method.name()));
    method["enum"].as_array_mut().expect("built as a list").push(Value::Null);
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
