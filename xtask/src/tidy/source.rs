//! A small scanner of Rust text: what is code, what is a comment, a string or a test.
//!
//! In: the text of a file. Out: text of the same length and lines in which everything
//! that is not wanted is blank, so that a plain search finds code only and line numbers
//! stay right. Linear in the length of the text, except for `without_tests`, which is
//! linear per test module.
//! It does not parse Rust: macros that build names and `#[cfg(any(test, ..))]` escape it.

use std::ops::Range;

/// The code of `text`: comments and the insides of strings and characters are blank.
pub(crate) fn code(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = end_of_token(bytes, at);
        if is_blank_token(bytes, at, end) {
            blank(&mut out[at..end]);
        }
        at = end;
    }
    String::from_utf8(out).unwrap_or_default()
}

/// The strings of `text` outside of comments and of the items that `#[cfg(test)]` marks; all else is blank.
pub(crate) fn strings(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = end_of_token(bytes, at);
        if bytes[at] == b'/' || !is_blank_token(bytes, at, end) {
            blank(&mut out[at..end]);
        }
        at = end;
    }
    tests(&code(text)).into_iter().for_each(|test| blank(&mut out[test]));
    String::from_utf8(out).unwrap_or_default()
}

/// `code` without the items that `#[cfg(test)]` marks. The argument is the result of [`code`].
pub(crate) fn without_tests(code: &str) -> String {
    let mut out = code.as_bytes().to_vec();
    tests(code).into_iter().for_each(|test| blank(&mut out[test]));
    String::from_utf8(out).unwrap_or_default()
}

/// Where the items stand that `#[cfg(test)]` marks. The argument is the result of [`code`].
fn tests(code: &str) -> Vec<Range<usize>> {
    const MARK: &str = "#[cfg(test)]";
    let mut tests = Vec::new();
    let mut from = 0;
    while let Some(found) = code[from..].find(MARK) {
        let start = from + found;
        from = end_of_item(code.as_bytes(), start + MARK.len());
        tests.push(start..from);
    }
    tests
}

/// Every path that `use` declarations in `code` name, with groups expanded, and the line of each declaration.
pub(crate) fn imports(code: &str) -> Vec<(usize, String)> {
    let mut paths = Vec::new();
    let mut from = 0;
    while let Some(found) = find_word(&code[from..], "use") {
        let start = from + found;
        let end = code[start..].find(';').map_or(code.len(), |length| start + length);
        let tree: String = code[start + 3..end].split_whitespace().collect();
        let line = line_of(code, start);
        let mut expanded = Vec::new();
        expand(tree.trim_start_matches("::"), "", &mut expanded);
        paths.extend(expanded.into_iter().map(|path| (line, path)));
        from = end;
    }
    paths
}

/// The number of the line, from 1, in which byte `at` of `text` lies.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1
}

/// Lines of `code` with `needle`, which must not be a part of a longer name.
pub(crate) fn lines_with(code: &str, needle: &str) -> Vec<usize> {
    let mut lines = Vec::new();
    let mut from = 0;
    while let Some(found) = find_word(&code[from..], needle) {
        lines.push(line_of(code, from + found));
        from += found + needle.len();
    }
    lines.dedup();
    lines
}

/// Where `needle` first stands in `code` without touching another letter, digit or `_`.
fn find_word(code: &str, needle: &str) -> Option<usize> {
    let is_name = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let bytes = code.as_bytes();
    let starts = is_name(needle.as_bytes().first());
    let ends = is_name(needle.as_bytes().last());
    code.match_indices(needle).map(|(at, _)| at).find(|at| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        let after = bytes.get(at + needle.len());
        !(starts && is_name(before) || ends && is_name(after))
    })
}

/// Expands the use tree `a::{b, c::{d}}` below `prefix` into its paths.
fn expand(tree: &str, prefix: &str, out: &mut Vec<String>) {
    let Some(open) = tree.find('{') else {
        out.push(format!("{prefix}{tree}"));
        return;
    };
    let inner = tree[open + 1..].strip_suffix('}').unwrap_or(&tree[open + 1..]);
    let prefix = format!("{prefix}{}", &tree[..open]);
    let mut depth = 0;
    let mut start = 0;
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b',' if depth == 0 => {
                expand(&inner[start..at], &prefix, out);
                start = at + 1;
            }
            _ => {}
        }
    }
    if start < inner.len() {
        expand(&inner[start..], &prefix, out);
    }
}

/// The end of the item that starts at `at`: its `;`, or the brace that closes its body.
fn end_of_item(code: &[u8], at: usize) -> usize {
    let mut depth = 0_u32;
    for (offset, byte) in code[at..].iter().enumerate() {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && *byte == b'}' {
                    return at + offset + 1;
                }
            }
            b';' if depth == 0 => return at + offset + 1,
            _ => {}
        }
    }
    code.len()
}

/// Whether the token is a comment, a string or a character.
fn is_blank_token(bytes: &[u8], at: usize, end: usize) -> bool {
    let token = &bytes[at..end];
    token.starts_with(b"//")
        || token.starts_with(b"/*")
        || (token.len() > 1 && matches!(token.last(), Some(b'"' | b'\'' | b'#')))
}

/// The end of the token at `at`: a comment, string, character or name as a whole, else one byte.
fn end_of_token(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    if rest.starts_with(b"//") {
        return rest.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at + length);
    }
    if rest.starts_with(b"/*") {
        return end_of_block_comment(bytes, at);
    }
    let prefix = rest.iter().take_while(|byte| matches!(byte, b'b' | b'c' | b'r')).count();
    if prefix <= 2 {
        let hashes = rest[prefix..].iter().take_while(|byte| **byte == b'#').count();
        let raw = rest[..prefix].contains(&b'r');
        match rest.get(prefix + hashes) {
            Some(b'"') if raw => return end_of_raw_string(bytes, at + prefix + hashes + 1, hashes),
            Some(b'"') if hashes == 0 => return end_of_quoted(bytes, at + prefix, b'"'),
            Some(b'\'') if hashes == 0 && (prefix == 0 || rest[..prefix] == *b"b") => {
                return end_of_character(bytes, at + prefix);
            }
            _ => {}
        }
    }
    let name = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    at + name.max(1)
}

fn end_of_block_comment(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0;
    let mut at = start;
    while at < bytes.len() {
        if bytes[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if bytes[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    bytes.len()
}

fn end_of_raw_string(bytes: &[u8], from: usize, hashes: usize) -> usize {
    let closes = |at: usize| {
        bytes[at] == b'"' && bytes[at + 1..].iter().take(hashes).filter(|byte| **byte == b'#').count() == hashes
    };
    (from..bytes.len()).find(|at| closes(*at)).map_or(bytes.len(), |at| at + 1 + hashes)
}

/// The end of the string that opens at `open`.
fn end_of_quoted(bytes: &[u8], open: usize, quote: u8) -> usize {
    let mut at = open + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The end of the character at `open`, or of the quote alone when it starts a lifetime.
fn end_of_character(bytes: &[u8], open: usize) -> usize {
    let is_lifetime = bytes.get(open + 1).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
        && bytes.get(open + 2) != Some(&b'\'');
    if is_lifetime { open + 1 } else { end_of_quoted(bytes, open, b'\'') }
}

fn blank(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}

#[cfg(test)]
mod tests;
