//! What to do with a set of observations.

use crate::fit::{Estimate, Method, Regression};
use crate::observation::Dimension;

/// What to do with the observations.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// How the law is fitted.
    pub method: Method,
    /// What N counts.
    pub dimension: Dimension,
    /// Think time Z, seconds; 0 without.
    pub think_s: f64,
    /// Busy time per completion of the most demanding resource, D_max, seconds, with its interval and name.
    pub demand: Option<Demand>,
    /// Coefficient of variation of replicates above which they are called unruly.
    pub spread_max: f64,
    /// What is regressed on what. With [`Regression::ResponseTime`] the load was open: X was set and R observed, N of the
    /// observations is not read but taken as X·(R + Z), and the method is `log`.
    pub regression: Regression,
    /// Rows at which the generator of the load was the bottleneck: late sends, or no processor time left.
    pub saturated: Vec<usize>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            method: Method::Log,
            dimension: Dimension::Other,
            think_s: 0.0,
            demand: None,
            spread_max: 0.10,
            regression: Regression::Throughput,
            saturated: Vec::new(),
        }
    }
}

/// What a completion asks of a resource: D = U/X, with U averaged over its servers.
#[derive(Clone, Debug, PartialEq)]
pub struct Demand {
    /// The resource.
    pub name: String,
    /// D, seconds, with its interval.
    pub seconds: Estimate,
}
