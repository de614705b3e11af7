//! Shares: which iterations and VUs an injector, and each worker inside it, owns.
//!
//! Everybody computes their own share from the same weights, without talking to each other. Shares
//! of one split are disjoint and together are everything, exactly. Numbers are dealt like cards,
//! not cut into blocks, so each share also gets its part of every short stretch of the schedule.
//!
//! Number n belongs to the residue `n·m mod w` (w: sum of the weights, m: a multiplier prime to w
//! near w divided by the golden ratio), and an injector owns a range of residues as long as its
//! weight. In each w numbers it therefore owns exactly its weight. A worker owns every k-th number
//! of its injector. No call allocates.

#[cfg(test)]
mod tests;

/// Why a share cannot be formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShareError {
    /// The index does not name a weight.
    #[error("there is no part {index} in {parts} parts")]
    NoSuchPart {
        /// The index asked for, from 0.
        index: u32,
        /// How many parts there are.
        parts: u64,
    },
    /// All weights are zero, so nobody would do the work.
    #[error("the weights add up to zero")]
    NoWeight,
    /// The weights, divided by their common divisor, add up to 2³² or more.
    #[error("the weights add up to more than 4294967295")]
    TooHeavy,
}

/// A part of a run's iterations or VUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Sum of the weights, below 2³².
    modulus: u64,
    /// Prime to the modulus.
    multiplier: u64,
    /// First owned residue.
    low: u64,
    /// One after the last owned residue.
    high: u64,
    /// Of the numbers in owned residues, the first one kept.
    first: u64,
    /// Of the numbers in owned residues, every how many is kept.
    stride: u64,
}

impl Share {
    /// Everything.
    pub const fn whole() -> Self {
        Self { modulus: 1, multiplier: 1, low: 0, high: 1, first: 0, stride: 1 }
    }

    /// The share of injector `index` (from 0) among injectors with these weights; a weight of 0 owns nothing.
    ///
    /// # Errors
    /// When the index is out of range, or the weights add up to nothing or too much.
    pub fn for_injector(index: u32, weights: &[u32]) -> Result<Self, ShareError> {
        let parts = weights.len() as u64;
        let place = usize::try_from(index).unwrap_or(usize::MAX);
        let Some(&own) = weights.get(place) else {
            return Err(ShareError::NoSuchPart { index, parts });
        };
        let divisor = weights.iter().fold(0, |gcd, &weight| common_divisor(gcd, u64::from(weight)));
        if divisor == 0 {
            return Err(ShareError::NoWeight);
        }
        let sum = |weights: &[u32]| weights.iter().map(|&weight| u64::from(weight) / divisor).sum::<u64>();
        let modulus = sum(weights);
        if modulus > u64::from(u32::MAX) {
            return Err(ShareError::TooHeavy);
        }
        let low = sum(&weights[..place]);
        let high = low + u64::from(own) / divisor;
        Ok(Self { modulus, multiplier: multiplier(modulus), low, high, first: 0, stride: 1 })
    }

    /// Of this share, the part of worker `k` (from 0) among `w` equal workers.
    ///
    /// # Errors
    /// When `k` is not below `w`.
    pub const fn split(self, k: u32, w: u32) -> Result<Self, ShareError> {
        if k >= w {
            return Err(ShareError::NoSuchPart { index: k, parts: w as u64 });
        }
        Ok(Self {
            first: self.first.saturating_add(self.stride.saturating_mul(k as u64)),
            stride: self.stride.saturating_mul(w as u64),
            ..self
        })
    }

    /// Its part of all numbers, 0 to 1.
    pub fn fraction(&self) -> f64 {
        (self.high - self.low) as f64 / self.modulus as f64 / self.stride as f64
    }

    /// Whether number `n` is in this share.
    pub fn owns(&self, n: u64) -> bool {
        self.has_residue(n) && {
            let rank = self.rank(n);
            rank >= self.first && (rank - self.first).is_multiple_of(self.stride)
        }
    }

    /// The `j`-th owned number, from 0; `None` when the share is empty or the number exceeds `u64`.
    ///
    /// O(1) for parts of the whole, else O(log² of the sum of weights).
    pub fn nth(&self, j: u64) -> Option<u64> {
        let rank = j.checked_mul(self.stride)?.checked_add(self.first)?;
        let width = self.high - self.low;
        if width == self.modulus {
            return Some(rank);
        }
        if width == 0 {
            return None;
        }
        let (cycle, rest) = (rank / width, rank % width);
        let start = cycle.checked_mul(self.modulus)?;
        start.checked_add(self.nth_in_cycle(rest))
    }

