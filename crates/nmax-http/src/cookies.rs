//! One visitor's cookies, as RFC 6265 section 5 says. Pure: the caller brings the wall time.
//!
//! Cookies stay sorted as they are sent, longest path first and then oldest first, so that writing
//! them is one pass without allocation. A `domain` attribute that is a public suffix (`com`, `co.uk`, `github.io`)
//! would reach strangers and is refused, by the list at publicsuffix.org as it was when nmax was built. `httponly`
//! and `samesite` are ignored.

mod date;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use crate::url::{Origin, Scheme};
pub use date::parse_date;

/// The most cookies of one visitor; beyond that the oldest goes.
pub const COOKIES_MAX: usize = 300;
/// The largest name and value together, in bytes, as in browsers.
pub const COOKIE_BYTES_MAX: usize = 4096;

/// Why a `set-cookie` value was not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refused {
    /// No `name=` at the start.
    #[error("the cookie has no name")]
    NoName,
    /// A control character in the name or value.
    #[error("the cookie has a control character")]
    ControlCharacter,
    /// Larger than [`COOKIE_BYTES_MAX`].
    #[error("the cookie is larger than {COOKIE_BYTES_MAX} bytes")]
    TooLarge,
    /// A `domain` that the server is no part of.
    #[error("the cookie is for a foreign domain")]
    ForeignDomain,
    /// A `domain` under which anyone may have a host.
    #[error("the cookie is for a whole public suffix")]
    PublicSuffix,
}

/// A `set-cookie` value and what the request adds to it.
struct Parsed<'a> {
    name: &'a [u8],
    value: &'a [u8],
    /// In lower case, without a leading dot.
    domain: Cow<'a, str>,
    path: &'a [u8],
    scope: Scope,
}

/// To whom and how long a cookie is sent, beside its domain and path.
#[derive(Clone, Copy, Debug)]
struct Scope {
    /// Only to exactly this host, not to those below it.
    host_only: bool,
    secure: bool,
    /// First second in which it is gone; `None` for a session cookie.
    expires_unix_s: Option<i64>,
}

#[derive(Clone, Debug)]
struct Cookie {
    /// Domain, path, name and value, one after the other: one allocation.
    text: Box<[u8]>,
    /// Where domain, path and name end in it.
    ends: [usize; 3],
    scope: Scope,
    /// Order of first storing.
    created: u64,
}

/// The cookies of one visitor.
#[derive(Clone, Debug, Default)]
pub struct Jar {
    /// Longest path first, then oldest first.
    cookies: Vec<Cookie>,
    next_created: u64,
}

impl Jar {
    /// An empty jar.
    pub const fn new() -> Self {
        Self { cookies: Vec::new(), next_created: 0 }
    }

    /// Cookies held, expired ones included until they are replaced.
    pub fn len(&self) -> usize {
        self.cookies.len()
    }

    /// True when it holds none.
    pub fn is_empty(&self) -> bool {
        self.cookies.is_empty()
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.cookies.clear();
    }

    /// Takes one `set-cookie` value of a reply to `target` at `origin`, at wall time `now_unix_s`.
    ///
    /// A cookie that is already expired removes its namesake.
    pub fn store(&mut self, origin: &Origin, target: &[u8], set_cookie: &[u8], now_unix_s: i64) -> Result<(), Refused> {
        let parsed = parse(origin, target, set_cookie, now_unix_s)?;
        let namesake = self.cookies.iter().position(|cookie| cookie.is_namesake_of(&parsed));
        match namesake {
            Some(index) if parsed.scope.is_expired(now_unix_s) => drop(self.cookies.remove(index)),
            // Its place is that of its path and first storing.
            Some(index) => self.cookies[index].replace(&parsed),
            None if parsed.scope.is_expired(now_unix_s) => {}
            None => {
                self.make_room(now_unix_s);
                self.insert(Cookie::new(&parsed, self.next_created));
                self.next_created += 1;
            }
        }
        Ok(())
    }

    /// Appends the value of the `cookie` header for `target` at `origin`; false when there is none to send.
    pub fn write(&self, origin: &Origin, target: &[u8], now_unix_s: i64, out: &mut Vec<u8>) -> bool {
        let path = path_of(target);
        let mut separator: &[u8] = b"";
        for cookie in self.cookies.iter().filter(|cookie| cookie.matches(origin, path, now_unix_s)) {
            out.extend_from_slice(separator);
            out.extend_from_slice(cookie.name());
            out.push(b'=');
            out.extend_from_slice(cookie.value());
            separator = b"; ";
        }
        !separator.is_empty()
    }

