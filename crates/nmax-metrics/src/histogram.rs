//! Latencies as an HDR histogram: 3 digits (relative error at most 0.1 %), 1 µs to 1 h, merged by addition.
//!
//! Memory grows with how far the values spread (256 bytes for each 32 buckets that were ever counted in: 2 to 3 kB for
//! values within 20 % of each other, 44 kB for all up to 10 ms, 190 kB for all up to an hour) and never with their
//! number. Count, sum, minimum and maximum are exact.

mod buckets;
mod thin;
mod wire;

pub use thin::Thin;

use hdrhistogram::Histogram as Hdr;

use buckets::Buckets;

/// Smallest distinguishable value, ns.
pub const LOWEST_NS: u64 = 1_000;
/// Largest value, ns; larger ones are clamped to it and counted as clamped.
pub const HIGHEST_NS: u64 = 3_600_000_000_000;
/// Significant decimal digits.
pub const DIGITS: u8 = 3;

/// A mergeable distribution of nanoseconds.
#[derive(Clone, Debug)]
pub struct Histogram {
    buckets: Buckets,
    exact: Exact,
}

/// What a histogram knows exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact {
    /// Sum of the values, ns.
    pub sum_ns: u128,
    /// Smallest value, ns; `u64::MAX` while empty.
    pub min_ns: u64,
    /// Largest value, ns.
    pub max_ns: u64,
    /// Values above [`HIGHEST_NS`].
    pub clamped: u64,
}

impl Exact {
    const EMPTY: Self = Self { sum_ns: 0, min_ns: u64::MAX, max_ns: 0, clamped: 0 };
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl PartialEq for Histogram {
    fn eq(&self, other: &Self) -> bool {
        self.exact == other.exact && self.recorded().eq(other.recorded())
    }
}

impl Histogram {
    /// An empty histogram.
    pub fn new() -> Self {
        Self { buckets: Buckets::default(), exact: Exact::EMPTY }
    }

    /// Adds one value. O(1); allocates only when no value so near to it was seen before, and less often the more were.
    ///
    /// Out of line: an exchange is added to six of them, whose code would be a tenth of what it runs through.
    #[inline(never)]
    pub fn record(&mut self, value_ns: u64) {
        self.record_n(value_ns, 1);
    }

    /// Adds `n` times the same value.
    #[inline]
    pub fn record_n(&mut self, value_ns: u64, n: u64) {
        if n == 0 {
            return;
        }
        let mut value_ns = value_ns;
        if value_ns > HIGHEST_NS {
            self.exact.clamped += n;
            value_ns = HIGHEST_NS;
        }
        self.exact.sum_ns += u128::from(value_ns) * u128::from(n);
        self.exact.min_ns = self.exact.min_ns.min(value_ns);
        self.exact.max_ns = self.exact.max_ns.max(value_ns);
        self.buckets.add(value_ns, n);
    }

    /// Adds all of `other`: the histogram of the union.
    pub fn merge(&mut self, other: &Self) {
        if other.is_empty() {
            return;
        }
        self.buckets.merge(&other.buckets);
        self.exact.sum_ns += other.exact.sum_ns;
        self.exact.min_ns = self.exact.min_ns.min(other.exact.min_ns);
        self.exact.max_ns = self.exact.max_ns.max(other.exact.max_ns);
        self.exact.clamped += other.exact.clamped;
    }

    /// What is left without the values of `part`, all of which are in it: the inverse of [`Self::merge`].
    ///
    /// Count and sum are exact, minimum and maximum as good as their buckets.
    pub fn without(&self, part: &Self) -> Self {
        if part.is_empty() {
            return self.clone();
        }
        let mut rest = Self::new();
        let mut taken = part.recorded().peekable();
        let (mut min_ns, mut max_ns) = (u64::MAX, 0);
        for (low_ns, high_ns, count) in self.recorded() {
            let of_part = taken.next_if(|(low, _, _)| *low == low_ns).map_or(0, |(_, _, n)| n);
            let left = count.saturating_sub(of_part);
            if left > 0 {
                rest.buckets.add(low_ns, left);
                min_ns = min_ns.min(low_ns.max(self.exact.min_ns));
                max_ns = high_ns.min(self.exact.max_ns);
            }
        }
        rest.exact = Exact {
            sum_ns: self.exact.sum_ns.saturating_sub(part.exact.sum_ns),
            min_ns,
            max_ns,
            clamped: self.exact.clamped.saturating_sub(part.exact.clamped),
        };
        rest
    }

