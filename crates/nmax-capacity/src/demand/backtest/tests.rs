use jiff::civil::date;
use nmax_usl::random::Random;

use super::*;
use crate::tests::close;

/// Oracle 12 of the reference.
#[test]
fn scaled_errors_as_published() {
    let training = [100.0, 120.0, 80.0, 110.0, 130.0, 88.0];
    let pairs = || training.iter().copied().zip(training.iter().copied().skip(3));
    close(pairs().map(|(a, b): (f64, f64)| (a - b).abs()).sum::<f64>() / 3.0, 9.333_333);
    close(mase(&[(121.0, 118.0), (140.0, 143.0), (97.0, 95.0)], pairs()).unwrap(), 0.285_714_3);
    close(mase(&[(121.0, 110.0), (140.0, 130.0), (97.0, 88.0)], pairs()).unwrap(), 1.071_429);
    assert_eq!(mase(&[(1.0, 2.0)], [(5.0, 5.0)].into_iter()), None, "nothing changed, so there is no scale");
}

fn series(weeks: usize, value: impl Fn(usize, &mut Random) -> f64) -> Series {
    let mut random = Random::new(4);
    let values = (0..7 * weeks).map(|at| Some(value(at, &mut random))).collect();
    Series { start: date(2026, 1, 5), values, ..Series::default() }
}

#[test]
fn growth_beats_the_last_week_and_a_jump_does_not() {
    let grows = series(40, |at, random| 1000.0 * (0.002 * at as f64).exp() * random.lognormal(0.05));
    let test = backtest(&grows, &[], 8.0).unwrap();
    assert!(test.choice() == Method::Model && test.mase < 0.9 && test.naive_mase > test.mase, "{test:?}");
    assert!((0.85..=1.0).contains(&test.coverage), "{test:?}");
    assert!(test.origins.len() >= 8 && test.origins.iter().all(|origin| origin.points == 56), "{test:?}");

    let jumps = series(40, |at, random| if at < 180 { 1000.0 } else { 300.0 } * random.lognormal(0.05));
    let test = backtest(&jumps, &[], 8.0).unwrap();
    assert!(test.mase >= 1.0, "{test:?}");
}

#[test]
fn a_short_series_is_tested_less_far_or_not() {
    let month = series(12, |at, random| 1000.0 + at as f64 + random.normal());
    assert_eq!(backtest(&month, &[], 26.0).unwrap().weeks, 3.0);
    let error = backtest(&series(2, |_, _| 1.0), &[], 26.0).unwrap_err();
    assert_eq!(error, "a series of 2.0 weeks is too short to hold weeks out");
}

#[test]
fn growth_that_wears_off_is_the_challengers() {
    let levels =
        series(40, |at, random| 1000.0 * (1.0 - 0.5_f64.powf(at as f64 / 40.0)).exp() * random.lognormal(0.02));
    assert_eq!(backtest(&levels, &[], 8.0).unwrap().choice(), Method::Damped);
}
