//! Numbers for people: thousands in groups, a true minus, and no more digits than are asked for.

/// Most digits after the point before a number takes an exponent.
pub const DECIMALS_MAX: usize = 7;

/// A count, such as `1,234,567`.
pub fn count(n: u64) -> String {
    grouped(&n.to_string())
}

/// How many there are of something, such as `1 window` or `2,000 windows`.
pub fn counted(n: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(n), if n == 1 { "" } else { "s" })
}

/// Digits of a whole number, with a comma between thousands.
pub fn grouped(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with `decimals` digits after the point, thousands in groups, and a true minus. Never `−0`.
pub fn fixed(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return "–".into();
    }
    let size = value.abs();
    if decimals > DECIMALS_MAX || size >= 1e15 {
        let text = if value == 0.0 { "0".into() } else { format!("{size:.1e}") };
        return format!("{}{text}", if value < 0.0 { "−" } else { "" });
    }
    let text = format!("{size:.decimals$}");
    let (whole, rest) = text.find('.').map_or((text.as_str(), ""), |at| text.split_at(at));
    let is_zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    let sign = if value < 0.0 && !is_zero { "−" } else { "" };
    format!("{sign}{}{rest}", grouped(whole))
}

/// Digits after the point that show a size with `significant` digits; none above that many whole ones.
pub fn decimals_of(size: f64, significant: i32) -> usize {
    if !size.is_finite() || size <= 0.0 {
        return 0;
    }
    usize::try_from(significant - 1 - size.log10().floor() as i32).unwrap_or(0)
}

/// A number that nothing is known about: four significant digits, without zeros at its end.
pub fn plain(value: f64) -> String {
    significant(value, 4)
}

/// A number with so many significant digits, without zeros at its end.
pub fn significant(value: f64, digits: i32) -> String {
    let text = fixed(value, decimals_of(value.abs(), digits));
    if text.contains('e') { text } else { without_zeros(&text).to_owned() }
}

/// A number with at most `decimals` digits after the point, as programs write it: no groups, no zeros at its end.
pub fn trimmed(value: f64, decimals: usize) -> String {
    without_zeros(&format!("{value:.decimals$}")).to_owned()
}

/// Digits without the zeros that end a fraction, and without a point that nothing follows.
pub fn without_zeros(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_read_them() {
        let cases = [
            (count(0), "0"),
            (count(999), "999"),
            (count(1_234_567), "1,234,567"),
            (counted(1, "window"), "1 window"),
            (counted(2_000, "window"), "2,000 windows"),
            (fixed(-1234.56, 1), "−1,234.6"),
            (fixed(-0.04, 1), "0.0"),
            (plain(0.012_345), "0.01235"),
            (plain(1500.0), "1,500"),
            (significant(1e-9, 3), "1.0e-9"),
            (trimmed(1.50, 3), "1.5"),
            (trimmed(100.0, 0), "100"),
            (trimmed(100.0, 2), "100"),
        ];
        for (text, want) in cases {
            assert_eq!(text, want);
        }
    }
}
