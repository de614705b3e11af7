//! Laws of fitting: what fits return whatever was measured.

use crate::sets;
use nmax_usl::random::Random;
use nmax_usl::{Curve, Fit, FitError, Method, Model, Observation, Regression, Usl, fit, fit_model, fit_open};
use proptest::prelude::*;

/// Laws with a peak, with none, and superlinear ones, all without a pole on the loads below.
fn laws() -> impl Strategy<Value = Usl> {
    let usual = (0.0..0.4_f64, (-9.0..-3.0_f64).prop_map(f64::exp));
    let no_coherency = (0.001..0.4_f64, Just(0.0));
    let superlinear = (1e-3..1e-2_f64, 0.1..0.9_f64).prop_map(|(b, share)| (-share * (b + 2.0 * b.sqrt()), b));
    (prop_oneof![3 => usual, 1 => no_coherency, 1 => superlinear], 0.1..1e4_f64).prop_map(|((a, b), g)| Usl {
        contention: a,
        coherency: b,
        unit_throughput: g,
    })
}

const LOADS: [f64; 10] = [1.0, 2.0, 3.0, 5.0, 8.0, 12.0, 16.5, 24.0, 36.0, 48.0];

fn on_law(law: &Usl, loads: &[f64]) -> Vec<Observation> {
    sets::observations(&loads.iter().map(|n| (*n, law.throughput_at(*n))).collect::<Vec<_>>())
}

/// Points of a law with proportional noise.
fn noisy(law: &Usl, loads: &[f64], sd: f64, seed: u64) -> Vec<Observation> {
    let mut random = Random::new(seed);
    sets::observations(&loads.iter().map(|n| (*n, law.throughput_at(*n) * random.lognormal(sd))).collect::<Vec<_>>())
}

fn close(found: f64, want: f64, tolerance: f64) -> bool {
    (found - want).abs() <= tolerance * want.abs()
}

