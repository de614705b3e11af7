//! The law and its neighbours, as curves of throughput over concurrency.

use crate::law::Usl;

nmax_text::named! {
    /// A rung of the ladder of models, from the simplest to the richest.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Model {
        /// X = γN.
        Linear = "linear",
        /// X = γN / (1 + α(N−1)), 0 ≤ α ≤ 1.
        Amdahl = "amdahl",
        /// The Universal Scalability Law.
        Usl = "usl",
        /// X = γN / (1 + α(N−1) + β·ln N·(N−1)).
        Ln = "ln",
        /// X = min(γN, X_cap): a resource of limited capacity.
        Knee = "knee",
    }
    /// Its name in commands and JSON.
    name
}

nmax_text::named! {
    /// A coefficient of a curve.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Coefficient {
        /// α, contention.
        Alpha = "alpha",
        /// β, coherency.
        Beta = "beta",
        /// γ, the throughput of one unit, per second.
        Gamma = "gamma",
        /// The throughput at which a curve ends, per second.
        Cap = "cap",
    }
    /// Its name in results.
    name
}

/// A model with its coefficients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Curve {
    /// X = γN.
    Linear {
        /// γ, per second.
        unit_throughput: f64,
    },
    /// X = γN / (1 + α(N−1)).
    Amdahl {
        /// α.
        contention: f64,
        /// γ, per second.
        unit_throughput: f64,
    },
    /// The law.
    Usl(Usl),
    /// X = γN / (1 + α(N−1) + β·ln N·(N−1)).
    Ln {
        /// α, may be below 0.
        contention: f64,
        /// β.
        coherency: f64,
        /// γ, per second.
        unit_throughput: f64,
    },
    /// X = min(γN, X_cap).
    Knee {
        /// γ, per second.
        unit_throughput: f64,
        /// X_cap, per second.
        cap: f64,
    },
}

impl Model {
    /// Coefficients that are fitted.
    pub const fn coefficients(self) -> usize {
        match self {
            Self::Linear => 1,
            Self::Amdahl | Self::Knee => 2,
            Self::Usl | Self::Ln => 3,
        }
    }
}

impl Curve {
    /// Which model it is.
    pub const fn model(&self) -> Model {
        match self {
            Self::Linear { .. } => Model::Linear,
            Self::Amdahl { .. } => Model::Amdahl,
            Self::Usl(_) => Model::Usl,
            Self::Ln { .. } => Model::Ln,
            Self::Knee { .. } => Model::Knee,
        }
    }

    /// Its coefficients.
    pub fn coefficients(&self) -> Vec<(Coefficient, f64)> {
        use Coefficient::{Alpha, Beta, Cap, Gamma};
        match *self {
            Self::Linear { unit_throughput } => vec![(Gamma, unit_throughput)],
            Self::Amdahl { contention, unit_throughput } => vec![(Alpha, contention), (Gamma, unit_throughput)],
            Self::Usl(Usl { contention, coherency, unit_throughput })
            | Self::Ln { contention, coherency, unit_throughput } => {
                vec![(Alpha, contention), (Beta, coherency), (Gamma, unit_throughput)]
            }
            Self::Knee { unit_throughput, cap } => vec![(Gamma, unit_throughput), (Cap, cap)],
        }
    }

    /// The curve as a law, where it is one.
    pub fn law(&self) -> Option<Usl> {
        match *self {
            Self::Linear { unit_throughput } => Some(Usl { contention: 0.0, coherency: 0.0, unit_throughput }),
            Self::Amdahl { contention, unit_throughput } => Some(Usl { contention, coherency: 0.0, unit_throughput }),
            Self::Usl(law) => Some(law),
            Self::Ln { .. } | Self::Knee { .. } => None,
        }
    }

    /// Throughput at concurrency `n`, per second; valid for N ≥ 1.
    pub fn throughput_at(&self, n: f64) -> f64 {
        match *self {
            Self::Linear { unit_throughput } => unit_throughput * n,
            Self::Amdahl { contention, unit_throughput } => unit_throughput * n / (1.0 + contention * (n - 1.0)),
            Self::Usl(law) => law.throughput_at(n),
            Self::Ln { contention, coherency, unit_throughput } => {
                unit_throughput * n / (1.0 + (n - 1.0) * (contention + coherency * n.ln()))
            }
            Self::Knee { unit_throughput, cap } => (unit_throughput * n).min(cap),
        }
    }

    /// Where throughput is largest, and that throughput, per second. `None` for models that never fall.
    pub fn peak(&self) -> Option<(f64, f64)> {
        match *self {
            Self::Usl(law) => Some((law.peak_concurrency()?, law.peak_throughput()?)),
            Self::Ln { contention, coherency, .. } => {
                let n = ln_peak(contention, coherency)?;
                Some((n, self.throughput_at(n))).filter(|(_, x)| x.is_finite() && *x > 0.0)
            }
            Self::Linear { .. } | Self::Amdahl { .. } | Self::Knee { .. } => None,
        }
    }
}

/// N_peak of the ln-variant, by Newton's steps.
///
/// ```text
/// N + ln N = 1 + (1−α)/β,  β > 0, α < 1
/// ```
fn ln_peak(contention: f64, coherency: f64) -> Option<f64> {
    let target = 1.0 + (1.0 - contention) / coherency;
    if !(coherency > 0.0 && contention < 1.0 && target.is_finite()) {
        return None;
    }
    // N + ln N is concave and rising: from the left every step stays on the left and closes in.
    let mut n = 1.0_f64;
    for _ in 0..100 {
        let next = n * (target + 1.0 - n.ln()) / (n + 1.0);
        if (next - n).abs() <= 1e-15 * n {
            break;
        }
        n = next;
    }
    Some(n)
}
