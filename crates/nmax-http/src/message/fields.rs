//! Fields of a head, as positions in its text: readers do not parse the text again.

use std::ops::Range;

/// A part of a text. Heads are far shorter than 4 GiB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    pub(super) const NONE: Self = Self { start: 0, end: 0 };

    pub(super) fn new(start: usize, end: usize) -> Self {
        let short = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { start: short(start), end: short(end) }
    }

    /// Where `part` stands in `text`, of which it is a slice.
    fn locate(text: &[u8], part: &[u8]) -> Self {
        let start = part.as_ptr().addr().saturating_sub(text.as_ptr().addr());
        Self::new(start, start + part.len())
    }

    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub(super) fn of_text(self, text: &[u8]) -> &[u8] {
        text.get(self.range()).unwrap_or_default()
    }
}

/// Where the name and the value of a field stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    name: Span,
    value: Span,
}

impl Field {
    pub(super) fn new(name: Span, value: Span) -> Self {
        Self { name, value }
    }

    /// The field that was parsed out of `text`.
    pub(crate) fn parsed(text: &[u8], header: &httparse::Header<'_>) -> Self {
        Self { name: Span::locate(text, header.name.as_bytes()), value: Span::locate(text, header.value) }
    }
}

/// The text of a head and the fields in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fields<'a> {
    text: &'a [u8],
    fields: &'a [Field],
}

impl<'a> Fields<'a> {
    /// The fields of a text. Without any, it is bytes that are no head.
    pub fn new(text: &'a [u8], fields: &'a [Field]) -> Self {
        Self { text, fields }
    }

    /// The head in HTTP/1.1, with the empty line; or what came in its place.
    pub fn text(self) -> &'a [u8] {
        self.text
    }

    /// All fields in order, repeated ones repeatedly; values without the blanks around them.
    pub fn iter(self) -> impl Iterator<Item = (&'a str, &'a [u8])> + use<'a> {
        self.fields.iter().filter_map(move |field| {
            let name = std::str::from_utf8(field.name.of_text(self.text)).ok()?;
            Some((name, field.value.of_text(self.text)))
        })
    }

    /// The values of all fields of this name, in any case.
    pub fn all<'n>(self, name: &'n str) -> impl Iterator<Item = &'a [u8]> + use<'a, 'n> {
        // Compared as bytes: checking each name for UTF-8 would cost more than all else.
        let is_wanted = move |field: &&Field| field.name.of_text(self.text).eq_ignore_ascii_case(name.as_bytes());
        self.fields.iter().filter(is_wanted).map(move |field| field.value.of_text(self.text))
    }

    /// The value of the first field of this name, in any case.
    pub fn get(self, name: &str) -> Option<&'a [u8]> {
        self.all(name).next()
    }

    /// Where names and values are in the text.
    pub fn places(self) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
        self.fields.iter().map(|field| (field.name.range(), field.value.range()))
    }

    /// A copy of its own.
    pub fn to_head(self) -> HeadText {
        HeadText { text: self.text.to_vec(), fields: self.fields.to_vec() }
    }
}

/// As [`Fields`], with its own text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeadText {
    pub(crate) text: Vec<u8>,
    pub(crate) fields: Vec<Field>,
}

impl HeadText {
    /// The fields.
    pub fn fields(&self) -> Fields<'_> {
        Fields::new(&self.text, &self.fields)
    }
}