/// Whether two laws say the same about throughput on the loads.
fn same(a: &Usl, b: &Usl, tolerance: f64) -> bool {
    LOADS.iter().all(|n| close(a.throughput_at(*n), b.throughput_at(*n), tolerance))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    /// Law: a fit of the points of a law is the law, for every method.
    #[test]
    fn a_fit_of_a_model_is_the_model(law in laws()) {
        for method in Method::ALL {
            let found = fit(&on_law(&law, &LOADS), method).expect("points of a law");
            prop_assert!(found.converged && found.method == method);
            prop_assert!((found.law.contention - law.contention).abs() <= 1e-6, "{method:?} {:?}", found.law);
            prop_assert!((found.law.coherency - law.coherency).abs() <= 1e-8, "{method:?} {:?}", found.law);
            prop_assert!(close(found.law.unit_throughput, law.unit_throughput, 1e-7), "{method:?} {:?}", found.law);
            prop_assert!(found.r_squared > 1.0 - 1e-9);
        }
    }

    /// Law: a rung fitted to its own points is those points, with no residuals.
    #[test]
    fn a_rung_of_its_own_points_is_the_rung(a in 0.001..0.5_f64, b in 1e-4..0.05_f64, g in 0.1..1e4_f64, bend in 2.5..40.0_f64) {
        let curves = [
            Curve::Linear { unit_throughput: g },
            Curve::Amdahl { contention: a, unit_throughput: g },
            Curve::Usl(Usl { contention: a, coherency: b, unit_throughput: g }),
            Curve::Ln { contention: a, coherency: b, unit_throughput: g },
            Curve::Knee { unit_throughput: g, cap: g * bend },
        ];
        for curve in curves {
            let points: Vec<_> = LOADS.iter().map(|n| (*n, curve.throughput_at(*n))).collect();
            let (found, rss) = fit_model(&sets::observations(&points), curve.model()).expect("its own points");
            prop_assert!(rss < 1e-15, "{curve:?}: {found:?}, {rss}");
            for (n, x) in points {
                prop_assert!(close(found.throughput_at(n), x, 1e-7), "{curve:?}: {found:?}");
            }
        }
    }

    /// Law: R on X finds the law from points of its rising branch, without N.
    #[test]
    fn open_loop_points_of_a_law_are_the_law(a in 0.0..0.4_f64, b in 1e-4..0.05_f64, g in 1.0..1e3_f64, z in prop_oneof![Just(0.0), 0.0..0.5_f64]) {
        let law = Usl { contention: a, coherency: b, unit_throughput: g };
        let think_s = z / g;
        let peak = law.peak_concurrency().expect("a peak");
        let points = [0.02, 0.1, 0.25, 0.4, 0.55, 0.7, 0.85].map(|share| {
            let n = 1.0 + share * (peak - 1.0);
            // N is not known: a wrong one is given, and must not matter.
            Observation { n: 1.0, x: law.throughput_at(n), r_s: Some(law.response_time_at(n, think_s)), weight: 1.0, row: 1, count: None }
        });
        let found = fit_open(&points, think_s).expect("points of a law");
        prop_assert_eq!(found.regression, Regression::ResponseTime);
        prop_assert!((found.law.contention - a).abs() <= 1e-5 && (found.law.coherency - b).abs() <= 1e-5 * b.max(0.01), "{:?}", found.law);
        prop_assert!(close(found.law.unit_throughput, g, 1e-5), "{:?}", found.law);
    }

    /// Law: throughput in another unit moves γ alone; residuals in ln stay, those in X scale.
    #[test]
    fn throughput_has_no_unit(law in laws(), factor in prop_oneof![1e-6..1.0_f64, 1.0..1e6_f64], seed in any::<u64>()) {
        let points = noisy(&law, &LOADS, 0.03, seed);
        let scaled: Vec<_> = points.iter().map(|o| Observation { x: o.x * factor, ..o.clone() }).collect();
        for method in Method::ALL {
            let (Ok(one), Ok(other)) = (fit(&points, method), fit(&scaled, method)) else {
                prop_assert_eq!(fit(&points, method).is_ok(), fit(&scaled, method).is_ok());
                continue;
            };
            prop_assert!((one.law.contention - other.law.contention).abs() <= 1e-7);
            prop_assert!((one.law.coherency - other.law.coherency).abs() <= 1e-9);
            prop_assert!(close(other.law.unit_throughput, factor * one.law.unit_throughput, 1e-7));
            let unit = if method == Method::Log { 1.0 } else { factor * factor };
            prop_assert!(close(other.rss, unit * one.rss, 1e-7));
        }
    }

    /// Law: loads counted in other units (sockets for cores) give the same curve, so N_peak scales and X_peak stays.
    /// The coefficients themselves do not: γ is the throughput of one unit, whatever the unit is.
    #[test]
    fn loads_in_another_unit_give_the_same_curve(law in laws(), factor in 1.0..50.0_f64, seed in any::<u64>()) {
        let points = noisy(&law, &LOADS, 0.02, seed);
        let scaled: Vec<_> = points.iter().map(|o| Observation { n: o.n * factor, ..o.clone() }).collect();
        for method in [Method::Log, Method::Ols] {
            let (Ok(one), Ok(other)) = (fit(&points, method), fit(&scaled, method)) else { continue };
            prop_assert!(close(other.rss, one.rss, 1e-6), "{} {}", other.rss, one.rss);
            for n in LOADS {
                prop_assert!(close(other.law.throughput_at(n * factor), one.law.throughput_at(n), 1e-5));
            }
            if let Some((a, b)) = one.law.peak_concurrency().zip(other.law.peak_concurrency()) && a < 100.0 {
                prop_assert!(close(b, factor * a, 1e-4), "{a} {b}");
            }
        }
    }

    /// Laws: the order of rows says nothing; a weight of 2 is a row twice; equal weights are no weights.
    #[test]
    fn order_and_weights(law in laws(), seed in any::<u64>()) {
        let points = noisy(&law, &LOADS, 0.03, seed);
        let mut turned = points.clone();
        Random::new(seed).shuffle(&mut turned);
        let mut twice = points.clone();
        twice.push(points[3].clone());
        let mut heavy = points.clone();
        heavy[3].weight = 2.0;
        let tens: Vec<_> = points.iter().map(|o| Observation { weight: 10.0, ..o.clone() }).collect();
        for method in Method::ALL {
            for (a, b) in [(&points, &turned), (&twice, &heavy), (&points, &tens)] {
                let (Ok(a), Ok(b)) = (fit(a, method), fit(b, method)) else { continue };
                prop_assert!(same(&a.law, &b.law, 1e-6), "{method:?}: {:?} {:?}", a.law, b.law);
            }
        }
    }

    /// Law: no input gives a panic or a number that is not finite; what was kept has no pole on [1, 2·N_hi].
    #[test]
    fn fits_are_never_nan(points in prop::collection::vec((anything(), anything()), 0..20), think in anything()) {
        let mut observations = sets::observations(&points);
        for (o, (r_s, _)) in observations.iter_mut().zip(points.iter().rev()) {
            o.r_s = Some(*r_s);
        }
        check_everything(&observations, think)?;
    }

    /// The same for loads and throughputs that are possible, and hard to fit: equal, far apart, steep, rounded.
    #[test]
    fn fits_of_possible_points_are_never_nan(
        loads in prop::collection::vec(prop_oneof![Just(1.0), 1.0..10.0_f64, 1.0..1e6_f64, (0..20_u8).prop_map(f64::from)], 1..12),
        throughputs in prop::collection::vec(prop_oneof![Just(5.0), 0.1..10.0_f64, (-20.0..20.0_f64).prop_map(f64::exp)], 12),
    ) {
        let points: Vec<_> = loads.into_iter().map(|n: f64| n.max(1.0)).zip(throughputs).collect();
        check_everything(&sets::observations(&points), 0.0)?;
    }
}

