//! Encodings between what a reply says and what a request sends, each with the function of a plan that makes it.

use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE, BASE64_URL_SAFE_NO_PAD, Engine as _};
use nmax_text::percent;
use serde_json::Value;

/// Shortest text that is taken for base64, in bytes.
const BASE64_BYTES_MIN: usize = 8;
/// Longest text that is decoded, in bytes.
const BYTES_MAX: usize = 16_384;
/// Most claims of a token that are looked at.
const CLAIMS_MAX: usize = 32;

/// How a text is made of another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Coding {
    /// It is the same.
    Same,
    /// Percent-encoding undone.
    UrlDecode,
    /// Escapes of a JSON string undone.
    JsonDecode,
    /// A claim of a JSON Web Token.
    Claim(String),
    /// Base64 undone.
    Base64Decode,
    /// Percent-encoded.
    Url,
    /// Base64.
    Base64,
    /// Base64 for URLs.
    Base64Url,
    /// Character references.
    Html,
}

impl Coding {
    /// As it is written around an expression.
    pub(super) fn around(&self, inner: &str) -> String {
        match self {
            Self::Same => inner.to_owned(),
            Self::UrlDecode => format!("url_decode({inner})"),
            Self::JsonDecode => format!("json_decode({inner})"),
            Self::Claim(name) => {
                let name = name.replace('\\', "\\\\").replace('\'', "\\'");
                format!("jwt_claim({inner}, '{name}')")
            }
            Self::Base64Decode => format!("base64_decode({inner})"),
            Self::Url => format!("url({inner})"),
            Self::Base64 => format!("base64({inner})"),
            Self::Base64Url => format!("base64url({inner})"),
            Self::Html => format!("html({inner})"),
        }
    }

    /// What it makes of a text.
    pub(super) fn apply(&self, text: &str) -> Option<String> {
        match self {
            Self::Same => Some(text.to_owned()),
            Self::UrlDecode => percent::decode_exact(text),
            Self::JsonDecode => json_decode(text),
            Self::Claim(name) => claims(text)?.into_iter().find(|(found, _)| found == name).map(|(_, value)| value),
            Self::Base64Decode => base64_decode(text),
            Self::Url => Some(percent::encode(text)),
            Self::Base64 => Some(BASE64_STANDARD.encode(text)),
            Self::Base64Url => Some(BASE64_URL_SAFE_NO_PAD.encode(text)),
            Self::Html => Some(html_encode(text)),
        }
    }

    /// In words, for evidence; empty when nothing is done.
    pub(super) fn told(&self) -> String {
        match self {
            Self::Same => String::new(),
            Self::UrlDecode => "percent-decoded".into(),
            Self::JsonDecode => "with escapes of JSON undone".into(),
            Self::Claim(name) => format!("claim {name} of the token"),
            Self::Base64Decode => "decoded from base64".into(),
            Self::Url => "percent-encoded once more".into(),
            Self::Base64 => "as base64".into(),
            Self::Base64Url => "as base64url".into(),
            Self::Html => "with character references".into(),
        }
    }
}

/// What a text of a reply may stand for, itself first.
pub(super) fn meanings(text: &str) -> Vec<(Coding, String)> {
    let mut all = vec![(Coding::Same, text.to_owned())];
    if text.len() > BYTES_MAX {
        return all;
    }
    let mut add = |coding: Coding, made: Option<String>| {
        all.extend(made.filter(|made| made != text && !made.is_empty()).map(|made| (coding, made)));
    };
    if text.contains('%') {
        add(Coding::UrlDecode, percent::decode_exact(text));
    }
    if text.contains('\\') {
        add(Coding::JsonDecode, json_decode(text));
    }
    for (name, value) in claims(text).unwrap_or_default() {
        add(Coding::Claim(name), Some(value));
    }
    if !text.contains('.') {
        add(Coding::Base64Decode, base64_decode(text));
    }
    all
}

/// What a text of a request may have been made of, itself first.
pub(super) fn origins(text: &str) -> Vec<(Coding, String)> {
    let mut all = vec![(Coding::Same, text.to_owned())];
    if text.len() > BYTES_MAX {
        return all;
    }
    if text.contains('%') {
        let plain = percent::decode_exact(text).filter(|plain| plain != text);
        all.extend(plain.map(|plain| (Coding::Url, plain)));
    }
    if text.contains('&') && text.contains(';') {
        let plain = html_decode(text);
        if html_encode(&plain) == text && plain != text {
            all.push((Coding::Html, plain));
        }
    }
    if let Some(plain) = base64_decode(text) {
        for coding in [Coding::Base64, Coding::Base64Url] {
            if coding.apply(&plain).as_deref() == Some(text) {
                all.push((coding, plain));
                break;
            }
        }
    }
    all
}

/// The text behind base64 of either alphabet, if it is one that a person or program may have written.
fn base64_decode(text: &str) -> Option<String> {
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_=".contains(&byte);
    if text.len() < BASE64_BYTES_MIN || text.len() > BYTES_MAX || !text.bytes().all(is_base64) {
        return None;
    }
    let bytes = [
        BASE64_STANDARD.decode(text),
        BASE64_STANDARD_NO_PAD.decode(text),
        BASE64_URL_SAFE.decode(text),
        BASE64_URL_SAFE_NO_PAD.decode(text),
    ]
    .into_iter()
    .find_map(Result::ok)?;
    let plain = String::from_utf8(bytes).ok()?;
    (!plain.contains(char::is_control)).then_some(plain)
}

fn json_decode(inside: &str) -> Option<String> {
    serde_json::from_str(&format!("\"{inside}\"")).ok()
}

/// Claims of a JSON Web Token (RFC 7519) that are texts or numbers.
fn claims(token: &str) -> Option<Vec<(String, String)>> {
    let mut parts = token.split('.');
    let (header, claims, signature) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || !header.starts_with("ey") || !claims.starts_with("ey") || signature.is_empty() {
        return None;
    }
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(claims).ok()?;
    let Ok(Value::Object(map)) = serde_json::from_slice(&bytes) else {
        return None;
    };
    let claim = |(name, value)| match value {
        Value::String(text) => Some((name, text)),
        Value::Number(number) => Some((name, number.to_string())),
        _ => None,
    };
    Some(map.into_iter().filter_map(claim).take(CLAIMS_MAX).collect())
}

const REFERENCES: [(char, &str); 5] = [('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;"), ('\'', "&#39;")];

fn html_encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match REFERENCES.iter().find(|(plain, _)| *plain == c) {
            Some((_, reference)) => out.push_str(reference),
            None => out.push(c),
        }
    }
    out
}

fn html_decode(text: &str) -> String {
    // The ampersand last, so that `&amp;lt;` is `&lt;`.
    REFERENCES
        .iter()
        .rev()
        .fold(text.to_owned(), |text, (plain, reference)| text.replace(reference, &plain.to_string()))
}
