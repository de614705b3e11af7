use super::*;
use crate::simulate::Random;

/// Noise of a p95 with a disturbance: `times` as much for `length` of every `period` values.
fn disturbed(seed: u64, n: usize, period: f64, length: f64, times: f64) -> Vec<f64> {
    let noise = Random::new(seed).ar1(n, 0.3);
    let value = |(place, noise): (usize, f64)| {
        let is_disturbed = (place as f64 + 17.0) % period < length;
        20.0 * (0.15 * noise).exp() * if is_disturbed { times } else { 1.0 }
    };
    noise.into_iter().enumerate().map(value).collect()
}

#[test]
fn disturbances_are_found_with_their_period_and_length() {
    // Period, length, factor.
    let cases = [
        (60.0, 8.0, 3.0),
        (45.5, 3.0, 2.0),
        (30.0, 15.0, 1.5),
        (100.0, 5.0, 4.0),
        (12.0, 1.0, 5.0),
    ];
    for (period, length, times) in cases {
        for seed in 0..5 {
            let found = cycle(&disturbed(seed, 900, period, length, times)).expect("a disturbance");
            assert!((found.period - period).abs() < 0.02 * period, "{period}: {found:?}");
            assert!(
                (found.length - length).abs() <= 1.5_f64.max(period / 50.0),
                "{length}: {found:?}"
            );
            let factor = found.disturbed / found.usual;
            assert!((factor / times - 1.0).abs() < 0.15, "{times}: {found:?}");
        }
    }
}

/// At most 1 in 100 is promised; of 200 series without a cycle at most 5 may show one.
#[test]
fn chance_shows_no_cycle() {
    for correlation in [0.0, 0.5, 0.8] {
        let found = |seed: &u64| {
            let noise = Random::new(*seed).ar1(300, correlation);
            cycle(&noise.iter().map(|noise| noise.exp()).collect::<Vec<_>>()).is_some()
        };
        let alarms = (0..200).filter(found).count();
        assert!(alarms <= 5, "correlation {correlation}: {alarms} of 200");
    }
}

#[test]
fn one_spike_or_nothing_at_all_is_no_cycle() {
    let mut spike = vec![5.0; 200];
    assert_eq!(cycle(&spike), None);
    spike[70] = 1e6;
    assert_eq!(cycle(&spike), None);
    assert_eq!(cycle(&[1.0; 10]), None);
}

/// Oracle: the power at a frequency is the square of the Fourier sum.
#[test]
fn powers_are_those_of_the_fourier_sum() {
    let values = Random::new(3).ar1(101, 0.2);
    for cycles in [1.0, 4.5, 13.0, 50.0] {
        let angle = |t: usize| std::f64::consts::TAU * cycles * t as f64 / 101.0;
        let re: f64 = values.iter().enumerate().map(|(t, x)| x * angle(t).cos()).sum();
        let im: f64 = values.iter().enumerate().map(|(t, x)| x * angle(t).sin()).sum();
        assert!((power(&values, cycles) - re * re - im * im).abs() < 1e-6);
    }
}
