use proptest::prelude::*;

use super::*;
use crate::tests::simulate::Random;

/// Rows of response time, throughput and figure; all grow with the load, and the response time with the figure by `effect`.
fn rows(seed: u64, n: usize, effect: f64) -> Vec<[f64; 3]> {
    let mut random = Random::new(seed);
    let mut row = |place: usize| {
        let load = 10.0 + place as f64 + random.normal();
        let figure = 0.1 * load + random.normal();
        let latency = 5.0 * load + effect * figure + random.normal();
        [latency, load, figure]
    };
    (0..n).map(&mut row).collect()
}

/// Two figures that only grow with the load are not related, although their levels correlate near 1.
#[test]
fn a_common_trend_is_no_relation() {
    let chance = |seed| relation(&rows(seed, 60, 0.0)).expect("a relation").chance;
    let small = (0..100).filter(|seed| chance(*seed) <= 0.05).count();
    assert!(small <= 12, "{small} of 100 by chance at 5 %");
    let rows = rows(1, 60, 0.0);
    let of = |column: usize| rows.iter().map(|row| row[column]).collect::<Vec<f64>>();
    assert!(pearson(&of(0), &of(2)).expect("a correlation") > 0.8);
}

/// A figure that the response time follows is found, whatever the load does, and always with the same figures.
#[test]
fn a_relation_is_found() {
    for seed in 0..20 {
        let found = relation(&rows(seed, 60, 5.0)).expect("a relation");
        assert!(found.correlation > 0.5 && found.chance <= 0.01, "{found:?}");
        assert_eq!(relation(&rows(seed, 60, 5.0)), Some(found));
    }
}

/// Few stretches, and what stands still, say nothing.
#[test]
fn little_says_nothing() {
    assert_eq!(relation(&rows(1, STRETCHES_MIN - 1, 5.0)), None);
    assert_eq!(relation(&[[1.0, 2.0, 3.0]; 30]), None);
    assert_eq!(onset(&[1.0; STRETCHES_MIN - 1]), None);
    assert_eq!(onset(&[1.0; 60]), None);
}

/// The onset of a step is the step.
#[test]
fn an_onset_is_the_step() {
    for at in [20, 35, 50] {
        let mut random = Random::new(at as u64);
        let mut value = |place: usize| if place < at { 10.0 } else { 20.0 } + random.normal();
        let series: Vec<f64> = (0..60).map(&mut value).collect();
        let found = onset(&series).expect("an onset");
        assert!(found.abs_diff(at) <= 1, "{found}, not {at}");
    }
}

/// Benjamini and Hochberg by hand: of 0.01, 0.04, 0.06, 0.5 those up to the largest p ≤ 0.1·i/4.
#[test]
fn discoveries_by_hand() {
    assert_eq!(discovered(&[0.5, 0.06, 0.01, 0.04]), [false, true, true, true]);
    assert_eq!(discovered(&[0.5, 0.2, 0.03]), [false, false, true]);
    assert_eq!(discovered(&[0.9]), [false]);
    assert_eq!(discovered(&[]), [false; 0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Law: a partial correlation does not depend on units, and is one of −1 to 1.
    #[test]
    fn units_do_not_matter(seed in 0_u64..1_000, scale in 0.001..1_000.0_f64, effect in -5.0..5.0_f64) {
        let columns = |rows: &[[f64; 3]], column: usize| rows.iter().map(|row| row[column]).collect::<Vec<f64>>();
        let rows = rows(seed, 40, effect);
        let scaled: Vec<f64> = columns(&rows, 2).iter().map(|value| scale * value + 7.0).collect();
        let of = |figure: &[f64]| partial(&columns(&rows, 0), &columns(&rows, 1), figure).expect("a correlation");
        let (one, other) = (of(&columns(&rows, 2)), of(&scaled));
        prop_assert!((one - other).abs() < 1e-6 && one.abs() <= 1.0 + 1e-9, "{one}, {other}");
    }
}
