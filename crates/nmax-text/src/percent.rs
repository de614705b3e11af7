//! Percent-encoding (RFC 3986, 2.1), for all that writes or reads URLs.
//!
//! What is not an escape stays as it is written: a `%` alone, `%zz`, and `%+f`, which a parser of numbers would take.

/// A byte as an escape, such as `%2F`.
pub fn escape(byte: u8) -> [u8; 3] {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    [b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]
}

/// The bytes behind the escapes.
pub fn decode(text: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let hex = |digit: u8| char::from(digit).to_digit(16);
    let mut rest = text;
    std::iter::from_fn(move || {
        let escaped = match *rest {
            [b'%', high, low, ..] => hex(high).zip(hex(low)).map(|(high, low)| (high * 16 + low) as u8),
            _ => None,
        };
        let byte = escaped.or_else(|| rest.first().copied())?;
        rest = &rest[if escaped.is_some() { 3 } else { 1 }..];
        Some(byte)
    })
}

/// The text behind the escapes; what is not UTF-8 becomes U+FFFD. O(length).
pub fn decode_lossy(text: &str) -> String {
    String::from_utf8_lossy(&decode(text.as_bytes()).collect::<Vec<_>>()).into_owned()
}

/// The text behind the escapes; `None` when a `%` begins none, or the bytes are not UTF-8. O(length).
pub fn decode_exact(text: &str) -> Option<String> {
    is_encoded(text).then(|| String::from_utf8(decode(text.as_bytes()).collect()).ok())?
}

/// As [`decode_exact`], and `+` is a space (WHATWG URL, `application/x-www-form-urlencoded`).
pub fn decode_form(text: &str) -> Option<String> {
    decode_exact(&text.replace('+', " "))
}

/// Whether every `%` begins an escape.
pub fn is_encoded(text: &str) -> bool {
    text.split('%').skip(1).all(|after| {
        let digits = after.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })
}

/// The text with everything but [unreserved](is_unreserved) characters as escapes. O(length).
pub fn encode(text: &str) -> String {
    encode_but(text.as_bytes(), is_unreserved)
}

/// All bytes as escapes, but for those of ASCII that stay. O(length).
pub fn encode_but(bytes: &[u8], stays: impl Fn(u8) -> bool) -> String {
    let mut out = String::with_capacity(bytes.len());
    for &byte in bytes {
        if byte.is_ascii() && stays(byte) {
            out.push(char::from(byte));
        } else {
            out.extend(escape(byte).map(char::from));
        }
    }
    out
}

/// Whether no part of a URL gives this byte a meaning (RFC 3986, 2.3).
pub fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_not_an_escape_stays() {
        // text     decoded      exact        why this row
        let cases = [
            ("a%2fb", "a/b", Some("a/b"), "small digits"),
            ("%C3%A9", "é", Some("é"), "bytes of one character"),
            ("%+f", "%+f", None, "a sign is not a digit"),
            ("%-1%2", "%-1%2", None, "nor is this one, and one digit is not enough"),
            ("100%", "100%", None, "a sign at the end"),
            ("%%41", "%A", None, "a sign before an escape"),
            ("%ff", "\u{fffd}", None, "not UTF-8"),
            ("a+b", "a+b", Some("a+b"), "a plus is a space in forms only"),
            ("%é", "%é", None, "a character of two bytes"),
        ];
        for (text, lossy, exact, why) in cases {
            assert_eq!(decode_lossy(text), lossy, "{why}: {text}");
            assert_eq!(decode_exact(text).as_deref(), exact, "{why}: {text}");
        }
        assert_eq!(decode_form("a+b%2B").as_deref(), Some("a b+"));
    }

    #[test]
    fn what_stays_is_ascii() {
        assert_eq!(encode("a b/é~"), "a%20b%2F%C3%A9~");
        assert_eq!(encode_but("/é \"".as_bytes(), |byte| byte != b' '), "/%C3%A9%20\"");
    }

    proptest! {
        /// Law: decoding is the inverse of encoding, and what is encoded needs no more of it.
        #[test]
        fn encoding_is_undone(text in ".*") {
            let encoded = encode(&text);
            prop_assert_eq!(decode_exact(&encoded), Some(text.clone()));
            prop_assert_eq!(decode_form(&encoded), Some(text));
            prop_assert!(encoded.bytes().all(|byte| byte == b'%' || is_unreserved(byte)));
        }
    }
}
