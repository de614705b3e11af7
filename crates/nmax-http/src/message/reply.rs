//! A reply: its head with all parts, and what was kept of its body.

use super::fields::Fields;

/// What a reply begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyHead<'a> {
    /// The status code.
    pub status: u16,
    /// All fields.
    pub fields: Fields<'a>,
}

/// The last valid reply. Empty (no status, no headers, no body) when there was none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reply<'a> {
    status: Option<u16>,
    fields: Fields<'a>,
    body: &'a [u8],
    body_truncated: bool,
    sets_cookies: bool,
}

impl<'a> Reply<'a> {
    /// A reply whose whole body is kept.
    pub fn new(head: ReplyHead<'a>, body: &'a [u8]) -> Self {
        let sets_cookies = head.fields.get("set-cookie").is_some();
        Self { status: Some(head.status), fields: head.fields, body, body_truncated: false, sets_cookies }
    }

    /// A reply of whose body only the beginning may be kept, by someone who knows whether it sets cookies.
    pub(crate) fn received(head: ReplyHead<'a>, body: &'a [u8], body_truncated: bool, sets_cookies: bool) -> Self {
        Self { status: Some(head.status), fields: head.fields, body, body_truncated, sets_cookies }
    }

    /// The status code.
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// All fields, with the head as received.
    pub fn fields(&self) -> Fields<'a> {
        self.fields
    }

    /// All headers in order, repeated ones repeatedly; values without the blanks around them.
    pub fn headers(&self) -> impl Iterator<Item = (&'a str, &'a [u8])> + use<'a> {
        self.fields.iter()
    }

    /// The first header of this name, in any case.
    pub fn header(&self, name: &str) -> Option<&'a [u8]> {
        self.fields.get(name)
    }

    /// Whether there is any `set-cookie` header; known without a look at the head.
    pub fn has_set_cookie(&self) -> bool {
        self.sets_cookies
    }

    /// Every `set-cookie` value on its own, for [`crate::Jar::store`].
    pub fn set_cookies(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        self.fields.all("set-cookie")
    }

    /// The kept part of the body, after chunked decoding; empty when discarded.
    pub fn body(&self) -> &'a [u8] {
        self.body
    }

    /// True when the body was longer than what was to be kept.
    pub fn body_truncated(&self) -> bool {
        self.body_truncated
    }
}
