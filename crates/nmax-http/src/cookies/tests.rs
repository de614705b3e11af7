use super::*;
use crate::url::Url;
use proptest::prelude::*;

const NOW: i64 = 1_700_000_000;

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

fn store(jar: &mut Jar, at: &str, set_cookie: &str) -> Result<(), Refused> {
    let url = url(at);
    jar.store(&url.origin, url.target.as_bytes(), set_cookie.as_bytes(), NOW)
}

fn sent_at(jar: &Jar, to: &str, now: i64) -> String {
    let url = url(to);
    let mut out = Vec::new();
    let any = jar.write(&url.origin, url.target.as_bytes(), now, &mut out);
    assert_eq!(any, !out.is_empty());
    String::from_utf8(out).unwrap()
}

/// One `set-cookie` from one URL, and what another URL gets.
#[test]
fn where_a_cookie_goes() {
    let cases = [
        ("http://h.test/", "a=1", "http://h.test/x", "a=1", "to the host itself"),
        ("http://h.test/", "a=1", "http://w.h.test/", "", "host-only without a domain"),
        ("http://h.test/", "a=1", "http://h.test:81/", "a=1", "ports do not count"),
        ("http://w.h.test/", "a=1; domain=h.test", "http://h.test/", "a=1", "the domain itself"),
        ("http://w.h.test/", "a=1; Domain=.H.Test", "http://v.h.test/", "a=1", "a leading dot and case"),
        ("http://w.h.test/", "a=1; domain=h.test", "http://oh.test/", "", "whole labels only"),
        ("http://h.test/", "a=1; domain=", "http://w.h.test/", "", "an empty domain is none"),
        ("http://localhost/", "a=1; domain=localhost", "http://localhost/", "a=1", "the host is not a suffix"),
        ("http://10.0.0.1/", "a=1; domain=10.0.0.1", "http://10.0.0.1/", "a=1", "an address is equal only"),
        ("http://h.test/a/b?q=/c/", "a=1", "http://h.test/a/x", "a=1", "default path is the folder"),
        ("http://h.test/a/b", "a=1", "http://h.test/ab", "", "and whole segments"),
        ("http://h.test/a", "a=1", "http://h.test/b", "a=1", "a file at the root"),
        ("http://h.test/a/b", "a=1; path=/", "http://h.test/", "a=1", "a given path"),
        ("http://h.test/a/b", "a=1; path=x", "http://h.test/a/", "a=1", "a bad path is none"),
        ("http://h.test/", "a=1; path=/a", "http://h.test/a", "a=1", "equal"),
        ("http://h.test/", "a=1; path=/a", "http://h.test/a?b", "a=1", "the query is not a path"),
        ("http://h.test/", "a=1; path=/a/", "http://h.test/a", "", "a slash more"),
        ("http://h.test/", "a=1; path=/a/", "http://h.test/a/b", "a=1", "below"),
        ("https://h.test/", "a=1; Secure", "http://h.test/", "", "secure needs TLS"),
        ("https://h.test/", "a=1; Secure; HttpOnly", "https://h.test/", "a=1", "secure with TLS"),
        ("http://h.test/", " a = 1 2 ;x", "http://h.test/", "a=1 2", "blanks around, not within"),
        ("http://h.test/", "a=b=c", "http://h.test/", "a=b=c", "the first = splits"),
        ("http://h.test/", "a=", "http://h.test/", "a=", "an empty value"),
    ];
    for (from, set, to, want, why) in cases {
        let mut jar = Jar::new();
        store(&mut jar, from, set).unwrap();
        assert_eq!(sent_at(&jar, to, NOW), want, "{why}: {set} from {from} to {to}");
    }
}

#[test]
fn refused_cookies() {
    let large = format!("a={}", "x".repeat(COOKIE_BYTES_MAX));
    let cases = [
        ("http://h.test/", "novalue", Refused::NoName),
        ("http://h.test/", "=1", Refused::NoName),
        ("http://h.test/", "", Refused::NoName),
        ("http://h.test/", "a=1\u{7}", Refused::ControlCharacter),
        ("http://h.test/", &large, Refused::TooLarge),
        ("http://h.test/", "a=1; domain=other.test", Refused::ForeignDomain),
        ("http://h.test/", "a=1; domain=w.h.test", Refused::ForeignDomain),
        ("http://oh.test/", "a=1; domain=h.test", Refused::ForeignDomain),
        ("http://10.0.0.1/", "a=1; domain=0.0.1", Refused::ForeignDomain),
        ("http://h.test/", "a=1; domain=test", Refused::PublicSuffix),
    ];
    for (from, set, want) in cases {
        let mut jar = Jar::new();
        assert_eq!(store(&mut jar, from, set), Err(want), "{set}");
        assert!(jar.is_empty());
    }
}

