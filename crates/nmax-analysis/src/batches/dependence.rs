//! What the exchanges of a run are worth in independent ones.

use super::{BATCHES_MIN, DECIDING_BATCHES, Line};
use crate::trend::lag1;
use crate::wording::count;

/// Batches from which on the correlation of neighbours is told from chance.
const CORRELATED_MIN: usize = 30;
/// Standard errors by which values must be worth less than independent ones to be called dependent.
const CERTAIN: f64 = 5.0;

/// How many independent values the response times are worth, for their mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dependence {
    /// Exchanges.
    pub exchanges: u64,
    /// Independent exchanges whose mean would be known as well.
    pub effective: f64,
    /// Correlation of a batch with the next one, −1 to 1.
    pub lag1: f64,
    /// Batches behind it.
    pub batches: usize,
}

impl Dependence {
    /// In words; `without` are the quantiles that it leaves without an interval.
    pub(crate) fn text(&self, without: &[&str]) -> String {
        let intervals = match without {
            [] => "intervals within the run allow for it".to_owned(),
            [one] => format!("{one} is too dependent for an interval"),
            [first @ .., last] => format!("{} and {last} are too dependent for an interval", first.join(", ")),
        };
        format!(
            "response times depend on those before them: {} exchanges say as much as some {} independent ones; {intervals}",
            count(self.exchanges),
            count(self.effective.round() as u64)
        )
    }

    /// Whether far fewer are independent than there are, and not by chance: less than 39 % of 60 batches, 30 % of ten.
    pub fn matters(&self) -> bool {
        let batches = self.batches as f64;
        let of_correlation = if self.batches >= CORRELATED_MIN { 4.0 / batches } else { 0.0 };
        let error = (2.0 / (batches - 1.0) + of_correlation).sqrt();
        self.exchanges as f64 / self.effective > 1.0 + CERTAIN * error
    }
}

impl Line {
    /// What the values are worth, from at most 60 batches.
    ///
    /// ```text
    /// n_eff = n · nσ²/V · (1 − r)/(1 + r),   V = b/(b−1) · Σ e_k²
    /// ```
    ///
    /// - e_k: what batch k of b has beyond its share; nσ²: variance of the sum of n independent values
    /// - r: correlation of e_k with e_{k+1}, plus 1/b for its bias; 0 where it is negative or there are fewer than 30
    ///   batches. It stands for dependence that reaches beyond a batch.
    ///
    /// `None` with fewer than ten batches, and of values that are all the same.
    ///
    /// Source: A. M. Law, *Simulation Modeling and Analysis* (2015), section 9.5. Law: `values_are_worth_what_replicates_say`.
    pub fn dependence(&self) -> Option<Dependence> {
        let sums = self.times().joined(DECIDING_BATCHES);
        let residuals = sums.residuals();
        let batches = residuals.len();
        if batches < BATCHES_MIN || sums.independent() <= 0.0 {
            return None;
        }
        let b = batches as f64;
        let variance = residuals.iter().map(|e| e * e).sum::<f64>() * b / (b - 1.0);
        let lag1 = lag1(&residuals) + 1.0 / b;
        let reach = if batches >= CORRELATED_MIN { lag1.clamp(0.0, 0.95) } else { 0.0 };
        let effective = sums.values() * sums.independent() / variance * (1.0 - reach) / (1.0 + reach);
        Some(Dependence { exchanges: self.count(), effective, lag1, batches })
    }
}
