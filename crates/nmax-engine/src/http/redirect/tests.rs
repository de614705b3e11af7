use nmax_http::KeepBody;
use nmax_http::codec::{Expected, Receiver};

use super::*;

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

/// Where a reply with this status and these header lines leads from `http://shop.test/a/b?c`.
fn leads(status: u16, lines: &str) -> Option<String> {
    let mut receiver = Receiver::new();
    receiver.start(expected());
    let head = format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\n{lines}\r\n");
    assert!(receiver.push(head.as_bytes()).unwrap());
    let led = location(&receiver.reply(), &url("http://shop.test/a/b?c"))?;
    led.ok().map(|url| url.to_string())
}

fn expected() -> Expected {
    Expected { is_head: false, keep_body: KeepBody::Discard, body_limit: 1_000, decode: false, keep_failed_bytes: 0 }
}

#[test]
fn a_reply_leads_where_its_location_says() {
    let cases = [
        (302, "location: /x\r\n", Some("http://shop.test/x"), "a path"),
        (302, "Location: x?y#top\r\n", Some("http://shop.test/a/x?y"), "relative, without its fragment"),
        (301, "location: //cdn.test/x\r\n", Some("http://cdn.test/x"), "the same scheme"),
        (307, "location: https://h.test:8443\r\n", Some("https://h.test:8443/"), "a whole URL"),
        (308, "location: ?page=2\r\n", Some("http://shop.test/a/b?page=2"), "a query"),
        (303, "location: /caf\u{e9}\r\n", Some("http://shop.test/caf%C3%A9"), "bytes above ASCII stay what they are"),
        (302, "", None, "nowhere"),
        (302, "location:\r\n", None, "an empty one"),
        (302, "location: http://[broken\r\n", None, "not a URL"),
        (302, "location: app://open\r\n", None, "a scheme that cannot be asked"),
        (302, "location: http://user:pw@h.test/\r\n", None, "credentials that nobody gave us"),
        (200, "location: /x\r\n", None, "no redirect"),
        (201, "location: /x\r\n", None, "the place of what was made"),
        (300, "location: /x\r\n", None, "a choice is the reader's"),
        (304, "location: /x\r\n", None, "not modified"),
    ];
    for (status, lines, want, why) in cases {
        assert_eq!(leads(status, lines).as_deref(), want, "{why}: {status} {lines}");
    }
}

/// RFC 9110, 15.4, with the POST that browsers turn into a GET.
#[test]
fn methods_and_bodies_change_as_browsers_change_them() {
    use Method::{Delete, Get, Head, Options, Patch, Post, Put};
    let here = url("http://h.test/").origin;
    for method in [Get, Head, Post, Put, Patch, Delete, Options] {
        for status in [301, 302, 303, 307, 308] {
            let form = Form { method, has_body: true, has_credentials: true };
            let after = form_after(form, status, &here, &here);
            let want = match (status, method) {
                (303, Head) => (Head, true),
                (303, _) => (Get, false),
                (301 | 302, Post) => (Get, false),
                _ => (method, true),
            };
            assert_eq!((after.method, after.has_body), want, "{status} after {method:?}");
            assert!(after.has_credentials, "the same origin keeps them");
        }
    }
}

#[test]
fn credentials_do_not_leave_their_origin_and_do_not_come_back() {
    let home = url("https://shop.test/").origin;
    let form = Form { method: Method::Get, has_body: true, has_credentials: true };
    for elsewhere in ["https://evil.test/", "https://shop.test:8443/", "http://shop.test/", "https://a.shop.test/"] {
        let elsewhere = url(elsewhere).origin;
        let away = form_after(form, 307, &home, &elsewhere);
        assert!(!away.has_credentials, "{elsewhere}");
        assert!(!form_after(away, 307, &elsewhere, &home).has_credentials, "back from {elsewhere}");
    }
    assert!(form_after(form, 307, &home, &url("https://SHOP.test:443/x").origin).has_credentials);
}

#[test]
fn a_circle_is_named() {
    let visited = [url("http://h.test/start"), url("http://h.test/a"), url("http://h.test/b")];
    assert_eq!(
        describe(&visited, &url("http://h.test/a")),
        "the redirects go in a circle of 2, left after 2: http://h.test/a -> http://h.test/b -> http://h.test/a"
    );
    assert_eq!(
        describe(&visited, &url("http://h.test/c")),
        "more than 2 redirects: http://h.test/start -> http://h.test/a -> http://h.test/b -> http://h.test/c"
    );
}

/// Rival mistake: the same URL ten times over.
#[test]
fn a_circle_is_named_once_however_often_it_was_gone_round() {
    let same = vec![url("http://h.test/a"); 10];
    assert_eq!(
        describe(&same, &url("http://h.test/a")),
        "the redirects go in a circle of 1, left after 9: http://h.test/a -> http://h.test/a"
    );
    let two: Vec<Url> = (0..10).map(|k| url(["http://h.test/a", "http://h.test/b"][k % 2])).collect();
    assert_eq!(
        describe(&two, &url("http://h.test/a")),
        "the redirects go in a circle of 2, left after 9: http://h.test/a -> http://h.test/b -> http://h.test/a"
    );
}

#[test]
fn long_urls_are_shortened_without_a_part_of_a_secret() {
    let long = url(&format!("http://h.test/?token={}", "s".repeat(1_000)));
    let text = describe(std::slice::from_ref(&long), &long);
    assert!(text.len() < 600 && !text.contains("ss"), "{text}");
}
