//! Quantities as people write them: `250ms`, `2k/s`, `64kB`, `5%`.
//!
//! Each kind has a parser and a formatter; law: `parse(format(x)) = x`, exactly.
//! A number without its unit is refused, because nobody remembers which one was meant.
//! Parsers are O(length) and never panic.

use std::time::Duration;

/// Longest accepted duration, 100 years: sums of a few of them still fit 64 bits of nanoseconds.
pub const DURATION_MAX: Duration = Duration::from_secs(100 * 365 * 86_400);
/// Highest accepted rate, per second.
pub const RATE_PER_S_MAX: f64 = 1e9;

/// Text that is not the expected quantity, and what to write.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct UnitError {
    /// What is wrong, with the text in it.
    pub message: String,
    /// What to write.
    pub remedy: String,
}

impl UnitError {
    pub(crate) fn new(message: String, remedy: &str) -> Self {
        Self { message, remedy: remedy.to_owned() }
    }
}

const DURATION_UNITS: [(&str, u64); 9] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
];
const DURATION_REMEDY: &str = "write a number and a unit, such as `250ms`, `1.5s`, `2m` or `1h30m`";

/// A duration: one or more numbers with units `ns us ms s m h d`, added up.
pub fn parse_duration(text: &str) -> Result<Duration, UnitError> {
    let wrong = |why: String| UnitError::new(why, DURATION_REMEDY);
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(wrong("the duration is empty".into()));
    }
    if rest.starts_with('-') {
        return Err(wrong(format!("`{text}` is negative")));
    }
    let mut total_ns: u128 = 0;
    while !rest.is_empty() {
        let (number, after) = split_number(rest);
        let unit_end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, next) = after.split_at(unit_end);
        if number.is_empty() {
            return Err(wrong(format!("`{text}` is not a duration")));
        }
        if unit.trim().is_empty() {
            return Err(wrong(format!("`{text}` has no unit of time")));
        }
        let Some(&(_, scale_ns)) = DURATION_UNITS.iter().find(|(name, _)| *name == unit.trim()) else {
            return Err(wrong(format!("`{}` is not a unit of time", unit.trim())));
        };
        let part_ns = scale_decimal(number, u128::from(scale_ns))
            .ok_or_else(|| wrong(format!("`{number}{unit}` is not a whole number of nanoseconds")))?;
        total_ns = total_ns.saturating_add(part_ns);
        rest = next.trim_start();
    }
    match u64::try_from(total_ns) {
        Ok(ns) if Duration::from_nanos(ns) <= DURATION_MAX => Ok(Duration::from_nanos(ns)),
        _ => Err(UnitError::new(format!("`{text}` is longer than 100 years"), "write a shorter duration")),
    }
}

/// The shortest usual form: `1h30m`, `1.5s`, `250ms`.
pub fn format_duration(duration: Duration) -> String {
    let ns = duration.as_nanos();
    let (minutes, rest_ns) = (ns / 60_000_000_000, ns % 60_000_000_000);
    let mut text = String::new();
    if minutes >= 60 {
        text.push_str(&format!("{}h", minutes / 60));
    }
    if minutes % 60 > 0 {
        text.push_str(&format!("{}m", minutes % 60));
    }
    if rest_ns == 0 {
        return if text.is_empty() { "0s".into() } else { text };
    }
    let (unit, scale_ns, digits) = match rest_ns {
        _ if minutes > 0 || rest_ns >= 1_000_000_000 => ("s", 1_000_000_000, 9),
        1_000_000.. => ("ms", 1_000_000, 6),
        1_000.. => ("us", 1_000, 3),
        _ => ("ns", 1, 0),
    };
    text.push_str(&(rest_ns / scale_ns).to_string());
    if rest_ns % scale_ns > 0 {
        let fraction = format!("{:0digits$}", rest_ns % scale_ns);
        text.push('.');
        text.push_str(fraction.trim_end_matches('0'));
    }
    text.push_str(unit);
    text
}

const RATE_REMEDY: &str = "write a rate with its unit of time, such as `200/s`, `2k/s`, `120/m` or `1/h`";

