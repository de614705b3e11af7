//! Lines of logs without the secrets that they hold, before they are shown or stored.

use nmax_log::hidden::{HIDDEN, Hider};
use nmax_plan::secret::{is_secret_header, is_secret_name};

/// Words in front of credentials.
const SCHEMES: [&str; 3] = ["Bearer", "Basic", "Token"];

/// The line with the values of secret names, credentials and tokens taken out. O(length).
pub(super) fn mask(line: &str) -> String {
    let mut hider = Hider::default();
    let mut out = String::with_capacity(line.len());
    let mut is_credential = false;
    for (place, word) in line.split(' ').enumerate() {
        if place > 0 {
            out.push(' ');
        }
        if is_credential && !word.is_empty() {
            // A scheme stands between the name and the value.
            is_credential = SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme));
            out.push_str(if is_credential { word } else { HIDDEN });
            continue;
        }
        let last = word.rsplit(['=', ':', '"']).next().unwrap_or_default();
        is_credential = SCHEMES.contains(&last) || announces(word);
        let word = String::from_utf8_lossy(hider.hide(word.as_bytes())).into_owned();
        out.push_str(&pairs(&without_user(&word)));
    }
    out
}

/// Whether a word says that a secret comes next: `password:`, `"token":`.
fn announces(word: &str) -> bool {
    let bare = word.trim_start_matches(['"', '\'', '{', '[', '(', ',']);
    let name = bare.strip_suffix(':').or_else(|| bare.strip_suffix('='));
    name.is_some_and(|name| is_secret(name.trim_matches(['"', '\''])))
}

fn is_secret(name: &str) -> bool {
    is_secret_header(name) || is_secret_name(name)
}

/// A word whose pairs `name=value` and `"name":"value"` have no secret values.
fn pairs(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    let ends = |c: char| matches!(c, ',' | ';' | '&' | '}' | ')' | ']');
    for piece in word.split_inclusive(ends) {
        let (body, end) = match piece.char_indices().last().filter(|(_, c)| ends(*c)) {
            Some((at, _)) => piece.split_at(at),
            None => (piece, ""),
        };
        let secret = body.find(['=', ':']).filter(|at| {
            let name = body[..*at].trim_start_matches(|c: char| !c.is_alphanumeric());
            let name = name.rsplit(['?', '{', '(', '[', '/']).next().unwrap_or_default();
            is_secret(name.trim_matches(['"', '\'']))
        });
        match secret {
            Some(at) if !body[at + 1..].is_empty() => {
                out.push_str(&body[..=at]);
                out.push_str(HIDDEN);
            }
            _ => out.push_str(body),
        }
        out.push_str(end);
    }
    out
}

/// A URL without user and password.
fn without_user(word: &str) -> String {
    let Some((scheme, rest)) = word.split_once("://") else {
        return word.to_owned();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..end].rfind('@') {
        Some(at) => format!("{scheme}://{HIDDEN}@{}", &rest[at + 1..]),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests;
