use proptest::prelude::*;

use super::*;

/// Small deterministic generator (splitmix64), uniform in (0, 1).
struct Uniform(u64);

impl Uniform {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((z ^ (z >> 31)) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }
}

/// Interval of the quantile `q` of independent values, ns.
fn quantile_interval(histogram: &Histogram, q: f64, confidence: f64) -> Option<(u64, u64)> {
    let (low, high) = quantile_ranks(histogram.count(), q, confidence)?;
    Some((histogram.value_at_rank_ns(low)?, histogram.value_at_rank_ns(high)?))
}

fn recorded(values: impl IntoIterator<Item = u64>) -> Histogram {
    let mut histogram = Histogram::new();
    values.into_iter().for_each(|value| histogram.record(value));
    histogram
}

/// P(B ≤ k) for B ~ Bin(n, q), by Pascal's recurrence over n: no factorials, no ratios.
fn distribution(n: usize, q: f64) -> Vec<f64> {
    let mut law = vec![1.0];
    for _ in 0..n {
        let mut next = vec![0.0; law.len() + 1];
        for (k, probability) in law.iter().enumerate() {
            next[k] += probability * (1.0 - q);
            next[k + 1] += probability * q;
        }
        law = next;
    }
    law.iter()
        .scan(0.0, |sum, probability| {
            *sum += probability;
            Some(*sum)
        })
        .collect()
}

/// The published table of the fewest values for a finite two-sided 95 % interval, and (1 − 0.90) for one-sided.
#[test]
fn fewest_samples_match_the_table() {
    let cases =
        [(0.5, 6, 5), (0.9, 36, 29), (0.95, 72, 59), (0.99, 368, 299), (0.999, 3_688, 2_995), (0.9999, 36_887, 29_956)];
    for (q, two_sided, one_sided) in cases {
        assert_eq!(samples_needed(q, 0.95), Some(two_sided), "two-sided, q = {q}");
        assert!(quantile_ranks(two_sided, q, 0.95).is_some(), "q = {q}");
        assert_eq!(quantile_ranks(two_sided - 1, q, 0.95), None, "q = {q}");
        // q = 0.5 is symmetric, so a 90 % two-sided interval needs what a one-sided 95 % interval does; so do
        // all the others, where only the rarer tail binds.
        assert_eq!(samples_needed(q, 0.90), Some(one_sided), "one-sided, q = {q}");
    }
}

#[test]
fn wrong_arguments_give_no_interval() {
    for (n, q, confidence) in [(0, 0.5, 0.95), (100, 0.0, 0.95), (100, 1.0, 0.95), (100, 0.5, 0.0), (100, 0.5, 1.0)] {
        assert_eq!(quantile_ranks(n, q, confidence), None, "{n} {q} {confidence}");
    }
    for bad in [f64::NAN, -0.5, 1.5, f64::INFINITY] {
        assert_eq!(quantile_ranks(100, bad, 0.95), None);
        assert_eq!(quantile_ranks(100, 0.5, bad), None);
        assert_eq!(samples_needed(bad, 0.95), None);
    }
    assert_eq!(quantile_interval(&Histogram::new(), 0.5, 0.95), None);
}

#[test]
fn normal_quantile_matches_published_values() {
    // Abramowitz and Stegun, table 26.5, and R's qnorm.
    for (tail, z) in [
        (0.025, 1.959_963_984_540_054),
        (0.05, 1.644_853_626_951_473),
        (0.005, 2.575_829_303_548_901),
        (0.25, 0.674_489_750_196_082),
    ] {
        assert!((normal_quantile(tail) - z).abs() < 1e-9, "tail {tail}: {}", normal_quantile(tail));
    }
}

/// The change from the exact to the normal form moves no rank by more than one.
#[test]
fn normal_form_agrees_with_the_exact_one() {
    for (n, q) in [(1_000_u64, 0.5), (4_000_000, 0.5), (11_000_000, 0.9), (100_000_000, 0.99), (1_000_000_000, 0.999)] {
        let mean = n as f64 * q;
        let exact = Binomial::new(n, q).ranks(0.025);
        let normal = normal_ranks(mean, (mean * (1.0 - q)).sqrt(), 0.025);
        assert!(exact.0.abs_diff(normal.0) <= 1 && exact.1.abs_diff(normal.1) <= 1, "{n} {q}: {exact:?} {normal:?}");
    }
}

