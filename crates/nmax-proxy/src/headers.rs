//! Headers that belong to one connection only (RFC 9110, 7.6.1), on both sides of the recorder.

use hyper::header::{CONNECTION, HeaderMap, HeaderValue, PROXY_AUTHORIZATION, TE, UPGRADE};

/// Always of one connection.
const ALWAYS: [&str; 5] = ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"];
/// For the other end, whatever a list in `connection` says.
const END_TO_END: [&str; 4] = ["host", "content-length", "cookie", "authorization"];

/// What a request wants to become, when it does: `websocket`, never `h2c`.
pub(crate) fn upgrade(headers: &HeaderMap) -> Option<HeaderValue> {
    let is_listed = listed(headers).any(|name| name.eq_ignore_ascii_case("upgrade"));
    let wanted = headers.get(UPGRADE).filter(|_| is_listed)?;
    let is_h2c = wanted.as_bytes().eq_ignore_ascii_case(b"h2c");
    (!is_h2c).then(|| wanted.clone())
}

/// Takes away what is between the client and us. The caller puts back what is its own to say to the server.
pub(crate) fn strip_request(headers: &mut HeaderMap) {
    let wants_trailers = headers
        .get(TE)
        .and_then(|te| te.to_str().ok())
        .is_some_and(|te| te.split(',').any(|coding| coding.trim().eq_ignore_ascii_case("trailers")));
    strip(headers, &[PROXY_AUTHORIZATION.as_str(), "http2-settings", "te"]);
    if wants_trailers {
        headers.insert(TE, HeaderValue::from_static("trailers"));
    }
}

/// Takes away what is between the server and us.
pub(crate) fn strip_reply(headers: &mut HeaderMap) {
    strip(headers, &[]);
}

/// Made anew, because removing would change the order of the others.
fn strip(headers: &mut HeaderMap, also: &[&str]) {
    let named: Vec<String> = listed(headers).map(str::to_ascii_lowercase).collect();
    let is_gone = |name: &str| {
        let is_named = named.iter().any(|one| one == name) && !END_TO_END.contains(&name);
        is_named || ALWAYS.contains(&name) || also.contains(&name)
    };
    let mut left = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers.iter().filter(|(name, _)| !is_gone(name.as_str())) {
        left.append(name.clone(), value.clone());
    }
    *headers = left;
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
