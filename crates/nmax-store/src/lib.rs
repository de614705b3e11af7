//! A run's directory: one append-only place per run, in standard formats.
//!
//! Synchronous file access, meant for a dedicated thread. The directory can be read at any time, also after a
//! `kill -9`: everything up to the last full window reads back. `docs/reference/run-directory.md` describes the files.
//!
//! # Layout
//! - [`manifest`]: what was run, on what, when
//! - [`host`]: a description of this machine for the manifest
//! - [`writer`]: writes a run's directory
//! - `injectors`: what each of several injectors measured
//! - `rollup`: windows and readings of a long run added up
//! - [`reader`]: reads it back, also while it is being written
//! - [`find`]: runs below a root, by path, id, prefix or `last`
//! - [`samples`]: raw exchanges as Parquet files (feature `parquet`)
//! - `fixture`: runs that were never made, behind a feature
//! - [`schema`]: JSON Schemas of the files
//! - [`error`]: what can go wrong, where, and what to do
//! - `tag`, `hlog`, `line`, `records`, `names`, `lines`, `files`: the formats and their plumbing

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod error;
mod files;
pub mod find;
#[cfg(any(test, feature = "testing"))]
pub mod fixture;
mod hlog;
pub mod host;
mod injectors;
mod line;
mod lines;
pub mod manifest;
mod names;
pub mod reader;
mod records;
mod rollup;
#[cfg(feature = "parquet")]
pub mod samples;
pub mod schema;
mod segments;
mod tag;
#[cfg(not(feature = "parquet"))]
pub mod without_samples;
pub mod writer;

pub use error::StoreError;
pub use find::{RunEntry, entry, find, list, newest};
pub use injectors::{InjectorRecord, LostWindows};
pub use manifest::{Hold, Manifest, SCHEMA_VERSION, Steered};
pub use reader::{Event, Follower, RunReader};
#[cfg(not(feature = "parquet"))]
pub use without_samples as samples;
pub use writer::{RunWriter, write_results};

/// Whether raw exchanges are kept and read: the feature `parquet`.
pub const KEEPS_SAMPLES: bool = cfg!(feature = "parquet");

#[cfg(test)]
mod testing;
