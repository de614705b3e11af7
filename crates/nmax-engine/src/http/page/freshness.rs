//! How long a stored reply may be used again: RFC 9111 for a private cache. Pure; times are seconds since 1970.
//!
//! - lifetime: `max-age`, else `expires` minus `date`, else a tenth of the time since `last-modified`, else none;
//!   for redirects that are permanent, without end
//! - age: the larger of `age` plus the time that the exchange took and of the time since `date`, plus the time in store
//! - a status other than 200, 203, 301 and 308 is stored for the time that `max-age` or `expires` say, and is not asked
//!   about after it
//! - `no-store` is not stored, `no-cache` and `vary: *` are always checked, a wrong `expires` or `max-age` is stale
//!
//! A stale reply is never used without a check, so `must-revalidate` and `stale-while-revalidate` say nothing new; nor
//! does `immutable`, for nobody reloads.

use nmax_http::{Reply, parse_date};

#[cfg(test)]
mod tests;

/// A lifetime without end, seconds: what a permanent redirect has unless it says otherwise.
const FOREVER_S: i64 = i64::MAX / 4;

/// What was known about a stored reply when it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Freshness {
    /// When it is stale.
    fresh_until_s: i64,
    /// It is checked before each use.
    always_checked: bool,
    etag: Option<Box<[u8]>>,
    last_modified: Option<Box<[u8]>>,
}

/// What tells one state of a resource from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Validators {
    pub(super) etag: Option<Box<[u8]>>,
    pub(super) last_modified: Option<Box<[u8]>>,
}

/// The headers that decide.
#[derive(Debug, Default)]
struct Headers<'a> {
    control: Vec<&'a [u8]>,
    pragma_no_cache: bool,
    expires: Option<&'a [u8]>,
    date_s: Option<i64>,
    age_s: i64,
    etag: Option<&'a [u8]>,
    last_modified: Option<&'a [u8]>,
    varies_by_all: bool,
}

/// What `cache-control` says.
#[derive(Debug, Default)]
struct Control {
    no_store: bool,
    no_cache: bool,
    /// `Some(None)` when there is one that is no number.
    max_age_s: Option<Option<i64>>,
}

/// When an exchange was sent and done, seconds since 1970.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) sent_s: i64,
    pub(super) done_s: i64,
}

impl Freshness {
    /// Of a reply to be stored; `None` when it may not be, or could never be used.
    pub(super) fn from_reply(reply: &Reply<'_>, span: Span) -> Option<Self> {
        let is_permanent = matches!(reply.status(), Some(301 | 308));
        let mut headers = Headers::from_fields(reply.headers());
        if !is_permanent && !matches!(reply.status(), Some(200 | 203)) {
            // A part of a reply and the word that nothing changed are no replies to be stored.
            if matches!(reply.status(), None | Some(206 | 304)) || !headers.is_explicit() {
                return None;
            }
            (headers.etag, headers.last_modified) = (None, None);
        }
        Self::from_headers(&headers, is_permanent, span)
    }

    /// After a 304: what it says replaces what was known (RFC 9111, 3.2). `None` when it may be stored no longer.
    pub(super) fn after_check(self, reply: &Reply<'_>, span: Span) -> Option<Self> {
        let mut headers = Headers::from_fields(reply.headers());
        headers.etag = headers.etag.or(self.etag.as_deref());
        headers.last_modified = headers.last_modified.or(self.last_modified.as_deref());
        Self::from_headers(&headers, false, span)
    }

    fn from_headers(headers: &Headers<'_>, is_permanent: bool, span: Span) -> Option<Self> {
        let control = headers.control();
        if control.no_store {
            return None;
        }
        let always_checked =
            control.no_cache || headers.varies_by_all || (headers.control.is_empty() && headers.pragma_no_cache);
        let lifetime_s = headers.lifetime_s(&control, is_permanent, span);
        let has_validator = headers.etag.is_some() || headers.last_modified.is_some();
        if !has_validator && (always_checked || lifetime_s <= 0) {
            return None;
        }
        Some(Self {
            fresh_until_s: span.done_s + lifetime_s - headers.initial_age_s(span),
            always_checked,
            etag: headers.etag.map(Box::from),
            last_modified: headers.last_modified.map(Box::from),
        })
    }

