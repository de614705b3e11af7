//! Capacity: how much a system can do at its objective, how much will be asked of it, when the two meet, what to buy and
//! with what headroom, and what a bad day does.
//!
//! Pure: a document and tables in, answers out. Everything random comes from the seed of the document.
//!
//! # Layout
//! - [`answer`]: whole answers, the parts held against each other
//! - [`document`]: the YAML that states a question, with every error at once
//! - [`origin`]: which values are measured, assumed, or a vendor's; what each answer rests on
//! - [`supply`]: usable capacity of a node, of nodes, of tiers
//! - [`demand`]: the series of peaks, its forecast, how good that forecast was
//! - [`plan`]: nodes that survive a loss, headroom as a time, the date, the upgrade path
//! - [`cost`]: prices, marginal cost, wide against tall
//! - [`day`]: a day, second by second, under a policy

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod answer;
pub mod cost;
pub mod day;
pub mod demand;
pub mod document;
pub mod origin;
pub mod plan;
pub mod supply;
#[cfg(test)]
mod tests;

pub use jiff::civil::Date;

pub use document::{Document, parse, schema};
pub use origin::{Assumption, Assumptions, Basis, Figure};
