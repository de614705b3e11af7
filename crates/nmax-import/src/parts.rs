//! A request taken apart into values with a place each, so that values can be found in it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use nmax_text::percent;

use crate::recording::Request;

mod body;
mod json;
mod login;
mod multipart;
mod url;

pub(crate) use json::{Leaf, leaves, push_token, repeats_names};

pub(crate) use body::essence;
pub use body::{Content, content};
pub use login::without_login;
pub use multipart::Upload;
pub(crate) use multipart::uploads;
pub use nmax_text::url::{Pair, Target, split};
pub use url::resolve;
pub(crate) use url::{without_dots, without_fragment};

/// Where in a request a value stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ValueLocation {
    /// The whole path with its query, as written: a link that was followed.
    Target,
    /// A segment of the path, from 0.
    Segment(usize),
    /// A parameter of the query: name, and which of those with this name, from 0.
    Query(String, usize),
    /// A header, by lower-case name (never `cookie`, `host` or `content-length`); repeated ones are joined by `, `.
    Header(String),
    /// A cookie, by name.
    Cookie(String),
    /// A field of a form (urlencoded or multipart): name, and which of those with this name, from 0.
    Field(String, usize),
    /// A leaf of a JSON body, as a JSON pointer (RFC 6901).
    Json(String),
    /// A body that is none of these, as a text.
    Body,
}

/// A value of a request, decoded as its place demands: percent-encoding, form encoding and JSON escapes undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Where it stands.
    pub place: ValueLocation,
    /// The value.
    pub value: String,
    /// It is a number or a boolean of JSON, written without quotes.
    pub is_bare: bool,
}

impl Part {
    fn new(place: ValueLocation, value: impl Into<String>) -> Self {
        Self { place, value: value.into(), is_bare: false }
    }
}

/// A value of one request of a journey.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Use {
    /// Position of the entry in the recording's list.
    pub entry: usize,
    /// Where in the request.
    pub place: ValueLocation,
    /// Bytes of the part's value that are meant.
    pub span: Range<usize>,
}

/// What stands in a plan in the place of a recorded value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// What is replaced.
    pub at: Use,
    /// The template's text, such as `${csrf}` or `${base64(token)}`.
    pub template: String,
}

/// Headers that are no values of the user: the jar and the program write them.
const NOT_VALUES: [&str; 3] = ["cookie", "host", "content-length"];

/// Every value of a request: the target as a whole, then path, query, headers, cookies, body. O(size).
///
/// Values that are no text (UTF-8) and parameters without `=` are no parts; neither are empty segments of the path.
pub fn request_parts(request: &Request) -> Vec<Part> {
    let target = split(&request.url);
    let mut parts = vec![Part::new(ValueLocation::Target, target.path_and_query)];
    for (index, segment) in target.segments().enumerate() {
        let decoded = percent::decode_exact(segment).filter(|_| !segment.is_empty());
        parts.extend(decoded.map(|value| Part::new(ValueLocation::Segment(index), value)));
    }
    let mut count = Count::default();
    for pair in target.pairs() {
        if let Some((name, value)) = pair.decoded() {
            let nth = count.next(&name);
            parts.push(Part::new(ValueLocation::Query(name, nth), value));
        }
    }
    parts.extend(headers(request));
    parts.extend(cookies(request).map(|(name, value)| Part::new(ValueLocation::Cookie(name.to_owned()), value)));
    parts.extend(body::parts(request));
    parts
}

/// The value at a place, if the request has one there. O(size).
pub fn value_at(request: &Request, place: &ValueLocation) -> Option<String> {
    request_parts(request).into_iter().find(|part| part.place == *place).map(|part| part.value)
}

/// Counts values of the same name.
#[derive(Debug, Default)]
pub(crate) struct Count(HashMap<String, usize>);

impl Count {
    /// How many there were of that name before.
    pub(crate) fn next(&mut self, name: &str) -> usize {
        let count = self.0.entry(name.to_owned()).or_default();
        *count += 1;
        *count - 1
    }
}

/// Headers by name, in the order of their first lines.
fn headers(request: &Request) -> Vec<Part> {
    let mut found: Vec<(String, String)> = Vec::new();
    for (name, value) in &request.headers {
        let name = name.to_ascii_lowercase();
        if NOT_VALUES.contains(&name.as_str()) || name.starts_with(':') {
            continue;
        }
        match found.iter_mut().find(|(known, _)| *known == name) {
            Some((_, values)) => {
                values.push_str(", ");
                values.push_str(value);
            }
            None => found.push((name, value.clone())),
        }
    }
    let part = |(name, value)| Part::new(ValueLocation::Header(name), value);
    found.into_iter().map(part).collect()
}

/// Cookies, each name once: the first counts.
fn cookies(request: &Request) -> impl Iterator<Item = (&str, &str)> {
    let lines = request.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("cookie"));
    let pairs = lines.flat_map(|(_, value)| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut seen = HashSet::new();
    pairs.map(|(name, value)| (name.trim(), value.trim())).filter(move |(name, _)| seen.insert(*name))
}

#[cfg(test)]
mod tests;
