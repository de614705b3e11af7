//! Headers that belong to one connection only (RFC 9110, 7.6.1), on both sides of the recorder.

use hyper::header::{
    CONNECTION, HeaderMap, HeaderName, HeaderValue, PROXY_AUTHORIZATION, TE, TRANSFER_ENCODING, UPGRADE,
};

/// Always of one connection.
const ALWAYS: [&str; 2] = ["keep-alive", "proxy-connection"];

/// What a request wants to become, when it does: `websocket`, never `h2c`.
pub(crate) fn upgrade(headers: &HeaderMap) -> Option<HeaderValue> {
    let is_listed = listed(headers).any(|name| name.eq_ignore_ascii_case("upgrade"));
    let wanted = headers.get(UPGRADE).filter(|_| is_listed)?;
    let is_h2c = wanted.as_bytes().eq_ignore_ascii_case(b"h2c");
    (!is_h2c).then(|| wanted.clone())
}

/// Takes away what is between the client and us. The caller puts back what is its own to say to the server.
pub(crate) fn strip_request(headers: &mut HeaderMap) {
    let wants_trailers = headers.get(TE).and_then(|te| te.to_str().ok()).is_some_and(|te| {
        te.split(',')
            .any(|coding| coding.trim().eq_ignore_ascii_case("trailers"))
    });
    strip(headers);
    headers.remove(PROXY_AUTHORIZATION);
    headers.remove("http2-settings");
    headers.remove(TE);
    if wants_trailers {
        headers.insert(TE, HeaderValue::from_static("trailers"));
    }
}

/// Takes away what is between the server and us.
pub(crate) fn strip_reply(headers: &mut HeaderMap) {
    strip(headers);
}

fn strip(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = listed(headers)
        .filter_map(|name| HeaderName::from_bytes(name.as_bytes()).ok())
        // A list can name anything; these are for the other end, whatever it says.
        .filter(|name| {
            !matches!(
                name.as_str(),
                "te" | "host" | "content-length" | "cookie" | "authorization"
            )
        })
        .collect();
    for name in named {
        headers.remove(name);
    }
    for name in ALWAYS {
        headers.remove(name);
    }
    headers.remove(CONNECTION);
    headers.remove(TRANSFER_ENCODING);
    headers.remove(UPGRADE);
}

/// Names in `connection`.
fn listed(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests;
