//! Dates and times of day of instants, and back: the Gregorian calendar by arithmetic, UTC shifted by a zone.

/// ns in a second, and seconds in a day.
const NS_PER_S: i64 = 1_000_000_000;
const S_PER_DAY: i64 = 86_400;
/// How instants are written.
pub(crate) const REMEDY: &str = "write it as in '2026-11-20 18:00' or 2026-11-20T17:00:00Z";

/// Days since 1970-01-01 of a date; years from 0 to 9999.
///
/// Source: H. Hinnant, *chrono-compatible low-level date algorithms* (2014), `days_from_civil`: eras of 400 years that
/// begin in March.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// The date of days since 1970-01-01: the inverse of [`days_of`].
fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let date = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, date)
}

/// An instant, taken apart.
fn split(ns: i64, zone_s: i32) -> (i64, i64) {
    let seconds = ns.div_euclid(NS_PER_S) + i64::from(zone_s);
    (seconds.div_euclid(S_PER_DAY), seconds.rem_euclid(S_PER_DAY))
}

/// The date of an instant, as in `2026-11-20`.
pub fn day(ns: i64, zone_s: i32) -> String {
    let (year, month, day) = date_of(split(ns, zone_s).0);
    format!("{year:04}-{month:02}-{day:02}")
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
    let (_, second) = split(ns, zone_s);
    let (hour, minute) = (second / 3_600, second / 60 % 60);
    format!("{} {hour:02}:{minute:02}:{:02}", day(ns, zone_s), second % 60)
}

/// ns since 1970 of what a person wrote; in the zone unless the text names another.
pub(crate) fn parse(text: &str, zone_s: i32) -> Option<i64> {
    let (text, zone_s) = zone(text.trim(), zone_s)?;
    let (date, time) = text.split_once(['T', ' ']).unwrap_or((text, "00:00"));
    let mut parts = date.splitn(3, '-');
    let mut part = |digits: usize| {
        let text = parts.next()?;
        (text.len() == digits).then(|| digits_of(text))?
    };
    let (year, month, day) = (part(4)?, part(2)?, part(2)?);
    let days = days_of(year, month, day);
    if date_of(days) != (year, month, day) {
        return None;
    }
    let mut parts = time.trim().splitn(3, ':');
    let hour = digits_of(parts.next()?).filter(|hour| *hour < 24)?;
    let minute = digits_of(parts.next()?).filter(|minute| *minute < 60)?;
    let second = parts.next().map_or(Some(0), digits_of).filter(|second| *second < 60)?;
    let seconds = days * S_PER_DAY + hour * 3_600 + minute * 60 + second - i64::from(zone_s);
    seconds.checked_mul(NS_PER_S)
}

/// Takes a zone off the end: `Z`, `+01:00`.
fn zone(text: &str, zone_s: i32) -> Option<(&str, i32)> {
    if let Some(text) = text.strip_suffix('Z') {
        return Some((text, 0));
    }
    let Some((at, sign)) = text.char_indices().rev().find(|(at, c)| *at > 10 && matches!(c, '+' | '-')) else {
        return Some((text, zone_s));
    };
    let (hours, minutes) = text[at + 1..].split_once(':')?;
    let offset_s = digits_of(hours)? * 3_600 + digits_of(minutes)? * 60;
    let offset_s = i32::try_from(offset_s).ok().filter(|offset_s| *offset_s < 86_400)?;
    Some((text[..at].trim_end(), if sign == '-' { -offset_s } else { offset_s }))
}

/// A short number of digits alone.
fn digits_of(text: &str) -> Option<i64> {
    let is_number = (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests;
