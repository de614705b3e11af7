//! Columns that a regular expression makes of others: images and not images.

use std::collections::HashMap;
use std::sync::Arc;

use regex::Regex;

use crate::SliceError;
use crate::column::{Chunk, Kind, NO_TEXT, Schema, UNKNOWN, Values};
use crate::error::instead_of;

/// Tags of a request, at most.
pub(crate) const TAGS_MAX: usize = 32;

/// A column made by an expression: what its first group holds, or without a group `yes` and `no`.
#[derive(Clone, Debug)]
pub(crate) struct Tag {
    pub(crate) name: String,
    /// Number of the column that it looks at.
    pub(crate) of: usize,
    pattern: Regex,
}

impl Tag {
    /// `NAME=REGEX` or `NAME=COLUMN~REGEX`.
    pub(crate) fn parse(part: &str, text: &str, schema: &Schema) -> Result<Self, SliceError> {
        let (name, rest) = text
            .split_once('=')
            .filter(|(name, rest)| !name.trim().is_empty() && !rest.is_empty())
            .ok_or_else(|| {
                let remedy = r"write NAME=REGEX or NAME=COLUMN~REGEX, as in images='\.(png|jpg)$'";
                SliceError::new(part, format!("`{text}` is not a tag"), remedy)
            })?;
        let name = name.trim();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if !name.chars().all(is_plain) {
            let remedy = "use letters, digits, `_` and `-`";
            return Err(SliceError::new(part, format!("`{name}` cannot be the name of a tag"), remedy));
        }
        if schema.find(name).is_some() {
            let text = format!("`{name}` is a column already");
            return Err(SliceError::new(part, text, "give the tag another name"));
        }
        let (column, pattern) = match rest.split_once('~') {
            Some((column, pattern)) if schema.find(column.trim()).is_some() => (column.trim(), pattern),
            Some((column, _)) if is_name(column.trim()) => {
                let known: Vec<&str> = schema.columns.iter().map(|column| column.name).collect();
                let text = format!("unknown column `{}`", column.trim());
                return Err(SliceError::new(part, text, instead_of(column.trim(), &known)));
            }
            _ => (schema.subject, rest),
        };
        Ok(Self { name: name.to_owned(), of: schema.known(column), pattern: pattern_of(part, unquoted(pattern))? })
    }

    /// Its values of a chunk.
    pub(crate) fn values(&self, chunk: &Chunk) -> Values {
        let Some(Some(source)) = chunk.columns.get(self.of) else {
            return Values::Texts { ids: vec![NO_TEXT; chunk.rows], names: Arc::from([]) };
        };
        let mut made = Made::default();
        let ids = match source {
            Values::Texts { ids, names } => {
                let mut known: Vec<Option<u32>> = vec![None; names.len()];
                let mut id_of = |id: u32| match known.get_mut(id as usize) {
                    Some(slot) => *slot.get_or_insert_with(|| made.id(self.value(&names[id as usize]))),
                    None => NO_TEXT,
                };
                ids.iter().map(|id| id_of(*id)).collect()
            }
            Values::Numbers(numbers) => {
                let mut known: HashMap<i64, u32> = HashMap::new();
                let mut id_of = |number: i64| match number {
                    UNKNOWN => NO_TEXT,
                    _ => *known.entry(number).or_insert_with(|| made.id(self.value(&number.to_string()))),
                };
                numbers.iter().map(|number| id_of(*number)).collect()
            }
        };
        Values::Texts { ids, names: made.names.into() }
    }

    /// What it says of one text.
    fn value<'t>(&self, text: &'t str) -> &'t str {
        match (self.pattern.captures_len(), self.pattern.captures(text)) {
            (1, found) => {
                if found.is_some() {
                    "yes"
                } else {
                    "no"
                }
            }
            (_, None) => "no",
            (_, Some(found)) => found.get(1).map_or("no", |group| group.as_str()),
        }
    }
}

/// The texts that a tag made of a chunk.
#[derive(Default)]
struct Made {
    ids: HashMap<Arc<str>, u32>,
    names: Vec<Arc<str>>,
}

impl Made {
    fn id(&mut self, text: &str) -> u32 {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        let (name, id): (Arc<str>, u32) = (text.into(), self.names.len() as u32);
        self.names.push(Arc::clone(&name));
        self.ids.insert(name, id);
        id
    }
}

/// A regular expression, or why it is none.
pub(crate) fn pattern_of(part: &str, text: &str) -> Result<Regex, SliceError> {
    Regex::new(text).map_err(|error| {
        let message = error.to_string();
        let last = message.lines().last().unwrap_or_default().trim();
        let why = last.strip_prefix("error: ").unwrap_or(last);
        let remedy = r"a backslash takes the meaning of a character away, as in `\.png$`";
        SliceError::new(part, format!("`{text}` is not a regular expression: {why}"), remedy)
    })
}

/// Whether a text looks like the name of a column, so that `~` behind it is no part of an expression.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let inner = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    inner('\'').or_else(|| inner('"')).unwrap_or(text)
}

/// The kind of every tag.
pub(crate) const KIND: Kind = Kind::Text;
