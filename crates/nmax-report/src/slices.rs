//! Slices of exchanges: the answer for people, and for programs.

mod document;
mod formats;

use nmax_slice::Answer;
use serde_json::Value;

pub use document::document;
pub use formats::{csv, json, list, list_schema, schema};

/// An answer, and what it is of.
#[derive(Debug)]
pub struct SliceView {
    /// What was found.
    pub answer: Answer,
    /// What was read: `run 20en ("shop"), hold`, `access.log`.
    pub title: String,
    /// The same for programs.
    pub source: Value,
    /// What a person must see before the numbers.
    pub warnings: Vec<String>,
}
