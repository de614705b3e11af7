//! A run where people already look: in Prometheus and OpenTelemetry, in the summary of a CI job, at a webhook.
//!
//! # Layout
//! - pure: [`metric`] (what is exported, as a table), [`buckets`], [`snapshot`] (the figures of a run), `requests`
//! - formats: [`prometheus`], `otlp`, `remote_write`
//! - shell: `endpoint` (is scraped), `push` (sends), [`exports`] (all of a run), [`summary`] and [`webhook`] (when it has ended)

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
pub mod summary;
pub mod webhook;

pub use exports::{Exports, Options};
pub use snapshot::{Known, Snapshot};
pub use webhook::Webhook;

#[cfg(test)]
mod tests;