    /// Leaves room for one more: expired ones go first, then the oldest.
    fn make_room(&mut self, now_unix_s: i64) {
        if self.cookies.len() < COOKIES_MAX {
            return;
        }
        self.cookies.retain(|cookie| !cookie.scope.is_expired(now_unix_s));
        if self.cookies.len() >= COOKIES_MAX
            && let Some(oldest) = self.cookies.iter().map(|cookie| cookie.created).min()
        {
            self.cookies.retain(|cookie| cookie.created != oldest);
        }
    }

    fn insert(&mut self, cookie: Cookie) {
        let rank = |c: &Cookie| (std::cmp::Reverse(c.path().len()), c.created);
        let at = self.cookies.partition_point(|other| rank(other) < rank(&cookie));
        self.cookies.insert(at, cookie);
    }
}

impl Scope {
    fn is_expired(&self, now_unix_s: i64) -> bool {
        self.expires_unix_s.is_some_and(|expires| expires <= now_unix_s)
    }
}

impl Cookie {
    fn new(parsed: &Parsed<'_>, created: u64) -> Self {
        let parts = [parsed.domain.as_bytes(), parsed.path, parsed.name, parsed.value];
        let mut end = 0;
        let ends = [0, 1, 2].map(|part: usize| {
            end += parts[part].len();
            end
        });
        Self { text: parts.concat().into(), ends, scope: parsed.scope, created }
    }

    fn domain(&self) -> &[u8] {
        &self.text[..self.ends[0]]
    }

    fn path(&self) -> &[u8] {
        &self.text[self.ends[0]..self.ends[1]]
    }

    fn name(&self) -> &[u8] {
        &self.text[self.ends[1]..self.ends[2]]
    }

    fn value(&self) -> &[u8] {
        &self.text[self.ends[2]..]
    }

    fn is_namesake_of(&self, parsed: &Parsed<'_>) -> bool {
        self.name() == parsed.name && self.domain() == parsed.domain.as_bytes() && self.path() == parsed.path
    }

    /// Takes what a namesake says. Most servers send values of one length, which need no memory.
    fn replace(&mut self, parsed: &Parsed<'_>) {
        if self.value().len() == parsed.value.len() {
            self.text[self.ends[2]..].copy_from_slice(parsed.value);
            self.scope = parsed.scope;
        } else {
            *self = Self::new(parsed, self.created);
        }
    }

    fn matches(&self, origin: &Origin, path: &[u8], now_unix_s: i64) -> bool {
        let (scope, host, domain) = (self.scope, origin.host.as_bytes(), self.domain());
        (if scope.host_only { domain == host } else { is_within_domain(&origin.host, domain) })
            && is_within_path(path, self.path())
            && (!scope.secure || origin.scheme == Scheme::Https)
            && !scope.is_expired(now_unix_s)
    }
}

/// The attributes of a `set-cookie` value, the last of each name.
#[derive(Default)]
struct Attributes<'a> {
    domain: Option<&'a [u8]>,
    path: Option<&'a [u8]>,
    secure: bool,
    /// Unix seconds.
    expires: Option<i64>,
    /// Unix seconds, from `max-age`, which outranks `expires`.
    max_age_end: Option<i64>,
}

impl<'a> Attributes<'a> {
    fn parse(parts: impl Iterator<Item = &'a [u8]>, now_unix_s: i64) -> Self {
        let mut found = Self::default();
        for part in parts {
            let (name, value) = split_once(part, b'=').unwrap_or((part, b""));
            let (name, value) = (name.trim_ascii(), value.trim_ascii());
            if name.eq_ignore_ascii_case(b"domain") {
                let value = value.strip_prefix(b".").unwrap_or(value);
                if !value.is_empty() {
                    found.domain = Some(value);
                }
            } else if name.eq_ignore_ascii_case(b"path") {
                found.path = value.starts_with(b"/").then_some(value);
            } else if name.eq_ignore_ascii_case(b"secure") {
                found.secure = true;
            } else if name.eq_ignore_ascii_case(b"expires") {
                found.expires = parse_date(value).or(found.expires);
            } else if name.eq_ignore_ascii_case(b"max-age") {
                found.max_age_end = max_age_end(value, now_unix_s).or(found.max_age_end);
            }
        }
        found
    }
}

