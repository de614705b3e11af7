//! What a reference means.

use nmax_text::url::split;

/// A URL without its fragment.
pub(crate) fn without_fragment(url: &str) -> &str {
    url.split_once('#').map_or(url, |(url, _)| url)
}

/// The absolute URL that a reference on a page means (RFC 3986, 5.2), without its fragment.
pub fn resolve(base: &str, reference: &str) -> String {
    let reference = without_fragment(reference.trim());
    let base = split(base);
    let has_scheme = reference.find(':').is_some_and(|at| {
        at > 0 && reference[..at].bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    });
    if has_scheme {
        return reference.to_owned();
    }
    if let Some(rest) = reference.strip_prefix("//") {
        return format!("{}://{rest}", base.scheme);
    }
    if reference.is_empty() {
        return format!("{}{}", base.origin, base.path_and_query);
    }
    let (path, query) = match reference.split_once('?') {
        Some((path, query)) => (path, format!("?{query}")),
        None => (reference, String::new()),
    };
    let path = match path {
        "" => base.path.to_owned(),
        path if path.starts_with('/') => without_dots(path),
        path => {
            let folder = base.path.rfind('/').map_or("/", |at| &base.path[..=at]);
            without_dots(&format!("{folder}{path}"))
        }
    };
    format!("{}{path}{query}", base.origin)
}

/// A path without the segments `.` and `..` (RFC 3986, 5.2.4).
pub(crate) fn without_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        match segment {
            "." | ".." => {
                if segment == ".." {
                    kept.pop();
                }
                if segments.peek().is_none() {
                    kept.push("");
                }
            }
            segment => kept.push(segment),
        }
    }
    format!("/{}", kept.join("/"))
}
