//! Defects that were found in other programs for the law, and the tests that would show each here.
//!
//! [`DEFECTS`] is the table; tests that are not elsewhere follow.

use crate::sets;
use nmax_usl::quantile::student_t;
use nmax_usl::{Bounds, Method, Usl, fit, fit_within};

/// Number of the defect, what was wrong, and the names of the tests that fail with it.
pub(crate) const DEFECTS: [(u8, &str, &[&str]); 18] = [
    (
        1,
        "X at a response time has the sign of α − β turned",
        &["concurrency_inverts_response_time", "throughput_by_response_time_stays_below_the_peak", "worked_inverses"],
    ),
    (
        2,
        "R and N at a throughput leave out β and give numbers above the peak",
        &[
            "concurrency_inverts_throughput",
            "concurrency_above_peak_inverts_throughput",
            "more_than_the_peak_is_an_error",
        ],
    ),
    (
        3,
        "intervals take a one-sided quantile with n − 1 degrees of freedom",
        &["raytracer_six_has_its_correct_intervals", "designs_with_known_figures"],
    ),
    (
        4,
        "the band has the same width everywhere",
        &["band_and_peak_follow_the_delta_method", "the_band_of_specsdm91_varies"],
    ),
    (5, "a coefficient on its bound has a standard error", &["values_at_a_bound_are_named_and_have_no_error"]),
    (
        6,
        "bounds set by hand become the answer",
        &["values_at_a_bound_are_named_and_have_no_error", "an_active_bound_is_named"],
    ),
    (
        7,
        "few points are a panic, and fewer than six are refused",
        &["few_points_give_few_claims", "what_cannot_be_fitted_is_an_error_with_its_row", "fits_are_never_nan"],
    ),
    (8, "a concurrency is cut to a whole number", &["fractions_of_concurrency_stay"]),
    (9, "the first row of a table is lost, and labels are swapped", &["coefficients_go_round"]),
    (10, "X at a response time has α − β inside the root", &["concurrency_inverts_response_time", "worked_inverses"]),
    (11, "a logarithmic search cannot find β = 0", &["no_coherency_is_found_in_half_of_the_fits"]),
    (12, "the search ends where D < 0", &["no_start_leads_across_a_pole", "fits_of_possible_points_are_never_nan"]),
    (13, "N_peak is rounded down", &["the_peak_is_highest", "cisco_as_three_libraries_print_it"]),
    (14, "a printed peak does not follow from its coefficients", &["the_sparc_row_of_2010_peaks_at_10"]),
    (15, "methods disagree, and none is named", &["methods_disagree_and_are_named"]),
    (
        16,
        "published coefficients were changed by hand",
        &["published_coefficients", "no_search_finds_a_lower_sum_of_squares"],
    ),
    (
        17,
        "a peak is reported far beyond the data",
        &["peaks_of_prefixes_of_cisco", "nothing_is_said_beyond_twice_the_data"],
    ),
    (
        18,
        "no weights, no response times, no intervals",
        &["order_and_weights", "concurrency_inverts_response_time", "answers_have_weights_times_and_intervals"],
    ),
];

/// The table names tests that there are.
#[test]
fn every_defect_has_a_test() {
    let mut sources = String::new();
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![here.join("src"), here.join("tests"), here.join("../nmax/tests/it")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of this repository") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                sources.push_str(&std::fs::read_to_string(&path).expect("source text"));
            }
        }
    }
    for (position, (number, _, tests)) in DEFECTS.iter().enumerate() {
        assert_eq!(usize::from(*number), position + 1);
        assert!(!tests.is_empty());
        for test in *tests {
            assert!(sources.contains(&format!("fn {test}(")), "defect {number}: there is no test `{test}`");
        }
    }
}

/// Defects 1, 2 and 10 put into numbers: what the wrong formulas give for Cisco, and how far that is.
#[test]
fn wrong_inverses_are_far_off() {
    let law = fit(&sets::cisco(), Method::Ols).expect("a fit").law;
    let Usl { contention: a, coherency: b, unit_throughput: g } = law;
    let near = |found: f64, want: f64| assert!((found - want).abs() <= 1e-4 * want, "{found}, wanted {want}");
    let root = |r: f64| (a * a + b * b + 2.0 * b * (2.0 * g * r + a - 2.0)).sqrt();
    let turned = |r: f64| (a - b + root(r)) / (2.0 * b * r);
    near(turned(0.030), 7047.8);
    near(turned(0.002), 28_485.0);
    assert!(turned(0.002) > law.peak_throughput().expect("a peak"));
    for (r_s, x) in [(0.030, 5923.28), (0.002, 11_616.94)] {
        near(law.concurrencies_at_response_time(r_s, 0.0).expect("a load").rising.expect("a load") / r_s, x);
    }
    // Without β.
    let without = (1.0 - a) / (g / 11_048.0 - a);
    assert!((without - 15.35).abs() < 0.01, "{without}");
    assert!((law.concurrency_at(11_048.0).expect("below the peak") - 19.92).abs() < 0.01);
}