/// Reads one `set-cookie` value (RFC 6265 sections 5.2 and 5.3).
fn parse<'a>(
    origin: &'a Origin,
    target: &'a [u8],
    set_cookie: &'a [u8],
    now_unix_s: i64,
) -> Result<Parsed<'a>, Refused> {
    let mut parts = set_cookie.split(|&b| b == b';');
    let (name, value) = parts.next().and_then(|pair| split_once(pair, b'=')).ok_or(Refused::NoName)?;
    let (name, value) = (name.trim_ascii(), value.trim_ascii());
    if name.is_empty() {
        return Err(Refused::NoName);
    }
    if name.iter().chain(value).any(u8::is_ascii_control) {
        return Err(Refused::ControlCharacter);
    }
    if name.len() + value.len() > COOKIE_BYTES_MAX {
        return Err(Refused::TooLarge);
    }
    let attributes = Attributes::parse(parts, now_unix_s);
    let (domain, host_only) = domain_of(origin, attributes.domain)?;
    let expires_unix_s = attributes.max_age_end.or(attributes.expires);
    let scope = Scope { host_only, secure: attributes.secure, expires_unix_s };
    Ok(Parsed { name, value, domain, path: attributes.path.unwrap_or_else(|| default_path(target)), scope })
}

/// The domain of a cookie, and whether it is for this host only.
fn domain_of<'a>(origin: &'a Origin, attribute: Option<&[u8]>) -> Result<(Cow<'a, str>, bool), Refused> {
    let Some(attribute) = attribute else {
        return Ok((Cow::Borrowed(&origin.host), true));
    };
    let domain = std::str::from_utf8(attribute).map_err(|_| Refused::ForeignDomain)?.to_ascii_lowercase();
    if !is_within_domain(&origin.host, domain.as_bytes()) {
        return Err(Refused::ForeignDomain);
    }
    if !is_public_suffix(&domain) {
        return Ok((Cow::Owned(domain), false));
    }
    // `domain=localhost` from localhost itself means the host alone (section 5.3, step 5).
    if domain == origin.host { Ok((Cow::Owned(domain), true)) } else { Err(Refused::PublicSuffix) }
}

/// Whether anyone may have a host under `domain`. One label that is on no list counts, as the list's own rule says.
fn is_public_suffix(domain: &str) -> bool {
    let domain = domain.trim_end_matches('.');
    nmax_domain::suffix(domain).is_some_and(|suffix| suffix.text == domain)
}

/// RFC 6265 section 5.1.3: equal, or below it by whole labels; an address has nothing below it.
fn is_within_domain(host: &str, domain: &[u8]) -> bool {
    match host.as_bytes().strip_suffix(domain) {
        Some(b"") => true,
        Some(rest) => rest.ends_with(b".") && host.parse::<std::net::IpAddr>().is_err(),
        None => false,
    }
}

/// RFC 6265 section 5.1.4: equal, or below it by whole segments.
fn is_within_path(path: &[u8], cookie_path: &[u8]) -> bool {
    path.strip_prefix(cookie_path)
        .is_some_and(|rest| rest.is_empty() || cookie_path.ends_with(b"/") || rest.starts_with(b"/"))
}

/// The folder of the target, without the slash at its end.
fn default_path(target: &[u8]) -> &[u8] {
    let path = path_of(target);
    match path.iter().rposition(|&b| b == b'/') {
        Some(slash) if slash > 0 => &path[..slash],
        _ => b"/",
    }
}

fn path_of(target: &[u8]) -> &[u8] {
    split_once(target, b'?').map_or(target, |(path, _)| path)
}

fn split_once(bytes: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let index = bytes.iter().position(|&b| b == at)?;
    Some((&bytes[..index], &bytes[index + 1..]))
}

/// When a `max-age` ends: an integer of seconds, where zero and less mean at once.
fn max_age_end(value: &[u8], now_unix_s: i64) -> Option<i64> {
    let (is_negative, digits) = match value.strip_prefix(b"-") {
        Some(digits) => (true, digits),
        None => (false, value),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    if is_negative {
        return Some(i64::MIN);
    }
    // All digits: what does not fit is simply very long.
    let seconds = std::str::from_utf8(digits).ok()?.parse::<i64>().unwrap_or(i64::MAX);
    Some(if seconds == 0 { i64::MIN } else { now_unix_s.saturating_add(seconds) })
}
