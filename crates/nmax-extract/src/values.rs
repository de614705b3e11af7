//! Every value of a reply that somebody looks for, with the sources that would find it again.
//!
//! Looked at are headers, `Set-Cookie`, the leaves of JSON, the attributes and texts of HTML, and for everything else
//! (scripts, comments, XML) the words of the text. Texts are given as an extractor gives them: entities and JSON strings
//! are decoded, percent-encoding is not; undoing encodings is the caller's choice. URLs are given as a whole, and their
//! segments and query values one by one.
//!
//! Sources are proposals, the most stable first; whether one really finds the value, and as which match, is to be tried
//! with an [`crate::Extractor`]. O(length of the reply), if the caller answers in O(length of the text).
//!
//! # Layout
//! - here: what is looked for, what is found, headers
//! - `json`: leaves with their paths; `markup`: elements; `selector`: CSS for an element; `text`: words with what stands
//!   before them; `link`: the parts of URLs

use nmax_plan::plan::ReplyPart;

use crate::{Budget, GaveUp, ReplyContent};

mod json;
mod link;
mod markup;
mod selector;
#[cfg(test)]
mod tests;
mod text;

pub use text::for_each_word;

/// Longest text that is looked for as a whole, in bytes.
pub const TEXT_BYTES_MAX: usize = 8_192;
/// Most values that are found in one reply.
pub const FOUND_MAX: usize = 5_000;

/// Says what is looked for. It is asked about every value of a reply, so it should answer fast.
pub trait Wanted {
    /// This text, or what it encodes, is looked for.
    fn value(&self, text: &str) -> bool;
    /// The URL that this reference leads to, if that is looked for; it is relative to `base` if the document names one.
    fn link(&self, reference: &str, base: Option<&str>) -> Option<String>;
    /// The values of this header may be given.
    fn header(&self, name: &str) -> bool;
}

/// What kind of place a value stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The value of a form's field, or of an option.
    Field,
    /// The content of a `meta` element.
    Meta,
    /// A leaf of a JSON body.
    Json,
    /// Another attribute of an element.
    Attribute,
    /// A `Location` header, or a part of it.
    Location,
    /// A reference of an element or a JSON leaf that is a URL, or a part of it.
    Link,
    /// A header.
    Header,
    /// A cookie that is set.
    Cookie,
    /// The text of an element.
    Label,
    /// A text that a name stands before: `token = "..."`, `"token": "..."`, an element of XML.
    Named,
    /// Any other text.
    Text,
}

/// A value that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundValue {
    /// What its sources give.
    pub text: String,
    /// What kind of place it stands in.
    pub kind: Kind,
    /// How the reply calls it; empty when it does not.
    pub name: String,
    /// Where it could be taken from, the most stable first.
    pub sources: Vec<ReplyPart>,
    /// Where it leads, as [`Wanted::link`] said.
    pub link: Option<String>,
}

/// What is found, while a reply is gone through.
pub(crate) struct Harvest<'a> {
    wanted: &'a dyn Wanted,
    budget: &'a Budget<'a>,
    found: Vec<FoundValue>,
}

impl Harvest<'_> {
    /// Keeps a value if it is looked for.
    fn value(&mut self, text: &str, kind: Kind, name: &str, sources: impl FnOnce() -> Vec<ReplyPart>) {
        if self.fits(text) && self.wanted.value(text) {
            self.keep(text, kind, name, sources(), None);
        }
    }

    fn keep(&mut self, text: &str, kind: Kind, name: &str, sources: Vec<ReplyPart>, link: Option<String>) {
        self.found.push(FoundValue { text: text.to_owned(), kind, name: name.to_owned(), sources, link });
    }

    fn fits(&self, text: &str) -> bool {
        let is_short = !text.is_empty() && text.len() <= TEXT_BYTES_MAX;
        is_short && self.found.len() < FOUND_MAX && self.budget.step(1 + text.len() as u64 / 8)
    }

    /// A value that may be a URL, or hold what is looked for: the whole, its parts, its words.
    fn whole_and_parts(&mut self, text: &str, at: &At<'_>) {
        if !self.fits(text) {
            return;
        }
        let is_url = at.is_reference || link::is_url(text);
        if is_url {
            if let Some(url) = self.wanted.link(text, at.base) {
                self.keep(text, at.url_kind(), at.name, (at.sources)(), Some(url));
            }
            link::parts(text, |part, name, pattern| {
                let sources = || parts_of((at.sources)(), &pattern);
                self.value(part, at.url_kind(), name, sources);
            });
        }
        self.value(text, at.kind, at.name, at.sources);
        text::words_in(text, |word, name, pattern| {
            let name = if name.is_empty() { at.name } else { name };
            let kind = if is_url { at.url_kind() } else { at.kind };
            self.value(word, kind, name, || parts_of((at.sources)(), &pattern()));
        });
    }
}

