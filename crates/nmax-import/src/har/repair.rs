//! Text that is nearly JSON made JSON: what programs write that put their output together by hand.

use nmax_extract::json::hex4;

/// The text with raw control characters, unknown escapes, halves of surrogate pairs, bare words and commas before a
/// closing bracket repaired. O(length).
///
/// Halves of pairs come from browsers, which cut long texts between the two.
pub(super) fn repaired(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = match c {
            '"' => string(&rest[1..], &mut out),
            ',' => {
                let after = rest[1..].trim_start();
                if !after.starts_with(['}', ']']) {
                    out.push(',');
                }
                &rest[1..]
            }
            c if c.is_alphabetic() || c == '-' => {
                let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '+' | '.' | '_');
                let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                let word = &rest[..length];
                let is_json = matches!(word, "true" | "false" | "null")
                    || word.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
                out.push_str(if is_json { word } else { "null" });
                &rest[length..]
            }
            c => {
                out.push(c);
                &rest[c.len_utf8()..]
            }
        };
    }
    out
}

/// A string behind its opening quote; gives what follows its closing one.
fn string<'a>(text: &'a str, out: &mut String) -> &'a str {
    out.push('"');
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '"' => {
                out.push('"');
                return rest;
            }
            '\\' => rest = escape(rest, out),
            c if c.is_control() && c.is_ascii() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    rest
}

/// An escape behind its backslash.
fn escape<'a>(text: &'a str, out: &mut String) -> &'a str {
    let Some(c) = text.chars().next() else { return text };
    let rest = &text[c.len_utf8()..];
    match c {
        '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' => {
            out.push('\\');
            out.push(c);
            rest
        }
        'u' => {
            let next = rest.get(4..).and_then(|rest| rest.strip_prefix("\\u")).and_then(hex4);
            let (written, length) = match (hex4(rest), next) {
                (Some(high @ 0xd800..=0xdbff), Some(low @ 0xdc00..=0xdfff)) => {
                    (format!("\\u{high:04x}\\u{low:04x}"), 10)
                }
                (Some(0xd800..=0xdfff), _) => ("\\ufffd".to_owned(), 4),
                (Some(unit), _) => (format!("\\u{unit:04x}"), 4),
                (None, _) => ("u".to_owned(), 0),
            };
            out.push_str(&written);
            &rest[length..]
        }
        // `\x41` and the like: the character itself.
        c => {
            if c.is_control() {
                return text;
            }
            out.push(c);
            rest
        }
    }
}
