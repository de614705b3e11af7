//! Access logs: what servers write about requests is read as typed records, and becomes a picture of the traffic and a
//! plan that makes it again.
//!
//! Pure: lines in, values out. Files, compression and the calendar's "now" belong to the caller.
//!
//! # Layout
//!
//! - [`record`]: what one line says.
//! - [`format`]: the formats, found by themselves or compiled from `LogFormat`, `log_format`, `#Fields`.
//! - [`counts`]: what was read, and what could not be.
//! - [`traffic`]: sessions, scenarios, season, popularity, baseline: the traffic behind the lines.
//! - [`plan`]: the plan that makes it again.
//! - [`replay`]: the log itself as a schedule.
//! - [`fidelity`]: how like its source a run was.

pub mod counts;
pub mod fidelity;
pub mod format;
pub mod plan;
pub mod record;
pub mod replay;
pub mod traffic;

/// An instant, RFC 3339 UTC.
pub fn instant(us: i64) -> String {
    jiff::Timestamp::from_microsecond(us).unwrap_or_default().to_string()
}

/// An instant in a zone that lies `zone_s` seconds east of Greenwich: `2026-11-20 14:00:00`
pub fn stamp(us: i64, zone_s: i32) -> String {
    let instant = jiff::Timestamp::from_microsecond(us).unwrap_or_default();
    let offset = jiff::tz::Offset::from_seconds(zone_s).unwrap_or(jiff::tz::Offset::UTC);
    offset.to_datetime(instant).strftime("%Y-%m-%d %H:%M:%S").to_string()
}