    /// How many owned numbers are smaller than `n`.
    pub fn count_below(&self, n: u64) -> u64 {
        let rank = self.rank(n);
        if rank > self.first { (rank - self.first).div_ceil(self.stride) } else { 0 }
    }

    /// Whether `n` lies in an owned residue, strides aside.
    fn has_residue(&self, n: u64) -> bool {
        let residue = (n % self.modulus) * self.multiplier % self.modulus;
        (self.low..self.high).contains(&residue)
    }

    /// How many numbers in owned residues are smaller than `n`, strides aside.
    fn rank(&self, n: u64) -> u64 {
        let width = self.high - self.low;
        if width == self.modulus {
            return n;
        }
        (n / self.modulus) * width + self.rank_in_cycle(n % self.modulus)
    }

    /// [`Self::rank`] for `n` up to the modulus.
    ///
    /// Residue r ≥ c exactly when ⌊(n·m + w − c) / w⌋ − ⌊n·m / w⌋ = 1, so that two sums of floors count a range.
    fn rank_in_cycle(&self, n: u64) -> u64 {
        let from = |c: u64| sum_of_floors(n, self.modulus, self.multiplier, self.modulus - c);
        from(self.low) - from(self.high)
    }

    /// The number in [0, modulus) before which exactly `rank` owned residues lie and which has one itself.
    fn nth_in_cycle(&self, rank: u64) -> u64 {
        let width = self.high - self.low;
        // The answer is the largest n with rank_in_cycle(n) ≤ rank, close to rank·w / width.
        let guess = rank * self.modulus / width;
        let mut step = self.modulus / width + 1;
        let (mut low, mut high);
        if self.rank_in_cycle(guess) <= rank {
            (low, high) = (guess, guess + step);
            while high < self.modulus && self.rank_in_cycle(high) <= rank {
                step *= 2;
                (low, high) = (high, high + step);
            }
            high = high.min(self.modulus);
        } else {
            (low, high) = (guess.saturating_sub(step), guess);
            while self.rank_in_cycle(low) > rank {
                step *= 2;
                (low, high) = (low.saturating_sub(step), low);
            }
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.rank_in_cycle(middle) <= rank {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// Greatest common divisor; of 0 and x it is x.
const fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Sum over i in 0..n of ⌊(a·i + b) / m⌋, for n, a, b ≤ m < 2³².
///
/// ```text
/// f(n, m, a, b) = f(y ÷ m, a, m, y mod m),  y = a·n + b,  once a and b are reduced below m
/// ```
///
/// O(log m), like Euclid's algorithm on (m, a). All terms stay below 2⁶⁴.
fn sum_of_floors(mut n: u64, mut m: u64, mut a: u64, mut b: u64) -> u64 {
    let mut sum = 0;
    loop {
        if a >= m {
            sum += n * n.saturating_sub(1) / 2 * (a / m);
            a %= m;
        }
        if b >= m {
            sum += n * (b / m);
            b %= m;
        }
        let y = a * n + b;
        if y < m {
            return sum;
        }
        (n, b) = (y / m, y % m);
        (m, a) = (a, m);
    }
}

/// A multiplier prime to `modulus` whose multiples spread evenly.
///
/// The discrepancy of the multiples of m/w is bounded by the sum of the partial quotients of its
/// continued fraction. The golden ratio has the smallest ones, so the search is near it.
fn multiplier(modulus: u64) -> u64 {
    const TRIED: u64 = 64;
    let golden = (modulus as f64 * 0.618_033_988_749_894_9) as u64;
    let from = golden.saturating_sub(TRIED / 2).max(1);
    (from..from + TRIED)
        .take_while(|&candidate| candidate < modulus.max(2))
        .filter(|&candidate| common_divisor(candidate, modulus) == 1)
        .min_by_key(|&candidate| partial_quotients(candidate, modulus))
        .unwrap_or(1)
}

/// Sum of the partial quotients of the continued fraction of a / b.
const fn partial_quotients(mut a: u64, mut b: u64) -> u64 {
    let mut sum = 0;
    while a != 0 {
        sum += b / a;
        (a, b) = (b % a, a);
    }
    sum
}