/// Rows of (host, domain attribute, who else gets the cookie; `None` when it is refused).
#[test]
fn a_public_suffix_is_no_domain_for_cookies() {
    let cases = [
        ("shop.example.com", "example.com", Some("www.example.com")),
        ("shop.example.com", "com", None),
        ("shop.example.co.uk", "example.co.uk", Some("www.example.co.uk")),
        ("shop.example.co.uk", "co.uk", None),
        ("shop.example.co.uk", ".CO.UK", None),
        ("shop.example.co.uk", "uk", None),
        // From the private part of the list: hosts for anyone.
        ("me.github.io", "github.io", None),
        ("a.me.github.io", "me.github.io", Some("b.me.github.io")),
        // A wildcard and its exception.
        ("a.b.ck", "b.ck", None),
        ("a.www.ck", "www.ck", Some("b.www.ck")),
        ("a.xn--55qx5d.cn", "xn--55qx5d.cn", None),
        // Names of a company's own, on no list.
        ("shop.corp.internal", "corp.internal", Some("www.corp.internal")),
        ("shop.internal", "internal", None),
    ];
    for (host, domain, other) in cases {
        let mut jar = Jar::new();
        let stored = store(&mut jar, &format!("http://{host}/"), &format!("a=1; domain={domain}"));
        match other {
            Some(other) => assert_eq!((stored, &*sent_at(&jar, &format!("http://{other}/"), NOW)), (Ok(()), "a=1")),
            None => assert_eq!(stored, Err(Refused::PublicSuffix), "{domain} from {host}"),
        }
    }
    // The suffix itself may be a host, and sets cookies for itself alone.
    let mut jar = Jar::new();
    store(&mut jar, "http://github.io/", "a=1; domain=github.io").unwrap();
    assert_eq!(sent_at(&jar, "http://github.io/", NOW), "a=1");
    assert_eq!(sent_at(&jar, "http://me.github.io/", NOW), "");
}

#[test]
fn addresses_share_no_cookies() {
    for (host, other) in [("10.0.0.1", "9.10.0.0.1"), ("10.0.0.1", "10.0.0.2"), ("[::1]", "[::2]")] {
        let mut jar = Jar::new();
        store(&mut jar, &format!("http://{host}/"), "a=1").unwrap();
        assert_eq!(sent_at(&jar, &format!("http://{host}:8080/"), NOW), "a=1");
        if let Ok(other) = Url::parse(&format!("http://{other}/")) {
            let mut out = Vec::new();
            assert!(!jar.write(&other.origin, b"/", NOW, &mut out));
        }
        for domain in ["0.0.1", "1", "0.1", ":1"] {
            let refused = store(&mut jar, &format!("http://{host}/"), &format!("b=1; domain={domain}"));
            assert_eq!(refused, Err(Refused::ForeignDomain), "{domain} from {host}");
        }
    }
    let mut jar = Jar::new();
    store(&mut jar, "http://10.0.0.1/", "a=1; domain=10.0.0.1").unwrap();
    assert_eq!(sent_at(&jar, "http://10.0.0.1/", NOW), "a=1");
}

/// Joined by commas, as some clients show repeated headers, a date would end its cookie and begin another.
#[test]
fn each_set_cookie_line_is_a_cookie_of_its_own() {
    use crate::codec::{Expected, Receiver};
    use crate::message::KeepBody;

    let mut receiver = Receiver::new();
    receiver.start(Expected {
        is_head: false,
        keep_body: KeepBody::Discard,
        body_limit: 0,
        decode: false,
        keep_failed_bytes: 0,
    });
    let head = b"HTTP/1.1 204 No\r\nSet-Cookie: a=1; Expires=Tue, 14 Nov 2023 22:13:25 GMT; Path=/\r\n\
        x: y\r\nset-cookie: b=x, y; path=/\r\nSET-COOKIE: c=3\r\n\r\n";
    assert_eq!(receiver.push(head), Ok(true));
    let url = url("http://h.test/");
    let mut jar = Jar::new();
    for line in receiver.reply().set_cookies() {
        jar.store(&url.origin, url.target.as_bytes(), line, NOW).unwrap();
    }
    assert_eq!(sent_at(&jar, "http://h.test/", NOW), "a=1; b=x, y; c=3");
    assert_eq!(sent_at(&jar, "http://h.test/", NOW + 5), "b=x, y; c=3", "the date of the first was read");
}

