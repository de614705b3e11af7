//! Extractors: where a value in a reply comes from, compiled once, applied to many replies; and what a browser fetches
//! along with a document.
//!
//! Regular expressions, CSS selectors, JSONPath (RFC 9535) and headers. This crate is the only one that names the
//! libraries behind them. It knows no socket and no clock; which match is picked is the caller's choice.
//!
//! A server decides what a reply is, so reading one has a [`Budget`]: steps, memory, and a time limit that the caller
//! answers for. What goes beyond it is given up with a reason, [`GaveUp`].
//!
//! # Layout
//! - here: extractors, and a reply that they read
//! - [`budget`]: what reading may cost; `arena`: lists whose growth is counted
//! - [`html`]: documents and CSS selectors; [`json`]: JSON texts; [`jsonpath`]: paths through them
//! - `outline`: what a page is made of
//! - [`resources`]: what a document names; `css`: what a style sheet names; `screen`: what fits a desktop window
//! - `tags`: tags by regular expression
//! - [`values`]: where in a reply a value stands, and what would find it again

use std::borrow::Cow;
use std::cell::OnceCell;

mod arena;
pub mod budget;
mod css;
pub mod html;
pub mod json;
pub mod jsonpath;
mod outline;
pub mod resources;
mod screen;
mod tags;
pub mod values;

pub use budget::{Budget, GaveUp};
use html::{Document, Node, Selector};
use json::Json;
use jsonpath::JsonPath;
use nmax_plan::plan::ReplyPart;
pub use outline::shape;
use regex::{Captures, Regex};
pub use tags::{Tagger, tag};

/// Most matches that are looked at in one reply.
pub const MATCHES_MAX: usize = 10_000;

/// A compiled source.
#[derive(Debug)]
pub enum Extractor {
    /// Group 1, or the whole match of an expression without groups.
    Regex(Regex),
    /// An attribute's value, or the element's text.
    Css(Css),
    /// Strings as they are, everything else as JSON.
    Json(JsonPath),
    /// A header's value, by lower-case name.
    Header(String),
    /// Group 1, or the whole match, of an expression on each match of another extractor; the first within each.
    Part(Box<Extractor>, Regex),
}

/// Elements, and what of them is wanted.
#[derive(Debug)]
pub struct Css {
    selector: Selector,
    /// The attribute; the text without one.
    attribute: Option<String>,
}

/// The parts of a reply that extractors read; its body is parsed at most once, however many they are.
#[derive(Debug)]
pub struct ReplyContent<'a> {
    headers: &'a [(&'a str, &'a [u8])],
    body: &'a [u8],
    /// The body goes on beyond `body`.
    is_cut: bool,
    budget: Budget<'a>,
    text: OnceCell<Result<Cow<'a, str>, GaveUp>>,
    html: OnceCell<Result<Document, GaveUp>>,
    json: OnceCell<Result<Option<Json<'a>>, GaveUp>>,
}

/// What an extractor found, before a text is made of it.
enum Match<'m> {
    Text(&'m str),
    Element(Node<'m>),
    Value(json::Value<'m>),
}

impl Match<'_> {
    fn text(&self) -> String {
        match self {
            Self::Text(text) => (*text).to_owned(),
            Self::Element(node) => {
                let mut text = String::with_capacity(node.texts().map(str::len).sum());
                text.extend(node.texts());
                text.truncate(text.trim_end().len());
                text.drain(..text.len() - text.trim_start().len());
                text
            }
            Self::Value(value) => value.text().into_owned(),
        }
    }
}

impl<'a> ReplyContent<'a> {
    /// A reply with these headers, in order, and this body, as kept. Parses nothing yet.
    pub fn new(headers: &'a [(&'a str, &'a [u8])], body: &'a [u8]) -> Self {
        Self {
            headers,
            body,
            is_cut: false,
            budget: Budget::for_body(body.len()),
            text: OnceCell::new(),
            html: OnceCell::new(),
            json: OnceCell::new(),
        }
    }

    /// As [`ReplyContent::new`], of which only the beginning of the body was kept.
    pub fn beginning(headers: &'a [(&'a str, &'a [u8])], body: &'a [u8]) -> Self {
        Self { is_cut: true, ..Self::new(headers, body) }
    }

    /// The same with a time limit, which is asked every few thousand steps whether it has passed.
    pub fn until(self, has_passed: &'a dyn Fn() -> bool) -> Self {
        Self { budget: self.budget.until(has_passed), ..self }
    }

    /// What reading it has cost so far.
    pub fn budget(&self) -> &Budget<'a> {
        &self.budget
    }

    /// What it is made of, without what it says: the path of every element, each once. Parses the body unless an
    /// extractor did.
    ///
    /// # Errors
    /// The reason for which reading was given up.
    pub fn outline(&self) -> Result<std::collections::BTreeSet<String>, GaveUp> {
        let paths = outline::outline(self.document()?, &self.budget);
        self.budget.check().map(|()| paths)
    }

    /// What a browser would fetch along with it; parses the body unless an extractor did.
    ///
    /// # Errors
    /// The reason for which reading was given up.
    pub fn resources(&self) -> Result<resources::Resources, GaveUp> {
        let found = resources::of_tree(self.document()?);
        self.budget.check().map(|()| found)
    }

    /// The body as JSON; `None` when it is something else.
    ///
    /// # Errors
    /// The reason for which reading was given up.
    pub fn json(&self) -> Result<Option<&Json<'a>>, GaveUp> {
        let json = self.json.get_or_init(|| match std::str::from_utf8(self.body) {
            Ok(text) => Json::read(text, &self.budget),
            Err(_) => Ok(None),
        });
        json.as_ref().map(Option::as_ref).map_err(|why| *why)
    }

    /// The body as text, with a sign in the place of what is none.
    fn text(&self) -> Result<&str, GaveUp> {
        let text = self.text.get_or_init(|| match std::str::from_utf8(self.body) {
            Ok(text) => Ok(Cow::Borrowed(text)),
            Err(_) => lossy(self.body, &self.budget).map(Cow::Owned),
        });
        text.as_deref().map_err(|why| *why)
    }

    fn document(&self) -> Result<Node<'_>, GaveUp> {
        let parsed = self.html.get_or_init(|| Document::parse(self.text()?, &self.budget));
        parsed.as_ref().map(|document| document.root(&self.budget)).map_err(|why| *why)
    }
}

