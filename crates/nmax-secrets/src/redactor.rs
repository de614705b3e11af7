//! Texts without secrets, for good: what is shown or stored of a run.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::find::{Rules, Spot, TextKind, find};
use crate::mask::MASK;
use crate::message::Message;
use crate::multipart::boundary;
use crate::names::{is_plain, is_secret_name};
use crate::needles::Needles;

/// Names and values.
pub type Variables = Vec<(String, String)>;

/// Characters of the shortest value that is looked for: shorter ones are too likely to occur by chance.
const VALUE_CHARS_MIN: usize = 4;
/// The same for the value of a cookie, which may be a word.
const COOKIE_CHARS_MIN: usize = 6;
/// Values to know with cookies.
const KNOWN_MAX: usize = 10_000;
/// The same for one line of several.
const LINE_CHARS_MIN: usize = 8;
/// The same for what follows a word.
const KEY_CHARS_MIN: usize = 12;

/// Takes secrets out of texts: those that a name or a shape gives away, and known values wherever they stand, however they
/// are spelled there.
#[derive(Clone, Default)]
pub struct Redactor {
    needles: Option<Arc<Needles>>,
    values: BTreeSet<String>,
}

/// Shows how many values it knows, and none of them.
impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Redactor({} values)", self.values.len())
    }
}

/// Two are equal when they know the same values.
impl PartialEq for Redactor {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values
    }
}

impl Redactor {
    /// One that knows the values of those variables whose names are secret. O(length of the values).
    pub fn new(variables: &[(String, String)]) -> Self {
        Self::default().knowing(variables.iter().map(|(name, value)| (name.as_str(), value.as_str())))
    }

    /// The same, which knows the values of these variables too, where their names are secret.
    #[must_use]
    pub fn knowing<'a>(&self, variables: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let secret = variables.into_iter().filter(|(name, _)| is_secret_name(name));
        let mut values = self.values.clone();
        values.extend(secret.flat_map(|(_, value)| pieces(value)).map(str::to_owned));
        if values.len() == self.values.len() {
            return self.clone();
        }
        let needles = Some(Arc::new(Needles::anywhere(values.iter().map(String::as_str))));
        Self { needles, values }
    }

    /// The same, which knows the cookies too that these fields of a head send or set: servers repeat them elsewhere.
    /// O(length).
    #[must_use]
    pub fn knowing_cookies<'f>(&self, fields: impl Iterator<Item = (Cow<'f, str>, &'f [u8])>) -> Self {
        let mut values = self.values.clone();
        for (name, value) in fields {
            let name = name.trim().to_ascii_lowercase();
            if matches!(name.as_str(), "cookie" | "set-cookie") {
                let cookies = find(value, TextKind::Header(&name), Rules::default()).spots;
                let is_long = |value: &String| value.chars().count() >= COOKIE_CHARS_MIN && !is_plain(value);
                values.extend(cookies.into_iter().map(|cookie| cookie.value).filter(is_long));
            }
        }
        match values.len() {
            count if count == self.values.len() || count > KNOWN_MAX => self.clone(),
            _ => Self { needles: Some(Arc::new(Needles::anywhere(values.iter().map(String::as_str)))), values },
        }
    }

    /// Whether it knows no value.
    pub fn knows_nothing(&self) -> bool {
        self.values.is_empty()
    }

    /// A message or a name: what no place says anything about. O(length).
    pub fn text(&self, text: &str) -> String {
        self.masked(text, TextKind::Text)
    }

    /// JSON, XML, YAML, a line of a log. O(length).
    pub fn data(&self, text: &str) -> String {
        self.masked(text, TextKind::Data)
    }

    /// A URL, or its path. O(length).
    pub fn url(&self, url: &str) -> String {
        self.masked(url, TextKind::Url)
    }

    /// The value of a header. O(length).
    pub fn header(&self, name: &str, value: &str) -> String {
        self.masked(value, TextKind::Header(name.trim()))
    }

    /// A text without the known values; what else it holds stays. O(length).
    pub fn values(&self, text: &str) -> String {
        match &self.needles {
            Some(needles) => needles.masked(text, MASK),
            None => text.to_owned(),
        }
    }

    /// A request or a reply as text, lines of the head ended by LF. O(length).
    pub fn message(&self, message: &Message<'_>) -> String {
        let (mut text, body) = (self.head(message), self.body(message));
        if !body.is_empty() {
            text.push_str(if text.is_empty() { "" } else { "\n\n" });
            text.push_str(&body);
        }
        text
    }

    /// The head of a message, lines ended by LF.
    pub fn head(&self, message: &Message<'_>) -> String {
        let (mut out, mut at) = (String::new(), 0);
        for (name, value) in message.places() {
            self.lines_between(&message.text(at..name.start), &mut out);
            let text = message.text(name.clone());
            out.push_str(&self.values(&text));
            out.push_str(&message.text(name.end..value.start));
            out.push_str(&self.header(&text, &unfolded(&message.text(value.clone()))));
            at = value.end;
        }
        self.lines_between(&message.text(at..message.head().len().max(at)), &mut out);
        out
    }

    /// What is no field: the first line of a head, and ends of lines.
    fn lines_between(&self, text: &str, out: &mut String) {
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                out.push('\n');
            }
            let line = line.strip_suffix('\r').unwrap_or(line);
            let is_first = out.trim_ascii().is_empty();
            out.push_str(&if is_first { self.first_line(line) } else { self.data(line) });
        }
    }

    /// The body of a message.
    pub fn body(&self, message: &Message<'_>) -> String {
        let content_type = message.fields().filter(|(name, _)| name.trim().eq_ignore_ascii_case("content-type")).last();
        let content_type = content_type.map(|(_, value)| String::from_utf8_lossy(value)).unwrap_or_default();
        let body = String::from_utf8_lossy(message.body());
        masked(&body, self.spots(body.as_bytes(), &content_type))
    }

    /// Where a body of this content type has secrets. O(length).
    pub fn spots(&self, body: &[u8], content_type: &str) -> Vec<Spot> {
        let kind = content_type.split(';').next().unwrap_or_default().trim();
        let kind = match boundary(content_type) {
            Some(boundary) => TextKind::Multipart(boundary),
            None if kind.eq_ignore_ascii_case("application/x-www-form-urlencoded") => TextKind::Form,
            None => TextKind::Data,
        };
        find(body, kind, self.rules()).spots
    }

    /// Where a URL has secrets. O(length).
    pub(crate) fn spots_of_url(&self, url: &[u8]) -> Vec<Spot> {
        find(url, TextKind::Url, self.rules()).spots
    }

    /// Whether a text holds a known value. O(length).
    pub(crate) fn knows(&self, text: &[u8]) -> bool {
        self.needles.as_ref().is_some_and(|needles| needles.next(text, 0).is_some())
    }

    /// `GET /path HTTP/1.1`, or the line of a status. O(length).
    pub fn first_line(&self, line: &str) -> String {
        match line.split_once(' ').zip(line.rfind(' ')) {
            Some(((method, rest), last)) if !method.contains('/') && last > method.len() => {
                let target = &rest[..last - method.len() - 1];
                format!("{} {}{}", self.values(method), self.url(target), self.values(&line[last..]))
            }
            _ => self.text(line),
        }
    }

    fn masked(&self, text: &str, kind: TextKind<'_>) -> String {
        masked(text, find(text.as_bytes(), kind, self.rules()).spots)
    }

    fn rules(&self) -> Rules<'_> {
        Rules { needles: self.needles.as_deref(), is_strict: true }
    }
}

