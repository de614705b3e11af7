//! Methods that find the coefficients of the law, and intervals.
//!
//! Observations go in (N ≥ 1, X > 0 per second), a [`Fit`] or a [`FitError`] comes out. Fits are free: a coefficient
//! below 0 is evidence, not a mistake. Only a law with a pole on [1, 2·N_hi] is refused, N_hi being the largest N
//! measured. Cost: linear in the rows, and a few dozen searches of about ten steps each over the different N.

mod interval;
mod open;
mod polynomial;
mod profile;
mod rung;
mod search;
mod solve;
mod table;
#[cfg(test)]
mod tests;

pub use open::fit_open;
pub use rung::fit_model;

use crate::law::Usl;
use crate::observation::Observation;
use search::Optimum;
use solve::{Scratch, State, Unit};
use table::{Shape, Table};

nmax_text::named! {
    /// How coefficients are found. The method is kept with every coefficient, since methods disagree on the same data.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Method {
        /// Least squares of ln X: relative errors. The default, since noise is proportional.
        #[default]
        Log = "log",
        /// Least squares of X.
        Ols = "ols",
        /// Least squares of X with γ = X(1), as in Gunther's slides of 2010.
        Ols2 = "ols2",
        /// Quadratic through the origin of the transformed data, as in *Guerrilla Capacity Planning*, ch. 5.
        Poly2 = "poly2",
        /// Quadratic in N/X.
        Poly3 = "poly3",
    }
    /// Its name in commands and JSON.
    name
}

impl Method {
    /// Units of its residuals.
    pub const fn scale(self) -> Scale {
        match self {
            Self::Log => Scale::Log,
            Self::Ols | Self::Ols2 | Self::Poly2 | Self::Poly3 => Scale::Linear,
        }
    }

    /// Whether γ is the measured X(1) and not fitted.
    pub const fn takes_unit(self) -> bool {
        matches!(self, Self::Ols2 | Self::Poly2)
    }

    /// Coefficients that are fitted: 3, or 2 where γ is given.
    pub const fn coefficients(self) -> usize {
        if self.takes_unit() { 2 } else { 3 }
    }
}

/// A value with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The value.
    pub estimate: f64,
    /// Lower end; `None` when there are too few observations, or the value sits on a bound.
    pub low: Option<f64>,
    /// Upper end; `None` as well where the data set no upper limit.
    pub high: Option<f64>,
    /// Whether a bound decided the value, and not the data.
    pub at_bound: bool,
}

impl Estimate {
    /// A value without an interval.
    pub const fn bare(estimate: f64) -> Self {
        Self { estimate, low: None, high: None, at_bound: false }
    }
}

/// In which units residuals and covariance are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// ln X; the third coefficient is ln γ.
    Log,
    /// X, per second; the third coefficient is γ.
    Linear,
}

impl Scale {
    /// Gradient of the fitted value at `n` by (α, β, γ or ln γ).
    ///
    /// ```text
    /// log: ( −(N−1)/D, −N(N−1)/D, 1 )      linear: X̂·( −(N−1)/D, −N(N−1)/D, 1/γ )
    /// ```
    pub(crate) fn gradient(self, law: &Usl, n: f64) -> [f64; 3] {
        let d = law.denominator_at(n);
        let relative = [-(n - 1.0) / d, -n * (n - 1.0) / d];
        match self {
            Self::Log => [relative[0], relative[1], 1.0],
            Self::Linear => {
                let x = law.throughput_at(n);
                [x * relative[0], x * relative[1], n / d]
            }
        }
    }

    /// X̂ ± `half`, or exp of that for ln X̂; `None` where an end is no number.
    pub(crate) fn around(self, x: f64, half: f64) -> Option<(f64, f64)> {
        let (low, high) = match self {
            Self::Log => (x * (-half).exp(), x * half.exp()),
            Self::Linear => (x - half, x + half),
        };
        (low.is_finite() && high.is_finite()).then_some((low, high))
    }
}

nmax_text::named! {
    /// What was regressed on what.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Regression {
        /// X on N: the load was closed, or N was measured by itself.
        #[default]
        Throughput = "throughput",
        /// R on X: the load was open, and N is not known but by X and R. Residuals are of ln R.
        ResponseTime = "response_time",
    }
    /// Its name in results.
    name
}

/// Limits within which α and β are searched. None by default; they exist to compare with published values, and a limit
/// that decided a coefficient is named in [`Fit::at_bound`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Smallest and largest α.
    pub contention: (f64, f64),
    /// Smallest and largest β.
    pub coherency: (f64, f64),
}

/// A fit of the law.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// How it was found.
    pub method: Method,
    /// What was regressed on what.
    pub regression: Regression,
    /// Its coefficients.
    pub law: Usl,
    /// Units of residuals and covariance.
    pub scale: Scale,
    /// Number of observations.
    pub n: usize,
    /// Free coefficients: 3, or 2 where γ is given.
    pub k: usize,
    /// Residual sum of squares, in the scale's units, weighted; weights have mean 1.
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
    /// Intervals that were found by profiling and not from the covariance, by name.
    pub profiled: Vec<&'static str>,
    /// N_peak and X_peak with their intervals.
    peak: Option<(Estimate, Estimate)>,
    /// Student's t for 95 % and n − k degrees of freedom.
    quantile: Option<f64>,
}

