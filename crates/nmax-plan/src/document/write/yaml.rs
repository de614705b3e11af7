//! A small writer of YAML in block style, with comments and short lists and maps on one line.

use std::fmt::{self, Display, Formatter, Write};

/// Whether a character breaks lines, is no character of YAML, or cannot be seen: it is escaped.
fn is_escaped(c: char) -> bool {
    nmax_text::is_hidden(c) || matches!(c, '\u{a0}' | '\u{fffe}' | '\u{ffff}')
}

/// A value to write.
#[derive(Clone, Debug, PartialEq)]
pub enum Yaml {
    /// Needs no quotes: numbers, durations, known words.
    Plain(String),
    /// Any text; quoted unless it is clearly a text.
    Text(String),
    /// Items, one a line.
    List(Vec<Yaml>),
    /// Keys and values, one a line.
    Map(Vec<(String, Yaml)>),
    /// A value on one line, whatever it holds.
    Line(Box<Yaml>),
    /// A value with a comment in the lines before it; several lines become several comments.
    Noted(String, Box<Yaml>),
}

impl Display for Yaml {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

impl Yaml {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A number, a duration or a known word, which needs no quotes.
    pub fn plain(value: impl Display) -> Self {
        Self::Plain(value.to_string())
    }

    /// The same value on one line.
    pub fn on_one_line(self) -> Self {
        Self::Line(Box::new(self))
    }

    /// The same value below a comment; an empty one adds nothing.
    pub fn with_note(self, note: impl Into<String>) -> Self {
        let note = note.into();
        if note.is_empty() { self } else { Self::Noted(note, Box::new(self)) }
    }

    fn is_block(&self) -> bool {
        match self {
            Self::Plain(_) | Self::Text(_) | Self::Line(_) => false,
            Self::List(items) => !items.is_empty(),
            Self::Map(entries) => !entries.is_empty(),
            Self::Noted(_, value) => value.is_block(),
        }
    }

    /// The comment and what it belongs to.
    fn noted(&self) -> (&str, &Self) {
        match self {
            Self::Noted(note, value) => (note, value),
            other => ("", other),
        }
    }

    /// Writes at the current position; further lines are indented. Ends with a line break.
    fn write(&self, f: &mut Formatter<'_>, indent: usize) -> fmt::Result {
        match self {
            Self::Plain(text) => writeln!(f, "{text}"),
            Self::Text(text) => {
                scalar(f, text)?;
                f.write_char('\n')
            }
            Self::Line(value) => {
                value.write_flow(f)?;
                f.write_char('\n')
            }
            Self::Noted(note, value) => {
                comment(f, note, 0, indent)?;
                pad(f, if note.is_empty() { 0 } else { indent })?;
                value.write(f, indent)
            }
            Self::List(items) if items.is_empty() => writeln!(f, "[]"),
            Self::Map(entries) if entries.is_empty() => writeln!(f, "{{}}"),
            Self::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    let (note, item) = item.noted();
                    let first = if index > 0 { indent } else { 0 };
                    comment(f, note, first, indent)?;
                    pad(f, if note.is_empty() { first } else { indent })?;
                    f.write_str("- ")?;
                    item.write(f, indent + 2)?;
                }
                Ok(())
            }
            Self::Map(entries) => {
                for (index, (key, value)) in entries.iter().enumerate() {
                    let (note, value) = value.noted();
                    let first = if index > 0 { indent } else { 0 };
                    comment(f, note, first, indent)?;
                    pad(f, if note.is_empty() { first } else { indent })?;
                    scalar(f, key)?;
                    f.write_char(':')?;
                    if value.is_block() {
                        f.write_char('\n')?;
                        pad(f, indent + 2)?;
                    } else {
                        f.write_char(' ')?;
                    }
                    value.write(f, indent + 2)?;
                }
                Ok(())
            }
        }
    }
}

impl Yaml {
    /// Writes it without a line break.
    fn write_flow(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(text) => f.write_str(text),
            Self::Text(text) => scalar(f, text),
            Self::Line(value) | Self::Noted(_, value) => value.write_flow(f),
            Self::List(items) => {
                f.write_char('[')?;
                for (index, item) in items.iter().enumerate() {
                    f.write_str(if index > 0 { ", " } else { "" })?;
                    item.write_flow(f)?;
                }
                f.write_char(']')
            }
            Self::Map(entries) if entries.is_empty() => f.write_str("{}"),
            Self::Map(entries) => {
                f.write_str("{ ")?;
                for (index, (key, value)) in entries.iter().enumerate() {
                    f.write_str(if index > 0 { ", " } else { "" })?;
                    scalar(f, key)?;
                    f.write_str(": ")?;
                    value.write_flow(f)?;
                }
                f.write_str(" }")
            }
        }
    }
}

fn pad(f: &mut Formatter<'_>, indent: usize) -> fmt::Result {
    write!(f, "{:indent$}", "")
}

/// The comment's lines, the first one indented by `first`, the others by `indent`.
fn comment(f: &mut Formatter<'_>, note: &str, first: usize, indent: usize) -> fmt::Result {
    for (index, line) in note.lines().enumerate() {
        pad(f, if index > 0 { indent } else { first })?;
        f.write_str("#")?;
        let shown: String = line.chars().map(|c| if is_escaped(c) { ' ' } else { c }).collect();
        writeln!(f, "{}{}", if shown.is_empty() { "" } else { " " }, shown.trim_end())?;
    }
    Ok(())
}

/// Plain when it cannot be anything but a text on one line; in single quotes when it has double ones and nothing to
/// escape, such as JSON; else in double quotes.
fn scalar(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    let harmless = |c: char| c.is_ascii_alphanumeric() || "-_./<%=".contains(c) || c == ' ';
    let word = matches!(
        text.to_ascii_lowercase().as_str(),
        "null" | "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n"
    );
    // A dash before a comma is no text in a flow.
    if begins && text.chars().all(harmless) && !text.ends_with([' ', '-']) && !word {
        return f.write_str(text);
    }
    let is_printable = |c: char| c == ' ' || c.is_ascii_graphic();
    if text.contains('"') && !text.contains('\'') && text.chars().all(is_printable) {
        return write!(f, "'{text}'");
    }
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            '\r' => f.write_str("\\r")?,
            c if is_escaped(c) && u32::from(c) > 0xffff => write!(f, "\\U{:08X}", u32::from(c))?,
            c if is_escaped(c) => write!(f, "\\u{:04X}", u32::from(c))?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}
