//! What a request was made for, where the recording does not say.

use crate::parts::essence;
use crate::recording::{Entry, Kind, header};

/// What the browser fetched it as: what the browser said to the server, else what the recording says, else what can be
/// told from types.
pub fn kind(entry: &Entry) -> Kind {
    let request = |name: &str| header(&entry.request.headers, name).map(str::to_ascii_lowercase);
    let destination = request("sec-fetch-dest");
    let is_firm = matches!(entry.kind, Kind::Socket | Kind::Events | Kind::Beacon | Kind::Preflight);
    match destination.as_deref().filter(|_| !is_firm) {
        Some("document" | "iframe" | "frame" | "embed" | "object" | "fencedframe") => return Kind::Document,
        Some("style") => return Kind::Style,
        Some("script" | "worker" | "sharedworker" | "serviceworker") => return Kind::Script,
        Some("image") => return Kind::Image,
        Some("font") => return Kind::Font,
        Some("audio" | "video" | "track") => return Kind::Media,
        Some("report") => return Kind::Beacon,
        _ => {}
    }
    let accept = request("accept").unwrap_or_default();
    if entry.kind != Kind::Other {
        return entry.kind;
    }
    if request("upgrade").is_some_and(|upgrade| upgrade == "websocket") {
        return Kind::Socket;
    }
    let sent = request("content-type").unwrap_or_default();
    if ["application/csp-report", "application/reports+json"].contains(&essence(&sent).as_str()) {
        return Kind::Beacon;
    }
    if request("ping-to").is_some() || essence(&sent) == "text/ping" {
        return Kind::Beacon;
    }
    if accept.starts_with("text/event-stream") {
        return Kind::Events;
    }
    let is_call = request("x-requested-with").is_some()
        || request("sec-fetch-mode").is_some_and(|mode| mode == "cors" || mode == "same-origin")
            && destination.as_deref() == Some("empty");
    if is_call {
        return Kind::Call;
    }
    by_type(entry, &accept)
}

/// By the reply's type and by what the client wanted.
fn by_type(entry: &Entry, accept: &str) -> Kind {
    let wants_page = accept.contains("text/html");
    let response = entry.response.as_ref();
    let mime = response.and_then(|response| {
        let own = header(&response.headers, "content-type");
        own.or(response.body.as_ref().map(|body| body.mime.as_str()))
    });
    let mime = essence(mime.unwrap_or_default());
    let is_redirect = response.is_some_and(|response| (300..400).contains(&response.status));
    match mime.as_str() {
        "text/event-stream" => Kind::Events,
        "text/css" => Kind::Style,
        _ if mime.ends_with("javascript") || mime.ends_with("ecmascript") => Kind::Script,
        _ if mime.starts_with("image/") => Kind::Image,
        _ if mime.starts_with("font/") || mime.contains("font-") => Kind::Font,
        _ if mime.starts_with("audio/") || mime.starts_with("video/") => Kind::Media,
        "text/html" | "application/xhtml+xml" if wants_page || accept.is_empty() || accept == "*/*" => Kind::Document,
        _ if is_redirect && (wants_page || accept.is_empty()) => Kind::Document,
        _ if wants_page => Kind::Document,
        _ => Kind::Call,
    }
}

/// It is shown within a page, and not in its place.
pub(crate) fn is_frame(entry: &Entry) -> bool {
    header(&entry.request.headers, "sec-fetch-dest").is_some_and(|destination| {
        ["iframe", "frame", "embed", "object", "fencedframe"]
            .iter()
            .any(|frame| destination.eq_ignore_ascii_case(frame))
    })
}

/// The browser says that it goes to a page of its own.
pub(crate) fn is_navigation(entry: &Entry) -> bool {
    header(&entry.request.headers, "sec-fetch-dest").is_some_and(|dest| dest.eq_ignore_ascii_case("document"))
}
