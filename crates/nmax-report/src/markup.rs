//! Escaping for XML and HTML. Names and replies come from servers: nothing of them is markup.

use std::fmt::{Display, Formatter, Result};

use nmax_text::{is_hidden, shown};

/// Text that displays itself escaped, for element content and quoted attributes of XML and HTML.
///
/// What hides in text or turns its direction becomes a visible escape; the two other characters that XML forbids, U+FFFD.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(is_special) {
            out.write_str(&rest[..at])?;
            let special = rest[at..].chars().next().expect("a character was found there");
            match special {
                '&' => out.write_str("&amp;")?,
                '<' => out.write_str("&lt;")?,
                '>' => out.write_str("&gt;")?,
                '"' => out.write_str("&quot;")?,
                '\'' => out.write_str("&#39;")?,
                '\u{fffe}' | '\u{ffff}' => out.write_str("\u{fffd}")?,
                hidden => out.write_str(&shown(hidden.encode_utf8(&mut [0; 4])))?,
            }
            rest = &rest[at + special.len_utf8()..];
        }
        out.write_str(rest)
    }
}

fn is_special(c: char) -> bool {
    matches!(c, '&' | '<' | '>' | '"' | '\'' | '\u{fffe}' | '\u{ffff}')
        || (is_hidden(c) && !matches!(c, '\t' | '\n' | '\r'))
}

/// At most `limit` characters, with an ellipsis in place of the rest.
pub(crate) fn clip(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}

/// What may stand in an id, another one for each text: characters of other kinds are written by their numbers.
pub(crate) fn id(text: &str) -> String {
    let keep = |c: char| c.is_ascii_alphanumeric() || c == '-';
    text.chars().map(|c| if keep(c) { c.to_string() } else { format!("_{:x}_", u32::from(c)) }).collect()
}
