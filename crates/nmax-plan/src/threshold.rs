//! Conditions on a run's result, as written: `response_time p95 < 400ms for request search in hold`.
//!
//! Grammar: `metric [stat] op value [for request|scenario|transaction|tag NAME] [in hold|whole|last DURATION]`; a name
//! that contains ` in ` is written in double quotes. [`parse`] is O(length) and never panics.

use std::time::Duration;

mod parse;
pub use parse::{ThresholdError, parse};

mod write;

/// `metric [stat] op value [for request|scenario|transaction|tag NAME] [in hold|whole|last DURATION]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Threshold {
    /// The condition as written.
    pub text: String,
    /// What is measured.
    pub metric: Metric,
    /// Which number of it.
    pub stat: Stat,
    /// Comparison.
    pub op: Op,
    /// The limit, in the metric's unit.
    pub limit: Limit,
    /// Of which part of the run's traffic.
    pub scope: Scope,
    /// Of which part of the run's time.
    pub within: Within,
    /// Ends the run once the condition has not held for that long without a break.
    pub abort: Option<Duration>,
}

nmax_text::named! {
    /// What is measured.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Metric {
        /// done − intended
        ResponseTime = "response_time",
        /// done − sent
        ServiceTime = "service_time",
        /// first byte − sent
        Ttfb = "ttfb",
        /// sent − intended
        SendLag = "send_lag",
        /// Duration of iterations
        IterationTime = "iteration_time",
        /// From the intended start of a step to the end of the last redirect that it follows
        TransactionTime = "transaction_time",
        /// From the intended start of a page to the end of its last resource
        PageTime = "page_time",
        /// (failed + errors) / count; of transactions, failed / count
        FailureRate = "failure_rate",
        /// Exchanges without a valid reply
        Errors = "errors",
        /// Exchanges with a valid reply that is not ok
        Failed = "failed",
        /// Due iterations that never started
        Dropped = "dropped",
        /// Iterations started per second
        Rate = "rate",
        /// Exchanges completed per second
        Throughput = "throughput",
        /// Bytes received
        Bytes = "bytes",
        /// Share of checks that held
        Checks = "checks",
        /// Iterations completed
        Iterations = "iterations",
    }
    /// The name in conditions.
    name
}

/// Which number of a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stat {
    /// The metric's own single value (rates, counts, shares).
    Value,
    /// Number of values.
    Count,
    /// Arithmetic mean.
    Mean,
    /// Smallest.
    Min,
    /// Largest.
    Max,
    /// Quantile in (0, 1).
    Quantile(f64),
}

/// Comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// `<`
    Below,
    /// `<=`
    AtMost,
    /// `>`
    Above,
    /// `>=`
    AtLeast,
}

impl Op {
    /// Whether `value op limit` holds; false for NaN.
    pub fn holds(self, value: f64, limit: f64) -> bool {
        match self {
            Self::Below => value < limit,
            Self::AtMost => value <= limit,
            Self::Above => value > limit,
            Self::AtLeast => value >= limit,
        }
    }
}

/// A limit with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// A time.
    Nanos(f64),
    /// A share; for `rate`, of the intended rate; for `dropped`, of the due iterations.
    Ratio(f64),
    /// Per second.
    PerSecond(f64),
    /// A plain number: counts, bytes.
    Number(f64),
}

/// Of which part of the run's traffic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All of it.
    Total,
    /// One request name.
    Request(String),
    /// One scenario, by its name.
    Scenario(String),
    /// The steps of this request name with the redirects that they follow.
    Transaction(String),
    /// Requests with this tag, or from this location.
    Tag(String),
}

/// Of which part of the run's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// The hold, ramps and warm-up excluded.
    Hold,
    /// Everything.
    Whole,
    /// The last part of the hold.
    Last(Duration),
}
