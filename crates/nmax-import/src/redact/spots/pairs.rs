//! Names and values in any text: `"name": "value"` of JSON, `name: 'value'` and `name = "value"` of scripts,
//! `?name=value` of links.

use std::ops::Range;

use super::{Coding, Finder, VALUE_MAX};

/// Bytes of the longest name.
const NAME_MAX: usize = 64;

impl Finder<'_> {
    /// Finds the pairs of a text by the `:` or `=` between name and value.
    pub(super) fn pairs(&mut self) {
        let mut at = 0;
        while let Some(length) = self.bytes[at..].iter().position(|byte| matches!(byte, b':' | b'=')) {
            at += length;
            self.pair(at);
            at += 1;
        }
    }

    fn pair(&mut self, at: usize) {
        let bytes = self.bytes;
        let mut start = at + 1 + bytes[at + 1..].iter().take(2).take_while(|byte| **byte == b' ').count();
        if bytes.get(start) == Some(&b'=') || bytes[..at].ends_with(b"=") || bytes[..at].ends_with(b"!") {
            return; // A comparison.
        }
        let Some(name) = name_before(bytes, at) else { return };
        let name = Name { text: String::from_utf8_lossy(&bytes[name.start..name.end]).into_owned(), ..name };
        let escaped = |at: usize| bytes.get(at) == Some(&b'\\');
        let coding = |at: usize| if escaped(at) { Coding::JsonTwice } else { Coding::Json };
        if bytes.get(start) == Some(&b'[') && name.is_quoted {
            while let Some(range) = quoted(bytes, start + 1) {
                let coding = coding(start + 1);
                start = range.1;
                self.named(&name.text, range.0, coding);
                if bytes.get(start) != Some(&b',') {
                    return;
                }
            }
        } else if let Some((range, _)) = quoted(bytes, start) {
            self.named(&name.text, range, coding(start));
        } else if bytes[at] == b':' && name.is_quoted {
            let is_number = |byte: &&u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
            let length = bytes[start..].iter().take_while(is_number).count();
            // Counts and flags have two digits at most; what people keep secret has more.
            if length >= 3 && self.is_data {
                self.named(&name.text, start..start + length, Coding::Raw);
            }
        } else if bytes[at] == b'=' && !name.is_quoted && name.is_parameter {
            let is_value =
                |byte: &&u8| !matches!(byte, b'&' | b'"' | b'\'' | b'<' | b'>' | b'#' | b';' | b'\\' | b')' | b',');
            let is_value = |byte: &&u8| is_value(byte) && !byte.is_ascii_whitespace();
            let length = bytes[at + 1..].iter().take(VALUE_MAX).take_while(is_value).count();
            self.named(&name.text, at + 1..at + 1 + length, Coding::Percent);
        }
    }
}

/// A name and how it stands there.
#[derive(Default)]
struct Name {
    text: String,
    start: usize,
    end: usize,
    is_quoted: bool,
    /// It follows the sign that stands before parameters of links, or nothing.
    is_parameter: bool,
}

/// The name that ends before a sign.
fn name_before(bytes: &[u8], at: usize) -> Option<Name> {
    let blanks = bytes[..at].iter().rev().take(2).take_while(|byte| **byte == b' ').count();
    let mut end = at - blanks;
    let is_quoted = bytes[..end].ends_with(b"\"") || bytes[..end].ends_with(b"'");
    if is_quoted {
        end -= 1;
        end -= bytes[..end].iter().rev().take_while(|byte| **byte == b'\\').count();
    }
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'[' | b']' | b'$');
    let length = bytes[..end].iter().rev().take(NAME_MAX).take_while(is_name).count();
    let start = end - length;
    let before = start.checked_sub(1).map(|at| bytes[at]);
    (length > 0).then(|| Name {
        start,
        end,
        is_quoted,
        is_parameter: before.is_none_or(|byte| matches!(byte, b'?' | b'&' | b';' | b'#' | b'\n' | b' ')),
        text: String::new(),
    })
}

/// A value in quotes, which may be escaped themselves (JSON in a string): where it is, and where it ends with them.
fn quoted(bytes: &[u8], at: usize) -> Option<(Range<usize>, usize)> {
    let slashes = bytes[at..].iter().take_while(|byte| **byte == b'\\').count();
    let quote = *bytes.get(at + slashes).filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
    let start = at + slashes + 1;
    let mut end = start;
    loop {
        let rest = &bytes[end..bytes.len().min(start + VALUE_MAX)];
        end += rest.iter().position(|byte| *byte == quote)?;
        let before = bytes[start..end].iter().rev().take_while(|byte| **byte == b'\\').count();
        // `\"` ends what began with `\"`. A backslash of the value is doubled once for each string around it.
        if before % (2 * (slashes + 1)) == slashes {
            return Some((start..end - slashes, end + 1));
        }
        end += 1;
    }
}
