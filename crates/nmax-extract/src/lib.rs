//! Extractors: where a value in a reply comes from, compiled once, applied to many replies; and what a browser fetches
//! along with a document.
//!
//! Regular expressions, CSS selectors, JSONPath (RFC 9535) and headers. This crate is the only one that names the
//! libraries behind them. It knows no socket and no clock; which match is picked is the caller's choice.
//!
//! # Layout
//! - here: extractors, and a reply that they read
//! - `outline`: what a page is made of
//! - [`resources`]: what a document names; `css`: what a style sheet names; `screen`: what fits a desktop window
//! - `tags`: tags by regular expression
//! - [`values`]: where in a reply a value stands, and what would find it again

use std::borrow::Cow;
use std::cell::OnceCell;

mod css;
mod outline;
pub mod resources;
mod screen;
mod tags;
pub mod values;

use nmax_plan::plan::Source;
pub use outline::shape;
use regex::{Captures, Regex};
use scraper::error::SelectorErrorKind;
use scraper::{Html, Selector};
use serde_json::Value;
use serde_json_path::JsonPath;
pub use tags::Tagger;

/// Most matches that are looked at in one reply.
pub const MATCHES_MAX: usize = 10_000;

/// A compiled source.
#[derive(Debug)]
pub enum Extractor {
    /// Group 1, or the whole match of an expression without groups.
    Regex(Regex),
    /// An attribute's value, or the element's text.
    Css(Box<Selector>, Option<String>),
    /// Strings as they are, everything else as JSON.
    Json(Box<JsonPath>),
    /// A header's value, by lower-case name.
    Header(String),
    /// Group 1, or the whole match, of an expression on each match of another extractor; the first within each.
    Part(Box<Extractor>, Regex),
}

/// The parts of a reply that extractors read; its body is parsed at most once, however many they are.
#[derive(Debug)]
pub struct Page<'a> {
    headers: &'a [(&'a str, &'a [u8])],
    body: &'a [u8],
    /// The body goes on beyond `body`.
    is_cut: bool,
    text: OnceCell<Cow<'a, str>>,
    html: OnceCell<Html>,
    json: OnceCell<Option<Value>>,
}

impl<'a> Page<'a> {
    /// A reply with these headers, in order, and this body, as kept. Parses nothing yet.
    pub fn new(headers: &'a [(&'a str, &'a [u8])], body: &'a [u8]) -> Self {
        Self { headers, body, is_cut: false, text: OnceCell::new(), html: OnceCell::new(), json: OnceCell::new() }
    }

    /// As [`Page::new`], of which only the beginning of the body was kept.
    pub fn beginning(headers: &'a [(&'a str, &'a [u8])], body: &'a [u8]) -> Self {
        Self { is_cut: true, ..Self::new(headers, body) }
    }

    /// What it is made of, without what it says: the path of every element, each once. Parses the body unless an
    /// extractor did.
    pub fn outline(&self) -> std::collections::BTreeSet<String> {
        outline::outline(self.html())
    }

    /// What a browser would fetch along with it; parses the body unless an extractor did.
    pub fn resources(&self) -> resources::Resources {
        resources::of_tree(self.html())
    }

    fn text(&self) -> &str {
        self.text.get_or_init(|| String::from_utf8_lossy(self.body))
    }

    fn html(&self) -> &Html {
        self.html.get_or_init(|| Html::parse_document(self.text()))
    }

    fn json(&self) -> Option<&Value> {
        self.json.get_or_init(|| serde_json::from_slice(self.body).ok()).as_ref()
    }
}

