//! Names and values in any text: `"name": "value"` of JSON, `name: 'value'` and `name = "value"` of scripts,
//! `?name=value` of links, `name: value` of lines.

use std::ops::Range;

use super::json::balanced;
use super::{Coding, Finder, Grade, VALUE_BYTES_MAX, has_code};
use crate::{PLACEHOLDER_BYTES, placeholder_at};

/// Bytes of the longest name.
const NAME_BYTES_MAX: usize = 64;
/// Words in front of credentials.
const SCHEMES: [&[u8]; 4] = [b"Bearer", b"Basic", b"Token", b"Digest"];

impl Finder<'_> {
    /// Finds the pairs of a text by the `:` or `=` between name and value.
    pub(super) fn pairs(&mut self) {
        let mut covered = 0;
        for at in memchr::memchr2_iter(b':', b'=', self.bytes) {
            // What goes for good is not looked into: a text of nothing but beginnings would be read once for each.
            if at < covered && self.rules.is_strict {
                continue;
            }
            let known = self.found.spots.len();
            self.pair(at);
            covered = self.found.spots[known..].iter().map(|spot| spot.range.end).max().unwrap_or(0).max(covered);
        }
    }

    fn pair(&mut self, at: usize) {
        let bytes = self.bytes;
        let mut start = at + 1 + bytes[at + 1..].iter().take(2).take_while(|byte| **byte == b' ').count();
        if bytes.get(start) == Some(&b'=') || bytes[..at].ends_with(b"=") || bytes[..at].ends_with(b"!") {
            return; // A comparison.
        }
        let Some(name) = name_before(bytes, at) else { return };
        let text = String::from_utf8_lossy(&bytes[name.range.clone()]).into_owned();
        let is_secret = name.is_quoted && self.is_secret(&text);
        match bytes.get(start) {
            Some(b'{' | b'[') if is_secret && self.is_data => self.whole(start..balanced(bytes, start)),
            Some(b'[') if name.is_quoted => {
                while let Some(range) = self.quoted(start + 1, b':') {
                    start = range.1;
                    self.named(&text, range.0, Coding::Json);
                    if bytes.get(start) != Some(&b',') {
                        return;
                    }
                }
            }
            _ => {
                if let Some((range, _)) = self.quoted(start, bytes[at]) {
                    self.named(&text, range, Coding::Json);
                } else if bytes[at] == b':' && name.is_quoted {
                    self.number(&text, start);
                } else if bytes[at] == b'=' && !name.is_quoted && name.is_parameter {
                    self.of_link(&text, name.range.start, at + 1);
                }
            }
        }
    }

    /// A number of JSON in a text that is none as a whole.
    fn number(&mut self, name: &str, start: usize) {
        let is_number = |byte: &&u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
        let length = self.bytes[start..].iter().take_while(is_number).count();
        if length >= 3 && self.is_data && self.is_secret_number(name) {
            self.put(start..start + length, Coding::Raw, Grade::Strong, "\"");
        }
    }

    /// A parameter of a link.
    fn of_link(&mut self, name: &str, name_at: usize, start: usize) {
        let bytes = self.bytes;
        let ends = |byte: u8| matches!(byte, b'"' | b'\'' | b'<' | b'>' | b'\\' | b')') || byte.is_ascii_whitespace();
        // Parameters of a path end where its query begins, and those of a segment with it.
        let is_of_path = bytes[..name_at].ends_with(b";");
        let is_of_segment = name_at < self.path_end;
        let is_value = |byte: &&u8| {
            let is_next = (is_of_path && **byte == b'?') || (is_of_segment && **byte == b'/');
            !ends(**byte) && !matches!(byte, b'&' | b'#' | b';' | b',') && !is_next
        };
        let most = if self.rules.is_strict { bytes.len() } else { VALUE_BYTES_MAX };
        let length = bytes[start..].iter().take(most).take_while(is_value).count();
        let has_code = name.eq_ignore_ascii_case("code") && {
            let before = bytes[..name_at].iter().rev().take(VALUE_BYTES_MAX).take_while(|byte| !ends(**byte)).count();
            let after = bytes[start..].iter().take(VALUE_BYTES_MAX).take_while(|byte| !ends(**byte)).count();
            has_code(&bytes[name_at - before..start + after])
        };
        self.parameter(name, start..start + length, has_code);
    }

    /// A value in quotes: where it is, and where it ends with them.
    fn quoted(&self, at: usize, sign: u8) -> Option<(Range<usize>, usize)> {
        let bytes = self.bytes;
        let quote = *bytes.get(at).filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
        let start = at + 1;
        let most = if self.rules.is_strict { bytes.len() } else { bytes.len().min(start + VALUE_BYTES_MAX) };
        let mut end = start;
        loop {
            let Some(length) = memchr::memchr(quote, &bytes[end..most]) else {
                // A text that is cut off ends inside of the value.
                let is_cut = self.rules.is_strict && memchr::memmem::find(&bytes[start..], b"</").is_none();
                return is_cut.then_some((start..bytes.len(), bytes.len()));
            };
            end += length;
            let slashes = bytes[start..end].iter().rev().take_while(|byte| **byte == b'\\').count();
            if slashes.is_multiple_of(2) {
                break;
            }
            end += 1;
        }
        // What begins like an attribute and goes beyond the end of an element is text between tags.
        let is_markup = sign == b'=' && bytes.trim_ascii_start().starts_with(b"<");
        let is_text = is_markup && memchr::memmem::find(&bytes[start..end], b"</").is_some();
        (!is_text).then_some((start..end, end + 1))
    }

    /// `name: value` of lines, and credentials behind the word for their scheme.
    pub(super) fn labels(&mut self) {
        let bytes = self.bytes;
        let is_word = |byte: &&u8| !byte.is_ascii_whitespace() && !b",;\"'<>\\".contains(byte);
        let word = |from: usize| {
            let start = from + bytes[from..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            start..start + bytes[start..].iter().take_while(is_word).count()
        };
        let is_scheme =
            |range: &Range<usize>| SCHEMES.iter().any(|known| bytes[range.clone()].eq_ignore_ascii_case(known));
        for at in memchr::memchr_iter(b':', bytes) {
            let Some(name) = name_before(bytes, at).filter(|name| !name.is_quoted) else { continue };
            let text = String::from_utf8_lossy(&bytes[name.range]).into_owned();
            let value = word(at + 1);
            if !value.is_empty() && value.start > at + 1 && self.is_secret(&text) {
                let value = if is_scheme(&value) { word(value.end) } else { value };
                self.named(&text, value, Coding::Raw);
            }
        }
        for at in memchr::memchr_iter(b' ', bytes) {
            let start = bytes[..at].iter().rposition(|byte| !byte.is_ascii_alphanumeric()).map_or(0, |at| at + 1);
            if SCHEMES.iter().any(|known| bytes[start..at] == **known) {
                let value = word(at);
                // `Basic functionality` is no login.
                let is_sure = bytes[start..at] == *SCHEMES[0] || bytes[value.clone()].iter().any(u8::is_ascii_digit);
                if value.len() >= 4 && is_sure {
                    self.add(value, Coding::Raw, Grade::Strong);
                }
            }
        }
    }
}

