//! Numbers for people: three significant digits, a unit, and nothing that pretends to know more.

use nmax_analysis::Recovery;
use nmax_analysis::summary::MetricRow;
pub use nmax_text::number::count;

/// What stands for an unknown number.
pub const UNKNOWN: &str = "–";

/// A time in nanoseconds, for example `1.23 ms`, `45.6 s`, `725 s`.
pub fn time(ns: f64) -> String {
    if !ns.is_finite() {
        return UNKNOWN.into();
    }
    let ns = ns.max(0.0);
    match ns {
        0.0 => "0 µs".into(),
        _ if ns < 999.5e3 => format!("{} µs", digits(ns / 1e3)),
        _ if ns < 999.5e6 => format!("{} ms", digits(ns / 1e6)),
        _ => format!("{} s", digits(ns / 1e9)),
    }
}

/// A value as text, or what stands for an unknown one.
pub fn or_unknown<T>(value: Option<T>, text: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| UNKNOWN.into(), text)
}

/// [`time`] of milliseconds that may be unknown.
pub fn milliseconds(ms: Option<f64>) -> String {
    or_unknown(ms, |ms| time(ms * 1e6))
}

/// [`time`] of a value that may be unknown.
pub fn time_or_unknown(ns: Option<u64>) -> String {
    ns.map_or_else(|| UNKNOWN.into(), |ns| time(ns as f64))
}

/// A length of time in seconds, for example `30 s`, `2 min`, `1 h 5 min`.
pub fn span(seconds: f64) -> String {
    if !seconds.is_finite() {
        return UNKNOWN.into();
    }
    let seconds = seconds.max(0.0);
    if seconds < 59.5 {
        let is_whole = seconds >= 1.0 && seconds.fract() < 0.05;
        return if is_whole || seconds >= 10.0 { format!("{seconds:.0} s") } else { format!("{} s", digits(seconds)) };
    }
    let whole = seconds.round() as u64;
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60);
    let parts = [(hours, "h"), (minutes, "min"), (if hours > 0 { 0 } else { rest }, "s")];
    let text: Vec<String> = parts.iter().filter(|(n, _)| *n > 0).map(|(n, unit)| format!("{n} {unit}")).collect();
    text.join(" ")
}

/// When figures were as before again.
pub fn recovery(recovery: Recovery) -> String {
    match recovery {
        Recovery::After(seconds) => span(seconds),
        Recovery::NotSeen => "not seen".into(),
        Recovery::Unknown => "not known".into(),
        Recovery::NeverOver => "never over".into(),
    }
}

/// An instant of RFC 3339 in UTC, to the second; any other text as it is.
pub fn instant(text: &str) -> String {
    let parts = text.strip_suffix('Z').and_then(|text| text.split_once('T'));
    parts.map_or_else(|| text.to_owned(), |(day, time)| format!("{day} {} UTC", time.split('.').next().unwrap_or(time)))
}

/// A rate per second, for example `12.3 k/s`.
pub fn rate(per_s: f64) -> String {
    scaled(per_s, &[("/s", 1.0), ("k/s", 1e3), ("M/s", 1e6), ("G/s", 1e9)])
}

/// [`rate`] of a value that may be unknown.
pub fn rate_or_unknown(per_s: Option<f64>) -> String {
    per_s.map_or_else(|| UNKNOWN.into(), rate)
}

/// Bytes with decimal prefixes, for example `1.2 MB`.
pub fn bytes(count: f64) -> String {
    scaled(count, &[("B", 1.0), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12)])
}

/// How often something was: `never`, `once`, `2 times`.
pub fn times(number: u64) -> String {
    match number {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        more => format!("{} times", count(more)),
    }
}

/// A count in at most six columns, exact below 100,000, for example `12.3M`.
pub fn short_count(n: u64) -> String {
    if n < 100_000 {
        n.to_string()
    } else {
        scaled(n as f64, &[("", 1.0), ("k", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12)]).replace(' ', "")
    }
}

/// A share from 0 to 1 as a percentage. What is not zero never prints as zero, what is not all never as 100 %.
pub fn share(ratio: f64) -> String {
    if !ratio.is_finite() {
        return UNKNOWN.into();
    }
    let percent = ratio * 100.0;
    match percent {
        0.0 => "0 %".into(),
        _ if percent > 0.0 && percent < 0.01 => "<0.01%".into(),
        _ if percent < 9.995 => format!("{percent:.2} %"),
        _ if percent < 99.95 => format!("{percent:.1} %"),
        _ if percent < 100.0 => ">99.9%".into(),
        _ => format!("{percent:.0} %"),
    }
}

