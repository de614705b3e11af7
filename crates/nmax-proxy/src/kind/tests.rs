use hyper::header::{HeaderName, HeaderValue};

use super::*;

fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
    let pair =
        |(name, value): &(&'static str, &'static str)| (HeaderName::from_static(name), HeaderValue::from_static(value));
    pairs.iter().map(pair).collect()
}

#[test]
fn a_request_tells_what_it_is_for() {
    let get = Method::GET;
    //   method        headers                                             kind              why
    let cases = [
        (&get, headers(&[("sec-fetch-dest", "iframe")]), Kind::Document, "a frame"),
        (&get, headers(&[("sec-fetch-dest", "empty"), ("accept", "*/*")]), Kind::Call, "fetch"),
        (&get, headers(&[("sec-fetch-dest", "empty"), ("accept", "text/event-stream")]), Kind::Events, "EventSource"),
        (&get, headers(&[("accept", "text/html,*/*")]), Kind::Document, "sites without TLS get no sec-fetch"),
        (&get, headers(&[("accept", "image/avif,*/*")]), Kind::Image, "nor pictures"),
        (&get, headers(&[("accept", "text/html"), ("x-requested-with", "XMLHttpRequest")]), Kind::Call, "jQuery"),
        (&Method::OPTIONS, headers(&[("access-control-request-method", "PUT")]), Kind::Preflight, "CORS"),
        (&Method::OPTIONS, headers(&[]), Kind::Other, "OPTIONS of its own"),
        (&Method::POST, headers(&[("content-type", "text/ping")]), Kind::Beacon, "a ping"),
    ];
    for (method, headers, want, why) in cases {
        assert_eq!(of_request(method, &headers), want, "{why}");
    }
}

#[test]
fn a_reply_tells_only_what_the_request_did_not() {
    let html = headers(&[("content-type", "text/html; charset=utf-8")]);
    assert_eq!(of_reply(Kind::Other, &html), Kind::Document);
    assert_eq!(of_reply(Kind::Call, &html), Kind::Call, "a script may fetch a page");
    let script = headers(&[("content-type", "text/javascript")]);
    assert_eq!(of_reply(Kind::Other, &script), Kind::Script);
}
