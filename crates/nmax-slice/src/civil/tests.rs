use proptest::prelude::*;

use super::*;

#[test]
fn instants_worked_by_hand() {
    let cases = [
        ("1970-01-01T00:00:00Z", 0, "the origin"),
        ("1970-01-02 01:00", 86_400 + 3_600, "zone of the caller: UTC"),
        ("2000-02-29", 951_782_400, "a leap day of a century"),
        ("2000-02-29 9:05", 951_815_100, "an hour of one digit"),
        ("2026-11-20T18:00:05+01:00", 1_795_194_005, "a zone of its own"),
        ("1969-12-31 23:59:59", -1, "before the origin"),
    ];
    for (text, seconds, why) in cases {
        assert_eq!(parse(text, 0), Some(seconds * NS_PER_S), "{why}: {text}");
    }
    for text in
        ["", "2026", "2026-02-30", "2026-13-01", "2026-11-20 24:00", "2026-11-20 1:2:3:4", "20261120", "2026-11-20 é"]
    {
        assert_eq!(parse(text, 0), None, "{text}");
    }
    assert_eq!(weekday(0, 0), "Thu");
    assert_eq!(weekday(1_795_194_005 * NS_PER_S, 0), "Fri");
}

proptest! {
    /// Law: parse(stamp(t)) = t for whole seconds of four-digit years, in any zone.
    #[test]
    fn stamps_come_back(second in -9_000_000_000..9_000_000_000_i64, zone_s in -50_400..50_400_i32) {
        let ns = second.wrapping_mul(NS_PER_S);
        let text = stamp(ns, zone_s);
        prop_assert_eq!(parse(&text, zone_s), Some(ns), "{}", text);
    }
}
