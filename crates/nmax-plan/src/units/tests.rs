use proptest::prelude::*;

use super::*;

#[test]
fn durations_worked_by_hand() {
    let cases = [
        ("250ms", 250_000_000),
        ("1.5s", 1_500_000_000),
        ("2m", 120_000_000_000),
        ("1h30m", 5_400_000_000_000),
        ("10us", 10_000),
        ("10µs", 10_000),
        ("1h 0.5s", 3_600_500_000_000),
        ("1d", 86_400_000_000_000),
        ("2min", 120_000_000_000),
        ("0s", 0),
        (".5ms", 500_000),
    ];
    for (text, ns) in cases {
        assert_eq!(parse_duration(text), Ok(Duration::from_nanos(ns)), "{text}");
    }
}

#[test]
fn durations_are_written_short() {
    let cases = [
        (0, "0s"),
        (7, "7ns"),
        (1_500, "1.5us"),
        (250_000_000, "250ms"),
        (1_500_000_000, "1.5s"),
        (90_000_000_000, "1m30s"),
        (3_600_000_000_000, "1h"),
        (3_600_000_000_001, "1h0.000000001s"),
        (60_250_000_000, "1m0.25s"),
    ];
    for (ns, text) in cases {
        assert_eq!(format_duration(Duration::from_nanos(ns)), text);
    }
}

#[test]
fn rates_sizes_and_shares_worked_by_hand() {
    for (text, per_s) in
        [("200/s", 200.0), ("2k/s", 2000.0), ("120/m", 2.0), ("36/h", 0.01), ("1.5M/s", 1.5e6), ("0/s", 0.0)]
    {
        assert_eq!(parse_rate(text), Ok(per_s), "{text}");
    }
    for (text, bytes) in [("64kB", 64_000), ("1MiB", 1_048_576), ("1.5KiB", 1536), ("0B", 0), ("3 GB", 3_000_000_000)] {
        assert_eq!(parse_size(text), Ok(bytes), "{text}");
    }
    for (text, ratio) in [("5%", 0.05), ("0.1%", 0.001), ("100%", 1.0), ("250 %", 2.5), ("0%", 0.0)] {
        assert_eq!(parse_share(text), Ok(ratio), "{text}");
    }
    for (ratio, text) in
        [(0.05, "5%"), (0.001, "0.1%"), (1.0, "100%"), (2.5, "250%"), (0.0, "0%"), (0.125, "12.5%"), (1e-7, "0.00001%")]
    {
        assert_eq!(format_share(ratio), text);
    }
}

#[test]
fn wrong_quantities_say_what_to_write() {
    for (text, message) in [
        ("5", "`5` has no unit of time"),
        ("", "the duration is empty"),
        ("-5s", "`-5s` is negative"),
        ("5 parsecs", "`parsecs` is not a unit of time"),
        ("soon", "`soon` is not a duration"),
        ("1.2.3s", "`1.2.3s` is not a whole number of nanoseconds"),
        ("0.1ns", "`0.1ns` is not a whole number of nanoseconds"),
        ("200y", "`y` is not a unit of time"),
        ("40000d", "`40000d` is longer than 100 years"),
    ] {
        assert_eq!(parse_duration(text).unwrap_err().message, message);
    }
    assert_eq!(parse_rate("200").unwrap_err().message, "`200` has no `/s`, `/m` or `/h`");
    assert_eq!(parse_rate("x/s").unwrap_err().message, "`x` is not a number");
    assert_eq!(parse_rate("1/fortnight").unwrap_err().message, "`/fortnight` is not a unit of a rate");
    assert_eq!(parse_rate("2G/s").unwrap_err().message, "`2G` is not a number");
    assert_eq!(parse_rate("9999M/s").unwrap_err().message, "`9999M/s` is above 1000M/s");
    assert_eq!(parse_size("64").unwrap_err().message, "`64` has no unit of size");
    assert_eq!(parse_size("64KiBit").unwrap_err().message, "`KiBit` is not a unit of size");
    assert_eq!(parse_share("0.05").unwrap_err().message, "`0.05` has no `%`");
    assert_eq!(parse_share("-1%").unwrap_err().message, "`-1%` is not a percentage");
}

