use proptest::prelude::*;

use super::*;

/// Weights of injectors with at least one above 0, and how many workers each has.
fn splits() -> impl Strategy<Value = (Vec<u32>, u32)> {
    let weights = prop::collection::vec(prop_oneof![Just(0_u32), 1..8_u32, 1..2_000_u32], 1..7);
    (weights.prop_filter("someone works", |weights| weights.iter().any(|&weight| weight > 0)), 1..6_u32)
}

fn shares(weights: &[u32], workers: u32) -> Vec<Share> {
    let injectors = (0..weights.len() as u32).map(|index| Share::for_injector(index, weights).unwrap());
    injectors.flat_map(|share| (0..workers).map(move |worker| share.split(worker, workers).unwrap())).collect()
}

proptest! {
    /// Law: each number has exactly one owner, also far from zero.
    #[test]
    fn shares_are_disjoint_and_complete((weights, workers) in splits(), from in prop_oneof![Just(0_u64), 0..1_u64 << 60]) {
        let shares = shares(&weights, workers);
        for n in from..from + 200 {
            prop_assert_eq!(shares.iter().filter(|share| share.owns(n)).count(), 1, "number {}", n);
        }
        let before: u64 = shares.iter().map(|share| share.count_below(from)).sum();
        prop_assert_eq!(before, from);
    }

    /// Law: count_below counts what owns says, one by one.
    #[test]
    fn counts_are_sums((weights, workers) in splits()) {
        for share in shares(&weights, workers) {
            let mut count = 0;
            for n in 0..300 {
                prop_assert_eq!(share.count_below(n), count);
                count += u64::from(share.owns(n));
            }
        }
    }

    /// Law: nth and count_below are inverse.
    #[test]
    fn nth_inverts_count((weights, workers) in splits(), from in prop_oneof![Just(0_u64), 0..1_u64 << 40]) {
        for share in shares(&weights, workers) {
            for j in from..from + 20 {
                let Some(n) = share.nth(j) else {
                    prop_assert_eq!(share.count_below(u64::MAX), 0, "only empty shares have no number {}", j);
                    continue;
                };
                prop_assert!(share.owns(n));
                prop_assert_eq!(share.count_below(n), j);
                prop_assert_eq!(share.count_below(n + 1), j + 1);
            }
        }
    }

    /// Law: in any stretch an injector owns its part, give or take a few numbers; exactly its weight per cycle.
    #[test]
    fn stretches_are_fair(weights in prop::collection::vec(1..100_000_u32, 1..8), from in 0..1_u64 << 40, length in 0..1_u64 << 20) {
        let total: u64 = weights.iter().copied().map(u64::from).sum();
        for (index, &weight) in weights.iter().enumerate() {
            let share = Share::for_injector(index as u32, &weights).unwrap();
            let owned = (share.count_below(from + length) - share.count_below(from)) as f64;
            let fair = length as f64 * f64::from(weight) / total as f64;
            prop_assert!((owned - fair).abs() < 12.0, "owns {} of {}, fair are {}", owned, length, fair);
            prop_assert_eq!(share.count_below(from + total) - share.count_below(from), u64::from(weight));
        }
    }

    /// Law: the sum of floors is the sum of floors.
    #[test]
    fn floors_sum_up(n in 0..200_u64, m in 1..400_u64, a in 0..400_u64, b in 0..400_u64) {
        let brute: u64 = (0..n).map(|i| (a * i + b) / m).sum();
        prop_assert_eq!(sum_of_floors(n, m, a, b), brute);
    }
}

#[test]
fn equal_shares_take_turns() {
    for parts in [1_usize, 2, 3, 5, 8] {
        let weights = vec![300; parts];
        for index in 0..parts {
            let share = Share::for_injector(index as u32, &weights).unwrap();
            let numbers: Vec<u64> = (0..4).map(|j| share.nth(j).unwrap()).collect();
            let gaps: Vec<u64> = numbers.windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert_eq!(gaps, vec![parts as u64; 3], "{numbers:?}");
        }
    }
}

#[test]
fn the_whole_is_everything() {
    let whole = Share::whole();
    for n in [0, 1, 17, u64::MAX - 1] {
        assert!(whole.owns(n));
        assert_eq!(whole.nth(n), Some(n));
        assert_eq!(whole.count_below(n), n);
    }
    assert_eq!(Share::for_injector(0, &[12]), Ok(whole));
}

#[test]
fn impossible_shares_are_refused() {
    assert_eq!(Share::for_injector(2, &[1, 1]), Err(ShareError::NoSuchPart { index: 2, parts: 2 }));
    assert_eq!(Share::for_injector(0, &[]), Err(ShareError::NoSuchPart { index: 0, parts: 0 }));
    assert_eq!(Share::for_injector(0, &[0, 0]), Err(ShareError::NoWeight));
    assert_eq!(Share::for_injector(0, &[u32::MAX, u32::MAX - 1]), Err(ShareError::TooHeavy));
    assert_eq!(Share::whole().split(0, 0), Err(ShareError::NoSuchPart { index: 0, parts: 0 }));
    assert!(Share::for_injector(0, &[u32::MAX, u32::MAX]).is_ok(), "a common divisor does not count");
}

#[test]
fn large_weights_do_not_overflow() {
    let weights = [u32::MAX - 2, 1, 1];
    for index in 0..3 {
        let share = Share::for_injector(index, &weights).unwrap();
        for j in [0, 1, 1 << 20] {
            let n = share.nth(j).unwrap();
            assert!(share.owns(n));
            assert_eq!(share.count_below(n), j);
        }
    }
}
