//! Test data: every choice and every generated record is a pure function of a seed and a number.
//!
//! # Layout
//!
//! - [`choice`]: random numbers by address; `alias`: with weights; `permute`: numbers that never repeat
//! - `names`, `places`, `digits`: what records are made of
//! - `generator`: records by number; `write`: records as a file
//! - `csv`: tables read and written back; `skew`: how often values occur; `hashes`: how they spread over shards
//! - `mask`: values replaced by others of the same form; `sip`: under a key

mod alias;
pub mod choice;
mod csv;
mod digits;
mod generator;
mod hashes;
mod mask;
mod names;
mod permute;
mod places;
mod sip;
mod skew;
mod text;
mod write;

pub use csv::{CsvError, CsvReader, Record};
pub use generator::{Generator, GeneratorError, Spec};
pub use hashes::ShardHash;
pub use mask::{Detected, MaskKind, Masker, detect};
pub use skew::{Counter, Skew};
pub use write::{Format, RecordWriter};
