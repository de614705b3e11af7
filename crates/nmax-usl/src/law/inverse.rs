//! Inverses of the law: from throughput or response time to concurrency.
//!
//! X(N) rises to its peak and falls behind it, so a throughput belongs to two concurrencies, and one above the peak to
//! none: that is an error, never a number.

use super::Usl;

/// Why there is no concurrency.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum InverseError {
    /// No load gives this much.
    #[error("throughput {asked:.6}/s is above the most that the law gives, {most:.6}/s; ask for at most that")]
    AbovePeak {
        /// X asked for, per second.
        asked: f64,
        /// The largest X (or the limit that it approaches), per second.
        most: f64,
    },
    /// Less than one unit is enough; the law begins at N = 1.
    #[error("throughput {asked:.6}/s needs less than one unit, which alone gives {unit:.6}/s; the law begins at N = 1")]
    BelowOne {
        /// X asked for, per second.
        asked: f64,
        /// γ, per second.
        unit: f64,
    },
    /// Throughput falls from N = 1 on, or never falls.
    #[error("the law has no such branch: throughput {0}")]
    NoBranch(&'static str),
    /// The system is never that fast.
    #[error("response time {} is below the least that the law gives, {}", time(*.asked_s), time(*.least_s))]
    TooFast {
        /// R asked for, seconds.
        asked_s: f64,
        /// The smallest R, seconds.
        least_s: f64,
    },
    /// Response time never grows to this value.
    #[error("response time {} is never reached: by the law it does not grow that far", time(*.asked_s))]
    NeverReached {
        /// R asked for, seconds.
        asked_s: f64,
    },
    /// Not a number above 0.
    #[error("{what} must be a number above 0, and is {found}")]
    NotPositive {
        /// Which argument.
        what: &'static str,
        /// What was found.
        found: f64,
    },
}

/// Concurrencies with one response time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossings {
    /// Where R grows through the value; the usual one.
    pub rising: Option<f64>,
    /// Where R falls through it: superlinear growth makes R fall before it rises.
    pub falling: Option<f64>,
}

/// A time with a unit in which it has few digits.
fn time(seconds: f64) -> String {
    let (value, unit) = match seconds.abs() {
        size if size >= 1.0 => (seconds, "s"),
        size if size >= 1e-3 => (seconds * 1e3, "ms"),
        _ => (seconds * 1e6, "µs"),
    };
    format!("{} {unit}", crate::analysis::wording::number(value))
}

fn positive(what: &'static str, found: f64) -> Result<(), InverseError> {
    if found > 0.0 && found.is_finite() { Ok(()) } else { Err(InverseError::NotPositive { what, found }) }
}

/// N below 1 by rounding only.
const SLACK: f64 = 1e-9;

impl Usl {
    /// N on the rising branch with throughput `x`, per second.
    ///
    /// ```text
    /// b = γ/X + β − α,  s = √(b² − 4β(1−α)),  N_low = 2(1−α)/(b + s)
    /// ```
    ///
    /// Stable as β → 0. Domain: X(1) ≤ X ≤ X_peak, α < 1, β < 1−α; anything else is an error value.
    ///
    /// Law: `concurrency_inverts_throughput`.
    pub fn concurrency_at(&self, x: f64) -> Result<f64, InverseError> {
        positive("throughput", x)?;
        if self.contention >= 1.0 || self.coherency >= 1.0 - self.contention {
            return Err(InverseError::NoBranch("falls from N = 1 on"));
        }
        if x < self.unit_throughput * (1.0 - SLACK) {
            return Err(InverseError::BelowOne { asked: x, unit: self.unit_throughput });
        }
        self.rising_root(x).map(|n| n.max(1.0)).ok_or_else(|| self.too_much(x))
    }

    /// N_low as the formula gives it, also below 1; `None` above the peak.
    pub(crate) fn rising_root(&self, x: f64) -> Option<f64> {
        let (b, s) = self.branches(x).ok()?;
        let n = if self.coherency >= 0.0 || b >= 0.0 {
            2.0 * (1.0 - self.contention) / (b + s)
        } else {
            // β < 0: s > |b|, so the sum loses its digits where b < 0, and this form does not.
            (b - s) / (2.0 * self.coherency)
        };
        n.is_finite().then_some(n)
    }

