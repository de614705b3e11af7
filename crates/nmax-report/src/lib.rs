//! One view of a run, as terminal tables, HTML, SVG, JSON, JUnit and CSV.
//!
//! Data in, text out. [`View`] holds what was judged, every number computed before; the outputs print it and compute nothing.
//!
//! # Layout
//! - [`report`]: the report of a run
//! - [`run`]: identity and origin of a run
//! - [`view`]: the one view model
//! - [`scalability`]: fits of the law and campaigns that measure it
//! - [`capacity`]: what to buy, and when
//! - [`comparison`]: before and after, and a figure over many runs
//! - [`series`]: several runs in one summary
//! - [`slices`]: slices of exchanges
//! - [`traffic`]: what was found in access logs
//! - [`number`]: numbers for people
//! - [`doc`]: what a report says, before it is written
//! - [`terminal`]: table, live display, plain lines
//! - [`json`]: `summary.json` and its schema
//! - [`junit`], [`csv`], [`markdown`]: for build servers, spreadsheets and comments
//! - [`svg`][]: charts
//! - [`html`]: the self-contained page
//! - [`pdf`]: a few pages for people

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod capacity;
pub mod comparison;
pub mod csv;
pub mod doc;
pub mod html;
pub mod json;
pub mod junit;
pub mod markdown;
mod markup;
pub mod number;
pub mod pdf;
pub mod report;
pub mod run;
pub mod scalability;
pub mod series;
pub mod slices;
pub mod svg;
pub mod terminal;
pub mod traffic;
pub mod view;

pub use run::RunInfo;
pub use view::{RunContext, View};
