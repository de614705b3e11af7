//! Test data: every choice and every generated record is a pure function of a seed and a number.
//!
//! # Layout
//!
//! - [`choice`]: random numbers by address
//! - `generator`: records by number

pub mod choice;
mod generator;

pub use generator::{Generator, GeneratorError, Spec};
