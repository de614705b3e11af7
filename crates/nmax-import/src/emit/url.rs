//! The URL of a request as a step has it. What is not replaced is sent as it was recorded, byte by byte.

use nmax_plan::document::write::Yaml;
use nmax_text::percent;

use super::body;
use super::fill::{clean, literal};
use super::scenario::Writing;
use crate::parts::{Count, Pair, Target, ValueLocation, split};
use crate::recording::Request;

/// Longest name of a parameter that is written as a key, in bytes.
const KEY_BYTES_MAX: usize = 200;
/// Most parameters that are written one by one.
const PARAMETERS_MAX: usize = 500;

/// Path or URL, and the parameters that are written apart.
pub(super) fn url(writing: &Writing<'_, '_>, entry: usize, request: &Request) -> (String, Option<Yaml>) {
    let target = split(&request.url);
    let changes = &writing.changes;
    if changes.has(entry, &ValueLocation::Target) {
        let write = |text: &str| literal(&clean(text));
        return (changes.fill(entry, &ValueLocation::Target, target.path_and_query, write), None);
    }
    let segment = |(at, segment): (usize, &str)| {
        let place = ValueLocation::Segment(at);
        match percent::decode_exact(segment).filter(|_| changes.has(entry, &place)) {
            Some(value) => changes.encoded(entry, &place, &value),
            None => literal(&clean(segment)),
        }
    };
    let path: Vec<String> = target.segments().enumerate().map(segment).collect();
    let path = path.join("/");
    let mut url = format!("{}/{path}", origin(writing, target.origin, path.starts_with('/')));
    if target.query.is_none() {
        return (url, None);
    }
    let parameters = parameters(&target);
    if let Some(query) = query(writing, entry, &parameters) {
        return (url, Some(query));
    }
    let written = |parameter: &Parameter<'_>| match &parameter.known {
        Some((place, value)) if changes.has(entry, place) => {
            let name = literal(&clean(parameter.pair.name));
            format!("{name}={}", changes.encoded(entry, place, value))
        }
        _ => literal(&clean(&parameter.written())),
    };
    let pairs: Vec<String> = parameters.iter().map(written).collect();
    url.push('?');
    url.push_str(&pairs.join("&"));
    (url, None)
}

/// The parameters as `query`, where nmax would spell them as they were written.
fn query(writing: &Writing<'_, '_>, entry: usize, parameters: &[Parameter<'_>]) -> Option<Yaml> {
    if parameters.is_empty() || parameters.len() > PARAMETERS_MAX {
        return None;
    }
    let pair = |parameter: &Parameter<'_>| {
        let (place, value) = parameter.known.as_ref()?;
        let ValueLocation::Query(name, _) = place else { return None };
        let is_same = |text: &str, written: &str| percent::encode(text) == written;
        let is_spelled_so = is_same(name, parameter.pair.name)
            && (writing.changes.has(entry, place) || is_same(value, parameter.pair.value?));
        let text = Yaml::text(writing.changes.text(entry, place, value));
        (is_spelled_so && name.len() <= KEY_BYTES_MAX).then(|| (literal(name), text))
    };
    let pairs: Option<Vec<(String, Yaml)>> = parameters.iter().map(pair).collect();
    pairs.map(body::pairs)
}

/// What stands before a path. One that begins with two slashes would name a host by itself.
pub(super) fn origin(writing: &Writing<'_, '_>, origin: &str, is_double: bool) -> String {
    match (origin == writing.shared.target, is_double) {
        (true, false) => String::new(),
        (true, true) => "${target}".to_owned(),
        (false, _) => literal(&clean(origin)),
    }
}

/// A parameter of a URL.
struct Parameter<'a> {
    pair: Pair<'a>,
    /// Its place and its value; `None` without `=` and when it is no text.
    known: Option<(ValueLocation, String)>,
}

impl Parameter<'_> {
    /// As it was written.
    fn written(&self) -> String {
        match self.pair.value {
            Some(value) => format!("{}={value}", self.pair.name),
            None => self.pair.name.to_owned(),
        }
    }
}

/// The parameters of a URL in order.
fn parameters<'a>(target: &Target<'a>) -> Vec<Parameter<'a>> {
    let mut count = Count::default();
    let parameter = |pair: Pair<'a>| {
        let known = pair.decoded().map(|(name, value)| {
            let nth = count.next(&name);
            (ValueLocation::Query(name, nth), value)
        });
        Parameter { pair, known }
    };
    target.pairs().map(parameter).collect()
}
