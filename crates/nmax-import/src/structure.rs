//! What a reply is, beside what it says: two replies of one structure are the same page to a user.
//!
//! A status alone does not tell: a log-in page in the place of an account comes with 200. A structure is the class of the
//! status, where a redirect leads, the type, and what the body is made of: the elements of a page, the keys of a JSON
//! text. It does not change with texts, values, the number of rows, or words with digits in paths and names.

use std::collections::BTreeSet;

use nmax_extract::json::{Kind, Value};
use nmax_extract::{ReplyContent, shape};

use crate::parts::{essence, split};
use crate::recording::Entry;

/// Most different parts of one reply; beyond it the rest is not compared.
const PARTS_MAX: usize = 10_000;
/// Most bytes of the parts of one reply: names may be long, and each is a part of the paths below it.
const PARTS_BYTES_MAX: usize = 4 << 20;
/// Most parts of each kind that a difference names.
const NAMED_MAX: usize = 3;
/// Keys whose value decides what a reply is, as in `{"ok": false}`.
const DECISIVE: [&str; 16] = [
    "ok", "success", "succeeded", "successful", "error", "errors", "failed", "failure", "valid", "authenticated",
    "authorized", "loggedin", "signedin", "isloggedin", "isauthenticated", "expired",
];

/// A reply as it came.
#[derive(Clone, Copy, Debug)]
pub struct Reply<'a> {
    /// Status code.
    pub status: u16,
    /// Scheme and authority that it came from, such as `http://127.0.0.1:8080`.
    pub origin: &'a str,
    /// Headers in order.
    pub headers: &'a [(&'a str, &'a [u8])],
    /// Its body, content codings undone; `None` when it is not known, or only in part.
    pub body: Option<&'a [u8]>,
}

/// What a reply is, beside what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structure {
    /// Status code.
    pub status: u16,
    /// Where it leads, when it is a redirect: path and names of the query, with `*` for words with digits.
    leads_to: Option<String>,
    /// Type without parameters, in lower case; empty when it has none.
    mime: String,
    /// What the body is made of; `None` when it is not known, or nothing that is taken apart.
    parts: Option<BTreeSet<String>>,
}

impl Structure {
    /// The structure of a reply. O(length of its body).
    pub fn from_reply(reply: &Reply<'_>) -> Self {
        let header = |name: &str| {
            let mut headers = reply.headers.iter();
            let found = headers.find(|(header, _)| header.eq_ignore_ascii_case(name));
            found.map(|(_, value)| String::from_utf8_lossy(value))
        };
        let mime = header("content-type").map_or_else(String::new, |mime| essence(&mime));
        let is_redirect = (300..400).contains(&reply.status) && reply.status != 304;
        let leads_to = header("location").filter(|_| is_redirect);
        Self {
            status: reply.status,
            leads_to: leads_to.map(|location| place(&location, reply.origin)),
            parts: match reply.body {
                // The few words beside a redirect are nobody's page.
                Some(body) if !is_redirect => parts(&mime, reply.headers, body),
                _ => None,
            },
            mime,
        }
    }

    /// The structure of a recorded reply; `None` when there is none.
    pub fn from_entry(entry: &Entry) -> Option<Self> {
        let response = entry.response.as_ref()?;
        let headers: Vec<(&str, &[u8])> =
            response.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
        let body = response.body.as_ref().filter(|body| !body.is_cut && response.status != 304);
        Some(Self::from_reply(&Reply {
            status: response.status,
            origin: split(&entry.request.url).origin,
            headers: &headers,
            body: body.map(|body| body.bytes.as_slice()),
        }))
    }

    /// What it is in a few words, such as `status 200, text/html`.
    pub fn describe(&self) -> String {
        match (&self.leads_to, self.mime.as_str()) {
            (Some(to), _) => format!("status {}, it leads to {to}", self.status),
            (None, "") => format!("status {}", self.status),
            (None, mime) => format!("status {}, {mime}", self.status),
        }
    }

    /// 304 stands for the reply that the client has already.
    fn class(&self) -> u16 {
        match self.status {
            304 => 2,
            status => status / 100,
        }
    }

