//! Figures as a person reads them: three significant digits, a unit, thousands apart.

use nmax_text::number::trimmed;
pub(crate) use nmax_text::number::{count, counted};

/// `412 µs`, `3.1 ms`, `2.5 s`
pub(crate) fn time_ms(ms: f64) -> String {
    if ms < 1.0 {
        format!("{} µs", digits(ms * 1e3))
    } else if ms < 1e3 {
        format!("{} ms", digits(ms))
    } else {
        format!("{} s", digits(ms / 1e3))
    }
}

/// `97.5 %`
pub(crate) fn share(ratio: f64) -> String {
    format!("{} %", trimmed(ratio * 100.0, 2))
}

/// A value in the unit of a threshold or gate: times in ms, shares 0 to 1.
pub(crate) fn value(value: f64, unit: &str) -> String {
    match unit {
        "ms" => time_ms(value),
        "%" => share(value),
        "/s" => format!("{}/s", digits(value)),
        "" => digits(value),
        noun => format!("{} {noun}", digits(value)),
    }
}

/// At least three significant digits, whole above 100.
pub(crate) fn digits(value: f64) -> String {
    match value.abs() {
        size if (100.0..1e15).contains(&size) => {
            let sign = if value < 0.0 { "-" } else { "" };
            format!("{sign}{}", count(size.round() as u64))
        }
        size if size >= 10.0 => trimmed(value, 1),
        size if size >= 1.0 => trimmed(value, 2),
        _ => trimmed(value, 3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_well() {
        let cases = [
            (value(0.4118, "ms"), "412 µs"),
            (value(3.276, "ms"), "3.28 ms"),
            (value(12_345.0, "ms"), "12.3 s"),
            (value(0.975, "%"), "97.5 %"),
            (value(1.0, "%"), "100 %"),
            (value(0.0, "%"), "0 %"),
            (value(1_234_567.4, "/s"), "1,234,567/s"),
            (value(0.5, "/s"), "0.5/s"),
            (value(7.0, ""), "7"),
            (value(100.0, ""), "100"),
            (value(960.0, "files"), "960 files"),
        ];
        for (text, want) in cases {
            assert_eq!(text, want);
        }
    }
}
