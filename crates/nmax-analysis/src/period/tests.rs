use super::*;
use crate::tests::simulate::Random;

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
    let cases = [(60.0, 8.0, 3.0), (45.5, 3.0, 2.0), (30.0, 15.0, 1.5), (100.0, 5.0, 4.0), (12.0, 1.0, 5.0)];
    for (period, length, times) in cases {
        for seed in 0..5 {
            let found = cycle(&disturbed(seed, 900, period, length, times)).expect("a disturbance");
            assert!((found.period - period).abs() < 0.02 * period, "{period}: {found:?}");
            assert!((found.length - length).abs() <= 1.5_f64.max(period / 50.0), "{length}: {found:?}");
            let factor = found.disturbed / found.usual;
            assert!((factor / times - 1.0).abs() < 0.15, "{times}: {found:?}");
        }
    }
}

/// Law: pulses of one value every 10 to 60, each up to one value early or late, are found from six cycles on.
#[test]
fn pulses_of_one_value_are_found_with_their_period() {
    for (period, cycles, times) in [(10.0, 6.0, 3.0), (20.0, 6.0, 10.0), (30.0, 7.0, 38.0), (60.0, 6.0, 4.0)] {
        let is_found = |seed: &u64| {
            let mut values = disturbed(*seed, (period * cycles) as usize, 1e9, 0.0, 1.0);
            let mut random = Random::new(1_000 + seed);
            let first = 1.0 + random.uniform() * (period - 3.0);
            for number in 0..cycles as usize {
                let late = (3.0 * random.uniform()).ceil() - 2.0;
                values[(first + number as f64 * period + late) as usize] *= times;
            }
            cycle(&values).is_some_and(|found| {
                let factor = found.disturbed / found.usual;
                (found.period / period - 1.0).abs() < 0.06 && found.length == 1.0 && (factor / times - 1.0).abs() < 0.3
            })
        };
        let hits = (0..200).filter(is_found).count();
        assert!(hits >= 190, "every {period}, {cycles} cycles: {hits} of 200");
    }
}

/// Law: spikes that come at random, on correlated noise, are no cycle.
#[test]
fn spikes_at_random_are_no_cycle() {
    for (n, share) in [(60, 0.1), (210, 0.03), (300, 0.05)] {
        let is_found = |seed: &u64| {
            let mut values = disturbed(*seed, n, 1e9, 0.0, 1.0);
            let mut random = Random::new(2_000 + seed);
            values.iter_mut().filter(|_| random.uniform() < share).for_each(|value| *value *= 10.0);
            cycle(&values).is_some()
        };
        let alarms = (0..200).filter(is_found).count();
        assert!(alarms <= 5, "{share} of {n}: {alarms} of 200");
    }
}

/// Oracle: how often pulses at random cover as many cycles, by simulation.
#[test]
fn the_chance_to_cover_cycles_is_that_of_pulses_at_random() {
    let fold = pulses::Fold { period: 20.0, middle: 2.0, window: 3.5, cycles: 10, covered: 4 };
    let mut random = Random::new(9);
    let mut covers = || {
        let mut covered = [false; 9];
        (0..11).for_each(|_| {
            let place = random.uniform() * 200.0 / 4.0;
            if place < 9.0 {
                covered[place as usize] = true;
            }
        });
        covered.iter().filter(|is| **is).count() >= 3
    };
    let simulated = (0..20_000).filter(|_| covers()).count() as f64 / 20_000.0;
    let told = pulses::chance(&fold, 12, 200.0);
    assert!((told - simulated).abs() < 0.015, "{told}, not {simulated}");
}

/// At most 3 in 200 are promised; of 200 series without a cycle at most 5 may show one.
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
