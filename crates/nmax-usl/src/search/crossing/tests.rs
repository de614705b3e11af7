use proptest::prelude::*;

use super::crossing;
use crate::random::Random;

proptest! {
    /// Law: without noise a straight line and a rising parabola cross where they do, and the interval has no width.
    #[test]
    fn a_known_crossing_is_found(at in -2.0..8.0_f64, slope in 0.2..20.0_f64, bend in -0.2..0.2_f64) {
        let places = [-0.3, -0.2, -0.1, 0.05, 0.1, 0.2, 0.3];
        let line: Vec<(f64, f64)> = places.iter().take(4).map(|d| (at + d, slope * d)).collect();
        let parabola: Vec<(f64, f64)> = places.iter().map(|d| (at + d, slope * (d + bend * d * d))).collect();
        for points in [&line[..3], &parabola[..]] {
            let found = crossing(points).expect("it crosses");
            prop_assert!((found.at - at).abs() < 1e-4, "{found:?}");
            prop_assert!(found.low.expect("closed") <= at + 1e-3 && found.high.expect("closed") >= at - 1e-3);
            prop_assert!(found.high.expect("closed") - found.low.expect("closed") < 2e-3, "{found:?}");
        }
    }

    /// Law: never a panic, and ends around the crossing.
    #[test]
    fn any_points(points in prop::collection::vec((-3.0..3.0_f64, -2.0..2.0_f64), 0..12)) {
        if let Some(found) = crossing(&points) {
            prop_assert!(found.at.is_finite());
            prop_assert!(found.low.is_none_or(|low| low <= found.at) && found.high.is_none_or(|high| high >= found.at));
        }
    }
}

/// The interval of nominal 95 % holds the crossing of a line in 93 to 97 % of 4,000 data sets, also where the slope is
/// as uncertain as the place.
#[test]
fn interval_of_a_line_covers() {
    for (slope, sd) in [(1.0, 0.05), (5.0, 0.1), (1.0, 0.2)] {
        let mut random = Random::new(5);
        let mut held = 0;
        let sets = 4000;
        for _ in 0..sets {
            let points: Vec<(f64, f64)> = [-0.2, -0.2, -0.2, 0.0, 0.0, 0.0, 0.25, 0.25, 0.25]
                .iter()
                .map(|&d| (d, slope * (d - 0.05) + sd * random.normal()))
                .collect();
            let found = crossing(&points);
            let holds = |found: super::Crossing| {
                found.low.is_none_or(|low| low <= 0.05) && found.high.is_none_or(|high| high >= 0.05)
            };
            held += usize::from(found.is_none_or(holds));
        }
        let share = held as f64 / f64::from(sets);
        assert!((0.93..=0.97).contains(&share), "slope {slope}, noise {sd}: {share}");
    }
}

#[test]
fn too_little_to_cross() {
    assert_eq!(crossing(&[]), None);
    assert_eq!(crossing(&[(1.0, -0.2), (1.0, 0.2)]), None, "one place");
    assert_eq!(crossing(&[(1.0, 0.3), (1.2, 0.1)]), None, "it falls");
    assert_eq!(crossing(&[(1.0, -9.0), (1.2, -8.9)]), None, "out of reach");
    let two = crossing(&[(1.0, -0.1), (1.2, 0.1)]).expect("it crosses");
    assert!((two.at - 1.1).abs() < 1e-4 && two.low.is_none() && two.high.is_none(), "no degrees of freedom: {two:?}");
}
