//! Searches for one level: the highest that holds an objective, and the one with the best throughput.
//!
//! Both have the shape of a [campaign](crate::design::Campaign): ask for the next step, run it, record what became of
//! it. They hold no clock and repeat from their rules and the outcomes.
//!
//! # Layout
//!
//! - [`objective`]: the highest level that holds an objective such as `p95 < 200ms`, with an interval.
//! - [`best_load`]: the best throughput of one setting of the system, in few runs.
//! - `crossing`: where a noisy curve crosses 0.

pub mod best_load;
mod crossing;
pub mod objective;

pub use best_load::{Best, BestLoad, BestLoadRules};
pub use objective::{Answer, Judged, Objective, ObjectiveRules, Tested};
