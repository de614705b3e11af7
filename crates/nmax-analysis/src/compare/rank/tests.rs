use proptest::prelude::*;

use super::*;
use crate::tests::simulate::Random;

/// Every way to choose `n` of `all` places, as bit masks.
fn choices(all: usize, n: usize) -> impl Iterator<Item = u32> {
    (0..1_u32 << all).filter(move |mask| mask.count_ones() as usize == n)
}

/// Oracle: U over every choice of who is `before`, counted pair by pair.
fn by_hand(before: &[f64], after: &[f64]) -> f64 {
    let all: Vec<f64> = before.iter().chain(after).copied().collect();
    let u = |mask: u32| -> f64 {
        let of = |chosen: bool| (0..all.len()).filter(move |place| (mask >> place & 1 == 1) == chosen);
        let wins = of(true).flat_map(|x| of(false).map(move |y| (x, y)));
        wins.map(|(x, y)| if all[y] > all[x] { 1.0 } else { f64::from(u8::from(all[y] == all[x])) / 2.0 }).sum()
    };
    let middle = (before.len() * after.len()) as f64 / 2.0;
    let own = (u((1 << before.len()) - 1) - middle).abs();
    let all_choices: Vec<u32> = choices(all.len(), before.len()).collect();
    let far = all_choices.iter().filter(|mask| (u(**mask) - middle).abs() >= own - 1e-9).count();
    far as f64 / all_choices.len() as f64
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]
    /// Oracle: enumeration of every choice, with ties.
    #[test]
    fn probabilities_are_those_of_enumeration(
        before in prop::collection::vec(0..6_i32, 1..6), after in prop::collection::vec(0..6_i32, 1..6),
    ) {
        let float = |values: &[i32]| values.iter().map(|value| f64::from(*value)).collect::<Vec<_>>();
        let (before, after) = (float(&before), float(&after));
        let found = shift(&before, &after, 0.95).unwrap();
        let want = by_hand(&before, &after);
        prop_assert!((found.p - want).abs() < 1e-9, "{before:?} {after:?}: {} and not {want}", found.p);
    }

    /// Laws: the shift of moved values moves with them, the other direction has the other sign, the interval holds
    /// the estimate.
    #[test]
    fn shifts_move_and_turn(
        before in prop::collection::vec(-5.0..5.0_f64, 2..12), after in prop::collection::vec(-5.0..5.0_f64, 2..12),
        by in -3.0..3.0_f64,
    ) {
        let found = shift(&before, &after, 0.9).unwrap();
        let moved: Vec<f64> = after.iter().map(|value| value + by).collect();
        let further = shift(&before, &moved, 0.9).unwrap();
        let back = shift(&after, &before, 0.9).unwrap();
        prop_assert!((further.estimate - found.estimate - by).abs() < 1e-9);
        prop_assert!((back.estimate + found.estimate).abs() < 1e-9 && (back.p - found.p).abs() < 1e-9);
        prop_assert!(found.low <= found.estimate && found.estimate <= found.high);
    }

    /// The test and the interval are one thing: values shifted by more than an end of it are told apart.
    #[test]
    fn test_and_interval_agree(seed in any::<u64>(), n in 4..9_usize, m in 4..9_usize) {
        let mut random = Random::new(seed);
        let mut draw = |n: usize| (0..n).map(|_| random.normal()).collect::<Vec<_>>();
        let (before, after) = (draw(n), draw(m));
        let found = shift(&before, &after, 0.95).unwrap();
        for (by, is_apart) in [(found.low - 1e-6, true), (found.high + 1e-6, true), (found.low + 1e-6, false)] {
            let moved: Vec<f64> = before.iter().map(|value| value + by).collect();
            let p = shift(&moved, &after, 0.95).unwrap().p;
            prop_assert_eq!(p <= 0.05, is_apart, "shift {}: p = {}", by, p);
        }
    }
}

/// Coverage of the interval in samples of known shift: at least what it says.
#[test]
fn intervals_cover() {
    for (n, m) in [(5, 5), (10, 10), (30, 30)] {
        let mut random = Random::new(7);
        let trials = 400;
        let hits = (0..trials).filter(|_| {
            let before: Vec<f64> = (0..n).map(|_| random.exponential()).collect();
            let after: Vec<f64> = (0..m).map(|_| 0.7 + random.exponential()).collect();
            let found = shift(&before, &after, 0.95).unwrap();
            (found.low..=found.high).contains(&0.7)
        });
        let share = hits.count() as f64 / f64::from(trials);
        assert!(share >= 0.93, "{n} and {m}: {share}");
    }
}

/// The normal form continues the exact law: at 25 and 25 both say nearly the same.
#[test]
fn the_normal_form_continues_the_exact_one() {
    let mut random = Random::new(3);
    let before: Vec<f64> = (0..25).map(|_| random.normal()).collect();
    let after: Vec<f64> = (0..25).map(|_| 0.6 + random.normal()).collect();
    let exact = shift(&before, &after, 0.95).unwrap();
    let (before, after) = ([&before[..], &[-9.0]].concat(), [&after[..], &[-9.0]].concat());
    let normal = shift(&before, &after, 0.95).unwrap();
    assert!((exact.p.ln() - normal.p.ln()).abs() < 0.35, "{} and {}", exact.p, normal.p);
    assert!((exact.low - normal.low).abs() < 0.1, "{exact:?} {normal:?}");
}

#[test]
fn few_values_have_no_interval() {
    let found = shift(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0], 0.95).unwrap();
    assert_eq!((found.estimate, found.low, found.high), (3.0, f64::NEG_INFINITY, f64::INFINITY));
    assert!((found.p - 0.1).abs() < 1e-12 && (least_probability(3, 3) - 0.1).abs() < 1e-12);
    assert!((least_probability(10, 10) - 2.0 / 184_756.0).abs() < 1e-12);
    assert_eq!(shift(&[], &[1.0], 0.95), None);
    assert_eq!(shift(&[f64::NAN], &[1.0], 0.95), None);
}
