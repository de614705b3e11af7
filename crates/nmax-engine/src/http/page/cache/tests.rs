use nmax_http::codec::{Expected, Receiver};
use nmax_http::{KeepBody, RequestText};

use super::*;

const AT: Span = Span { sent_s: 1_000, done_s: 1_000 };

fn receiver(headers: &str) -> Receiver {
    let mut receiver = Receiver::new();
    receiver.start(Expected {
        is_head: false,
        keep_body: KeepBody::Discard,
        body_limit: 100,
        decode: false,
        keep_failed_bytes: 0,
    });
    let reply = format!("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n{headers}\r\n\r\n");
    receiver.push(reply.as_bytes()).unwrap();
    receiver
}

fn url(path: &str) -> Url {
    Url::parse(&format!("http://h.test/{path}")).unwrap()
}

fn nothing() -> Content {
    Content { found: Rc::from([]), leads_to: None, is_failed: false }
}

/// A request with these lines in its head.
fn request_of(lines: &str) -> RequestText {
    let mut request = RequestText::new();
    request.begin(b"GET", b"/", "HTTP/1.1");
    lines
        .lines()
        .filter_map(|line| line.split_once(": "))
        .for_each(|(name, value)| request.field(name, value.as_bytes()));
    request
}

fn store(cache: &mut Cache, path: &str, headers: &str, request: &str) {
    cache.store(url(path), &receiver(headers).reply(), request_of(request).fields(), nothing(), AT);
}

fn find(cache: &mut Cache, path: &str, request: &str, now_s: i64) -> &'static str {
    match cache.find(&url(path), |names| selected(names, request_of(request).fields()), now_s) {
        Some(Stored::Fresh(_)) => "fresh",
        Some(Stored::Stale(_)) => "stale",
        None => "none",
    }
}

#[test]
fn fresh_then_stale_then_checked() {
    let mut cache = Cache::default();
    assert_eq!(find(&mut cache, "a", "", 1_000), "none");
    store(&mut cache, "a", "cache-control: max-age=10\r\netag: \"1\"", "");
    assert_eq!(find(&mut cache, "a", "", 1_009), "fresh");
    assert_eq!(find(&mut cache, "a", "", 1_010), "stale");
    let later = Span { sent_s: 2_000, done_s: 2_000 };
    cache.refresh(&url("a"), &receiver("cache-control: max-age=10").reply(), Fields::default(), later).unwrap();
    assert_eq!(find(&mut cache, "a", "", 2_009), "fresh");
    store(&mut cache, "a", "cache-control: no-store", "");
    assert_eq!(find(&mut cache, "a", "", 2_009), "none", "what may not be stored replaces what was");
    assert!(cache.refresh(&url("a"), &receiver("etag: \"1\"").reply(), Fields::default(), later).is_none());
}

#[test]
fn a_reply_fits_requests_with_the_same_headers() {
    let mut cache = Cache::default();
    let request = |cookie: &str| format!("host: h\r\nCookie: {cookie}");
    let headers = "cache-control: max-age=10\r\nvary: Accept-Encoding, cookie\r\netag: \"1\"";
    store(&mut cache, "a", headers, &request("a=1"));
    assert_eq!(find(&mut cache, "a", &request("a=1"), 1_000), "fresh");
    assert_eq!(find(&mut cache, "a", &request("a=2"), 1_000), "stale");
    assert_eq!(find(&mut cache, "a", "host: h", 1_000), "stale");
}

#[test]
fn the_one_unused_for_longest_is_forgotten() {
    let mut cache = Cache::default();
    for n in 0..ENTRIES_MAX {
        store(&mut cache, &n.to_string(), "cache-control: max-age=10", "");
    }
    assert_eq!(find(&mut cache, "0", "", 1_000), "fresh");
    store(&mut cache, "new", "cache-control: max-age=10", "");
    assert_eq!(find(&mut cache, "1", "", 1_000), "none");
    for path in ["0", "2", "new"] {
        assert_eq!(find(&mut cache, path, "", 1_000), "fresh", "{path}");
    }
    assert_eq!(cache.entries.len(), ENTRIES_MAX);
}
