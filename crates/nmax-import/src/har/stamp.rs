//! Instants as files write them.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::{rfc2822, strtime};
use jiff::tz::TimeZone;
use serde_json::Value;

/// An instant in µs since 1970 (UTC), and whether the file said its zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) at_us: i64,
    pub(super) has_zone: bool,
}

/// Forms of JavaScript's and others' clocks.
const FORMS: [&str; 3] = ["%a %b %d %Y %H:%M:%S GMT%z", "%d/%b/%Y:%H:%M:%S %z", "%m/%d/%Y %H:%M:%S %z"];

/// Reads an instant: RFC 3339 with or without a zone, RFC 2822, JavaScript's `Date`, or a number since 1970 in s, ms or
/// µs (told apart by its size).
pub(super) fn read(value: &Value) -> Option<Stamp> {
    let stamp = |at: Timestamp| Stamp { at_us: at.as_microsecond(), has_zone: true };
    let text = match value {
        Value::Number(number) => return number.as_f64().and_then(since_1970),
        Value::String(text) => text.trim(),
        _ => return None,
    };
    if let Ok(at) = text.parse::<Timestamp>() {
        return Some(stamp(at));
    }
    if let Ok(number) = text.parse::<f64>() {
        return since_1970(number);
    }
    let plain = text.strip_suffix(" UTC").or_else(|| text.strip_suffix(" GMT"));
    if let Some(Ok(at)) = plain.map(|plain| format!("{plain}Z").parse::<Timestamp>()) {
        return Some(stamp(at));
    }
    if let Ok(at) = text.parse::<DateTime>() {
        let at = at.to_zoned(TimeZone::UTC).ok()?.timestamp();
        return Some(Stamp { has_zone: false, ..stamp(at) });
    }
    if let Ok(at) = rfc2822::parse(text) {
        return Some(stamp(at.timestamp()));
    }
    let text = text.split_once(" (").map_or(text, |(text, _)| text);
    let form = |form: &&str| strtime::parse(form, text).ok()?.to_timestamp().ok();
    FORMS.iter().find_map(form).map(stamp)
}

/// The zone in which an instant is written, in seconds east; `None` when it says none.
pub(super) fn zone(value: &Value) -> Option<i32> {
    let text = value.as_str()?.trim();
    if text.ends_with(['Z', 'z']) {
        return Some(0);
    }
    let zone = text.get(text.len().checked_sub(6)?..)?;
    let (sign, digits) = match zone.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let (hours, minutes) = digits.split_once(':')?;
    let (hours, minutes) = (hours.parse::<i32>().ok()?, minutes.parse::<i32>().ok()?);
    Some(sign * (hours * 3600 + minutes * 60))
}

/// A number since 1970. Before the year 5000 seconds are below 10^11, and after 1973 milliseconds are above.
fn since_1970(number: f64) -> Option<Stamp> {
    let at_us = match number.abs() {
        size if size < 1e11 => number * 1e6,
        size if size < 1e14 => number * 1e3,
        _ => number,
    };
    // The instants that a calendar of four digits has.
    (at_us.abs() < 2.5e17).then(|| Stamp { at_us: at_us.round() as i64, has_zone: true })
}

/// RFC 3339 with µs; instants outside of the calendar become its ends.
pub(super) fn write(at_us: i64) -> String {
    let at = Timestamp::from_microsecond(at_us).unwrap_or(if at_us < 0 { Timestamp::MIN } else { Timestamp::MAX });
    format!("{at:.6}")
}
