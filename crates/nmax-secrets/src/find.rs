//! Where a text says by a name, a shape or a known value that something in it is a secret.
//!
//! Works on bytes, so that bodies in other encodings are searched too. JSON is read token by token, so what takes a
//! value's place leaves JSON; other texts are searched for pairs, markup and shapes. A text inside of a text (JSON in a
//! string of JSON, a URL in a form) is searched as what it means, and what is found there is told in the bytes that spell
//! it.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::coding::Coding;
use crate::mask::{MASK, PLACEHOLDER_PREFIX, is_placeholder, placeholder_at};
use crate::names::{
    has_code, is_about, is_count, is_parameter, is_plain, is_secret_header, is_secret_name, looks_random,
};
use crate::{Needles, cards};
use limits::Limits;

mod heads;
mod json;
mod limits;
mod markup;
mod pairs;

/// Bytes of the longest value that is looked at as a whole where what is found comes back.
const VALUE_BYTES_MAX: usize = 16 * 1024;
/// Bytes of the longest name.
const NAME_BYTES_MAX: usize = 64;
/// How deep texts inside of texts are searched: JSON in a form in a URL.
pub const DEPTH_MAX: usize = 4;

/// How sure it is that a value is a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// Its name or shape says so.
    Strong,
    /// It stands where secrets are, among others: a cookie.
    Weak,
}

/// What a text is, so far as it says where its secrets are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind<'a> {
    /// A URL.
    Url,
    /// The value of a header of this name.
    Header(&'a str),
    /// An urlencoded form.
    Form,
    /// A multipart form with this boundary.
    Multipart(&'a str),
    /// JSON, XML, a line of a log, or what a client sent: every value of a secret's name counts.
    Data,
    /// Pages, scripts, messages: a value counts when it looks like a secret too.
    Text,
}

/// How a text is searched.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules<'a> {
    /// Values that are secrets wherever they stand.
    pub needles: Option<&'a Needles>,
    /// What is found is taken out for good: rather too much than too little.
    pub is_strict: bool,
}

/// A secret in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Its bytes.
    pub range: Range<usize>,
    /// What they mean.
    pub value: String,
    /// How sure it is.
    pub grade: Grade,
    /// What has to stand on both sides of what takes its place, because the secret is a value of JSON without quotes.
    pub quotes: String,
}

/// What was found in a text.
#[derive(Debug, Default)]
pub struct FoundSecrets {
    /// Secrets in their places, in order, none inside of another.
    pub spots: Vec<Spot>,
    /// Secrets inside of these that may stand elsewhere by themselves: the password in a `Basic` login.
    pub inside: Vec<(String, Grade)>,
}

/// Finds the secrets of a text. O(length): a text that was made to take more is a secret as a whole.
pub fn find(bytes: &[u8], kind: TextKind<'_>, rules: Rules<'_>) -> FoundSecrets {
    let limits = Limits::for_length(bytes.len());
    let is_data = rules.is_strict || !matches!(kind, TextKind::Text);
    let mut finder = Finder::new(bytes, rules, is_data, 0, &limits);
    finder.search(kind);
    if !limits.are_spent() {
        return finder.finish();
    }
    let is_json = matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'['));
    let value = String::from_utf8_lossy(bytes).into_owned();
    let quotes = if is_json { "\"" } else { "" }.to_owned();
    FoundSecrets {
        spots: vec![Spot { range: 0..bytes.len(), value, grade: Grade::Strong, quotes }],
        inside: Vec::new(),
    }
}

/// JSON Web Tokens, signed (RFC 7515) or encrypted (RFC 7516); private keys (RFC 7468); keys that services give out with a
/// beginning of their own.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    let part = "[A-Za-z0-9_=-]";
    let web = format!(r"eyJ{part}*\.eyJ{part}*(?:\.{part}*)?|eyJ{part}{{6,}}(?:\.{part}*){{2,4}}");
    let pem = "-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\\\\\\sn]*(?:-----END [A-Z ]*PRIVATE KEY-----)?";
    let keys = r"\bgh[opsur]_[A-Za-z0-9]{20,}|\b[rs]k_live_[A-Za-z0-9]{16,}|\bAKIA[0-9A-Z]{16}\b|\bxox[abprs]-[A-Za-z0-9-]{10,}";
    expression(&format!("{web}|{pem}|{keys}"))
});
/// Credentials behind the word for their scheme.
static SCHEME: LazyLock<Regex> =
    LazyLock::new(|| expression(r"\b(?i:bearer|basic|token)(?:\s|%20|\+)+([A-Za-z0-9._~+/-]{16,}=*)"));
