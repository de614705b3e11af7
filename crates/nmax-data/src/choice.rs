//! Choices: random numbers that are pure functions of where they are used.
//!
//! Nothing here has a state that runs along with the program. A [`Choice`] is addressed by
//! (seed, VU, iteration, step), a draw by its number within it; the same address gives the same
//! value on any machine, in any order, on any number of workers.
//!
//! Words come from the SplitMix64 finalizer, chained over the parts of the address. That is a
//! good statistical generator; it is not a cryptographic one.

use std::num::NonZeroU64;

#[cfg(test)]
mod tests;

/// Fractional bits of the golden ratio, the increment of SplitMix64.
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The 95th percentile of the standard normal distribution.
const NORMAL_P95: f64 = 1.644_853_626_951_472_2;

/// The finalizer of SplitMix64: a bijection of words that changes half of the bits.
///
/// Source: Steele, Lea, Flood, *Fast Splittable Pseudorandom Number Generators*, OOPSLA 2014,
/// with the constants of D. Stafford's variant 13.
#[inline]
pub const fn mix64(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// A key for `word` under `key`; bijective in each argument while the other is fixed.
pub const fn derive(key: u64, word: u64) -> u64 {
    mix64(key.wrapping_mul(0xd134_2543_de82_ef95) ^ mix64(word.wrapping_add(GOLDEN)))
}

/// The choices of one step of one iteration of one VU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    key: u64,
}

impl Choice {
    /// The choices at this address.
    pub const fn new(seed: u64, vu: u64, iteration: u64, step: u64) -> Self {
        Self { key: derive(derive(derive(mix64(seed), vu), iteration), step) }
    }

    /// The sequence behind draw number `draw`.
    const fn stream(self, draw: u64) -> Stream {
        Stream::new(derive(self.key, draw))
    }

    /// 64 random bits.
    pub const fn u64(self, draw: u64) -> u64 {
        self.stream(draw).peek()
    }

    /// Uniform in [0, 1), a multiple of 2⁻⁵³.
    pub fn unit(self, draw: u64) -> f64 {
        self.stream(draw).unit()
    }

    /// Uniform among 0, 1, …, `n` − 1, without bias.
    ///
    /// Source: D. Lemire, *Fast Random Integer Generation in an Interval*, TOMACS 29 (2019), algorithm 5.
    pub fn below(self, draw: u64, n: NonZeroU64) -> u64 {
        let n = n.get();
        let mut stream = self.stream(draw);
        let rejected_below = n.wrapping_neg() % n;
        loop {
            let product = u128::from(stream.next_u64()) * u128::from(n);
            if product as u64 >= rejected_below {
                return (product >> 64) as u64;
            }
        }
    }

    /// Standard normal: mean 0, variance 1.
    pub fn normal(self, draw: u64) -> f64 {
        self.stream(draw).normal()
    }

    /// Lognormal, given its median and 95th percentile, in their unit.
    ///
    /// ```text
    /// x = median · (p95 / median)^(z / 1.645)
    /// ```
    ///
    /// - z: standard normal, dimensionless
    ///
    /// Valid for 0 < `median` ≤ `p95`; equal ones always give the median.
    pub fn lognormal(self, draw: u64, median: f64, p95: f64) -> f64 {
        median * (p95 / median).powf(self.normal(draw) / NORMAL_P95)
    }

    /// Exponential with the given mean, in its unit.
    pub fn exponential(self, draw: u64, mean: f64) -> f64 {
        mean * self.stream(draw).exponential()
    }

    /// A rank r in 1, 2, …, `n` with probability proportional to 1 / r^`exponent`.
    ///
    /// Valid for `exponent` ≥ 0; 0 is uniform. Expected O(1) for any `n`: inverts the integral of
    /// the density and rejects what sticks out. An exponent that is not a number ≥ 0 counts as 0.
    ///
    /// Source: W. Hörmann, G. Derflinger, *Rejection-inversion to generate variates from monotone
    /// discrete distributions*, TOMACS 6 (1996). Law: `zipf_follows_its_probabilities`.
    pub fn zipf(self, draw: u64, n: NonZeroU64, exponent: f64) -> u64 {
        let s = if exponent.is_finite() { exponent.max(0.0) } else { 0.0 };
        let ranks = n.get() as f64;
        let low = zipf_integral(1.5, s) - 1.0;
        let high = zipf_integral(ranks + 0.5, s);
        let mut stream = self.stream(draw);
        loop {
            let area = high + stream.unit() * (low - high);
            let x = zipf_integral_inverse(area, s);
            let rank = x.round().clamp(1.0, ranks);
            if area >= zipf_integral(rank + 0.5, s) - (-s * rank.ln()).exp() {
                return (rank as u64).clamp(1, n.get());
            }
        }
    }
}

/// ∫₁ˣ u^−s du = (x^(1−s) − 1) / (1 − s), and ln x at s = 1; increasing in x.
fn zipf_integral(x: f64, s: f64) -> f64 {
    let log = x.ln();
    let scaled = (1.0 - s) * log;
    if scaled.abs() < 1e-8 { log * (1.0 + scaled / 2.0) } else { scaled.exp_m1() / (1.0 - s) }
}

/// The x at which [`zipf_integral`] is `area`.
fn zipf_integral_inverse(area: f64, s: f64) -> f64 {
    let scaled = ((1.0 - s) * area).max(-1.0);
    if scaled.abs() < 1e-8 { (area * (1.0 - scaled / 2.0)).exp() } else { (scaled.ln_1p() / (1.0 - s)).exp() }
}

/// A SplitMix64 sequence, for draws that need an unknown number of words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stream {
    state: u64,
}

impl Stream {
    /// The sequence of `key`.
    pub const fn new(key: u64) -> Self {
        Self { state: key }
    }

    /// The word that comes next.
    const fn peek(self) -> u64 {
        mix64(self.state.wrapping_add(GOLDEN))
    }

    /// Takes the next word.
    pub const fn next_u64(&mut self) -> u64 {
        let word = self.peek();
        self.state = self.state.wrapping_add(GOLDEN);
        word
    }

    /// Uniform among 0, 1, …, `n` − 1, but for a bias of n / 2⁶⁴; 0 for `n` = 0.
    pub const fn below(&mut self, n: u64) -> u64 {
        ((self.next_u64() as u128 * n as u128) >> 64) as u64
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * f64::powi(2.0, -53)
    }

    /// Exponential with mean 1; finite, because 1 − unit is never 0.
    pub fn exponential(&mut self) -> f64 {
        -(1.0 - self.unit()).ln()
    }

    /// Standard normal, by Box and Muller.
    pub fn normal(&mut self) -> f64 {
        let radius = (2.0 * self.exponential()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// Gamma with this shape and scale 1. Valid for `shape` ≥ 1.
    ///
    /// Source: G. Marsaglia, W. W. Tsang, *A simple method for generating gamma variables*, TOMS 26 (2000).
    fn gamma(&mut self, shape: f64) -> f64 {
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let v = (1.0 + c * x).powi(3);
            if v > 0.0 && -self.exponential() < 0.5 * x * x + d * (1.0 - v + v.ln()) {
                return d * v;
            }
        }
    }

    /// Beta(a, b): where the a-th of a + b − 1 uniforms falls. Valid for `a`, `b` ≥ 1; in [0, 1].
    pub fn beta(&mut self, a: f64, b: f64) -> f64 {
        let left = self.gamma(a);
        left / (left + self.gamma(b))
    }
}
