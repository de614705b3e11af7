use proptest::prelude::*;

use super::stationary::{adf, adf_with, drift, kpss, kpss_with, mser5};
use super::*;
use crate::course::Latency;

/// Numbers in [0, 1) from a linear congruential generator (Knuth's MMIX); the oracle's script uses the same.
struct Uniform(u64);

impl Uniform {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Nearly normal: three uniform numbers, of variance 1 in all.
    fn normal(&mut self) -> f64 {
        2.0 * ((0..3).map(|_| self.next()).sum::<f64>() - 1.5)
    }
}

fn made(kind: &str, n: usize) -> Vec<f64> {
    let mut uniform = Uniform(12_345);
    let mut state = 0.0;
    (0..n)
        .map(|t| {
            let noise = uniform.next() - 0.5;
            state = if kind == "walk" { state + noise } else { 0.5 * state + noise };
            match kind {
                "noise" => 100.0 + 10.0 * noise,
                "ar" => 100.0 + 10.0 * state,
                "walk" => 100.0 + state,
                _ => 100.0 + 10.0 * noise + 0.1 * t as f64,
            }
        })
        .collect()
}

/// Computed by statsmodels 0.15.0 (numpy 2.4.6): `kpss(y, regression="c", nlags=l)`, `adfuller(y, maxlag=k,
/// autolag=None, regression="c")`, of the series of [`made`].
#[test]
fn kpss_and_adf_agree_with_statsmodels() {
    let cases = [
        ("noise", 60, 4, 0.14618616462803913, 3, -3.5010055800932447),
        ("noise", 300, 15, 0.1353094414268696, 6, -6.839146801776466),
        ("ar", 60, 4, 0.20955595748248843, 3, -2.8859536760846094),
        ("ar", 300, 15, 0.12166842316101974, 6, -6.043965618437916),
        ("walk", 60, 4, 1.0508451252652757, 3, -0.44247002167040766),
        ("walk", 300, 15, 0.13304293260505548, 6, -1.9615027321106264),
        ("trend", 60, 4, 0.8149665099492434, 3, -2.317426376508176),
        ("trend", 300, 15, 1.9705653441623108, 6, -0.2875737889435697),
    ];
    for (kind, n, lags, eta, differences, t) in cases {
        let series = made(kind, n);
        let (ours, statistic) = (kpss_with(&series, lags).unwrap(), adf_with(&series, differences).unwrap());
        assert!((ours - eta).abs() < 1e-9, "{kind} {n}: KPSS {ours}, not {eta}");
        assert!((statistic - t).abs() < 1e-7, "{kind} {n}: ADF {statistic}, not {t}");
    }
}

/// MSER-5 as its definition is written, in O(n²).
fn mser5_by_definition(series: &[f64]) -> Option<usize> {
    let batches: Vec<f64> = series.chunks_exact(5).map(|batch| batch.iter().sum::<f64>() / 5.0).collect();
    let n = batches.len();
    let statistic = |d: usize| {
        let rest = &batches[d..];
        let mean = rest.iter().sum::<f64>() / rest.len() as f64;
        rest.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (rest.len() as f64).powi(2)
    };
    let best = (0..=n / 2).min_by(|a, b| statistic(*a).total_cmp(&statistic(*b)))?;
    (best < n / 2).then_some(best * 5)
}

#[test]
fn a_transient_is_cut_off() {
    let mut uniform = Uniform(7);
    let mut settling = |length: f64| -> Vec<f64> {
        (0..300).map(|t| 100.0 + 200.0 * (-f64::from(t) / length).exp() + uniform.normal()).collect()
    };
    let cut = mser5(&settling(10.0)).expect("it settles");
    assert!((25..100).contains(&cut), "{cut}");
    assert_eq!(mser5(&settling(300.0)), None, "half of it does not bring the end");
    assert_eq!(mser5(&[5.0; 100]), Some(0));
    assert_eq!(mser5(&[]), Some(0));
}

