//! Text that comes from servers, plans, logs and files, made safe to show; and text with colors of nmax's own.
//!
//! All that nmax prints or puts into a report goes through this crate: [`shown`] and [`shown_lines`] escape, [`Painted`]
//! is what a program prints. A color is a value ([`Ink`]), never a part of a text, so a sequence of somebody else's is
//! escaped even when nmax itself would have written the same one.
//!
//! # Layout
//! - [`shown`], [`shown_lines`], [`is_hidden`]: what is escaped; `painted`: what is printed
//! - [`percent`], [`url`], [`csv`], [`html`], [`number`], [`civil`], [`nearest()`]: how texts are written that every crate reads or
//!   writes; tidy refuses a second one of each
//! - [`is_uuid`]: a form that names of things have; [`named!`]: enums with names
//!
//! An escape is that of JSON (`\u001b`): JSON that is printed stays the same JSON, and a person sees what is there.

#![cfg_attr(test, allow(clippy::unwrap_used))]

/// Declares an enum whose variants have names: `ALL` of them in their order, and a function that says the name of one.
#[macro_export]
macro_rules! named {
    (
        $(#[$meta:meta])* $vis:vis enum $enum:ident { $($(#[$of:meta])* $variant:ident = $name:literal,)+ }
        $(#[$about:meta])* $method:ident
    ) => {
        $(#[$meta])*
        $vis enum $enum {
            $($(#[$of])* $variant,)+
        }

        impl $enum {
            /// All of them.
            $vis const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            $(#[$about])*
            $vis const fn $method(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }
        }
    };
}

pub mod civil;
pub mod csv;
pub mod html;
mod nearest;
pub mod number;
mod painted;
pub mod percent;
pub mod url;

use std::borrow::Cow;

pub use nearest::{meant, nearest};
pub use painted::{Ink, Painted};

/// Whether a text is written as a UUID is, of whatever version.
pub fn is_uuid(text: &[u8]) -> bool {
    text.len() == 36
        && text.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Whether `c` steers a terminal, turns the direction of text, breaks a line or hides in it: what is escaped.
///
/// Controls (C0, DEL, C1); bidirectional controls; separators of lines and paragraphs; characters without a width that no
/// script needs (soft hyphen, zero width space, word joiner, invisible operators, fillers, byte order mark, annotations, signs
/// of music, tags). Of what Unicode calls ignorable, the joiners U+200C and U+200D, the selectors U+FE00 to U+FE0F and the
/// signs of Mongolian and Khmer stay: scripts and emoji need them, and they move nothing.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{180e}'
                | '\u{200b}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fff8}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// A text within a line: each [hidden](is_hidden) character is escaped, the ends of lines and tabs too.
pub fn shown(text: &str) -> Cow<'_, str> {
    escaped(text, |_, _| false)
}

/// A text of several lines: as [`shown`], but newlines, also those with a carriage return before them, and tabs stay.
pub fn shown_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c, rest| matches!(c, '\n' | '\t') || (c == '\r' && rest.starts_with('\n')))
}

/// Escapes what is hidden, except where `stays` says otherwise of a character and what follows it.
fn escaped(text: &str, stays: impl Fn(char, &str) -> bool) -> Cow<'_, str> {
    let is_found = |(at, c): &(usize, char)| is_hidden(*c) && !stays(*c, &text[at + c.len_utf8()..]);
    let mut found = text.char_indices().filter(is_found).peekable();
    if found.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut from = 0;
    for (at, c) in found {
        out.push_str(&text[from..at]);
        escape(c, &mut out);
        from = at + c.len_utf8();
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

fn escape(c: char, out: &mut String) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}"))),
    }
}

#[cfg(test)]
mod tests;
