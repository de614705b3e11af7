//! One view of a run, as terminal tables, HTML, SVG, JSON, JUnit and CSV.
//!
//! Data in, text out. [`View`] holds every number, computed once; the outputs print it and compute nothing.
//!
//! # Layout
//! - [`run`]: identity and origin of a run
//! - [`series`]: the run over time, from windows
//! - [`shape`]: the plan's stages on the time axis
//! - [`problems`]: failures and errors by kind, with examples
//! - [`view`]: the one view model
//! - [`scalability`]: fits of the law and campaigns that measure it
//! - [`comparison`]: before and after, and a figure over many runs
//! - [`slices`]: slices of exchanges
//! - [`number`]: numbers for people
//! - [`terminal`]: table, live display, plain lines
//! - [`json`]: `summary.json` and its schema
//! - [`junit`], [`csv`], [`markdown`]: for build servers, spreadsheets and comments
//! - [`svg`][]: charts
//! - [`html`]: the self-contained page

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod comparison;
pub mod csv;
pub mod html;
pub mod json;
pub mod junit;
pub mod markdown;
mod markup;
pub mod number;
pub mod problems;
pub mod run;
pub mod scalability;
pub mod series;
pub mod shape;
pub mod slices;
pub mod svg;
pub mod terminal;
pub mod view;

pub use run::{Ending, Event, RunInfo};
pub use series::{Series, SeriesBuilder};
pub use view::View;
