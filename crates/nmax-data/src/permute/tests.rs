use std::collections::HashSet;

use proptest::prelude::*;

use super::*;
use crate::choice::derive;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Law: a permutation of n numbers meets each of them once.
    #[test]
    fn a_permutation_meets_every_number_once(n in 1..700_u64, key: u64) {
        let seen: HashSet<u64> = (0..n).map(|i| permute(n, i, |r, half| derive(key ^ r, half))).collect();
        prop_assert_eq!(seen.len() as u64, n);
        prop_assert!(seen.iter().all(|to| *to < n));
    }

    /// Law: different records have different numbers, whatever their size, and bands are kept.
    #[test]
    fn spread_never_repeats(key: u64, a in magnitude(), b in magnitude()) {
        prop_assert_eq!(spread(key, a) == spread(key, b), a == b);
        for end in BANDS {
            prop_assert_eq!(spread(key, a) < end, a < end);
        }
    }
}

/// Words of every length.
fn magnitude() -> impl Strategy<Value = u64> {
    (any::<u64>(), 0..64_u32).prop_map(|(word, shift)| (word >> shift).min(u64::MAX - 1))
}

/// Law: bands are permuted each by itself; counted as a whole, on bands that are small.
#[test]
fn bands_are_permuted_apart() {
    for key in 0..20 {
        let all: Vec<u64> = (0..300).map(|record| banded([5, 60], 300, key, record)).collect();
        for band in [0..5, 5..60, 60..300] {
            let seen: HashSet<u64> = all[band.start as usize..band.end as usize].iter().copied().collect();
            assert_eq!(seen, band.collect(), "key {key}");
        }
    }
}

#[test]
fn spread_hides_the_order() {
    let rising = (0..1000).filter(|i| spread(7, *i) < spread(7, i + 1)).count();
    assert!((400..600).contains(&rising), "{rising} of 1000 neighbours rise");
}
