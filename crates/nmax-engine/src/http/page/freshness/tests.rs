use nmax_http::KeepBody;
use nmax_http::codec::{Expected, Receiver};
use proptest::prelude::*;

use super::*;

/// Sun, 06 Nov 1994 08:49:37 GMT
const NOW_S: i64 = 784_111_777;
const AT: Span = Span { sent_s: NOW_S, done_s: NOW_S };

fn receiver(status: u16, headers: &str) -> Receiver {
    let mut receiver = Receiver::new();
    receiver.start(Expected {
        is_head: false,
        keep_body: KeepBody::Discard,
        body_limit: 100,
        decode: false,
        keep_failed_bytes: 0,
    });
    let lines: String =
        headers.split('|').filter(|line| !line.is_empty()).map(|line| format!("{}\r\n", line.trim())).collect();
    let reply = format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\n{lines}\r\n");
    receiver.push(reply.as_bytes()).unwrap();
    receiver
}

fn freshness(status: u16, headers: &str) -> Option<Freshness> {
    Freshness::from_reply(&receiver(status, headers).reply(), AT)
}

/// For how many seconds a reply that came now may be used; `None` when it is not stored.
#[track_caller]
fn check(headers: &str, want_s: Option<i64>) {
    let found = freshness(200, headers).map(|found| {
        let is_fresh = |seconds: &i64| found.is_fresh(NOW_S + seconds);
        (0..=100_000).take_while(is_fresh).count() as i64
    });
    assert_eq!(found, want_s, "{headers}");
}

#[test]
fn how_long_a_reply_is_fresh() {
    for (headers, want_s) in [
        ("cache-control: max-age=60", Some(60)),
        ("cache-control: public, MAX-AGE=\"60\", immutable", Some(60)),
        ("cache-control: max-age=60 | age: 20", Some(40)),
        ("cache-control: max-age=60 | date: Sun, 06 Nov 1994 08:49:07 GMT", Some(30)),
        ("cache-control: max-age=60 | age: 50 | date: Sun, 06 Nov 1994 08:49:07 GMT", Some(10)),
        ("cache-control: max-age=60 | age: 70 | etag: \"a\"", Some(0)),
        ("cache-control: max-age=60 | expires: 0", Some(60)),
        ("cache-control: max-age=60, max-age=5", Some(60)),
        ("cache-control: private=\"x, no-store\", max-age=7", Some(7)),
        ("cache-control: s-maxage=60 | etag: \"a\"", Some(0)),
        ("cache-control: max-age=soon | etag: \"a\"", Some(0)),
        ("cache-control: no-cache, max-age=60 | etag: \"a\"", Some(0)),
        ("cache-control: no-cache, max-age=60", None),
        ("cache-control: no-store, max-age=60 | etag: \"a\"", None),
        ("cache-control: max-age=0", None),
        ("expires: Sun, 06 Nov 1994 08:50:37 GMT", Some(60)),
        ("expires: Sun, 06 Nov 1994 08:50:37 GMT | date: Sun, 06 Nov 1994 08:49:37 GMT", Some(60)),
        ("expires: Sunday, 06-Nov-94 08:50:37 GMT", Some(60)),
        ("expires: Sun Nov  6 08:50:37 1994", Some(60)),
        ("expires: 0 | etag: \"a\"", Some(0)),
        ("expires: -1 | last-modified: Sun, 06 Nov 1994 08:39:37 GMT", Some(0)),
        ("last-modified: Sun, 06 Nov 1994 08:39:37 GMT", Some(60)),
        ("pragma: no-cache | etag: \"a\" | expires: Sun, 06 Nov 1994 08:50:37 GMT", Some(0)),
        ("pragma: no-cache | cache-control: max-age=9", Some(9)),
        ("vary: * | etag: \"a\" | cache-control: max-age=60", Some(0)),
        ("etag: \"a\"", Some(0)),
        ("", None),
    ] {
        check(headers, want_s);
    }
}

#[test]
fn only_some_replies_are_stored() {
    for (status, is_stored) in
        [(200, true), (203, true), (204, true), (206, false), (302, true), (304, false), (404, true), (500, true)]
    {
        assert_eq!(freshness(status, "cache-control: max-age=60").is_some(), is_stored, "{status}");
    }
    assert_eq!(freshness(404, "last-modified: Sun, 06 Nov 1994 08:49:37 GMT | etag: \"a\""), None);
    let missing = freshness(404, "cache-control: max-age=60 | etag: \"a\"").unwrap();
    assert!(missing.is_fresh(NOW_S + 59) && !missing.is_fresh(NOW_S + 60));
    assert_eq!(missing.validators().etag, None, "a page that is missing is not asked about");
    let permanent = freshness(301, "").unwrap();
    assert!(permanent.is_fresh(NOW_S + 1_000_000_000));
    assert!(!freshness(308, "cache-control: max-age=60").unwrap().is_fresh(NOW_S + 60));
    assert_eq!(freshness(301, "cache-control: no-store"), None);
}

#[test]
fn a_check_makes_it_fresh_again() {
    let stale = freshness(200, "etag: \"a\" | last-modified: Sun, 06 Nov 1994 08:49:37 GMT | cache-control: max-age=1")
        .unwrap();
    let later = Span { sent_s: NOW_S + 100, done_s: NOW_S + 100 };
    let checked = stale.clone().after_check(&receiver(304, "cache-control: max-age=5").reply(), later).unwrap();
    assert!(checked.is_fresh(NOW_S + 104) && !checked.is_fresh(NOW_S + 105));
    assert_eq!(checked.etag.as_deref(), Some(&b"\"a\""[..]));
    let renamed = stale.clone().after_check(&receiver(304, "etag: \"b\"").reply(), later).unwrap();
    assert_eq!(renamed.etag.as_deref(), Some(&b"\"b\""[..]));
    assert_eq!(stale.after_check(&receiver(304, "cache-control: no-store").reply(), later), None);
}

proptest! {
    /// RFC 9111, 4.2 as a formula, for any whole numbers.
    #[test]
    fn freshness_is_lifetime_less_age(
        max_age in 1_i64..10_000, age in 0_i64..10_000, delay in 0_i64..100, date in -1_000_i64..1_000, rest in 0_i64..20_000,
    ) {
        let span = Span { sent_s: NOW_S - delay, done_s: NOW_S };
        let headers = Headers { date_s: Some(NOW_S - date), age_s: age, etag: Some(b"x"), ..Headers::default() };
        let control = format!("max-age={max_age}");
        let headers = Headers { control: vec![control.as_bytes()], ..headers };
        let found = Freshness::from_headers(&headers, false, span).unwrap();
        let current_age = date.max(0).max(age + delay) + rest;
        prop_assert_eq!(found.is_fresh(NOW_S + rest), max_age > current_age);
    }
}
