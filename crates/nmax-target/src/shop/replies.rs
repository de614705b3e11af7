//! Replies in the shop's forms: page, file, redirect.

use hyper::body::Bytes;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION};
use hyper::{Response, StatusCode};

use super::pages;
use crate::body::Body;

/// A page.
pub(super) fn html(markup: String) -> Response<Body> {
    let mut reply = Response::new(Body::text(markup));
    set(&mut reply, CONTENT_TYPE, "text/html; charset=utf-8");
    reply
}

/// A file that a browser may keep for an hour.
pub(super) fn file(content_type: &str, bytes: impl Into<Bytes>) -> Response<Body> {
    let mut reply = Response::new(Body::text(bytes));
    set(&mut reply, CONTENT_TYPE, content_type);
    set(&mut reply, CACHE_CONTROL, "public, max-age=3600");
    reply
}

/// 404 as a page.
pub(super) fn missing(text: &str) -> Response<Body> {
    with_status(StatusCode::NOT_FOUND, html(pages::notice("Not found", text)))
}

/// A reply that leads elsewhere.
pub(super) fn redirect(code: StatusCode, location: &str) -> Response<Body> {
    let mut reply = with_status(code, Response::new(Body::empty()));
    set(&mut reply, LOCATION, location);
    reply
}

/// The same reply with another status.
pub(super) fn with_status(code: StatusCode, mut reply: Response<Body>) -> Response<Body> {
    *reply.status_mut() = code;
    reply
}

/// Sets a header; our own values are always valid.
pub(super) fn set(reply: &mut Response<Body>, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::try_from(value) {
        reply.headers_mut().insert(name, value);
    }
}
