use std::num::NonZeroU64;

use proptest::prelude::*;

use super::*;

/// Draws for statistics: the iterations of one VU, so that neighbouring addresses are what is tested.
fn draws(count: u64) -> impl Iterator<Item = Choice> {
    (0..count).map(|iteration| Choice::new(7, 3, iteration, 1))
}

/// Sum of (observed − expected)² / expected.
fn chi_square(observed: &[u64], expected: impl Fn(usize) -> f64) -> f64 {
    let term = |(cell, &seen): (usize, &u64)| (seen as f64 - expected(cell)).powi(2) / expected(cell);
    observed.iter().enumerate().map(term).sum()
}

/// A bound that a right generator exceeds once in a million seeds: mean plus about five deviations.
fn chi_square_limit(degrees: f64) -> f64 {
    degrees + 5.5 * (2.0 * degrees).sqrt() + 12.0
}

proptest! {
    /// Law: the value depends on the address alone, and on every part of it.
    #[test]
    fn address_decides(seed: u64, vu: u64, iteration: u64, step: u64, draw: u64, other in 1_u64..) {
        let value = Choice::new(seed, vu, iteration, step).u64(draw);
        prop_assert_eq!(value, Choice::new(seed, vu, iteration, step).u64(draw));
        prop_assert_ne!(value, Choice::new(seed ^ other, vu, iteration, step).u64(draw));
        prop_assert_ne!(value, Choice::new(seed, vu ^ other, iteration, step).u64(draw));
        prop_assert_ne!(value, Choice::new(seed, vu, iteration ^ other, step).u64(draw));
        prop_assert_ne!(value, Choice::new(seed, vu, iteration, step ^ other).u64(draw));
        prop_assert_ne!(value, Choice::new(seed, vu, iteration, step).u64(draw ^ other));
    }

    /// Law: every distribution stays in its range for every parameter.
    #[test]
    fn values_stay_in_range(seed: u64, n in 1_u64.., exponent in 0.0..50.0_f64) {
        let choice = Choice::new(seed, 0, 0, 0);
        let n = NonZeroU64::new(n).unwrap();
        prop_assert!((0.0..1.0).contains(&choice.unit(0)));
        prop_assert!(choice.below(1, n) < n.get());
        prop_assert!((1..=n.get()).contains(&choice.zipf(2, n, exponent)));
        prop_assert!(choice.exponential(3, 2.0) >= 0.0);
        prop_assert!(choice.normal(4).is_finite());
        prop_assert!(choice.lognormal(5, 3.0, 9.0) > 0.0);
        prop_assert_eq!(choice.lognormal(5, 3.0, 3.0), 3.0);
    }
}

/// Checks that pairs fill the cells of a 16 × 16 table evenly.
#[track_caller]
fn check_pairs(name: &str, pair: impl Fn(u64) -> (f64, f64)) {
    let mut cells = vec![0; 256];
    for i in 0..25_600 {
        let (x, y) = pair(i);
        cells[(x * 16.0) as usize * 16 + (y * 16.0) as usize] += 1;
    }
    let statistic = chi_square(&cells, |_| 100.0);
    assert!(statistic < chi_square_limit(255.0), "{name}: {statistic}");
}

#[test]
fn neighbours_are_independent() {
    let unit = |vu, iteration, draw| Choice::new(1, vu, iteration, 3).unit(draw);
    check_pairs("iterations", |i| (unit(2, i, 0), unit(2, i + 1, 0)));
    check_pairs("VUs", |i| (unit(i, 2, 0), unit(i + 1, 2, 0)));
    check_pairs("draws", |i| (unit(2, 2, i), unit(2, 2, i + 1)));
}

#[test]
fn below_is_uniform() {
    // 3·2⁶² rejects a quarter of the words: an unbiased draw still fills thirds evenly.
    for n in [6, 10, 3 << 62] {
        let cells_count = if n < 100 { n } else { 6 };
        let mut cells = vec![0; cells_count as usize];
        for choice in draws(30_000) {
            let value = choice.below(0, NonZeroU64::new(n).unwrap());
            cells[(u128::from(value) * u128::from(cells_count) / u128::from(n)) as usize] += 1;
        }
        let statistic = chi_square(&cells, |_| 30_000.0 / cells_count as f64);
        assert!(statistic < chi_square_limit(cells_count as f64 - 1.0), "below {n}: {statistic}");
    }
}

