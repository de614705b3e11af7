//! Redirects: where they lead, and what is sent there.

use nmax_http::{Origin, Reply, Url};
use nmax_plan::plan::Method;
use nmax_secrets::masked_url;

use crate::http::render::Form;

#[cfg(test)]
mod tests;

/// Kind of the failure that following too many redirects is.
pub(crate) const KIND: &str = "redirects";
/// Kind of the failure that a redirect is which cannot be followed.
pub(crate) const KIND_REFUSED: &str = "redirect";
/// Characters of a URL that a text quotes.
const QUOTED_CHARS_MAX: usize = 200;

/// Where a reply sends its reader, or why that place cannot be asked; `None` when it is no redirect.
pub(crate) fn location(reply: &Reply<'_>, at: &Url) -> Option<Result<Url, String>> {
    if !matches!(reply.status(), Some(301 | 302 | 303 | 307 | 308)) {
        return None;
    }
    Some(match reply.header("location") {
        None => Err("the redirect has no `location`".to_owned()),
        Some([]) => Err("the `location` of the redirect is empty".to_owned()),
        Some(reference) => join(at, reference),
    })
}

/// A reference as a server wrote it, seen from `at`; or why it cannot be followed.
///
/// A user name in it is refused: browsers would log in with it, and what the plan sends is the plan's to say.
fn join(at: &Url, reference: &[u8]) -> Result<Url, String> {
    // Bytes above ASCII are of the server's own encoding: they go back to it as they are.
    let text = nmax_text::percent::encode_but(reference, |_| true);
    at.join(&text).map_err(|error| {
        // Secrets go before the text is cut, which may leave a part of one that looks like nothing.
        let shown = quoted(&masked_url(&text));
        format!("the redirect to `{shown}` cannot be followed: it {}", error.kind)
    })
}

/// The beginning of a long text.
fn quoted(text: &str) -> String {
    let mut quoted: String = text.chars().take(QUOTED_CHARS_MAX).collect();
    if quoted.len() < text.len() {
        quoted.push_str("...");
    }
    quoted
}

/// What is sent to where a redirect leads.
///
/// 303 asks with GET (RFC 9110, 15.4.4); so do 301 and 302 after a POST, as browsers do. 307 and 308 repeat method and
/// body. Another origin never sees what the plan sends to the first one only.
pub(crate) fn form_after(form: Form, status: u16, from: &Origin, to: &Origin) -> Form {
    let becomes_get = match status {
        303 => form.method != Method::Head,
        301 | 302 => form.method == Method::Post,
        _ => false,
    };
    Form {
        method: if becomes_get { Method::Get } else { form.method },
        has_body: form.has_body && !becomes_get,
        has_credentials: form.has_credentials && from == to,
    }
}

/// The way that too many redirects took; a circle is named once, however often it was gone round.
pub(crate) fn describe(visited: &[Url], next: &Url) -> String {
    let followed = visited.len() - 1;
    let list = |urls: &[Url]| {
        let texts: Vec<String> = urls.iter().map(shown).collect();
        texts.join(" -> ")
    };
    match visited.iter().rposition(|url| url == next) {
        Some(start) => format!(
            "the redirects go in a circle of {}, left after {followed}: {} -> {}",
            visited.len() - start,
            list(&visited[start..]),
            shown(next)
        ),
        None => format!("more than {followed} redirects: {} -> {}", list(visited), shown(next)),
    }
}

/// A URL without its secrets, shortened.
pub(crate) fn shown(url: &Url) -> String {
    quoted(&masked_url(&url.to_string()))
}