/// As `String::from_utf8_lossy`, in memory that is counted.
fn lossy(body: &[u8], budget: &Budget<'_>) -> Result<String, GaveUp> {
    let sign = |chunk: &std::str::Utf8Chunk<'_>| if chunk.invalid().is_empty() { "" } else { "\u{fffd}" };
    let bytes = body.utf8_chunks().map(|chunk| chunk.valid().len() + sign(&chunk).len()).sum();
    if !budget.hold(bytes) {
        return Err(budget.reason());
    }
    let mut text = String::with_capacity(bytes);
    for chunk in body.utf8_chunks() {
        text.push_str(chunk.valid());
        text.push_str(sign(&chunk));
    }
    Ok(text)
}

impl Extractor {
    /// Compiles a source; the error says what is wrong with it, for a person.
    pub fn new(source: &ReplyPart) -> Result<Self, String> {
        match source {
            ReplyPart::Regex(pattern) => Regex::new(pattern).map(Self::Regex).map_err(|error| error.to_string()),
            ReplyPart::Css { selector, attribute } => Selector::parse(selector)
                .map(|parsed| Self::Css(Css { selector: parsed, attribute: attribute.clone() }))
                .map_err(|error| format!("`{selector}` is not a CSS selector: {error}")),
            ReplyPart::JsonPath(path) => {
                JsonPath::read(path).map(Self::Json).map_err(|error| format!("`{path}` is not a JSONPath: {error}"))
            }
            ReplyPart::Header(name) => Ok(Self::Header(name.to_ascii_lowercase())),
            ReplyPart::Part { of, pattern } => {
                let pattern = Regex::new(pattern).map_err(|error| error.to_string())?;
                Ok(Self::Part(Box::new(Self::new(of)?), pattern))
            }
        }
    }

    /// Whether the body must be kept for it.
    pub fn reads_body(&self) -> bool {
        match self {
            Self::Header(_) => false,
            Self::Part(of, _) => of.reads_body(),
            Self::Regex(_) | Self::Css(_) | Self::Json(_) => true,
        }
    }

    /// Whether it finds anything; `None` when the beginning of a body does not tell. O(length of the body).
    ///
    /// With only a beginning, a match of a regular expression counts when more text follows it: then no `$` or `[^x]*`
    /// took the cut for the end. JSON and HTML say nothing before they are whole.
    ///
    /// # Errors
    /// The reason for which reading was given up.
    pub fn occurs(&self, page: &ReplyContent<'_>) -> Result<Option<bool>, GaveUp> {
        match self {
            Self::Regex(pattern) if page.is_cut => {
                let text = page.text()?;
                // The last character may be a part of one.
                let known = text.trim_end_matches(char::REPLACEMENT_CHARACTER).len();
                let is_found = pattern.find_iter(text).any(|found| found.end() < known || !page.budget.step(1));
                page.budget.check()?;
                Ok(is_found.then_some(true))
            }
            Self::Regex(pattern) => Ok(Some(pattern.is_match(page.text()?))),
            _ if page.is_cut && self.reads_body() => Ok(None),
            Self::Css(_) | Self::Json(_) | Self::Header(_) | Self::Part(..) => {
                let mut occurs = false;
                self.each(page, &mut |_| {
                    occurs = true;
                    true
                })?;
                Ok(Some(occurs))
            }
        }
    }

