//! Names and values in any text: `"name": "value"` of JSON, `name: 'value'` and `name = "value"` of scripts,
//! `?name=value` of links, `name: value` of lines.

use std::ops::Range;

use super::json::balanced;
use super::{Coding, Finder, Grade, NAME_BYTES_MAX, VALUE_BYTES_MAX, has_code};
use crate::names::{is_secret_header, is_secret_name};
use crate::{PLACEHOLDER_BYTES, placeholder_at};

/// Blanks between a sign and a value in quotes.
const BLANKS_MAX: usize = 64;
/// Signs before a name that begins its line, and blanks around a sign.
const INDENT_MAX: usize = 64;
/// Brackets behind a value that are looked at.
const BRACKETS_MAX: usize = 8;
/// Bytes on either side of a code in which its neighbors are looked for.
const NEIGHBORS_BYTES_MAX: usize = 1024;
/// Words in front of credentials.
const SCHEMES: [&[u8]; 4] = [b"Bearer", b"Basic", b"Token", DIGEST];
/// The scheme whose credentials are a list of pairs.
const DIGEST: &[u8] = b"Digest";

impl Finder<'_> {
    /// Finds the pairs of a text by the `:` or `=` between name and value.
    pub(super) fn pairs(&mut self) {
        let mut covered = 0;
        let is_markup = self.bytes.trim_ascii_start().starts_with(b"<");
        for at in memchr::memchr2_iter(b':', b'=', self.bytes) {
            // What is a secret as a whole is not looked into.
            if at < covered {
                continue;
            }
            if !self.limits.spend(1) {
                return;
            }
            let known = self.found.spots.len();
            self.pair(at, is_markup);
            covered = self.found.spots[known..].iter().map(|spot| spot.range.end).max().unwrap_or(0).max(covered);
        }
    }

    fn pair(&mut self, at: usize, is_markup: bool) {
        let bytes = self.bytes;
        let is_arrow = bytes[at..].starts_with(b"=>");
        let sign_end = at + if is_arrow { 2 } else { 1 };
        let blanks = |is_blank: fn(&u8) -> bool, most: usize| {
            bytes[sign_end..].iter().take(most).take_while(|byte| is_blank(byte)).count()
        };
        let mut start = sign_end + blanks(is_blank, INDENT_MAX);
        if bytes.get(start) == Some(&b'=') || bytes[..at].ends_with(b"=") || bytes[..at].ends_with(b"!") {
            return; // A comparison.
        }
        let Some(name) = name_before(bytes, at) else { return };
        let text = String::from_utf8_lossy(&bytes[name.range.clone()]).into_owned();
        let far = sign_end + blanks(u8::is_ascii_whitespace, BLANKS_MAX);
        // `u'text'` of Python.
        let far = far + usize::from(matches!(bytes.get(far..far + 2), Some([b'u' | b'b', b'"' | b'\''])));
        if name.is_quoted || matches!(bytes.get(far), Some(b'"' | b'\'' | b'`')) {
            start = far;
        }
        let is_secret = name.is_quoted && self.is_secret(&text);
        match bytes.get(start) {
            Some(b'{' | b'[') if is_secret && self.is_data => {
                let end = balanced(bytes, start);
                if self.limits.spend(end - start) {
                    self.whole(start..end);
                }
            }
            Some(b'[') if name.is_quoted => {
                while let Some(range) = self.quoted(start + 1, b':', is_markup) {
                    start = range.1;
                    self.named(&text, range.0, Coding::Json);
                    if bytes.get(start) != Some(&b',') {
                        return;
                    }
                }
            }
            _ => {
                if let Some((range, _)) = self.quoted(start, bytes[at], is_markup) {
                    self.named(&text, range, Coding::Json);
                } else if bytes[at] == b':' && name.is_quoted {
                    self.number(&text, start);
                } else if bytes[at] == b'=' && self.rules.is_strict && (is_arrow || !name.is_quoted) {
                    self.of_link(&text, name.range.start, start);
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

    /// A parameter of a link, or any value without quotes.
    fn of_link(&mut self, name: &str, name_at: usize, start: usize) {
        let bytes = self.bytes;
        let ends = |byte: u8| matches!(byte, b'"' | b'\'' | b'<' | b'>' | b'\\' | b')') || byte.is_ascii_whitespace();
        // Parameters of a path end where its query begins, and those of a segment with it.
        let is_of_path = bytes[..name_at].ends_with(b";");
        let is_of_segment = name_at < self.path_end;
        // Cookies go on behind `;`.
        let is_list = self.rules.is_strict && is_list(name);
        let is_end = |at: usize| match bytes[at] {
            b'&' | b'#' => true,
            b';' | b' ' | b',' if is_list => false,
            b';' => true,
            b'?' => is_of_path,
            b'/' => is_of_segment,
            b',' => !self.rules.is_strict || begins_pair(&bytes[at + 1..]),
            byte => ends(byte),
        };
        let most = if self.rules.is_strict { bytes.len() } else { bytes.len().min(start + VALUE_BYTES_MAX) };
        let end = (start..most).find(|at| is_end(*at)).unwrap_or(most);
        if !self.limits.spend(end - start) {
            return;
        }
        let has_code = name.eq_ignore_ascii_case("code") && {
            let before =
                bytes[..name_at].iter().rev().take(NEIGHBORS_BYTES_MAX).take_while(|byte| !ends(**byte)).count();
            let after = bytes[start..].iter().take(NEIGHBORS_BYTES_MAX).take_while(|byte| !ends(**byte)).count();
            self.limits.spend(before + after) && has_code(&bytes[name_at - before..start + after])
        };
        let value = if self.rules.is_strict { within_brackets(bytes, start..end) } else { start..end };
        self.parameter(name, value, has_code);
    }

    /// A value in quotes: where it is, and where it ends with them.
    fn quoted(&self, at: usize, sign: u8, is_markup: bool) -> Option<(Range<usize>, usize)> {
        let bytes = self.bytes;
        let quote = *bytes.get(at).filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
        let start = at + 1;
        let most = if self.rules.is_strict { bytes.len() } else { bytes.len().min(start + VALUE_BYTES_MAX) };
        let mut end = start;
        loop {
            let Some(length) = memchr::memchr(quote, &bytes[end..most]) else {
                // A text that is cut off ends inside of the value.
                let is_looked_at = self.limits.spend(most - start) && self.rules.is_strict;
                let is_cut = is_looked_at && memchr::memmem::find(&bytes[start..], b"</").is_none();
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
        let is_looked_at = self.limits.spend(end - start);
        let is_text =
            is_looked_at && is_markup && sign == b'=' && memchr::memmem::find(&bytes[start..end], b"</").is_some();
        (!is_text).then_some((start..end, end + 1))
    }

    /// `name: value` of lines, options of commands, and credentials behind the word for their scheme.
    ///
    /// - `is_sure`: every value counts; otherwise one that could be a word of a message does not
    pub(super) fn labels(&mut self, is_sure: bool) {
        let bytes = self.bytes;
        let blanks = |from: usize| from + bytes[from..].iter().take_while(|byte| is_blank(byte)).count();
        let word = |from: usize| {
            let start = blanks(from);
            let is_word = |byte: &&u8| !byte.is_ascii_whitespace() && !b",;\"'<>\\".contains(byte);
            start..start + bytes[start..].iter().take_while(is_word).count()
        };
        // `Some("x")`: a word that a text in quotes follows goes with it.
        let whole_word = |word: Range<usize>| {
            let quote = bytes.get(word.end).filter(|byte| matches!(byte, b'"' | b'\'') && !word.is_empty());
            let close = quote.and_then(|quote| {
                let rest = bytes[word.end + 1..].iter().take(VALUE_BYTES_MAX);
                rest.take_while(|byte| **byte != b'\n').position(|byte| byte == quote)
            });
            let end = close.map_or(word.end, |length| word.end + length + 2);
            within_brackets(bytes, word.start..end)
        };
        let upto = |start: usize, ends: &[u8]| {
            let length = bytes[start..].iter().position(|byte| ends.contains(byte)).unwrap_or(bytes.len() - start);
            start..start + bytes[start..start + length].trim_ascii_end().len()
        };
        let mut covered = 0;
        for at in memchr::memchr_iter(b':', bytes) {
            let has_blank = bytes.get(at + 1).is_some_and(is_blank);
            let may_follow = |byte: &u8| !byte.is_ascii_whitespace() && !b":/=\"'".contains(byte);
            if at < covered || !(has_blank || (is_sure && bytes.get(at + 1).is_some_and(may_follow))) {
                continue;
            }
            if !self.limits.spend(1) {
                return;
            }
            let Some(name) = name_before(bytes, at).filter(|name| !name.is_quoted) else { continue };
            let text = String::from_utf8_lossy(&bytes[name.range.clone()]).into_owned();
            // `//name:` is the user or the host of a URL.
            if !self.is_secret(&text) || bytes[..name.range.start].ends_with(b"//") {
                continue;
            }
            let mut value = whole_word(word(at + 1));
            let scheme = is_scheme(&bytes[value.clone()]);
            // Where a value of several words ends that stands in the middle of a line.
            let ends: Option<&[u8]> = match scheme {
                Some(DIGEST) => Some(b"\r\n<"),
                _ if is_list(&text) => Some(b"\r\n\"<"),
                _ => None,
            };
            let is_open = matches!(bytes.get(value.start), Some(b'"' | b'\''));
            if is_sure && !is_open && begins_line(&bytes[..name.range.start]) {
                value = upto(value.start, b"\r\n");
                let is_block = matches!(&bytes[value.clone()], [b'|' | b'>', ..]) && value.len() <= 2;
                if is_block || is_secret_header(&text) && (ends.is_some() || text.contains('-') || scheme.is_some()) {
                    value.end = folded(bytes, value.end);
                }
            } else if let Some(ends) = ends {
                value = within_brackets(bytes, upto(value.start, ends));
            }
            if let Some(scheme) = scheme {
                let start = blanks(value.start + scheme.len());
                value = if value.end > start { start..value.end } else { word(start) };
            }
            if !self.limits.spend(value.len()) {
                return;
            }
            let has_digit = bytes[value.clone()].iter().any(u8::is_ascii_digit);
            if is_sure || has_digit {
                covered = value.end;
                self.named(&text, value, Coding::Raw);
            }
        }
        // Behind a word alone: each blank of many would be followed by all others.
        let is_behind_word = |at: &usize| {
            at.checked_sub(1).is_some_and(|last| bytes[last].is_ascii_alphanumeric() || bytes[last] == b'-')
        };
        for at in memchr::memchr_iter(b' ', bytes).filter(is_behind_word) {
            let start = bytes[..at].iter().rposition(|byte| !byte.is_ascii_alphanumeric()).map_or(0, |at| at + 1);
            if let Some(scheme) = is_scheme(&bytes[start..at]).filter(|scheme| bytes[start..at] == **scheme) {
                let value = word(at);
                // `Basic functionality` is no login.
                let is_sure = scheme == SCHEMES[0] || bytes[value.clone()].iter().any(u8::is_ascii_digit);
                if value.len() >= 4 && is_sure {
                    self.add(value, Coding::Raw, Grade::Strong);
                }
            }
            if is_sure {
                self.option(at, word(at));
            }
        }
    }

    /// The value behind an option of a command, as in `--password VALUE` and `-u USER:PASSWORD`.
    fn option(&mut self, end: usize, value: Range<usize>) {
        let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'-';
        let length = self.bytes[..end].iter().rev().take(NAME_BYTES_MAX).take_while(is_name).count();
        let option = &self.bytes[end - length..end];
        let is_login = matches!(option, b"-u" | b"--user" | b"--proxy-user" | b"-U");
        match option.strip_prefix(b"--").and_then(|name| std::str::from_utf8(name).ok()) {
            Some(name) if self.is_secret(name) && !self.bytes[value.clone()].starts_with(b"-") => {
                self.named(name, value, Coding::Raw);
            }
            _ if is_login && self.bytes[value.clone()].contains(&b':') => {
                self.add(value, Coding::Raw, Grade::Strong);
            }
            _ => {}
        }
    }
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Whether the values of this name go on behind `;`: cookies.
fn is_list(name: &str) -> bool {
    is_secret_header(name) && !is_secret_name(name)
}

/// A value without the brackets and signs behind it that do not belong to it.
fn within_brackets(bytes: &[u8], mut value: Range<usize>) -> Range<usize> {
    let count = |value: &Range<usize>, sign: u8| memchr::memchr_iter(sign, &bytes[value.clone()]).count();
    for _ in 0..BRACKETS_MAX {
        let is_behind = match bytes[value.clone()].last() {
            Some(b')') => count(&value, b'(') < count(&value, b')'),
            Some(b']') => count(&value, b'[') < count(&value, b']'),
            Some(b'}') => count(&value, b'{') < count(&value, b'}'),
            Some(b'`' | b':') => true,
            _ => false,
        };
        if !is_behind {
            break;
        }
        value.end -= 1;
    }
    value
}

/// Where the lines end that go on with one: they begin with a blank.
fn folded(bytes: &[u8], mut end: usize) -> usize {
    loop {
        let next = end + bytes[end..].iter().take(2).take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        if next == end || !bytes.get(next).is_some_and(is_blank) {
            return end;
        }
        let length = memchr::memchr(b'\n', &bytes[next..]).unwrap_or(bytes.len() - next);
        end = next + bytes[next..next + length].trim_ascii_end().len();
    }
}

/// The word for a scheme of credentials that this is, however it is spelled.
fn is_scheme(word: &[u8]) -> Option<&'static [u8]> {
    SCHEMES.into_iter().find(|known| word.eq_ignore_ascii_case(known))
}

/// Whether nothing but signs stands in the line before.
fn begins_line(before: &[u8]) -> bool {
    let signs = before.iter().rev().take(INDENT_MAX).take_while(|byte| b" \t-*<>|".contains(byte)).count();
    matches!(before[..before.len() - signs].last(), None | Some(b'\n'))
}

/// Whether the next pair of a list begins here, or something else than a value.
fn begins_pair(rest: &[u8]) -> bool {
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.-[]".contains(byte);
    let length = rest.iter().take(NAME_BYTES_MAX).take_while(is_name).count();
    match rest.get(length) {
        None => length == 0,
        Some(b'=') => length > 0,
        Some(byte) => length == 0 && (byte.is_ascii_whitespace() || b"\"'".contains(byte)),
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
    let blanks = bytes[..at].iter().rev().take(INDENT_MAX).take_while(|byte| is_blank(byte)).count();
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
