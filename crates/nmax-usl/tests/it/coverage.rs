//! Nominal 95 % intervals hold the truth in 93 to 97 % of simulated data sets; the long tables are in the program
//! `examples/coverage.rs`.

use nmax_usl::Usl;

use crate::simulation::{Coverage, coverage, law_with_peak};

const BAND: std::ops::RangeInclusive<f64> = 0.93..=0.97;

fn check(name: &str, coverage: &Coverage, shares: usize) {
    for (what, share) in Coverage::NAMES.iter().zip(coverage.shares()).take(shares) {
        assert!(BAND.contains(&share), "{name}: {what} is held in {share}");
    }
}

/// Designs that reach twice the peak: α, β, ln γ, the band at the peak, N_peak and X_peak, over every fit with β̂ > 0.
#[test]
fn designs_that_reach_twice_the_peak() {
    for (alpha, peak, sd) in [(0.0267, 35.6, 0.03), (0.02, 15.0, 0.05), (0.02, 60.0, 0.03), (0.02, 250.0, 0.05)] {
        let law = law_with_peak(alpha, peak);
        let geometric: Vec<f64> = (0..12).map(|step| (2.0 * peak).powf(f64::from(step) / 11.0)).collect();
        let coverage = coverage(&law, &geometric, sd, 2000, 1);
        assert_eq!(coverage.fits, 2000);
        check(&format!("peak {peak}, noise {sd}"), &coverage, 6);
    }
}

/// Designs whose figures are known from elsewhere, from too low to far past the peak, and a system without a peak: α, β
/// and ln γ. A true β of 0 gives β̂ ≤ 0 in about half of the fits.
#[test]
fn designs_with_known_figures() {
    let law = Usl { contention: 0.0267, coherency: 7.69e-4, unit_throughput: 995.6 };
    let amdahl = Usl { contention: 0.05, coherency: 0.0, unit_throughput: 1000.0 };
    let cases: [(&str, Usl, &[f64], f64); 3] = [
        ("low only", law, &[1., 2., 4., 6., 8., 10., 12.], 0.05),
        ("past the peak", law, &[1., 4., 9., 18., 36., 54., 72.], 0.05),
        ("no peak", amdahl, &[1., 2., 4., 8., 16., 32., 64.], 0.03),
    ];
    for (name, law, levels, sd) in cases {
        let coverage = coverage(&law, levels, sd, 2000, 2);
        check(name, &coverage, 3);
        let positive = coverage.positive as f64 / coverage.fits as f64;
        match name {
            "low only" => assert!((0.60..=0.68).contains(&positive), "{positive} with β̂ > 0"),
            "no peak" => assert!((0.47..=0.56).contains(&positive), "{positive} with β̂ > 0"),
            _ => assert!(positive > 0.98, "{name}: {positive} with β̂ > 0"),
        }
    }
}
