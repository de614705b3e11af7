//! Chance and clocks of a simulated world: all of it follows from one seed.

use nmax_metrics::Nanos;

/// Numbers that look random and follow from a seed (splitmix64: Steele, Lea and Flood, OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// Those of a seed and of a purpose, so that purposes do not move each other's numbers.
    pub fn new(seed: u64, purpose: u64) -> Self {
        let mut chance = Self(seed ^ purpose.wrapping_mul(0xd6e8_feb8_6659_fd93));
        chance.next();
        chance
    }

    /// The next number.
    #[expect(clippy::should_implement_trait, reason = "it never ends, so it is not an iterator")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    /// A number below `end`; 0 where that is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }

    /// A number from `from` up to but not including `to`.
    pub fn within(&mut self, from: u64, to: u64) -> u64 {
        from + self.below(to.saturating_sub(from))
    }

    /// True with this probability.
    pub fn is(&mut self, probability: f64) -> bool {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64 <= probability && probability > 0.0
    }
}

/// A number spread over all of 64 bits.
pub fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// A clock that runs on, too fast or too slow.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// What it says at the true instant 0, ns.
    pub offset: u64,
    /// How much too fast it is, parts per million.
    pub ppm: i64,
}

impl Clock {
    /// What it says at a true instant, ns.
    pub fn at(&self, truly: u64) -> Nanos {
        let drift = i128::from(truly) * i128::from(self.ppm) / 1_000_000;
        Nanos(self.offset + truly.saturating_add_signed(drift as i64))
    }
}