    /// Empties it and keeps its memory.
    pub fn reset(&mut self) {
        if !self.is_empty() {
            self.buckets.reset();
            self.exact = Exact::EMPTY;
        }
    }

    /// Memory beside the value itself, bytes.
    fn memory_bytes(&self) -> usize {
        self.buckets.memory_bytes()
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.buckets.total()
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.buckets.total() == 0
    }

    /// Sum, minimum, maximum and clamped values.
    pub fn exact(&self) -> Exact {
        self.exact
    }

    /// Replaces what is known exactly, after reading the buckets back from a file that keeps both.
    pub fn set_exact(&mut self, exact: Exact) {
        self.exact = exact;
    }

    /// Arithmetic mean, ns.
    pub fn mean_ns(&self) -> Option<f64> {
        (!self.is_empty()).then(|| self.exact.sum_ns as f64 / self.count() as f64)
    }

    /// Smallest value, ns.
    pub fn min_ns(&self) -> Option<u64> {
        (!self.is_empty()).then_some(self.exact.min_ns)
    }

    /// Largest value, ns.
    pub fn max_ns(&self) -> Option<u64> {
        (!self.is_empty()).then_some(self.exact.max_ns)
    }

    /// The value below or at which a share `q` of all values lie, ns: of rank ⌈q·n⌉ (at least 1), to 0.1 %.
    ///
    /// Between [`Self::min_ns`] and [`Self::max_ns`], always.
    pub fn quantile_ns(&self, q: f64) -> Option<u64> {
        self.value_at_rank_ns(self.rank_of(q))
    }

    /// The rank of the quantile `q`: ⌈q·n⌉, at least 1.
    pub fn rank_of(&self, q: f64) -> u64 {
        (q.clamp(0.0, 1.0) * self.count() as f64).ceil().max(1.0) as u64
    }

    /// [`Self::value_at_rank_ns`] of each of `ranks`, in one pass over the buckets.
    pub fn values_at_ranks_ns(&self, ranks: &[u64]) -> Vec<Option<u64>> {
        let mut order: Vec<usize> = (0..ranks.len()).collect();
        order.sort_unstable_by_key(|index| ranks[*index]);
        let mut values = vec![None; ranks.len()];
        let mut waiting = order.into_iter().filter(|index| (1..=self.count()).contains(&ranks[*index])).peekable();
        let mut below = 0;
        for (low_ns, high_ns, count) in self.recorded() {
            if waiting.peek().is_none() {
                break;
            }
            below += count;
            while let Some(index) = waiting.next_if(|index| ranks[*index] <= below) {
                let middle_ns = low_ns + (high_ns - low_ns) / 2;
                let value_ns = if ranks[index] == self.count() { self.exact.max_ns } else { middle_ns };
                values[index] = Some(value_ns.clamp(self.exact.min_ns, self.exact.max_ns));
            }
        }
        values
    }

    /// The value of that rank (1 = smallest) in sorted order, ns, to 0.1 %; `None` beyond the last.
    pub fn value_at_rank_ns(&self, rank: u64) -> Option<u64> {
        self.values_at_ranks_ns(&[rank])[0]
    }

    /// Non-empty buckets, ascending: lowest value, highest value (inclusive), both ns, and count.
    pub fn recorded(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        self.buckets.recorded()
    }

    /// Counts `n` values in the bucket of this number in the layout of HdrHistogram; false when there is no such bucket. What is
    /// known exactly is left to [`Self::set_exact`].
    pub fn add_at(&mut self, index: usize, n: u64) -> bool {
        self.buckets.add_at(index, n)
    }

    /// The buckets as a plain HDR histogram with the standard bounds, for files.
    pub fn to_hdr(&self) -> Hdr<u64> {
        let mut hdr = Hdr::new_with_bounds(LOWEST_NS, HIGHEST_NS, DIGITS).expect("the standard bounds are valid");
        for (_, high_ns, count) in self.recorded() {
            hdr.record_n(high_ns.min(HIGHEST_NS), count).expect("values are clamped to the standard bounds");
        }
        hdr
    }

    /// From a plain HDR histogram; exact figures are then only as good as its buckets.
    pub fn from_hdr(hdr: &Hdr<u64>) -> Self {
        let mut histogram = Self::new();
        for step in hdr.iter_recorded() {
            histogram.record_n(step.value_iterated_to().min(HIGHEST_NS), step.count_since_last_iteration());
        }
        histogram
    }
}

#[cfg(test)]
mod tests;
