use std::collections::BTreeMap;

use nmax_plan::choice::Stream;
use proptest::prelude::*;

use super::super::hash::hash;
use super::*;

fn top(capacity: usize, values: &[u32]) -> TopK {
    let mut top = TopK::new(capacity);
    for value in values {
        let text = value.to_string();
        top.add(hash(text.as_bytes()), text.as_bytes(), true);
    }
    top
}

fn truth(values: &[u32]) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for value in values {
        *counts.entry(value.to_string()).or_default() += 1;
    }
    counts
}

fn bounds_hold(top: &TopK, values: &[u32]) -> Result<(), TestCaseError> {
    let truth = truth(values);
    let ranked = top.ranked(usize::MAX);
    for entry in &ranked {
        let exact = truth.get(&entry.text).copied().unwrap_or(0);
        prop_assert!(entry.count - entry.error <= exact && exact <= entry.count, "{entry:?}, in truth {exact}");
    }
    let bound = values.len() as u64 / top.capacity as u64;
    for (text, count) in truth.iter().filter(|(_, count)| **count > bound) {
        prop_assert!(ranked.iter().any(|entry| entry.text == *text), "{text} came {count} times");
    }
    Ok(())
}

proptest! {
    /// Law: counts are bounded by the truth, and whatever came more than n/m times is kept.
    #[test]
    fn heavy_hitters_are_kept(values in prop::collection::vec(prop_oneof![0..5u32, 0..500u32], 0..600), m in 1..40usize) {
        let top = top(m, &values);
        bounds_hold(&top, &values)?;
        prop_assert_eq!(top.total(), values.len() as u64);
        prop_assert!(top.len() <= m);
    }

    /// Law: merged counts are bounded by the truth too.
    #[test]
    fn merged_counts_are_bounded(
        one in prop::collection::vec(prop_oneof![0..5u32, 0..300u32], 0..300),
        two in prop::collection::vec(prop_oneof![0..5u32, 0..300u32], 0..300),
        m in 1..30usize,
    ) {
        let mut merged = top(m, &one);
        merged.merge(top(m, &two));
        let both: Vec<u32> = one.iter().chain(&two).copied().collect();
        let truth = truth(&both);
        for entry in merged.ranked(usize::MAX) {
            let exact = truth.get(&entry.text).copied().unwrap_or(0);
            prop_assert!(entry.count - entry.error <= exact && exact <= entry.count, "{entry:?}, in truth {exact}");
        }
        prop_assert_eq!(merged.total(), both.len() as u64);
    }

    /// Law: the estimate of different values is within five standard errors.
    #[test]
    fn different_values_are_estimated(n in 1..200_000u64, seed in any::<u64>()) {
        let mut random = Stream::new(seed);
        let mut distinct = Distinct::new();
        (0..n).for_each(|_| distinct.add(random.next_u64()));
        let error = (distinct.estimate() as f64 - n as f64).abs();
        prop_assert!(error <= 5.0 * 0.0325 * n as f64 + 2.0, "{} for {n}", distinct.estimate());
    }
}

/// Law: there are no more different texts than texts, and it is known whether they were counted.
#[test]
fn no_more_differ_than_came() {
    for (capacity, n) in [(10, 5), (10, 5_000), (10, 50_000), (10, 200_000)] {
        let mut top = TopK::new(capacity);
        (0..n).for_each(|at: u64| top.add(super::super::hash::hash(&at.to_le_bytes()), &at.to_le_bytes(), true));
        assert!(top.distinct() <= n, "{} of {n}", top.distinct());
        assert_eq!(top.is_estimate(), n > 10);
    }
}

/// Law: the exponent of a sample of Zipf's law comes back within four standard errors, whatever the tail.
#[test]
fn exponents_come_back() {
    for (s, n, seed) in [(0.6, 500, 1), (0.8, 20_000, 2), (1.0, 300, 3), (1.3, 5_000, 4)] {
        let weights: Vec<f64> = (1..=n).map(|rank| f64::from(rank).powf(-s)).collect();
        let sums: Vec<f64> = weights
            .iter()
            .scan(0.0, |sum, weight| {
                *sum += weight;
                Some(*sum)
            })
            .collect();
        let mut random = Stream::new(seed);
        let mut top = TopK::new(4_096);
        for _ in 0..100_000 {
            let at = random.unit() * sums[sums.len() - 1];
            let text = sums.partition_point(|sum| *sum <= at).to_string();
            top.add(hash(text.as_bytes()), text.as_bytes(), true);
        }
        let (found, error) = zipf_exponent(&top.ranked(4_096)).unwrap();
        assert!((found - s).abs() <= (4.0 * error).max(0.03), "{found} ± {error} for {s}");
    }
}

#[test]
fn too_little_has_no_exponent() {
    assert_eq!(zipf_exponent(&top(100, &[1, 1, 2, 3]).ranked(100)), None);
}
