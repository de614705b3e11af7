//! References and where they lead; which parts of a URL change from visit to visit.

use super::names;
use super::weight::{Weight, is_number, is_year, weight};
use crate::parts::{percent_decode, split};

/// The absolute URL behind a reference (RFC 3986, 5.2), in the form in which [`normal`] gives URLs.
pub(super) fn resolve(base: &str, reference: &str) -> Option<String> {
    let reference = reference.trim();
    let reference = reference.split_once('#').map_or(reference, |(url, _)| url);
    let scheme_end = reference.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
    if scheme_end.is_some_and(|at| at > 0 && reference[at..].starts_with(':')) {
        return reference.contains("://").then(|| normal(reference));
    }
    let base = split(base);
    let absolute = if let Some(rest) = reference.strip_prefix("//") {
        format!("{}://{rest}", base.origin.split("://").next().unwrap_or_default())
    } else if reference.starts_with('/') {
        format!("{}{reference}", base.origin)
    } else if reference.starts_with('?') {
        format!("{}{}{reference}", base.origin, base.path)
    } else if reference.is_empty() {
        format!("{}{}", base.origin, base.path_and_query)
    } else {
        let folder = &base.path[..base.path.rfind('/').map_or(0, |at| at + 1)];
        format!("{}{folder}{reference}", base.origin)
    };
    Some(normal(&absolute))
}

/// A URL in one form: no fragment, no default port, no dots in its path, blanks and letters beyond ASCII encoded.
pub(super) fn normal(url: &str) -> String {
    let target = split(url);
    let origin = target.origin.to_ascii_lowercase();
    let port = match origin.split("://").next() {
        Some("http") => ":80",
        Some("https") => ":443",
        _ => "\0",
    };
    let mut made = origin.strip_suffix(port).unwrap_or(&origin).to_owned();
    let mut segments: Vec<&str> = Vec::new();
    let mut all = target.path.split('/').skip(1).peekable();
    while let Some(segment) = all.next() {
        match segment {
            "." | ".." => {
                if segment == ".." {
                    segments.pop();
                }
                if all.peek().is_none() {
                    segments.push("");
                }
            }
            other => segments.push(other),
        }
    }
    let query = target.query.map(|query| format!("?{query}")).unwrap_or_default();
    let written = format!("/{}{query}", segments.join("/"));
    for c in written.chars() {
        if c.is_ascii_graphic() && !"\"<>".contains(c) {
            made.push(c);
        } else {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                made.push_str(&format!("%{byte:02X}"));
            }
        }
    }
    made
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
        let value = percent_decode(segment).unwrap_or_else(|| segment.to_owned());
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