/// Checks the shares of draws below given values against closed forms; tolerance five standard errors.
#[track_caller]
fn check_quantiles(name: &str, draw: impl Fn(Choice) -> f64, quantiles: &[(f64, f64)]) {
    let count = 40_000;
    for &(q, value) in quantiles {
        let below = draws(count).filter(|&choice| draw(choice) < value).count() as f64 / count as f64;
        let tolerance = 5.0 * (q * (1.0 - q) / count as f64).sqrt();
        assert!((below - q).abs() < tolerance, "{name}: {below} of the draws are below {value}, not {q}");
    }
}

#[test]
fn distributions_have_their_quantiles() {
    check_quantiles("uniform", |choice| choice.unit(0), &[(0.1, 0.1), (0.5, 0.5), (0.95, 0.95)]);
    check_quantiles(
        "normal",
        |choice| choice.normal(0),
        &[(0.158_655, -1.0), (0.5, 0.0), (0.95, 1.644_854), (0.99, 2.326_348)],
    );
    check_quantiles("lognormal", |choice| choice.lognormal(0, 3.0, 9.0), &[(0.5, 3.0), (0.95, 9.0)]);
    let exponential = [(0.5, 4.0 * 2.0_f64.ln()), (0.95, 4.0 * 20.0_f64.ln())];
    check_quantiles("exponential", |choice| choice.exponential(0, 4.0), &exponential);
}

#[test]
fn distributions_have_their_means() {
    let count = 40_000;
    let mean = |draw: &dyn Fn(Choice) -> f64| draws(count).map(draw).sum::<f64>() / count as f64;
    let close =
        |value: f64, expected: f64, deviation: f64| (value - expected).abs() < 5.0 * deviation / (count as f64).sqrt();
    assert!(close(mean(&|choice| choice.unit(0)), 0.5, 12.0_f64.sqrt().recip()));
    assert!(close(mean(&|choice| choice.normal(0)), 0.0, 1.0));
    assert!(close(mean(&|choice| choice.normal(0).powi(2)), 1.0, 2.0_f64.sqrt()));
    assert!(close(mean(&|choice| choice.exponential(0, 4.0)), 4.0, 4.0));
}

#[test]
fn beta_has_its_moments() {
    for (a, b) in [(1.0, 1.0), (2.0, 5.0), (40.0, 33.0)] {
        let count = 20_000;
        let values: Vec<f64> = (0..count).map(|key| Stream::new(mix64(key)).beta(a, b)).collect();
        let mean = values.iter().sum::<f64>() / count as f64;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count as f64;
        let sum: f64 = a + b;
        let expected = a * b / (sum * sum * (sum + 1.0));
        assert!((mean - a / sum).abs() < 5.0 * (expected / count as f64).sqrt(), "mean {mean} of ({a}, {b})");
        assert!((variance / expected - 1.0).abs() < 0.1, "variance {variance} of ({a}, {b})");
    }
}

#[test]
fn zipf_follows_its_probabilities() {
    for (n, exponent) in [(1_u64, 1.0), (10, 0.0), (10, 0.5), (20, 1.0), (20, 1.1), (8, 2.5)] {
        let weight = |rank: u64| (rank as f64).powf(-exponent);
        let total: f64 = (1..=n).map(weight).sum();
        let mut cells = vec![0; n as usize];
        for choice in draws(30_000) {
            cells[choice.zipf(0, NonZeroU64::new(n).unwrap(), exponent) as usize - 1] += 1;
        }
        let statistic = chi_square(&cells, |cell| 30_000.0 * weight(cell as u64 + 1) / total);
        assert!(statistic < chi_square_limit(n as f64 - 1.0), "zipf({n}, {exponent}): {statistic}");
    }
}
