//! How long fits take: `cargo run --release -p nmax-usl --example speed`
//!
//! Each line is the fastest of some rounds, in milliseconds of this core. It decides whether a fit may be made anew after
//! each level of a campaign, and whether files of many rows need another way.

#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a program that measures and prints")]

use std::hint::black_box;
use std::time::Instant;

use nmax_usl::random::Random;
use nmax_usl::{Method, Observation, Options, Usl, analyse, fit};

const ROWS: usize = 100_000;
/// Relative noise of the measurements.
const NOISE: f64 = 0.03;

fn main() {
    let few = measured(12);
    let many = measured(ROWS);
    report("12 points, fit with intervals", 200, || fit_with_intervals(&few));
    report("12 points, everything that is said about them", 50, || analyse(&few, &Options::default()).points.len());
    report("100000 rows, fit with intervals", 3, || fit_with_intervals(&many));
    report("100000 rows, everything that is said about them", 2, || analyse(&many, &Options::default()).points.len());
}

/// Coefficients, peak and band, all with intervals; how many there are.
fn fit_with_intervals(observations: &[Observation]) -> usize {
    let fit = fit(observations, Method::Log).expect("measurements of a law have a fit");
    usize::from(fit.peak().is_some()) + usize::from(fit.band_at(20.0).is_some())
}

/// So many measurements of a law between 1 and twice its peak.
fn measured(count: usize) -> Vec<Observation> {
    let law = Usl { contention: 0.0267, coherency: 7.69e-4, unit_throughput: 995.6 };
    let mut random = Random::new(1);
    (0..count)
        .map(|index| {
            let n = 71.0_f64.powf(index as f64 / (count - 1) as f64);
            Observation {
                n,
                x: law.throughput_at(n) * random.lognormal(NOISE),
                r_s: None,
                weight: 1.0,
                row: index + 1,
                count: None,
            }
        })
        .collect()
}

fn report(what: &str, rounds: u32, mut work: impl FnMut() -> usize) {
    let mut fastest_s = f64::INFINITY;
    for _ in 0..rounds {
        let begin = Instant::now();
        black_box(work());
        fastest_s = fastest_s.min(begin.elapsed().as_secs_f64());
    }
    println!("{what}: {:.3} ms", fastest_s * 1e3);
}
