//! The cheapest policy that keeps a risk.

/// What may happen, and how often.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Risk {
    /// Minutes out of the objective that a day may have.
    pub minutes: f64,
    /// Share of days that may have more.
    pub chance: f64,
}