/// A name and how it stands there.
struct Name {
    range: Range<usize>,
    is_quoted: bool,
    /// It follows the sign that stands before parameters of links, or nothing.
    is_parameter: bool,
}

/// The name that ends before a sign. A name in quotes that are escaped is one of the text behind the escapes.
fn name_before(bytes: &[u8], at: usize) -> Option<Name> {
    let blanks = bytes[..at].iter().rev().take(2).take_while(|byte| **byte == b' ').count();
    let mut end = at - blanks;
    let is_quoted = bytes[..end].ends_with(b"\"") || bytes[..end].ends_with(b"'");
    end -= usize::from(is_quoted);
    if is_quoted && bytes[..end].ends_with(b"\\") {
        return None;
    }
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'[' | b']' | b'$');
    let length = bytes[..end].iter().rev().take(NAME_BYTES_MAX).take_while(is_name).count();
    let mut start = end - length;
    if length == NAME_BYTES_MAX {
        // One that is cut off within a placeholder begins behind it, for `secret` is a word of the placeholder.
        let mut ends = (start.saturating_sub(PLACEHOLDER_BYTES)..start)
            .filter_map(|at| placeholder_at(&bytes[at..end]).map(|length| at + length));
        start = ends.find(|end| *end > start).unwrap_or(start);
    }
    let before = start.checked_sub(1).map(|at| bytes[at]);
    (start < end).then(|| Name {
        range: start..end,
        is_quoted,
        is_parameter: before.is_none_or(|byte| matches!(byte, b'?' | b'&' | b';' | b'#' | b'\n' | b' ' | b'(' | b'[')),
    })
}
