//! Numbers, by cases worked out by hand and by laws.

use proptest::prelude::*;

use super::*;

#[test]
fn spans() {
    let ns = |value| Some(Span::Ns(value));
    // text, unit, what it is, why this row
    let cases = [
        ("0.004", Unit::S, ns(4_000_000), "seconds with a point"),
        (".5", Unit::S, ns(500_000_000), "nothing before the point"),
        ("7.", Unit::Ms, ns(7_000_000), "nothing behind it"),
        ("1.0000000019", Unit::S, ns(1_000_000_001), "finer than ns: rounded down"),
        ("-", Unit::S, Some(Span::Unknown), "not known"),
        ("-1", Unit::Ms, Some(Span::Unknown), "HAProxy and ALB: not known"),
        ("-0.001", Unit::S, Some(Span::Unknown), "the clock went back"),
        ("", Unit::S, Some(Span::Unknown), "nothing"),
        ("1e-05", Unit::S, ns(10_000), "an exponent"),
        ("12.5ms", Unit::S, ns(12_500_000), "brings its unit"),
        ("1m2.5s", Unit::Ms, ns(62_500_000_000), "brings two"),
        ("35 µs", Unit::S, ns(35_000), "a blank before the unit"),
        ("18446744073709551615", Unit::Ns, ns(u64::MAX), "the largest"),
        ("18446744073709551616", Unit::Ns, None, "too large"),
        ("18446744074", Unit::S, None, "too large in ns"),
        (".", Unit::S, None, "no digit"),
        ("--1", Unit::S, Some(Span::Unknown), "below 0, however often"),
        ("1,5", Unit::S, None, "a comma"),
        ("abc", Unit::S, None, "no number"),
        ("5 parsecs", Unit::S, None, "no unit"),
    ];
    for (text, unit, want, why) in cases {
        assert_eq!(span(text.as_bytes(), unit), want, "{why}: {text}");
    }
}

#[test]
fn lists() {
    let cases = [
        ("0.1, 0.2 : 0.003", Some(Span::Ns(303_000_000))),
        ("-, 0.121", Some(Span::Ns(121_000_000))),
        ("-", Some(Span::Unknown)),
        ("0.1, x", None),
    ];
    for (text, want) in cases {
        assert_eq!(list(text.as_bytes(), Unit::S), want, "{text}");
    }
}

proptest! {
    /// Law: a count is what the standard library reads, unless it has a sign.
    #[test]
    fn counts(text in "[0-9+ -]{0,22}") {
        let want = text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<u64>().ok()).flatten();
        prop_assert_eq!(count(text.as_bytes()), want);
    }
}
