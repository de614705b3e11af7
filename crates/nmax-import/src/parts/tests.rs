use nmax_text::percent;
use proptest::prelude::*;

use super::*;
use crate::recording::Body;

proptest! {
    /// A login in a URL and the header that stands for it say the same.
    #[test]
    fn logins_of_urls_become_headers(user in "[^:]{1,8}", password in "\\PC{0,8}", path in "(/[a-z@:]{0,4}){0,2}") {
        use base64::Engine as _;
        let login = format!("{}:{}", percent::encode(&user), percent::encode(&password));
        let (bare, header) = without_login(&format!("http://{login}@shop.test:8080{path}")).unwrap();
        prop_assert_eq!(&bare, &format!("http://shop.test:8080{path}"));
        let header = header.unwrap();
        let bytes = base64::engine::general_purpose::STANDARD.decode(header.strip_prefix("Basic ").unwrap()).unwrap();
        prop_assert_eq!(String::from_utf8(bytes).unwrap(), format!("{user}:{password}"));
        prop_assert_eq!(without_login(&bare), None);
    }
}

#[test]
fn logins_of_urls_in_their_forms() {
    let header = |user_and_password: &str| {
        use base64::Engine as _;
        Some(format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(user_and_password)))
    };
    for (url, bare, want) in [
        ("http://ann@a.test/", "http://a.test/", header("ann:")),
        ("https://ann:@[::1]:8/x?y=@", "https://[::1]:8/x?y=@", header("ann:")),
        ("http://:pw@a.test", "http://a.test", header(":pw")),
        ("http://a@b:c@a.test/", "http://a.test/", header("a@b:c")),
        ("http://a%zz:b@a.test/", "http://a.test/", header("a%zz:b")),
        ("http://@a.test/", "http://a.test/", None),
    ] {
        assert_eq!(without_login(url), Some((bare.to_owned(), want)), "{url}");
    }
    for url in ["http://a.test/@b", "/a@b", "mailto:a@b.test", "http://a.test?u=a@b"] {
        assert_eq!(without_login(url), None, "{url}");
    }
}

/// Texts with everything that encodings have to save.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z0-9]{0,8}", "[ -~]{0,12}", "\\PC{0,6}", Just("a&b=c d+e%20;\"'\\/<$>{}".to_owned()),]
}

fn raw_query() -> impl Strategy<Value = String> {
    prop::collection::vec(prop_oneof!["[a-c]=[a-z0-9%+.]{0,6}", "[a-c]", "[a-c]%20=%C3%A9", "=", "[a-c]=%FF"], 0..5)
        .prop_map(|pairs| pairs.join("&"))
}

