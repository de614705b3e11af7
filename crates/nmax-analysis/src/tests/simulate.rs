//! Series with known laws, for tests: the same at every run.

use nmax_plan::choice::Choice;

use crate::{Latency, Point, Spread};

/// A sequence of random numbers.
pub(crate) struct Random {
    choice: Choice,
    draw: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self { choice: Choice::new(seed, 0, 0, 0), draw: 0 }
    }

    /// Uniform in (0, 1].
    pub(crate) fn uniform(&mut self) -> f64 {
        self.draw += 1;
        ((self.choice.u64(self.draw) >> 11) as f64 + 1.0) / (1u64 << 53) as f64
    }

    /// Exponential with mean 1.
    pub(crate) fn exponential(&mut self) -> f64 {
        -self.uniform().ln()
    }

    /// Standard normal, by Box and Muller.
    pub(crate) fn normal(&mut self) -> f64 {
        (2.0 * self.exponential()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// A stationary AR(1) process with standard deviation 1.
    pub(crate) fn ar1(&mut self, n: usize, correlation: f64) -> Vec<f64> {
        let mut last = self.normal();
        let scale = (1.0 - correlation * correlation).sqrt();
        let next = |_| {
            last = correlation * last + scale * self.normal();
            last
        };
        (0..n).map(next).collect()
    }
}

/// A point of one second with these response times, ms, of which some failed.
pub(crate) fn point(start_s: f64, level: f64, times_ms: &mut [f64], failed: u64) -> Point {
    let spread = Spread::from_times(times_ms, failed);
    times_ms.sort_unstable_by(f64::total_cmp);
    let n = times_ms.len();
    let quantile = |q: f64| times_ms[((q * n as f64).ceil() as usize).max(1) - 1];
    Point {
        start_s,
        width_s: 1.0,
        held: true,
        level,
        started: n as u64,
        iterations: n as u64,
        exchanges: n as u64,
        failed,
        in_flight: times_ms.iter().sum::<f64>() / 1e3,
        response: (n > 0).then(|| Latency {
            mean_ms: times_ms.iter().sum::<f64>() / n as f64,
            p50_ms: quantile(0.5),
            p95_ms: quantile(0.95),
            p99_ms: quantile(0.99),
        }),
        spread,
        ..Point::default()
    }
}
