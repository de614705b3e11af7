//! Where a text says by a name or a shape that something in it is a secret.
//!
//! Works on bytes, so that bodies in other encodings are searched too. What is found is replaced in its place; whether
//! it is looked for elsewhere is for [`super::Grade`] to say.

use std::ops::Range;
use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use nmax_plan::secret::{is_secret_header, is_secret_name};
use regex::bytes::Regex;

use super::decode::{Coding, decoded};
use super::{Grade, cards, is_placeholder, looks_random};
use crate::parts;

mod markup;
mod pairs;

/// Bytes of the longest value that is looked at as a whole.
const VALUE_MAX: usize = 16 * 1024;
/// How deep texts inside of texts are searched: JSON in a form in a URL.
const DEPTH_MAX: usize = 3;
/// Parameters whose values open doors when they look as if they did: codes of OAuth, tickets, keys, assertions.
const PARAMETERS: [&str; 9] =
    ["code", "key", "ticket", "state", "auth", "samlresponse", "samlrequest", "assertion", "relaystate"];
/// Names that hold a secret's word and mean something about it.
const ABOUT: [&str; 12] =
    ["type", "length", "count", "expires", "expiry", "ttl", "name", "hint", "url", "uri", "endpoint", "format"];

/// What a text is, so far as it says where its secrets are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place<'a> {
    /// A URL.
    Url,
    /// The value of a header of this name.
    Header(&'a str),
    /// An urlencoded form.
    Form,
    /// A multipart form with this boundary.
    Multipart(&'a str),
    /// JSON, or what a client sent: every value of a secret's name counts.
    Data,
    /// Pages, scripts, messages: a value counts when it looks like a secret too.
    Text,
}

/// A secret in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) range: Range<usize>,
    pub(super) coding: Coding,
    pub(super) grade: Grade,
}

/// What was found in a text.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Secrets in their places, in order, none inside of another.
    pub(super) spots: Vec<Spot>,
    /// Secrets inside of values that are written in another way: the password in a `Basic` login.
    pub(super) inside: Vec<(String, Grade)>,
}

/// Finds the secrets of a text. O(length).
pub(super) fn find(bytes: &[u8], place: Place<'_>) -> Found {
    let mut finder = Finder { bytes, is_data: !matches!(place, Place::Text), depth: 0, found: Found::default() };
    finder.place(place);
    finder.finish()
}

struct Finder<'a> {
    bytes: &'a [u8],
    /// Every value of a secret's name counts.
    is_data: bool,
    depth: usize,
    found: Found,
}

