//! Steady state: MSER-5, drift and KPSS on the stretches of the hold.

/// Whether the measurements of the hold stand still.
#[derive(Clone, Debug, PartialEq)]
pub struct Steadiness {
    /// `None` when there are too few stretches to tell.
    pub holds: Option<bool>,
    /// Beginning of the hold that is a transient by MSER-5, seconds.
    pub transient_s: Option<f64>,
    /// By series: throughput, mean response time, p95.
    pub series: Vec<SeriesTest>,
    /// One sentence for a person.
    pub text: String,
}

/// Tests of one series.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesTest {
    /// `throughput`, `response mean`, `response p95`.
    pub name: &'static str,
    /// Change over the hold, of the median; from the Theil–Sen slope.
    pub drift: Option<f64>,
    /// Largest drift that is accepted.
    pub drift_limit: f64,
    /// KPSS statistic.
    pub kpss: Option<f64>,
    /// ADF statistic; decides nothing.
    pub adf: Option<f64>,
    /// Whether it stands still.
    pub holds: Option<bool>,
}
