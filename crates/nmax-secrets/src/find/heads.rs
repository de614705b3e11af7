//! Values of headers, and the parts of multipart forms.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use super::{Finder, Grade, TextKind};
use crate::coding::Coding;
use crate::multipart;
use crate::names::{is_secret_header, is_secret_name};

/// Beginnings of headers that hold words about headers.
const ABOUT_HEADERS: [&str; 3] = ["access-control-", "sec-", "content-security-policy"];

/// Words in front of credentials (IANA, HTTP Authentication Scheme Registry, and some of clouds).
const SCHEMES: [&str; 18] = [
    "basic", "bearer", "concealed", "digest", "dpop", "gnap", "hoba", "mutual", "negotiate", "ntlm", "oauth",
    "privatetoken", "scram-sha-1", "scram-sha-256", "vapid", "token", "apikey", "aws4-hmac-sha256",
];

pub(super) fn header(finder: &mut Finder<'_>, name: &str) {
    match name {
        "cookie" => cookies(finder),
        "set-cookie" => set_cookies(finder),
        "authorization" | "proxy-authorization" => authorization(finder),
        "www-authenticate" | "proxy-authenticate" => challenges(finder),
        "location" | "referer" | "content-location" | "origin" => finder.url(),
        "refresh" => {
            let at = memchr::memchr(b'=', finder.bytes).map_or(0, |at| at + 1);
            finder.nested(at..finder.bytes.len(), Coding::Raw, TextKind::Url);
        }
        _ => {
            if !ABOUT_HEADERS.iter().any(|prefix| name.starts_with(prefix)) && is_secret_header(name) {
                finder.add(0..finder.bytes.len(), Coding::Raw, Grade::Strong);
            }
        }
    }
}

/// A cookie and its attributes; recordings join several by line ends, or by commas.
fn set_cookies(finder: &mut Finder<'_>) {
    let bytes = finder.bytes;
    let joins = |at: &usize| {
        let next = bytes[at + 1..].trim_ascii_start();
        let length = next.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(byte)).count();
        bytes[*at] == b'\n' || (length > 0 && next.get(length) == Some(&b'='))
    };
    let mut start = 0;
    for end in memchr::memchr2_iter(b'\n', b',', bytes).filter(joins).chain([bytes.len()]) {
        cookie(finder, start..start + memchr::memchr(b';', &bytes[start..end]).unwrap_or(end - start));
        start = end + 1;
    }
}

fn cookies(finder: &mut Finder<'_>) {
    let mut start = 0;
    while start <= finder.bytes.len() {
        let rest = &finder.bytes[start..];
        let end = start + memchr::memchr(b';', rest).unwrap_or(rest.len());
        cookie(finder, start..end);
        start = end + 1;
    }
}

/// A cookie: its value is a secret, whatever its name.
fn cookie(finder: &mut Finder<'_>, range: Range<usize>) {
    let equals = memchr::memchr(b'=', &finder.bytes[range.clone()]);
    if equals.is_none() && !finder.rules.is_strict {
        return;
    }
    let value_at = equals.map_or(range.start, |at| range.start + at + 1);
    let name = String::from_utf8_lossy(&finder.bytes[range.start..value_at]).trim_matches([' ', '=']).to_owned();
    let blank = |byte: &&u8| byte.is_ascii_whitespace() || **byte == b'"';
    let value = &finder.bytes[value_at..range.end];
    let start = value_at + value.iter().take_while(blank).count();
    let end = (range.end - value.iter().rev().take_while(blank).count()).max(start);
    if memchr::memchr(b'%', &finder.bytes[start..end]).is_some() {
        finder.nested(start..end, Coding::Percent, TextKind::Text);
    }
    let grade = if is_secret_name(&name) { Grade::Strong } else { Grade::Weak };
    finder.add(start..end, Coding::Percent, grade);
}

/// `Basic dTpw`, `Bearer ..`: the scheme may be seen, what follows may not.
fn authorization(finder: &mut Finder<'_>) {
    let value = finder.bytes;
    let scheme = memchr::memchr(b' ', value).filter(|at| {
        let is_known = |known: &str| known.as_bytes().eq_ignore_ascii_case(&value[..*at]);
        !finder.rules.is_strict || SCHEMES.iter().any(|known| is_known(known))
    });
    let start = scheme.map_or(0, |at| at + 1);
    if let Ok(token) = std::str::from_utf8(&value[start..]) {
        let token = token.trim().trim_end_matches('=');
        let login = STANDARD_NO_PAD.decode(token).or_else(|_| URL_SAFE_NO_PAD.decode(token)).ok();
        let login = login.and_then(|login| String::from_utf8(login).ok());
        let is_basic = value.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"basic "));
        if let Some((_, password)) = login.as_deref().filter(|_| is_basic).and_then(|login| login.split_once(':')) {
            finder.found.inside.push((password.to_owned(), Grade::Strong));
        }
    }
    finder.add(start..value.len(), Coding::Raw, Grade::Strong);
}

/// Tokens of challenges that stand without a name: `Negotiate oYG2..`. Those with one are pairs.
fn challenges(finder: &mut Finder<'_>) {
    let mut start = 0;
    let mut is_quoted = false;
    for at in 0..=finder.bytes.len() {
        match finder.bytes.get(at) {
            Some(b'"') => is_quoted = !is_quoted,
            Some(b',') if !is_quoted => {
                challenge(finder, start..at);
                start = at + 1;
            }
            None => challenge(finder, start..at),
            Some(_) => {}
        }
    }
}

fn challenge(finder: &mut Finder<'_>, range: Range<usize>) {
    let part = &finder.bytes[range.clone()];
    let blanks = part.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let Some(scheme) = memchr::memchr(b' ', &part[blanks..]) else { return };
    let token = part[blanks + scheme + 1..].trim_ascii_end();
    let start = range.start + blanks + scheme + 1;
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~+/".contains(byte);
    let padding = token.iter().rev().take_while(|byte| **byte == b'=').count();
    if token[..token.len() - padding].iter().all(is_token) {
        finder.add(start..start + token.len(), Coding::Raw, Grade::Strong);
    }
}

pub(super) fn multipart(finder: &mut Finder<'_>, boundary: &str) {
    for part in multipart::parts(finder.bytes, boundary) {
        if finder.named(&part.name, part.content.clone(), Coding::Raw) {
            continue;
        }
        let kind = match part.kind.as_str() {
            "application/x-www-form-urlencoded" => TextKind::Form,
            _ => TextKind::Text,
        };
        finder.nested(part.content, Coding::Raw, kind);
    }
}
