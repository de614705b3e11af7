//! Student's law: how surprising a difference is, given how well its error is known.

use std::f64::consts::PI;

/// Degrees of freedom from which on the law is taken as the normal one.
pub(crate) const NORMAL_DF: f64 = 1e6;
/// Most steps of the continued fraction; it needs about √df.
const STEPS_MAX: usize = 10_000;
/// Least denominator of the continued fraction.
const TINY: f64 = 1e-300;

/// P(|T| ≥ |t|) for `df` degrees of freedom; 1 when either is not a number.
///
/// ```text
/// P(|T| ≥ t) = I_x(df/2, 1/2),   x = df / (df + t²)
/// ```
///
/// - I: the regularized incomplete beta function
///
/// About 1e-12 relative. O(√df).
///
/// Source: Abramowitz and Stegun, *Handbook of Mathematical Functions* (1964), 26.7.1 and 26.5.8.
pub(crate) fn two_sided(t: f64, df: f64) -> f64 {
    if t.is_nan() || df.is_nan() || df <= 0.0 {
        return 1.0;
    }
    if t.is_infinite() {
        return 0.0;
    }
    let df = df.min(NORMAL_DF);
    incomplete_beta(df / (df + t * t), df / 2.0, 0.5)
}

/// t with P(|T| ≥ t) = `p`, for `p` in (0, 1). By bisection.
pub(crate) fn critical(p: f64, df: f64) -> f64 {
    let mut high = 1.0;
    while two_sided(high, df) > p && high < 1e12 {
        high *= 2.0;
    }
    let mut low = 0.0;
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if two_sided(middle, df) > p {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}

fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = (a * x.ln() + b * (-x).ln_1p() + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b)).exp();
    // The fraction converges fast below the mean of the law, so the smaller part is computed.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * fraction(x, a, b) / a
    } else {
        1.0 - front * fraction(1.0 - x, b, a) / b
    }
}

/// The continued fraction of the incomplete beta function, by Lentz.
fn fraction(x: f64, a: f64, b: f64) -> f64 {
    let away = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    for step in 1..STEPS_MAX {
        let m = step as f64;
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / away(1.0 + even * d);
        c = away(1.0 + even / c);
        value *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away(1.0 + odd * d);
        c = away(1.0 + odd / c);
        let change = d * c;
        value *= change;
        if (change - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

/// ln Γ(x) for x > 0: Stirling's series, after steps up to where it is exact to double precision.
fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut product) = (x, 1.0_f64);
    while x < 15.0 {
        product *= x;
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    let series = (1.0 / 12.0 + inverse * (-1.0 / 360.0 + inverse * (1.0 / 1260.0 - inverse / 1680.0))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * PI).ln() + series - product.ln()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Oracle: the closed forms for 1, 2 and 4 degrees of freedom, and the normal law.
    #[test]
    fn closed_forms() {
        for t in [0.0, 0.1, 0.7, 1.0, 2.3, 5.0, 12.0, 80.0_f64] {
            let cauchy = 1.0 - 2.0 / PI * t.atan();
            let two = 1.0 - t / (2.0 + t * t).sqrt();
            let u = t / (4.0 + t * t).sqrt();
            let four = 1.0 - (1.5 * u - 0.5 * u * u * u);
            for (df, want) in [(1.0, cauchy), (2.0, two), (4.0, four)] {
                let got = two_sided(t, df);
                assert!((got - want).abs() < 1e-11, "t = {t}, df = {df}: {got}, not {want}");
            }
        }
        for (z, want) in [(1.959_963_985, 0.05), (2.575_829_304, 0.01), (0.674_489_750, 0.5)] {
            let got = two_sided(z, f64::INFINITY);
            assert!((got - want).abs() < 1e-6, "z = {z}: {got}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        /// Law: the critical value is the inverse, and the tail falls with t.
        #[test]
        fn critical_inverts(p in 1e-6..0.999_f64, df in 0.5..500.0_f64) {
            let t = critical(p, df);
            let back = two_sided(t, df);
            prop_assert!((back - p).abs() <= 1e-9 + 1e-7 * p, "p = {p}, df = {df}, t = {t}: {back}");
            prop_assert!(two_sided(t + 0.1, df) < back);
        }
    }
}