    /// Whether it finds something and all of it, up to [`MATCHES_MAX`] matches, is as wanted; `None` when the beginning of a
    /// body does not tell. O(length of the body).
    ///
    /// # Errors
    /// The reason for which reading was given up.
    pub fn all(
        &self,
        page: &ReplyContent<'_>,
        is_wanted: &mut dyn FnMut(&str) -> bool,
    ) -> Result<Option<bool>, GaveUp> {
        if page.is_cut && self.reads_body() {
            return Ok(None);
        }
        let (mut occurs, mut all) = (false, true);
        self.each(page, &mut |found| {
            occurs = true;
            all = is_wanted(&found.text());
            !all
        })?;
        Ok(Some(occurs && all))
    }

    /// Every match in order, at most [`MATCHES_MAX`].
    ///
    /// # Errors
    /// The reason for which reading was given up: their texts may be many times the body's.
    pub fn matches(&self, page: &ReplyContent<'_>) -> Result<Vec<String>, GaveUp> {
        let (mut all, mut bytes) = (Vec::new(), 0);
        let read = self.each(page, &mut |found| {
            let text = found.text();
            let size = text.len() + size_of::<String>();
            let is_held = page.budget.hold(size);
            if is_held {
                bytes += size;
                all.push(text);
            }
            !is_held
        });
        page.budget.release(bytes);
        read.map(|()| all)
    }

    /// How many matches there are, at most [`MATCHES_MAX`].
    ///
    /// # Errors
    /// The reason for which reading was given up.
    pub fn count(&self, page: &ReplyContent<'_>) -> Result<usize, GaveUp> {
        let mut count = 0;
        self.each(page, &mut |_| {
            count += 1;
            false
        })?;
        Ok(count)
    }

    /// The match with this number, from 0.
    ///
    /// # Errors
    /// The reason for which reading was given up.
    pub fn nth(&self, page: &ReplyContent<'_>, number: usize) -> Result<Option<String>, GaveUp> {
        let (mut count, mut text) = (0, None);
        self.each(page, &mut |found| {
            if count == number {
                text = Some(found.text());
            }
            count += 1;
            text.is_some()
        })?;
        Ok(text)
    }

    /// The last match.
    ///
    /// # Errors
    /// The reason for which reading was given up.
    pub fn last(&self, page: &ReplyContent<'_>) -> Result<Option<String>, GaveUp> {
        match self.count(page)?.checked_sub(1) {
            Some(last) => self.nth(page, last),
            None => Ok(None),
        }
    }

    /// Hands out the matches in order, until `found` says that it has enough.
    fn each(&self, page: &ReplyContent<'_>, found: &mut dyn FnMut(Match<'_>) -> bool) -> Result<(), GaveUp> {
        let budget = &page.budget;
        let mut count = 0;
        // Whether this was the last one.
        let mut hand = |one: Match<'_>| {
            count += 1;
            found(one) || count == MATCHES_MAX || !budget.step(1)
        };
        match self {
            Self::Regex(pattern) => {
                let text = page.text()?;
                pattern.captures_iter(text).filter_map(captured).any(|text| hand(Match::Text(text)));
            }
            Self::Css(css) => {
                let document = page.document()?;
                css.selector.matches(document).any(|node| match &css.attribute {
                    Some(name) => node.attr(name).is_some_and(|value| hand(Match::Text(value))),
                    None => hand(Match::Element(node)),
                });
            }
            Self::Json(path) => {
                if let Some(json) = page.json()? {
                    path.apply(json, budget, |value| {
                        // What a container says is read again for each that holds it.
                        budget.step(value.raw().len() as u64 / 64);
                        hand(Match::Value(value))
                    });
                }
            }
            Self::Header(name) => {
                let named = page.headers.iter().filter(|(header, _)| header.eq_ignore_ascii_case(name));
                let mut values = named.map(|(_, value)| String::from_utf8_lossy(value));
                values.any(|value| hand(Match::Text(&value)));
            }
            Self::Part(of, pattern) => of.each(page, &mut |whole| {
                let whole = whole.text();
                // The texts of elements hold those of all within them, so together they are more than the body.
                if !budget.step(whole.len() as u64 / BYTES_PER_STEP) {
                    return true;
                }
                let part = pattern.captures(&whole).and_then(captured);
                part.is_some_and(|part| hand(Match::Text(part)))
            })?,
        }
        budget.check()
    }
}

/// Bytes of an element's text that are joined and searched for an expression in one step.
const BYTES_PER_STEP: u64 = 8;

