//! What a browser wanted something for: by `sec-fetch-dest` where it says so, else by what it accepts, else by what came.

use hyper::Method;
use hyper::header::{ACCEPT, ACCESS_CONTROL_REQUEST_METHOD, CONTENT_TYPE, HeaderMap};
use nmax_import::recording::Kind;

fn text<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// As far as the request tells.
pub(crate) fn of_request(method: &Method, headers: &HeaderMap) -> Kind {
    if method == Method::OPTIONS && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD) {
        return Kind::Preflight;
    }
    let sent_type = text(headers, CONTENT_TYPE.as_str());
    let is_report = ["text/ping", "application/csp-report", "application/reports+json"]
        .iter()
        .any(|report| sent_type.starts_with(report));
    if is_report {
        return Kind::Beacon;
    }
    let accept = text(headers, ACCEPT.as_str());
    if accept.starts_with("text/event-stream") {
        return Kind::Events;
    }
    match text(headers, "sec-fetch-dest") {
        "document" | "iframe" | "frame" | "fencedframe" => Kind::Document,
        "style" | "xslt" => Kind::Style,
        "script" | "worker" | "sharedworker" | "serviceworker" | "json" => Kind::Script,
        "image" => Kind::Image,
        "font" => Kind::Font,
        "audio" | "video" | "track" => Kind::Media,
        "websocket" => Kind::Socket,
        "report" => Kind::Beacon,
        "empty" => Kind::Call,
        _ => by_accept(accept, headers),
    }
}

fn by_accept(accept: &str, headers: &HeaderMap) -> Kind {
    if headers.contains_key("x-requested-with") {
        Kind::Call
    } else if accept.starts_with("text/html") || accept.starts_with("application/xhtml") {
        Kind::Document
    } else if accept.starts_with("text/css") {
        Kind::Style
    } else if accept.starts_with("image/") {
        Kind::Image
    } else if accept.starts_with("application/json") {
        Kind::Call
    } else {
        Kind::Other
    }
}

/// Once the reply is there.
pub(crate) fn of_reply(kind: Kind, headers: &HeaderMap) -> Kind {
    let mime = text(headers, CONTENT_TYPE.as_str());
    match kind {
        Kind::Call | Kind::Other if mime.starts_with("text/event-stream") => Kind::Events,
        Kind::Other if mime.starts_with("text/html") => Kind::Document,
        Kind::Other if mime.starts_with("text/css") => Kind::Style,
        Kind::Other if mime.contains("javascript") => Kind::Script,
        Kind::Other if mime.starts_with("image/") => Kind::Image,
        Kind::Other if mime.starts_with("font/") => Kind::Font,
        Kind::Other if mime.starts_with("audio/") || mime.starts_with("video/") => Kind::Media,
        Kind::Other if mime.starts_with("application/json") => Kind::Call,
        known => known,
    }
}

#[cfg(test)]
mod tests;
