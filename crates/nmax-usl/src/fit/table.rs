//! Observations made ready for fitting: checked, in order of N, replicates merged.
//!
//! Runs with the same N have the same prediction, so their weighted mean and the sum of squares within them carry all
//! that a fit needs. That keeps a fit linear in the number of rows and cheap when N repeats.

use super::{FitError, Scale};
use crate::law::Usl;
use crate::observation::Observation;

/// Largest N that is taken for a concurrency; D(N) has its square.
const N_MAX: f64 = 1e12;
/// Throughputs and weights outside of 1e-100 to 1e100 would overflow when squared.
const MAGNITUDE_MAX: f64 = 1e100;

/// What D grows with besides N−1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// N(N−1): the law.
    Square,
    /// ln N·(N−1): the ln-variant.
    Log,
}

impl Shape {
    /// The factor of β in D(N).
    pub(crate) fn at(self, n: f64) -> f64 {
        match self {
            Self::Square => n * (n - 1.0),
            Self::Log => n.ln() * (n - 1.0),
        }
    }
}

/// One concurrency.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) n: f64,
    /// N−1, the factor of α in D.
    pub(crate) u: f64,
    /// The factor of β in D.
    pub(crate) v: f64,
    /// Weighted mean of ln(X/N), or of X.
    pub(crate) y: f64,
    /// Weighted mean of N/X, which the quadratics fit: each run is an observation of theirs too.
    pub(crate) cost: f64,
    /// Sum of weights.
    pub(crate) w: f64,
}

/// What a fit reads.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) scale: Scale,
    pub(crate) shape: Shape,
    pub(crate) rows: Vec<Row>,
    /// Weighted sum of squares within replicates, which no curve explains.
    pub(crate) within: f64,
    /// Sum of squares below which residuals are rounding.
    pub(crate) floor: f64,
}

impl Table {
    /// Checks and merges. Weights are made relative, with mean 1.
    pub(crate) fn new(observations: &[Observation], scale: Scale, shape: Shape) -> Result<Self, FitError> {
        check(observations)?;
        let mut order: Vec<&Observation> = observations.iter().collect();
        order.sort_by(|a, b| a.n.total_cmp(&b.n));
        let count = order.len();
        let weight_mean = order.iter().map(|o| o.weight).sum::<f64>() / count.max(1) as f64;
        let mut rows: Vec<Row> = Vec::new();
        let mut within = 0.0;
        let mut size_max = 0.0_f64;
        for same in order.chunk_by(|a, b| a.n == b.n) {
            let n = same[0].n;
            let y_of = |o: &Observation| match scale {
                Scale::Log => o.x.ln() - n.ln(),
                Scale::Linear => o.x,
            };
            let w = same.iter().map(|o| o.weight / weight_mean).sum::<f64>();
            let y = same.iter().map(|o| o.weight / weight_mean * y_of(o)).sum::<f64>() / w;
            let cost = same.iter().map(|o| o.weight / weight_mean * (n / o.x)).sum::<f64>() / w;
            if same.len() > 1 {
                within += same.iter().map(|o| o.weight / weight_mean * (y_of(o) - y).powi(2)).sum::<f64>();
            }
            size_max = size_max.max(y.abs());
            rows.push(Row { n, u: n - 1.0, v: shape.at(n), y, cost, w });
        }
        if scale == Scale::Log {
            size_max += 1.0;
        }
        let floor = count as f64 * (1e-14 * size_max).powi(2);
        Ok(Self { scale, shape, rows, within, floor })
    }

    /// The largest N; 1 without rows.
    pub(crate) fn n_hi(&self) -> f64 {
        self.rows.last().map_or(1.0, |row| row.n)
    }

    /// Weighted mean of X at N = 1, when it was measured.
    pub(crate) fn unit(&self) -> Option<f64> {
        self.rows.first().filter(|row| row.n == 1.0).map(|row| row.y)
    }

    /// Every few rows only, the first and the last among them, at most `most` + 1; for a first look.
    pub(crate) fn thinned(&self, most: usize) -> Self {
        let stride = self.rows.len().div_ceil(most.max(1)).max(1);
        let mut rows: Vec<Row> = self.rows.iter().copied().step_by(stride).collect();
        if !(self.rows.len() - 1).is_multiple_of(stride) {
            rows.extend(self.rows.last());
        }
        Self { rows, within: 0.0, ..*self }
    }

    /// Whether D(N) ≤ 0 somewhere on [1, `n_max`] for these coefficients.
    pub(crate) fn has_pole(&self, alpha: f64, beta: f64, n_max: f64) -> bool {
        let least = denominator_min(self.shape, alpha, beta, n_max);
        least.is_nan() || least <= 0.0
    }
}

/// Every value that cannot be used is an error of its own row; the first is reported.
pub(crate) fn check(observations: &[Observation]) -> Result<(), FitError> {
    for o in observations {
        let usable = |value: f64| value > 1.0 / MAGNITUDE_MAX && value < MAGNITUDE_MAX;
        let (what, found) = if !(o.n >= 1.0 && o.n <= N_MAX) {
            ("N", o.n)
        } else if !usable(o.x) {
            ("X", o.x)
        } else if !usable(o.weight) {
            ("weight", o.weight)
        } else {
            continue;
        };
        return Err(FitError::UnusableValue { row: o.row, what, found });
    }
    Ok(())
}

/// The smallest D(N) on [1, `n_max`]. D is convex for β > 0, so its vertex counts; otherwise an end is smallest.
pub(crate) fn denominator_min(shape: Shape, alpha: f64, beta: f64, n_max: f64) -> f64 {
    match shape {
        Shape::Square => Usl { contention: alpha, coherency: beta, unit_throughput: 1.0 }.denominator_min(n_max),
        Shape::Log => denominator_min_of_ln(alpha, beta, n_max),
    }
}

/// The same for the ln-variant; D′ = α + β(ln N + 1 − 1/N) grows with N where β > 0, so a bisection finds its zero.
fn denominator_min_of_ln(alpha: f64, beta: f64, n_max: f64) -> f64 {
    let d = |n: f64| 1.0 + alpha * (n - 1.0) + beta * Shape::Log.at(n);
    let ends = d(n_max).min(1.0);
    if !(beta > 0.0 && alpha < 0.0) {
        return ends;
    }
    let (mut low, mut high) = (1.0, n_max.max(1.0));
    for _ in 0..100 {
        let middle: f64 = 0.5 * (low + high);
        if alpha + beta * (middle.ln() + 1.0 - 1.0 / middle) < 0.0 { low = middle } else { high = middle }
    }
    ends.min(d(high))
}
