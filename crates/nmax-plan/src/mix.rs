//! The mix: which scenario an iteration runs, exact in counts and seeded in order.
//!
//! Weights become integers whose sum is the cycle, at most [`CYCLE_MAX`]. In each aligned cycle of an
//! open workload, and in each round of a closed one, every scenario is picked exactly as often as
//! its integer says; the seed only decides the order. No independent draws: their noise would be a
//! deviation from the plan.

use crate::choice::{derive, mix64};

#[cfg(test)]
mod tests;

/// Longest cycle. Weights that need a longer one are rounded to it.
pub const CYCLE_MAX: u32 = 10_000;

/// Keeps the orders of closed workloads apart from those of open ones.
const CLOSED: u64 = u64::MAX;

/// Relative distance within which a scaled weight counts as an integer.
const INTEGER_TOLERANCE: f64 = 1e-9;

/// Why weights cannot be a mix.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum MixError {
    /// A weight is negative, infinite or not a number.
    #[error("weight {weight} of scenario {index} is not a number from 0 up")]
    NotAWeight {
        /// Position of the weight, from 0.
        index: usize,
        /// The weight.
        weight: f64,
    },
    /// No weight is above zero.
    #[error("no scenario has a weight above 0")]
    NoWeight,
    /// More scenarios than a cycle has places.
    #[error("{count} scenarios are more than {CYCLE_MAX}")]
    TooMany {
        /// How many weights are above zero.
        count: usize,
    },
}

/// A mix of scenarios.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mix {
    /// Entry i is the sum of the integer weights of scenarios 0 to i; the last one is the cycle.
    ends: Vec<u32>,
    cycle: u32,
}

impl Mix {
    /// The mix of these weights, relative to each other. A weight of 0 is never picked; one above 0 always has a place.
    ///
    /// # Errors
    /// When a weight is not a finite number from 0 up, none is above 0, or more than [`CYCLE_MAX`] are.
    pub fn new(weights: &[f64]) -> Result<Self, MixError> {
        let bad = |&(_, &weight): &(usize, &f64)| !(weight.is_finite() && weight >= 0.0);
        if let Some((index, &weight)) = weights.iter().enumerate().find(bad) {
            return Err(MixError::NotAWeight { index, weight });
        }
        let count = weights.iter().filter(|&&weight| weight > 0.0).count();
        if count > CYCLE_MAX as usize {
            return Err(MixError::TooMany { count });
        }
        let largest = weights.iter().copied().fold(0.0, f64::max);
        if largest <= 0.0 {
            return Err(MixError::NoWeight);
        }
        // Relative to the largest first: the sum of huge weights would be infinite.
        let relative: Vec<f64> = weights.iter().map(|weight| weight / largest).collect();
        let sum: f64 = relative.iter().sum();
        let shares: Vec<f64> = relative.iter().map(|weight| weight / sum).collect();
        let counts = exact(&shares).unwrap_or_else(|| rounded(&shares));
        let mut cycle = 0;
        let ends = counts.into_iter().map(|count| {
            cycle += count;
            cycle
        });
        Ok(Self { ends: ends.collect(), cycle })
    }

    /// Iterations after which every scenario has been picked exactly by its weight.
    pub const fn cycle(&self) -> u32 {
        self.cycle
    }

    /// How often scenario `index` is picked in a cycle; 0 for an index beyond the weights.
    pub fn count(&self, index: usize) -> u32 {
        let end = |index: usize| self.ends.get(index).copied();
        let start = index.checked_sub(1).and_then(end).unwrap_or(0);
        end(index).map_or(0, |end| end - start)
    }

    /// The scenario of iteration `n` of an open workload.
    ///
    /// Exact in each aligned cycle (n from c·cycle to (c + 1)·cycle − 1); each cycle has its own order. Expected O(log scenarios).
    pub fn pick_open(&self, seed: u64, n: u64) -> usize {
        if self.cycle == 1 {
            return self.at(0);
        }
        let cycle = u64::from(self.cycle);
        self.at(permute(derive(mix64(seed), n / cycle), (n % cycle) as u32, self.cycle))
    }

