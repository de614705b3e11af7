//! What a protocol says of a reply, in a word.

use core::fmt;
use core::str;

use crate::wire::{Input, Wire, WireError};

/// The status of a reply: a number such as 404, or a short text such as the SQLSTATE `40P01`.
///
/// Numbers are below 10,000. A code of five characters is a text, of digits too, so that all codes of a protocol that has five
/// are texts. Numbers come before texts in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(u64);

/// Characters of a text, at most; a number has fewer.
const LENGTH_MAX: usize = 5;
/// What the bytes of a text follow, the first in the highest.
const TEXT: u64 = 1 << (8 * LENGTH_MAX);

impl Code {
    /// The code of a number: a text when it has five digits.
    pub const fn new(number: u16) -> Self {
        if number < 10_000 { Self(number as u64) } else { Self::five_digits(number) }
    }

    /// The text of a number of five digits.
    #[cold]
    const fn five_digits(number: u16) -> Self {
        let (mut left, mut text, mut digit) = (number as u64, TEXT, 0);
        while digit < LENGTH_MAX {
            text |= (b'0' as u64 + left % 10) << (8 * digit);
            left /= 10;
            digit += 1;
        }
        Self(text)
    }

    /// The code that is written like this; `None` when it is not one to five ASCII letters and digits.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        if !(1..=LENGTH_MAX).contains(&bytes.len()) || !bytes.iter().all(u8::is_ascii_alphanumeric) {
            return None;
        }
        if bytes.len() < LENGTH_MAX
            && (bytes[0] != b'0' || bytes.len() == 1)
            && let Ok(number) = text.parse()
        {
            return Some(Self(number));
        }
        let packed = bytes.iter().fold(1, |packed, byte| packed << 8 | u64::from(*byte));
        Some(Self(packed << (8 * (LENGTH_MAX - bytes.len()))))
    }

    /// The number; `None` of a text.
    pub fn number(self) -> Option<u16> {
        if self.0 < TEXT { u16::try_from(self.0).ok() } else { None }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(number) = self.number() {
            return number.fmt(f);
        }
        let bytes = self.0.to_be_bytes();
        f.pad(str::from_utf8(&bytes[bytes.len() - LENGTH_MAX..]).unwrap_or_default().trim_end_matches('\0'))
    }
}

impl Wire for Code {
    fn put(&self, out: &mut Vec<u8>) {
        // Not counted among the counts of a frame.
        u128::from(self.0).put(out);
    }

    fn take(input: &mut Input<'_>) -> Result<Self, WireError> {
        let code = Self(u64::try_from(u128::take(input)?).map_err(|_| WireError::TooLarge)?);
        let is_sound = Self::parse(&code.to_string()) == Some(code);
        is_sound.then_some(code).ok_or(WireError::Damaged("a status is not a code"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Law: parse(display(code)) = code, whatever it was made of; a text that is parsed is displayed as it was.
        #[test]
        fn codes_read_back(number: u16, text in "[0-9]{1,5}|[0-9A-Za-z]{1,5}") {
            let (numbered, parsed) = (Code::new(number), Code::parse(&text).unwrap());
            prop_assert_eq!(numbered.to_string(), number.to_string());
            prop_assert_eq!(Code::parse(&number.to_string()), Some(numbered));
            prop_assert_eq!(parsed.to_string(), text);
        }

        /// Law: numbers are in their order, texts in theirs, and numbers come first.
        #[test]
        fn codes_have_the_order_of_what_they_say(a in 0..10_000_u16, b in 0..10_000_u16, c in "[A-Z]{1,5}", d in "[A-Z]{1,5}") {
            prop_assert_eq!(Code::new(a).cmp(&Code::new(b)), a.cmp(&b));
            prop_assert_eq!(Code::parse(&c).cmp(&Code::parse(&d)), c.cmp(&d));
            prop_assert!(Some(Code::new(a)) < Code::parse(&c));
        }
    }

    #[test]
    fn five_characters_are_a_text_and_more_are_no_code() {
        for (text, number) in
            [("0", Some(0)), ("404", Some(404)), ("9999", Some(9_999)), ("23505", None), ("0404", None)]
        {
            assert_eq!(Code::parse(text).unwrap().number(), number, "{text}");
        }
        for text in ["", "1.5", "+12", "HY 00", "é", "WRONGTYPE"] {
            assert_eq!(Code::parse(text), None, "{text}");
        }
    }
}