/// A text with masks in the place of its secrets.
fn masked(text: &str, spots: Vec<Spot>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for spot in spots {
        let Some(before) = text.get(from..spot.range.start) else { continue };
        out.push_str(before);
        out.extend([spot.quotes.as_str(), MASK, spot.quotes.as_str()]);
        from = spot.range.end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

/// What is looked for of a value: all of it, its lines, and the key after a scheme, as in `Bearer KEY`.
fn pieces(value: &str) -> impl Iterator<Item = &str> {
    let is_long =
        |chars: usize| move |piece: &&str| piece.chars().count() >= chars && *piece != MASK && !is_plain(piece);
    let lines = value.lines().filter(is_long(LINE_CHARS_MIN));
    let key = value.split_once(' ').map(|(_, key)| key).filter(is_long(KEY_CHARS_MIN));
    let whole = Some(value).filter(is_long(VALUE_CHARS_MIN));
    whole.into_iter().chain(lines).chain(key)
}

/// The value of a field as one line (RFC 9112, 5.2).
fn unfolded(value: &str) -> String {
    value.replace("\r\n", "\n").replace("\n ", "  ").replace("\n\t", "  ")
}

/// A URL without user, password and secret parameters, where no plan says which values are secret; or an address with
/// neither scheme nor path, `user:password@host:port`.
pub fn masked_url(url: &str) -> String {
    let redactor = Redactor::default();
    let (authority, rest) = url.split_at(url.find(['/', '?', '#']).unwrap_or(url.len()));
    match authority.rsplit_once('@') {
        Some((user, host)) if user.contains(':') => format!("{MASK}@{host}{}", redactor.url(rest)),
        _ => redactor.url(url),
    }
}

/// A URL of which all behind its host is secret, such as that of a webhook.
pub fn origin_only(url: &str) -> String {
    let url = nmax_text::url::split(url);
    format!("{}://{}/{MASK}", url.scheme, url.place)
}

#[cfg(test)]
mod tests;