/// A rate in events per second: `N/s`, `N/m`, `N/h`, where N may end in `k` or `M`.
pub fn parse_rate(text: &str) -> Result<f64, UnitError> {
    let wrong = |why: String| UnitError::new(why, RATE_REMEDY);
    let Some((count, unit)) = text.split_once('/') else {
        return Err(wrong(format!("`{text}` has no `/s`, `/m` or `/h`")));
    };
    let per_s = match unit.trim() {
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        other => return Err(wrong(format!("`/{other}` is not a unit of a rate"))),
    };
    let (number, suffix) = split_number(count.trim());
    let exponent = match suffix.trim() {
        "" => "",
        "k" => "e3",
        "M" => "e6",
        _ => return Err(wrong(format!("`{}` is not a number", count.trim()))),
    };
    let value = decimal(number)
        .and_then(|number| format!("{number}{exponent}").parse::<f64>().ok())
        .ok_or_else(|| wrong(format!("`{}` is not a number", count.trim())))?;
    let rate_per_s = value / per_s;
    if rate_per_s > RATE_PER_S_MAX {
        return Err(UnitError::new(format!("`{text}` is above 1000M/s"), "write a lower rate"));
    }
    Ok(rate_per_s)
}

/// A rate per second, exact: `200/s`.
pub fn format_rate(rate_per_s: f64) -> String {
    format!("{rate_per_s}/s")
}

const SIZE_UNITS: [(&str, u64); 9] = [
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("kB", 1_000),
    ("KB", 1_000),
    ("kiB", 1 << 10),
    ("B", 1),
];
const SIZE_REMEDY: &str = "write a number and a unit, such as `64kB` (1000 bytes each) or `1MiB` (1024 * 1024)";

/// A size in bytes: `64kB`, `1MiB`, `500B`.
pub fn parse_size(text: &str) -> Result<u64, UnitError> {
    let wrong = |why: String| UnitError::new(why, SIZE_REMEDY);
    let (number, unit) = split_number(text.trim());
    let unit = unit.trim();
    if number.is_empty() {
        return Err(wrong(format!("`{text}` is not a size")));
    }
    if unit.is_empty() {
        return Err(wrong(format!("`{text}` has no unit of size")));
    }
    let Some(&(_, scale)) = SIZE_UNITS.iter().find(|(name, _)| *name == unit) else {
        return Err(wrong(format!("`{unit}` is not a unit of size")));
    };
    scale_decimal(number, u128::from(scale))
        .and_then(|bytes| u64::try_from(bytes).ok())
        .ok_or_else(|| wrong(format!("`{text}` is not a whole number of bytes below 16 EiB")))
}

/// The size in the largest unit that divides it.
pub fn format_size(bytes: u64) -> String {
    let (unit, scale) =
        SIZE_UNITS.iter().copied().find(|(_, scale)| bytes > 0 && bytes.is_multiple_of(*scale)).unwrap_or(("B", 1));
    format!("{}{unit}", bytes / scale)
}

const BIT_RATE_UNITS: [(&str, i32, f64); 8] = [
    ("Gbit", 9, 1.0),
    ("Mbit", 6, 1.0),
    ("kbit", 3, 1.0),
    ("bit", 0, 1.0),
    ("GB", 9, 8.0),
    ("MB", 6, 8.0),
    ("kB", 3, 8.0),
    ("B", 0, 8.0),
];
const BIT_RATE_REMEDY: &str = "write a number and a unit, such as `256kbit/s`, `100Mbit/s` or `32kB/s`";
/// Highest accepted rate of a line, bits per second.
pub const BITS_PER_S_MAX: f64 = 1e12;

