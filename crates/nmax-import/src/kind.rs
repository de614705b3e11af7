//! What a request was made for, where the recording does not say.

use crate::parts::essence;
use crate::recording::{Entry, Kind, Response, header};

/// Kinds as browsers say them in `sec-fetch-dest`.
const DESTINATIONS: [(Kind, &str); 8] = [
    (Kind::Document, "document iframe frame embed object"),
    (Kind::Style, "style"),
    (Kind::Script, "script worker sharedworker serviceworker"),
    (Kind::Image, "image"),
    (Kind::Font, "font"),
    (Kind::Media, "audio video track"),
    (Kind::Beacon, "report"),
    (Kind::Other, "manifest"),
];

/// The kind of a name, in a table of the names of each.
pub(crate) fn known(names: &[(Kind, &str)], name: &str) -> Option<Kind> {
    let is_it = |(_, names): &&(Kind, &str)| names.split(' ').any(|known| known.eq_ignore_ascii_case(name));
    names.iter().find(is_it).map(|(kind, _)| *kind)
}

/// The kind that a destination in `sec-fetch-dest` means.
pub(crate) fn of_destination(name: &str) -> Option<Kind> {
    known(&DESTINATIONS, name)
}

/// The kind of what pages need, by its type.
pub(crate) fn of_file(mime: &str) -> Option<Kind> {
    match mime {
        "text/css" => Some(Kind::Style),
        _ if mime.ends_with("javascript") || mime.ends_with("ecmascript") => Some(Kind::Script),
        _ if mime.starts_with("image/") => Some(Kind::Image),
        _ if mime.starts_with("font/") || mime.contains("font-") => Some(Kind::Font),
        _ if mime.starts_with("audio/") || mime.starts_with("video/") => Some(Kind::Media),
        _ => None,
    }
}

/// What the browser fetched it as: what the browser said to the server, else what the recording says, else what can be
/// told from types.
pub fn kind(entry: &Entry) -> Kind {
    let request = |name: &str| header(&entry.request.headers, name).map(str::to_ascii_lowercase);
    let destination = request("sec-fetch-dest").unwrap_or_default();
    let is_firm = matches!(entry.kind, Kind::Socket | Kind::Events | Kind::Beacon | Kind::Preflight);
    if !is_firm && is_frame(entry) {
        return Kind::Document;
    }
    if let Some(kind) = of_destination(&destination).filter(|kind| !is_firm && *kind != Kind::Other) {
        return kind;
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
            && destination == "empty";
    if is_call {
        return Kind::Call;
    }
    by_type(entry, &accept)
}

/// By the reply's type and by what the client wanted.
fn by_type(entry: &Entry, accept: &str) -> Kind {
    let wants_page = accept.contains("text/html");
    let response = entry.response.as_ref();
    let mime = response.map(Response::mime).unwrap_or_default();
    if let Some(kind) = of_file(&mime) {
        return kind;
    }
    let is_redirect = response.is_some_and(|response| (300..400).contains(&response.status));
    match mime.as_str() {
        "text/event-stream" => Kind::Events,
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
