//! Numbers drawn from a seed, for the order of an experiment and for simulated measurements.
//!
//! The seed is an argument, so everything that is drawn can be drawn again. The generator is splitmix64; it is small,
//! fast and even enough for resampling, and of no use for secrets.

use nmax_data::choice::Stream;

#[cfg(test)]
mod tests;

/// A seeded generator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random {
    stream: Stream,
}

impl Random {
    /// A generator whose draws follow from `seed` alone.
    pub const fn new(seed: u64) -> Self {
        Self { stream: Stream::new(seed) }
    }

    /// 64 even bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.stream.next_u64()
    }

    /// A number above 0 and below 1.
    pub fn uniform(&mut self) -> f64 {
        // The 53 bits that a f64 holds, at the middle of their cell: never 0 and never 1.
        ((self.next_u64() >> 11) as f64 + 0.5) / 9_007_199_254_740_992.0
    }

    /// A whole number from 0 to `end` − 1; 0 when `end` is 0. The bias of the multiplication is below 2⁻⁴⁰ for any
    /// `end` up to 16 million.
    pub fn below(&mut self, end: usize) -> usize {
        self.stream.below(end as u64) as usize
    }

    /// A draw of the standard normal distribution.
    ///
    /// Source: G. E. P. Box, M. E. Muller, *A note on the generation of random normal deviates*, 1958.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// A factor of noise around 1: exp(sd·Z) with Z standard normal. Its median is 1, and `sd` is nearly its relative
    /// deviation while it is small.
    pub fn lognormal(&mut self, sd: f64) -> f64 {
        (sd * self.normal()).exp()
    }

    /// Puts `items` in an order in which every order is as likely (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (2..=items.len()).rev() {
            items.swap(end - 1, self.below(end));
        }
    }
}