/// A rate of a line in bits per second, above zero: `256kbit/s`, `100Mbit/s`; `32kB/s` is 256,000 bits per second.
pub fn parse_bit_rate(text: &str) -> Result<f64, UnitError> {
    let wrong = |why: String| UnitError::new(why, BIT_RATE_REMEDY);
    let Some(amount) = text.trim().strip_suffix("/s") else {
        return Err(wrong(format!("`{text}` has no `bit/s`")));
    };
    let (number, unit) = split_number(amount.trim());
    let unit = unit.trim();
    if unit.is_empty() {
        return Err(wrong(format!("`{text}` says neither bits nor bytes")));
    }
    let Some((_, exponent, bits)) = BIT_RATE_UNITS.iter().find(|(name, ..)| *name == unit) else {
        return Err(wrong(format!("`{unit}/s` is not a unit of a line's rate")));
    };
    let bits_per_s = decimal(number)
        .and_then(|number| format!("{number}e{exponent}").parse::<f64>().ok())
        .map(|amount| amount * bits)
        .ok_or_else(|| wrong(format!("`{text}` is not a number of bits per second")))?;
    match bits_per_s {
        0.0 => Err(UnitError::new(
            format!("`{text}` lets nothing through"),
            "write a rate above zero, or leave the key out for a line without limit",
        )),
        above if above > BITS_PER_S_MAX => Err(UnitError::new(
            format!("`{text}` is above 1000Gbit/s"),
            "write a lower rate, or leave the key out for a line without limit",
        )),
        bits_per_s => Ok(bits_per_s),
    }
}

/// A rate of a line, exact, in the largest unit of which it is a whole number.
pub fn format_bit_rate(bits_per_s: f64) -> String {
    let whole = |exponent: i32| {
        let scaled = bits_per_s / 10_f64.powi(exponent);
        (scaled.fract() == 0.0 && scaled * 10_f64.powi(exponent) == bits_per_s).then_some(scaled)
    };
    let bits = BIT_RATE_UNITS[..3].iter();
    let found = bits.filter_map(|(unit, exponent, _)| Some((unit, whole(*exponent)?))).next();
    match found {
        Some((unit, number)) => format!("{number}{unit}/s"),
        None => format!("{bits_per_s}bit/s"),
    }
}

/// A share as a ratio: `5%` is 0.05. May exceed 100 %.
pub fn parse_share(text: &str) -> Result<f64, UnitError> {
    let wrong = |why: String| UnitError::new(why, "write a percentage, such as `5%` or `0.1%`");
    let Some(number) = text.trim().strip_suffix('%') else {
        return Err(wrong(format!("`{text}` has no `%`")));
    };
    decimal(number.trim())
        .and_then(|number| format!("{number}e-2").parse::<f64>().ok())
        .filter(|ratio| *ratio <= 1e6)
        .ok_or_else(|| wrong(format!("`{text}` is not a percentage")))
}

/// A ratio as a percentage, exact: the decimal point of the shortest form moves by two.
pub fn format_share(ratio: f64) -> String {
    let text = format!("{ratio:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    // The value is 0.DIGITS * 10^(exponent + 1); times 100.
    let point = exponent + 3;
    let number = match usize::try_from(point) {
        Ok(0) | Err(_) => format!("0.{}{digits}", "0".repeat(point.unsigned_abs() as usize)),
        Ok(point) if point >= digits.len() => format!("{digits}{}", "0".repeat(point - digits.len())),
        Ok(point) => format!("{}.{}", &digits[..point], &digits[point..]),
    };
    let trimmed = if digits == "0" { "0" } else { number.as_str() };
    format!("{trimmed}%")
}

/// The leading digits and point, and the rest.
fn split_number(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    text.split_at(end)
}

/// The text when it is a plain decimal number: digits with at most one point.
fn decimal(text: &str) -> Option<&str> {
    let plain = text.chars().all(|c| c.is_ascii_digit() || c == '.');
    let digits = text.chars().filter(char::is_ascii_digit).count();
    (plain && digits > 0 && text.len() - digits <= 1 && text.len() <= 400).then_some(text)
}

/// `number * scale` when that is a whole number, computed without rounding.
fn scale_decimal(number: &str, scale: u128) -> Option<u128> {
    let number = decimal(number)?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let fraction = fraction.trim_end_matches('0');
    let whole: u128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let mut value = whole.checked_mul(scale)?;
    if !fraction.is_empty() {
        let unit = 10_u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
        let scaled = fraction.parse::<u128>().ok()?.checked_mul(scale)?;
        if scaled % unit != 0 {
            return None;
        }
        value = value.checked_add(scaled / unit)?;
    }
    Some(value)
}

#[cfg(test)]
mod tests;