/// Any number at all.
fn anything() -> impl Strategy<Value = f64> {
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 1.0, f64::MAX, f64::MIN_POSITIVE, 5e-324];
    prop_oneof![4 => any::<f64>(), 2 => prop::sample::select(odd.to_vec()), 4 => 0.5..100.0_f64]
}

fn check_everything(observations: &[Observation], think_s: f64) -> Result<(), TestCaseError> {
    let n_hi = observations.iter().map(|o| o.n).fold(1.0, f64::max);
    for method in Method::ALL {
        if let Ok(found) = fit(observations, method) {
            finite(&found)?;
            prop_assert!(!found.law.has_pole(2.0 * n_hi));
        }
    }
    if let Ok(found) = fit_open(observations, think_s) {
        finite(&found)?;
    }
    for model in Model::ALL {
        if let Ok((curve, rss)) = fit_model(observations, model) {
            prop_assert!(rss.is_finite() && rss >= 0.0);
            prop_assert!(
                observations.iter().all(|o| curve.throughput_at(o.n) > 0.0 && curve.throughput_at(o.n).is_finite())
            );
            prop_assert!(curve.peak().is_none_or(|(n, x)| n.is_finite() && x.is_finite()));
        }
    }
    Ok(())
}

fn finite(fit: &Fit) -> Result<(), TestCaseError> {
    let mut numbers = vec![fit.law.contention, fit.law.coherency, fit.law.unit_throughput, fit.rss, fit.r_squared];
    let peak = fit.peak();
    let estimates = [
        Some(fit.contention),
        Some(fit.coherency),
        Some(fit.unit_throughput),
        fit.roof(),
        fit.optimum(),
        peak.map(|p| p.0),
        peak.map(|p| p.1),
    ];
    for e in estimates.into_iter().flatten() {
        prop_assert!(
            e.low.is_none_or(|low| low <= e.estimate) && e.high.is_none_or(|high| high >= e.estimate),
            "{e:?}"
        );
        numbers.push(e.estimate);
        numbers.extend(e.low);
        numbers.extend(e.high);
    }
    numbers.extend(fit.residual_sd());
    numbers.extend(fit.standard_errors().into_iter().flatten());
    numbers.extend(fit.correlations().into_iter().flatten());
    for n in LOADS {
        numbers.extend(fit.band_at(n).map(|(low, high)| low + high));
    }
    prop_assert!(numbers.iter().all(|v| v.is_finite()), "{numbers:?} of {fit:?}");
    prop_assert!(fit.law.unit_throughput > 0.0);
    Ok(())
}

