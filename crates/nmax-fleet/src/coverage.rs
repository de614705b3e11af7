//! Which windows of a shard are there.

use std::collections::BTreeMap;
use std::ops::Range;

/// Numbers, as ranges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage(BTreeMap<u64, u64>);

impl Coverage {
    /// Adds a number; false when it is there already.
    pub fn insert(&mut self, number: u64) -> bool {
        if self.contains(number) {
            return false;
        }
        let before = self.0.range(..=number).next_back().map(|(start, end)| (*start, *end));
        let end = self.0.remove(&(number + 1)).unwrap_or(number + 1);
        match before {
            Some((start, last)) if last == number => self.0.insert(start, end),
            _ => self.0.insert(number, end),
        };
        true
    }

    /// Whether a number is there.
    pub fn contains(&self, number: u64) -> bool {
        self.0.range(..=number).next_back().is_some_and(|(_, end)| number < *end)
    }

    /// Those below `end`, in order.
    pub fn below(&self, end: u64) -> impl Iterator<Item = Range<u64>> {
        self.0.iter().map(move |(start, stop)| *start..(*stop).min(end)).take_while(|range| !range.is_empty())
    }
}

/// Numbers below `end` that are in none of these ranges.
pub fn missing(ranges: impl Iterator<Item = Range<u64>>, end: u64) -> Vec<Range<u64>> {
    let mut ranges: Vec<_> = ranges.chain(std::iter::once(end..end)).collect();
    ranges.sort_by_key(|range| range.start);
    let (mut missing, mut next) = (Vec::new(), 0);
    for range in ranges {
        if next < range.start.min(end) {
            missing.push(next..range.start.min(end));
        }
        next = next.max(range.end);
    }
    missing
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Law: it is a set of numbers.
        #[test]
        fn it_is_a_set(numbers in prop::collection::vec(0..40_u64, 0..80), (end, cut) in (0..50_u64, 0..50_u64)) {
            let (mut coverage, mut set) = (Coverage::default(), BTreeSet::new());
            for number in numbers {
                prop_assert_eq!(coverage.contains(number), set.contains(&number));
                prop_assert_eq!(coverage.insert(number), set.insert(number));
            }
            // The same in two, out of order.
            let high = coverage.below(u64::MAX).map(|range| range.start.max(cut)..range.end);
            let (low, high) = (coverage.below(cut), high.filter(|range| !range.is_empty()));
            let missing: Vec<u64> = missing(high.chain(low), end).into_iter().flatten().collect();
            prop_assert_eq!(missing, (0..end).filter(|number| !set.contains(number)).collect::<Vec<_>>());
            let starts: Vec<_> = coverage.0.iter().collect();
            prop_assert!(starts.windows(2).all(|pair| pair[0].1 < pair[1].0), "ranges that touch are one");
        }
    }
}
