//! What servers do to bytes that would break their format, undone.

use nmax_text::percent;

/// Appends `text` to `out` with backslash escapes undone: `\"`, `\\`, `\/`, `\n` and its like, `\xhh` as Apache and nginx
/// write bytes, `\uhhhh` as JSON writes characters. What is no escape stays as it is.
pub(super) fn backslashes(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        let length = match rest.get(1) {
            Some(b'x') => byte(rest, out),
            Some(b'u') => character(rest, out),
            Some(letter) => letter_of(*letter, out),
            None => None,
        };
        let length = length.unwrap_or_else(|| {
            out.push(b'\\');
            1
        });
        rest = &rest[length..];
    }
    out.extend_from_slice(rest);
}

/// `\xhh` at the beginning of `rest`.
fn byte(rest: &[u8], out: &mut Vec<u8>) -> Option<usize> {
    out.push(hex(rest.get(2..4)?)?.try_into().ok()?);
    Some(4)
}

/// `\uhhhh`, or two of them that are one character, at the beginning of `rest`.
fn character(rest: &[u8], out: &mut Vec<u8>) -> Option<usize> {
    let first = hex(rest.get(2..6)?)?;
    let mut length = 6;
    let mut code = first;
    if (0xd800..0xdc00).contains(&first)
        && rest.get(6..8) == Some(b"\\u")
        && let Some(second) = rest.get(8..12).and_then(hex)
        && (0xdc00..0xe000).contains(&second)
    {
        code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        length = 12;
    }
    let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    Some(length)
}

/// A backslash and one letter.
fn letter_of(letter: u8, out: &mut Vec<u8>) -> Option<usize> {
    out.push(match letter {
        b'"' | b'\\' | b'/' | b'\'' => letter,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'b' => 8,
        b'f' => 12,
        b'v' => 11,
        _ => return None,
    });
    Some(2)
}

/// The number that hexadecimal digits are.
fn hex(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |value, &digit| Some(value * 16 + char::from(digit).to_digit(16)?))
}

/// Appends `text` to `out` with `%hh` undone, twice where the first time leaves `%20` as CloudFront does to user agents.
pub(super) fn percents(text: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.extend(percent::decode(text));
    if memchr::memmem::find(&out[start..], b"%20").is_some() {
        let once = out.split_off(start);
        out.extend(percent::decode(&once));
    }
}

/// Appends `text` to `out` with HAProxy's `#hh` undone.
pub(super) fn hashes(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let [first, after @ ..] = rest {
        match after.get(..2).and_then(hex).and_then(|value| u8::try_from(value).ok()) {
            Some(byte) if *first == b'#' => {
                out.push(byte);
                rest = &rest[3..];
            }
            _ => {
                out.push(*first);
                rest = after;
            }
        }
    }
}

/// Appends `text` to `out` with one quote instead of two.
pub(super) fn doubled(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = memchr::memmem::find(rest, b"\"\"") {
        out.extend_from_slice(&rest[..=at]);
        rest = &rest[at + 2..];
    }
    out.extend_from_slice(rest);
}

/// Appends `text` to `out` with blanks instead of `+`.
pub(super) fn pluses(text: &[u8], out: &mut Vec<u8>) {
    out.extend(text.iter().map(|&byte| if byte == b'+' { b' ' } else { byte }));
}

#[cfg(test)]
mod tests;