impl Extractor {
    /// Compiles a source; the error says what is wrong with it, for a person.
    pub fn new(source: &Source) -> Result<Self, String> {
        match source {
            Source::Regex(pattern) => Regex::new(pattern).map(Self::Regex).map_err(|error| error.to_string()),
            Source::Css { selector, attribute } => Selector::parse(selector)
                .map(|parsed| Self::Css(Box::new(parsed), attribute.clone()))
                .map_err(|error| format!("`{selector}` is not a CSS selector: {}", css_error(&error))),
            Source::JsonPath(path) => JsonPath::parse(path)
                .map(|parsed| Self::Json(Box::new(parsed)))
                .map_err(|error| format!("`{path}` is not a JSONPath: {error}")),
            Source::Header(name) => Ok(Self::Header(name.to_ascii_lowercase())),
            Source::Part { of, pattern } => {
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
            Self::Regex(_) | Self::Css(..) | Self::Json(_) => true,
        }
    }

    /// Whether it finds anything; `None` when the beginning of a body does not tell. O(length of the body).
    ///
    /// With only a beginning, a match of a regular expression counts when more text follows it: then no `$` or `[^x]*`
    /// took the cut for the end. JSON and HTML say nothing before they are whole.
    pub fn occurs(&self, page: &Page<'_>) -> Option<bool> {
        match self {
            Self::Regex(pattern) if page.is_cut => {
                // The last character may be a part of one.
                let known = page.text().trim_end_matches(char::REPLACEMENT_CHARACTER).len();
                let is_found = pattern.find_iter(page.text()).any(|found| found.end() < known);
                is_found.then_some(true)
            }
            Self::Regex(pattern) => Some(pattern.is_match(page.text())),
            _ if page.is_cut && self.reads_body() => None,
            Self::Css(..) | Self::Json(_) | Self::Header(_) | Self::Part(..) => Some(!self.matches(page).is_empty()),
        }
    }

    /// Every match in order, at most [`MATCHES_MAX`]. O(length of the body).
    pub fn matches(&self, page: &Page<'_>) -> Vec<String> {
        match self {
            Self::Regex(pattern) => regex_matches(pattern, page.text()),
            Self::Css(selector, attribute) => css_matches(selector, attribute.as_deref(), page.html()),
            Self::Json(path) => page.json().map_or_else(Vec::new, |document| json_matches(path, document)),
            Self::Header(name) => page
                .headers
                .iter()
                .filter(|(header, _)| header.eq_ignore_ascii_case(name))
                .take(MATCHES_MAX)
                .map(|(_, value)| String::from_utf8_lossy(value).into_owned())
                .collect(),
            Self::Part(of, pattern) => {
                of.matches(page).iter().filter_map(|whole| captured(pattern.captures(whole)?)).collect()
            }
        }
    }
}

/// What is wrong with a selector, on one line.
fn css_error(error: &SelectorErrorKind) -> String {
    match error {
        SelectorErrorKind::UnexpectedToken => "a character or word is not expected there".into(),
        SelectorErrorKind::EndOfLine => "it ends too early".into(),
        SelectorErrorKind::UnexpectedSelectorParseError(kind) => in_words(&format!("{kind:?}")),
        other => other.to_string(),
    }
}

/// `NoQualifiedNameInAttributeSelector(..)` as `no qualified name in attribute selector`.
fn in_words(variant: &str) -> String {
    let name = variant.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let mut words = String::with_capacity(name.len() + 8);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

fn regex_matches(pattern: &Regex, body: &str) -> Vec<String> {
    pattern.captures_iter(body).filter_map(captured).take(MATCHES_MAX).collect()
}

/// Group 1, or the whole match without it.
fn captured(captures: Captures<'_>) -> Option<String> {
    let found = captures.get(1).or_else(|| captures.get(0));
    found.map(|found| found.as_str().to_owned())
}

fn css_matches(selector: &Selector, attribute: Option<&str>, document: &Html) -> Vec<String> {
    document
        .select(selector)
        .filter_map(|element| match attribute {
            Some(name) => element.value().attr(name).map(str::to_owned),
            None => Some(element.text().collect::<String>().trim().to_owned()),
        })
        .take(MATCHES_MAX)
        .collect()
}

fn json_matches(path: &JsonPath, document: &Value) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    path.query(document).iter().take(MATCHES_MAX).map(|value| text(value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str =
        r#"<a class="item" href="/item/1">One &amp; only</a><a href="/no">x</a><a class="item" href="/item/2">Two</a>"#;
    const JSON: &str = r#"{"items":[{"id":7,"name":"a"},{"id":8,"name":"b"}]}"#;

    #[track_caller]
    fn check(source: Source, body: &str, want: &[&str]) {
        let headers: [(&str, &[u8]); 2] = [("Location", b"/account"), ("set-cookie", b"a=1")];
        let found = Extractor::new(&source).unwrap().matches(&Page::new(&headers, body.as_bytes()));
        assert_eq!(found, want, "{source:?}");
    }

    #[test]
    fn each_source_finds_every_match_in_order() {
        let css = |selector: &str, attribute: Option<&str>| Source::Css {
            selector: selector.into(),
            attribute: attribute.map(str::to_owned),
        };
        check(css("a.item", Some("href")), PAGE, &["/item/1", "/item/2"]);
        check(css("a.item", None), PAGE, &["One & only", "Two"]);
        check(Source::Regex(r#"href="/item/(\d+)""#.into()), PAGE, &["1", "2"]);
        check(Source::Regex("One".into()), PAGE, &["One"]);
        check(Source::JsonPath("$.items[*].id".into()), JSON, &["7", "8"]);
        check(Source::JsonPath("$.items[0].name".into()), JSON, &["a"]);
        check(Source::Header("location".into()), "", &["/account"]);
        let part = |of: Source, pattern: &str| Source::Part { of: Box::new(of), pattern: pattern.into() };
        check(part(css("a", Some("href")), "/item/(.+)"), PAGE, &["1", "2"]);
        check(part(Source::Header("set-cookie".into()), "a=[0-9]"), "", &["a=1"]);
        check(part(Source::JsonPath("$.items[*].name".into()), "^(b)$"), JSON, &["b"]);
    }

    /// Trap: the end of what was kept is taken for the end of the body.
    #[test]
    fn the_beginning_of_a_body_decides_only_what_more_could_not_change() {
        let css = Source::Css { selector: "a".into(), attribute: None };
        let cases = [
            (Source::Regex("tea".into()), "<a>tea</a> and", Some(true)),
            (Source::Regex("milk".into()), "<a>tea</a> and", None),
            (Source::Regex("and$".into()), "<a>tea</a> and", None),
            (Source::Regex("(?s)^[^E]*$".into()), "<a>tea</a> and", None),
            (Source::Regex("caf\\b".into()), "caf\u{fffd}", None),
            (css, "<a>tea</a> and", None),
            (Source::JsonPath("$".into()), "7", None),
            (Source::Header("location".into()), "", Some(true)),
            (Source::Header("etag".into()), "", Some(false)),
        ];
        let headers: [(&str, &[u8]); 1] = [("location", b"/account")];
        for (source, body, want) in cases {
            let extractor = Extractor::new(&source).unwrap();
            let occurs = extractor.occurs(&Page::beginning(&headers, body.as_bytes()));
            assert_eq!(occurs, want, "{source:?} in {body}");
            let whole = Page::new(&headers, body.as_bytes());
            assert_eq!(extractor.occurs(&whole), Some(!extractor.matches(&whole).is_empty()));
        }
    }

    #[test]
    fn what_cannot_match_finds_nothing() {
        check(Source::JsonPath("$.items".into()), "<not json>", &[]);
        check(Source::Header("etag".into()), "", &[]);
        check(Source::Regex("x{3}".into()), "\u{fffd}", &[]);
    }

    #[test]
    fn wrong_syntax_is_an_error_that_names_it() {
        for source in [
            Source::Regex("(".into()),
            Source::Css { selector: "a[".into(), attribute: None },
            Source::JsonPath("items".into()),
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
            let source = Source::Css { selector: selector.into(), attribute: None };
            let error = Extractor::new(&source).unwrap_err();
            assert_eq!(error, format!("`{selector}` is not a CSS selector: {want}"));
        }
    }
}
