//! Dates and times of day of instants, and back: UTC shifted by a zone.

use jiff::civil::DateTime;
use jiff::{Timestamp, tz::Offset};

/// ns in a second, and seconds in a day.
const NS_PER_S: i64 = 1_000_000_000;
const S_PER_DAY: i64 = 86_400;
/// How instants are written.
pub(crate) const REMEDY: &str = "write it as in '2026-11-20 18:00' or 2026-11-20T17:00:00Z";

/// Days since 1970 and seconds of that day.
fn split(ns: i64, zone_s: i32) -> (i64, i64) {
    let seconds = ns.div_euclid(NS_PER_S) + i64::from(zone_s);
    (seconds.div_euclid(S_PER_DAY), seconds.rem_euclid(S_PER_DAY))
}

fn offset(zone_s: i32) -> Offset {
    Offset::from_seconds(zone_s).unwrap_or(Offset::UTC)
}

fn date_time(ns: i64, zone_s: i32) -> DateTime {
    let at = Timestamp::from_second(ns.div_euclid(NS_PER_S));
    offset(zone_s).to_datetime(at.expect("i64 ns are within the years of the calendar"))
}

/// The date of an instant, as in `2026-11-20`.
pub fn day(ns: i64, zone_s: i32) -> String {
    date_time(ns, zone_s).date().to_string()
}

/// Days since 1970 of an instant in a zone: equal numbers, equal dates.
pub fn day_number(ns: i64, zone_s: i32) -> i64 {
    split(ns, zone_s).0
}

/// The hour of the day, 0 to 23.
pub fn hour(ns: i64, zone_s: i32) -> i64 {
    split(ns, zone_s).1 / 3_600
}

/// The day of the week, as in `Mon`.
pub fn weekday(ns: i64, zone_s: i32) -> &'static str {
    const NAMES: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    NAMES[split(ns, zone_s).0.rem_euclid(7) as usize]
}

/// An instant for people, as in `2026-11-20 18:00:05`.
pub fn stamp(ns: i64, zone_s: i32) -> String {
    date_time(ns, zone_s).strftime("%F %T").to_string()
}

/// ns since 1970 of what a person wrote; in the zone unless the text names another.
pub(crate) fn parse(text: &str, zone_s: i32) -> Option<i64> {
    let text = text.trim();
    // A number without hyphens is no date, although the calendar would take it for one.
    text.get(4..5).filter(|hyphen| *hyphen == "-")?;
    let here = || text.parse().or_else(|_| DateTime::strptime("%Y-%m-%d %H:%M", text));
    let at = text.parse().or_else(|_| offset(zone_s).to_timestamp(here()?)).ok();
    at.and_then(|at: Timestamp| i64::try_from(at.as_nanosecond()).ok())
}

#[cfg(test)]
mod tests;
