//! Values that the client made: instants, UUIDs, random texts. Told by their shape, and by their name where the shape is
//! that of an identifier of something that exists.

use std::ops::Range;

use nmax_extract::values::for_each_word;

use super::names;
use super::weight::{Weight, is_number, weight};
use crate::parts::ValueLocation;

/// How far an instant may be from that of the sending, in seconds.
const CLOCK_S: i64 = 600;
/// Longest random text that is made.
const TEXT_BYTES_MAX: usize = 256;

/// Words of names whose values are made anew each time.
const FRESH: [&str; 36] = [
    "nonce", "rand", "random", "rnd", "cb", "cachebuster", "cachebust", "buster", "nocache", "request", "requestid",
    "correlation", "trace", "traceid", "span", "idempotency", "event", "message", "operation", "transaction",
    "visitor", "device", "session", "client", "page", "view", "tab", "uuid", "guid", "mutation", "state", "r", "z",
    "t", "ts", "salt",
];
/// Words of names whose values identify what exists already.
const EXISTING: [&str; 14] = [
    "api", "app", "tenant", "org", "organization", "organisation", "account", "product", "item", "user", "customer",
    "category", "site", "shop",
];
/// Words of names whose values a person types, or that belong together with others.
const TYPED: [&str; 16] = [
    "password", "passwd", "pwd", "pass", "pin", "otp", "email", "mail", "phone", "card", "iban", "username", "login",
    "verifier", "challenge", "secret",
];

/// What makes a value, and how it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Made {
    /// Bytes of the part's value that are made.
    pub span: Range<usize>,
    /// The template.
    pub template: String,
    /// What it is, in words.
    pub what: &'static str,
}

/// Where a value stands and when it was sent.
pub(super) struct Sent<'a> {
    pub place: &'a ValueLocation,
    /// As the request calls it.
    pub name: &'a str,
    /// The request makes something: POST, PUT or PATCH.
    pub creates: bool,
    /// When, in µs since 1970.
    pub at_us: i64,
    /// Whether a second recording sends another value there; `None` when that is not known.
    pub varies: Option<bool>,
}

/// What a value is made of, if the client made it: the whole, or its first word that is made.
pub(super) fn made(value: &str, sent: &Sent<'_>) -> Option<Made> {
    let is_typed = names::split_words(sent.name).iter().any(|word| TYPED.contains(&word.as_str()));
    if sent.varies == Some(false) || is_typed || value.len() > 4_096 {
        return None;
    }
    if let Some((template, what)) = piece(value, sent) {
        return Some(Made { span: 0..value.len(), template, what });
    }
    let mut found = None;
    for_each_word(value, |span| {
        if found.is_none()
            && let Some((template, what)) = piece(&value[span.clone()], sent)
        {
            found = Some(Made { span, template, what });
        }
    });
    found
}

fn piece(text: &str, sent: &Sent<'_>) -> Option<(String, &'static str)> {
    if let Some(found) = instant(text, sent.at_us) {
        return Some(found);
    }
    if is_trace_parent(text) {
        let flags = &text[text.len() - 2..];
        let template = format!("00-${{random_hex(32)}}-${{random_hex(16)}}-{flags}");
        return Some((template, "a trace context"));
    }
    if is_random_fraction(text) {
        let template = "0.${random(1000000000000000, 9999999999999999)}";
        return Some((template.to_owned(), "a random fraction"));
    }
    if is_uuid(text) && may_be_made(sent) {
        return Some(("${uuid()}".to_owned(), "a UUID"));
    }
    if weight(text) >= Weight::Medium && text.len() <= TEXT_BYTES_MAX && is_fresh(sent.name) && !is_number(text) {
        let all = |test: fn(&u8) -> bool| text.as_bytes().iter().all(test);
        if all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte)) {
            return Some((format!("${{random_hex({})}}", text.len()), "random hexadecimal digits"));
        }
        if all(u8::is_ascii_alphanumeric) {
            return Some((format!("${{random_text({})}}", text.len()), "a random text"));
        }
    }
    None
}

/// Wall time near the sending: seconds or milliseconds since 1970, or ISO 8601 in UTC with milliseconds.
fn instant(text: &str, at_us: i64) -> Option<(String, &'static str)> {
    let is_near = |s: i64| (s - at_us / 1_000_000).abs() <= CLOCK_S;
    if is_number(text) {
        let number: i64 = text.parse().ok()?;
        return match text.len() {
            10 if is_near(number) => Some(("${now()}".to_owned(), "a time in s")),
            13 if is_near(number / 1_000) => Some(("${now('ms')}".to_owned(), "a time in ms")),
            _ => None,
        };
    }
    let has_shape =
        text.len() == "2026-01-31T12:00:05.123Z".len() && text.ends_with('Z') && text.as_bytes()[10] == b'T';
    let at: jiff::Timestamp = text.parse().ok().filter(|_| has_shape)?;
    is_near(at.as_second()).then(|| ("${now('iso')}".to_owned(), "a time as ISO 8601"))
}

/// W3C trace context, version 00.
fn is_trace_parent(text: &str) -> bool {
    let is_hex = |part: &str, length: usize| part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut parts = text.split('-');
    let mut next = |length| parts.next().is_some_and(|part| is_hex(part, length));
    text.starts_with("00-") && next(2) && next(32) && next(16) && next(2) && parts.next().is_none()
}

/// As `Math.random()` is written.
fn is_random_fraction(text: &str) -> bool {
    text.strip_prefix("0.").is_some_and(|digits| digits.len() >= 12 && is_number(digits))
}

/// RFC 9562, versions 1 to 8.
/// A UUID of one of the versions that exist.
fn is_uuid(text: &str) -> bool {
    nmax_text::is_uuid(text.as_bytes()) && (b'1'..=b'8').contains(&text.as_bytes()[14])
}

fn is_fresh(name: &str) -> bool {
    let words = names::split_words(name);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    name == "_" || (has(&FRESH) && !has(&EXISTING))
}

/// Whether a UUID there can be a new one: not the name of something that exists.
fn may_be_made(sent: &Sent<'_>) -> bool {
    let words = names::split_words(sent.name);
    match sent.place {
        ValueLocation::Segment(_) | ValueLocation::Target => false,
        _ if sent.varies == Some(true) => true,
        ValueLocation::Header(_) => !words.iter().any(|word| EXISTING.contains(&word.as_str())),
        // The client names what it makes.
        ValueLocation::Json(pointer) if sent.creates && matches!(pointer.as_str(), "/id" | "/uuid") => true,
        _ => is_fresh(sent.name) && words != ["client", "id"],
    }
}
