//! A reading of a host's resource, on the run's clock.

use crate::Nanos;

/// One reading: `cpu_utilization` of `worker 0` on host `injector` was 0.42 at 3 s.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    /// When it was read.
    pub at: Nanos,
    /// Host; `injector` for this process.
    pub host: String,
    /// Part of the host: `process`, `worker 0`, a device.
    pub source: String,
    /// Metric name with its unit's suffix where it has one.
    pub metric: String,
    /// Value.
    pub value: f64,
    /// `ratio`, `count`, `bytes`.
    pub unit: String,
}