/// [`share`] of a value that may be unknown.
pub fn share_or_unknown(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| UNKNOWN.into(), share)
}

/// A value with the unit that judgements print: `ms` are times, `%` shares from 0 to 1, `/s` rates; all but rates also
/// `/h` and `/min`, which may fall.
pub fn with_unit(value: Option<f64>, unit: &str) -> String {
    let Some(value) = value.filter(|value| value.is_finite()) else {
        return UNKNOWN.into();
    };
    if let Some((of, per @ ("h" | "min"))) = unit.rsplit_once('/') {
        let sign = if value < 0.0 { "−" } else { "" };
        return format!("{sign}{}/{per}", with_unit(Some(value.abs()), of));
    }
    match unit {
        "ms" => time(value * 1e6),
        "%" => share(value),
        "s" => span(value),
        "/s" => rate(value),
        "B" | "bytes" => bytes(value),
        "" if value.fract() == 0.0 && (0.0..9e15).contains(&value) => count(value as u64),
        "" => digits(value),
        _ => format!("{} {unit}", digits(value)),
    }
}

/// The name of a figure whose unit ends it: `memory_bytes` is `memory`, `open_files_count` is `open files`.
pub fn metric_name(metric: &str) -> String {
    let name = METRIC_UNITS.iter().find_map(|unit| metric.strip_suffix(unit)?.strip_suffix('_'));
    name.unwrap_or(metric).replace('_', " ")
}

/// A value of such a figure, with its unit.
pub fn metric(value: f64, metric: &str) -> String {
    match METRIC_UNITS.iter().find(|unit| metric.ends_with(**unit)) {
        Some(&"bytes") => bytes(value),
        Some(&("ratio" | "utilization")) => share(value),
        Some(&"count") => with_unit(Some(value), ""),
        _ => digits(value),
    }
}

/// Units that end the name of a figure.
const METRIC_UNITS: [&str; 4] = ["bytes", "ratio", "utilization", "count"];

/// How values of a unit of readings are written.
pub fn unit_label(unit: &str) -> fn(f64) -> String {
    match unit {
        "ratio" => share,
        "bytes" => bytes,
        "bytes per s" => |value| format!("{}/s", bytes(value)),
        "per s" => rate,
        "ms" => |value| time(value * 1e6),
        "s" => |value| format!("{} s", digits(value)),
        _ => small,
    }
}

/// As [`digits`], but for thousandths and less, which are more than nothing.
fn small(value: f64) -> String {
    if value != 0.0 && value.abs() < 0.0095 { format!("{value:.5}") } else { digits(value) }
}

/// A reading with its unit.
pub fn in_unit(value: f64, unit: &str) -> String {
    unit_label(unit)(value)
}

const SCALES: [(&str, f64); 5] = [("", 1.0), ("k", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12)];

/// A figure of a metric of the user's own.
pub fn own(row: &MetricRow, name: &str) -> String {
    let value = row.figure(name);
    match name {
        "count" => short_count(row.count),
        "unread" => short_count(row.unread),
        "non_zero_share" => share_or_unknown(value),
        "sum_per_s" => rate_or_unknown(value),
        _ => value.map_or_else(|| UNKNOWN.to_owned(), |value| scaled(value, &SCALES)),
    }
}

/// A signed relative distance, for example `+12.3 %`.
pub fn margin(relative: Option<f64>) -> String {
    match relative.filter(|relative| relative.is_finite()) {
        None => UNKNOWN.into(),
        Some(relative) if relative.abs() >= 100.0 => format!("{}×", signed(relative)),
        Some(relative) => format!("{} %", signed(relative * 100.0)),
    }
}

fn signed(value: f64) -> String {
    format!("{}{}", if value < 0.0 { "−" } else { "+" }, digits(value.abs()))
}

/// Three significant digits without an exponent.
pub fn digits(value: f64) -> String {
    match value.abs() {
        size if size >= 99.95 => format!("{value:.0}"),
        size if size >= 9.995 => format!("{value:.1}"),
        0.0 => "0".into(),
        size if size >= 0.0995 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

fn scaled(value: f64, units: &[(&str, f64)]) -> String {
    if !value.is_finite() {
        return UNKNOWN.into();
    }
    let fits = units.iter().find(|(_, scale)| value.abs() < 999.5 * scale).or(units.last());
    let (unit, scale) = fits.copied().unwrap_or(("", 1.0));
    let whole = scale == 1.0 && value.fract() == 0.0;
    let number = if whole { format!("{value:.0}") } else { digits(value / scale) };
    format!("{number} {unit}").trim_end().to_owned()
}

#[cfg(test)]
mod tests;
