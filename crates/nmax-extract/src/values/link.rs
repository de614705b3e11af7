//! The parts of a URL, as written, and expressions that take them out of it again.

use regex::escape;

use super::selector::is_stable;

/// Whether a text looks like a URL or an absolute path.
pub(super) fn is_url(text: &str) -> bool {
    let has_scheme = text.find("://").is_some_and(|at| {
        at > 0 && text[..at].bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    });
    (text.starts_with('/') || has_scheme) && !text.contains(|c: char| c.is_whitespace() || c == '<' || c == '>')
}

/// Segments and query values, each with its name and an expression for it.
///
/// A segment's name is the stable one before it; it is found by that, or else by its position.
pub(super) fn parts(url: &str, mut part: impl FnMut(&str, &str, String)) {
    let url = url.split_once('#').map_or(url, |(url, _)| url);
    let (path, query) = url.split_once('?').map_or((url, None), |(path, query)| (path, Some(query)));
    let after_host = path.find("//").filter(|at| *at == 0 || path[..*at].ends_with(':'));
    let start = after_host.map_or(0, |at| path[at + 2..].find('/').map_or(path.len(), |slash| at + 2 + slash));
    let mut before: Option<&str> = None;
    let segments = path[start..].split('/').filter(|segment| !segment.is_empty());
    for (index, segment) in segments.enumerate() {
        let pattern = match before.filter(|before| is_stable(before)) {
            Some(before) => format!("/{}/([^/?#;]+)", escape(before)),
            None => format!("^(?:[a-z]+:)?(?://[^/]+)?/?(?:[^/?#]+/+){{{index}}}([^/?#;]+)"),
        };
        part(segment.split(';').next().unwrap_or(segment), before.unwrap_or_default(), pattern);
        if let Some((_, parameters)) = segment.split_once(';') {
            values(parameters, ';', &mut part);
        }
        before = Some(segment);
    }
    values(query.unwrap_or_default(), '&', &mut part);
}

/// Named values of a query, or of a segment.
fn values(query: &str, separator: char, part: &mut impl FnMut(&str, &str, String)) {
    for (name, value) in query.split(separator).filter_map(|pair| pair.split_once('=')) {
        if !value.is_empty() && is_stable(name) {
            part(value, name, format!("[?&;]{}=([^&;#]+)", escape(name)));
        }
    }
}
