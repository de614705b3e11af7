use super::search;
use super::solve::{Scratch, Unit, minimise};
use super::table::{Shape, Table, denominator_min};
use super::{Fit, Method, Scale, fit};
use crate::observation::Observation;
use crate::random::Random;

fn observations(points: &[(f64, f64)]) -> Vec<Observation> {
    let one = |(row, &(n, x))| Observation { n, x, r_s: None, weight: 1.0, row: row + 1, count: None };
    points.iter().enumerate().map(one).collect()
}

const RAYTRACER: [(f64, f64); 11] = [
    (1.0, 20.0),
    (4.0, 78.0),
    (8.0, 130.0),
    (12.0, 170.0),
    (16.0, 190.0),
    (20.0, 200.0),
    (24.0, 210.0),
    (28.0, 230.0),
    (32.0, 260.0),
    (48.0, 280.0),
    (64.0, 310.0),
];

/// The guard against D < 0: from every start the search stays where D > 0, and what is kept has none up to 2·N_hi.
#[test]
fn no_start_leads_across_a_pole() {
    let sets = [
        observations(&RAYTRACER),
        observations(&[(1.0, 10.0), (2.0, 30.0), (4.0, 90.0), (8.0, 200.0), (16.0, 210.0), (32.0, 100.0)]),
        observations(&[(1.0, 955.2), (2.0, 1878.9), (3.0, 2688.0), (4.0, 3548.7), (5.0, 4315.5), (6.0, 5130.4)]),
        // Points of a law that has its pole where nothing was measured: the best fit of all is the forbidden one.
        observations(
            &[1.0, 2.0, 3.0, 110.0, 120.0, 140.0]
                .map(|n: f64| (n, 10.0 * n / (1.0 - 0.2 * (n - 1.0) + 0.002 * n * (n - 1.0)))),
        ),
    ];
    for (set, scale) in sets.iter().flat_map(|set| [(set, Scale::Log), (set, Scale::Linear)]) {
        let table = Table::new(set, scale, Shape::Square).expect("usable");
        let mut scratch = Scratch::default();
        for alpha in [-0.5, -0.05, 0.0, 0.01, 0.1, 0.5, 2.0] {
            for beta in [-0.1, -1e-3, 0.0, 1e-8, 1e-4, 0.01, 0.5] {
                if let Some(found) = minimise(&table, Unit::Free, (alpha, beta), [true, true], &mut scratch) {
                    let at = found.state;
                    assert!(denominator_min(Shape::Square, at.alpha, at.beta, table.n_hi()) > 0.0, "{alpha} {beta}");
                }
            }
        }
        if let Ok(kept) = search::free(&table, Unit::Free, &mut scratch) {
            assert!(kept.converged());
            assert!(denominator_min(Shape::Square, kept.state.alpha, kept.state.beta, 2.0 * table.n_hi()) > 0.0);
        }
    }
}

/// The least D of the ln-variant, against a fine grid.
#[test]
fn least_denominator_of_the_ln_variant() {
    for (alpha, beta) in [(-0.3, 0.1), (-0.9, 0.5), (0.1, 0.1), (-0.2, -0.01), (-0.05, 0.2), (-1.0, 0.01)] {
        let d = |n: f64| 1.0 + alpha * (n - 1.0) + beta * Shape::Log.at(n);
        let grid = (0..=200_000).map(|i| d(1.0 + f64::from(i) * 99.0 / 200_000.0)).fold(f64::INFINITY, f64::min);
        let found = denominator_min(Shape::Log, alpha, beta, 100.0);
        assert!((found - grid).abs() < 1e-6, "{alpha} {beta}: {found}, grid {grid}");
    }
}

/// Sum of squares of ln X with the best γ, on a plane of (α, β).
fn rss(points: &[(f64, f64)], alpha: f64, beta: f64) -> f64 {
    let d = |n: f64| 1.0 + alpha * (n - 1.0) + beta * n * (n - 1.0);
    if points.iter().any(|p| d(p.0) <= 0.0) {
        return f64::INFINITY;
    }
    let e: Vec<f64> = points.iter().map(|(n, x)| (x * d(*n) / n).ln()).collect();
    let mean = e.iter().sum::<f64>() / e.len() as f64;
    e.iter().map(|e| (e - mean).powi(2)).sum()
}

