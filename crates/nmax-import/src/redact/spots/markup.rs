//! Values in HTML and XML: fields of forms, `meta` elements, elements with a secret's name.

use std::ops::Range;
use std::sync::LazyLock;

use nmax_plan::secret::is_secret_name;
use regex::bytes::Regex;

use super::{Coding, Finder, looks_random};

impl Finder<'_> {
    /// Finds the values of markup.
    pub(super) fn markup(&mut self) {
        if !self.bytes.contains(&b'<') {
            return;
        }
        static TAG: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r#"(?-u)<(?i:input|meta|button)\b((?:[^>"']|"[^"]*"|'[^']*')*)>"#).expect("a valid expression")
        });
        static ELEMENT: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(?-u)<(?:[A-Za-z0-9_]+:)?([A-Za-z_][A-Za-z0-9_.-]{0,63})(?:\s[^<>]*)?>([^<>]+)</")
                .expect("a valid expression")
        });
        for found in TAG.captures_iter(self.bytes) {
            if let Some(inside) = found.get(1) {
                self.tag(inside.range());
            }
        }
        for found in ELEMENT.captures_iter(self.bytes) {
            let (Some(name), Some(value)) = (found.get(1), found.get(2)) else {
                continue;
            };
            let name = String::from_utf8_lossy(name.as_bytes()).into_owned();
            self.named(&name, value.range(), Coding::Html);
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
        if is_password {
            self.add(content, Coding::Html, super::Grade::Strong);
        } else if is_secret_name(&name)
            && !super::is_plain(&written)
            && (looks_random(&written) || !written.contains(' '))
        {
            let grade = if looks_random(&written) { super::Grade::Strong } else { super::Grade::Weak };
            self.add(content, Coding::Html, grade);
        }
    }
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