/// User and password in front of a host.
static USER: LazyLock<Regex> = LazyLock::new(|| {
    let slashes = r#"(?:(?::|%3[Aa])(?:\\?/|%2[Ff]){2}|(?:^|[^A-Za-z0-9/._~%:-])//)"#;
    expression(&format!(r#"{slashes}([^/\s:"'<>\\?#&]*)(?::([^/\s"'<>\\?#]*))?@"#))
});

fn expression(text: &str) -> Regex {
    Regex::new(&format!("(?-u){text}")).expect("a valid expression")
}

/// Whether a text may have secrets that are known by their shape.
pub(crate) fn has_shape(bytes: &[u8]) -> bool {
    TOKEN.is_match(bytes) || SCHEME.is_match(bytes) || !cards::find(bytes).is_empty() || USER.is_match(bytes)
}

/// What some programs of Windows write before UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Whether a text is an urlencoded form: no blank, and a name before the first `=`.
fn is_form(bytes: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-[]%+".contains(byte);
    memchr::memchr(b'=', bytes).is_some_and(|at| at > 0 && bytes[..at].iter().all(is_name))
        && !bytes.trim_ascii_end().iter().any(u8::is_ascii_whitespace)
}

/// Whether what follows belongs to an escape of JSON: a sign behind a backslash, a digit behind `\u`.
fn cuts_escape(before: &[u8]) -> bool {
    let digits = before.iter().rev().take(3).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let is_open = |before: &[u8]| {
        let slashes = before.iter().rev().take_while(|byte| **byte == b'\\').count();
        !slashes.is_multiple_of(2)
    };
    let of_code = |digits: usize| before[..before.len() - digits].strip_suffix(b"u").is_some_and(is_open);
    is_open(before) || (0..=digits).any(of_code)
}

struct Finder<'a> {
    bytes: &'a [u8],
    rules: Rules<'a>,
    /// Every value of a secret's name counts.
    is_data: bool,
    depth: usize,
    limits: &'a Limits,
    /// Values of JSON without quotes, in order.
    bare: Vec<Range<usize>>,
    /// Where the text stops to be JSON.
    json_end: usize,
    /// Where the path of a URL ends.
    path_end: usize,
    /// Up to where values of parameters were searched as texts of their own.
    read_to: usize,
    found: FoundSecrets,
}

impl<'a> Finder<'a> {
    fn new(bytes: &'a [u8], rules: Rules<'a>, is_data: bool, depth: usize, limits: &'a Limits) -> Self {
        let (bare, found) = Default::default();
        Self { bytes, rules, is_data, depth, limits, bare, json_end: 0, path_end: 0, read_to: 0, found }
    }

    fn search(&mut self, kind: TextKind<'_>) {
        match kind {
            TextKind::Url => self.url(),
            TextKind::Header(name) => heads::header(self, &name.to_ascii_lowercase()),
            TextKind::Form => self.parameters(0..self.bytes.len()),
            TextKind::Multipart(boundary) => heads::multipart(self, boundary),
            TextKind::Data | TextKind::Text => {}
        }
        self.text(kind);
        self.known();
    }

    /// Puts the spots in order. Those that overlap become one.
    fn finish(mut self) -> FoundSecrets {
        let bytes = self.bytes;
        let is_text = |range: &Range<usize>| std::str::from_utf8(&bytes[range.clone()]).is_ok();
        let mut spots = std::mem::take(&mut self.found.spots);
        // What comes back is kept as text. What goes for good need not be one.
        spots.retain(|spot| self.rules.is_strict || is_text(&spot.range));
        spots.sort_by_key(|spot| (spot.range.start, usize::MAX - spot.range.end));
        let mut kept: Vec<Spot> = Vec::with_capacity(spots.len());
        for spot in spots {
            let Some(last) = kept.last_mut().filter(|last| spot.range.start < last.range.end) else {
                kept.push(spot);
                continue;
            };
            if spot.range == last.range && last.quotes.is_empty() {
                last.quotes = spot.quotes;
            }
            let more = last.range.end..spot.range.end.max(last.range.end);
            if more.is_empty() || self.rules.is_strict || is_text(&more) {
                last.range.end = more.end;
            }
            self.found.inside.push((spot.value, spot.grade));
        }
        self.found.spots = kept;
        self.found
    }

    fn add(&mut self, range: Range<usize>, coding: Coding, grade: Grade) {
        self.put(range, coding, grade, "");
    }

    fn put(&mut self, range: Range<usize>, coding: Coding, grade: Grade, quotes: &str) {
        let written = &self.bytes[range.clone()];
        // What holds a placeholder was searched before, perhaps as another kind of text.
        let was_searched = match self.rules.is_strict {
            true => is_placeholder(written) || written == MASK.as_bytes(),
            false => memchr::memmem::find_iter(written, PLACEHOLDER_PREFIX)
                .any(|at| placeholder_at(&written[at..]).is_some()),
        };
        if !written.is_empty() && !was_searched {
            let value = coding.text(written);
            self.found.spots.push(Spot { range, value, grade, quotes: quotes.to_owned() });
        }
    }

    /// What any text may hold.
    fn text(&mut self, kind: TextKind<'_>) {
        let mark = if self.bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        let start = mark + self.bytes[mark..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if matches!(self.bytes.get(start), Some(b'{' | b'[')) {
            self.json_end = self.json(start);
            if self.json_end < self.bytes.len() {
                self.nested(self.json_end..self.bytes.len(), Coding::Raw, TextKind::Data);
            }
            return;
        }
        let inner = if self.rules.is_strict && kind == TextKind::Data { TextKind::Data } else { TextKind::Text };
        if self.rules.is_strict {
            self.labels(inner == TextKind::Data);
            if inner == TextKind::Data && is_form(self.bytes) {
                self.parameters(0..self.bytes.len());
            }
        }
        self.pairs();
        markup::markup(self);
        self.shapes();
        // What is written in another way as a whole: JSON in a script, markup in markup, a form in a URL.
        let has = |signs: &[&[u8]]| signs.iter().any(|sign| memchr::memmem::find(self.bytes, sign).is_some());
        let (is_json, is_html) = (has(&[b"\\"]), has(&[b"&quot;", b"&#"]));
        let is_percent = has(&[b"%22", b"%3D", b"%3d", b"%3A", b"%3a"]);
        for (is_written, coding) in [(is_json, Coding::Json), (is_html, Coding::Html), (is_percent, Coding::Percent)] {
            if is_written {
                self.nested(0..self.bytes.len(), coding, inner);
            }
        }
    }

    /// Values that are secrets wherever they stand.
    fn known(&mut self) {
        let Some(needles) = self.rules.needles else { return };
        let mut from = 0;
        while let Some((at, length)) = needles.next(self.bytes, from) {
            from = at + length;
            if at < self.json_end && cuts_escape(&self.bytes[..at]) {
                from = at + 1;
                continue;
            }
            let next = self.bare.partition_point(|bare| bare.end <= at);
            match self.bare.get(next).filter(|bare| bare.start < from).cloned() {
                Some(bare) => self.put(bare, Coding::Raw, Grade::Strong, "\""),
                None => self.add(at..from, Coding::Raw, Grade::Strong),
            }
        }
    }

    /// Searches a part of the text as what it means.
    fn nested(&mut self, range: Range<usize>, coding: Coding, kind: TextKind<'_>) {
        let written = &self.bytes[range.clone()];
        if self.depth == DEPTH_MAX || !self.limits.enter(written.len()) {
            return;
        }
        let plain = coding.plain(written);
        if plain.bytes == written && coding != Coding::Raw && range.len() == self.bytes.len() {
            return;
        }
        let mut inner = Finder::new(&plain.bytes, self.rules, self.is_data, self.depth + 1, self.limits);
        let is_url = [b"http://".as_slice(), b"https://"].iter().any(|scheme| plain.bytes.starts_with(scheme))
            && !plain.bytes.iter().any(u8::is_ascii_whitespace);
        inner.search(if is_url { TextKind::Url } else { kind });
        let FoundSecrets { spots, inside } = inner.finish();
        self.found.inside.extend(inside);
        for spot in spots {
            let written = plain.written(&spot.range);
            let written = range.start + written.start..range.start + written.end;
            self.found.spots.push(Spot { range: written, quotes: coding.quotes(&spot.quotes), ..spot });
        }
    }

    /// Whether values of this name are secrets.
    fn is_secret(&self, name: &str) -> bool {
        if name.contains(PLACEHOLDER_PREFIX) {
            // A placeholder inside of a name does not make it a secret's.
            return is_secret_name(&name.replace(PLACEHOLDER_PREFIX, ""));
        }
        is_secret_name(name) || (self.rules.is_strict && is_secret_header(name))
    }

    /// A value by the name that it has; whether it is a secret.
    fn named(&mut self, name: &str, range: Range<usize>, coding: Coding) -> bool {
        if range.is_empty() || (range.len() > VALUE_BYTES_MAX && !self.rules.is_strict) {
            return false;
        }
        if !self.limits.spend(range.len()) {
            return false;
        }
        let value = coding.text(&self.bytes[range.clone()]);
        let is_random = looks_random(&value);
        if self.is_secret(name) && !is_plain(&value) && !is_count(name, &value) {
            let is_about = is_about(name) && !(self.rules.is_strict && is_random);
            if is_about || !(self.is_data || is_random) {
                return false;
            }
            let is_weak = name.to_ascii_lowercase().contains("session") && !is_random;
            self.add(range, coding, if is_weak { Grade::Weak } else { Grade::Strong });
            return true;
        }
        let is_parameter = is_parameter(name) && is_random;
        if is_parameter {
            self.add(range, coding, Grade::Weak);
        }
        is_parameter
    }

    /// Tokens and card numbers, which are known by their shape.
    fn shapes(&mut self) {
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
            let (user, password) =
                (found.get(1).map(|user| user.range()), found.get(2).map(|password| password.range()));
            let both = user.clone().zip(password.clone()).map(|(user, password)| user.start..password.end);
            match both.filter(|_| self.rules.is_strict) {
                Some(both) => self.add(both, Coding::Percent, Grade::Strong),
                None => [user, password]
                    .into_iter()
                    .flatten()
                    .for_each(|part| self.add(part, Coding::Percent, Grade::Strong)),
            }
        }
        for range in cards::find(self.bytes) {
            self.add(range, Coding::Raw, Grade::Strong);
        }
    }

    fn url(&mut self) {
        let bytes = self.bytes;
        let end = memchr::memchr(b'#', bytes).unwrap_or(bytes.len());
        let path_end = memchr::memchr(b'?', &bytes[..end]).unwrap_or(end);
        self.path_end = path_end;
        let start = memchr::memmem::find(&bytes[..path_end], b"://").map_or(0, |at| at + 3);
        let mut before = String::new();
        let mut at = start;
        for segment in bytes[start..path_end].split(|byte| *byte == b'/') {
            let range = at..at + segment.len();
            at = range.end + 1;
            let text = String::from_utf8_lossy(segment).into_owned();
            // `/reset-password/4f0c..`: what stands behind a secret's name and looks like one.
            if range.start > start && self.is_secret(&before) && looks_random(&text) {
                self.add(range.clone(), Coding::Percent, Grade::Strong);
            }
            if let Some(matrix) = memchr::memchr(b';', segment) {
                self.parameters(range.start + matrix + 1..range.end);
            }
            before = text;
        }
        if path_end < end {
            self.parameters(path_end + 1..end);
        }
        if end < bytes.len() {
            self.parameters(end + 1..bytes.len());
        }
    }

    /// Pairs of a query or form.
    fn parameters(&mut self, range: Range<usize>) {
        let has_code = has_code(&self.bytes[range.clone()]);
        let mut start = range.start;
        while start < range.end {
            let end = start + pair_length(&self.bytes[start..range.end]);
            if let Some(at) = memchr::memchr(b'=', &self.bytes[start..end]) {
                let name = Coding::Percent.text(&self.bytes[start..start + at]);
                self.parameter(&name, start + at + 1..end, has_code);
            }
            start = end + 1;
        }
    }

    /// A pair of a query or form; `has_code` says that its neighbors are those of a code of OAuth.
    fn parameter(&mut self, name: &str, value: Range<usize>, has_code: bool) {
        if has_code && name.eq_ignore_ascii_case("code") {
            self.add(value, Coding::Percent, Grade::Weak);
        } else if !self.named(name, value.clone(), Coding::Percent)
            && self.read_to < value.end
            && self.bytes[value.clone()].iter().any(|byte| b"%=:\"'<".contains(byte))
        {
            self.read_to = value.end;
            self.nested(value, Coding::Percent, TextKind::Text);
        }
    }
}

/// Length of the pair that a query begins with. A `;` ends it only in front of another pair.
fn pair_length(query: &[u8]) -> usize {
    let mut end = 0;
    loop {
        end += memchr::memchr2(b'&', b';', &query[end..]).unwrap_or(query.len() - end);
        if query.get(end) != Some(&b';') {
            return end;
        }
        let next = &query[end + 1..];
        let next = &next[..memchr::memchr2(b'&', b';', next).unwrap_or(next.len())];
        if next.contains(&b'=') {
            return end;
        }
        end += 1;
    }
}