    /// The scenario of a VU's iteration in a closed workload.
    ///
    /// Exact for each VU over any `cycle` iterations in a row, and in each round over any `cycle` VUs in a row.
    #[inline]
    pub fn pick_closed(&self, seed: u64, vu: u64, iteration: u64) -> usize {
        if self.cycle == 1 { self.at(0) } else { self.pick_in_cycle(seed, vu, iteration) }
    }

    fn pick_in_cycle(&self, seed: u64, vu: u64, iteration: u64) -> usize {
        let cycle = u64::from(self.cycle);
        let place = (vu % cycle + iteration % cycle) % cycle;
        self.at(permute(derive(mix64(seed), CLOSED), place as u32, self.cycle))
    }

    /// The scenario at a place of the unpermuted cycle.
    fn at(&self, place: u32) -> usize {
        self.ends.partition_point(|&end| end <= place)
    }
}

/// The shortest cycle in which all shares are whole, if it is short enough.
fn exact(shares: &[f64]) -> Option<Vec<u32>> {
    let whole = |scaled: f64| {
        scaled == 0.0
            || (scaled.round() >= 1.0 && (scaled - scaled.round()).abs() <= INTEGER_TOLERANCE * scaled.max(1.0))
    };
    let cycle = (1..=CYCLE_MAX).find(|&cycle| shares.iter().all(|share| whole(share * f64::from(cycle))))?;
    let counts: Vec<u32> = shares.iter().map(|share| (share * f64::from(cycle)).round() as u32).collect();
    (counts.iter().sum::<u32>() == cycle).then_some(counts)
}

/// A cycle of [`CYCLE_MAX`] by the method of the largest remainder; a share above 0 keeps one place at least.
fn rounded(shares: &[f64]) -> Vec<u32> {
    let scaled = |index: usize| shares[index] * f64::from(CYCLE_MAX);
    let mut counts: Vec<u32> = (0..shares.len())
        .map(|index| if shares[index] > 0.0 { (scaled(index).floor() as u32).max(1) } else { 0 })
        .collect();
    let owed = |counts: &[u32], index: usize| scaled(index) - f64::from(counts[index]);
    loop {
        let total: u32 = counts.iter().sum();
        let places = 0..counts.len();
        let next = if total < CYCLE_MAX {
            places.filter(|&index| shares[index] > 0.0).max_by(|&a, &b| owed(&counts, a).total_cmp(&owed(&counts, b)))
        } else if total > CYCLE_MAX {
            places.filter(|&index| counts[index] > 1).min_by(|&a, &b| owed(&counts, a).total_cmp(&owed(&counts, b)))
        } else {
            return counts;
        };
        match next {
            Some(index) if total < CYCLE_MAX => counts[index] += 1,
            Some(index) => counts[index] -= 1,
            None => return counts,
        }
    }
}

/// Where a seeded permutation of 0, …, `size` − 1 sends `place`.
///
/// A Feistel network permutes the next larger square power of two; walking along its cycle until the
/// value is in range makes that a permutation of the range. At most 4 steps expected.
fn permute(key: u64, place: u32, size: u32) -> u32 {
    const ROUNDS: u64 = 6;
    let half_bits = (u32::BITS - size.saturating_sub(1).leading_zeros()).div_ceil(2).max(1);
    let mask = (1_u32 << half_bits) - 1;
    let mut value = place;
    loop {
        let (mut left, mut right) = (value >> half_bits, value & mask);
        for round in 0..ROUNDS {
            let noise = mix64(key ^ (round << 32 | u64::from(right))) as u32;
            (left, right) = (right, left ^ (noise & mask));
        }
        value = left << half_bits | right;
        if value < size {
            return value;
        }
    }
}
