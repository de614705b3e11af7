//! Values in HTML and XML: fields of forms, `meta` elements, elements with a secret's name.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::{Finder, Grade, looks_random};
use crate::coding::Coding;

/// Elements that hold the values of forms and pages.
const FIELDS: [&[u8]; 3] = [b"input", b"meta", b"button"];
/// Attributes that say what the value beside them is.
const NAMING: [&str; 4] = ["name", "property", "id", "key"];
/// Attributes that hold a value.
const VALUES: [&str; 2] = ["value", "content"];
/// Bytes of the longest tag that is read.
const TAG_BYTES_MAX: usize = 64 * 1024;

/// Finds the values of markup.
pub(super) fn markup(finder: &mut Finder<'_>) {
    if !finder.bytes.contains(&b'<') {
        return;
    }
    for at in memchr::memchr_iter(b'<', finder.bytes) {
        let name = at + 1..at + 1 + finder.bytes[at + 1..].iter().take_while(|byte| is_name(byte)).count();
        if name.is_empty() || !(is_field(&finder.bytes[name.clone()]) || finder.is_data) {
            continue;
        }
        let end = tag_end(finder.bytes, name.end);
        if !finder.limits.spend(end.unwrap_or(finder.bytes.len().min(name.end + TAG_BYTES_MAX)) - at) {
            return;
        }
        if let Some(end) = end {
            tag(finder, name.end..end);
        }
    }
    elements(finder);
}

/// Elements with a secret's name: what they hold, elements too where every value counts.
fn elements(finder: &mut Finder<'_>) {
    static OPENING: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)<((?:[A-Za-z0-9_]+:)?([A-Za-z_][A-Za-z0-9_.-]{0,63}))(\s[^<>]*)?>")
            .expect("a valid expression")
    });
    let (bytes, mut end) = (finder.bytes, 0);
    for found in OPENING.captures_iter(bytes) {
        let (Some(whole), Some(full), Some(name)) = (found.get(0), found.get(1), found.get(2)) else { continue };
        let name = String::from_utf8_lossy(name.as_bytes()).into_owned();
        if whole.start() < end || whole.as_bytes().ends_with(b"/>") {
            continue;
        }
        // `<param name="token">` holds what its attribute says.
        let attributes = found.get(3).filter(|_| finder.is_data).map(|inside| attributes(bytes, inside.range()));
        let attributes = attributes.unwrap_or_default();
        let has_value = attributes.iter().any(|(name, _)| VALUES.contains(&name.as_str())) || is_field(name.as_bytes());
        let named = attributes.into_iter().find(|(name, _)| !has_value && NAMING.contains(&name.as_str()));
        let named = named.map(|(_, value)| String::from_utf8_lossy(&bytes[value]).into_owned());
        let Some(name) = [Some(name), named].into_iter().flatten().find(|name| finder.is_secret(name)) else {
            continue;
        };
        let start = whole.end();
        let leaf = start + memchr::memchr(b'<', &bytes[start..]).unwrap_or(bytes.len() - start);
        end = if finder.is_data { closing(bytes, start, full.as_bytes()) } else { leaf };
        if !finder.limits.spend(end - start) {
            return;
        }
        finder.named(&name, start..end, Coding::Html);
    }
}

/// A field or `meta` element by its attributes.
fn tag(finder: &mut Finder<'_>, range: Range<usize>) {
    let attributes = attributes(finder.bytes, range);
    let value = |wanted: &[&str]| {
        attributes.iter().find(|(name, _)| wanted.contains(&name.as_str())).map(|(_, value)| value.clone())
    };
    let Some(content) = value(&VALUES).filter(|range| !range.is_empty()) else {
        return;
    };
    let text = |range: Range<usize>| String::from_utf8_lossy(&finder.bytes[range]).into_owned();
    let name = value(&NAMING).map(&text).unwrap_or_default();
    let is_password = value(&["type"]).is_some_and(|kind| text(kind).eq_ignore_ascii_case("password"));
    let written = text(content.clone());
    let is_random = looks_random(&written);
    let is_value = finder.rules.is_strict || is_random || !written.contains(' ');
    if is_password {
        finder.add(content, Coding::Html, Grade::Strong);
    } else if finder.is_secret(&name) && !super::is_plain(&written) && is_value {
        finder.add(content, Coding::Html, if is_random { Grade::Strong } else { Grade::Weak });
    }
}

fn is_field(name: &[u8]) -> bool {
    FIELDS.iter().any(|known| name.eq_ignore_ascii_case(known))
}

fn is_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_:-.".contains(byte)
}

/// Where a tag ends whose attributes begin here: at a `>` outside of quotes.
fn tag_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut quote = None;
    let end = bytes[start..].iter().take(TAG_BYTES_MAX).position(|byte| match quote {
        Some(open) => {
            quote = Some(open).filter(|open| open != byte);
            false
        }
        None if matches!(byte, b'"' | b'\'') => {
            quote = Some(*byte);
            false
        }
        None => *byte == b'>',
    });
    end.map(|length| start + length)
}

/// Where what an element holds ends; the end of the text when the element does not. O(length).
fn closing(bytes: &[u8], start: usize, name: &[u8]) -> usize {
    let mut depth = 1_usize;
    for at in memchr::memchr_iter(b'<', &bytes[start..]).map(|at| at + start) {
        let rest = &bytes[at + 1..];
        let (is_end, rest) = rest.strip_prefix(b"/").map_or((false, rest), |rest| (true, rest));
        let Some(after) = rest.strip_prefix(name) else { continue };
        if !matches!(after.first(), Some(b'>' | b'/' | b' ' | b'\t' | b'\r' | b'\n')) {
            continue;
        }
        let tag = &after[..memchr::memchr(b'>', after).unwrap_or(after.len())];
        match is_end {
            true => depth -= 1,
            false if !tag.ends_with(b"/") => depth += 1,
            false => {}
        }
        if depth == 0 {
            return at;
        }
    }
    bytes.len()
}

/// Attributes of a tag, names in small letters.
fn attributes(bytes: &[u8], range: Range<usize>) -> Vec<(String, Range<usize>)> {
    static ATTRIBUTE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?-u)([A-Za-z_:@][A-Za-z0-9_:.-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))"#)
            .expect("a valid expression")
    });
    let start = range.start;
    let attribute = |found: regex::bytes::Captures<'_>| {
        let name = String::from_utf8_lossy(found.get(1)?.as_bytes()).to_ascii_lowercase();
        let value = found.get(2).or_else(|| found.get(3)).or_else(|| found.get(4))?.range();
        Some((name, start + value.start..start + value.end))
    };
    ATTRIBUTE.captures_iter(&bytes[range]).filter_map(attribute).collect()
}
