//! Integration tests.

mod correlate;
mod curl;
mod har;
mod made;
mod redact;