proptest! {
    /// Law: parse(format(x)) = x, for every duration up to the limit, down to the nanosecond.
    #[test]
    fn durations_come_back(ns in prop_oneof![0..2_000_000_u64, 0..3_153_600_000_000_000_000_u64], scale in 0..10_u32) {
        let duration = Duration::from_nanos(ns / 10_u64.pow(scale) * 10_u64.pow(scale));
        prop_assert_eq!(parse_duration(&format_duration(duration)), Ok(duration));
    }

    /// Law: parse(format(x)) = x for rates, bit for bit.
    #[test]
    fn rates_come_back(rate in prop_oneof![0.0..1e9_f64, 0.0..1e-3_f64]) {
        prop_assert_eq!(parse_rate(&format_rate(rate)), Ok(rate));
    }

    /// Law: parse(format(x)) = x for sizes.
    #[test]
    fn sizes_come_back(bytes in prop_oneof![any::<u64>(), (0..1_u64 << 24).prop_map(|k| k << 20), (0..1_000_u64).prop_map(|k| k * 1_000_000)]) {
        prop_assert_eq!(parse_size(&format_size(bytes)), Ok(bytes));
    }

    /// Law: parse(format(x)) = x for shares, bit for bit.
    #[test]
    fn shares_come_back(ratio in prop_oneof![0.0..1.0_f64, 0.0..1e5_f64, 0.0..1e-9_f64]) {
        prop_assert_eq!(parse_share(&format_share(ratio)), Ok(ratio));
    }

    /// Law: no text makes a parser panic.
    #[test]
    fn any_text_is_answered(text in "[0-9.a-zµ/% -]{0,12}|\\PC{0,12}") {
        let _ = (parse_duration(&text), parse_rate(&text), parse_size(&text), parse_share(&text));
    }
}

#[test]
fn rates_of_lines_worked_by_hand() {
    for (text, bits_per_s) in [
        ("256kbit/s", 256e3),
        ("100Mbit/s", 1e8),
        ("1.5 Mbit/s", 1.5e6),
        ("10Gbit/s", 1e10),
        ("500bit/s", 500.0),
        ("32kB/s", 256e3),
        ("1MB/s", 8e6),
        ("0.5bit/s", 0.5),
    ] {
        assert_eq!(parse_bit_rate(text), Ok(bits_per_s), "{text}");
    }
    for (bits_per_s, text) in [
        (256e3, "256kbit/s"),
        (1e8, "100Mbit/s"),
        (1.5e6, "1500kbit/s"),
        (2e9, "2Gbit/s"),
        (512.0, "512bit/s"),
        (0.5, "0.5bit/s"),
    ] {
        assert_eq!(format_bit_rate(bits_per_s), text);
    }
    for (text, message) in [
        ("256", "`256` has no `bit/s`"),
        ("256kbit", "`256kbit` has no `bit/s`"),
        ("256/s", "`256/s` says neither bits nor bytes"),
        ("256kb/s", "`kb/s` is not a unit of a line's rate"),
        ("x/s", "`x/s` is not a unit of a line's rate"),
        ("kbit/s", "`kbit/s` is not a number of bits per second"),
        ("0kbit/s", "`0kbit/s` lets nothing through"),
        ("2000Gbit/s", "`2000Gbit/s` is above 1000Gbit/s"),
    ] {
        assert_eq!(parse_bit_rate(text).unwrap_err().message, message, "{text}");
    }
}

proptest! {
    /// Law: parse(format(x)) = x, exactly, for any rate of a line.
    #[test]
    fn rates_of_lines_come_back(whole in 1..1_000_000_000_000_u64, part in 1e-6..1e12_f64) {
        for bits_per_s in [whole as f64, part] {
            prop_assert_eq!(parse_bit_rate(&format_bit_rate(bits_per_s)), Ok(bits_per_s));
        }
    }
}
