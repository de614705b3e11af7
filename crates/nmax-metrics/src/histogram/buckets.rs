//! Counts in the bucket layout of HdrHistogram: 2,048 linear buckets, then 1,024 for each doubling.
//!
//! Every bucket is at most 1/1,024 of its values wide, or 512 ns. Buckets lie in pages of 32, of which only those exist
//! that were ever counted in: a worker keeps histograms of every request name, and most of a range is empty. Emptying,
//! merging and reading touch only pages in use.
//!
//! Source: G. Tene, *HdrHistogram*, with lowest discernible value 1,000 and 3 digits.

use super::HIGHEST_NS;

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

/// Bits of a bucket's place within its page.
const PAGE_BITS: u32 = 5;
/// Buckets of a page.
const PAGE: usize = 1 << PAGE_BITS;

/// Counts by bucket.
#[derive(Clone, Debug, Default)]
pub(super) struct Buckets {
    /// Where each page lies in `pages`, plus one; 0 for a page that does not exist. As long as the largest value asks.
    places: Vec<u16>,
    /// In the order in which they were first counted in.
    pages: Vec<[u64; PAGE]>,
    total: u64,
}

/// The bucket of a value.
#[inline]
const fn index_of(value: u64) -> usize {
    let doubling = LINEAR_ZEROS - (value | LINEAR_MASK).leading_zeros();
    let place = (value >> (doubling + UNIT_BITS)) as usize;
    ((doubling as usize + 1) << HALF_BITS) + place - HALF
}

/// The lowest and the highest value of a bucket.
pub(super) const fn range_of(index: usize) -> (u64, u64) {
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
        self.count(index_of(value), n);
    }

    /// Counts `n` values in a bucket; false when it lies beyond that of [`HIGHEST_NS`].
    pub(super) fn add_at(&mut self, index: usize, n: u64) -> bool {
        let exists = index <= index_of(HIGHEST_NS);
        if exists {
            self.count(index, n);
        }
        exists
    }

    #[inline]
    fn count(&mut self, index: usize, n: u64) {
        self.page_mut(index >> PAGE_BITS)[index & (PAGE - 1)] += n;
        self.total += n;
    }

    /// A page's counts, made if need be.
    #[inline]
    fn page_mut(&mut self, number: usize) -> &mut [u64; PAGE] {
        let place = match self.places.get(number) {
            Some(place) if *place > 0 => usize::from(*place) - 1,
            _ => self.new_page(number),
        };
        &mut self.pages[place]
    }

    /// Makes a page that does not exist; returns its place.
    #[cold]
    fn new_page(&mut self, number: usize) -> usize {
        if number >= self.places.len() {
            // To the end of its doubling, so that larger values make it grow a few times and no more.
            self.places.resize((number * PAGE / HALF + 1) * HALF / PAGE, 0);
        }
        let place = self.pages.len();
        self.pages.push([0; PAGE]);
        self.places[number] = place as u16 + 1; // At most 736 pages: 23 doublings of 32.
        place
    }

    /// Pages that exist, ascending: number and counts.
    fn pages(&self) -> impl Iterator<Item = (usize, &[u64; PAGE])> {
        let existing = self.places.iter().enumerate().filter(|(_, place)| **place > 0);
        existing.map(|(number, place)| (number, &self.pages[usize::from(*place) - 1]))
    }

    /// Adds the counts of `other`.
    pub(super) fn merge(&mut self, other: &Self) {
        if other.total == 0 {
            return;
        }
        for (number, theirs) in other.pages() {
            // A page that was emptied is not made again.
            if self.places.get(number).is_none_or(|place| *place == 0) && theirs.iter().all(|count| *count == 0) {
                continue;
            }
            self.page_mut(number).iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
        }
        self.total += other.total;
    }

    /// Empties every bucket and keeps the memory.
    pub(super) fn reset(&mut self) {
        self.pages.fill([0; PAGE]);
        self.total = 0;
    }

    /// Memory of the counts, bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        self.pages.capacity() * size_of::<[u64; PAGE]>() + self.places.capacity() * size_of::<u16>()
    }

    /// Sum of the counts.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Non-empty buckets, ascending: number and count.
    pub(super) fn counts(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let counts = self.pages().flat_map(|(number, counts)| {
            counts.iter().enumerate().map(move |(place, count)| (number * PAGE + place, *count))
        });
        counts.filter(|(_, count)| *count > 0)
    }

    /// Non-empty buckets, ascending: lowest value, highest value, count.
    pub(super) fn recorded(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        self.counts().map(|(index, count)| {
            let (low, high) = range_of(index);
            (low, high, count)
        })
    }
}

#[cfg(test)]
mod tests {
    use hdrhistogram::Histogram as Hdr;
    use proptest::prelude::*;

    use super::*;
    use crate::histogram::{DIGITS, LOWEST_NS};

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