/// Where a value stands that may hold more than one.
struct At<'a> {
    kind: Kind,
    name: &'a str,
    /// It is a URL by its place, even when it does not look like one.
    is_reference: bool,
    /// What references are relative to, where it is not the document itself.
    base: Option<&'a str>,
    sources: &'a dyn Fn() -> Vec<ReplyPart>,
}

impl At<'_> {
    fn url_kind(&self) -> Kind {
        match self.kind {
            Kind::Location => Kind::Location,
            Kind::Field => Kind::Field,
            _ => Kind::Link,
        }
    }
}

/// The same sources, of which this expression takes a part.
fn parts_of(sources: Vec<ReplyPart>, pattern: &str) -> Vec<ReplyPart> {
    let part = |of| ReplyPart::Part { of: Box::new(of), pattern: pattern.to_owned() };
    sources.into_iter().map(part).collect()
}

/// Everything in the reply that is looked for, in its order; headers first. And why the body was given up, when it was:
/// then what was found before is all there is.
pub fn harvest(page: &ReplyContent<'_>, wanted: &dyn Wanted) -> (Vec<FoundValue>, Option<GaveUp>) {
    let mut harvest = Harvest { wanted, budget: &page.budget, found: Vec::new() };
    headers(page, &mut harvest);
    let read = body(page, &mut harvest).and_then(|()| page.budget.check());
    (harvest.found, read.err())
}

fn body(page: &ReplyContent<'_>, harvest: &mut Harvest<'_>) -> Result<(), GaveUp> {
    match Form::from_page(page)? {
        Form::Json => {
            if let Some(json) = page.json()? {
                json::leaves(json.root(), harvest);
            }
        }
        Form::Html => {
            markup::elements(page.document()?, harvest);
            text::named(page.text()?, harvest);
        }
        Form::Text => text::named(page.text()?, harvest),
        Form::Nothing => {}
    }
    Ok(())
}

fn headers(page: &ReplyContent<'_>, harvest: &mut Harvest<'_>) {
    for (name, value) in page.headers {
        // A plan names no other, whatever a recording calls a header.
        let is_name =
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
        let Some(value) = std::str::from_utf8(value).ok().filter(|_| is_name) else {
            continue;
        };
        let lower = name.to_ascii_lowercase();
        let sources = || vec![ReplyPart::Header(lower.clone())];
        if lower == "set-cookie" {
            let Some((name, value)) = value.split(';').next().and_then(|pair| pair.split_once('=')) else {
                continue;
            };
            let (name, value) = (name.trim(), value.trim());
            let pattern = format!("^{}=\"?([^;\"]+)", regex::escape(name));
            harvest.value(value.trim_matches('"'), Kind::Cookie, name, || parts_of(sources(), &pattern));
        } else if harvest.wanted.header(&lower) {
            let is_location = matches!(lower.as_str(), "location" | "content-location");
            harvest.whole_and_parts(
                value,
                &At {
                    kind: if is_location { Kind::Location } else { Kind::Header },
                    name: &lower,
                    is_reference: is_location,
                    base: None,
                    sources: &sources,
                },
            );
        }
    }
}

/// How a body is read.
enum Form {
    Json,
    Html,
    Text,
    /// No text, or none that plans take values from.
    Nothing,
}

impl Form {
    fn from_page(page: &ReplyContent<'_>) -> Result<Self, GaveUp> {
        let mime = page
            .headers
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case("content-type"))
            .map(|(_, value)| String::from_utf8_lossy(value).to_ascii_lowercase())
            .unwrap_or_default();
        let is_media = ["image/", "font/", "audio/", "video/", "text/css"].iter().any(|kind| mime.starts_with(kind));
        if page.body.is_empty() || is_media || std::str::from_utf8(page.body).is_err() {
            return Ok(Self::Nothing);
        }
        let start = page.text()?.trim_start();
        if mime.contains("html") || starts_with_any(start, &["<!doctype html", "<html"]) {
            return Ok(Self::Html);
        }
        if start.starts_with(['{', '[', '"']) && page.json()?.is_some() {
            return Ok(Self::Json);
        }
        Ok(Self::Text)
    }
}

fn starts_with_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)))
}
