//! Points in time as logs write them.
//!
//! The calendar is Gregorian, and µs since 1970 in UTC are what comes out. Years from 1970 to 2199 are credible; days that do
//! not exist, hours above 23 and offsets above 18 hours are refused.

use nmax_text::civil::day_of;

use super::number::{Unit, count, decimal};

/// A point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    /// µs since 1970, UTC.
    pub(super) us: i64,
    /// Resolution in µs.
    pub(super) resolution_us: u32,
}

/// µs in a second.
pub(super) const S: i64 = 1_000_000;

/// First year that is too late to be true.
const YEAR_END: u32 = 2200;

/// µs from 1970 to [`YEAR_END`].
const US_END: i64 = 7_258_118_400 * S;

/// Days from 1970-01-01 to a day of the Gregorian calendar; `None` when there is no such day, or not a credible one.
pub(super) fn days(year: u32, month: u32, day: u32) -> Option<i64> {
    (1970..YEAR_END).contains(&year).then(|| day_of(year, month, day))?
}

/// µs since midnight; a 61st second is the first of the next minute.
pub(super) fn clock_us(hour: u32, minute: u32, second: u32) -> Option<i64> {
    (hour < 24 && minute < 60 && second <= 60).then(|| i64::from(hour * 3600 + minute * 60 + second) * S)
}

/// The number that two digits at `at` are.
pub(super) fn two(text: &[u8], at: usize) -> Option<u32> {
    let &[tens, ones] = text.get(at..at + 2)? else {
        return None;
    };
    (tens.is_ascii_digit() && ones.is_ascii_digit()).then(|| u32::from(tens - b'0') * 10 + u32::from(ones - b'0'))
}

/// The number that four digits at `at` are.
pub(super) fn four(text: &[u8], at: usize) -> Option<u32> {
    Some(two(text, at)? * 100 + two(text, at + 2)?)
}

/// The month whose English name begins with the three letters at `at`.
pub(super) fn month(text: &[u8], at: usize) -> Option<u32> {
    let name = text.get(at..at + 3)?;
    let mut months = (1..).zip(b"janfebmaraprmayjunjulaugsepoctnovdec".chunks_exact(3));
    months.find(|(_, month)| month.eq_ignore_ascii_case(name)).map(|(number, _)| number)
}

/// `13:55:36` at `at`, in µs since midnight.
pub(super) fn clock(text: &[u8], at: usize) -> Option<i64> {
    if text.get(at + 2) != Some(&b':') || text.get(at + 5) != Some(&b':') {
        return None;
    }
    clock_us(two(text, at)?, two(text, at + 3)?, two(text, at + 6)?)
}

/// `2000-10-10` at `at`, in days since 1970.
pub(super) fn day(text: &[u8], at: usize) -> Option<i64> {
    if text.get(at + 4) != Some(&b'-') || text.get(at + 7) != Some(&b'-') {
        return None;
    }
    days(four(text, at)?, two(text, at + 5)?, two(text, at + 8)?)
}

/// `12-Jan-1996` at the beginning of `text`, in days since 1970.
pub(super) fn named_day(text: &[u8]) -> Option<i64> {
    if text.get(2) != Some(&b'-') || text.get(6) != Some(&b'-') {
        return None;
    }
    days(four(text, 7)?, month(text, 3)?, two(text, 0)?)
}

