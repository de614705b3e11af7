//! A request or a reply of HTTP: where its fields are, so that each is read as what it is.

use std::borrow::Cow;
use std::ops::Range;

/// Where the name and the value of a field are in its head.
pub type FieldSpans = (Range<usize>, Range<usize>);

/// A head with its fields, and a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message<'a> {
    /// With the empty line at its end.
    head: &'a [u8],
    fields: Vec<FieldSpans>,
    body: &'a [u8],
}

impl<'a> Message<'a> {
    /// A message whose fields are known. What has none may be no head: it is read as bytes are.
    pub fn new(head: &'a [u8], fields: impl Iterator<Item = FieldSpans>, body: &'a [u8]) -> Self {
        let fields: Vec<_> = fields.collect();
        if fields.is_empty() {
            let found = Self::of_bytes(head);
            return if body.is_empty() { found } else { Self { body, ..found } };
        }
        Self { head, fields, body }
    }

    /// What stands for a message, from anywhere: lines as in HTTP/1, ended by LF at least. O(length).
    pub fn of_bytes(bytes: &'a [u8]) -> Self {
        let find = |end: &[u8]| Some(bytes.windows(end.len()).position(|window| window == end)? + end.len());
        let end = [find(b"\r\n\r\n"), find(b"\n\n")].into_iter().flatten().min().unwrap_or(bytes.len());
        let (head, body) = bytes.split_at(end);
        let (mut fields, mut at) = (Vec::<FieldSpans>::new(), 0);
        for (number, line) in head.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let start = at;
            at += line.len();
            let line = line.trim_ascii_end();
            match (line.first(), fields.last_mut()) {
                _ if number == 0 => {}
                // A line that begins with a blank goes on with the one before (RFC 9112, 5.2).
                (Some(b' ' | b'\t'), Some((_, value))) => value.end = start + line.len(),
                _ => {
                    if let Some(colon) = line.iter().position(|byte| *byte == b':') {
                        let value = line[colon + 1..].trim_ascii_start();
                        fields.push((start..start + colon, start + line.len() - value.len()..start + line.len()));
                    }
                }
            }
        }
        Self { head, fields, body }
    }

    /// Its beginning, so many bytes.
    #[must_use]
    pub fn first(mut self, most: usize) -> Self {
        self.head = &self.head[..self.head.len().min(most)];
        self.body = &self.body[..self.body.len().min(most - self.head.len())];
        self.fields.retain(|(_, value)| value.start < self.head.len());
        if let Some((_, value)) = self.fields.last_mut() {
            value.end = value.end.min(self.head.len());
        }
        self
    }

    /// Bytes of head and body.
    pub fn bytes(&self) -> usize {
        self.head.len() + self.body.len()
    }

    /// The head without the empty line.
    pub fn head(&self) -> &'a [u8] {
        let ends = self.head.iter().rev().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        &self.head[..self.head.len() - ends]
    }

    /// The body.
    pub fn body(&self) -> &'a [u8] {
        self.body
    }

    pub(crate) fn places(&self) -> &[FieldSpans] {
        &self.fields
    }

    /// The text of a part of the head.
    pub(crate) fn text(&self, place: Range<usize>) -> Cow<'a, str> {
        String::from_utf8_lossy(self.head.get(place).unwrap_or_default())
    }

    /// Names and values.
    pub fn fields(&self) -> impl Iterator<Item = (Cow<'a, str>, &'a [u8])> {
        let value = |place: &Range<usize>| self.head.get(place.clone()).unwrap_or_default();
        self.fields.iter().map(move |(name, place)| (self.text(name.clone()), value(place)))
    }
}

#[cfg(test)]
mod tests;
