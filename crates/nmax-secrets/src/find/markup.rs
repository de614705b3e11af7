//! Values in HTML and XML: fields of forms, `meta` elements, elements with a secret's name.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::{Finder, Grade, looks_random};
use crate::coding::Coding;

impl Finder<'_> {
    /// Finds the values of markup.
    pub(super) fn markup(&mut self) {
        if !self.bytes.contains(&b'<') {
            return;
        }
        static TAG: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r#"(?-u)<(?i:input|meta|button)\b((?:[^>"']|"[^"]*"|'[^']*')*)>"#).expect("a valid expression")
        });
        for found in TAG.captures_iter(self.bytes) {
            if let Some(inside) = found.get(1) {
                self.tag(inside.range());
            }
        }
        self.elements();
    }

    /// Elements with a secret's name: what they hold, elements too where every value counts.
    fn elements(&mut self) {
        static OPENING: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(?-u)<((?:[A-Za-z0-9_]+:)?([A-Za-z_][A-Za-z0-9_.-]{0,63}))(?:\s[^<>]*)?>")
                .expect("a valid expression")
        });
        let (bytes, mut end) = (self.bytes, 0);
        for found in OPENING.captures_iter(bytes) {
            let (Some(whole), Some(full), Some(name)) = (found.get(0), found.get(1), found.get(2)) else { continue };
            let name = String::from_utf8_lossy(name.as_bytes()).into_owned();
            if whole.start() < end || whole.as_bytes().ends_with(b"/>") || !self.is_secret(&name) {
                continue;
            }
            let start = whole.end();
            let leaf = start + memchr::memchr(b'<', &bytes[start..]).unwrap_or(bytes.len() - start);
            end = if self.is_data { closing(bytes, start, full.as_bytes()) } else { leaf };
            self.named(&name, start..end, Coding::Html);
        }
    }

    /// A field or `meta` element by its attributes.
    fn tag(&mut self, range: Range<usize>) {
        let attributes = attributes(self.bytes, range);
        let value = |wanted: &[&str]| {
            attributes.iter().find(|(name, _)| wanted.contains(&name.as_str())).map(|(_, value)| value.clone())
        };
        let Some(content) = value(&["value", "content"]).filter(|range| !range.is_empty()) else {
            return;
        };
        let text = |range: Range<usize>| String::from_utf8_lossy(&self.bytes[range]).into_owned();
        let name = value(&["name", "property", "id"]).map(&text).unwrap_or_default();
        let is_password = value(&["type"]).is_some_and(|kind| text(kind).eq_ignore_ascii_case("password"));
        let written = text(content.clone());
        let is_random = looks_random(&written);
        let is_value = self.rules.is_strict || is_random || !written.contains(' ');
        if is_password {
            self.add(content, Coding::Html, Grade::Strong);
        } else if self.is_secret(&name) && !super::is_plain(&written) && is_value {
            self.add(content, Coding::Html, if is_random { Grade::Strong } else { Grade::Weak });
        }
    }
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