    /// Whether both sides have something that the other has not: another page, and not the same with more or less on it.
    /// Unknown bodies differ from none.
    pub fn is_another_than(&self, other: &Self) -> bool {
        let lacks = |a: &Option<BTreeSet<String>>, b: &Option<BTreeSet<String>>| match (a, b) {
            (Some(a), Some(b)) => !a.is_subset(b),
            _ => false,
        };
        self.class() != other.class()
            || self.leads_to != other.leads_to
            || (lacks(&self.parts, &other.parts) && lacks(&other.parts, &self.parts))
    }
}

/// What replies to one request looked like: what all of them have must be there, what none of them has must not.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    seen: Vec<Structure>,
}

impl Expected {
    /// One more reply that is as it should be.
    pub fn add(&mut self, structure: Structure) {
        self.seen.push(structure);
    }

    /// The replies so far.
    pub fn seen(&self) -> &[Structure] {
        &self.seen
    }

    /// In what a reply differs from all of those before, in words; `None` when it does not.
    pub fn difference(&self, found: &Structure) -> Option<String> {
        let first = self.seen.first()?;
        if !self.seen.iter().any(|seen| seen.class() == found.class()) {
            return Some(format!("status {}, not {}", found.status, first.status));
        }
        if !self.seen.iter().any(|seen| seen.leads_to == found.leads_to) {
            let to = |structure: &Structure| structure.leads_to.clone().unwrap_or_else(|| "nowhere".into());
            return Some(format!("it leads to {}, not to {}", to(found), to(first)));
        }
        if !self.seen.iter().any(|seen| seen.mime == found.mime) {
            let named = |mime: &str| if mime.is_empty() { "no type" } else { mime }.to_owned();
            return Some(format!("{}, not {}", named(&found.mime), named(&first.mime)));
        }
        self.other_parts(found.parts.as_ref()?)
    }

    fn other_parts(&self, found: &BTreeSet<String>) -> Option<String> {
        let known: Vec<&BTreeSet<String>> = self.seen.iter().filter_map(|seen| seen.parts.as_ref()).collect();
        let first = known.first()?;
        let in_all = first.iter().filter(|part| known.iter().all(|parts| parts.contains(*part)));
        let lost: Vec<&str> = in_all.filter(|part| !found.contains(*part)).map(String::as_str).collect();
        let is_new = |part: &&String| !known.iter().any(|parts| parts.contains(*part));
        let new: Vec<&str> = found.iter().filter(is_new).map(String::as_str).collect();
        match (named(&lost), named(&new)) {
            (None, None) => None,
            (Some(lost), None) => Some(format!("another reply: without {lost}")),
            (None, Some(new)) => Some(format!("another reply: with {new}")),
            (Some(lost), Some(new)) => Some(format!("another reply: with {new}, without {lost}")),
        }
    }
}

/// The uppermost of some parts, in words; `None` when there is none. Parts are sorted, so one follows what it is part of.
fn named(parts: &[&str]) -> Option<String> {
    let mut roots: Vec<&str> = Vec::new();
    for part in parts {
        let is_within = |root: &&str| part.strip_prefix(*root).is_some_and(|rest| rest.starts_with(['/', '.', '[']));
        if !roots.iter().any(is_within) {
            roots.push(part);
        }
    }
    // Fields tell most: `form/input[password]` says more than `body/form`. Then what is deepest.
    let is_field = |part: &str| part.contains('[') && !part.contains("[]");
    let (fields, rest): (Vec<&str>, Vec<&str>) = parts.iter().copied().partition(|part| is_field(part));
    roots.retain(|root| rest.contains(root) && !fields.iter().any(|field| field.starts_with(&format!("{root}/"))));
    roots.sort_by_key(|root| std::cmp::Reverse(root.matches('/').count()));
    roots.splice(0..0, fields);
    let short = |root: &&str| match root.rmatch_indices('/').nth(1) {
        Some((at, _)) => root[at + 1..].to_owned(),
        None => (*root).to_owned(),
    };
    let more = roots.len().saturating_sub(NAMED_MAX);
    let listed = roots.iter().take(NAMED_MAX).map(short).collect::<Vec<_>>().join(", ");
    match (listed.is_empty(), more) {
        (true, _) => None,
        (false, 0) => Some(listed),
        (false, more) => Some(format!("{listed} and {more} more")),
    }
}

