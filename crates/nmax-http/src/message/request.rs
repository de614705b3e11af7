//! A request: its head with all parts, and the same as bytes of HTTP/1.1, written once.

use std::fs::File;

use super::fields::{Field, Fields, Span};
use crate::url::{Origin, Scheme};

/// A request as the engine rendered it.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Where it goes.
    pub origin: &'a Origin,
    /// Head and body, or all that comes before `rest`.
    pub text: &'a RequestText,
    /// What follows `text`: bodies that are not put together in memory.
    pub rest: &'a [Piece<'a>],
    /// The body waits for `100 Continue`, for a second at most.
    pub waits: bool,
    /// The method is HEAD, whose reply has no body.
    pub is_head: bool,
    /// Sending it twice does no more than sending it once, so a stale connection is tried again.
    pub idempotent: bool,
    /// The request offers to keep the connection; false leaves its end to the server, once the reply is complete.
    pub keep_alive: bool,
    /// What becomes of the reply's body.
    pub keep_body: KeepBody,
}

/// What becomes of a reply's body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeepBody {
    /// Counted, not copied.
    Discard,
    /// The first so many bytes are kept, the rest is counted.
    UpTo(usize),
}

/// A part of a request.
#[derive(Clone, Copy, Debug)]
pub enum Piece<'a> {
    /// These bytes.
    Bytes(&'a [u8]),
    /// The first bytes of a file, read while they are sent.
    File {
        /// What an error calls it.
        name: &'a str,
        /// The file, read by position, so that many may share it.
        file: &'a File,
        /// Bytes to send; a shorter file is an error of kind `injector`.
        length: u64,
    },
}

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestHead<'a> {
    /// Such as `GET`.
    pub method: &'a [u8],
    /// That of its origin.
    pub scheme: Scheme,
    /// What its `host` says; empty without one.
    pub authority: &'a [u8],
    /// Path and query.
    pub target: &'a [u8],
    /// All fields, those that only HTTP/1.1 needs among them.
    pub fields: Fields<'a>,
}

impl<'a> Request<'a> {
    /// What it asks for.
    pub fn head(&self) -> RequestHead<'a> {
        let fields = self.text.fields();
        RequestHead {
            method: self.text.method(),
            scheme: self.origin.scheme,
            authority: fields.get("host").unwrap_or_default(),
            target: self.text.target(),
            fields,
        }
    }
}

/// A request that is written part by part: bytes of HTTP/1.1, ready to be sent, and where its parts are in them.
///
/// [`RequestText::begin`], then fields, then [`RequestText::end`] with the body. Its buffers are reused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestText {
    bytes: Vec<u8>,
    method: Span,
    target: Span,
    version: &'static str,
    fields: Vec<Field>,
    /// Where the body begins; where the next field goes, while it is written.
    head_end: usize,
}

impl RequestText {
    /// Nothing.
    pub const fn new() -> Self {
        Self { bytes: Vec::new(), method: Span::NONE, target: Span::NONE, version: "", fields: Vec::new(), head_end: 0 }
    }

    /// Begins another request; `version` is such as `HTTP/1.1`.
    pub fn begin(&mut self, method: &[u8], target: &[u8], version: &'static str) {
        self.bytes.clear();
        self.fields.clear();
        self.version = version;
        self.method = self.append(method);
        self.bytes.push(b' ');
        self.target = self.append(target);
        self.bytes.push(b' ');
        self.bytes.extend_from_slice(version.as_bytes());
        self.bytes.extend_from_slice(LINE_END);
        self.head_end = self.bytes.len();
    }

    /// Begins a request that is like another one, with fields of its own after those.
    pub fn begin_as(&mut self, other: &Self) {
        self.bytes.clear();
        self.fields.clear();
        self.bytes.extend_from_slice(&other.bytes[..other.head_end.saturating_sub(LINE_END.len())]);
        self.fields.extend_from_slice(&other.fields);
        (self.method, self.target, self.version) = (other.method, other.target, other.version);
        self.head_end = self.bytes.len();
    }

    fn append(&mut self, bytes: &[u8]) -> Span {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        Span::new(start, self.bytes.len())
    }

    /// Adds a field. The value has no line break.
    pub fn field(&mut self, name: &str, value: &[u8]) {
        self.field_from(name, |out| {
            out.extend_from_slice(value);
            true
        });
    }

    /// Adds a field whose value `write` appends; false takes the field back.
    pub fn field_from(&mut self, name: &str, write: impl FnOnce(&mut Vec<u8>) -> bool) {
        let name = self.append(name.as_bytes());
        self.bytes.extend_from_slice(b": ");
        let start = self.bytes.len();
        if write(&mut self.bytes) {
            self.fields.push(Field::new(name, Span::new(start, self.bytes.len())));
            self.bytes.extend_from_slice(LINE_END);
            self.head_end = self.bytes.len();
        } else {
            self.bytes.truncate(self.head_end);
        }
    }

    /// Ends the head; `body` follows it.
    pub fn end(&mut self, body: &[u8]) {
        self.bytes.extend_from_slice(LINE_END);
        self.head_end = self.bytes.len();
        self.bytes.extend_from_slice(body);
    }

    /// Gives buffers back that are larger than so many bytes, and what is in them.
    pub fn release(&mut self, most: usize) {
        if self.bytes.capacity() > most || self.fields.capacity() * size_of::<Field>() > most {
            *self = Self::default();
        }
    }

    /// The whole request in HTTP/1.1.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes of head and body.
    #[inline]
    pub(crate) fn split(&self) -> (&[u8], &[u8]) {
        self.bytes.split_at(self.head_end)
    }

    /// The body, as far as it is here.
    pub fn body(&self) -> &[u8] {
        self.split().1
    }

    /// Such as `GET`.
    pub fn method(&self) -> &[u8] {
        self.method.of_text(&self.bytes)
    }

    /// Path and query.
    pub fn target(&self) -> &[u8] {
        self.target.of_text(&self.bytes)
    }

    /// Such as `HTTP/1.1`.
    pub(crate) fn version(&self) -> &'static str {
        self.version
    }

    /// The fields.
    pub fn fields(&self) -> Fields<'_> {
        Fields::new(self.split().0, &self.fields)
    }
}

const LINE_END: &[u8] = b"\r\n";

#[cfg(test)]
mod tests;