#[test]
fn lifetimes() {
    // set-cookie attributes                              lives for, in seconds
    let cases = [
        ("", None),
        ("; max-age=10", Some(10)),
        ("; max-age=10; expires=Thu, 01 Jan 1970 00:00:00 GMT", Some(10)),
        ("; expires=Tue, 14 Nov 2023 22:13:25 GMT", Some(5)),
        ("; max-age=x; expires=Tue, 14 Nov 2023 22:13:25 GMT", Some(5)),
        ("; max-age=99999999999999999999", None),
        ("; max-age=0", Some(0)),
        ("; max-age=-1", Some(0)),
        ("; expires=never", None),
    ];
    for (attributes, lives_s) in cases {
        let mut jar = Jar::new();
        store(&mut jar, "http://h.test/", &format!("a=1{attributes}")).unwrap();
        let alive_at = |s: i64| !sent_at(&jar, "http://h.test/", NOW + s).is_empty();
        match lives_s {
            None => assert!(alive_at(1_000_000_000), "{attributes}"),
            Some(0) => assert!(jar.is_empty(), "{attributes}"),
            Some(s) => assert!(alive_at(s - 1) && !alive_at(s), "{attributes}"),
        }
    }
}

#[test]
fn order_replacement_and_removal() {
    let mut jar = Jar::new();
    let at = "http://h.test/a/b/c";
    for set in ["old=1; path=/", "deep=1; path=/a/b", "new=1; path=/", "mid=1; path=/a"] {
        store(&mut jar, at, set).unwrap();
    }
    assert_eq!(sent_at(&jar, at, NOW), "deep=1; mid=1; old=1; new=1", "longest path, then oldest");
    store(&mut jar, at, "old=2; path=/").unwrap();
    assert_eq!(sent_at(&jar, at, NOW), "deep=1; mid=1; old=2; new=1", "replaced in its place");
    store(&mut jar, at, "deep=; path=/a/b; max-age=0").unwrap();
    assert_eq!(sent_at(&jar, at, NOW), "mid=1; old=2; new=1", "removed");
    jar.clear();
    assert_eq!(sent_at(&jar, at, NOW), "");
}

#[test]
fn a_full_jar_loses_its_oldest() {
    let mut jar = Jar::new();
    for i in 0..=COOKIES_MAX {
        store(&mut jar, "http://h.test/", &format!("c{i}=1")).unwrap();
    }
    assert_eq!(jar.len(), COOKIES_MAX);
    let sent = sent_at(&jar, "http://h.test/", NOW);
    assert!(sent.starts_with("c1=1; c2=1") && sent.ends_with(&format!("c{COOKIES_MAX}=1")), "{sent}");
}

/// Unix seconds from `date -u -d ... +%s`.
#[test]
fn dates_in_many_forms() {
    let cases = [
        ("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777)),
        ("Sunday, 06-Nov-94 08:49:37 GMT", Some(784_111_777)),
        ("Sun Nov  6 08:49:37 1994", Some(784_111_777)),
        ("6 november 1994 8:49:37", Some(784_111_777)),
        ("Thu, 01 Jan 1970 00:00:00 GMT", Some(0)),
        ("29 Feb 2000 12:00:00", Some(951_825_600)),
        ("01-Jan-69 00:00:00", Some(3_124_224_000)),
        ("31 Dec 9999 23:59:59", Some(253_402_300_799)),
        ("29 Feb 1900 12:00:00", None),
        ("31 Apr 2020 00:00:00", None),
        ("1 Jan 2020 24:00:00", None),
        ("1 Jan 1600 00:00:00", None),
        ("1 Jan 2020", None),
        ("0", None),
        ("", None),
    ];
    for (text, want) in cases {
        assert_eq!(parse_date(text.as_bytes()), want, "{text}");
    }
}

proptest! {
    /// Law: a day later is 86,400 seconds later, over month, year and century ends.
    #[test]
    fn days_follow_each_other(day in 1..=27_i64, month in 0..12_usize, year in 1601..9999_i64) {
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let at = |d: i64, m: usize, y: i64| parse_date(format!("{d} {} {y} 01:02:03", names[m]).as_bytes());
        prop_assert_eq!(at(day + 1, month, year).unwrap() - at(day, month, year).unwrap(), 86_400);
        let last = (28..=31).rev().find_map(|d| at(d, month, year)).unwrap();
        let (next_month, next_year) = if month == 11 { (0, year + 1) } else { (month + 1, year) };
        prop_assert_eq!(at(1, next_month, next_year).unwrap() - last, 86_400);
    }

    /// Law: no value panics, and what is sent back can be one header line.
    #[test]
    fn any_value_is_taken_or_refused(value in prop::collection::vec(any::<u8>(), 0..60)) {
        let mut jar = Jar::new();
        let url = url("http://w.h.test/a");
        let _ = jar.store(&url.origin, url.target.as_bytes(), &value, NOW);
        let mut out = Vec::new();
        jar.write(&url.origin, url.target.as_bytes(), NOW, &mut out);
        prop_assert!(!out.iter().any(u8::is_ascii_control));
    }
}
