//! Requests as logs of servers have them.

use crate::Nanos;

/// Who sent a request, as far as its user agent tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// The log or the run does not tell.
    Unknown,
    /// The run.
    Run,
    /// Somebody else.
    Other,
}

/// A request as a log has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Number of the log, in the order of the plan.
    pub log: u16,
    /// When the line was read, on the run's clock.
    pub seen: Nanos,
    /// When the request arrived, as the log's host says, µs since 1970.
    pub arrival_us: i64,
    /// Whether that is an arrival, and not the end of the exchange.
    pub is_arrival: bool,
    /// Resolution of that, µs.
    pub resolution_us: u32,
    /// How long the server took, µs.
    pub duration_us: Option<u64>,
    /// How long the server behind it took, µs.
    pub upstream_us: Option<u64>,
    /// Status; 0 is unknown.
    pub status: u16,
    /// Who sent it.
    pub agent: Sender,
}
