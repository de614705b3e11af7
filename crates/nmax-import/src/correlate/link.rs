//! References and where they lead; which parts of a URL change from visit to visit.

use nmax_text::percent;

use super::names;
use super::weight::{Weight, is_number, is_year, weight};
use crate::parts::{self, split, without_dots};

/// The absolute URL behind a reference (RFC 3986, 5.2), in the form in which [`normal`] gives URLs; `None` for one that no
/// host has, such as `mailto:ann@shop.test`.
pub(super) fn resolve(base: &str, reference: &str) -> Option<String> {
    let url = parts::resolve(base, reference);
    url.contains("://").then(|| normal(&url))
}

/// A URL in one form: no fragment, no default port, no dots in its path, blanks and letters beyond ASCII encoded.
pub(super) fn normal(url: &str) -> String {
    let target = split(url);
    let origin = target.origin.to_ascii_lowercase();
    let port = match &*target.scheme.to_ascii_lowercase() {
        "http" => ":80",
        "https" => ":443",
        _ => "\0",
    };
    let query = target.query.map(|query| format!("?{query}")).unwrap_or_default();
    let written = format!("{}{query}", without_dots(target.path));
    let sent = percent::encode_but(written.as_bytes(), |byte| byte.is_ascii_graphic() && !b"\"<>".contains(&byte));
    format!("{}{sent}", origin.strip_suffix(port).unwrap_or(&origin))
}

/// A part of a URL that is another for another user or visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Changing {
    /// Its value, decoded.
    pub value: String,
    /// What it belongs to: the segment before it, or the parameter's name.
    pub name: String,
}

/// The parts of a URL that change from visit to visit, as far as they show it.
pub(super) fn changing(url: &str) -> Vec<Changing> {
    let target = split(url);
    let mut found = Vec::new();
    let mut before = "";
    let mut is_date = false;
    for segment in target.segments() {
        let value = percent::decode_exact(segment).unwrap_or_else(|| segment.to_owned());
        // 2026/01/31 in a path is the date of an article.
        is_date = is_year(&value) || (is_date && value.len() <= 2 && is_number(&value));
        if !is_date && (is_number(&value) || weight(&value) >= Weight::Weak) {
            found.push(Changing { value, name: before.to_owned() });
        } else {
            before = segment;
        }
    }
    for (name, value) in target.pairs().filter_map(|pair| pair.decoded()) {
        let is_id = is_number(&value) && !is_year(&value) && !names::measures(&name);
        if is_id || weight(&value) >= Weight::Medium || (weight(&value) == Weight::Weak && !names::measures(&name)) {
            found.push(Changing { value, name });
        }
    }
    found
}
