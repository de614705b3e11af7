//! A complete reply, read from its raw head on demand.

/// The last valid reply. Empty (no status, no headers, no body) when there was none.
#[derive(Clone, Copy, Debug)]
pub struct Reply<'a> {
    pub(super) status: Option<u16>,
    pub(super) head: &'a [u8],
    pub(super) body: &'a [u8],
    pub(super) body_truncated: bool,
    pub(super) sets_cookies: bool,
}

impl<'a> Reply<'a> {
    /// The status code.
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// All headers in order, repeated ones repeatedly; values without the blanks around them.
    pub fn headers(&self) -> impl Iterator<Item = (&'a str, &'a [u8])> + use<'a> {
        let lines = self.head.split(|&b| b == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        // Empty lines may come before the status line; the head has been checked as a whole.
        lines.skip_while(|line| line.is_empty()).skip(1).filter_map(|line| {
            let colon = line.iter().position(|&b| b == b':')?;
            let name = std::str::from_utf8(&line[..colon]).ok()?;
            Some((name, line[colon + 1..].trim_ascii()))
        })
    }

    /// The first header of this name, in any case.
    pub fn header(&self, name: &str) -> Option<&'a [u8]> {
        self.headers().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Whether there is any `set-cookie` header; known without a look at the head.
    pub fn has_set_cookie(&self) -> bool {
        self.sets_cookies
    }

    /// Every `set-cookie` value on its own, for [`crate::Jar::store`].
    pub fn set_cookies(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        self.headers().filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie")).map(|(_, value)| value)
    }

    /// Status line and headers as received, with the empty line.
    pub fn head(&self) -> &'a [u8] {
        self.head
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
