//! Counts in the bucket layout of HdrHistogram: 2,048 linear buckets, then 1,024 for each doubling.
//!
//! Every bucket is at most 1/1,024 of its values wide, or 512 ns. Memory follows the largest value; emptying, merging
//! and reading touch only the buckets in use.
//!
//! Source: G. Tene, *HdrHistogram*, with lowest discernible value 1,000 and 3 digits.

/// Bits below the resolution: 2^9 = 512 ns is the largest power of two up to 1 µs.
const UNIT_BITS: u32 = 9;
/// Bits of a position within a doubling.
const HALF_BITS: u32 = 10;
/// Buckets added per doubling.
const HALF: usize = 1 << HALF_BITS;
/// Values of the linear range.
const LINEAR_MASK: u64 = ((2 << HALF_BITS) - 1) << UNIT_BITS;
/// Leading zeros of the largest value of the linear range.
const LINEAR_ZEROS: u32 = 64 - UNIT_BITS - HALF_BITS - 1;

/// Counts by bucket.
#[derive(Clone, Debug, Default)]
pub(super) struct Buckets {
    counts: Vec<u64>,
    total: u64,
    /// First bucket in use, and one after the last.
    first: usize,
    end: usize,
}

/// The bucket of a value.
#[inline]
const fn index_of(value: u64) -> usize {
    let doubling = LINEAR_ZEROS - (value | LINEAR_MASK).leading_zeros();
    let place = (value >> (doubling + UNIT_BITS)) as usize;
    ((doubling as usize + 1) << HALF_BITS) + place - HALF
}

/// The lowest and the highest value of a bucket.
const fn range_of(index: usize) -> (u64, u64) {
    let (doubling, place) = match (index >> HALF_BITS).checked_sub(1) {
        Some(doubling) => (doubling as u32, (index & (HALF - 1)) + HALF),
        None => (0, index),
    };
    let shift = doubling + UNIT_BITS;
    let low = (place as u64) << shift;
    (low, low + (1 << shift) - 1)
}

impl Buckets {
    /// Counts `n` times a value.
    #[inline]
    pub(super) fn add(&mut self, value: u64, n: u64) {
        let index = index_of(value);
        if index >= self.counts.len() {
            self.grow(index);
        }
        self.counts[index] += n;
        self.use_range(index, index + 1);
        self.total += n;
    }

    #[cold]
    fn grow(&mut self, index: usize) {
        self.counts.resize((index / HALF + 1) * HALF, 0);
    }

    #[inline]
    fn use_range(&mut self, first: usize, end: usize) {
        // An empty range is 0..0 and must not hold the first bucket down.
        self.first = if self.end == 0 { first } else { self.first.min(first) };
        self.end = self.end.max(end);
    }

    /// Adds the counts of `other`.
    pub(super) fn merge(&mut self, other: &Self) {
        if other.total == 0 {
            return;
        }
        if other.end > self.counts.len() {
            self.grow(other.end - 1);
        }
        let used = other.first..other.end;
        for (mine, theirs) in self.counts[used.clone()].iter_mut().zip(&other.counts[used]) {
            *mine += theirs;
        }
        self.use_range(other.first, other.end);
        self.total += other.total;
    }

    /// Empties every bucket and keeps the memory.
    pub(super) fn reset(&mut self) {
        self.counts[self.first..self.end].fill(0);
        (self.first, self.end, self.total) = (0, 0, 0);
    }

    /// Memory of the counts, bytes.
    #[cfg(test)]
    pub(super) fn memory_bytes(&self) -> usize {
        self.counts.capacity() * size_of::<u64>()
    }

    /// Sum of the counts.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Non-empty buckets, ascending: lowest value, highest value, count.
    pub(super) fn recorded(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        let used = self.counts[self.first..self.end].iter().enumerate();
        used.filter(|(_, count)| **count > 0).map(|(place, count)| {
            let (low, high) = range_of(self.first + place);
            (low, high, *count)
        })
    }
}

#[cfg(test)]
mod tests {
    use hdrhistogram::Histogram as Hdr;
    use proptest::prelude::*;

    use super::*;
    use crate::histogram::{DIGITS, HIGHEST_NS, LOWEST_NS};

    proptest! {
        /// Oracle: the buckets are those of the HdrHistogram library.
        #[test]
        fn layout_is_that_of_hdr_histogram(bits in 0.0..41.7_f64) {
            let value = bits.exp2() as u64;
            let (low, high) = range_of(index_of(value));
            let hdr = Hdr::<u64>::new_with_bounds(LOWEST_NS, HIGHEST_NS, DIGITS).unwrap();
            prop_assert_eq!(low, hdr.lowest_equivalent(value));
            prop_assert_eq!(high, hdr.highest_equivalent(value));
        }
    }

    #[test]
    fn buckets_follow_each_other_without_gap() {
        for index in 0..30 * HALF {
            let (low, high) = range_of(index);
            assert_eq!((index_of(low), index_of(high)), (index, index));
            assert_eq!(range_of(index + 1).0, high + 1);
        }
    }
}
