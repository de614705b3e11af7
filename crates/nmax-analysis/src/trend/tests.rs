use proptest::prelude::*;

use super::*;
use crate::tests::simulate::Random;

/// A line with AR(1) noise of standard deviation 1.
fn noisy_line(seed: u64, n: usize, correlation: f64, slope: f64) -> Vec<(f64, f64)> {
    let noise = Random::new(seed).ar1(n, correlation);
    let point = |(t, noise): (usize, f64)| (t as f64, 3.0 + slope * t as f64 + noise);
    noise.into_iter().enumerate().map(point).collect()
}

/// Of 400 intervals at 95 %, 93 to 97 % contain the slope, at every correlation.
#[test]
fn intervals_cover_the_slope() {
    for (n, correlation) in [(600, 0.5), (1_440, 0.8), (60, 0.0)] {
        let slope = 0.01;
        let covers = |seed: &u64| {
            let found = trend(&noisy_line(*seed, n, correlation, slope), Block::Median).unwrap();
            found.low <= slope && slope <= found.high
        };
        let covered = (0..400).filter(covers).count();
        assert!((372..=388).contains(&covered), "{n} values, correlation {correlation}: {covered}");
    }
}

proptest! {
    /// Law: an exact line has its slope, and the interval is nothing else.
    #[test]
    fn a_line_has_its_slope(n in 10..500_usize, slope in -5.0..5.0_f64, level in -1e3..1e3_f64) {
        let line: Vec<_> = (0..n).map(|t| (t as f64, level + slope * t as f64)).collect();
        for block in [Block::Median, Block::Mean] {
            let found = trend(&line, block).unwrap();
            for value in [found.slope, found.low, found.high] {
                prop_assert!((value - slope).abs() < 1e-9 * (1.0 + level.abs()), "{found:?}");
            }
        }
    }

    /// Law: the slope does not depend on the origin, scales with units, and turns with the sign.
    #[test]
    fn a_trend_follows_its_units(seed in 0..1_000_u64, shift in -1e3..1e3_f64, scale in 0.1..10.0_f64) {
        let line = noisy_line(seed, 90, 0.3, 0.05);
        let found = trend(&line, Block::Median).unwrap();
        let changed: Vec<_> = line.iter().map(|(t, y)| (t + shift, shift - scale * y)).collect();
        let turned = trend(&changed, Block::Median).unwrap();
        let near = |a: f64, b: f64| (a - b).abs() < 1e-6 * (1.0 + a.abs());
        prop_assert!(near(turned.slope, -scale * found.slope));
        prop_assert!(near(turned.low, -scale * found.high) && near(turned.high, -scale * found.low));
    }

    /// Law: the median halves the values.
    #[test]
    fn the_median_is_in_the_middle(values in prop::collection::vec(-1e3..1e3_f64, 1..50)) {
        let middle = median(values.iter().copied()).unwrap();
        let below = values.iter().filter(|value| **value < middle).count();
        let above = values.iter().filter(|value| **value > middle).count();
        prop_assert!(2 * below <= values.len() && 2 * above <= values.len());
    }
}

#[test]
fn spikes_and_gaps_do_not_bend_a_trend() {
    let mut line = noisy_line(1, 300, 0.0, 0.1);
    line.iter_mut().step_by(23).for_each(|(_, y)| *y += 1e4);
    line.push((300.0, f64::NAN));
    let found = trend(&line, Block::Median).unwrap();
    assert!((found.slope - 0.1).abs() < 0.005, "{found:?}");
    assert_eq!(trend(&line[..9], Block::Median), None);
    assert_eq!(median([]), None);
}
