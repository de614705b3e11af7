use super::{fisher, student_t};

/// Tables of Student's t: p, degrees of freedom, value.
#[test]
fn student_t_as_tabulated() {
    let cases = [
        (0.975, 1.0, 12.706_204_736),
        (0.975, 3.0, 3.182_446_305),
        (0.95, 5.0, 2.015_048_373),
        (0.975, 8.0, 2.306_004_135),
        (0.995, 10.0, 3.169_272_673),
        (0.975, 29.0, 2.045_229_642),
        (0.975, 1e7, 1.959_964_2),
        (0.999_5, 2.0, 31.599_054_58),
    ];
    for (p, df, want) in cases {
        let found = student_t(p, df);
        assert!((found - want).abs() <= 1e-7 * want, "t({p}, {df}) = {found}, tables {want}");
        assert!((student_t(1.0 - p, df) + found).abs() <= 1e-6 * want, "symmetric");
    }
    assert_eq!(student_t(0.5, 4.0), 0.0);
}

/// Tables of Fisher's F: p, both degrees of freedom, value.
#[test]
fn fisher_as_tabulated() {
    let cases = [
        (0.95, 1.0, 1.0, 161.447_638_8),
        (0.95, 3.0, 10.0, 3.708_264_8),
        (0.95, 5.0, 2.0, 19.296_409_65),
        (0.99, 4.0, 12.0, 5.411_951_4),
    ];
    for (p, d1, d2, want) in cases {
        let found = fisher(p, d1, d2);
        assert!((found - want).abs() <= 1e-6 * want, "F({p}, {d1}, {d2}) = {found}, tables {want}");
    }
}

/// Law: F(1, d) is the square of t(d).
#[test]
fn fisher_of_one_is_student_squared() {
    for df in [1.0, 2.5, 7.0, 40.0, 1e4] {
        let (f, t) = (fisher(0.95, 1.0, df), student_t(0.975, df));
        assert!((f - t * t).abs() <= 1e-9 * f, "{f} {}", t * t);
    }
}

#[test]
fn what_no_quantile_has_is_infinite_and_never_nan() {
    for p in [-1.0, 0.0, 1.0, 2.0, f64::NAN] {
        for df in [f64::NAN, -1.0, 0.0, 3.0] {
            assert!(!student_t(p, df).is_nan() && !fisher(p, df, 2.0).is_nan(), "{p} {df}");
        }
    }
}
