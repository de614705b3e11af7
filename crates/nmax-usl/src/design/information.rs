//! What a set of levels tells about the law, before anything is measured.

#[cfg(test)]
mod tests;

use crate::law::Usl;

/// How ln X̂(N) answers to (α, β, ln γ): f(N) = (−(N−1)/D, −N(N−1)/D, 1).
///
/// - N: concurrency, dimensionless; argument `n`, at least 1
/// - D: 1 + α(N−1) + βN(N−1)
///
/// Source: derivative of the law. Law: `sensitivity_is_the_derivative`.
pub fn sensitivity(law: &Usl, n: f64) -> [f64; 3] {
    let d = 1.0 + law.contention * (n - 1.0) + law.coherency * n * (n - 1.0);
    [-(n - 1.0) / d, -n * (n - 1.0) / d, 1.0]
}

/// How ln N_peak answers to (α, β, ln γ): (−1/(2(1−α)), −1/(2β), 0). `None` without a peak.
pub fn peak_concurrency_gradient(law: &Usl) -> Option<[f64; 3]> {
    peak_of(law).map(|_| [-0.5 / (1.0 - law.contention), -0.5 / law.coherency, 0.0])
}

/// How ln X_peak answers to (α, β, ln γ): f(N_peak), because dX/dN is 0 there. `None` without a peak.
pub fn peak_throughput_gradient(law: &Usl) -> Option<[f64; 3]> {
    peak_of(law).map(|n| sensitivity(law, n))
}

/// N_peak = √((1−α)/β), for β > 0, α < 1 and a peak at 1 or above.
pub(crate) fn peak_of(law: &Usl) -> Option<f64> {
    let squared = (1.0 - law.contention) / law.coherency;
    (law.coherency > 0.0 && squared.is_finite() && squared >= 1.0).then(|| squared.sqrt())
}

/// vᵀ·M·w.
pub(crate) fn product(v: [f64; 3], m: &[[f64; 3]; 3], w: [f64; 3]) -> f64 {
    (0..3).map(|i| (0..3).map(|j| v[i] * m[i][j] * w[j]).sum::<f64>()).sum()
}

/// Fisher information about (α, β, ln γ) of runs whose ln X has variance 1: the sum of f(N)·f(N)ᵀ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Information([[f64; 3]; 3]);

impl Information {
    /// Of one run at each of `levels` (a level that repeats counts as often).
    pub fn from_levels(law: &Usl, levels: &[f64]) -> Self {
        levels.iter().fold(Self::default(), |sum, &n| sum.plus(law, n))
    }

    /// With one more run at `n`.
    #[must_use]
    pub fn plus(mut self, law: &Usl, n: f64) -> Self {
        let f = sensitivity(law, n);
        for (row, fi) in self.0.iter_mut().zip(f) {
            for (cell, fj) in row.iter_mut().zip(f) {
                *cell += fi * fj;
            }
        }
        self
    }

    /// Covariance of (α, β, ln γ) for noise of relative deviation `sd`: M⁻¹·sd². `None` when the levels do not tell
    /// the three coefficients apart.
    pub fn covariance(&self, sd: f64) -> Option<[[f64; 3]; 3]> {
        // Scaled to a unit diagonal first: β is smaller than ln γ by orders of magnitude.
        let scale = [0, 1, 2].map(|i| self.0[i][i].sqrt());
        if scale.iter().any(|s| !s.is_finite() || *s <= 0.0) {
            return None;
        }
        let m = [0, 1, 2].map(|i| [0, 1, 2].map(|j| self.0[i][j] / (scale[i] * scale[j])));
        let cofactor = |i: usize, j: usize| {
            let (a, b) = ((i + 1) % 3, (i + 2) % 3);
            let (c, d) = ((j + 1) % 3, (j + 2) % 3);
            m[a][c] * m[b][d] - m[a][d] * m[b][c]
        };
        let determinant: f64 = (0..3).map(|j| m[0][j] * cofactor(0, j)).sum();
        if determinant.is_nan() || determinant <= 1e-14 {
            return None;
        }
        Some([0, 1, 2].map(|i| [0, 1, 2].map(|j| cofactor(j, i) / determinant * sd * sd / (scale[i] * scale[j]))))
    }
}

/// Standard deviations that a design will give the peak.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Of ln N_peak; nearly the relative deviation of N_peak.
    pub ln_peak_concurrency: f64,
    /// Of ln X_peak.
    pub ln_peak_throughput: f64,
}

/// What one run at each of `levels` will tell about the peak of `law`, with noise of relative deviation `sd`.
/// `None` when the law has no peak, or fewer than three levels differ.
pub fn spread(law: &Usl, levels: &[f64], sd: f64) -> Option<Spread> {
    let covariance = Information::from_levels(law, levels).covariance(sd)?;
    let deviation = |gradient| product(gradient, &covariance, gradient).max(0.0).sqrt();
    Some(Spread {
        ln_peak_concurrency: deviation(peak_concurrency_gradient(law)?),
        ln_peak_throughput: deviation(peak_throughput_gradient(law)?),
    })
}

/// The locally D-optimal design for relative errors on `low` ≤ N ≤ `high`: three levels, each measured as often.
///
/// The determinant of the information of three levels a < b < c is ((b−a)(c−b)(c−a) / (D(a)·D(b)·D(c)))², so the two
/// ends belong to it, and the level m between them solves
///
/// ```text
/// A·m² + 2B·m − C = 0,  A = α − β + β(low + high),  B = 1 − α − β·low·high,
///                       C = (low + high)(1 − α) + low·high·(α − β)
/// ```
///
/// Valid for α, β ≥ 0 and 1 ≤ `low` < `high`; elsewhere the middle falls back to the geometric mean. O(1).
///
/// Law: `d_optimal_beats_every_other_middle`.
pub fn d_optimal(law: &Usl, low: f64, high: f64) -> [f64; 3] {
    let (alpha, beta) = (law.contention, law.coherency);
    let (sum, both) = (low + high, low * high);
    let a = alpha - beta + beta * sum;
    let b = 1.0 - alpha - beta * both;
    let c = sum * (1.0 - alpha) + both * (alpha - beta);
    let root = (b * b + a * c).sqrt();
    // The form without cancellation: b may have either sign.
    let middle = if b >= 0.0 { c / (b + root) } else { (root - b) / a };
    let middle = if middle > low && middle < high { middle } else { both.sqrt() };
    [low, middle, high]
}
