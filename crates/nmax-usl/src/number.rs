//! Numbers for people: thousands in groups, a true minus, and no more digits than are asked for.

/// Most digits after the point before a number takes an exponent.
pub const DECIMALS_MAX: usize = 7;

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
    let mut grouped = String::with_capacity(text.len() + 4);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{sign}{grouped}{rest}")
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
    if text.contains('.') && !text.contains('e') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}
