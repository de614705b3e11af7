use proptest::prelude::*;

use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Oracle: quantiles of pooled stretches are those of all their times, sorted by hand, within a cell.
    #[test]
    fn pooled_quantiles_are_those_of_all_times(
        parts in prop::collection::vec(prop::collection::vec(0.01..1e5_f64, 1..60), 1..6),
        q in 0.01..1.0_f64,
        failed in 0..3_u64,
    ) {
        let spreads: Vec<Spread> = parts.iter().map(|part| Spread::from_times(part, failed)).collect();
        let pool = Pool::from_spreads(spreads.iter());
        let mut all: Vec<f64> = parts.concat();
        all.sort_unstable_by(f64::total_cmp);
        let want = all[((q * all.len() as f64 - 1e-9).ceil() as usize).max(1) - 1];
        let found = pool.quantile_ms(q).expect("there are times");
        prop_assert!((found / want - 1.0).abs() <= 1.01 * STEP, "{found}, not {want}");
        prop_assert_eq!(pool.exchanges(), all.len() as f64);
        let lost: u64 = parts.iter().map(|part| failed.min(part.len() as u64)).sum();
        prop_assert!((pool.failure_rate().expect("a rate") - lost as f64 / all.len() as f64).abs() < 1e-12);
    }
}

#[test]
fn nothing_has_no_quantile() {
    let pool = Pool::from_spreads([Spread::default()].iter());
    assert_eq!((pool.quantile_ms(0.5), pool.failure_rate()), (None, None));
    assert!(Spread::default().is_empty() && !Spread::from_times(&[1.0], 0).is_empty());
}
