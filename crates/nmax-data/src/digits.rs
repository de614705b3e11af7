//! Check digits of account numbers.

#[cfg(test)]
mod tests;

/// The digit that makes a card number valid, after `digits` (0 to 9, first one first).
///
/// From the right, every second digit counts twice, with 9 taken off above 9; the sum with the check digit is a
/// multiple of 10. Source: ISO/IEC 7812-1, annex B (Luhn).
pub(crate) fn luhn(digits: impl DoubleEndedIterator<Item = u8>) -> u8 {
    let sum: u32 = digits
        .rev()
        .enumerate()
        .map(|(place, digit)| match (place % 2, digit) {
            (0, 0..=4) => u32::from(digit * 2),
            (0, _) => u32::from(digit * 2 - 9),
            _ => u32::from(digit),
        })
        .sum();
    ((10 - sum % 10) % 10) as u8
}

/// The two digits after the country of an IBAN; `None` when a byte is no capital and no digit.
///
/// ```text
/// check = 98 − (BBAN ‖ country ‖ 00 as a number, A = 10 … Z = 35) mod 97
/// ```
///
/// Source: ISO 13616-1, ISO/IEC 7064 (MOD 97-10).
pub(crate) fn iban(country: [u8; 2], bban: impl Iterator<Item = u8>) -> Option<u8> {
    let mut rest = 0;
    for byte in bban.chain(country).chain(*b"00") {
        rest = match byte {
            b'0'..=b'9' => rest * 10 + u32::from(byte - b'0'),
            b'A'..=b'Z' => rest * 100 + u32::from(byte - b'A') + 10,
            _ => return None,
        } % 97;
    }
    Some((98 - rest) as u8)
}