/// With a degree of freedom at 0 there are coefficients and no intervals; below that there is no fit.
#[test]
fn few_points_give_few_claims() {
    let law = Usl { contention: 0.05, coherency: 0.001, unit_throughput: 10.0 };
    for method in [Method::Log, Method::Ols, Method::Poly3] {
        for few in 0..3 {
            let error = fit(&on_law(&law, &LOADS[..few]), method).expect_err("too few");
            assert_eq!(error, FitError::TooFewConcurrencies { found: few, needed: 3 });
        }
        let three = fit(&on_law(&law, &LOADS[..3]), method).expect("as many points as coefficients");
        assert!(three.covariance.is_none() && three.contention.low.is_none() && three.band_at(2.0).is_none());
        assert!(three.residual_sd().is_none());
        let five = fit(&noisy(&law, &LOADS[..5], 0.02, 1), method).expect("a fit");
        assert!(five.covariance.is_some() && five.contention.low.is_some());
    }
}

#[test]
fn what_cannot_be_fitted_is_an_error_with_its_row() {
    let good = [(1.0, 10.0), (2.0, 18.0), (4.0, 30.0), (8.0, 40.0)];
    let with = |n, x| sets::observations(&[good[0], good[1], (n, x), good[2], good[3]]);
    for (n, x, what) in [
        (3.0, 0.0, "X"),
        (3.0, -1.0, "X"),
        (3.0, f64::NAN, "X"),
        (3.0, f64::INFINITY, "X"),
        (0.5, 5.0, "N"),
        (f64::NAN, 5.0, "N"),
        (f64::INFINITY, 5.0, "N"),
    ] {
        for method in Method::ALL {
            let error = fit(&with(n, x), method).expect_err("unusable");
            assert!(matches!(error, FitError::UnusableValue { row: 3, what: found, .. } if found == what), "{error}");
        }
    }
    let no_unit = sets::observations(&[(2.0, 18.0), (4.0, 30.0), (8.0, 40.0), (16.0, 45.0)]);
    assert_eq!(fit(&no_unit, Method::Ols2), Err(FitError::NoUnit(Method::Ols2)));
    assert_eq!(fit(&no_unit, Method::Poly2), Err(FitError::NoUnit(Method::Poly2)));
    assert!(fit(&no_unit, Method::Log).is_ok());
    // All at one load.
    let equal = sets::observations(&[(4.0, 10.0), (4.0, 11.0), (4.0, 12.0), (4.0, 10.5)]);
    assert_eq!(fit(&equal, Method::Log), Err(FitError::TooFewConcurrencies { found: 1, needed: 3 }));
    // Faster than linear to the end: every law that follows has a pole close behind.
    let runaway = Usl { contention: 0.02, coherency: -0.002, unit_throughput: 10.0 };
    assert!(runaway.has_pole(48.0) && !runaway.has_pole(24.0));
    for method in Method::ALL {
        let error = fit(&on_law(&runaway, &LOADS[..8]), method).expect_err("a pole");
        assert!(matches!(error, FitError::Pole { .. }), "{method:?}: {error}");
    }
}

