use nmax_plan::plan::ReplyPart;
use proptest::prelude::*;

use super::*;
use crate::Extractor;

/// Looks for these texts, and for these references.
struct Texts<'a>(&'a [&'a str], &'a [&'a str]);

impl Wanted for Texts<'_> {
    fn value(&self, text: &str) -> bool {
        self.0.contains(&text)
    }
    fn link(&self, reference: &str, base: Option<&str>) -> Option<String> {
        let is_wanted = self.1.contains(&reference);
        is_wanted.then(|| format!("{}{reference}", base.unwrap_or_default()))
    }
    fn header(&self, name: &str) -> bool {
        name != "date"
    }
}

type Headers<'a> = &'a [(&'a str, &'a [u8])];

fn page<'a>(headers: Headers<'a>, body: &'a str) -> ReplyContent<'a> {
    ReplyContent::new(headers, body.as_bytes())
}

fn told(source: &ReplyPart) -> String {
    match source {
        ReplyPart::Regex(pattern) => format!("regex {pattern}"),
        ReplyPart::Css { selector, attribute } => {
            format!("css {selector}@{}", attribute.as_deref().unwrap_or_default())
        }
        ReplyPart::JsonPath(path) => format!("json {path}"),
        ReplyPart::Header(name) => format!("header {name}"),
        ReplyPart::Part { of, pattern } => format!("{} match {pattern}", told(of)),
    }
}

/// The value is found there, called so, by this source first; and each of its sources finds it.
#[track_caller]
fn check(headers: Headers<'_>, body: &str, value: &str, want: (Kind, &str, &str)) {
    let page = page(headers, body);
    let found = harvest(&page, &Texts(&[value], &[])).0;
    let best = found.iter().min_by_key(|found| found.kind).expect("it is found");
    assert_eq!((best.kind, best.name.as_str(), told(&best.sources[0]).as_str()), want);
    for source in found.iter().flat_map(|found| &found.sources) {
        let extractor = Extractor::new(source).unwrap_or_else(|error| panic!("{error}"));
        assert!(extractor.matches(&page).unwrap().iter().any(|text| text == value), "{}", told(source));
    }
}

const HTML: Headers<'static> = &[("Content-Type", b"text/html; charset=utf-8")];
const NONE: Headers<'static> = &[];

#[test]
fn each_place_of_a_document_has_its_source() {
    let cases = [
        (
            r#"<input type=hidden name=csrf value="t0k&amp;n">"#,
            "t0k&n",
            (Kind::Field, "csrf", "css input[name=csrf]@value"),
        ),
        (
            r#"<input name="user[token]" value=v1>"#,
            "v1",
            (Kind::Field, "user[token]", r#"css input[name="user[token]"]@value"#),
        ),
        (r#"<meta name=csrf-token content=v1>"#, "v1", (Kind::Meta, "csrf-token", "css meta[name=csrf-token]@content")),
        (r#"<div id=cart data-id=v1></div>"#, "v1", (Kind::Attribute, "id", "css div#cart@data-id")),
        (r#"<ul id=l><li data-k=v1></ul>"#, "v1", (Kind::Attribute, "k", "css li[data-k]@data-k")),
        (r#"<select name=s><option value=v1></select>"#, "v1", (Kind::Field, "s", "css select[name=s] option@value")),
        (
            r#"<a class=item href="/item/v1?a=b">x</a>"#,
            "v1",
            (Kind::Link, "item", "css a.item@href match /item/([^/?#;]+)"),
        ),
        (
            r#"<a href="/x;s=v0/y?b=c&amp;t=v1#z">x</a>"#,
            "v1",
            (Kind::Link, "t", r#"css a[href^="/x;s=v0/y?b=c&t="]@href match [?&;]t=([^&;#]+)"#),
        ),
        (r#"<b id=no>v1</b>"#, "v1", (Kind::Label, "no", "css b#no@")),
        (r#"<b id=no>No. v1!</b>"#, "v1", (Kind::Label, "no", r"css b#no@ match No\.\s+([\p{Alphabetic}\d]+)")),
        (
            "<script>let csrfToken = 'v1';</script>",
            "v1",
            (Kind::Named, "csrfToken", r#"regex \bcsrfToken["']?\s*[:=]\s*'([^']+)"#),
        ),
        (
            r#"<script>x({"a": 1, "to-ken" : "v1"})</script>"#,
            "v1",
            (Kind::Named, "to-ken", r#"regex \bto\-ken["']?\s*[:=]\s*"([^"]+)"#),
        ),
        (
            r#"<script>x("{\"key\":\"v1\"}")</script>"#,
            "v1",
            (Kind::Named, "key", r#"regex \bkey\\*["']?\s*[:=]\s*\\*"([^"\\]+)"#),
        ),
        ("<script>go('v1', 2)</script>", "v1", (Kind::Text, "", r"regex <script>go\('([\p{Alphabetic}\d]+)")),
    ];
    for (body, value, want) in cases {
        check(HTML, body, value, want);
    }
}

#[test]
fn each_place_of_other_replies_has_its_source() {
    let location: Headers<'_> = &[("Location", b"/order/v1?x=1")];
    check(location, "", "v1", (Kind::Location, "order", "header location match /order/([^/?#;]+)"));
    let cookie: Headers<'_> = &[("Set-Cookie", b"a=1; path=/"), ("set-cookie", b"XSRF=v1; HttpOnly")];
    check(cookie, "", "v1", (Kind::Cookie, "XSRF", "header set-cookie match ^XSRF=\"?([^;\"]+)"));
    check(&[("X-Token", b"v1")], "", "v1", (Kind::Header, "x-token", "header x-token"));
    check(
        &[("X-Auth", b"Bearer v1")],
        "",
        "v1",
        (Kind::Header, "x-auth", r"header x-auth match Bearer\s+([\p{Alphabetic}\d]+)"),
    );
    let json = r#"{"a b":{"x":["u",{"id":17}]},"n":"17.5","u":"https://h/c/v1"}"#;
    check(NONE, json, "17", (Kind::Json, "id", "json $['a b'].x[*].id"));
    check(NONE, json, "17.5", (Kind::Json, "n", "json $.n"));
    check(NONE, json, "v1", (Kind::Link, "c", "json $.u match /c/([^/?#;]+)"));
    check(NONE, r#"{"carts":{"8f31c07b-aa":{"k":"v1"}}}"#, "v1", (Kind::Json, "k", "json $.carts[*].k"));
    check(
        &[("content-type", b"text/xml")],
        "<?xml version='1.0'?><r><s:token a='1'>v1</s:token></r>",
        "v1",
        (Kind::Named, "s:token", r"regex <s:token(?:\s[^>]*)?>\s*([^<]+)"),
    );
    check(NONE, "cb({\"k\": v1})", "v1", (Kind::Named, "k", r#"regex \bk["']?\s*[:=]\s*([^\s"',;}\])<&}]+)"#));
}

#[test]
fn what_is_followed_is_found_as_a_link() {
    let body = r#"<base href="/a/"><a href="b">x</a><form action="/c"></form>"#;
    let found = harvest(&page(HTML, body), &Texts(&[], &["b", "/c"])).0;
    let links: Vec<_> = found.iter().filter_map(|found| found.link.as_deref()).collect();
    assert_eq!(links, ["/a/b", "/a//c"]);
    assert!(harvest(&page(&[("date", b"v1")], ""), &Texts(&["v1"], &[])).0.is_empty());
    assert!(harvest(&page(&[("content-type", b"image/svg+xml")], "<a>v1</a>"), &Texts(&["v1"], &[])).0.is_empty());
}

#[test]
fn words_are_found_at_every_tightness() {
    let text = "a: id:1a-2b (x)";
    let mut found = Vec::new();
    for_each_word(text, |span| found.push(&text[span]));
    assert_eq!(found, ["a:", "a", "id:1a-2b", "id", "1a-2b", "1a", "2b", "x"]);
}

#[test]
fn names_that_change_are_told_from_those_that_stay() {
    for name in ["csrf", "csrf-token", "user[token]", "address1", "__RequestVerificationToken", "next_page", "h1"] {
        assert!(is_stable(name), "{name}");
    }
    for name in ["", "item-8f31c07b", "css-1q2w3e", "react-aria123456-1", "deadbeefdeadbeef", "3f2504e0-4f89-11d3-9a0c"]
    {
        assert!(!is_stable(name), "{name}");
    }
}

/// Traps: quotes that open nothing, each followed to the end; the line before a word, read to its beginning.
#[test]
fn hostile_texts_are_given_up() {
    let quotes = format!("'{}", "\\'".repeat(1 << 20));
    let (_, gave_up) = harvest(&page(NONE, &quotes), &Texts(&["v1"], &[]));
    assert_eq!(gave_up, Some(GaveUp::Steps));
    let line = "a.v1 ".repeat(200_000);
    let (found, gave_up) = harvest(&page(NONE, &line), &Texts(&["v1"], &[]));
    assert_eq!((found.is_empty(), gave_up), (false, None));
}

proptest! {
    /// Law: whatever the text, all that is proposed compiles, and nothing proposed holds the value itself.
    #[test]
    fn what_is_proposed_compiles(before in "[ -~\n]{0,60}", after in "[ -~\n]{0,40}", is_html in any::<bool>()) {
        let body = format!("<p>{before}qZ7x9Kw2LmT4{after}");
        let headers: Headers<'_> = if is_html { HTML } else { NONE };
        for found in harvest(&page(headers, &body), &Texts(&["qZ7x9Kw2LmT4"], &[])).0 {
            for source in &found.sources {
                prop_assert!(Extractor::new(source).is_ok(), "{}", told(source));
                prop_assert!(!told(source).contains("qZ7x9Kw2LmT4"), "{}", told(source));
            }
        }
    }
}

use super::selector::is_stable;
