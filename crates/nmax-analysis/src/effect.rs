//! What an intervention did: before, during and after it, and how long the system took to recover.

use crate::Evidence;

/// An intervention as it happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Happened {
    /// Its name.
    pub name: String,
    /// When its action began, seconds since the run's origin.
    pub start_s: f64,
    /// When it was undone, or was over; `None` when it never was.
    pub end_s: Option<f64>,
    /// Why its action or its undo failed, if one did.
    pub error: Option<String>,
}

/// What an intervention did.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// The intervention.
    pub happened: Happened,
    /// Figures before, during and after it; `None` where there are none.
    pub phases: [Option<Figures>; 3],
    /// From its end until the figures are again as before, seconds; `None` when they never were.
    pub recovery_s: Option<f64>,
    /// One sentence for a person.
    pub text: String,
}

/// Figures of a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// Length, seconds.
    pub length_s: f64,
    /// Exchanges that ended per second.
    pub throughput_per_s: f64,
    /// Failed or in error, of all that ended.
    pub failure_rate: f64,
    /// Median response time, ms.
    pub p50_ms: Option<f64>,
    /// 95th percentile of response times, ms.
    pub p95_ms: Option<f64>,
}

/// What each intervention of the run did, in their order.
pub fn effects(evidence: &Evidence) -> Vec<Effect> {
    let _ = evidence;
    Vec::new()
}