fn json_value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        any_text().prop_map(serde_json::Value::from),
        any::<i32>().prop_map(serde_json::Value::from),
        any::<bool>().prop_map(serde_json::Value::from),
        Just(serde_json::Value::Null),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            prop::collection::vec(("[a-z~/\"]{0,4}", inner), 0..4)
                .prop_map(|pairs| serde_json::Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn body() -> impl Strategy<Value = Option<Body>> {
    let of = |mime: &str, bytes: Vec<u8>| Some(Body { mime: mime.to_owned(), bytes, ..Body::default() });
    let multipart = |fields: Vec<(String, String)>| {
        let mut text = String::new();
        for (name, value) in fields {
            text.push_str(&format!("--B0\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"));
        }
        text.push_str("--B0\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.bin\"\r\n");
        text.push_str("Content-Type: image/png\r\n\r\n\u{1}\u{2}\r\n--B0--\r\n");
        text.into_bytes()
    };
    prop_oneof![
        Just(None),
        raw_query().prop_map(move |text| of("application/x-www-form-urlencoded", text.into_bytes())),
        json_value().prop_map(move |value| of("application/json; charset=utf-8", value.to_string().into_bytes())),
        json_value()
            .prop_map(move |value| { of("application/vnd.api+json", serde_json::to_vec_pretty(&value).unwrap()) }),
        prop::collection::vec(("[a-c]", "[ -,.-~]{0,8}"), 0..4)
            .prop_map(move |fields| of("multipart/form-data; boundary=B0", multipart(fields))),
        any_text().prop_map(move |text| of("text/plain", text.into_bytes())),
        prop::collection::vec(any::<u8>(), 0..20).prop_map(move |bytes| of("application/json", bytes)),
    ]
}

fn request() -> impl Strategy<Value = Request> {
    let path = "(/[a-z0-9%.;=~-]{0,6}){0,4}";
    let headers = prop::collection::vec(
        (
            prop_oneof!["[xX]-[a-b]", Just("Cookie".to_owned()), Just("authorization".to_owned())],
            "[a-c]=[a-z]{0,4}(; [a-c]=[a-z]{0,4}){0,2}",
        ),
        0..4,
    );
    (path, prop::option::of(raw_query()), headers, body()).prop_map(|(path, query, headers, body)| Request {
        method: "POST".into(),
        url: format!("https://shop.test:8443{path}{}", query.map_or(String::new(), |query| format!("?{query}"))),
        headers,
        body,
        ..Request::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn places_are_unique(request in request()) {
        let mut places: Vec<_> = request_parts(&request).into_iter().map(|part| part.place).collect();
        let count = places.len();
        places.sort();
        places.dedup();
        prop_assert_eq!(places.len(), count);
    }

    #[test]
    fn nothing_that_is_sent_breaks_it(url in "\\PC{0,20}", mime in "\\PC{0,20}", bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let request = Request {
            url,
            headers: vec![("content-type".into(), mime.clone())],
            body: Some(Body { mime, bytes, ..Body::default() }),
            ..Request::default()
        };
        let places: Vec<_> = request_parts(&request).into_iter().map(|part| part.place).collect();
        prop_assert_eq!(&places[0], &ValueLocation::Target);
        prop_assert_eq!(places.iter().collect::<std::collections::HashSet<_>>().len(), places.len());
    }
}

#[test]
fn values_are_decoded_as_their_place_demands() {
    let request = Request {
        url: "http://a.test/item/caf%C3%A9+1/?q=oak+table&q=2&flag&x=%FF#part".into(),
        headers: vec![
            ("Cookie".into(), "sid=1; theme=dark".into()),
            ("X-A".into(), "1".into()),
            ("x-a".into(), "2".into()),
        ],
        body: Some(Body {
            mime: "application/json".into(),
            bytes: br#"{"a/b": {"n": 1.50, "ok": true, "no": null, "t": ["\u00e9\/"]}, "n": "1"}"#.to_vec(),
            ..Body::default()
        }),
        ..Request::default()
    };
    let found: Vec<_> =
        request_parts(&request).into_iter().map(|part| (part.place, part.value, part.is_bare)).collect();
    let query = |name: &str, nth| ValueLocation::Query(name.into(), nth);
    let json = |pointer: &str| ValueLocation::Json(pointer.into());
    let want = [
        (ValueLocation::Target, "/item/caf%C3%A9+1/?q=oak+table&q=2&flag&x=%FF", false),
        (ValueLocation::Segment(0), "item", false),
        (ValueLocation::Segment(1), "café+1", false),
        (query("q", 0), "oak table", false),
        (query("q", 1), "2", false),
        (ValueLocation::Header("x-a".into()), "1, 2", false),
        (ValueLocation::Cookie("sid".into()), "1", false),
        (ValueLocation::Cookie("theme".into()), "dark", false),
        (json("/a~1b/n"), "1.50", true),
        (json("/a~1b/ok"), "true", true),
        (json("/a~1b/t/0"), "é/", false),
        (json("/n"), "1", false),
    ];
    let want: Vec<_> = want.into_iter().map(|(place, value, is_bare)| (place, value.to_owned(), is_bare)).collect();
    assert_eq!(found, want);
}

#[test]
fn urls_are_split_where_they_have_no_path() {
    for (url, origin, host, path_and_query) in [
        ("https://a.test", "https://a.test", "a.test", "/"),
        ("https://a.test?x=1", "https://a.test", "a.test", "?x=1"),
        ("http://[::1]:80/x", "http://[::1]:80", "[::1]", "/x"),
        ("http://u:p@a.test:1/", "http://u:p@a.test:1", "a.test", "/"),
        ("/next?to=http://b.test/", "", "", "/next?to=http://b.test/"),
    ] {
        let target = split(url);
        assert_eq!((target.origin, target.host, target.path_and_query), (origin, host, path_and_query));
    }
}

/// The examples of RFC 3986, 5.4, as far as they are paths and queries.
#[test]
fn references_are_resolved_as_the_rfc_says() {
    let base = "http://a/b/c/d;p?q";
    for (reference, want) in [
        ("g", "http://a/b/c/g"),
        ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"),
        ("//g", "http://g"),
        ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q"),
        ("", "http://a/b/c/d;p?q"),
        (".", "http://a/b/c/"),
        ("..", "http://a/b/"),
        ("../g", "http://a/b/g"),
        ("../..", "http://a/"),
        ("../../../g", "http://a/g"),
        ("/./g", "http://a/g"),
        ("g;x=1/../y", "http://a/b/c/y"),
        ("https://x/y#z", "https://x/y"),
    ] {
        assert_eq!(resolve(base, reference), want, "{reference}");
    }
}
