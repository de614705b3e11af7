//! Wall time as text.

use jiff::Timestamp;
use nmax_metrics::Nanos;

const NANOS_PER_S: u64 = 1_000_000_000;

/// Wall time in this format: whole seconds since 1970 when it is empty.
pub(super) fn now(format: &str, unix: Nanos) -> Result<String, String> {
    match format {
        "" | "s" => Ok((unix.0 / NANOS_PER_S).to_string()),
        "ms" => Ok((unix.0 / 1_000_000).to_string()),
        "iso" => Ok(iso(unix)),
        _ => Err(format!("`{format}` is not a format of time; write one of s, ms, iso")),
    }
}

/// RFC 3339 in UTC, to the millisecond.
fn iso(unix: Nanos) -> String {
    let at = Timestamp::from_millisecond((unix.0 / 1_000_000) as i64).unwrap_or(Timestamp::MAX);
    format!("{at:.3}")
}
