//! The law's formulas, forward and inverse.

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
