use hyper::header::HeaderName;

use super::*;

fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        headers.append(*name, HeaderValue::from_static(value));
    }
    headers
}

#[test]
fn only_what_belongs_to_the_connection_goes() {
    let mut all = headers(&[
        ("connection", "close, x-one"),
        ("connection", "host, cookie"),
        ("x-one", "1"),
        ("x-two", "2"),
        ("host", "a.test"),
        ("cookie", "a=1"),
        ("keep-alive", "5"),
        ("transfer-encoding", "chunked"),
        ("proxy-authorization", "x"),
        ("te", "deflate"),
    ]);
    strip_request(&mut all);
    let left: Vec<&str> = all.keys().map(HeaderName::as_str).collect();
    assert_eq!(left, ["x-two", "host", "cookie"].as_slice(), "a list cannot take away what is for the server");
}

#[test]
fn an_upgrade_must_be_said_twice() {
    let cases = [
        (headers(&[("connection", "Upgrade"), ("upgrade", "websocket")]), true),
        (headers(&[("connection", "keep-alive, upgrade"), ("upgrade", "WebSocket")]), true),
        (headers(&[("upgrade", "websocket")]), false),
        (headers(&[("connection", "upgrade")]), false),
        (headers(&[("connection", "upgrade"), ("upgrade", "h2c")]), false),
    ];
    for (headers, wanted) in cases {
        assert_eq!(upgrade(&headers).is_some(), wanted, "{headers:?}");
    }
}
