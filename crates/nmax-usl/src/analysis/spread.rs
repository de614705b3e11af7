//! How uncertain a fit is, anywhere on its curve.

use crate::fit::{Fit, Scale};
use crate::law::Usl;

/// Two-sided 95 %.
const P95: f64 = 0.975;

/// Covariance, residual deviation and Student's t of a fit, taken once.
#[derive(Clone, Debug)]
pub(crate) struct Spread {
    pub scale: Scale,
    /// Covariance of (α, β, γ or ln γ).
    pub covariance: [[f64; 3]; 3],
    /// Residual variance s² at weight 1, in the scale's units.
    pub variance: f64,
    /// t(.975) for the fit's degrees of freedom.
    pub t: f64,
    /// Degrees of freedom.
    pub df: usize,
}

impl Spread {
    /// `None` where the fit has no covariance, or no degrees of freedom.
    pub(crate) fn from_fit(fit: &Fit) -> Option<Self> {
        let df = fit.n.checked_sub(fit.k).filter(|df| *df >= 1)?;
        Some(Self {
            scale: fit.scale,
            covariance: fit.covariance?,
            variance: fit.rss / df as f64,
            t: crate::quantile::student_t(P95, df as f64),
            df,
        })
    }

    /// Variance of a function of the coefficients with gradient `f`: fᵀ·Cov·f.
    pub(crate) fn variance_of(&self, f: [f64; 3]) -> f64 {
        let rows = self.covariance.iter().zip(f);
        let sum: f64 = rows.map(|(row, fi)| fi * (row[0] * f[0] + row[1] * f[1] + row[2] * f[2])).sum();
        sum.max(0.0)
    }

    /// Covariance of the coefficient at `index` and a function with gradient `f`.
    pub(crate) fn covariance_with(&self, index: usize, f: [f64; 3]) -> f64 {
        let row = self.covariance[index];
        row[0] * f[0] + row[1] * f[1] + row[2] * f[2]
    }

    /// 95 % band of the mean at `n`, per second.
    pub(crate) fn band_at(&self, law: &Usl, n: f64) -> Option<(f64, f64)> {
        let half = self.t * self.variance_of(self.scale.gradient(law, n)).sqrt();
        self.scale.around(law.throughput_at(n), half)
    }
}