/// `.655` or `,655` at the beginning of `rest`: µs, resolution in µs, and its length; nothing when there is none.
pub(super) fn fraction(rest: &[u8]) -> Option<(i64, u32, usize)> {
    if !matches!(rest.first(), Some(b'.' | b',')) {
        return Some((0, 1_000_000, 0));
    }
    let digits = rest[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (us, resolution_us) = fraction_of(&rest[1..=digits])?;
    Some((us, resolution_us, digits + 1))
}

/// The fraction of a second that `digits` are, in µs rounded down, and its resolution in µs.
pub(super) fn fraction_of(digits: &[u8]) -> Option<(i64, u32)> {
    let kept = digits.len().min(6);
    let value = count(&digits[..kept])?;
    let scale = 10_u32.pow(6 - u32::try_from(kept).ok()?);
    Some((i64::try_from(value).ok()? * i64::from(scale), scale))
}

/// An offset from UTC, in seconds: `+0200`, `+02:00`, `+02`, `Z`; and its length.
pub(super) fn offset(rest: &[u8]) -> Option<(i32, usize)> {
    let sign = match rest.first()? {
        b'Z' | b'z' => return Some((0, 1)),
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let hours = two(rest, 1)?;
    let (minutes, length) = match rest.get(3) {
        Some(b':') => (two(rest, 4)?, 6),
        Some(digit) if digit.is_ascii_digit() => (two(rest, 3)?, 5),
        _ => (0, 3),
    };
    if hours > 18 || minutes > 59 {
        return None;
    }
    Some((sign * i32::try_from(hours * 3600 + minutes * 60).ok()?, length))
}

/// The last part of a stamp, `.655 +0200`, of which each may be missing: µs to add, resolution in µs. `zone_s` holds where the
/// offset is missing.
fn tail(rest: &[u8], zone_s: i32) -> Option<(i64, u32)> {
    let (us, resolution_us, length) = fraction(rest)?;
    let zone = rest[length..].trim_ascii_start();
    let offset_s = if zone.is_empty() {
        zone_s
    } else if zone == b"UTC" || zone == b"GMT" {
        0
    } else {
        let (offset_s, length) = offset(zone)?;
        if length < zone.len() {
            return None;
        }
        offset_s
    };
    Some((us - i64::from(offset_s) * S, resolution_us))
}

/// A stamp, if it is not before 1970.
pub(super) fn checked(us: i64, resolution_us: u32) -> Option<Stamp> {
    (0..US_END).contains(&us).then_some(Stamp { us, resolution_us })
}

/// `10/Oct/2000:13:55:36 -0700`, with or without fraction and zone.
pub(super) fn clf(text: &[u8], zone_s: i32) -> Option<Stamp> {
    if text.len() < 20 || text[2] != b'/' || text[6] != b'/' || text[11] != b':' {
        return None;
    }
    let days = days(four(text, 7)?, month(text, 3)?, two(text, 0)?)?;
    let (us, resolution_us) = tail(&text[20..], zone_s)?;
    checked(days * 86400 * S + clock(text, 12)? + us, resolution_us)
}

/// `2000-10-10T13:55:36.123Z`, with `T` or a blank, with or without fraction and zone.
pub(super) fn iso(text: &[u8], zone_s: i32) -> Option<Stamp> {
    if text.len() < 19 || !matches!(text[10], b'T' | b't' | b' ' | b'_') {
        return None;
    }
    let (us, resolution_us) = tail(&text[19..], zone_s)?;
    checked(day(text, 0)? * 86400 * S + clock(text, 11)? + us, resolution_us)
}

/// A number since 1970: `1523.004`, in `unit`, or without one in the unit in which it is between 1973 and 2199.
pub(super) fn epoch(text: &[u8], unit: Option<Unit>) -> Option<Stamp> {
    let whole = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let unit = match unit {
        Some(unit) => unit,
        None => match count(&text[..whole])? {
            0..100_000_000_000 => Unit::S,
            100_000_000_000..100_000_000_000_000 => Unit::Ms,
            100_000_000_000_000..100_000_000_000_000_000 => Unit::Us,
            _ => Unit::Ns,
        },
    };
    let (ns, rest) = decimal(text, unit.ns())?;
    if whole == 0 || !rest.is_empty() {
        return None;
    }
    let below = u32::try_from(text.len().saturating_sub(whole + 1).min(9)).ok()?;
    let resolution_us = (unit.ns() / 10_u64.pow(below) / 1000).clamp(1, 1_000_000);
    checked(i64::try_from(ns / 1000).ok()?, u32::try_from(resolution_us).ok()?)
}

/// A stamp in any of the forms above.
pub(super) fn any(text: &[u8], zone_s: i32) -> Option<Stamp> {
    let text = text.strip_prefix(b"[").and_then(|text| text.strip_suffix(b"]")).unwrap_or(text);
    match text.get(2)? {
        b'/' => clf(text, zone_s),
        _ if text.get(4) == Some(&b'-') => iso(text, zone_s),
        _ => epoch(text, None),
    }
}

#[cfg(test)]
mod tests;
