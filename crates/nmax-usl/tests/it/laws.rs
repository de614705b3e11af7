//! Laws of the formulas, for random coefficients: α and β always vary apart, since a flipped sign of α − β hides where
//! they are equal.

use nmax_usl::{InverseError, Usl};
use proptest::prelude::*;

/// Contention and coherency as systems have them, and γ.
fn laws() -> impl Strategy<Value = Usl> {
    let beta = (-16.0..-3.0_f64).prop_map(f64::exp);
    (0.0..0.5_f64, beta, 0.01..1e4_f64).prop_map(|(contention, coherency, unit_throughput)| Usl {
        contention,
        coherency,
        unit_throughput,
    })
}

/// Superlinear laws without a pole: α < 0, |α| < β + 2√β.
fn superlinear() -> impl Strategy<Value = Usl> {
    ((-10.0..-3.0_f64).prop_map(f64::exp), 0.05..0.95_f64).prop_map(|(coherency, share)| Usl {
        contention: -coherency - 2.0 * share * coherency.sqrt(),
        coherency,
        unit_throughput: 1.0,
    })
}

fn close(found: f64, want: f64, tolerance: f64) -> bool {
    (found - want).abs() <= tolerance * want.abs()
}

/// The concurrency at which the response time, s, grows through a value.
fn rising_at(law: &Usl, response_s: f64, think_s: f64) -> f64 {
    let found = law.concurrencies_at_response_time(response_s, think_s).expect("a concurrency");
    found.rising.expect("response times rise")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Law: concurrency_at(throughput_at(n)) = n on the rising branch. `fraction` stops at .95: at the peak X no
    /// longer determines N.
    #[test]
    fn concurrency_inverts_throughput(law in laws(), fraction in 0.0..0.95_f64) {
        let n = 1.0 + fraction * (law.peak_concurrency().expect("a peak") - 1.0);
        let back = law.concurrency_at(law.throughput_at(n)).expect("below the peak");
        prop_assert!(close(back, n, 1e-6), "n = {n}, came back as {back}");
    }

    /// Law: concurrency_above_peak_at(throughput_at(n)) = n on the falling branch.
    #[test]
    fn concurrency_above_peak_inverts_throughput(law in laws(), times in 1.1..50.0_f64) {
        let n = times * law.peak_concurrency().expect("a peak");
        let back = law.concurrency_above_peak_at(law.throughput_at(n)).expect("above the peak");
        prop_assert!(close(back, n, 1e-6), "n = {n}, came back as {back}");
    }

    /// Law: no concurrency gives more than X_peak; asking for it is an error on both branches.
    #[test]
    fn more_than_the_peak_is_an_error(law in laws(), times in 1.000_001..1e6_f64) {
        let most = law.peak_throughput().expect("a peak");
        let is_error = |found| matches!(found, Err(InverseError::AbovePeak { most: said, .. }) if said == most);
        prop_assert!(is_error(law.concurrency_at(times * most)));
        prop_assert!(is_error(law.concurrency_above_peak_at(times * most)));
    }

    /// Laws: N(R(N)) = N and X(R(N)) = X(N), with and without think time, below and above the peak.
    #[test]
    fn concurrency_inverts_response_time(law in laws(), times in 0.0..4.0_f64, z in prop_oneof![Just(0.0), 0.0..10.0_f64]) {
        let n = 1.0 + times * law.peak_concurrency().expect("a peak");
        let think_s = z / law.unit_throughput;
        // Otherwise R + Z = D/γ with a positive R.
        prop_assume!(law.response_time_at(n, think_s) > 1e-3 / law.unit_throughput);
        let r_s = law.response_time_at(n, think_s);
        let back = rising_at(&law, r_s, think_s);
        prop_assert!(close(back, n, 1e-6), "n = {n}, came back as {back}");
        prop_assert!(close(back / (r_s + think_s), law.throughput_at(n), 1e-6));
    }

    /// Law: X(R) is at most X_peak for every R.
    #[test]
    fn throughput_by_response_time_stays_below_the_peak(law in laws(), times in 1.0..1e6_f64) {
        let r_s = times / law.unit_throughput;
        let x = rising_at(&law, r_s, 0.0) / r_s;
        prop_assert!(x <= law.peak_throughput().expect("a peak") * (1.0 + 1e-9), "{x}");
    }

    /// Law: between the fastest and R(1) a superlinear law has two concurrencies per response time, and each has it.
    #[test]
    fn superlinear_response_times_have_two_concurrencies(law in superlinear(), share in 0.01..0.99_f64) {
        let (at, efficiency) = law.best_efficiency().expect("superlinear");
        let r_s = (share + (1.0 - share) / efficiency) / law.unit_throughput;
        let found = law.concurrencies_at_response_time(r_s, 0.0).expect("between");
        let (falling, rising) = found.falling.zip(found.rising).expect("both");
        prop_assert!(falling < at && at < rising, "{falling} {at} {rising}");
        prop_assert!(close(law.response_time_at(falling, 0.0), r_s, 1e-9));
        prop_assert!(close(law.response_time_at(rising, 0.0), r_s, 1e-9));
        let too_fast = law.concurrencies_at_response_time(0.999 / efficiency / law.unit_throughput, 0.0);
        prop_assert!(matches!(too_fast, Err(InverseError::TooFast { .. })), "{too_fast:?}");
    }

    /// Law: E* is the largest efficiency, X crosses γN again at the payback, and both lie above N = 1.
    #[test]
    fn superlinear_growth_is_paid_back(law in superlinear(), times in 0.0..3.0_f64) {
        let (at, efficiency) = law.best_efficiency().expect("superlinear");
        let payback = law.payback().expect("superlinear");
        prop_assert!(close(law.efficiency_at(at), efficiency, 1e-9));
        prop_assert!(law.efficiency_at(1.0 + times * (payback - 1.0)) <= efficiency * (1.0 + 1e-12));
        prop_assert!(close(law.throughput_at(payback), payback * law.unit_throughput, 1e-9));
    }

    /// Law: for β > 0 a law has a pole exactly when α ≤ −(β + 2√β), and D is 0 at the first.
    #[test]
    fn poles_begin_at_a_known_contention(beta in (-14.0..0.0_f64).prop_map(f64::exp), times in 0.5..2.0_f64) {
        prop_assume!((times - 1.0).abs() > 1e-9);
        let law = Usl { contention: -times * (beta + 2.0 * beta.sqrt()), coherency: beta, unit_throughput: 1.0 };
        prop_assert_eq!(law.has_pole(1e12), times > 1.0);
        prop_assert_eq!(law.first_pole().is_some(), times > 1.0);
        if let Some(pole) = law.first_pole() {
            prop_assert!(law.denominator_at(pole).abs() <= 1e-9 * (1.0 + beta * pole * pole));
            prop_assert!(law.has_pole(pole * (1.0 + 1e-9)) && !law.has_pole(1.0 + 0.99 * (pole - 1.0)));
        }
    }

    /// Law: X_peak = X(N_peak), nothing beside is higher, and the better whole number is the best whole number.
    #[test]
    fn the_peak_is_highest(law in laws(), times in 0.1..10.0_f64) {
        let (n, x) = (law.peak_concurrency().expect("a peak"), law.peak_throughput().expect("a peak"));
        prop_assert!(close(law.throughput_at(n), x, 1e-9));
        prop_assert!(law.throughput_at((n * times).max(1.0)) <= x * (1.0 + 1e-12));
        let (whole, best) = law.peak_integer().expect("a peak");
        prop_assert!(best == law.throughput_at(whole) && whole.fract() == 0.0);
        for other in [whole - 1.0, whole + 1.0] {
            prop_assert!(other < 1.0 || law.throughput_at(other) <= best * (1.0 + 1e-14));
        }
    }

    /// Law: whatever the coefficients and arguments, an inverse or a derived value is an error, `None` or finite.
    #[test]
    fn inverses_are_never_nan(
        contention in -2.0..2.0_f64,
        coherency in prop_oneof![-1.0..1.0_f64, Just(0.0), Just(1e-300), Just(-1e-300)],
        unit_throughput in 1e-9..1e9_f64,
        asked in prop_oneof![1e-12..1e12_f64, Just(0.0), Just(-1.0), Just(f64::NAN), Just(f64::INFINITY)],
        think_s in prop_oneof![Just(0.0), 0.0..10.0_f64, Just(f64::NAN)],
    ) {
        let law = Usl { contention, coherency, unit_throughput };
        let fine = |found: Result<f64, InverseError>| found.map_or(true, |n| n.is_finite() && n > 0.0);
        prop_assert!(fine(law.concurrency_at(asked)));
        prop_assert!(fine(law.concurrency_above_peak_at(asked)));
        if let Ok(found) = law.concurrencies_at_response_time(asked, think_s) {
            let mut loads = [found.rising, found.falling].into_iter().flatten();
            prop_assert!(loads.all(|n| n.is_finite() && n > 0.0));
        }
        let derived = [law.peak_concurrency(), law.peak_throughput(), law.roof(), law.optimum(), law.payback(),
            law.first_pole(), law.best_efficiency().map(|(n, e)| n * e)];
        prop_assert!(derived.iter().flatten().all(|v| v.is_finite() && *v > 0.0), "{derived:?}");
    }

    /// Law: an inverse that gives a number gives a right one, for any law and up to its pole.
    #[test]
    fn inverses_are_right_for_any_law(
        contention in -0.5..1.5_f64,
        coherency in prop_oneof![-0.01..0.5_f64, Just(0.0)],
        asked in 0.01..100.0_f64,
    ) {
        let law = Usl { contention, coherency, unit_throughput: 1.0 };
        if let Ok(n) = law.concurrency_at(asked) {
            prop_assert!(close(law.throughput_at(n), asked, 1e-5), "{n}: {}", law.throughput_at(n));
            // Not behind the peak, where X(N) would be as large again.
            prop_assert!(law.peak_concurrency().is_none_or(|peak| n <= peak * (1.0 + 1e-6)) && !law.has_pole(n));
        }
        if let Ok(n) = law.concurrency_above_peak_at(asked) {
            prop_assert!(n == 1.0 || close(law.throughput_at(n), asked, 1e-5), "{n}: {}", law.throughput_at(n));
        }
        if let Ok(found) = law.concurrencies_at_response_time(asked, 0.0) {
            for n in [found.rising, found.falling].into_iter().flatten() {
                prop_assert!(close(law.response_time_at(n, 0.0), asked, 1e-5) && !law.has_pole(n), "{n}");
            }
        }
    }
}
