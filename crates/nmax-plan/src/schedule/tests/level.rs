use super::*;

/// The level at an instant, read off the stages.
fn level_at(stages: &[Stage], t_ns: u64) -> f64 {
    let mut start_ns = 0;
    for stage in stages {
        let length_ns = stage.length_ns.unwrap_or(u64::MAX - start_ns);
        if t_ns < start_ns + length_ns {
            return stage.from + (stage.to - stage.from) * (t_ns - start_ns) as f64 / length_ns as f64;
        }
        start_ns += length_ns;
    }
    0.0
}

proptest! {
    /// Law: the mean level is the mean of the level at many instants.
    #[test]
    fn mean_level_is_the_mean_of_the_levels(
        levels in prop::collection::vec((0.0..100.0_f64, 0.0..100.0_f64, 0..10 * S), 1..5),
        from_ns in 0..20 * S,
        length_ns in S / 10..20 * S,
    ) {
        let stages: Vec<Stage> = levels.into_iter().map(|(from, to, ns)| stage(from, to, ns)).collect();
        let instants = 20_000;
        let at = |i: u64| from_ns + length_ns * (2 * i + 1) / (2 * instants);
        let mean = (0..instants).map(|i| level_at(&stages, at(i))).sum::<f64>() / instants as f64;
        let found = mean_level(&stages, from_ns, from_ns + length_ns);
        prop_assert!((found - mean).abs() < 0.05, "{found}, not {mean}");
    }

    /// Law: the integral over an interval is that over its two parts.
    #[test]
    fn levels_add_up(from_ns in 0..10 * S, a_ns in 1..10 * S, b_ns in 1..10 * S) {
        let stages = [stage(0.0, 40.0, 4 * S), stage(40.0, 10.0, 3 * S), forever(5.0)];
        let (middle, end) = (from_ns + a_ns, from_ns + a_ns + b_ns);
        let parts = mean_level(&stages, from_ns, middle) * a_ns as f64 + mean_level(&stages, middle, end) * b_ns as f64;
        let whole = mean_level(&stages, from_ns, end) * (end - from_ns) as f64;
        prop_assert!((parts - whole).abs() <= 1e-9 * whole);
    }
}

#[test]
fn nothing_is_planned_in_an_empty_interval_or_after_the_end() {
    assert_eq!(mean_level(&[stage(5.0, 5.0, S)], S / 2, S / 2), 0.0);
    assert_eq!(mean_level(&[stage(5.0, 5.0, S)], S, 2 * S), 0.0);
    assert_eq!(mean_level(&[forever(5.0)], u64::MAX - 10, u64::MAX), 5.0);
}
