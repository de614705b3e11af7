//! A small writer of YAML in block style.

use std::fmt::{self, Display, Formatter, Write};

/// A value to write.
pub(super) enum Yaml {
    /// Needs no quotes: numbers, durations, known words.
    Plain(String),
    /// Any text; quoted unless it is clearly a text.
    Text(String),
    List(Vec<Yaml>),
    Map(Vec<(String, Yaml)>),
}

impl Display for Yaml {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

impl Yaml {
    fn is_block(&self) -> bool {
        match self {
            Self::Plain(_) | Self::Text(_) => false,
            Self::List(items) => !items.is_empty(),
            Self::Map(entries) => !entries.is_empty(),
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
            Self::List(items) if items.is_empty() => writeln!(f, "[]"),
            Self::Map(entries) if entries.is_empty() => writeln!(f, "{{}}"),
            Self::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    pad(f, if index > 0 { indent } else { 0 })?;
                    f.write_str("- ")?;
                    item.write(f, indent + 2)?;
                }
                Ok(())
            }
            Self::Map(entries) => {
                for (index, (key, value)) in entries.iter().enumerate() {
                    pad(f, if index > 0 { indent } else { 0 })?;
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

fn pad(f: &mut Formatter<'_>, indent: usize) -> fmt::Result {
    write!(f, "{:indent$}", "")
}

/// Plain when it cannot be anything but a text on one line, else in double quotes.
fn scalar(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    let harmless = |c: char| c.is_ascii_alphanumeric() || "-_./<%=".contains(c) || c == ' ';
    let word = matches!(
        text.to_ascii_lowercase().as_str(),
        "null" | "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n"
    );
    if begins && text.chars().all(harmless) && !text.ends_with(' ') && !word {
        return f.write_str(text);
    }
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            '\r' => f.write_str("\\r")?,
            '\u{85}' | '\u{a0}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                write!(f, "\\u{:04X}", u32::from(c))?
            }
            c if c.is_control() => write!(f, "\\u{:04X}", u32::from(c))?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}
