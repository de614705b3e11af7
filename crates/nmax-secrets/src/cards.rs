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
        let touches = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        // A full stop behind a number is none of it, a decimal point is.
        let is_decimal = bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
        let before = start.checked_sub(1).and_then(|at| bytes.get(at));
        let is_encoded = start >= 3 && bytes[start - 3] == b'%';
        let is_behind_point = before == Some(&b'.') && start >= 2 && bytes[start - 2].is_ascii_digit();
        let is_alone = (!touches(before) || is_encoded) && !touches(bytes.get(end)) && !is_decimal && !is_behind_point;
        if is_alone && is_card(&digits) {
            found.push(start..end);
        }
    }
    found
}

/// Digits in a row, single separators between them: what is a card's number of them, or else the first group, so that the
/// next is looked at. Where it ends, and its digits. A number may stand beside others, as in the row of a table.
fn run(bytes: &[u8], start: usize) -> (usize, Vec<u8>) {
    let mut digits = Vec::new();
    let mut groups: Vec<(usize, usize)> = Vec::new();
    let (mut at, mut end) = (start, start);
    while let Some(byte) = bytes.get(at) {
        if byte.is_ascii_digit() {
            if digits.len() <= *DIGITS.end() {
                digits.push(byte - b'0');
            }
            at += 1;
            end = at;
            continue;
        }
        let separator = match byte {
            b' ' | b'-' | b'+' => 1,
            _ if bytes[at..].starts_with(b"%20") => 3,
            _ => 0,
        };
        if separator == 0 || at != end || digits.len() > *DIGITS.end() {
            break;
        }
        groups.push((end, digits.len()));
        at += separator;
    }
    groups.push((end, digits.len()));
    let card = groups.iter().rev().find(|(_, count)| is_card(&digits[..*count]));
    let (end, count) = *card.unwrap_or(&groups[0]);
    digits.truncate(count);
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
