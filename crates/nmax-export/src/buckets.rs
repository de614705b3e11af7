//! Counts of times up to fixed bounds, from histograms of 0.1 %.

use nmax_metrics::Histogram;

/// Upper bounds, s: those that OpenTelemetry advises for HTTP durations (5 ms to 10 s), as many between, and the same steps
/// from 100 µs up and to a minute. Neighbors differ by half at most below 10 s, so a quantile read from them is off by less
/// than that; servers near by answer in less than the 5 ms at which the advice begins.
pub const BOUNDS_S: [f64; 38] = [
    0.0001, 0.00015, 0.0002, 0.00025, 0.00035, 0.0005, 0.00075, 0.001, 0.0015, 0.002, 0.0025, 0.0035, 0.005, 0.0075,
    0.01, 0.015, 0.02, 0.025, 0.035, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.35, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.5, 5.0,
    7.5, 10.0, 30.0, 60.0,
];

/// Counts between [`BOUNDS_S`], those above the last one last. Count and sum are exact; a time within 0.1 % of a bound may be
/// counted below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Buckets {
    counts: [[u64; 13]; 3],
    sum_ns: u128,
}

const _: () = assert!(BOUNDS_S.len() + 1 == 3 * 13);

impl From<&Histogram> for Buckets {
    /// O(buckets of the histogram).
    fn from(histogram: &Histogram) -> Self {
        let mut buckets = Self { sum_ns: histogram.exact().sum_ns, ..Self::default() };
        let mut place = 0;
        for (low_ns, _, count) in histogram.recorded() {
            while BOUNDS_S.get(place).is_some_and(|bound_s| (bound_s * 1e9).round() < low_ns as f64) {
                place += 1;
            }
            buckets.counts.as_flattened_mut()[place] += count;
        }
        buckets
    }
}

impl Buckets {
    /// Adds all of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.sum_ns += other.sum_ns;
        self.each(other, |mine, theirs| mine + theirs);
    }

    /// Takes `part` away, all of which is in it.
    pub fn remove(&mut self, part: &Self) {
        self.sum_ns = self.sum_ns.saturating_sub(part.sum_ns);
        self.each(part, u64::saturating_sub);
    }

    fn each(&mut self, other: &Self, of: impl Fn(u64, u64) -> u64) {
        let pairs = self.counts.as_flattened_mut().iter_mut().zip(other.counts());
        pairs.for_each(|(mine, theirs)| *mine = of(*mine, *theirs));
    }

    /// Values between the bounds: one more than there are bounds.
    pub fn counts(&self) -> &[u64] {
        self.counts.as_flattened()
    }

    /// Values up to each bound, and all of them last.
    pub fn up_to(&self) -> impl Iterator<Item = u64> + '_ {
        self.counts().iter().scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        })
    }

    /// All values.
    pub fn count(&self) -> u64 {
        self.counts().iter().sum()
    }

    /// Their sum, s.
    pub fn sum_s(&self) -> f64 {
        self.sum_ns as f64 / 1e9
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Law: what is up to a bound is what is counted by hand, but for values within 0.1 % of it; count and sum are exact,
        /// and taking a part away gives the rest.
        #[test]
        fn values_are_below_their_bounds(a in times(), b in times()) {
            let histogram = |times: &[u64]| {
                let mut histogram = Histogram::new();
                times.iter().for_each(|time| histogram.record(*time));
                histogram
            };
            let all: Vec<u64> = a.iter().chain(&b).copied().collect();
            let mut buckets = Buckets::from(&histogram(&all));
            for (bound_s, found) in BOUNDS_S.iter().zip(buckets.up_to()) {
                let below = |factor: f64| all.iter().filter(|time| **time as f64 <= bound_s * 1e9 * factor).count() as u64;
                prop_assert!((below(1.0)..=below(1.001)).contains(&found), "{bound_s}");
            }
            prop_assert_eq!((buckets.count(), buckets.up_to().last()), (all.len() as u64, Some(all.len() as u64)));
            prop_assert_eq!(buckets.sum_ns, all.iter().map(|time| u128::from(*time)).sum::<u128>());
            buckets.remove(&Buckets::from(&histogram(&b)));
            prop_assert_eq!(&buckets, &Buckets::from(&histogram(&a)));
            buckets.merge(&Buckets::from(&histogram(&b)));
            prop_assert_eq!(buckets, Buckets::from(&histogram(&all)));
        }
    }

    fn times() -> impl Strategy<Value = Vec<u64>> {
        let bound = (0..BOUNDS_S.len()).prop_map(|index| (BOUNDS_S[index] * 1e9).round() as u64);
        prop::collection::vec(prop_oneof![1_000..90_000_000_000_u64, 1_000..5_000_000_u64, bound], 0..30)
    }
}
