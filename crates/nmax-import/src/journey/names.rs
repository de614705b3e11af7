//! Names of steps: method and path, with `{id}` where an identifier stands.

use std::collections::{HashMap, HashSet};

use super::Step;
use crate::parts::split;
use crate::recording::Recording;

/// So many different words at one position of otherwise equal paths are identifiers.
const VALUES_MIN: usize = 4;
/// Shortest token that is one by its look.
const TOKEN_CHARS_MIN: usize = 16;
/// Longest name, in characters.
const NAME_CHARS_MAX: usize = 120;

/// Names every step; paths that differ only in words of one position become the same name when they are many.
pub(super) fn name(recording: &Recording, steps: &mut [Step]) {
    let paths: Vec<(String, String)> = steps
        .iter()
        .map(|step| {
            let request = &recording.entries[step.entry].request;
            (request.method.clone(), template_path(split(&request.url).path))
        })
        .collect();
    let ids = by_cardinality(&paths);
    let origin = |step: &Step| split(&recording.entries[step.entry].request.url).origin;
    let own = steps.first().map(|step| origin(step).to_owned());
    for (step, (method, path)) in steps.iter_mut().zip(&paths) {
        let segments: Vec<&str> = path.split('/').collect();
        let named: Vec<&str> = (0..segments.len())
            .map(|at| {
                let is_id = step.varying.contains(&at) || ids.contains(&around(method, &segments, at));
                if is_id { "{id}" } else { segments[at] }
            })
            .collect();
        // The same path at another host is something else.
        let origin = origin(step);
        let host = match own.as_deref() == Some(origin) {
            true => "",
            false => split(origin).place,
        };
        let name = format!("{method} {host}{}", named.join("/"));
        step.name = name.chars().take(NAME_CHARS_MAX).filter(|c| !c.is_control()).collect();
    }
}

/// A path in which identifiers by their look are `{id}`: numbers, UUIDs, hexadecimal texts, long tokens. A file keeps
/// its extension.
pub fn template_path(path: &str) -> String {
    let segments: Vec<String> = path.split('/').map(segment).collect();
    segments.join("/")
}

fn segment(segment: &str) -> String {
    let (plain, parameters) = match segment.split_once(';') {
        Some((plain, _)) => (plain, ";{id}"),
        None => (segment, ""),
    };
    let (stem, extension) = match plain.rsplit_once('.') {
        Some((stem, extension)) if (1..=5).contains(&extension.len()) && !stem.is_empty() => (stem, Some(extension)),
        _ => (plain, None),
    };
    let named = match extension {
        Some(extension) if is_id(stem) && !extension.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("{{id}}.{extension}")
        }
        _ if is_id(plain) => "{id}".to_owned(),
        _ => plain.to_owned(),
    };
    format!("{named}{parameters}")
}

/// Whether a text looks like an identifier rather than a word.
pub(crate) fn is_id(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    if text.is_empty() || digits == 0 {
        return false;
    }
    let is_version = text.len() <= 3 && text.starts_with('v');
    let is_hex = text.len() >= 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let is_token = text.len() >= TOKEN_CHARS_MIN
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.~%=".contains(&byte))
        && !text.contains('-');
    !is_version && (digits == text.len() || is_hex || is_token)
}

/// A path without one of its segments.
type Around = (String, usize, String);

fn around(method: &str, segments: &[&str], at: usize) -> Around {
    let mut rest = segments.to_vec();
    rest[at] = "";
    (method.to_owned(), at, rest.join("/"))
}

/// Positions at which so many different words stand that they are identifiers.
fn by_cardinality(paths: &[(String, String)]) -> HashSet<Around> {
    let mut values: HashMap<Around, HashSet<&str>> = HashMap::new();
    for (method, path) in paths {
        let segments: Vec<&str> = path.split('/').collect();
        // A word alone, such as `/login`, names a page.
        for at in 2..segments.len() {
            let key = around(method, &segments, at);
            values.entry(key).or_default().insert(segments[at]);
        }
    }
    let is_id = |words: &HashSet<&str>| {
        let words = words.iter().filter(|word| !word.is_empty() && **word != "{id}");
        let slugs = words
            .clone()
            .filter(|word| word.contains(['-', '_', '%', '.']) || word.bytes().any(|byte| byte.is_ascii_digit()));
        slugs.count() >= VALUES_MIN || words.count() >= 2 * VALUES_MIN
    };
    values.into_iter().filter(|(_, words)| is_id(words)).map(|(key, _)| key).collect()
}
