//! Wall time as text.

use nmax_metrics::Nanos;

const NANOS_PER_S: u64 = 1_000_000_000;
const S_PER_DAY: u64 = 24 * 3600;

/// Wall time in this format: whole seconds since 1970 when it is empty.
pub(super) fn now(format: &str, unix: Nanos) -> Result<String, String> {
    match format {
        "" | "s" => Ok((unix.0 / NANOS_PER_S).to_string()),
        "ms" => Ok((unix.0 / 1_000_000).to_string()),
        "iso" => Ok(iso(unix)),
        _ => Err(format!("`{format}` is no format of time; write one of s, ms, iso")),
    }
}

/// RFC 3339 in UTC, to the millisecond.
///
/// The date of a day is counted in years that begin in March, so that leap days come last.
/// Source: H. Hinnant, *chrono-Compatible Low-Level Date Algorithms* (2013), `civil_from_days`.
fn iso(unix: Nanos) -> String {
    let (secs, millis) = (unix.0 / NANOS_PER_S, unix.0 % NANOS_PER_S / 1_000_000);
    let (days, second) = (secs / S_PER_DAY, secs % S_PER_DAY);
    let since_march_0 = days + 719_468; // Days since 0000-03-01.
    let (era, of_era) = (since_march_0 / 146_097, since_march_0 % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}