#[test]
fn huge_counts_take_the_normal_form() {
    let (low, high) = quantile_ranks(1 << 50, 0.99, 0.95).expect("plenty of values");
    let rank = ((1_u64 << 50) as f64 * 0.99) as u64;
    assert!(low < rank && rank < high);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Law: ranks are the definition's, by an independent computation of the binomial law.
    #[test]
    fn ranks_follow_the_definition(n in 1_usize..400, q in 0.01..0.99_f64, confidence in 0.5..0.99_f64) {
        let at_most = distribution(n, q);
        let below = |k: usize| if k == 0 { 0.0 } else { at_most[k - 1] };
        let tail = (1.0 - confidence) / 2.0;
        let low = (0..=n).filter(|k| below(*k) <= tail).max().unwrap();
        let high = (0..=n + 1).find(|k| 1.0 - below(*k) <= tail).unwrap();
        let want = (low >= 1 && high <= n).then_some((low as u64, high as u64));
        let got = quantile_ranks(n as u64, q, confidence);
        // On the boundary itself rounding decides; it takes part in no published table.
        let on_boundary = (0..=n).any(|k| (below(k) - tail).abs() < 1e-12 || (1.0 - below(k) - tail).abs() < 1e-12);
        prop_assert!(on_boundary || got == want, "{got:?} instead of {want:?}");
    }

    /// Law: the interval contains the point estimate, and lies between minimum and maximum.
    #[test]
    fn interval_contains_the_point_estimate(
        values in proptest::collection::vec(1_000_u64..5_000_000_000, 1..800),
        q in 0.01..0.999_f64,
        confidence in 0.5..0.999_f64,
    ) {
        let histogram = recorded(values);
        if let Some((low, high)) = quantile_interval(&histogram, q, confidence) {
            let point = histogram.quantile_ns(q).unwrap();
            prop_assert!(low <= point && point <= high, "{low} {point} {high}");
            prop_assert!(histogram.min_ns() <= Some(low) && Some(high) <= histogram.max_ns());
        }
    }

    /// Law: more confidence never narrows the interval.
    #[test]
    fn confidence_widens(n in 1_u64..100_000, q in 0.01..0.999_f64) {
        match (quantile_ranks(n, q, 0.9), quantile_ranks(n, q, 0.99)) {
            (Some(narrow), Some(wide)) => prop_assert!(wide.0 <= narrow.0 && narrow.1 <= wide.1),
            (None, wide) => prop_assert_eq!(wide, None),
            (Some(_), None) => {}
        }
    }

    /// Law: whatever the unfinished exchanges would have taken, the quantile lies between the bounds.
    #[test]
    fn bounds_enclose_every_completion(
        completed in proptest::collection::vec(1_000_u64..1_000_000_000, 0..60),
        censored in proptest::collection::vec((1_000_u64..1_000_000_000, 0_u64..2_000_000_000), 0..20),
        q in 0.0..=1.0_f64,
    ) {
        let ages = recorded(censored.iter().map(|(age, _)| *age));
        let truth = recorded(completed.iter().copied().chain(censored.iter().map(|(age, more)| age + more)));
        let bounds = quantile_bounds(&recorded(completed), &ages, q);
        prop_assert_eq!(bounds.is_none(), truth.is_empty());
        if let (Some(bounds), Some(true_ns)) = (bounds, truth.quantile_ns(q)) {
            // Every reading of a histogram is good to 0.1 %.
            prop_assert!(bounds.low_ns as f64 <= true_ns as f64 * 1.002, "{bounds:?} {true_ns}");
            prop_assert!(bounds.high_ns.is_none_or(|high_ns| high_ns as f64 >= true_ns as f64 * 0.998), "{bounds:?} {true_ns}");
            prop_assert!(bounds.high_ns.is_none_or(|high_ns| high_ns >= bounds.low_ns));
        }
    }
}

/// One exchange was cut off early: the median moves between two neighbours that lie apart.
#[test]
fn bounds_that_disagree_are_told_apart() {
    let bounds = quantile_bounds(&recorded([1_000_000, 9_000_000]), &recorded([500_000]), 0.5).unwrap();
    assert!(bounds.low_ns.abs_diff(1_000_000) <= 1_000, "{bounds:?}");
    assert_eq!(bounds.high_ns, Some(9_000_000));
}

/// Half finished at 1 ms, half cut off at 5 ms: the median is known, the 90th percentile is not.
#[test]
fn censored_ages_leave_only_a_lower_bound() {
    let completed = recorded([1_000_000; 10]);
    let censored = recorded([5_000_000; 10]);
    let at = |q| quantile_bounds(&completed, &censored, q).unwrap();
    assert!(at(0.5).low_ns.abs_diff(1_000_000) <= 1_000 && at(0.5).high_ns.unwrap().abs_diff(1_000_000) <= 1_000);
    assert_eq!(at(0.9).high_ns, None);
    assert!(at(0.9).low_ns.abs_diff(5_000_000) <= 5_000);
}

/// Nominal 95 % intervals cover the true quantile in 94 % to 98 % of simulated runs.
#[test]
fn coverage_is_as_promised() {
    let mut uniform = Uniform(7);
    for (q, n) in [(0.5, 1_000), (0.9, 1_000), (0.99, 1_500)] {
        let truth_ns = (-(1.0_f64 - q).ln() * 1e7) as u64;
        let runs = 500;
        let mut covered = 0;
        for _ in 0..runs {
            let histogram = recorded((0..n).map(|_| (-uniform.next().ln() * 1e7) as u64));
            let (low, high) = quantile_interval(&histogram, q, 0.95).expect("enough values");
            covered += u32::from(low <= truth_ns && truth_ns <= high);
        }
        assert!((470..=490).contains(&covered), "q = {q}: {covered} of {runs}");
    }
}
