//! Numbers of payment cards.

use std::ops::Range;

/// Digits of the shortest and the longest card number.
const DIGITS: std::ops::RangeInclusive<usize> = 13..=19;

/// Where a text has card numbers, in groups or not: 13 to 19 digits in a range of an issuer, whose check digit is right.
/// O(length).
pub(crate) fn find(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit) {
        // An encoded sign in front of the number (`%22`) may end in a digit that is none of it.
        let is_escape = at + start > 0 && bytes[at + start - 1] == b'%';
        let start = (at + start + if is_escape { 2 } else { 0 }).min(bytes.len());
        let (end, digits) = run(bytes, start);
        at = end;
        let touches =
            |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
        let before = start.checked_sub(1).and_then(|at| bytes.get(at));
        let is_encoded = start >= 3 && bytes[start - 3] == b'%';
        let is_alone = (!touches(before) || is_encoded) && !touches(bytes.get(end));
        if is_alone && is_card(&digits) {
            found.push(start..end);
        }
    }
    found
}

/// Digits in a row, single separators between them: where they end, and what they are.
fn run(bytes: &[u8], start: usize) -> (usize, Vec<u8>) {
    let mut digits = Vec::new();
    let (mut at, mut end) = (start, start);
    while let Some(byte) = bytes.get(at) {
        if byte.is_ascii_digit() {
            if digits.len() <= *DIGITS.end() {
                digits.push(byte - b'0');
            }
            at += 1;
            end = at;
        } else if matches!(byte, b' ' | b'-' | b'+') && at == end {
            at += 1;
        } else if bytes[at..].starts_with(b"%20") && at == end {
            at += 3;
        } else {
            break;
        }
    }
    (end, digits)
}

fn is_card(digits: &[u8]) -> bool {
    DIGITS.contains(&digits.len()) && is_issued(digits) && luhn(digits)
}

/// Ranges of issuers with the lengths of their numbers. Source: ISO/IEC 7812 as the issuers publish their ranges.
fn is_issued(digits: &[u8]) -> bool {
    let prefix = digits[..4].iter().fold(0u32, |all, digit| all * 10 + u32::from(*digit));
    let length = digits.len();
    match prefix {
        4000..=4999 => matches!(length, 13 | 16 | 19),
        5100..=5599 | 2221..=2720 => length == 16,
        3400..=3499 | 3700..=3799 => length == 15,
        3000..=3059 | 3600..=3699 | 3800..=3999 => length >= 14,
        3528..=3589 | 6011 | 6440..=6599 | 6200..=6299 => length >= 16,
        _ => false,
    }
}

/// Whether the last digit makes the sum of the digits, every second one from the right doubled (and its digits added),
/// a multiple of 10. Source: ISO/IEC 7812-1, annex B (Luhn).
fn luhn(digits: &[u8]) -> bool {
    let value = |(index, digit): (usize, &u8)| match (index % 2, *digit) {
        (0, digit) => u32::from(digit),
        (_, digit @ 0..=4) => u32::from(digit) * 2,
        (_, digit) => u32::from(digit) * 2 - 9,
    };
    digits.iter().rev().enumerate().map(value).sum::<u32>() % 10 == 0
}

#[cfg(test)]
mod tests;