    /// What a server is asked with whether it changed.
    pub(super) fn validators(&self) -> Validators {
        Validators { etag: self.etag.clone(), last_modified: self.last_modified.clone() }
    }

    /// Whether it may be used without asking.
    pub(super) fn is_fresh(&self, now_s: i64) -> bool {
        !self.always_checked && now_s < self.fresh_until_s
    }
}

impl<'a> Headers<'a> {
    fn from_fields(all: impl Iterator<Item = (&'a str, &'a [u8])>) -> Self {
        let mut headers = Self::default();
        for (name, value) in all {
            match name.to_ascii_lowercase().as_str() {
                "cache-control" => headers.control.push(value),
                "pragma" => headers.pragma_no_cache |= value.eq_ignore_ascii_case(b"no-cache"),
                "expires" => headers.expires = headers.expires.or(Some(value)),
                "date" => headers.date_s = headers.date_s.or_else(|| parse_date(value)),
                "age" => headers.age_s = number(value).unwrap_or(0),
                "etag" => headers.etag = headers.etag.or(Some(value)),
                "last-modified" => headers.last_modified = headers.last_modified.or(Some(value)),
                "vary" => headers.varies_by_all |= value.trim_ascii() == b"*",
                _ => {}
            }
        }
        headers
    }

    fn control(&self) -> Control {
        let mut control = Control::default();
        for directive in self.control.iter().flat_map(|value| directives(value)) {
            let (name, value) = match directive.iter().position(|byte| *byte == b'=') {
                Some(at) => (directive[..at].trim_ascii(), Some(directive[at + 1..].trim_ascii())),
                None => (directive, None),
            };
            match name.to_ascii_lowercase().as_slice() {
                b"no-store" => control.no_store = true,
                // Checking all of a reply is on the safe side of checking only some of its headers.
                b"no-cache" => control.no_cache = true,
                b"max-age" => {
                    let quoted = value.map(|value| value.strip_prefix(b"\"").unwrap_or(value));
                    let seconds = quoted.and_then(|value| number(value.strip_suffix(b"\"").unwrap_or(value)));
                    control.max_age_s.get_or_insert(seconds);
                }
                _ => {}
            }
        }
        control
    }

    /// Whether it says how long it is fresh.
    fn is_explicit(&self) -> bool {
        self.expires.is_some() || self.control().max_age_s.is_some()
    }

    /// RFC 9111, 4.2.1 and 4.2.2.
    fn lifetime_s(&self, control: &Control, is_permanent: bool, span: Span) -> i64 {
        let date_s = self.date_s.unwrap_or(span.done_s);
        if let Some(max_age_s) = control.max_age_s {
            return max_age_s.unwrap_or(0);
        }
        if let Some(expires) = self.expires {
            return parse_date(expires).map_or(0, |expires_s| (expires_s - date_s).max(0));
        }
        if is_permanent {
            return FOREVER_S;
        }
        let modified_s = self.last_modified.and_then(parse_date);
        modified_s.map_or(0, |modified_s| (date_s - modified_s).max(0) / 10)
    }

    /// Age on arrival (RFC 9111, 4.2.3).
    fn initial_age_s(&self, span: Span) -> i64 {
        let apparent_s = self.date_s.map_or(0, |date_s| (span.done_s - date_s).max(0));
        let delay_s = (span.done_s - span.sent_s).max(0);
        apparent_s.max(self.age_s + delay_s)
    }
}

/// The directives of a `cache-control` value; commas in quotes do not separate them.
fn directives(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut is_quoted = false;
    value
        .split(move |byte| {
            is_quoted ^= *byte == b'"';
            *byte == b',' && !is_quoted
        })
        .map(<[u8]>::trim_ascii)
}

/// Seconds as a whole number; more than the largest counts as that (RFC 9111, 1.2.2).
fn number(text: &[u8]) -> Option<i64> {
    let text = text.trim_ascii();
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(std::str::from_utf8(text).ok()?.parse().map_or(FOREVER_S, |seconds: i64| seconds.min(FOREVER_S)))
}
