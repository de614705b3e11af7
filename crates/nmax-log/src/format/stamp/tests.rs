//! The calendar of `jiff` is the oracle.

use jiff::civil::Date;
use proptest::prelude::*;

use super::{Stamp, any, clf, days, iso};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Law: days are those of the calendar, and days that it does not have are refused.
    #[test]
    fn days_are_those_of_the_calendar(year in 1960_i16..2210, month in 0_i8..14, day in 0_i8..33) {
        let want = Date::new(year, month, day).ok().filter(|_| (1970..2200).contains(&year));
        let want = want.map(|date| i64::from((date - Date::constant(1970, 1, 1)).get_days()));
        let got = days(u32::from(year.unsigned_abs()), u32::from(month.unsigned_abs()), u32::from(day.unsigned_abs()));
        prop_assert_eq!(got, want);
    }

    /// Law: what `jiff` prints is read as what it printed.
    #[test]
    fn stamps_of_jiff(us in 0_i64..7_000_000_000_000_000, quarters in -60_i32..=60, digits in 0_usize..=6) {
        let offset_s = quarters * 900;
        let zone = jiff::tz::TimeZone::fixed(jiff::tz::Offset::from_seconds(offset_s).expect("within a day"));
        let zoned = jiff::Timestamp::from_microsecond(us).expect("in range").to_zoned(zone);
        let print = |format: &str| zoned.strftime(format).to_string();
        let fraction = if digits == 0 { String::new() } else { format!(".%{digits}f") };
        let resolution = 10_i64.pow(6 - u32::try_from(digits).expect("small"));
        let want = Some(Stamp { us: us / resolution * resolution, resolution_us: u32::try_from(resolution).expect("small") });
        for zone in ["%z", "%:z", " %z"] {
            prop_assert_eq!(iso(print(&format!("%Y-%m-%dT%H:%M:%S{fraction}{zone}")).as_bytes(), 0), want);
        }
        prop_assert_eq!(clf(print(&format!("%d/%b/%Y:%H:%M:%S{fraction} %z")).as_bytes(), 0), want);
        prop_assert_eq!(clf(print(&format!("%d/%b/%Y:%H:%M:%S{fraction}")).as_bytes(), offset_s), want);
        prop_assert_eq!(any(print(&format!("[%d/%b/%Y:%H:%M:%S{fraction} %z]")).as_bytes(), 0), want);
    }

    /// Law: a number is read in the unit in which it is a time of this century.
    #[test]
    fn numbers_tell_their_unit(us in 978_307_200_000_000_i64..4_000_000_000_000_000) {
        for (text, resolution) in [
            (format!("{}", us / 1_000_000), 1_000_000),
            (format!("{}.{:03}", us / 1_000_000, us / 1000 % 1000), 1000),
            (format!("{}", us / 1000), 1000),
            (format!("{us}"), 1),
            (format!("{us}123"), 1),
        ] {
            prop_assert_eq!(any(text.as_bytes(), 0), Some(Stamp { us: us / i64::from(resolution) * i64::from(resolution), resolution_us: resolution }), "{}", text);
        }
    }
}

#[test]
fn wrong_stamps_are_refused() {
    for text in [
        "30/Feb/2024:00:00:00 +0000", "10/Okt/2000:13:55:36 -0700", "10/Oct/2000:24:00:00 -0700",
        "10/Oct/2000:13:60:36 -0700", "10/Oct/2000:13:55:36 +1900", "10/Oct/2000:13:55:36 +0060",
        "10/Oct/2000:13:55:36 CEST", "10/Oct/2000:13:55:36 -0700x", "10/Oct/2200:13:55:36 -0700",
        "10/Oct/1969:13:55:36 -0700", "01/Jan/1970:00:00:00 +0100", "2023-02-29T00:00:00Z", "2023-13-01T00:00:00Z",
        "2023-01-01X00:00:00Z", "2023-01-01T00:00:00.Z", "", "-", "99999999999999999999",
    ] {
        assert_eq!(any(text.as_bytes(), 0), None, "{text}");
    }
    assert!(any(b"31/Dec/2016:23:59:60 +0000", 0).is_some(), "leap seconds exist");
}
