//! Campaigns on simulated systems: does the peak come out, how often do the intervals hold it, and what is saved.

use nmax_usl::design::{Precision, Stop};
use nmax_usl::random::Random;
use nmax_usl::{Method, fit};

use crate::simulation::{Coverage, campaign, even_levels, ladder_runs, law_with_peak, rules};

/// Peaks of 15, 60 and 250 under 2 and 3 % noise: within 10 % in nine of ten campaigns at least (99 of 100 for the
/// small ones), the intervals of N_peak and X_peak hold the truth, and each campaign says that it is precise.
///
/// Stopping when the interval is narrow favours runs whose noise came out small: the share may fall a little below 95 %.
#[test]
fn the_peak_comes_out() {
    for (peak, near_min) in [(15.0, 0.99), (60.0, 0.99), (250.0, 0.95)] {
        for sd in [0.02, 0.03] {
            let law = law_with_peak(0.02, peak);
            let (mut coverage, mut near, mut precise, sets) = (Coverage::default(), 0, 0, 200);
            for seed in 0..sets {
                let ended = campaign(rules(2000.0, 120, seed), sd, &mut Random::new(seed), |n| law.throughput_at(n));
                precise += usize::from(matches!(ended.stop, Stop::Precise { .. }));
                let fit = fit(&ended.observations, Method::Log).expect("the runs give a fit");
                near += usize::from(fit.peak().is_some_and(|(n, _)| (n.estimate / peak - 1.0).abs() <= 0.1));
                coverage.count(&fit, &law);
            }
            let share = |count: usize| count as f64 / sets as f64;
            assert!(share(near) >= near_min, "peak {peak}, noise {sd}: {} within 10 %", share(near));
            assert!(share(precise) >= 0.99, "peak {peak}, noise {sd}: {} stopped precise", share(precise));
            let [.., concurrency, throughput] = coverage.shares();
            // Three standard errors of 200 campaigns are 0.05.
            assert!(concurrency >= 0.90 && throughput >= 0.90, "peak {peak}, noise {sd}: {concurrency} {throughput}");
        }
    }
}

/// For the same precision a campaign takes half of the runs of even ladders of 12 levels at most, with three runs of
/// each level: of one that ends at twice the peak, as if that were known, and of one that ends at 1000.
#[test]
fn half_of_the_runs_of_an_even_ladder() {
    const RUNS_MAX: usize = 600;
    let mut runs = [0; 3];
    for peak in [15.0, 60.0, 250.0] {
        let law = law_with_peak(0.02, peak);
        for sd in [0.02, 0.03, 0.05] {
            for seed in 0..20 {
                let mut random = Random::new(seed);
                let ended = campaign(rules(1000.0, RUNS_MAX, seed), sd, &mut random, |n| law.throughput_at(n));
                runs[0] += ended.observations.len();
                for (index, high) in [(1, 2.0 * peak), (2, 1000.0)] {
                    let ladder = (&law, &even_levels(high, 12)[..], sd);
                    let needed = ladder_runs(ladder, 3, Precision::default(), RUNS_MAX, &mut random);
                    runs[index] += needed.unwrap_or(RUNS_MAX);
                }
            }
        }
    }
    let [ours, known, blind] = runs.map(|runs| runs as f64);
    assert!(ours <= 0.5 * known, "{} of the runs of a ladder that knows the peak", ours / known);
    assert!(ours <= 0.5 * blind, "{} of the runs of a ladder to 1000", ours / blind);
}