/// The least value of `f` on [low, high], by golden section.
fn least(low: f64, high: f64, f: impl Fn(f64) -> f64) -> f64 {
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    let (mut low, mut high) = (low, high);
    for _ in 0..120 {
        let (a, b) = (high - golden * (high - low), low + golden * (high - low));
        if f(a) < f(b) { high = b } else { low = a }
    }
    f(0.5 * (low + high))
}

/// Every end of a profiled interval is where the best sum of squares, found by another search, reaches
/// RSS·(1 + t²/(n−3)).
#[test]
fn profiled_ends_are_where_the_sum_of_squares_says() {
    let fit = fit(&observations(&RAYTRACER), Method::Log).expect("a fit");
    assert_eq!(fit.profiled, ["coherency", "peak"]);
    let t = fit.quantile().expect("degrees");
    let target = fit.rss * (1.0 + t * t / fit.degrees() as f64);
    let at_target = |what: &str, found: f64| {
        assert!((found - target).abs() <= 1e-5 * target, "{what}: {found}, wanted {target}");
    };
    for beta in [fit.coherency.low, fit.coherency.high] {
        let beta = beta.expect("an end");
        at_target("β", least(-0.05, 0.3, |alpha| rss(&RAYTRACER, alpha, beta)));
    }
    let (place, height) = fit.peak().expect("a peak");
    let n = place.low.expect("a lower end");
    at_target("N_peak", least(-0.5, 0.9, |alpha| rss(&RAYTRACER, alpha, (1.0 - alpha) / (n * n))));
    assert_eq!(place.high, None, "data that hardly bend set no upper end");
    for x in [height.low, height.high] {
        let x = x.expect("an end");
        // With X_peak and q = 1/N_peak held, α and γ remain, and γ follows.
        let best = |q: f64| {
            least(-0.2, 0.5, |alpha| {
                let beta = (1.0 - alpha) * q * q;
                let steep = alpha + (1.0 - alpha) * (2.0 * q - q * q);
                let residual = |(n, at): &(f64, f64)| {
                    let d = 1.0 + alpha * (n - 1.0) + beta * n * (n - 1.0);
                    (at.ln() - (x * steep * n / d).ln()).powi(2)
                };
                let sum: f64 = RAYTRACER.iter().map(residual).sum();
                if sum.is_finite() { sum } else { 1e9 }
            })
        };
        at_target("X_peak", least(1e-9, 0.1, best));
    }
}

/// The covariance is s²(JᵀJ)⁻¹ of all three columns, inverted here by elimination.
#[test]
fn covariance_is_the_inverse_of_all_columns() {
    for method in [Method::Log, Method::Ols, Method::Poly3] {
        let set = observations(&RAYTRACER[..8]);
        let found = fit(&set, method).expect("a fit");
        let columns: Vec<[f64; 3]> = set.iter().map(|o| found.gradient_at(o.n)).collect();
        let normal = |i: usize, j: usize| columns.iter().map(|c| c[i] * c[j]).sum::<f64>();
        let covariance = found.covariance.expect("degrees");
        let variance = found.rss / found.degrees() as f64;
        for i in 0..3 {
            // The covariance is symmetric: row j is column j.
            for (j, column) in covariance.iter().enumerate() {
                let product: f64 = (0..3).map(|k| normal(i, k) * column[k]).sum();
                let scale = (normal(i, i) * column[j]).sqrt();
                let want = if i == j { variance } else { 0.0 };
                assert!((product - want).abs() <= 1e-8 * scale.max(variance), "{method:?} {i} {j}: {product}");
            }
        }
    }
}