/// Why there is no fit.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum FitError {
    /// Fewer different N than coefficients.
    #[error("{found} different N, and {needed} are needed; measure at more loads")]
    TooFewConcurrencies {
        /// Different N in the data.
        found: usize,
        /// As many as coefficients.
        needed: usize,
    },
    /// A value that no measurement can have.
    #[error("row {row}: {what} is {found}; N must be from 1 to 1e12, X and weights above 0 and finite")]
    UnusableValue {
        /// Row of the data, from 1.
        row: usize,
        /// Which value.
        what: &'static str,
        /// What was found.
        found: f64,
    },
    /// The method takes γ from a measured X(1).
    #[error("method {} takes γ from a measured X(1), and no row has N = 1; measure it, or use method log", .0.name())]
    NoUnit(Method),
    /// The best law is infinite within the range that one may speak of.
    #[error(
        "the best law (α = {contention:.6}, β = {coherency:.3e}) has D(N) ≤ 0 up to N = {up_to}: throughput would be \
         infinite; a simpler model remains, and throughput that rises faster than N needs a second look at the data"
    )]
    Pole {
        /// α.
        contention: f64,
        /// β.
        coherency: f64,
        /// 2·N_hi.
        up_to: f64,
    },
    /// The largest load is where the law's rising branch ends, so the data press against it.
    #[error(
        "the largest X ({most:.6}/s) lies at the peak of every law that comes near: a load that is set cannot be \
         steady there; leave out the largest loads, or fit X on N that was measured by itself"
    )]
    AtPeak {
        /// The largest X, per second.
        most: f64,
    },
    /// No optimum: the data do not determine the coefficients.
    #[error("no optimum was found from any start: these data do not determine the coefficients")]
    NotConverged,
}

/// Fits the law to `observations` by `method`.
///
/// ```text
/// log:   min Σ w(ln X − ln X̂)²      ols:  min Σ w(X − X̂)²      ols2:  ols with γ = X(1)
/// poly2: N·X(1)/X − 1 on (N−1), (N−1)² through 0               poly3: N/X on 1, (N−1), (N−1)²
/// ```
///
/// At least as many different N as coefficients; intervals need one observation more. Laws:
/// `a_fit_of_a_model_is_the_model`, `published_coefficients`.
pub fn fit(observations: &[Observation], method: Method) -> Result<Fit, FitError> {
    let table = prepare(observations, method)?;
    let mut scratch = Scratch::default();
    let unit = unit_of(&table, method)?;
    let state = match method {
        Method::Log | Method::Ols | Method::Ols2 => {
            let solution = search::free(&table, unit, &mut scratch)?;
            let found = Optimum { solution, at_bound: Vec::new() };
            return Ok(interval::assemble(observations, &table, method, &found));
        }
        Method::Poly2 => {
            let gamma = table.unit().ok_or(FitError::NoUnit(method))?;
            let (alpha, beta) = polynomial::poly2(&table, gamma).ok_or(FitError::NotConverged)?;
            at_quadratic(observations, &table, method, (alpha, beta, gamma), &mut scratch)?
        }
        Method::Poly3 => {
            let (alpha, beta, gamma) = polynomial::poly3(&table).ok_or(FitError::NotConverged)?;
            at_quadratic(observations, &table, method, (alpha, beta, gamma), &mut scratch)?
        }
    };
    let found = Optimum { solution: solve::Solution { state, cosine: 0.0 }, at_bound: Vec::new() };
    Ok(interval::assemble(observations, &table, method, &found))
}

/// Fits by `log`, `ols` or `ols2` within `bounds`; a coefficient on a bound has no interval, and nor has any other
/// then. Quadratics have no bounds and are fitted as they are.
pub fn fit_within(observations: &[Observation], method: Method, bounds: &Bounds) -> Result<Fit, FitError> {
    if matches!(method, Method::Poly2 | Method::Poly3) {
        return fit(observations, method);
    }
    let table = prepare(observations, method)?;
    let unit = unit_of(&table, method)?;
    let found = search::bounded(&table, unit, bounds, &mut Scratch::default())?;
    Ok(interval::assemble(observations, &table, method, &found))
}

fn prepare(observations: &[Observation], method: Method) -> Result<Table, FitError> {
    let table = Table::new(observations, method.scale(), Shape::Square)?;
    let (found, needed) = (table.rows.len(), 3);
    if found < needed {
        return Err(FitError::TooFewConcurrencies { found, needed });
    }
    Ok(table)
}

fn unit_of(table: &Table, method: Method) -> Result<Unit, FitError> {
    if !method.takes_unit() {
        return Ok(Unit::Free);
    }
    table.unit().map(Unit::Given).ok_or(FitError::NoUnit(method))
}

/// The problem at the coefficients of a quadratic. Its intervals are those of least squares of X at this place, as in
/// R `usl` 1.x: (JᵀJ)⁻¹ with the columns of the law.
fn at_quadratic(
    observations: &[Observation],
    table: &Table,
    method: Method,
    (alpha, beta, gamma): (f64, f64, f64),
    scratch: &mut Scratch,
) -> Result<State, FitError> {
    let law = Usl { contention: alpha, coherency: beta, unit_throughput: gamma };
    search::without_pole(law, observations)?;
    let mut at = |unit| solve::evaluate(table, unit, alpha, beta, scratch).ok_or(FitError::NotConverged);
    let given = at(Unit::Given(gamma))?;
    if method.takes_unit() {
        return Ok(given);
    }
    // Columns by (α, β) are proportional to γ: take those at the best γ, and bring them to this one.
    let free = at(Unit::Free)?;
    let ratio = gamma / free.gain;
    let normal = free.normal.map(|v| v * ratio * ratio);
    let explained = free.explained.map(|v| v * ratio);
    Ok(State { normal, explained, ..given })
}
