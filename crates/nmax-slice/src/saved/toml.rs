//! The part of TOML that slices are written in.

use super::wrong;
use crate::SliceError;

/// Length of a name, at most.
const NAME_BYTES_MAX: usize = 64;

/// `[NAME]` and what follows.
pub(super) struct Table {
    pub(super) name: String,
    /// Line, from 1.
    pub(super) line: usize,
    pub(super) entries: Vec<Entry>,
}

/// `KEY = VALUE`.
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) value: Value,
    /// Line, from 1.
    pub(super) line: usize,
}

/// A value.
pub(super) enum Value {
    Text(String),
    List(Vec<String>),
    Number(i64),
    Truth(bool),
}

/// The tables of a text, and what is wrong with it.
pub(super) fn tables(text: &str) -> (Vec<Table>, Vec<SliceError>) {
    let (mut tables, mut errors): (Vec<Table>, Vec<SliceError>) = (Vec::new(), Vec::new());
    let mut lines = text.lines().enumerate().peekable();
    while let Some((index, first)) = lines.next() {
        let line = index + 1;
        let start = first.trim();
        if start.is_empty() || start.starts_with('#') {
            continue;
        }
        if start.starts_with('[') {
            match header(first).filter(|name| is_name(name)) {
                Some(name) => tables.push(Table { name: name.to_owned(), line, entries: Vec::new() }),
                None => errors.push(wrong(
                    line,
                    format!("`{start}` begins no slice"),
                    "write [NAME]; a name has letters, digits, `-` and `_`",
                )),
            }
            continue;
        }
        let Some((key, value)) = start.split_once('=') else {
            errors.push(wrong(line, format!("`{start}` is no KEY = VALUE"), "write it as in by = [\"name\"]"));
            continue;
        };
        // A list may go on over the next lines.
        let mut value = value.trim().to_owned();
        while value.starts_with('[') && parse(&value).is_err() {
            let Some((_, next)) =
                lines.next_if(|(_, next)| header(next).is_none() && !next.contains('=') || is_item(next))
            else {
                break;
            };
            value.push('\n');
            value.push_str(next);
        }
        let value = match parse(&value) {
            Ok(value) => value,
            Err(why) => {
                errors.push(wrong(
                    line,
                    format!("{}: {why}", key.trim()),
                    "write a text between quotes, a list of texts, a whole number, true or false",
                ));
                continue;
            }
        };
        let key = key.trim().to_owned();
        match tables.last_mut() {
            None => errors.push(wrong(line, format!("`{key}` stands before the first slice"), "write [NAME] above it")),
            Some(table) if table.entries.iter().any(|entry| entry.key == key) => {
                errors.push(wrong(line, format!("`{key}` is there twice"), "keep one of them"));
            }
            Some(table) => table.entries.push(Entry { key, value, line }),
        }
    }
    (tables, errors)
}

/// The name in a line that begins a table.
pub(super) fn header(line: &str) -> Option<&str> {
    let line = line.trim().strip_prefix('[')?;
    let (name, rest) = line.split_once(']')?;
    let rest = rest.trim();
    let is_end = rest.is_empty() || rest.starts_with('#');
    let name = name.trim();
    (is_end && is_name(name)).then_some(name)
}

/// Whether a line may stand between two tables and belong to neither: empty, or a comment.
pub(super) fn is_between(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

/// Whether a line is a part of a list: it begins with a text, or closes it.
fn is_item(line: &str) -> bool {
    matches!(line.trim().chars().next(), None | Some('"' | '\'' | ']' | '#' | ','))
}

pub(super) fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=NAME_BYTES_MAX).contains(&name.len()) && name.bytes().all(is_plain)
}

fn parse(text: &str) -> Result<Value, String> {
    let (value, rest) = match text.chars().next() {
        Some('"' | '\'') => {
            let (text, rest) = string(text)?;
            (Value::Text(text), rest)
        }
        Some('[') => list(&text[1..])?,
        _ => {
            let end = text.find('#').unwrap_or(text.len());
            let value = match text[..end].trim() {
                "true" => Value::Truth(true),
                "false" => Value::Truth(false),
                number => Value::Number(number.parse().map_err(|_| format!("`{number}` is no value"))?),
            };
            (value, "")
        }
    };
    let rest = rest.trim_start();
    if rest.is_empty() || rest.starts_with('#') {
        Ok(value)
    } else {
        Err(format!("`{rest}` behind the value does not belong there"))
    }
}

fn list(text: &str) -> Result<(Value, &str), String> {
    let (mut texts, mut rest) = (Vec::new(), blank(text));
    loop {
        if let Some(rest) = rest.strip_prefix(']') {
            return Ok((Value::List(texts), rest));
        }
        if rest.is_empty() {
            return Err("the list is not closed by `]`".to_owned());
        }
        let (text, after) = string(rest)?;
        texts.push(text);
        rest = blank(after);
        match rest.strip_prefix(',') {
            Some(after) => rest = blank(after),
            None if rest.starts_with(']') || rest.is_empty() => {}
            None => return Err("a comma is missing between two texts".to_owned()),
        }
    }
}

/// Without white space and comments at the beginning.
fn blank(text: &str) -> &str {
    let mut text = text.trim_start();
    while text.starts_with('#') {
        text = text.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
    }
    text
}

/// A text between quotes, and what follows it.
fn string(text: &str) -> Result<(String, &str), String> {
    if let Some(rest) = text.strip_prefix('\'') {
        let (inner, rest) = rest.split_once('\'').ok_or("the quote ' is not closed")?;
        return if inner.contains('\n') {
            Err("the quote ' is not closed".into())
        } else {
            Ok((inner.to_owned(), rest))
        };
    }
    let inner = text.strip_prefix('"').ok_or("a text should stand between quotes")?;
    let mut made = String::new();
    let mut letters = inner.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Ok((made, &inner[at + 1..])),
            '\n' => break,
            '\\' => made.push(match letters.next().map(|(_, letter)| letter) {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some('u') => unicode(&mut letters).ok_or(r"write \u and four digits of base 16")?,
                Some(letter @ ('"' | '\\')) => letter,
                other => {
                    let other: String = other.into_iter().collect();
                    return Err(format!("`\\{other}` has no meaning; put the text between ' instead, or write `\\\\`"));
                }
            }),
            letter => made.push(letter),
        }
    }
    Err("the quote \" is not closed".to_owned())
}

fn unicode(letters: &mut std::str::CharIndices<'_>) -> Option<char> {
    let mut code = 0;
    for _ in 0..4 {
        code = code * 16 + letters.next()?.1.to_digit(16)?;
    }
    char::from_u32(code)
}

/// A text as TOML has it: as it is where that can be, so that expressions stay readable.
pub(super) fn quoted(text: &str) -> String {
    if !text.contains(|c: char| c == '\'' || c.is_control()) && text.contains(['\\', '"']) {
        return format!("'{text}'");
    }
    let mut made = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => made.push_str("\\\""),
            '\\' => made.push_str("\\\\"),
            '\n' => made.push_str("\\n"),
            '\t' => made.push_str("\\t"),
            '\r' => made.push_str("\\r"),
            letter if letter.is_control() && u32::from(letter) <= 0xffff => {
                made.push_str(&format!("\\u{:04x}", u32::from(letter)));
            }
            letter => made.push(letter),
        }
    }
    made.push('"');
    made
}
