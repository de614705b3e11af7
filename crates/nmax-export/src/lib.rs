//! A run where people already look: in Prometheus and OpenTelemetry.
//!
//! # Layout
//! - pure: [`metric`] (what is exported, as a table), [`buckets`], [`snapshot`] (the figures of a run), `requests`
//! - formats: [`prometheus`], `otlp`, `remote_write`
//! - shell: `endpoint` (is scraped), `push` (sends), [`exports`] (all of a run)

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod buckets;
mod endpoint;
pub mod exports;
pub mod metric;
mod otlp;
pub mod prometheus;
mod push;
mod remote_write;
mod requests;
pub mod snapshot;

pub use exports::{Exports, Options};
pub use snapshot::{Known, Snapshot};

#[cfg(test)]
mod tests;