    /// N on the falling branch, behind the peak, with throughput `x`, per second.
    ///
    /// ```text
    /// N_high = (b + s)/(2β),  b and s as for the rising branch
    /// ```
    pub fn concurrency_above_peak_at(&self, x: f64) -> Result<f64, InverseError> {
        positive("throughput", x)?;
        if self.coherency <= 0.0 {
            return Err(InverseError::NoBranch("never falls"));
        }
        let falls = self.contention >= 1.0 || self.coherency >= 1.0 - self.contention;
        if falls && x > self.unit_throughput * (1.0 + SLACK) {
            return Err(InverseError::AbovePeak { asked: x, most: self.unit_throughput });
        }
        let (b, s) = self.branches(x)?;
        let n = if b >= 0.0 {
            (b + s) / (2.0 * self.coherency)
        } else {
            // α > 1: b may be below 0, and s > |b|.
            2.0 * (1.0 - self.contention) / (b - s)
        };
        if n.is_finite() { Ok(n.max(1.0)) } else { Err(self.too_much(x)) }
    }

    /// b and s of the inverse by throughput.
    fn branches(&self, x: f64) -> Result<(f64, f64), InverseError> {
        let b = self.unit_throughput / x + self.coherency - self.contention;
        let product = 4.0 * self.coherency * (1.0 - self.contention);
        let mut square = b * b - product;
        // At the peak the square is 0 up to rounding.
        if square < 0.0 && square > -1e-14 * product.abs() {
            square = 0.0;
        }
        let beyond = self.coherency >= 0.0 && self.contention < 1.0 && b <= 0.0;
        if square < 0.0 || beyond || !b.is_finite() {
            return Err(self.too_much(x));
        }
        Ok((b, square.sqrt()))
    }

    fn too_much(&self, x: f64) -> InverseError {
        let most = self.peak_throughput().or(self.roof()).unwrap_or(f64::INFINITY);
        InverseError::AbovePeak { asked: x, most }
    }

    /// Concurrencies with mean response time `response_s` and think time `think_s`, seconds.
    ///
    /// ```text
    /// g = γ(R+Z),  m = N−1:  β·m² + (α+β)·m + 1 − g = 0
    /// rising root for α+β ≥ 0:  m = 2(g−1)/((α+β) + √((α+β)² + 4β(g−1)))
    /// ```
    ///
    /// The same roots as of βN² + (α−β)N + (1−α−g) = 0, without cancellation near N = 1. For α, β ≥ 0 R is at least
    /// 1/γ; superlinear laws are faster than that between two roots, and both are given.
    ///
    /// Law: `concurrency_inverts_response_time`.
    pub fn concurrencies_at_response_time(&self, response_s: f64, think_s: f64) -> Result<Crossings, InverseError> {
        positive("response time", response_s)?;
        if !(think_s >= 0.0 && think_s.is_finite()) {
            return Err(InverseError::NotPositive { what: "think time", found: think_s });
        }
        let gap = self.unit_throughput * (response_s + think_s) - 1.0;
        let (a, b) = (self.coherency, self.contention + self.coherency);
        let square = b * b + 4.0 * a * gap;
        let (rising, falling) = if square < 0.0 {
            (None, None)
        } else if a == 0.0 {
            let m = gap / b;
            if b > 0.0 { (Some(m), None) } else { (None, (b < 0.0).then_some(m)) }
        } else {
            let root = square.sqrt();
            let rising = if b > 0.0 { 2.0 * gap / (b + root) } else { (root - b) / (2.0 * a) };
            let falling = if b < 0.0 { -2.0 * gap / (root - b) } else { (-b - root) / (2.0 * a) };
            (Some(rising), Some(falling))
        };
        let pole = self.first_pole().unwrap_or(f64::INFINITY);
        let usable = |m: Option<f64>| {
            m.filter(|m| *m >= -SLACK && m.is_finite()).map(|m| 1.0 + m.max(0.0)).filter(|n| *n < pole)
        };
        let crossings = Crossings { rising: usable(rising), falling: usable(falling) };
        if crossings.rising.is_some() || crossings.falling.is_some() {
            return Ok(crossings);
        }
        let least_s = self.fastest_denominator() / self.unit_throughput - think_s;
        Err(if response_s < least_s {
            InverseError::TooFast { asked_s: response_s, least_s }
        } else {
            InverseError::NeverReached { asked_s: response_s }
        })
    }

    /// The smallest D before a pole.
    fn fastest_denominator(&self) -> f64 {
        if self.first_pole().is_some() {
            return 0.0;
        }
        self.best_efficiency().map_or(1.0, |(_, efficiency)| 1.0 / efficiency)
    }
}
