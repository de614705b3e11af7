//! The one run that helps most: c-optimal choice of the next level.

#[cfg(test)]
mod tests;

use super::information::{peak_concurrency_gradient, peak_throughput_gradient, product, sensitivity};
use crate::law::Usl;

nmax_text::named! {
    /// What is to be known better.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Question {
        /// ln X_peak.
        PeakThroughput = "throughput at the peak",
        /// ln N_peak.
        PeakConcurrency = "concurrency of the peak",
        /// α.
        Contention = "contention",
        /// β.
        Coherency = "coherency",
    }
    /// In words.
    name
}

impl Question {
    /// How its answer depends on (α, β, ln γ); `None` when it is about a peak that the law does not have.
    pub fn gradient(self, law: &Usl) -> Option<[f64; 3]> {
        match self {
            Self::PeakThroughput => peak_throughput_gradient(law),
            Self::PeakConcurrency => peak_concurrency_gradient(law),
            Self::Contention => Some([1.0, 0.0, 0.0]),
            Self::Coherency => Some([0.0, 1.0, 0.0]),
        }
    }
}

/// A level and what one more run there gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// N.
    pub n: f64,
    /// By how much the variance of the answer falls.
    pub reduction: f64,
    /// The same as a share of the variance, 0 to 1.
    pub share: f64,
}

/// The candidate at which one more run lowers the variance of the answer most; `None` without candidates, or when the
/// question has no answer under this law.
///
/// ```text
/// reduction = (cᵀ·C·f(N))² / (s² + f(N)ᵀ·C·f(N))
/// ```
///
/// - C: covariance of (α, β, ln γ); `covariance`
/// - c: gradient of the answer; f(N_peak) for ln X_peak
/// - s²: residual variance of ln X; `variance`
///
/// Of equal candidates the first wins. Law: `reduction_is_what_the_run_gives`.
pub fn choose(
    law: &Usl,
    covariance: &[[f64; 3]; 3],
    variance: f64,
    question: Question,
    candidates: &[f64],
) -> Option<Choice> {
    let gradient = question.gradient(law)?;
    let before = product(gradient, covariance, gradient);
    let mut best: Option<Choice> = None;
    for &n in candidates {
        let f = sensitivity(law, n);
        let reduction = product(gradient, covariance, f).powi(2) / (variance + product(f, covariance, f));
        if reduction.is_finite() && best.is_none_or(|best| reduction > best.reduction) {
            best = Some(Choice { n, reduction, share: if before > 0.0 { reduction / before } else { 0.0 } });
        }
    }
    best
}
