//! Probe paths: replies of any size, status, pace and framing. See [`reply`].

use hyper::body::Bytes;
use hyper::header::{ALLOW, CONNECTION, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Response, StatusCode};
use serde_json::{Value, json};

use crate::answer::Site;
use crate::body::{Body, Drip};
use crate::clock;
use crate::replies::{json, plain, set, with_status};
use crate::shop::form;
use crate::spec::parse_span;
use crate::timers::Timers;

/// Largest generated body, in bytes: 1 GiB.
const BODY_BYTES_MAX: u64 = 1 << 30;
/// Longest `/delay` and `/drip`, in nanoseconds: ten minutes.
const SPAN_NS_MAX: u64 = 600_000_000_000;
/// Most headers of `/headers`.
const HEADERS_MAX: u64 = 1_000;

/// The reply to a probe path.
///
/// - `/` (shop off), `/hello`: the default reply
/// - `/bytes/N`, `/chunked/N`: N bytes, with a length or in chunks
/// - `/status/CODE`: that status, 200 to 599
/// - `/delay/250ms`: the default reply after this wait
/// - `/drip?bytes=1000&for=2s`: a slow body
/// - `/headers?n=20`: so many more headers
/// - `/echo`: method, path, headers and body as JSON
/// - `/close`: the default reply, then the connection closes
pub(crate) async fn reply(site: &Site, timers: &Timers, parts: &Parts, body: Bytes) -> Response<Body> {
    let path = parts.uri.path();
    let path = path.strip_prefix('/').unwrap_or(path);
    let (first, rest) = match path.split_once('/') {
        None => (path, None),
        Some((first, rest)) => (first, Some(rest)),
    };
    let query = form::decode(parts.uri.query().unwrap_or_default());
    match (first, rest) {
        ("" | "hello", None) => default_reply(site),
        ("echo", None) => echo(parts, &body),
        ("close", None) => {
            let mut reply = default_reply(site);
            set(&mut reply, CONNECTION, "close");
            reply
        }
        ("bytes" | "chunked", Some(count)) => match bounded(count, BODY_BYTES_MAX) {
            Some(left_bytes) if first == "bytes" => plain(Body::Sized { left_bytes }),
            Some(left_bytes) => plain(Body::Chunked { left_bytes }),
            None => bad_request(&format!("write /{first}/N with N up to {BODY_BYTES_MAX}")),
        },
        ("status", Some(code)) => status_reply(code),
        ("delay", Some(span)) => match parse_span(span) {
            Ok(span_ns) if span_ns <= SPAN_NS_MAX => {
                timers.sleep(span_ns).await;
                default_reply(site)
            }
            _ => bad_request("write /delay/250ms, up to 10m"),
        },
        ("drip", None) => drip(timers, &query),
        ("headers", None) => headers(&query),
        _ => not_found(),
    }
}

fn default_reply(site: &Site) -> Response<Body> {
    match site.reply_bytes {
        Some(left_bytes) => plain(Body::Sized { left_bytes }),
        None => plain(Body::Ready(Bytes::from_static(b"hello"))),
    }
}

fn echo(parts: &Parts, body: &[u8]) -> Response<Body> {
    let headers: Vec<Value> = parts
        .headers
        .iter()
        .map(|(name, value)| json!([name.as_str(), String::from_utf8_lossy(value.as_bytes())]))
        .collect();
    json(&json!({
        "method": parts.method.as_str(),
        "path": parts.uri.to_string(),
        "version": format!("{:?}", parts.version),
        "headers": headers,
        "body": String::from_utf8_lossy(body),
    }))
}

fn status_reply(code: &str) -> Response<Body> {
    let code = code.parse().ok().filter(|code| (200..600).contains(code));
    let Some(code) = code.and_then(|code: u16| StatusCode::from_u16(code).ok()) else {
        return bad_request("write /status/CODE with 200 to 599");
    };
    let no_body = code == StatusCode::NO_CONTENT || code == StatusCode::NOT_MODIFIED;
    let body = if no_body { Body::empty() } else { Body::text(format!("{code}\n")) };
    status(code, body)
}

fn drip(timers: &Timers, query: &form::Form) -> Response<Body> {
    let bytes = query.get("bytes").and_then(|count| bounded(count, BODY_BYTES_MAX));
    let for_ns = query.get("for").and_then(|span| parse_span(span).ok());
    match (bytes, for_ns) {
        (Some(bytes), Some(for_ns)) if for_ns <= SPAN_NS_MAX => {
            plain(Body::Drip(Drip::new(timers, clock::now_ns(), bytes, for_ns)))
        }
        _ => bad_request("write /drip?bytes=1000&for=2s, up to 10m"),
    }
}

fn headers(query: &form::Form) -> Response<Body> {
    let Some(count) = query.get("n").and_then(|count| bounded(count, HEADERS_MAX)) else {
        return bad_request("write /headers?n=20, up to 1000");
    };
    let mut reply = plain(Body::Ready(Bytes::from_static(b"hello")));
    for index in 0..count {
        if let Ok(name) = HeaderName::try_from(format!("x-nmax-{index:04}")) {
            reply.headers_mut().insert(name, HeaderValue::from(index));
        }
    }
    reply
}

fn bounded(text: &str, max: u64) -> Option<u64> {
    text.parse().ok().filter(|value| *value <= max)
}

/// A plain-text reply with a status.
pub(crate) fn status(code: StatusCode, body: Body) -> Response<Body> {
    with_status(code, plain(body))
}

/// 404, with the way to a list of paths.
pub(crate) fn not_found() -> Response<Body> {
    let text = "not found; known paths: /hello /bytes/N /chunked/N /status/CODE /delay/250ms \
                /drip?bytes=N&for=2s /headers?n=N /echo /close /metrics /_truth\n";
    status(StatusCode::NOT_FOUND, Body::text(text))
}

/// 405 with the method that is allowed.
pub(crate) fn not_allowed(method: &'static str) -> Response<Body> {
    let mut reply = status(StatusCode::METHOD_NOT_ALLOWED, Body::text(format!("use {method}\n")));
    set(&mut reply, ALLOW, method);
    reply
}

fn bad_request(remedy: &str) -> Response<Body> {
    status(StatusCode::BAD_REQUEST, Body::text(format!("{remedy}\n")))
}
