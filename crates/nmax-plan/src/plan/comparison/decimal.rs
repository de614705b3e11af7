//! Plain decimal numbers of any length, ordered without rounding.

use std::cmp::Ordering;

#[cfg(test)]
mod tests;

/// A number as it is written: a sign, digits, a point and digits. Borrows its text; nothing is computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decimal<'a> {
    /// Below zero; zero itself never is.
    is_negative: bool,
    /// Digits before the point, without leading zeros.
    whole: &'a str,
    /// Digits after the point, without zeros at the end.
    part: &'a str,
}

impl<'a> Decimal<'a> {
    /// The number that `text` is, with spaces around it or without; `None` when it is none.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let text = text.trim();
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let is_plain = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
        let has_digits = !(whole.is_empty() && part.is_empty());
        (has_digits && is_plain(whole) && is_plain(part)).then_some(())?;
        let (whole, part) = (whole.trim_start_matches('0'), part.trim_end_matches('0'));
        Some(Self { is_negative: text.starts_with('-') && !(whole.is_empty() && part.is_empty()), whole, part })
    }

    /// The order of two numbers.
    pub(super) fn cmp(&self, other: &Self) -> Ordering {
        let size = || {
            let by_length = self.whole.len().cmp(&other.whole.len());
            by_length.then_with(|| (self.whole, self.part).cmp(&(other.whole, other.part)))
        };
        match (self.is_negative, other.is_negative) {
            (false, false) => size(),
            (true, true) => size().reverse(),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}