impl Finder<'_> {
    fn place(&mut self, place: Place<'_>) {
        match place {
            Place::Url => self.url(),
            Place::Header(name) => self.header(&name.to_ascii_lowercase()),
            Place::Form => self.parameters(0..self.bytes.len()),
            Place::Multipart(boundary) => self.multipart(boundary),
            Place::Data | Place::Text => {}
        }
        self.text();
    }

    /// Puts the spots in order; of two that overlap the first counts.
    fn finish(mut self) -> Found {
        let mut spots = std::mem::take(&mut self.found.spots);
        spots.retain(|spot| std::str::from_utf8(&self.bytes[spot.range.clone()]).is_ok());
        spots.sort_by_key(|spot| (spot.range.start, usize::MAX - spot.range.end));
        let mut end = 0;
        spots.retain(|spot| {
            let is_free = spot.range.start >= end;
            if is_free {
                end = spot.range.end;
            }
            is_free
        });
        self.found.spots = spots;
        self.found
    }

    fn add(&mut self, range: Range<usize>, coding: Coding, grade: Grade) {
        let value = &self.bytes[range.clone()];
        if !value.is_empty() && !is_placeholder(value) {
            self.found.spots.push(Spot { range, coding, grade });
        }
    }

    /// What any text may hold.
    fn text(&mut self) {
        self.pairs();
        self.markup();
        self.shapes();
    }

    /// Searches a value that is written in another way than the text around it.
    fn inside(&mut self, value: &str) {
        if self.depth >= DEPTH_MAX || !value.contains(['"', '\'', '=', '<', '/', '.']) {
            return;
        }
        let mut finder =
            Finder { bytes: value.as_bytes(), is_data: self.is_data, depth: self.depth + 1, found: Found::default() };
        finder.place(if value.contains("://") { Place::Url } else { Place::Text });
        let found = finder.finish();
        self.found.inside.extend(found.inside);
        let value_of = |spot: Spot| Some((decoded(value.get(spot.range)?, spot.coding), spot.grade));
        self.found.inside.extend(found.spots.into_iter().filter_map(value_of));
    }

    /// A value by the name that it has: whether it is a secret.
    fn named(&mut self, name: &str, range: Range<usize>, coding: Coding) {
        if range.is_empty() || range.len() > VALUE_MAX {
            return;
        }
        let Ok(written) = std::str::from_utf8(&self.bytes[range.clone()]) else {
            return;
        };
        let value = decoded(written, coding);
        let name = name.to_ascii_lowercase();
        if is_secret_name(&name) && !is_about(&name) && !is_plain(&value) {
            if self.is_data || looks_random(&value) {
                let has_session = name.contains("session") && !looks_random(&value);
                self.add(range, coding, if has_session { Grade::Weak } else { Grade::Strong });
            }
        } else if PARAMETERS.contains(&name.as_str()) && looks_random(&value) {
            self.add(range, coding, Grade::Weak);
        } else if coding != Coding::Raw && value != written {
            self.inside(&value);
        }
    }

    /// Tokens and card numbers, which are known by their shape.
    fn shapes(&mut self) {
        static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(?-u)eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*").expect("a valid expression")
        });
        static SCHEME: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(?-u)\b(?i:bearer|basic|token)(?:\s|%20|\+)+([A-Za-z0-9._~+/-]{16,}=*)")
                .expect("a valid expression")
        });
        static USER: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r#"(?-u)(?:(?::|%3[Aa])(?:\\?/|%2[Ff]){2}|^//)([^/\s:@"'<>\\?#&]+)(?::([^/\s"'<>\\?#]*))?@"#)
                .expect("a valid expression")
        });
        for found in TOKEN.find_iter(self.bytes) {
            self.add(found.range(), Coding::Raw, Grade::Strong);
        }
        for found in SCHEME.captures_iter(self.bytes) {
            let Some(token) = found.get(1) else { continue };
            if std::str::from_utf8(token.as_bytes()).is_ok_and(looks_random) {
                self.add(token.range(), Coding::Raw, Grade::Strong);
            }
        }
        for found in USER.captures_iter(self.bytes) {
            let user_and_password = [found.get(1), found.get(2)];
            for part in user_and_password.into_iter().flatten() {
                self.add(part.range(), Coding::Percent, Grade::Strong);
            }
        }
        for range in cards::find(self.bytes) {
            self.add(range, Coding::Raw, Grade::Strong);
        }
    }

    fn url(&mut self) {
        let Ok(url) = std::str::from_utf8(self.bytes) else {
            return;
        };
        let offset = |part: &str| part.as_ptr() as usize - url.as_ptr() as usize;
        let target = parts::split(url);
        let mut before = "";
        for segment in target.segments() {
            // `/reset-password/4f0c..`: what stands behind a secret's name and looks like one.
            if is_secret_name(before) && looks_random(segment) {
                let start = offset(segment);
                self.add(start..start + segment.len(), Coding::Percent, Grade::Strong);
            }
            before = segment;
        }
        if let Some(at) = url.find('?') {
            let end = url[at..].find('#').map_or(url.len(), |length| at + length);
            self.parameters(at + 1..end);
        }
    }

    /// Pairs of a query or form.
    fn parameters(&mut self, range: Range<usize>) {
        let mut start = range.start;
        while start < range.end {
            let rest = &self.bytes[start..range.end];
            let end = start + rest.iter().position(|byte| matches!(byte, b'&' | b';')).unwrap_or(rest.len());
            if let Some(at) = self.bytes[start..end].iter().position(|byte| *byte == b'=') {
                let name = String::from_utf8_lossy(&self.bytes[start..start + at]).into_owned();
                self.named(&decoded(&name, Coding::Percent), start + at + 1..end, Coding::Percent);
            }
            start = end + 1;
        }
    }

    fn header(&mut self, name: &str) {
        match name {
            "cookie" => self.cookies(b';'),
            "set-cookie" => {
                self.cookie(0..self.bytes.iter().position(|byte| *byte == b';').unwrap_or(self.bytes.len()))
            }
            "authorization" | "proxy-authorization" => self.authorization(),
            "www-authenticate" | "proxy-authenticate" => self.challenge(),
            "location" | "referer" | "content-location" | "origin" | "refresh" => self.url(),
            _ => {
                let is_about_headers = ["access-control-", "sec-", "content-security-policy"]
                    .iter()
                    .any(|prefix| name.starts_with(prefix));
                if !is_about_headers && is_secret_header(name) {
                    self.add(0..self.bytes.len(), Coding::Raw, Grade::Strong);
                }
            }
        }
    }

    fn cookies(&mut self, separator: u8) {
        let mut start = 0;
        while start <= self.bytes.len() {
            let rest = &self.bytes[start..];
            let end = start + rest.iter().position(|byte| *byte == separator).unwrap_or(rest.len());
            self.cookie(start..end);
            start = end + 1;
        }
    }

    /// A cookie: its value is a secret, whatever its name.
    fn cookie(&mut self, range: Range<usize>) {
        let Some(at) = self.bytes[range.clone()].iter().position(|byte| *byte == b'=') else {
            return;
        };
        let name = String::from_utf8_lossy(&self.bytes[range.start..range.start + at]).trim().to_owned();
        let blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'"';
        let value = &self.bytes[range.start + at + 1..range.end];
        let start = range.end - value.len() + value.iter().take_while(|byte| blank(byte)).count();
        let blanks = value.iter().rev().take_while(|byte| blank(byte)).count();
        let range = start..range.end.saturating_sub(blanks).max(start);
        let written = String::from_utf8_lossy(&self.bytes[range.clone()]).into_owned();
        let value = decoded(&written, Coding::Percent);
        if value != written {
            self.inside(&value);
        }
        let grade = if is_secret_name(&name) { Grade::Strong } else { Grade::Weak };
        self.add(range, Coding::Percent, grade);
    }

    /// `Basic dTpw`, `Bearer ..`: the scheme may be seen, what follows may not.
    fn authorization(&mut self) {
        let value = self.bytes;
        let start = value.iter().position(|byte| *byte == b' ').map_or(0, |at| at + 1);
        if let Ok(token) = std::str::from_utf8(&value[start..]) {
            let token = token.trim().trim_end_matches('=');
            let login = STANDARD_NO_PAD.decode(token).or_else(|_| URL_SAFE_NO_PAD.decode(token)).ok();
            let login = login.and_then(|login| String::from_utf8(login).ok());
            let is_basic = value.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"basic "));
            if let Some((_, password)) = login.as_deref().filter(|_| is_basic).and_then(|login| login.split_once(':')) {
                self.found.inside.push((password.to_owned(), Grade::Strong));
            }
        }
        self.add(start..value.len(), Coding::Raw, Grade::Strong);
    }

    /// Tokens of challenges that stand without a name: `Negotiate oYG2..`.
    fn challenge(&mut self) {
        let value = self.bytes;
        if let Some(at) = value.iter().position(|byte| *byte == b' ')
            && !value[at + 1..].iter().any(|byte| matches!(byte, b' ' | b'"' | b','))
        {
            self.add(at + 1..value.len(), Coding::Raw, Grade::Strong);
        }
    }

    fn multipart(&mut self, boundary: &str) {
        for piece in parts::pieces(self.bytes, boundary).unwrap_or_default() {
            self.named(&piece.name, piece.span, Coding::Raw);
        }
    }
}

/// Whether a name tells something about a secret rather than it: `token_type`, `password_hint`.
fn is_about(name: &str) -> bool {
    let last = name.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    ABOUT.contains(&last) || last.starts_with("expires")
}

/// Values that stand in the place of a secret and are none.
fn is_plain(value: &str) -> bool {
    matches!(
        value.to_ascii_lowercase().as_str(),
        "" | "true" | "false" | "null" | "none" | "undefined" | "0" | "1" | "bearer" | "basic" | "on" | "off"
    )
}
