//! Replies by their form: text, page, JSON, file, redirect.

use hyper::body::Bytes;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION};
use hyper::{Response, StatusCode};
use serde_json::Value;

use crate::body::Body;

/// A body of this type.
pub(crate) fn typed(content_type: &str, body: Body) -> Response<Body> {
    let mut reply = Response::new(body);
    set(&mut reply, CONTENT_TYPE, content_type);
    reply
}

/// Plain text.
pub(crate) fn plain(body: Body) -> Response<Body> {
    typed("text/plain; charset=utf-8", body)
}

/// JSON.
pub(crate) fn json(value: &Value) -> Response<Body> {
    typed("application/json", Body::text(value.to_string()))
}

/// A page.
pub(crate) fn html(markup: String) -> Response<Body> {
    typed("text/html; charset=utf-8", Body::text(markup))
}

/// A file that a browser may keep for an hour.
pub(crate) fn file(content_type: &str, bytes: impl Into<Bytes>) -> Response<Body> {
    let mut reply = typed(content_type, Body::text(bytes));
    set(&mut reply, CACHE_CONTROL, "public, max-age=3600");
    reply
}

/// A reply that leads elsewhere.
pub(crate) fn redirect(code: StatusCode, location: &str) -> Response<Body> {
    let mut reply = with_status(code, Response::new(Body::empty()));
    set(&mut reply, LOCATION, location);
    reply
}

/// The same reply with another status.
pub(crate) fn with_status(code: StatusCode, mut reply: Response<Body>) -> Response<Body> {
    *reply.status_mut() = code;
    reply
}

/// Sets a header; our own values are always valid.
pub(crate) fn set(reply: &mut Response<Body>, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::try_from(value) {
        reply.headers_mut().insert(name, value);
    }
}
