use proptest::prelude::*;

use super::*;

proptest! {
    /// Law: a straight line is its own smoother, wherever its points stand.
    #[test]
    fn lines_stay(
        places in prop::collection::vec(0.0..100.0_f64, 5..40),
        slope in -5.0..5.0_f64,
        intercept in -50.0..50.0_f64,
        span in 0.3..1.0_f64,
    ) {
        let points: Vec<_> = places.iter().map(|x| (*x, intercept + slope * x)).collect();
        let middle = places.iter().sum::<f64>() / places.len() as f64;
        for (x, y) in loess(&points, span, &[middle]) {
            prop_assert!((y - intercept - slope * x).abs() < 1e-3, "{y} at {x}");
        }
    }

    /// Law: between the least and the largest place it never leaves the numbers, replicates or not.
    #[test]
    fn numbers_stay_numbers(points in prop::collection::vec((1..12_u8, 0.0..1e9_f64), 0..60)) {
        let points: Vec<_> = points.iter().map(|(x, y)| (f64::from(*x), *y)).collect();
        let at: Vec<_> = (0..=20).map(|index| 1.0 + f64::from(index) / 2.0).collect();
        prop_assert!(loess(&points, 0.75, &at).iter().all(|(_, y)| y.is_finite()));
    }
}

/// Weights by hand: at 2 with all five points the reach is 2 (just beyond), so the ends weigh nothing.
#[test]
fn weights_are_tricube() {
    let points = [(0.0, 9.0), (1.0, 1.0), (2.0, 4.0), (3.0, 1.0), (4.0, 9.0)];
    let weight = (1.0 - 0.125_f64).powi(3);
    let want = (4.0 + 2.0 * weight) / (1.0 + 2.0 * weight);
    let got = loess(&points, 1.0, &[2.0])[0].1;
    assert!((got - want).abs() < 1e-4, "{got} is not {want}");
}

#[test]
fn few_places_have_no_smoother() {
    let points = [(1.0, 1.0), (1.0, 2.0), (2.0, 3.0), (3.0, 3.0)];
    assert!(loess(&points, 0.75, &[2.0]).is_empty());
}
