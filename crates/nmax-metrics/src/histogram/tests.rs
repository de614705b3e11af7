use proptest::prelude::*;

use super::*;

fn recorded(values: &[u64]) -> Histogram {
    let mut histogram = Histogram::new();
    values.iter().for_each(|value| histogram.record(*value));
    histogram
}

/// Values over the whole range, each magnitude equally likely.
fn values() -> impl Strategy<Value = Vec<u64>> {
    let value = (0.0..41.7_f64).prop_map(|bits| bits.exp2() as u64);
    proptest::collection::vec(value, 1..200)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Law: every quantile is within 0.1 % (or 1 µs) of the brute-force one, and between minimum and maximum.
    #[test]
    fn quantiles_match_brute_force(values in values(), q in 0.0..=1.0_f64) {
        let histogram = recorded(&values);
        let mut sorted: Vec<u64> = values.iter().map(|value| (*value).min(HIGHEST_NS)).collect();
        sorted.sort_unstable();
        let rank = (q * sorted.len() as f64).ceil().max(1.0) as usize;
        let (want, got) = (sorted[rank - 1], histogram.quantile_ns(q).unwrap());
        prop_assert!(want.abs_diff(got) as f64 <= (want as f64 * 1e-3).max(1e3), "want {want}, got {got}");
        prop_assert!(sorted[0] <= got && got <= sorted[sorted.len() - 1]);
    }

    /// Law: minimum ≤ every quantile ≤ maximum, also where all values share a bucket.
    #[test]
    fn quantiles_stay_between_minimum_and_maximum(low in 0..10_000_000_u64, spread in 0..400_u64, q in 0.0..=1.0_f64) {
        let (min_ns, max_ns) = (low, low + spread);
        let histogram = recorded(&[min_ns, max_ns, min_ns, max_ns]);
        let got = histogram.quantile_ns(q).unwrap();
        prop_assert!((min_ns..=max_ns).contains(&got), "{got} not in {min_ns} to {max_ns}");
    }

    /// Law: the merged histogram is the histogram of the union, in any order.
    #[test]
    fn merge_is_union(a in values(), b in values(), c in values()) {
        let union = recorded(&[a.clone(), b.clone(), c.clone()].concat());
        let (mut left, mut right) = (recorded(&a), recorded(&c));
        left.merge(&recorded(&b));
        left.merge(&recorded(&c));
        right.merge(&recorded(&b));
        right.merge(&recorded(&a));
        prop_assert_eq!(&left, &union);
        prop_assert_eq!(&right, &union);
    }

    /// Law: taking out what was merged in leaves the rest; minimum and maximum to a bucket.
    #[test]
    fn without_undoes_merge(a in values(), b in values()) {
        let (a, b) = (recorded(&a), recorded(&b));
        let mut union = a.clone();
        union.merge(&b);
        let rest = union.without(&b);
        prop_assert!(rest.recorded().eq(a.recorded()));
        prop_assert_eq!((rest.exact().sum_ns, rest.exact().clamped), (a.exact().sum_ns, a.exact().clamped));
        for (got, want) in [(rest.min_ns(), a.min_ns()), (rest.max_ns(), a.max_ns())] {
            let (got, want) = (got.unwrap(), want.unwrap());
            prop_assert!(got.abs_diff(want) as f64 <= (want as f64 * 1e-3).max(1e3), "{got} {want}");
        }
        prop_assert_eq!(a.without(&a), Histogram::new());
    }

    /// Count, sum, minimum and maximum are exact; writing to the standard form and back keeps the buckets.
    #[test]
    fn exact_figures_and_standard_form(values in values()) {
        let histogram = recorded(&values);
        let clamped: Vec<u64> = values.iter().map(|value| (*value).min(HIGHEST_NS)).collect();
        prop_assert_eq!(histogram.count(), values.len() as u64);
        prop_assert_eq!(histogram.exact().sum_ns, clamped.iter().map(|value| u128::from(*value)).sum::<u128>());
        prop_assert_eq!(histogram.min_ns(), clamped.iter().min().copied());
        prop_assert_eq!(histogram.max_ns(), clamped.iter().max().copied());
        let mut back = Histogram::from_hdr(&histogram.to_hdr());
        back.set_exact(histogram.exact());
        prop_assert_eq!(back, histogram);
    }

    /// Law: many ranks in one pass are the same as one at a time, in any order, out of range too.
    #[test]
    fn ranks_together_are_ranks_alone(values in prop::collection::vec(0..10_000_000_u64, 0..80), ranks in prop::collection::vec(0..90_u64, 0..20)) {
        let histogram = recorded(&values);
        let alone: Vec<_> = ranks.iter().map(|rank| histogram.value_at_rank_ns(*rank)).collect();
        prop_assert_eq!(histogram.values_at_ranks_ns(&ranks), alone);
    }
}

#[test]
fn values_beyond_an_hour_are_clamped_and_counted() {
    let histogram = recorded(&[HIGHEST_NS, HIGHEST_NS + 1, u64::MAX]);
    assert_eq!(histogram.exact().clamped, 2);
    assert_eq!(histogram.max_ns(), Some(HIGHEST_NS));
    assert_eq!(histogram.count(), 3);
}

#[test]
fn empty_has_no_numbers() {
    let mut histogram = recorded(&[5_000]);
    histogram.reset();
    assert_eq!(histogram, Histogram::new());
    assert_eq!((histogram.quantile_ns(0.5), histogram.mean_ns(), histogram.min_ns()), (None, None, None));
}

/// A billion samples take as much memory as a thousand of the same sizes.
#[test]
fn memory_is_flat_in_the_number_of_samples() {
    let sizes_ns = || (0..1_000_u64).map(|i| 1_000 + i * 50_000);
    let (mut few, mut many) = (Histogram::new(), Histogram::new());
    sizes_ns().for_each(|value_ns| few.record(value_ns));
    for _ in 0..1_000 {
        sizes_ns().for_each(|value_ns| many.record_n(value_ns, 1_000));
    }
    assert_eq!((few.count(), many.count()), (1_000, 1_000_000_000));
    assert_eq!(many.memory_bytes(), few.memory_bytes());
    assert!(many.memory_bytes() < 100_000, "{}", many.memory_bytes());
}

/// A worker keeps several for every request name: one slow exchange must not cost the memory of all that it could have
/// taken.
#[test]
fn memory_is_that_of_the_values_in_use() {
    let mut histogram = recorded(&[HIGHEST_NS]);
    (0..200_u64).for_each(|i| histogram.record(20_000_000 + i * 10_000));
    assert!(histogram.memory_bytes() < 8_000, "{}", histogram.memory_bytes());
    let mut sum = recorded(&[40_000]);
    (0..3).for_each(|_| sum.merge(&histogram));
    assert!(sum.memory_bytes() < 8_500, "{}", sum.memory_bytes());
    assert_eq!((sum.count(), sum.min_ns(), sum.max_ns()), (604, Some(40_000), Some(HIGHEST_NS)));
    sum.reset();
    assert_eq!((sum.count(), sum.recorded().count()), (0, 0));
}

/// Rivals cap at one million samples or fewer; here five million go in and five million are counted.
#[test]
fn five_million_samples_are_five_million() {
    let mut histogram = Histogram::new();
    (0..5_000_000_u64).for_each(|i| histogram.record(1_000 + i));
    assert_eq!(histogram.count(), 5_000_000);
    let p50 = histogram.quantile_ns(0.5).unwrap();
    assert!(p50.abs_diff(2_501_000) < 2_501, "{p50}");
}
