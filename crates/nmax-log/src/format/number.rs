//! Numbers as logs write them: counts, decimals with a unit, lists of them.

/// Unit of a span of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(super) enum Unit {
    /// Seconds.
    S = 1_000_000_000,
    /// Milliseconds.
    Ms = 1_000_000,
    /// Microseconds.
    Us = 1_000,
    /// Nanoseconds.
    Ns = 1,
}

impl Unit {
    /// Nanoseconds in one.
    pub(super) fn ns(self) -> u64 {
        self as u64
    }

    /// The unit that `name` is: `ms`, `seconds`, `µs`.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "s" | "sec" | "secs" | "second" | "seconds" => Self::S,
            "ms" | "msec" | "millis" | "milli" | "millisecond" | "milliseconds" => Self::Ms,
            "us" | "usec" | "micros" | "micro" | "microsecond" | "microseconds" | "µs" | "μs" => Self::Us,
            "ns" | "nsec" | "nanos" | "nano" | "nanosecond" | "nanoseconds" => Self::Ns,
            _ => return None,
        })
    }

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::S => "s",
            Self::Ms => "ms",
            Self::Us => "µs",
            Self::Ns => "ns",
        }
    }
}

/// The count that `text` is, all of it: digits only, below 2^64.
pub(super) fn count(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 20 {
        return None;
    }
    let mut value = 0_u64;
    if text.len() < 20 {
        for &byte in text {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                return None;
            }
            value = value * 10 + u64::from(digit);
        }
        return Some(value);
    }
    std::str::from_utf8(text).ok().filter(|text| !text.starts_with('+')).and_then(|text| text.parse().ok())
}

/// A span of time as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Span {
    /// So many nanoseconds.
    Ns(u64),
    /// The log says that it does not know: `-`, nothing, or a number below 0.
    Unknown,
}

/// The span that `text` is, in `unit` unless the text has its own: `12`, `0.004`, `-`, `-1`, `1e-05`, `12.5ms`, `1m2.5s`.
pub(super) fn span(text: &[u8], unit: Unit) -> Option<Span> {
    let text = text.trim_ascii();
    match text {
        b"" | b"-" => return Some(Span::Unknown),
        [b'-', rest @ ..] => return span(rest, unit).map(|_| Span::Unknown),
        _ => {}
    }
    match decimal(text, unit.ns()) {
        Some((ns, [])) => Some(Span::Ns(ns)),
        Some(_) => float(text, unit).or_else(|| with_units(text)),
        None => None,
    }
}

/// The sum of the list of spans that `text` is: `0.1, 0.2 : 0.3`. Unknown when no element is known.
pub(super) fn list(text: &[u8], unit: Unit) -> Option<Span> {
    let mut sum = Span::Unknown;
    for part in text.split(|&byte| byte == b',' || byte == b':') {
        if let Span::Ns(ns) = span(part, unit)? {
            let so_far = if let Span::Ns(so_far) = sum { so_far } else { 0 };
            sum = Span::Ns(so_far.saturating_add(ns));
        }
    }
    Some(sum)
}

/// The decimal that `text` begins with, times `scale`, rounded down, and what follows it. `None` when it begins with none or
/// the product is 2^64 or more.
pub(super) fn decimal(text: &[u8], scale: u64) -> Option<(u64, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (whole, rest) = text.split_at(digits);
    let mut value = if whole.is_empty() { 0 } else { count(whole)?.checked_mul(scale)? };
    let Some(fraction) = rest.strip_prefix(b".") else {
        return (digits > 0).then_some((value, rest));
    };
    let mut scale = scale;
    let mut length = 0;
    let mut below = 0_u64;
    for &byte in fraction.iter().take_while(|byte| byte.is_ascii_digit()) {
        length += 1;
        if scale.is_multiple_of(10) {
            scale /= 10;
            below += u64::from(byte - b'0') * scale;
        } else {
            scale = 0;
        }
    }
    value = value.checked_add(below)?;
    (digits + length > 0).then_some((value, &fraction[length..]))
}

/// A number with exponent, as some writers of JSON print small ones.
fn float(text: &[u8], unit: Unit) -> Option<Span> {
    if !text.iter().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(byte)) {
        return None;
    }
    let value: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    #[expect(clippy::cast_precision_loss, reason = "at most 10^9")]
    let ns = value * unit.ns() as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be in range")]
    (0.0..1.8e19).contains(&ns).then_some(Span::Ns(ns.round() as u64))
}

/// Numbers with units behind them: `12.5ms`, `1m2.5s`, `35 µs`.
fn with_units(text: &[u8]) -> Option<Span> {
    let mut rest = text;
    let mut sum = 0_u64;
    while !rest.is_empty() {
        let number = rest.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
        let after = rest[number..].trim_ascii_start();
        let letters = after.iter().take_while(|byte| !byte.is_ascii_digit() && **byte != b'.').count();
        let name = std::str::from_utf8(&after[..letters]).ok()?.trim();
        let unit_ns = match name {
            "h" => 3_600_000_000_000,
            "m" | "min" => 60_000_000_000,
            _ => Unit::from_name(&name.to_ascii_lowercase())?.ns(),
        };
        let (ns, left) = decimal(&rest[..number], unit_ns)?;
        if !left.is_empty() {
            return None;
        }
        sum = sum.checked_add(ns)?;
        rest = &after[letters..];
    }
    Some(Span::Ns(sum))
}

#[cfg(test)]
mod tests;
