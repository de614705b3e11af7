use proptest::prelude::*;

use super::*;

#[test]
fn numbers_as_people_read_them() {
    let cases = [
        (time(0.0), "0 µs"),
        (time(850.0), "0.85 µs"),
        (time(999_400.0), "999 µs"),
        (time(999_600.0), "1.00 ms"),
        (time(1_234_000.0), "1.23 ms"),
        (time(45.67e9), "45.7 s"),
        (time(725e9), "725 s"),
        (span(3900.0), "1 h 5 min"),
        (span(2.5), "2.50 s"),
        (span(0.031), "0.031 s"),
        (span(0.0), "0 s"),
        (span(30.0), "30 s"),
        (rate(12_345.0), "12.3 k/s"),
        (rate(200.0), "200 /s"),
        (rate(0.5), "0.50 /s"),
        (bytes(1_200_000.0), "1.20 MB"),
        (bytes(17.0), "17 B"),
        (count(1_234_567), "1,234,567"),
        (count(999), "999"),
        (short_count(99_999), "99999"),
        (short_count(12_345_678), "12.3M"),
        (share(0.0), "0 %"),
        (share(1e-7), "<0.01%"),
        (share(0.01234), "1.23 %"),
        (share(0.099_94), "9.99 %"),
        (share(0.099_966), "10.0 %"),
        (share(0.999_4), "99.9 %"),
        (share(0.9999), ">99.9%"),
        (share(1.0), "100 %"),
        (with_unit(Some(1.5), "ms"), "1.50 ms"),
        (with_unit(None, "ms"), "–"),
        (with_unit(Some(-1.5), "ms/h"), "−1.50 ms/h"),
        (with_unit(Some(0.002), "%/h"), "0.20 %/h"),
        (with_unit(Some(1.05e6), "bytes/min"), "1.05 MB/min"),
        (with_unit(Some(90.0), "s"), "1 min 30 s"),
        (with_unit(Some(1000.0), ""), "1,000"),
        (margin(Some(-0.5)), "−50.0 %"),
    ];
    for (got, want) in cases {
        assert_eq!(got, want);
    }
}

proptest! {
    /// Law: what is printed, read back, is the value to three digits.
    #[test]
    fn printed_times_read_back(ns in 1_000.0..3.6e12_f64) {
        let text = time(ns);
        let (number, unit) = text.split_once(' ').unwrap();
        let scale = match unit { "µs" => 1e3, "ms" => 1e6, "s" => 1e9, _ => f64::NAN };
        let back = number.parse::<f64>().unwrap() * scale;
        prop_assert!((back - ns).abs() <= 0.006 * ns, "{ns} printed as {text}");
    }

    /// Law: the widths that tables rely on.
    #[test]
    fn widths_are_bounded(ns in 0.0..3.6e12_f64, n in any::<u64>(), ratio in 0.0..=1.0_f64, per_s in 0.0..1e9_f64) {
        prop_assert!(time(ns).chars().count() <= 7);
        prop_assert!(short_count(n).chars().count() <= 9);
        prop_assert!(share(ratio).chars().count() <= 6);
        prop_assert!(rate(per_s).chars().count() <= 8);
    }
}
