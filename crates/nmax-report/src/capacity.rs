//! What is said about capacity.

use nmax_capacity::Document as Question;
use serde_json::{Value, json};

use crate::doc::Document;

pub mod date;
pub mod demand;

/// What to buy, when, with what headroom; the same as JSON; whether the data support it.
pub fn plan(question: &Question) -> (Document, Value, bool) {
    (Document { title: question.name.clone(), ..Document::default() }, json!({ "name": question.name }), true)
}

/// A day under each strategy; the same as JSON; whether the data support it.
pub fn day(question: &Question) -> (Document, Value, bool) {
    plan(question)
}
