//! The law and its neighbours, as curves of throughput over concurrency.

/// A rung of the ladder of models, from the simplest to the richest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// X = γN.
    Linear,
    /// X = γN / (1 + α(N−1)), 0 ≤ α ≤ 1.
    Amdahl,
    /// The Universal Scalability Law.
    Usl,
    /// X = γN / (1 + α(N−1) + β·ln N·(N−1)).
    Ln,
    /// X = min(γN, X_cap): a resource of limited capacity.
    Knee,
}

impl Model {
    /// Every rung.
    pub const ALL: [Self; 5] = [Self::Linear, Self::Amdahl, Self::Usl, Self::Ln, Self::Knee];

    /// Its name in commands and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Amdahl => "amdahl",
            Self::Usl => "usl",
            Self::Ln => "ln",
            Self::Knee => "knee",
        }
    }
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
    Usl(crate::law::Usl),
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
