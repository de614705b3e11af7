//! Leaves of a JSON text with their bytes, so that one can be replaced and the rest stays as it was written.

use std::collections::HashSet;
use std::ops::Range;

/// A string, number or boolean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// Where it is, as a JSON pointer (RFC 6901).
    pub(crate) pointer: String,
    /// Its bytes in the text, quotes included.
    pub(crate) span: Range<usize>,
    /// Its value, escapes undone.
    pub(crate) value: String,
    /// A number or a boolean.
    pub(crate) is_bare: bool,
}

/// Leaves in the order of the text, `null` left out; of names that are there twice the first counts. `None` when it
/// is not JSON. O(length).
pub(crate) fn leaves(text: &str) -> Option<Vec<Leaf>> {
    // Whatever follows may trust that brackets and quotes fit.
    serde_json::from_str::<serde_json::Value>(text).ok()?;
    let mut walk = Walk { text, at: 0, pointer: String::new(), leaves: Vec::new() };
    walk.value();
    let mut seen = HashSet::new();
    walk.leaves.retain(|leaf| seen.insert(leaf.pointer.clone()));
    Some(walk.leaves)
}

struct Walk<'a> {
    text: &'a str,
    at: usize,
    pointer: String,
    leaves: Vec<Leaf>,
}

impl Walk<'_> {
    fn peek(&mut self) -> u8 {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        bytes.get(self.at).copied().unwrap_or_default()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == byte;
        self.at += usize::from(is_there);
        is_there
    }

    /// A value, as deep as the parser that has seen the text before allows (128).
    fn value(&mut self) {
        match self.peek() {
            b'{' => self.map(),
            b'[' => self.list(),
            b'"' => {
                let span = self.string();
                let value = serde_json::from_str(&self.text[span.clone()]).unwrap_or_default();
                self.leaf(span, value, false);
            }
            _ => {
                let start = self.at;
                let ends = |c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c));
                let length = self.text[start..].find(ends);
                self.at = length.map_or(self.text.len(), |length| start + length).max(start + 1);
                let text = self.text.get(start..self.at).unwrap_or_default().to_owned();
                if text != "null" {
                    self.leaf(start..self.at, text, true);
                }
            }
        }
    }

    fn leaf(&mut self, span: Range<usize>, value: String, is_bare: bool) {
        self.leaves.push(Leaf { pointer: self.pointer.clone(), span, value, is_bare });
    }

    /// A string with its quotes.
    fn string(&mut self) -> Range<usize> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        self.at += 1;
        while let Some(byte) = bytes.get(self.at) {
            self.at += match byte {
                b'\\' => 2,
                _ => 1,
            };
            if *byte == b'"' {
                break;
            }
        }
        self.at = self.at.min(bytes.len());
        start..self.at
    }

    fn below(&mut self, key: &str) {
        let length = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
        self.value();
        self.pointer.truncate(length);
    }

    fn map(&mut self) {
        self.at += 1;
        while self.peek() == b'"' {
            let span = self.string();
            let key: String = serde_json::from_str(&self.text[span]).unwrap_or_default();
            self.eat(b':');
            self.below(&key);
            if !self.eat(b',') {
                break;
            }
        }
        self.eat(b'}');
    }

    fn list(&mut self) {
        self.at += 1;
        let mut index = 0;
        while !matches!(self.peek(), b']' | 0) {
            self.below(&index.to_string());
            index += 1;
            if !self.eat(b',') {
                break;
            }
        }
        self.eat(b']');
    }
}

/// The text with other leaves, each written as JSON already.
pub(super) fn with<'v>(
    text: &str,
    leaves: &[Leaf],
    new: impl Fn(&Leaf) -> Option<std::borrow::Cow<'v, str>>,
) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for leaf in leaves {
        if let Some(new) = new(leaf) {
            out.push_str(&text[from..leaf.span.start]);
            out.push_str(&new);
            from = leaf.span.end;
        }
    }
    out.push_str(&text[from..]);
    out
}
