//! Reading the inside of a hole piece by piece, and where a hole ends.

use super::Template;

/// Length in bytes of the hole with which the text begins, `${` and `}` included; `None` when it does not end.
///
/// A brace inside the quotes of a call does not end it. O(length).
pub(crate) fn hole_length(text: &str) -> Option<usize> {
    let inside = &text[2..];
    if !is_call(inside) {
        return inside.find('}').map(|end| end + 3);
    }
    let mut quote = None;
    let mut chars = inside.char_indices();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some(_), '\\') => _ = chars.next(),
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '}') => return Some(at + 3),
            _ => {}
        }
    }
    None
}

/// Whether the text begins with a name and an opening bracket.
pub(super) fn is_call(text: &str) -> bool {
    let text = text.trim_start();
    let after = text.trim_start_matches(is_name_char);
    after.len() < text.len() && after.trim_start().starts_with('(')
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

/// A template that is this text.
pub(super) fn constant(text: String) -> Template {
    if text.is_empty() { Template::default() } else { Template::text(text) }
}

/// The text in single quotes, so that [`unquote`] reads it back.
pub(crate) fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// The text in the quotes with which `text` begins, and its length with them; `None` when there are none or they do not
/// end. A backslash takes away the meaning of a quote or a backslash, and is itself before anything else.
pub(crate) fn unquote(text: &str) -> Option<(String, usize)> {
    let open = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let mut found = String::new();
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                let escaped = chars.next_if(|(_, next)| matches!(next, '\'' | '"' | '\\'));
                found.push(escaped.map_or('\\', |(_, escaped)| escaped));
            }
            c if c == open => return Some((found, at + 1)),
            c => found.push(c),
        }
    }
    None
}

/// A place in the inside of a hole.
pub(super) struct Cursor<'t> {
    text: &'t str,
    /// In bytes.
    at: usize,
    /// Characters before the inside of the hole.
    before: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str, before: usize) -> Self {
        Self { text, at: 0, before }
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// In characters from the start of the template. O(length of the hole).
    pub(super) fn offset(&self) -> usize {
        self.before + self.text[..self.at].chars().count()
    }

    pub(super) fn skip_spaces(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Goes past this character if it is the next one.
    pub(super) fn eat(&mut self, c: char) -> bool {
        let found = self.rest().starts_with(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    /// The name that begins here.
    pub(super) fn identifier(&mut self) -> &'t str {
        let rest = self.rest();
        let length = rest.len() - rest.trim_start_matches(is_name_char).len();
        self.at += length;
        &rest[..length]
    }

    /// The text in quotes that begins here.
    pub(super) fn quoted(&mut self) -> Option<String> {
        let (text, length) = unquote(self.rest())?;
        self.at += length;
        Some(text)
    }

    /// What stands here without quotes, up to the end of the argument.
    pub(super) fn bare(&mut self) -> &'t str {
        let rest = self.rest();
        let length = rest.find([',', ')', '(', '\'', '"']).unwrap_or(rest.len());
        self.at += length;
        rest[..length].trim_end()
    }
}
