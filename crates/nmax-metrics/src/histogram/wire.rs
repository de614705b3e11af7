//! A histogram as bytes: of each bucket that holds something the distance from the one before and the count, then what is
//! known exactly, as distances from what the buckets say. A bucket with one value takes a byte or two.

use super::{Exact, HIGHEST_NS, Histogram, buckets};
use crate::wire::{Input, Wire, WireError};

impl Wire for Histogram {
    fn put(&self, out: &mut Vec<u8>) {
        self.buckets.counts().count().put(out);
        let mut next = 0;
        for (index, count) in self.buckets.counts() {
            ((index - next) << 1 | usize::from(count > 1)).put(out);
            if count > 1 {
                count.put(out);
            }
            next = index + 1;
        }
        if let Some(rough) = self.rough() {
            self.exact.sum_ns.saturating_sub(rough.sum_ns.0).put(out);
            self.exact.min_ns.saturating_sub(rough.min_ns.0).put(out);
            self.exact.max_ns.saturating_sub(rough.max_ns.0).put(out);
            self.exact.clamped.put(out);
        }
    }

    fn take(input: &mut Input<'_>) -> Result<Self, WireError> {
        let mut histogram = Self::new();
        let (mut next, mut rough) = (0, None);
        for _ in 0..usize::take(input)? {
            let head = usize::take(input)?;
            let count = if head & 1 == 1 { u64::take(input)? } else { 1 };
            if count == 0 || !histogram.buckets.add_at(next + (head >> 1), count) {
                return Err(WireError::Damaged("a bucket of a histogram does not exist"));
            }
            next += (head >> 1) + 1;
            rough = Some(Rough::with(rough, buckets::range_of(next - 1), count));
        }
        input.spend(histogram.memory_bytes())?;
        if let Some(rough) = rough {
            histogram.exact = Exact {
                sum_ns: rough.sum_ns.0 + u128::take(input)?,
                min_ns: rough.min_ns.0 + u64::take(input)?,
                max_ns: rough.max_ns.0 + u64::take(input)?,
                clamped: u64::take(input)?,
            };
            let Exact { sum_ns, min_ns, max_ns, clamped } = histogram.exact;
            let is_within = sum_ns <= rough.sum_ns.1 && min_ns <= rough.min_ns.1 && max_ns <= rough.max_ns.1;
            if !is_within || min_ns > max_ns || clamped > histogram.count() {
                return Err(WireError::Damaged("figures of a histogram are not those of its buckets"));
            }
        }
        Ok(histogram)
    }
}

/// The least and the most that figures can be, by the buckets.
struct Rough {
    sum_ns: (u128, u128),
    min_ns: (u64, u64),
    max_ns: (u64, u64),
}

impl Rough {
    /// What buckets say, with so many values in the next one.
    fn with(before: Option<Self>, (low_ns, high_ns): (u64, u64), count: u64) -> Self {
        let bucket = (low_ns, high_ns.min(HIGHEST_NS));
        let times = |ns: u64| u128::from(ns) * u128::from(count);
        let Some(before) = before else {
            return Self { sum_ns: (times(bucket.0), times(bucket.1)), min_ns: bucket, max_ns: bucket };
        };
        let sum_ns = (before.sum_ns.0 + times(bucket.0), before.sum_ns.1 + times(bucket.1));
        Self { sum_ns, max_ns: bucket, ..before }
    }
}

impl Histogram {
    /// What its buckets say; `None` while empty.
    fn rough(&self) -> Option<Rough> {
        self.recorded().fold(None, |rough, (low_ns, high_ns, count)| Some(Rough::with(rough, (low_ns, high_ns), count)))
    }
}
