use proptest::prelude::*;

use super::*;

fn distribution(values: &[u64]) -> Dist {
    let mut dist = Dist::default();
    for value in values {
        dist.add(*value);
    }
    dist
}

proptest! {
    /// Law: a quantile is within 1/64 of the one that sorting finds.
    #[test]
    fn quantiles_are_those_of_sorting(mut values in prop::collection::vec(0..1u64 << 40, 1..200), q in 0.0..=1.0_f64) {
        let dist = distribution(&values);
        values.sort_unstable();
        let rank = ((q * values.len() as f64).ceil() as usize).max(1);
        let exact = values[rank - 1] as f64;
        let found = dist.quantile(q).unwrap() as f64;
        prop_assert!((found - exact).abs() <= exact / 64.0 + 0.5, "{found} for {exact}");
    }

    /// Law: merging is counting both.
    #[test]
    fn merging_is_counting_both(
        one in prop::collection::vec(0..1u64 << 50, 0..50),
        two in prop::collection::vec(0..1u64 << 50, 0..50),
    ) {
        let mut merged = distribution(&one);
        merged.merge(&distribution(&two));
        let both: Vec<u64> = one.iter().chain(&two).copied().collect();
        prop_assert_eq!(merged, distribution(&both));
    }

    /// Law: without slack the distance is that of Kolmogorov and Smirnov, and slack makes it no larger.
    #[test]
    fn slack_only_forgives(
        one in prop::collection::vec(0..1u64 << 20, 1..50),
        two in prop::collection::vec(0..1u64 << 20, 1..50),
        slack in 0..1u64 << 20,
    ) {
        let (one, two) = (distribution(&one), distribution(&two));
        let exact = one.distance(&two).unwrap();
        let none = one.distance_within(&two, |_| 0).unwrap();
        prop_assert!((none - exact).abs() < 1e-12, "{none} for {exact}");
        let within = one.distance_within(&two, |_| slack).unwrap();
        prop_assert!((0.0..=none).contains(&within), "{within} of {none}");
        prop_assert_eq!(within, two.distance_within(&one, |_| slack).unwrap());
    }

    /// Law: values that are all a little larger are as far apart as nothing.
    #[test]
    fn a_little_more_of_each_is_nothing(values in prop::collection::vec(0..1u64 << 30, 1..50), more in 0..12u64) {
        let larger: Vec<u64> = values.iter().map(|value| value + more).collect();
        prop_assert_eq!(distribution(&values).distance_within(&distribution(&larger), |value| 16 + value / 32), Some(0.0));
    }

    /// Law: what is written is read back, but for the mean's last digits.
    #[test]
    fn written_is_read_back(values in prop::collection::vec(0..1u64 << 40, 0..50)) {
        let dist = distribution(&values);
        let back: Dist = serde_json::from_str(&serde_json::to_string(&dist).unwrap()).unwrap();
        prop_assert_eq!(&back.counts, &dist.counts);
        prop_assert_eq!((back.count, back.min(), back.max()), (dist.count, dist.min(), dist.max()));
    }
}

#[test]
fn distances_of_known_samples() {
    assert_eq!(distribution(&[1, 2, 3, 4]).distance(&distribution(&[1, 2, 3, 4])), Some(0.0));
    assert_eq!(distribution(&[1, 1]).distance(&distribution(&[9, 9])), Some(1.0));
    assert_eq!(distribution(&[1, 2]).distance(&distribution(&[2, 3])), Some(0.5));
    assert_eq!(distribution(&[]).distance(&distribution(&[2, 3])), None);
}