/// Bands, peaks and roofs by the delta method, against numerical derivatives.
#[test]
fn band_and_peak_follow_the_delta_method() {
    // Precise enough that nothing is profiled.
    let precise = |(i, n): (usize, &f64)| {
        let x = 50.0 * n / (1.0 + 0.03 * (n - 1.0) + 1e-3 * n * (n - 1.0));
        (*n, x * (1.0 + 0.01 * [1.0, -1.0, -0.5, 0.8, 0.2][i % 5]))
    };
    let points: Vec<(f64, f64)> =
        [1.0, 2.0, 4.0, 8.0, 16.0, 24.0, 32.0, 64.0].iter().enumerate().map(precise).collect();
    for (method, points) in [(Method::Log, &points[..]), (Method::Ols, &RAYTRACER[..6])] {
        let fit = fit(&observations(points), method).expect("a fit");
        assert!(fit.profiled.is_empty());
        let deviation = |of: &dyn Fn(&Fit) -> f64| {
            let c = fit.covariance.expect("degrees");
            let slope = |i: usize| {
                let h = 1e-4 * c[i][i].sqrt();
                let moved = |by: f64| {
                    let mut other = fit.clone();
                    let law = &mut other.law;
                    match (i, method) {
                        (0, _) => law.contention += by,
                        (1, _) => law.coherency += by,
                        (_, Method::Log) => law.unit_throughput *= by.exp(),
                        _ => law.unit_throughput += by,
                    }
                    of(&other)
                };
                (moved(h) - moved(-h)) / (2.0 * h)
            };
            let g = [slope(0), slope(1), slope(2)];
            super::interval::quadratic(&c, g).sqrt() * fit.quantile().expect("degrees")
        };
        let close =
            |found: f64, want: f64| assert!((found - want).abs() <= 1e-5 * want.abs(), "{found}, wanted {want}");
        for n in [1.0, 7.5, 24.0, 40.0] {
            let (low, high) = fit.band_at(n).expect("a band");
            if method == Method::Log {
                close(0.5 * (high / low).ln(), deviation(&|f| f.law.throughput_at(n).ln()));
            } else {
                close(0.5 * (high - low), deviation(&|f| f.law.throughput_at(n)));
            }
        }
        let half = |e: super::Estimate| 0.5 * (e.high.expect("an end") / e.low.expect("an end")).ln();
        let (place, height) = fit.peak().expect("a peak");
        close(half(place), deviation(&|f| f.law.peak_concurrency().expect("a peak").ln()));
        close(half(height), deviation(&|f| f.law.peak_throughput().expect("a peak").ln()));
        let low = |e: super::Estimate| (e.estimate / e.low.expect("an end")).ln();
        close(low(fit.roof().expect("contention")), deviation(&|f| f.law.roof().expect("contention").ln()));
        close(low(fit.optimum().expect("contention")), deviation(&|f| f.law.optimum().expect("contention").ln()));
        let holds_zero = fit.contention.low.is_some_and(|low| low <= 0.0);
        assert_eq!(fit.roof().expect("contention").high.is_none(), holds_zero, "without α no roof");
        assert_eq!(holds_zero, method == Method::Ols);
    }
}

/// Rows beyond the first look's limit are fitted whole, not as the sample that the search begins with.
#[test]
fn many_different_loads_are_fitted_whole() {
    let mut random = Random::new(7);
    let points: Vec<(f64, f64)> = (0..3_000)
        .map(|i| {
            let n = 1.0 + f64::from(i) * 0.03;
            (n, 50.0 * n / (1.0 + 0.03 * (n - 1.0) + 4e-4 * n * (n - 1.0)) * random.lognormal(0.05))
        })
        .collect();
    let fit = fit(&observations(&points), Method::Log).expect("a fit");
    let here = rss(&points, fit.law.contention, fit.law.coherency);
    assert!((fit.rss - here).abs() <= 1e-9 * here);
    let se = fit.standard_errors().expect("degrees");
    for (da, db) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let beside = rss(&points, fit.law.contention + 1e-3 * da * se[0], fit.law.coherency + 1e-3 * db * se[1]);
        assert!(beside > fit.rss, "{da} {db}");
    }
}
