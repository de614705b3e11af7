//! A user name and a password in front of the host of a URL, which a request sends as a header.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use nmax_text::percent;

use super::{Target, split};

/// The URL without what stands before the `@` of its host, and the `authorization` header that says the same (RFC 7617;
/// `None` when nothing stands there). `None` for a URL without `@` in front of its host.
///
/// A part whose percent-encoding is broken is taken as it is written. O(length).
pub fn without_login(url: &str) -> Option<(String, Option<String>)> {
    let Target { scheme, login, place, origin, .. } = split(url);
    let login = login?;
    let bare = format!("{scheme}://{place}{}", &url[origin.len()..]);
    let decoded = |text: &str| percent::decode_exact(text).unwrap_or_else(|| text.to_owned());
    let (user, password) = login.split_once(':').unwrap_or((login, ""));
    let header = (!login.is_empty()).then(|| {
        let user_and_password = format!("{}:{}", decoded(user), decoded(password));
        format!("Basic {}", STANDARD.encode(user_and_password))
    });
    Some((bare, header))
}