#[test]
fn constants_have_no_trend_and_no_noise() {
    let constant = [0.1; 100];
    assert_eq!((drift(&constant), kpss(&constant)), (Some(0.0), Some(0.0)));
    assert_eq!(adf(&constant), None);
    assert_eq!((drift(&[]), kpss(&[]), adf(&[1.0])), (None, None, None));
    assert_eq!(drift(&[0.0; 9]), None, "of nothing there is no share");
}

/// Without the cap on its lags KPSS could not see any trend in a short run.
#[test]
fn a_straight_line_is_no_level() {
    for n in 60..400 {
        let line: Vec<f64> = (0..n).map(|t| 100.0 + f64::from(t)).collect();
        let eta = kpss(&line).unwrap();
        assert!(eta > KPSS_CRITICAL, "{n}: {eta}");
    }
}

proptest! {
    /// Law: sums from the back give what the definition gives.
    #[test]
    fn mser5_is_its_definition(series in prop::collection::vec(0.0..100.0_f64, 20..200)) {
        prop_assert_eq!(mser5(&series), mser5_by_definition(&series));
    }

    /// Law: on a straight line drift is its slope times its length, relative to its middle, also in blocks.
    #[test]
    fn drift_of_a_line_is_its_slope(n in 2..2_000_usize, slope in -1.0..1.0_f64) {
        let line: Vec<f64> = (0..n).map(|t| 5_000.0 + slope * t as f64).collect();
        let want = slope * n as f64 / (5_000.0 + slope * (n - 1) as f64 / 2.0);
        prop_assert!((drift(&line).unwrap() - want).abs() <= 1e-9);
    }

    /// Law: neither place nor scale changes KPSS and ADF; drift knows no scale.
    #[test]
    fn statistics_have_no_unit(series in prop::collection::vec(1.0..2.0_f64, 30..120), scale in 0.001..1e6_f64) {
        let scaled: Vec<f64> = series.iter().map(|value| value * scale).collect();
        let close = |a: Option<f64>, b: Option<f64>| (a.unwrap() - b.unwrap()).abs() <= 1e-6 * (1.0 + a.unwrap().abs());
        prop_assert!(close(drift(&series), drift(&scaled)));
        prop_assert!(close(kpss(&series), kpss(&scaled)));
        prop_assert!(close(adf(&series), adf(&scaled)));
    }

    /// Law: whatever the course, nothing panics and nothing is NaN.
    #[test]
    fn any_course_has_an_answer(means in prop::collection::vec((0_u64..50, 0.0..1e7_f64, any::<bool>()), 0..150)) {
        let points = means.iter().enumerate().map(|(t, &(exchanges, mean, held))| Point {
            held,
            response: (exchanges > 0).then_some(Latency { mean_ms: mean, p50_ms: mean, p95_ms: mean, p99_ms: mean }),
            ..point(t, exchanges, mean)
        });
        let course = Course { points: points.collect(), requests: Vec::new() };
        if let Some(steadiness) = steadiness(&course) {
            let figures = steadiness.series.iter().flat_map(|test| [test.drift, test.kpss, test.adf]);
            prop_assert!(figures.flatten().all(f64::is_finite), "{:?}", steadiness);
        }
    }
}

fn point(t: usize, exchanges: u64, ms: f64) -> Point {
    Point {
        start_s: t as f64,
        width_s: 1.0,
        held: true,
        level: 100.0,
        started: exchanges,
        iterations: exchanges,
        exchanges,
        response: Some(Latency { mean_ms: ms, p50_ms: ms, p95_ms: 2.0 * ms, p99_ms: 3.0 * ms }),
        ..Point::default()
    }
}

