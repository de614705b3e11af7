//! What something was fetched as, when the file does not say: by the browser's own words first, then by types.

use crate::kind::{known, of_destination, of_file};
use crate::recording::{Entry, Kind, Response, header};

/// Kinds as the developer tools of Chrome name them in `_resourceType`; of two names of a kind the first is written.
const NAMES: [(Kind, &str); 12] = [
    (Kind::Document, "document main_frame"),
    (Kind::Style, "stylesheet"),
    (Kind::Script, "script"),
    (Kind::Image, "image"),
    (Kind::Font, "font"),
    (Kind::Media, "media"),
    (Kind::Call, "xhr fetch"),
    (Kind::Socket, "websocket"),
    (Kind::Events, "eventsource"),
    (Kind::Beacon, "ping beacon csp-violation-report cspviolationreport"),
    (Kind::Preflight, "preflight"),
    (Kind::Other, "other manifest texttrack prefetch signed-exchange webtransport"),
];

/// The kind that a name in `_resourceType` means.
pub(super) fn named(name: &str) -> Option<Kind> {
    known(&NAMES, name)
}

/// How a kind is written in `_resourceType`.
pub(super) fn name(kind: Kind) -> &'static str {
    let names = NAMES.iter().find(|(known, _)| *known == kind).map_or("other", |(_, names)| names);
    names.split(' ').next().unwrap_or(names)
}

/// The kind of an exchange by what was sent and what came back.
pub(super) fn kind(entry: &Entry) -> Kind {
    let request = &entry.request;
    let sent = |name: &str| header(&request.headers, name).unwrap_or_default();
    let accept = sent("accept");
    if request.method == "OPTIONS" && !sent("access-control-request-method").is_empty() {
        return Kind::Preflight;
    }
    if request.url.starts_with("ws") || sent("upgrade").eq_ignore_ascii_case("websocket") {
        return Kind::Socket;
    }
    let mime = entry.response.as_ref().map(Response::mime).unwrap_or_default();
    if mime == "text/event-stream" || accept.starts_with("text/event-stream") {
        return Kind::Events;
    }
    if request.method == "POST" && (!sent("ping-to").is_empty() || sent("content-type") == "text/ping") {
        return Kind::Beacon;
    }
    if let Some(kind) = of_destination(sent("sec-fetch-dest")) {
        return kind;
    }
    if sent("sec-fetch-dest") == "empty" || !sent("x-requested-with").is_empty() {
        return Kind::Call;
    }
    if let Some(kind) = of_file(&mime) {
        return kind;
    }
    let takes_pages = accept.is_empty() || accept.contains("text/html");
    match mime.as_str() {
        "text/html" | "application/xhtml+xml" if takes_pages => Kind::Document,
        mime if mime.ends_with("json") || mime.ends_with("xml") || mime == "text/html" => Kind::Call,
        _ if accept.starts_with("text/html") => Kind::Document,
        _ => Kind::Other,
    }
}
