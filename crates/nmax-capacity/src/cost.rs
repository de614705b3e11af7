//! Prices, marginal cost, wide against tall.

/// What things cost, in the currency of the document.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prices {
    /// A node, per hour.
    pub node_per_h: Option<f64>,
    /// A request.
    pub request: f64,
    /// A gigabyte that is sent.
    pub gigabyte: f64,
    /// Size of a response, bytes.
    pub response_bytes: u64,
    /// An hour in which the objective is missed.
    pub hour_out_of_slo: Option<f64>,
    /// What one request per second is worth, for an hour.
    pub value_per_h: Option<f64>,
}
