use nmax_plan::choice::Stream;

use super::*;

fn finish(arrivals_s: impl IntoIterator<Item = f64>) -> Vec<Dispersion> {
    let mut burstiness = Burstiness::default();
    for at in arrivals_s {
        burstiness.add((at * 1e6).floor() as i64);
    }
    burstiness.finish()
}

fn poisson(rate_per_s: impl Fn(f64) -> f64, most_per_s: f64, length_s: f64, seed: u64) -> Vec<f64> {
    let mut random = Stream::new(seed);
    let mut at = 0.0;
    let mut arrivals = Vec::new();
    while at < length_s {
        at += -(1.0 - random.unit()).ln() / most_per_s;
        if random.unit() * most_per_s < rate_per_s(at) {
            arrivals.push(at);
        }
    }
    arrivals
}

/// Law: Poisson arrivals have index 1 within its stated error, with or without a season.
#[test]
fn poisson_arrivals_have_index_one() {
    let day = |at: f64| 5.0 + 4.0 * (at / 43_200.0 * std::f64::consts::TAU).sin();
    let mut outside = 0;
    for seed in 0..20 {
        let mut all = finish(poisson(day, 9.0, 7_200.0, seed));
        all.extend(finish(poisson(|_| 0.3, 0.3, 20_000.0, seed + 100)));
        assert_eq!(all.len(), 6);
        for found in all {
            let z = (found.index - 1.0) / found.error;
            assert!(z.abs() < 4.5, "{found:?}");
            outside += usize::from(z.abs() > 2.0);
        }
    }
    assert!(outside <= 16, "{outside} of 120 beyond two standard errors");
}

#[test]
fn bursts_have_more_and_clockwork_less() {
    let bursts = poisson(|_| 1.0, 1.0, 5_000.0, 7);
    let bursts = bursts.iter().flat_map(|at| std::iter::repeat_n(*at, 10));
    let found = finish(bursts);
    assert!(found.iter().all(|at| at.index > 7.0), "{found:?}");
    let clockwork = finish((0..20_000).map(|n| f64::from(n) * 0.25));
    assert!(clockwork.iter().all(|at| at.index < 0.01), "{clockwork:?}");
}

#[test]
fn most_of_a_second() {
    let mut burstiness = Burstiness::default();
    [1, 1, 1, 2, 2, 5].into_iter().for_each(|second| burstiness.add(second * 1_000_000));
    assert_eq!(burstiness.second_max(), 3);
}

/// Law: the same arrivals at another time have the same indices.
#[test]
fn windows_begin_with_the_first_arrival() {
    let arrivals = poisson(|_| 5.0, 5.0, 600.0, 3);
    let moved: Vec<f64> = arrivals.iter().map(|at| at + 1_234_567.890_123).collect();
    let indices = |arrivals: &[f64]| -> Vec<f64> {
        let first = arrivals[0];
        // Micros without the rounding of large numbers.
        let found = finish(arrivals.iter().map(|at| ((at - first) * 1e6).round() / 1e6 + first));
        found.iter().map(|at| at.index).collect()
    };
    for (one, other) in indices(&arrivals).into_iter().zip(indices(&moved)) {
        assert!((one - other).abs() <= 0.02 * one, "{one} and {other}");
    }
}