/// Regressing X on N = X·R puts the error of R on both axes. R on X is nearer to the truth, and its intervals hold what
/// they say; those of X on N do not.
#[test]
fn open_loop_data_are_nearer_by_response_time() {
    let law = Usl { contention: 0.05, coherency: 0.002, unit_throughput: 100.0 };
    let peak = law.peak_concurrency().expect("a peak");
    let (mut open, mut closed, mut held) = (Vec::new(), Vec::new(), [0.0; 2]);
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let one = |share: f64| {
            let n = 1.0 + 0.85 * share * (peak - 1.0);
            let (x, r_s) = (law.throughput_at(n), law.response_time_at(n, 0.0) * random.lognormal(0.02));
            Observation { n: x * r_s, x, r_s: Some(r_s), weight: 1.0, row: 1, count: None }
        };
        let points = [0.15, 0.3, 0.45, 0.6, 0.7, 0.8, 0.9, 1.0].map(one);
        let off = |fit: &Fit| (fit.law.peak_concurrency().unwrap_or(1e3) / peak).ln().abs();
        let holds = |fit: &Fit| {
            let e = fit.contention;
            f64::from(e.low.zip(e.high).is_some_and(|(low, high)| low <= 0.05 && 0.05 <= high))
        };
        let (by_r, by_n) = (fit_open(&points, 0.0).expect("a fit"), fit(&points, Method::Log).expect("a fit"));
        open.push(off(&by_r));
        closed.push(off(&by_n));
        held[0] += holds(&by_r) / 300.0;
        held[1] += holds(&by_n) / 300.0;
    }
    open.sort_by(f64::total_cmp);
    closed.sort_by(f64::total_cmp);
    assert!(open[150] < 0.7 * closed[150], "median error of ln N_peak: {} and {}", open[150], closed[150]);
    assert!(held[0] > 0.92 && held[1] < 0.90, "intervals of α that hold it: {held:?}");
}

/// Runs at the very peak press against the end of the rising branch: that is said, and no law is made up.
#[test]
fn open_loop_data_at_the_peak_are_refused() {
    let law = Usl { contention: 0.05, coherency: 0.002, unit_throughput: 100.0 };
    let mut points: Vec<Observation> = on_law(&law, &[2.0, 5.0, 9.0, 14.0, 18.0, 21.0]);
    for o in &mut points {
        o.r_s = Some(law.response_time_at(o.n, 0.0));
    }
    points[5].r_s = points[5].r_s.map(|r_s| 1.5 * r_s);
    let error = fit_open(&points, 0.0).expect_err("beyond the rising branch");
    assert!(matches!(error, FitError::AtPeak { most } if most == points[5].x), "{error}");
    points[2].r_s = None;
    assert!(matches!(fit_open(&points, 0.0), Err(FitError::UnusableValue { row: 3, what: "R", .. })));
}

/// The knee has the least sum of squares of every knee on a fine grid of bends, for points of any shape.
#[test]
fn no_other_knee_is_nearer() {
    let mut random = Random::new(3);
    for _ in 0..60 {
        let points: Vec<(f64, f64)> = LOADS.iter().map(|n| (*n, (50.0 * n.min(9.0)) * random.lognormal(0.6))).collect();
        let (_, rss) = fit_model(&sets::observations(&points), Model::Knee).expect("a fit");
        for step in 0..=2_000 {
            // With the bend held, one level is left, and its logarithm is a mean.
            let bend = 48.0_f64.powf(f64::from(step) / 2_000.0);
            let e: Vec<f64> = points.iter().map(|(n, x)| (x / n.min(bend)).ln()).collect();
            let mean = e.iter().sum::<f64>() / e.len() as f64;
            let there: f64 = e.iter().map(|e| (e - mean).powi(2)).sum();
            assert!(rss <= there * (1.0 + 1e-9), "bend {bend}: {there}, found {rss}");
        }
    }
}