/// Defect 4: half-widths of the 95 % band of specsdm91 by OLS run from 39.5 to 202.2 per second, not 131.4 everywhere
/// (which is the residual deviation times a one-sided quantile).
#[test]
fn the_band_of_specsdm91_varies() {
    let observations = sets::specsdm91();
    let fit = fit(&observations, Method::Ols).expect("a fit");
    let half = |n: f64| {
        let (low, high) = fit.band_at(n).expect("a band");
        0.5 * (high - low)
    };
    let halves: Vec<f64> = observations.iter().map(|o| half(o.n)).collect();
    let (least, most) = halves.iter().fold((f64::INFINITY, 0.0_f64), |(l, m), h| (l.min(*h), m.max(*h)));
    assert!((least - 39.5).abs() < 0.05 && (most - 202.2).abs() < 0.05, "{halves:?}");
    let t = student_t(0.975, 4.0);
    let c = fit.covariance.expect("degrees");
    for o in &observations {
        let f = fit.gradient_at(o.n);
        let mut square = 0.0;
        for i in 0..3 {
            for j in 0..3 {
                square += f[i] * c[i][j] * f[j];
            }
        }
        assert!((half(o.n) - t * square.sqrt()).abs() <= 1e-9 * half(o.n));
    }
}

/// Defect 8: what Little's law gives is kept with its fraction, on the way in and out.
#[test]
fn fractions_of_concurrency_stay() {
    let law = Usl { contention: 0.05, coherency: 0.002, unit_throughput: 100.0 };
    let n = law.concurrency_at(law.throughput_at(1.9)).expect("below the peak");
    assert!((n - 1.9).abs() < 1e-12, "{n}");
    let loads = [1.0, 1.9, 3.3, 6.7, 12.1];
    let points = sets::observations(&loads.map(|n| (n, law.throughput_at(n))));
    let found = fit(&points, Method::Log).expect("a fit").law;
    assert!((found.contention - 0.05).abs() < 1e-9 && (found.coherency - 0.002).abs() < 1e-9, "{found:?}");
}

/// Defect 14: the slides' row for SPARC has α .0041 and β .0092. That is a peak at 10.4, and 22 was printed.
#[test]
fn the_sparc_row_of_2010_peaks_at_10() {
    let law = Usl { contention: 0.0041, coherency: 0.0092, unit_throughput: 1.0 };
    let peak = law.peak_concurrency().expect("a peak");
    assert!((peak - 10.4).abs() < 0.005, "{peak}");
    assert_eq!(law.peak_integer().expect("a peak").0, 10.0);
    assert!(law.throughput_at(22.0) < 0.8 * law.peak_throughput().expect("a peak"));
}

/// Defect 15: on the same seven points α is .0255, .0181, .0010, −.0122 or .0182 by method, so the method is kept with
/// every fit, and names are told apart.
#[test]
fn methods_disagree_and_are_named() {
    let want = [0.0182, -0.0122, 0.0255, 0.0181, 0.0010];
    for (method, want) in Method::ALL.into_iter().zip(want) {
        let fit = fit(&sets::memcached(), method).expect("a fit");
        assert_eq!(fit.method, method);
        assert!((fit.law.contention - want).abs() < 5e-5, "{}: {}", method.name(), fit.law.contention);
    }
    let mut names = Method::ALL.map(Method::name).to_vec();
    names.dedup();
    assert_eq!(names, ["log", "ols", "ols2", "poly2", "poly3"]);
    // A bounded fit says so by its bound.
    let bounds = Bounds { contention: (0.0, 1.0), coherency: (0.0, 1.0) };
    assert_eq!(fit_within(&sets::memcached(), Method::Ols, &bounds).expect("a fit").at_bound, ["contention"]);
}
