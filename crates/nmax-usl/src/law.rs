//! The law's formulas: forward and derived. The inverses are in [`inverse`].
//!
//! Concurrency N is dimensionless and at least 1, throughput is per second, times are seconds. A law is three finite
//! numbers with γ > 0; nothing here panics, and what does not exist is `None` or an error, never NaN.

pub mod inverse;

/// The Universal Scalability Law.
///
/// ```text
/// X(N) = γ·N / D(N),  D(N) = 1 + α·(N−1) + β·N·(N−1)
/// ```
///
/// Source: N. J. Gunther, *Guerrilla Capacity Planning* (2007), ch. 5.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usl {
    /// α: contention, the serial share of the work, dimensionless; below 0 for superlinear growth.
    pub contention: f64,
    /// β: coherency, the cost of each pair that agrees, dimensionless.
    pub coherency: f64,
    /// γ: throughput of one unit, X(1), per second.
    pub unit_throughput: f64,
}

impl Usl {
    /// D(N): by how much N units fall short of N times one unit.
    ///
    /// ```text
    /// D(N) = 1 + α·(N−1) + β·N·(N−1)
    /// ```
    ///
    /// Valid for N ≥ 1; below 1 it drops under one and invents efficiency above 100 %. O(1).
    pub fn denominator_at(&self, n: f64) -> f64 {
        1.0 + (n - 1.0) * (self.contention + self.coherency * n)
    }

    /// Throughput X(N) at concurrency `n`, per second.
    ///
    /// ```text
    /// X(N) = γ·N / (1 + α·(N−1) + β·N·(N−1))
    /// ```
    ///
    /// - N: concurrency, time average, dimensionless; argument `n`
    /// - γ: unit throughput X(1), 1/s; `unit_throughput`
    /// - α: contention, dimensionless; `contention`
    /// - β: coherency, dimensionless; `coherency`
    ///
    /// Valid for N ≥ 1 where D(N) > 0, see [`Usl::has_pole`]. O(1).
    ///
    /// Source: N. J. Gunther, *Guerrilla Capacity Planning* (2007), ch. 5; B. Schwartz, *Practical Scalability
    /// Analysis* (2015), eq. 3, where α, β, γ are σ, κ, λ. Law: `concurrency_inverts_throughput`.
    pub fn throughput_at(&self, n: f64) -> f64 {
        self.unit_throughput * n / self.denominator_at(n)
    }

    /// Mean response time R(N), seconds, with think time `think_s`.
    ///
    /// ```text
    /// N = X·(R + Z)  ⇒  R(N) = D(N)/γ − Z
    /// ```
    ///
    /// Below 0 where the think time alone is longer than the cycle: the law and Z then contradict each other.
    pub fn response_time_at(&self, n: f64, think_s: f64) -> f64 {
        self.denominator_at(n) / self.unit_throughput - think_s
    }

    /// Efficiency C(N)/N = 1/D(N), as a share of γN.
    pub fn efficiency_at(&self, n: f64) -> f64 {
        1.0 / self.denominator_at(n)
    }

    /// N_peak, where throughput is largest: a real number, never rounded.
    ///
    /// ```text
    /// N_peak = √((1−α)/β),  β > 0, α < 1
    /// ```
    ///
    /// Below 1 when β > 1−α: throughput then falls from N = 1 on. `None` without a peak, or when the law has a pole
    /// before it.
    pub fn peak_concurrency(&self) -> Option<f64> {
        let exists = self.coherency > 0.0 && self.contention < 1.0 && self.steepness_at_peak() > 0.0;
        exists.then(|| ((1.0 - self.contention) / self.coherency).sqrt()).filter(|n| n.is_finite())
    }

    /// X_peak, per second.
    ///
    /// ```text
    /// X_peak = X(N_peak) = γ / (α − β + 2·√(β·(1−α)))
    /// ```
    pub fn peak_throughput(&self) -> Option<f64> {
        self.peak_concurrency()?;
        Some(self.unit_throughput / self.steepness_at_peak()).filter(|x| x.is_finite())
    }

