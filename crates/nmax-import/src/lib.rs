//! From what a person did to a plan: recordings are read, cleaned, understood and written as a plan.
//!
//! Pure: bytes and texts in, values out. No socket, no file, no clock; the key of the redaction is an argument.
//!
//! # The way of a recording
//!
//! 1. [`har`] or the recorder gives a [`recording::Recording`]; [`curl`] gives one of a single request.
//! 2. [`redact`] takes secrets out of what is stored, and puts them back where they are needed.
//! 3. [`select`] leaves out what is no part of the user's behaviour, with reasons.
//! 4. [`journey`] groups the rest into steps with their resources, redirects, think times and names.
//! 5. [`correlate`] finds the values that the server gave and the user sent back.
//! 6. [`parameters`] recognizes what differs from user to user.
//! 7. [`emit`] writes the plan, its data files and the evidence for the correlations.
//!
//! [`convert()`] does 3 to 7. [`structure`] tells whether two replies are the same page to a user, and [`prove`] which values of
//! a plan must be fresh.

pub mod convert;
pub mod correlate;
pub mod curl;
pub mod emit;
pub mod form;
pub mod har;
pub mod journey;
pub mod kind;
pub mod options;
pub mod parameters;
pub mod parts;
pub mod prove;
pub mod recording;
pub mod redact;
pub mod select;
pub mod structure;

pub use convert::convert;
pub use emit::{Converted, Summary};
pub use options::Options;

#[cfg(test)]
mod tests;
