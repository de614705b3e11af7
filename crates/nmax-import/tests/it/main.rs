//! Integration tests.

#![allow(clippy::unwrap_used)]

mod correlate;
mod curl;
mod emit;
mod har;
mod made;
mod redact;