/// Group 1, or the whole match without it.
fn captured(captures: Captures<'_>) -> Option<&str> {
    let found = captures.get(1).or_else(|| captures.get(0));
    found.map(|found| found.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str =
        r#"<a class="item" href="/item/1">One &amp; only</a><a href="/no">x</a><a class="item" href="/item/2">Two</a>"#;
    const JSON: &str = r#"{"items":[{"id":7,"name":"a"},{"id":8,"name":"b"}]}"#;

    #[track_caller]
    fn check(source: ReplyPart, body: &str, want: &[&str]) {
        let headers: [(&str, &[u8]); 2] = [("Location", b"/account"), ("set-cookie", b"a=1")];
        let found = Extractor::new(&source).unwrap().matches(&ReplyContent::new(&headers, body.as_bytes())).unwrap();
        assert_eq!(found, want, "{source:?}");
    }

    #[test]
    fn each_source_finds_every_match_in_order() {
        let css = |selector: &str, attribute: Option<&str>| ReplyPart::Css {
            selector: selector.into(),
            attribute: attribute.map(str::to_owned),
        };
        check(css("a.item", Some("href")), PAGE, &["/item/1", "/item/2"]);
        check(css("a.item", None), PAGE, &["One & only", "Two"]);
        check(ReplyPart::Regex(r#"href="/item/(\d+)""#.into()), PAGE, &["1", "2"]);
        check(ReplyPart::Regex("One".into()), PAGE, &["One"]);
        check(ReplyPart::JsonPath("$.items[*].id".into()), JSON, &["7", "8"]);
        check(ReplyPart::JsonPath("$.items[0].name".into()), JSON, &["a"]);
        check(ReplyPart::Header("location".into()), "", &["/account"]);
        let part = |of: ReplyPart, pattern: &str| ReplyPart::Part { of: Box::new(of), pattern: pattern.into() };
        check(part(css("a", Some("href")), "/item/(.+)"), PAGE, &["1", "2"]);
        check(part(ReplyPart::Header("set-cookie".into()), "a=[0-9]"), "", &["a=1"]);
        check(part(ReplyPart::JsonPath("$.items[*].name".into()), "^(b)$"), JSON, &["b"]);
    }

    /// Trap: the end of what was kept is taken for the end of the body.
    #[test]
    fn the_beginning_of_a_body_decides_only_what_more_could_not_change() {
        let css = ReplyPart::Css { selector: "a".into(), attribute: None };
        let cases = [
            (ReplyPart::Regex("tea".into()), "<a>tea</a> and", Some(true)),
            (ReplyPart::Regex("milk".into()), "<a>tea</a> and", None),
            (ReplyPart::Regex("and$".into()), "<a>tea</a> and", None),
            (ReplyPart::Regex("(?s)^[^E]*$".into()), "<a>tea</a> and", None),
            (ReplyPart::Regex("caf\\b".into()), "caf\u{fffd}", None),
            (css, "<a>tea</a> and", None),
            (ReplyPart::JsonPath("$".into()), "7", None),
            (ReplyPart::Header("location".into()), "", Some(true)),
            (ReplyPart::Header("etag".into()), "", Some(false)),
        ];
        let headers: [(&str, &[u8]); 1] = [("location", b"/account")];
        for (source, body, want) in cases {
            let extractor = Extractor::new(&source).unwrap();
            let occurs = extractor.occurs(&ReplyContent::beginning(&headers, body.as_bytes())).unwrap();
            assert_eq!(occurs, want, "{source:?} in {body}");
            let whole = ReplyContent::new(&headers, body.as_bytes());
            assert_eq!(extractor.occurs(&whole).unwrap(), Some(!extractor.matches(&whole).unwrap().is_empty()));
        }
    }

    #[test]
    fn what_cannot_match_finds_nothing() {
        check(ReplyPart::JsonPath("$.items".into()), "<not json>", &[]);
        check(ReplyPart::Header("etag".into()), "", &[]);
        check(ReplyPart::Regex("x{3}".into()), "\u{fffd}", &[]);
    }

    #[test]
    fn wrong_syntax_is_an_error_that_names_it() {
        for source in [
            ReplyPart::Regex("(".into()),
            ReplyPart::Css { selector: "a[".into(), attribute: None },
            ReplyPart::JsonPath("items".into()),
        ] {
            assert!(!Extractor::new(&source).unwrap_err().is_empty(), "{source:?}");
        }
    }

    #[test]
    fn a_wrong_selector_is_told_in_one_sentence() {
        for (selector, want) in [
            ("a[", "it ends too early"),
            ("a[=b]", "no qualified name in attribute selector"),
            ("a >", "dangling combinator"),
            ("", "empty selector"),
        ] {
            let source = ReplyPart::Css { selector: selector.into(), attribute: None };
            let error = Extractor::new(&source).unwrap_err();
            assert_eq!(error, format!("`{selector}` is not a CSS selector: {want}"));
        }
    }
}
