use proptest::prelude::*;

use super::{Information, d_optimal, sensitivity, spread};
use crate::law::Usl;

fn law(contention: f64, coherency: f64) -> Usl {
    Usl { contention, coherency, unit_throughput: 995.6 }
}

fn ln_x(law: &Usl, n: f64) -> f64 {
    let d = 1.0 + law.contention * (n - 1.0) + law.coherency * n * (n - 1.0);
    (law.unit_throughput * n / d).ln()
}

/// sd ln N_peak and sd ln X_peak of 12 runs with 3 % noise, for the truth (.0267, 7.69e-4): published figures.
#[test]
fn precision_of_known_designs() {
    let low: Vec<f64> = (1..=12).map(f64::from).collect();
    let twice = |levels: &[f64]| [levels, levels].concat();
    let cases = [
        (low, 0.616, 0.289, "linear, 1 to 12"),
        (twice(&[1., 2., 4., 8., 12., 16.]), 0.326, 0.135, "up to 16, twice"),
        (vec![1., 1., 2., 3., 4., 6., 9., 12., 16., 20., 27., 36.], 0.088, 0.025, "geometric, 1 to 36"),
        (vec![1., 1., 2., 4., 6., 9., 13., 19., 28., 36., 51., 72.], 0.036, 0.014, "geometric, 1 to 72"),
        (twice(&twice(&[1., 13., 72.])), 0.025, 0.016, "three levels, four times"),
        ([[1., 9., 36., 72.]; 3].concat(), 0.029, 0.014, "four levels, three times"),
    ];
    for (levels, concurrency, throughput, why) in cases {
        assert_eq!(levels.len(), 12, "{why}");
        let spread = spread(&law(0.0267, 7.69e-4), &levels, 0.03).expect("it has a peak");
        assert!((spread.ln_peak_concurrency - concurrency).abs() < 6e-4, "{why}: {spread:?}");
        assert!((spread.ln_peak_throughput - throughput).abs() < 6e-4, "{why}: {spread:?}");
    }
}

/// The middle level of the published D-optimal designs, as a share of N_peak.
#[test]
fn middles_of_known_designs() {
    let cases = [
        (0.0267, 7.69e-4, 2.0, 0.57, 0.01),
        (0.01, 1e-5, 2.0, 0.46, 0.01),
        (0.1, 1e-4, 2.0, 0.35, 0.01),
        (0.02, 0.02, 2.0, 0.7, 0.05),
        (0.0267, 7.69e-4, 1.0, 0.4, 0.05),
    ];
    for (alpha, beta, reach, want, digit) in cases {
        let peak = f64::sqrt((1.0 - alpha) / beta);
        let [low, middle, high] = d_optimal(&law(alpha, beta), 1.0, reach * peak);
        assert_eq!((low, high), (1.0, reach * peak));
        assert!((middle / peak - want).abs() < digit, "α {alpha}, β {beta}: {}", middle / peak);
    }
    let [_, middle, _] = d_optimal(&law(0.0267, 7.69e-4), 1.0, 36.0);
    assert_eq!(middle.round(), 14.0);
}

#[test]
fn levels_that_do_not_tell_the_coefficients_apart() {
    let law = law(0.02, 1e-3);
    assert_eq!(spread(&law, &[], 0.03), None);
    assert_eq!(spread(&law, &[1.0, 1.0, 8.0, 8.0], 0.03), None, "two levels, three coefficients");
    assert_eq!(spread(&self::law(0.02, 0.0), &[1.0, 8.0, 30.0], 0.03), None, "no peak");
    assert!(Information::from_levels(&law, &[1.0, 8.0, 30.0]).covariance(0.03).is_some());
}

proptest! {
    /// Law: f(N) is the derivative of ln X by (α, β, ln γ).
    #[test]
    fn sensitivity_is_the_derivative(alpha in 0.0..0.5_f64, beta in 1e-6..1e-2_f64, n in 1.0..500_f64) {
        let base = law(alpha, beta);
        let f = sensitivity(&base, n);
        for (index, step) in [(0, 1e-6), (1, 1e-6 / (n * n)), (2, 1e-6)] {
            let moved = |sign: f64| match index {
                0 => ln_x(&Usl { contention: alpha + sign * step, ..base }, n),
                1 => ln_x(&Usl { coherency: beta + sign * step, ..base }, n),
                _ => ln_x(&Usl { unit_throughput: base.unit_throughput * (sign * step).exp(), ..base }, n),
            };
            let slope = (moved(1.0) - moved(-1.0)) / (2.0 * step);
            prop_assert!((slope - f[index]).abs() <= 1e-4 * (1.0 + f[index].abs()), "{index}: {slope}, {}", f[index]);
        }
    }

    /// Law: no other level between the ends gives a larger determinant, and neither end is better moved inwards.
    #[test]
    fn d_optimal_beats_every_other_middle(
        alpha in 0.0..0.5_f64,
        beta in 1e-6..1e-2_f64,
        low in 1.0..5_f64,
        reach in 2.0..200_f64,
    ) {
        let law = law(alpha, beta);
        let high = low * reach;
        let root = |levels: [f64; 3]| {
            let [a, b, c] = levels;
            let d = |n: f64| 1.0 + alpha * (n - 1.0) + beta * n * (n - 1.0);
            (b - a) * (c - b) * (c - a) / (d(a) * d(b) * d(c))
        };
        let best = d_optimal(&law, low, high);
        for step in 1..200 {
            let other = low * reach.powf(f64::from(step) / 200.0);
            prop_assert!(root([low, other, high]) <= root(best) * (1.0 + 1e-12), "{other} beats {best:?}");
        }
        prop_assert!(root([low * 1.01, best[1], high]) <= root(best));
        prop_assert!(root([low, best[1], high * 0.99]) <= root(best));
    }

    /// Law: M·M⁻¹ = 1.
    #[test]
    fn covariance_is_the_inverse(alpha in 0.0..0.5_f64, beta in 1e-6..1e-2_f64, high in 10.0..500_f64) {
        let law = law(alpha, beta);
        let information = Information::from_levels(&law, &[1.0, high / 3.0, high / 2.0, high]);
        let covariance = information.covariance(1.0).expect("four levels");
        let scale = |i: usize| information.0[i][i].sqrt();
        for i in 0..3 {
            for j in 0..3 {
                let cell: f64 = covariance.iter().zip(information.0[i]).map(|(row, m)| m * row[j]).sum();
                let want = f64::from(u8::from(i == j));
                prop_assert!((cell * scale(j) / scale(i) - want).abs() < 1e-6, "{i} {j}: {cell}");
            }
        }
    }
}
