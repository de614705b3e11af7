//! What something was fetched as, when the file does not say: by the browser's own words first, then by types.

use crate::parts::essence;
use crate::recording::{Entry, Kind, header};

/// Kinds as the developer tools of Chrome name them in `_resourceType`; of two names of a kind the first is written.
const NAMES: [(&str, Kind); 22] = [
    ("document", Kind::Document),
    ("stylesheet", Kind::Style),
    ("script", Kind::Script),
    ("image", Kind::Image),
    ("font", Kind::Font),
    ("media", Kind::Media),
    ("xhr", Kind::Call),
    ("fetch", Kind::Call),
    ("websocket", Kind::Socket),
    ("eventsource", Kind::Events),
    ("ping", Kind::Beacon),
    ("beacon", Kind::Beacon),
    ("csp-violation-report", Kind::Beacon),
    ("cspviolationreport", Kind::Beacon),
    ("preflight", Kind::Preflight),
    ("other", Kind::Other),
    ("manifest", Kind::Other),
    ("texttrack", Kind::Other),
    ("prefetch", Kind::Other),
    ("signed-exchange", Kind::Other),
    ("webtransport", Kind::Other),
    ("main_frame", Kind::Document),
];
/// Kinds as browsers say them in `sec-fetch-dest`.
const DESTINATIONS: [(&str, Kind); 17] = [
    ("document", Kind::Document),
    ("iframe", Kind::Document),
    ("frame", Kind::Document),
    ("embed", Kind::Document),
    ("object", Kind::Document),
    ("style", Kind::Style),
    ("script", Kind::Script),
    ("worker", Kind::Script),
    ("sharedworker", Kind::Script),
    ("serviceworker", Kind::Script),
    ("image", Kind::Image),
    ("font", Kind::Font),
    ("audio", Kind::Media),
    ("video", Kind::Media),
    ("track", Kind::Media),
    ("report", Kind::Beacon),
    ("manifest", Kind::Other),
];

fn known(names: &[(&str, Kind)], name: &str) -> Option<Kind> {
    let same = |(known, _): &&(&str, Kind)| name.eq_ignore_ascii_case(known);
    names.iter().find(same).map(|(_, kind)| *kind)
}

/// The kind that a name in `_resourceType` means.
pub(super) fn named(name: &str) -> Option<Kind> {
    known(&NAMES, name)
}

/// How a kind is written in `_resourceType`.
pub(super) fn name(kind: Kind) -> &'static str {
    let same = |(_, known): &&(&str, Kind)| *known == kind;
    NAMES.iter().find(same).map_or("other", |(name, _)| name)
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
    let mime = mime(entry);
    if mime == "text/event-stream" || accept.starts_with("text/event-stream") {
        return Kind::Events;
    }
    if request.method == "POST" && (!sent("ping-to").is_empty() || sent("content-type") == "text/ping") {
        return Kind::Beacon;
    }
    if let Some(kind) = known(&DESTINATIONS, sent("sec-fetch-dest")) {
        return kind;
    }
    if sent("sec-fetch-dest") == "empty" || !sent("x-requested-with").is_empty() {
        return Kind::Call;
    }
    let takes_pages = accept.is_empty() || accept.contains("text/html");
    match mime.as_str() {
        "text/html" | "application/xhtml+xml" if takes_pages => Kind::Document,
        "text/css" => Kind::Style,
        mime if mime.ends_with("javascript") || mime.ends_with("ecmascript") => Kind::Script,
        mime if mime.starts_with("image/") => Kind::Image,
        mime if mime.starts_with("font/") || mime.contains("font-") => Kind::Font,
        mime if mime.starts_with("audio/") || mime.starts_with("video/") => Kind::Media,
        mime if mime.ends_with("json") || mime.ends_with("xml") || mime == "text/html" => Kind::Call,
        _ if accept.starts_with("text/html") => Kind::Document,
        _ => Kind::Other,
    }
}

/// Type of the reply's body, without parameters.
fn mime(entry: &Entry) -> String {
    let Some(response) = &entry.response else {
        return String::new();
    };
    let body = response.body.as_ref().map(|body| body.mime.as_str());
    essence(header(&response.headers, "content-type").or(body).unwrap_or_default())
}
