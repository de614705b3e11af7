//! Escaping for XML and HTML. Names and replies come from servers: nothing of them is markup.

use std::fmt::{Display, Formatter, Result};

/// Text that displays itself escaped, for element content and quoted attributes of XML and HTML.
///
/// Characters that XML forbids become U+FFFD.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(is_special) {
            out.write_str(&rest[..at])?;
            let special = rest[at..].chars().next().expect("a character was found there");
            out.write_str(match special {
                '&' => "&amp;",
                '<' => "&lt;",
                '>' => "&gt;",
                '"' => "&quot;",
                '\'' => "&#39;",
                _ => "\u{fffd}",
            })?;
            rest = &rest[at + special.len_utf8()..];
        }
        out.write_str(rest)
    }
}

fn is_special(c: char) -> bool {
    matches!(c, '&' | '<' | '>' | '"' | '\'' | '\u{fffe}' | '\u{ffff}' | '\u{7f}'..='\u{9f}')
        || (c < ' ' && !matches!(c, '\t' | '\n' | '\r'))
}

/// At most `limit` characters, with an ellipsis in place of the rest.
pub(crate) fn clip(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}
