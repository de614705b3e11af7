//! The client's side of a run beside the server's, as its log has it.

use crate::course::Latency;

/// The client's side and the server's, as its log has it, of the same requests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sides {
    /// Logs that are the server's side, added together.
    pub logs: Vec<String>,
    /// Logs of the servers behind these that tell their times; empty where the server's own log does, or none.
    pub behind: Vec<String>,
    /// All requests, then by method and path template, most frequent first, each followed by its statuses.
    pub rows: Vec<SideRow>,
    /// All requests over time.
    pub points: Vec<SidePoint>,
    /// Requests in the log that were not the run's.
    pub others: u64,
    /// How far the log's clock is ahead of the run's, and by how much that may be wrong, s; `None` where it is not known.
    pub offset_s: Option<(f64, f64)>,
    /// What a reader should know, a sentence each.
    pub notes: Vec<String>,
}

/// Requests of a kind on both sides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SideRow {
    /// Method and path template: `GET /item/{id}`; empty for all requests.
    pub name: String,
    /// Status; `None`: all of them.
    pub status: Option<u16>,
    /// As the client has it: from the first byte sent to the last byte received.
    pub client: Side,
    /// As the server's log has it.
    pub server: Side,
    /// Of the server's time, that of the server behind it, mean, ms.
    pub upstream_ms: Option<f64>,
    /// Client's mean without the server's, ms: the network, and the queue in front of the server.
    pub outside_ms: Option<f64>,
    /// Server's mean without that behind it, ms: the front server itself, and the way to the client where its time has it.
    pub front_ms: Option<f64>,
}

/// One side's figures.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Side {
    /// Requests.
    pub count: u64,
    /// Times; `None` when there are none.
    pub time: Option<Latency>,
}

/// A stretch of time on both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SidePoint {
    /// Its beginning, seconds since the start of the run.
    pub start_s: f64,
    /// Its length, seconds.
    pub width_s: f64,
    /// Requests that ended in it, as the client has it.
    pub client_count: u64,
    /// As the log has it.
    pub server_count: u64,
    /// Client's mean time, ms.
    pub client_ms: Option<f64>,
    /// Server's mean time, ms.
    pub server_ms: Option<f64>,
    /// That of the server behind it, ms.
    pub upstream_ms: Option<f64>,
}