/// Nothing beside the open-loop optimum has a lower sum of squares of ln R, written down anew.
#[test]
fn no_law_beside_is_nearer_to_open_loop_data() {
    let law = Usl { contention: 0.05, coherency: 0.002, unit_throughput: 100.0 };
    let mut random = Random::new(9);
    for think_s in [0.0, 0.004] {
        let mut points = on_law(&law, &[1.5, 3.0, 5.0, 8.0, 11.0, 14.0, 17.0]);
        for o in &mut points {
            o.r_s = Some(law.response_time_at(o.n, think_s) * random.lognormal(0.05));
        }
        let rss = |law: &Usl| {
            let one = |o: &Observation| {
                let n = law.concurrency_at(o.x).expect("below the peak");
                (o.r_s.expect("set").ln() - (n / o.x - think_s).ln()).powi(2)
            };
            points.iter().map(one).sum::<f64>()
        };
        let found = fit_open(&points, think_s).expect("a fit");
        let least = rss(&found.law);
        assert!((found.rss - least).abs() <= 1e-9 * least);
        let se = found.standard_errors().expect("degrees");
        for (i, sign) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0), (2, 1.0), (2, -1.0)] {
            let mut beside = found.law;
            match i {
                0 => beside.contention += sign * 1e-3 * se[0],
                1 => beside.coherency += sign * 1e-3 * se[1],
                _ => beside.unit_throughput *= (sign * 1e-3 * se[2]).exp(),
            }
            assert!(rss(&beside) > least, "think time {think_s}, coefficient {i}");
        }
        // The covariance is s²(JᵀJ)⁻¹ with J by differences: JᵀJ·C = s²·1.
        let moved = |i: usize, by: f64| {
            let mut law = found.law;
            match i {
                0 => law.contention += by * se[0],
                1 => law.coherency += by * se[1],
                _ => law.unit_throughput *= (by * se[2]).exp(),
            }
            law
        };
        let ln_r = |law: Usl, x: f64| (law.concurrency_at(x).expect("below the peak") / x - think_s).ln();
        let slope = |i: usize, x: f64| (ln_r(moved(i, 1e-4), x) - ln_r(moved(i, -1e-4), x)) / (2e-4 * se[i]);
        let covariance = found.covariance.expect("degrees");
        let variance = found.rss / found.degrees() as f64;
        for i in 0..3 {
            for (j, column) in covariance.iter().enumerate() {
                let normal = |k: usize| points.iter().map(|o| slope(i, o.x) * slope(k, o.x)).sum::<f64>();
                let product: f64 = (0..3).map(|k| normal(k) * column[k]).sum();
                let want = if i == j { variance } else { 0.0 };
                let scale = (normal(i) * column[j]).sqrt();
                assert!((product - want).abs() <= 1e-4 * scale.max(variance), "{i} {j}: {product}, wanted {want}");
            }
        }
    }
}

/// Replicates of a quadratic are observations each: its fit is that of every row's N/X, not of N over their mean X.
///
/// Normal equations over the rows by hand, with u = N−1: no merging, no square roots of weights.
#[test]
fn quadratics_take_each_replicate() {
    let rows = [(1.0, 100.0), (1.0, 80.0), (4.0, 250.0), (4.0, 320.0), (9.0, 500.0), (9.0, 380.0), (20.0, 450.0)];
    let found = fit(&sets::observations(&rows), Method::Poly3).expect("four different N");
    let mut m = [[0.0; 4]; 3];
    for (n, x) in rows {
        let u: f64 = n - 1.0;
        let f = [1.0, u, u * u];
        for i in 0..3 {
            for j in 0..3 {
                m[i][j] += f[i] * f[j];
            }
            m[i][3] += f[i] * n / x;
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            if i != j {
                let factor = m[j][i] / m[i][i];
                let head = m[i];
                m[j].iter_mut().zip(head).for_each(|(cell, value)| *cell -= factor * value);
            }
        }
    }
    let [c, b, a] = [0, 1, 2].map(|i| m[i][3] / m[i][i]);
    let want = Usl { contention: (b - a) / c, coherency: a / c, unit_throughput: 1.0 / c };
    assert!(same(&found.law, &want, 1e-9), "{:?}, wanted {want:?}", found.law);
}
