use super::*;

fn estimate(estimate: f64, low: f64, high: f64) -> Estimate {
    Estimate { estimate, low: Some(low), high: Some(high), at_bound: false }
}

#[test]
fn digits_follow_the_interval() {
    let cases = [
        (estimate(0.020_453_91, 0.015_710_6, 0.025_197), "0.0205 (0.0157 to 0.0252)"),
        (estimate(12_208.33, 11_977.2, 12_445.1), "12,208 (11,977 to 12,445)"),
        (estimate(33.157_6, 30.79, 35.71), "33.2 (30.8 to 35.7)"),
        (estimate(3.36e-6, -2.72e-4, 2.79e-4), "0.000003 (−0.000272 to 0.000279)"),
        (estimate(0.025_517_04, -0.0126, 0.063_64), "0.0255 (−0.0126 to 0.0636)"),
        (estimate(0.020_957_67, 0.016_5, 0.025_4), "0.0210 (0.0165 to 0.0254)"),
        (estimate(1e-9, 9e-10, 1.1e-9), "1.0e-9 (9.0e-10 to 1.1e-9)"),
        (estimate(7.0, 7.0, 7.0), "7.000 (7.000 to 7.000)"),
    ];
    for (of, want) in cases {
        assert_eq!(both(&of), want);
    }
    let unknown = Estimate { low: None, high: None, ..estimate(3.571_411, 0.0, 0.0) };
    assert_eq!(both(&unknown), "3.571 (no interval)");
    let at_bound = Estimate { at_bound: true, ..unknown };
    assert_eq!(interval(&at_bound), "at bound");
}

#[test]
fn numbers_are_grouped_and_never_minus_zero() {
    assert_eq!(fixed(-0.000_4, 2), "0.00");
    assert_eq!(fixed(-1_234_567.0, 0), "−1,234,567");
    assert_eq!(fixed(f64::NAN, 2), UNKNOWN);
    assert_eq!(fixed(0.0, 9), "0");
    assert_eq!(plain(286.08), "286.1");
    assert_eq!(plain(8.0), "8");
    assert_eq!(plain(11_048.4), "11,048");
    assert_eq!(distance(110.0, Some(100.0)), "+10.0 %");
    assert_eq!(distance(99.999, Some(100.0)), "0.0 %");
}

#[test]
fn many_rows_are_counted() {
    assert_eq!(rows(&[3]), "row 3");
    assert_eq!(rows(&(1..=10).collect::<Vec<_>>()), "rows 1, 2, 3, 4, 5, 6, 7, 8 and 2 more");
}
