use proptest::prelude::*;

use super::coding::{Coding, meanings, origins};
use super::link::{changing, normal, resolve};
use super::names::{Namer, identifies, measures, same, share, split_words};
use super::weight::{Weight, weight};

#[test]
fn values_weigh_what_they_say() {
    let cases = [
        (
            Weight::Trivial,
            "true yes XL oak Oak-Chair 7 999 2026 12.90 1,299.00 2026-01-31 12:30 v2 page2 sha256 utf-8 en-US 1.2.3 \
             text/html GET DE requestVerificationToken 20260131 red&green https://shop.test/account",
        ),
        (Weight::Weak, "4711 80331 iso-8859-1 a1b2 2026-01-31T12:30:00Z"),
        (Weight::Medium, "123456 99123456789 a1b2c3d 8f31c07b"),
        (
            Weight::Strong,
            "123456789012 9f86d081884c7d659a2feaa0c55ad015 5b0b7f9e-1c1d-4e0c-9b2f-7d7a51c9ac10 kQ9z7Lm2Xw aB3+dE6/gH9=kL2 \
             eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln kJhGdsaQweRtYbNm",
        ),
    ];
    for (want, values) in cases {
        for value in values.split_whitespace() {
            assert_eq!(weight(value), want, "{value}");
        }
    }
}

#[test]
fn names_identify_measure_and_agree() {
    for name in
        ["id", "orderId", "order_id", "orderid", "csrf-token", "user[token]", "__RequestVerificationToken", "code"]
    {
        assert!(identifies(name) && !measures(name), "{name}");
    }
    for name in ["price", "total_count", "pageSize", "year", "zip", "counts[]"] {
        assert!(measures(name) && !identifies(name), "{name}");
    }
    assert!(same("csrfToken", "csrf_token") && !same("", "") && !same("a", "b"));
    let agree = |a: &str, b: &str| share(&split_words(a), &split_words(b));
    assert!(agree("order_id", "orders") && agree("orderId", "order") && agree("cart.lines", "line"));
    assert!(!agree("id", "id") && !agree("value", "value") && !agree("order", "cart"));
}

/// Trap: a value that is called like a data source hides it.
#[test]
fn every_value_gets_a_name_of_its_own() {
    let mut namer = Namer::default();
    let names: Vec<String> = [
        (&["csrfToken"][..], "id"),
        (&["csrf-token"], "id"),
        (&["item"], "link"),
        (&["item"], "id"),
        (&["people"], "id"),
        (&["", "1", "\u{e4}"], "id"),
        (&["vu"], "link"),
    ]
    .into_iter()
    .map(|(candidates, kind)| namer.name(candidates, kind))
    .collect();
    assert_eq!(names, ["csrf_token", "csrf_token_2", "item", "item_id", "people_id", "value", "vu_link"]);
}

/// RFC 3986, 5.4, as far as its examples are about HTTP.
#[test]
fn references_lead_where_the_rfc_says() {
    let base = "http://a/b/c/d;p?q";
    let cases = [
        ("g", "http://a/b/c/g"),
        ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"),
        ("//g", "http://g/"),
        ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q"),
        ("g#s", "http://a/b/c/g"),
        (";x", "http://a/b/c/;x"),
        ("", "http://a/b/c/d;p?q"),
        (".", "http://a/b/c/"),
        ("..", "http://a/b/"),
        ("../g", "http://a/b/g"),
        ("../../../g", "http://a/g"),
        ("/./g", "http://a/g"),
        ("HTTP://A:80/x y", "http://a/x%20y"),
    ];
    for (reference, want) in cases {
        assert_eq!(resolve(base, reference).as_deref(), Some(want), "{reference}");
    }
    assert_eq!(resolve(base, "mailto:a@b"), None);
    assert_eq!(resolve(base, "javascript:void(0)"), None);
}

#[test]
fn urls_show_what_changes_in_them() {
    let cases = [
        ("https://h/item/7", "item=7"),
        ("https://h/item/5b0b7f9e-1c1d-4e0c-9b2f-7d7a51c9ac10/edit", "item=5b0b7f9e-1c1d-4e0c-9b2f-7d7a51c9ac10"),
        ("https://h/callback?code=kQ9z7Lm2Xw4&lang=de", "code=kQ9z7Lm2Xw4"),
        ("https://h/order?id=7&page=2", "id=7"),
        ("https://h/products?page=2&sort=price", ""),
        ("https://h/blog/2026/01/31/a-day-in-may", ""),
        ("https://h/api/v2/items", ""),
        ("https://h/", ""),
    ];
    for (url, want) in cases {
        let found: Vec<String> = changing(url).iter().map(|part| format!("{}={}", part.name, part.value)).collect();
        assert_eq!(found.join(","), want, "{url}");
    }
}

proptest! {
    /// Law: what a request's text may have been made of makes that text again; what a reply's text may mean is made of it.
    #[test]
    fn codings_are_undone(text in "[ -~]{0,40}", coding in 0..4_usize) {
        let coding = [Coding::Url, Coding::Base64, Coding::Base64Url, Coding::Html][coding].clone();
        let made = coding.apply(&text).unwrap();
        if text.len() >= 8 && made != text {
            let is_it = |(found, plain): &(Coding, String)| *plain == text && found.apply(plain) == Some(made.clone());
            prop_assert!(origins(&made).iter().any(is_it), "{made}");
        }
        for (coding, value) in meanings(&made) {
            prop_assert_eq!(coding.apply(&made), Some(value));
        }
    }

    /// Law: a URL in its one form stays as it is.
    #[test]
    fn one_form_is_one_form(url in "https?://[a-zA-Z]{1,5}(:80|:443|:8080)?[/a-z.?=&% \u{e4}]{0,30}") {
        let once = normal(&url);
        prop_assert_eq!(normal(&once), once);
    }

    /// Law: names are legal for a plan and never given twice.
    #[test]
    fn names_are_legal(names in proptest::collection::vec(("\\PC{0,70}", "(id|link)"), 1..20)) {
        let mut namer = Namer::default();
        let mut seen = std::collections::HashSet::new();
        for (name, kind) in &names {
            let name = namer.name(&[name], kind);
            prop_assert!(name.len() <= 64 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{name}");
            prop_assert!(name.starts_with(|c: char| c.is_ascii_alphabetic()), "{name}");
            prop_assert!(seen.insert(name));
        }
    }
}
