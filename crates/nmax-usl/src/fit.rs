//! Methods that find the coefficients of the law, and intervals.

use crate::law::Usl;

/// How coefficients are found. The method is kept with every coefficient, since methods disagree on the same data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Least squares of ln X: relative errors. The default, since noise is proportional.
    #[default]
    Log,
    /// Least squares of X.
    Ols,
    /// Least squares of X with γ = X(1), as in Gunther's slides of 2010.
    Ols2,
    /// Quadratic through the origin of the transformed data, as in *Guerrilla Capacity Planning*, ch. 5.
    Poly2,
    /// Quadratic in N/X.
    Poly3,
}

impl Method {
    /// Every method.
    pub const ALL: [Self; 5] = [Self::Log, Self::Ols, Self::Ols2, Self::Poly2, Self::Poly3];

    /// Its name in commands and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Ols => "ols",
            Self::Ols2 => "ols2",
            Self::Poly2 => "poly2",
            Self::Poly3 => "poly3",
        }
    }
}

/// A value with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The value.
    pub estimate: f64,
    /// Lower end; `None` when there are too few observations, or the value sits on a bound.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Whether a bound decided the value, and not the data.
    pub at_bound: bool,
}

/// In which units residuals and covariance are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// ln X; the third coefficient is ln γ.
    Log,
    /// X, per second; the third coefficient is γ.
    Linear,
}

/// A fit of the law.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// How it was found.
    pub method: Method,
    /// Its coefficients.
    pub law: Usl,
    /// Units of residuals and covariance.
    pub scale: Scale,
    /// Number of observations.
    pub n: usize,
    /// Free coefficients: 3, or 2 where γ is given.
    pub k: usize,
    /// Residual sum of squares, in the scale's units, weighted.
    pub rss: f64,
    /// Covariance of (α, β, γ or ln γ); `None` without degrees of freedom or with an active bound.
    pub covariance: Option<[[f64; 3]; 3]>,
    /// Names of the coefficients that a bound decided; normally none, since fits are free.
    pub at_bound: Vec<&'static str>,
    /// Whether the scaled gradient vanished.
    pub converged: bool,
    /// 1 − RSS/TSS of X. It is shown, and decides nothing.
    pub r_squared: f64,
    /// α with its interval.
    pub contention: Estimate,
    /// β with its interval.
    pub coherency: Estimate,
    /// γ with its interval.
    pub unit_throughput: Estimate,
}