    /// D(N_peak)/N_peak, the smallest D(N)/N; not above 0 exactly when D has a zero at some N > 0.
    fn steepness_at_peak(&self) -> f64 {
        self.contention - self.coherency + 2.0 * (self.coherency * (1.0 - self.contention)).sqrt()
    }

    /// The better of the two whole numbers beside N_peak, at least 1, and X there, per second. Never just rounded: X
    /// is not symmetric about its peak.
    pub fn peak_integer(&self) -> Option<(f64, f64)> {
        let peak = self.peak_concurrency()?;
        let (below, above) = (peak.floor().max(1.0), peak.ceil().max(1.0));
        let (x_below, x_above) = (self.throughput_at(below), self.throughput_at(above));
        Some(if x_above > x_below { (above, x_above) } else { (below, x_below) })
    }

    /// γ/α, per second: the roof that contention alone would set. `None` without contention.
    pub fn roof(&self) -> Option<f64> {
        (self.contention > 0.0).then(|| self.unit_throughput / self.contention).filter(|x| x.is_finite())
    }

    /// 1/α: the N where the linear line γN meets the roof. `None` without contention.
    pub fn optimum(&self) -> Option<f64> {
        (self.contention > 0.0).then(|| 1.0 / self.contention).filter(|n| n.is_finite())
    }

    /// Where superlinear growth is most efficient, and that efficiency (above 1).
    ///
    /// ```text
    /// N* = (1 + |α|/β)/2,  E* = 1 / (1 − (|α|−β)²/(4β)),  α < 0, |α| > β > 0
    /// ```
    ///
    /// Source: N. J. Gunther, P. Puglia, K. Tomasette, CACM 58(4), 2015.
    pub fn best_efficiency(&self) -> Option<(f64, f64)> {
        let (boost, beta) = (-self.contention, self.coherency);
        if !(beta > 0.0 && boost > beta) || self.first_pole().is_some() {
            return None;
        }
        let at = 0.5 * (1.0 + boost / beta);
        let efficiency = 1.0 / (1.0 - (boost - beta) * (boost - beta) / (4.0 * beta));
        (at.is_finite() && efficiency.is_finite()).then_some((at, efficiency))
    }

    /// |α|/β: where superlinear growth is paid back and X crosses γN again. `None` unless α < 0 and |α| > β > 0.
    pub fn payback(&self) -> Option<f64> {
        let superlinear = self.coherency > 0.0 && -self.contention > self.coherency;
        superlinear.then(|| -self.contention / self.coherency).filter(|n| n.is_finite())
    }

    /// Whether D(N) ≤ 0 somewhere on [1, `n_max`], where the law would give infinite or negative throughput. The
    /// smallest D is looked at, not only whole numbers.
    pub fn has_pole(&self, n_max: f64) -> bool {
        let least = self.denominator_min(n_max);
        least.is_nan() || least <= 0.0
    }

    /// The smallest D(N) on [1, `n_max`]: at an end, or at the vertex (β−α)/(2β).
    pub fn denominator_min(&self, n_max: f64) -> f64 {
        let ends = self.denominator_at(n_max).min(1.0);
        let vertex = (self.coherency - self.contention) / (2.0 * self.coherency);
        if self.coherency > 0.0 && vertex > 1.0 && vertex < n_max {
            ends.min(self.denominator_at(vertex))
        } else {
            ends
        }
    }

    /// The smallest N > 1 with D(N) = 0; the law says nothing from there on. For β > 0 there is none exactly when
    /// α > −(β + 2√β).
    pub fn first_pole(&self) -> Option<f64> {
        // With m = N−1: β·m² + (α+β)·m + 1 = 0.
        let (a, b) = (self.coherency, self.contention + self.coherency);
        if a == 0.0 {
            return (b < 0.0).then(|| 1.0 - 1.0 / b);
        }
        let square = b * b - 4.0 * a;
        if square < 0.0 || (a > 0.0 && b >= 0.0) {
            return None;
        }
        let root = square.sqrt();
        let m = if b <= 0.0 { 2.0 / (root - b) } else { (-b - root) / (2.0 * a) };
        Some(1.0 + m)
    }
}
