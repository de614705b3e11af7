use std::num::NonZeroU64;

use proptest::prelude::*;

use super::*;
use crate::choice::Choice;

fn counted(limit: usize, values: impl IntoIterator<Item = u64>) -> Counter {
    let mut counter = Counter::with_limit(limit);
    for value in values {
        counter.add(&value.to_string());
    }
    counter
}

/// Values drawn from a Zipf law of this exponent.
fn zipf(count: u64, ranks: u64, exponent: f64) -> impl Iterator<Item = u64> {
    let ranks = NonZeroU64::new(ranks).unwrap();
    (0..count).map(move |at| Choice::new(1, at, 0, 0).zipf(0, ranks, exponent))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Law: Gini's coefficient is half the mean difference of all pairs, over the mean. The oracle takes all pairs.
    #[test]
    fn gini_is_half_the_mean_difference(counts in prop::collection::vec((1..50_u64, 1..4_u8), 1..12)) {
        let all: Vec<f64> = counts.iter().flat_map(|(x, w)| vec![*x as f64; usize::from(*w)]).collect();
        let n = all.len() as f64;
        let differences: f64 = all.iter().flat_map(|a| all.iter().map(move |b| (a - b).abs())).sum();
        let want = differences / (2.0 * n * all.iter().sum::<f64>());
        let weighted: Vec<(u64, f64)> = counts.iter().map(|(x, w)| (*x, f64::from(*w))).collect();
        prop_assert!((gini(&weighted).unwrap() - want).abs() < 1e-9);
    }

    /// Law: below the limit, the counts are those of a plain count.
    #[test]
    fn small_tables_are_exact(values in prop::collection::vec(0..20_u64, 0..200)) {
        let skew = counted(20, values.iter().copied()).skew(100);
        prop_assert!(skew.is_exact);
        let distinct: std::collections::BTreeSet<u64> = values.iter().copied().collect();
        prop_assert_eq!(skew.distinct, distinct.len() as f64);
        prop_assert_eq!(skew.duplicates, (values.len() - distinct.len()) as f64);
        for (value, count) in &skew.top {
            prop_assert_eq!(*count, values.iter().filter(|own| own.to_string() == *value).count() as u64);
        }
        prop_assert!(skew.top.is_sorted_by(|a, b| a.1 >= b.1));
    }

    /// Law: beyond the limit, counts of the commonest are never too high, and too low by at most what is said.
    #[test]
    fn the_commonest_are_bounded(exponent in 0.5..1.5_f64) {
        let values: Vec<u64> = zipf(6000, 3000, exponent).collect();
        let skew = counted(64, values.iter().copied()).skew(10);
        prop_assert!(!skew.is_exact);
        for (value, count) in &skew.top {
            let right = values.iter().filter(|own| own.to_string() == *value).count() as u64;
            prop_assert!((right.saturating_sub(skew.top_error)..=right).contains(count), "{} of {}", count, right);
        }
    }
}

#[test]
fn sketches_come_near() {
    let values: Vec<u64> = zipf(300_000, 100_000, 1.0).collect();
    let exact = counted(usize::MAX, values.iter().copied()).skew(10);
    let counter = counted(4096, values.iter().copied());
    let sketch = counter.skew(10);
    assert!(exact.is_exact && !sketch.is_exact);
    assert!(counter.sample.len() <= 4096);
    assert!((sketch.distinct / exact.distinct - 1.0).abs() < 0.06, "{} of {}", sketch.distinct, exact.distinct);
    assert!((sketch.gini.unwrap() - exact.gini.unwrap()).abs() < 0.03, "{:?} {:?}", sketch.gini, exact.gini);
    assert_eq!(sketch.top[0].0, exact.top[0].0);
    assert!((sketch.top_share(10) - exact.top_share(10)).abs() < 0.01);
    assert!((sketch.zipf.unwrap() - 1.0).abs() < 0.15, "{:?}", sketch.zipf);
}

/// Law: the exponent that values were drawn with is found.
#[test]
fn the_exponent_of_a_zipf_law_is_found() {
    for exponent in [0.6, 1.0, 1.4] {
        let found = counted(usize::MAX, zipf(200_000, 1000, exponent)).skew(1).zipf.unwrap();
        assert!((found - exponent).abs() < 0.08, "{found}, not {exponent}");
    }
    assert_eq!(zipf_exponent(&[100, 50, 30]), None, "too few ranks");
}

#[test]
fn ranges_hold_all_records() {
    let mut counter = Counter::new();
    for value in ["a", "a", "a", "b", "c", "d", "", "a"] {
        counter.add(value);
    }
    assert_eq!(counter.by_range(2), [5.0, 2.0], "a and b, c and d");
    assert_eq!(counter.by_range(8).iter().sum::<f64>(), 7.0, "more shards than values");
    assert_eq!(counter.skew(1).empty, 1);
    assert_eq!(Counter::new().by_range(2), [0.0, 0.0]);
    assert_eq!(Counter::new().skew(3).gini, None);
}
