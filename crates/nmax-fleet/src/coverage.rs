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

    /// Numbers below `end` that are not there.
    pub fn missing(&self, end: u64) -> Vec<Range<u64>> {
        let mut missing = Vec::new();
        let mut next = 0;
        for (start, stop) in self.0.iter().map(|(start, stop)| (*start, *stop)).chain([(end, end)]) {
            if next < start.min(end) {
                missing.push(next..start.min(end));
            }
            next = next.max(stop);
        }
        missing
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Law: it is a set of numbers.
        #[test]
        fn it_is_a_set(numbers in prop::collection::vec(0..40_u64, 0..80), end in 0..50_u64) {
            let (mut coverage, mut set) = (Coverage::default(), BTreeSet::new());
            for number in numbers {
                prop_assert_eq!(coverage.contains(number), set.contains(&number));
                prop_assert_eq!(coverage.insert(number), set.insert(number));
            }
            let missing: Vec<u64> = coverage.missing(end).into_iter().flatten().collect();
            prop_assert_eq!(missing, (0..end).filter(|number| !set.contains(number)).collect::<Vec<_>>());
            let starts: Vec<_> = coverage.0.iter().collect();
            prop_assert!(starts.windows(2).all(|pair| pair[0].1 < pair[1].0), "ranges that touch are one");
        }
    }
}