/// n stretches of a second whose times are autoregressive around a level that drifts by `by` over them.
fn run(seed: u64, n: usize, phi: f64, noise: f64, by: f64) -> Course {
    let mut uniform = Uniform(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let (mut slow, mut tail) = (0.0, 0.0);
    let points = (0..n).map(|t| {
        slow = phi * slow + (1.0 - phi * phi).sqrt() * uniform.normal();
        tail = phi * tail + (1.0 - phi * phi).sqrt() * uniform.normal();
        let level = 100.0 * (1.0 + by * (t as f64 / n as f64 - 0.5));
        let mut point = point(t, (1_000.0 + 10.0 * uniform.normal()) as u64, level * (1.0 + noise * slow));
        if let Some(times) = &mut point.response {
            times.p95_ms = 2.0 * level * (1.0 + noise * tail);
        }
        point
    });
    Course { points: points.collect(), requests: Vec::new() }
}

fn unsteady(n: usize, phi: f64, noise: f64, by: f64) -> usize {
    let unsteady = (0..200).filter(|seed| {
        let steadiness = steadiness(&run(*seed, n, phi, noise, by)).unwrap();
        assert_eq!(steadiness.text.starts_with("not steady"), steadiness.holds == Some(false));
        steadiness.holds == Some(false)
    });
    unsteady.count()
}

/// Coverage: of 200 correct runs at most 5 are called unsteady, of 200 that drift by a fifth at least 195 are found.
#[test]
fn correct_runs_are_steady_and_drifting_ones_are_not() {
    //  stretches  phi  noise
    let cases = [(300, 0.5, 0.08), (300, 0.0, 0.1), (100, 0.5, 0.03), (60, 0.0, 0.03)];
    for (n, phi, noise) in cases {
        let (false_alarms, found) = (unsteady(n, phi, noise, 0.0), unsteady(n, phi, noise, 0.2));
        assert!(false_alarms <= 5 && found >= 195, "{n} {phi} {noise}: {false_alarms} false, {found} found");
        assert!(unsteady(n, phi, noise, -0.2) >= 195, "{n} {phi} {noise}: downwards");
    }
}

#[test]
fn short_holds_say_how_long_to_hold() {
    let steadiness_of = |n: usize, exchanges: u64| {
        let points = (0..n).map(|t| point(t, exchanges, 20.0)).collect();
        steadiness(&Course { points, requests: Vec::new() })
    };
    let short = steadiness_of(59, 100).unwrap();
    assert_eq!(short.holds, None);
    assert!(short.text.contains("59 stretches") && short.text.ends_with("hold for at least 60 s"), "{}", short.text);
    let poor = steadiness_of(100, 4).unwrap();
    assert_eq!(poor.holds, None);
    assert!(poor.text.ends_with("hold for at least 180 s"), "{}", poor.text);
    let silent = steadiness_of(10, 0).unwrap();
    assert!(silent.text.ends_with("no exchange ended in it"), "{}", silent.text);
    // A quiet stretch is the longest at one level, beside points with a level of their own: a replay.
    let replayed = (0..30)
        .map(|t| Point { level: f64::from(t as u32).mul_add(3.0, 10.0), ..point(t, 100, 20.0) })
        .chain((30..50).map(|t| point(t, 0, 20.0)));
    let replayed = steadiness(&Course { points: replayed.collect(), requests: Vec::new() });
    let text = replayed.expect("a hold").text;
    assert_eq!(text, "not tested: the load is held at no level, as in ramps and replays");
    assert_eq!(steadiness_of(0, 0), None);
    assert_eq!(steadiness_of(60, 10).unwrap().holds, Some(true));
    let joined = steadiness_of(200, 4).unwrap();
    assert_eq!((joined.holds, joined.series.len()), (Some(true), 2), "p95 of joined stretches is not known");
}

/// A step of the plan is no drift of the target: the longest level is tested, ramps and other levels are not.
#[test]
fn only_one_level_is_tested() {
    let mut points: Vec<Point> = (0..200).map(|t| point(t, 100, 20.0)).collect();
    for (t, point) in points.iter_mut().enumerate() {
        point.held = t >= 20;
        let (level, ms) = if t < 60 { (50.0, 5.0) } else { (100.0, 20.0) };
        (point.level, point.response) = (level, Some(Latency { mean_ms: ms, p50_ms: ms, p95_ms: ms, p99_ms: ms }));
    }
    let whole = steadiness(&Course { points: points.clone(), requests: Vec::new() }).unwrap();
    assert_eq!(whole.holds, Some(true), "{}", whole.text);
    assert!(whole.text.contains("140 s"), "{}", whole.text);
    points.iter_mut().for_each(|point| point.held = false);
    assert_eq!(steadiness(&Course { points, requests: Vec::new() }), None, "nothing is held");
}
