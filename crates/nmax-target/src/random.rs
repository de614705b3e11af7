//! Randomness by number: a draw is a pure function of (seed, index, purpose).
//!
//! No state, so workers need not agree on an order, and a reset repeats the sequence.
//! SplitMix64's output function; good enough for service times, not for secrets.

use nmax_data::choice::{GOLDEN, mix64};

/// Draws for one seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Random {
    seed: u64,
}

/// What a draw is for. Different purposes are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Time in the n-th model of a service.
    Service(u64),
    /// Answered with an error?
    Error,
    /// Connection reset?
    Reset,
}

impl Purpose {
    fn salt(self) -> u64 {
        match self {
            Self::Error => 1,
            Self::Reset => 2,
            Self::Service(position) => 3 + position,
        }
    }
}

impl Random {
    /// The draws that belong to `seed`.
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// 64 random bits for `index` and a `salt` that names the purpose.
    pub fn bits(self, index: u64, salt: u64) -> u64 {
        let mix = |value: u64| mix64(value.wrapping_add(GOLDEN));
        mix(mix(mix(self.seed) ^ index) ^ salt)
    }

    /// Uniform in (0, 1], so that its logarithm is finite. 53 bits.
    pub fn unit(self, index: u64, salt: u64) -> f64 {
        ((self.bits(index, salt) >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    /// Spread evenly over [0, 1): consecutive indexes lie far apart, and any run of them fills the interval.
    ///
    /// ```text
    /// frac(offset + index / φ),  φ = (1 + √5)/2
    /// ```
    ///
    /// Their sums hardly fluctuate, as those of independent draws do. Source: Weyl's sequence of the golden ratio.
    pub fn spread(self, index: u64, salt: u64) -> f64 {
        let turn = self.bits(0, salt).wrapping_add(index.wrapping_mul(GOLDEN));
        (turn >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Standard normal by Box and Muller, from two independent units.
    pub fn normal(self, index: u64, salt: u64) -> f64 {
        let radius = (-2.0 * self.unit(index, salt).ln()).sqrt();
        let angle = std::f64::consts::TAU * self.unit(index, !salt);
        radius * angle.cos()
    }

    pub(crate) fn unit_for(self, index: u64, purpose: Purpose) -> f64 {
        self.unit(index, purpose.salt())
    }

    pub(crate) fn spread_for(self, index: u64, purpose: Purpose) -> f64 {
        self.spread(index, purpose.salt())
    }

    pub(crate) fn normal_for(self, index: u64, purpose: Purpose) -> f64 {
        self.normal(index, purpose.salt())
    }
}
