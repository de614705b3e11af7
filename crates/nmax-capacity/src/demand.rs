//! Demand: the series of peaks, its forecast, how good that forecast was on weeks that it had not seen.
//!
//! # Layout
//! - [`series`]: peaks per day or week, of whatever was counted more often
//! - [`table`], [`metrics`]: series read from tables and from what Prometheus answers
//! - [`terms`]: calendar: trend, seasons, events, as columns
//! - [`model`]: least squares on the logarithms, with noise that remembers; futures drawn from it
//! - [`damped`]: the challenger, whose trend wears off
//! - [`futures`]: futures of each kind of forecast
//! - [`forecast`]: the model beside the naive forecast
//! - [`backtest`]: both on weeks held out

pub mod backtest;
pub mod damped;
pub mod forecast;
pub mod futures;
pub mod metrics;
pub mod model;
pub mod series;
pub mod table;
pub mod terms;

pub use backtest::{BackTest, Method};
pub use forecast::{Ahead, Band, Forecast, forecast};
pub use model::{Growth, Model};
pub use series::{Series, Step};
pub use terms::Event;

/// What the document says of demand.
#[derive(Clone, Debug, PartialEq)]
pub struct Demand {
    /// Where its numbers come from.
    pub source: Source,
    /// Days that differ from what the calendar says; holidays are one event.
    pub events: Vec<Event>,
}

/// Where the numbers come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// Peaks that were counted.
    Series(Series),
    /// Access logs, which the shell reads and replaces by their series.
    Logs(Logs),
    /// Nothing was counted.
    Assumed(Assumed),
}

/// Access logs that are to be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Logs {
    /// Their files.
    pub files: Vec<String>,
    /// Name of their format, or what the server's configuration says.
    pub format: Option<String>,
    /// Seconds that its days lie east of Greenwich.
    pub zone_s: i32,
    /// Which load of a day is its peak.
    pub peak: Peak,
}

/// Which of the loads of a day is its peak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Peak {
    /// The largest.
    #[default]
    Maximum,
    /// The 99th percentile: 14 minutes of a day are above it.
    P99,
}

/// Demand that is stated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Assumed {
    /// Requests per second at the peak of today.
    pub now: f64,
    /// Growth per week as a share, with its 95 % range where one is stated.
    pub growth: crate::Figure,
}
