//! Response times taken apart: by request name, method, path template, status, tag and location, over time; beside what
//! a server's own log says; and what of them is the network's or the back end's.
//!
//! The client's side follows from what every run counts by request name ([`Stretches`] while windows come, [`breakdown`]
//! at the end). The server's side comes from a log that was followed during the run and is handed in as [`Sides`]. What
//! each figure means and where it may mislead: docs/methods/breakdown.md.

use crate::course::Latency;

mod beside;
mod floor;
mod operations;
mod rows;
mod sides;
mod stretches;
mod traits;

pub use beside::{Kind, SideSums, followed};
pub use floor::{Bandwidth, Floor};
pub use operations::Operations;
pub use rows::breakdown;
pub use sides::{Side, SidePoint, SideRow, Sides};
pub use stretches::{Stretches, TIME_ERROR};
pub use traits::{Traits, traits};

nmax_text::named! {
    /// What exchanges are told apart by.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Dimension {
        /// Request name.
        Name = "name",
        /// Method.
        Method = "method",
        /// Path with its holes: `/item/{id}`.
        Template = "template",
        /// Status of the reply, or that there was none.
        Status = "status",
        /// A tag of the plan; of one that is made by an expression there is also `not TAG`.
        Tag = "tag",
        /// Where users are.
        Location = "location",
    }
    /// As files have it.
    name
}

/// A run's response times, taken apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Breakdown {
    /// The client's side, by dimension, most frequent first within each.
    pub rows: Vec<Row>,
    /// How fast bytes came, at the best.
    pub bandwidth: Option<Bandwidth>,
    /// What the back end did for each request.
    pub operations: Vec<Operations>,
    /// The client's side beside that of a server's log; `None` where none was followed.
    pub sides: Option<Sides>,
    /// What a reader should know, a sentence each.
    pub notes: Vec<String>,
}

/// Exchanges that have a value of a dimension in common, in the phase that statistics are of.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What they have in common.
    pub dimension: Dimension,
    /// The value: `GET`, `404`, `images`.
    pub value: String,
    /// Exchanges.
    pub count: u64,
    /// Exchanges per second; `None` when the phase has no length.
    pub rate_per_s: Option<f64>,
    /// Failed or in error; `None` by status, where it is not known.
    pub failed: Option<u64>,
    /// Response times of those whose response time is known by this dimension; `None` without any.
    pub response: Option<Latency>,
    /// Name resolution, connect and TLS handshake, ms per exchange; `None` where it is not known by this dimension.
    pub connect_ms: Option<f64>,
    /// From sending to the first byte of the reply, mean of those that got one, ms.
    pub ttfb_ms: Option<f64>,
    /// From the first byte to the last, ms per exchange.
    pub receive_ms: Option<f64>,
    /// Bytes received per exchange.
    pub bytes: Option<f64>,
    /// The least time that its bytes need, where that explains much of the response time; of request names only.
    pub floor: Option<Floor>,
    /// Over the whole run, ramps included; at most [`POINTS_MAX`].
    pub points: Vec<Point>,
}

/// Most points of a row over time.
pub const POINTS_MAX: usize = 120;

/// A stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Its beginning, seconds since the start of the run.
    pub start_s: f64,
    /// Its length, seconds.
    pub width_s: f64,
    /// Exchanges that ended in it.
    pub count: u64,
    /// Of those, failed or in error.
    pub failed: u64,
    /// Mean response time, ms; `None` without exchanges.
    pub mean_ms: Option<f64>,
    /// Median, ms, to [`TIME_ERROR`].
    pub p50_ms: Option<f64>,
    /// 95th percentile, ms, to [`TIME_ERROR`].
    pub p95_ms: Option<f64>,
}

#[cfg(test)]
mod tests;