/// Where a redirect leads, without what may differ from one time to the next.
fn place(location: &str, origin: &str) -> String {
    let location = location.trim().split('#').next().unwrap_or_default();
    let is_of_origin = |rest: &&str| rest.is_empty() || rest.starts_with(['/', '?']);
    let location = location.strip_prefix(origin).filter(is_of_origin).unwrap_or(location);
    let (path, query) = location.split_once('?').unwrap_or((location, ""));
    let mut place = match path.split_once("://") {
        // A host is what it is, digits or not.
        Some((scheme, rest)) => {
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            format!("{scheme}://{host}{}", shape(path))
        }
        None => shape(path),
    };
    let names: BTreeSet<&str> = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split('=').next().unwrap_or_default())
        .collect();
    for (index, name) in names.into_iter().enumerate() {
        place.push(if index == 0 { '?' } else { '&' });
        place.push_str(&shape(name));
    }
    place
}

/// What a body is made of; `None` for what is not taken apart, such as pictures and scripts.
fn parts(mime: &str, headers: &[(&str, &[u8])], body: &[u8]) -> Option<BTreeSet<String>> {
    let is_json = mime.ends_with("/json") || mime.ends_with("+json");
    let is_markup = mime.ends_with("/html") || mime.ends_with("/xml") || mime.ends_with("+xml");
    if is_json {
        let page = ReplyContent::new(headers, body);
        let Some(document) = page.json().ok()? else {
            return Some(BTreeSet::from(["no JSON".to_owned()]));
        };
        let mut found = Keys { parts: BTreeSet::new(), bytes: 0 };
        found.add(document.root(), "$", false);
        return Some(found.parts);
    }
    if is_markup && !mime.starts_with("image/") { ReplyContent::new(headers, body).outline().ok() } else { None }
}

/// The path of every key, items of lists all alike. Values below a key that decides are told apart outside of lists.
struct Keys {
    parts: BTreeSet<String>,
    bytes: usize,
}

impl Keys {
    fn is_full(&self) -> bool {
        self.parts.len() >= PARTS_MAX || self.bytes >= PARTS_BYTES_MAX
    }

    fn put(&mut self, part: String) {
        let bytes = part.len();
        self.bytes += if self.parts.insert(part) { bytes } else { 0 };
    }

    fn add(&mut self, value: Value<'_>, path: &str, is_in_list: bool) {
        if self.is_full() {
            return;
        }
        match value.kind() {
            Kind::Object => {
                self.put(format!("{path}.{{}}"));
                for (key, member) in value.members() {
                    if self.is_full() {
                        return;
                    }
                    let inner = format!("{path}.{}", shape(&key));
                    if !is_in_list && is_decisive(&key) {
                        self.put(format!("{inner} {}", if holds(member) { "set" } else { "not set" }));
                    } else {
                        self.put(inner.clone());
                    }
                    self.add(member, &inner, is_in_list);
                }
            }
            Kind::Array => {
                let inner = format!("{path}[]");
                self.put(inner.clone());
                for item in value.items() {
                    self.add(item, &inner, true);
                }
            }
            Kind::Word | Kind::Number | Kind::String => {}
        }
    }
}

fn is_decisive(key: &str) -> bool {
    let plain: String = key.chars().filter(|c| c.is_alphanumeric()).collect();
    DECISIVE.contains(&plain.to_ascii_lowercase().as_str())
}

/// Whether a value says yes, or something at all.
fn holds(value: Value<'_>) -> bool {
    match value.kind() {
        Kind::Word => value.raw() == "true",
        Kind::Number => value.raw().parse() != Ok(0.0),
        Kind::String => !value.raw().is_empty(),
        Kind::Array => value.items().next().is_some(),
        Kind::Object => value.members().next().is_some(),
    }
}

#[cfg(test)]
mod tests;
