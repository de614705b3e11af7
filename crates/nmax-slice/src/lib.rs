//! Slices of exchanges: which ones, by what they are grouped, what is said about each group.
//!
//! Pure: columns in, rows out. A [`Request`] is what a person typed; with the [`Schema`] of a source it becomes a [`Slice`],
//! all errors at once. A [`Tally`] takes [`Chunk`]s of typed columns, merges with others, and answers. Percentiles come
//! from merged histograms, never from percentiles. Memory is bounded whatever the number of groups ([`tally::GROUPS_MAX`]).
//!
//! # Layout
//! - [`column`]: columns, their kinds, chunks of them
//! - [`civil`]: dates and times of day in a zone
//! - `lexer`, `syntax`: a condition as typed; `literal`: values with units; `condition`: bound to columns and evaluated
//! - `tag`: columns that a regular expression makes; `key`: what rows are grouped by
//! - [`measure`]: what is said about a group
//! - [`slice`]: all of it, compiled; `grain`: for sources of sums
//! - [`tally`]: sums by group and time; `stats`: of one group; `frequent`: which groups are the largest of very many
//! - [`answer`]: sorted rows, the rest, the series
//! - [`run`], [`logs`]: what is sliced, as columns
//! - [`saved`]: slices kept under a name, as TOML
//! - [`error`]: what is wrong with a request, where, and what to do

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod answer;
pub mod civil;
pub mod column;
mod condition;
pub mod error;
mod frequent;
mod grain;
mod key;
mod lexer;
mod literal;
pub mod logs;
pub mod measure;
pub mod run;
pub mod saved;
pub mod slice;
mod stats;
mod syntax;
mod tag;
pub mod tally;

pub use answer::{Answer, Row};
pub use column::{Cell, Chunk, Column, Kind, Schema, Sums, Values};
pub use error::SliceError;
pub use slice::{Request, Slice};
pub use tally::Tally;
