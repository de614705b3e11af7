//! A URL as origin, segments and parameters.

use super::encode::form_decode;

/// An absolute URL in pieces, as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target<'a> {
    /// Scheme, host and port: `https://shop.test:8443`.
    pub origin: &'a str,
    /// Host without its port, in brackets for IPv6.
    pub host: &'a str,
    /// Path with its query, from its first `/`; `/` when there is none.
    pub path_and_query: &'a str,
    /// Path.
    pub path: &'a str,
    /// Query, without its `?`.
    pub query: Option<&'a str>,
}

/// A URL without its fragment.
pub(crate) fn without_fragment(url: &str) -> &str {
    url.split_once('#').map_or(url, |(url, _)| url)
}

/// Takes a URL apart; a fragment is left out. What has no scheme is all path.
pub fn split(url: &str) -> Target<'_> {
    let url = without_fragment(url);
    let scheme = url.find("://").filter(|at| !url[..*at].contains(['/', '?']));
    let is_absolute = scheme.is_some();
    let start = scheme.map_or(0, |at| at + 3);
    let end = url[start..].find(['/', '?']).map_or(url.len(), |at| start + at);
    let (origin, rest) = if is_absolute { url.split_at(end) } else { ("", url) };
    let (path, query) = match rest.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (rest, None),
    };
    let authority = origin.get(start..).unwrap_or_default();
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    Target {
        origin,
        host: host(authority),
        path_and_query: if rest.is_empty() { "/" } else { rest },
        path: if path.is_empty() { "/" } else { path },
        query,
    }
}

fn host(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    }
}

impl<'a> Target<'a> {
    /// Segments of the path, as written; one empty segment for `/`.
    pub fn segments(&self) -> std::str::Split<'a, char> {
        self.path.strip_prefix('/').unwrap_or(self.path).split('/')
    }

    /// Parameters of the query, as written.
    pub fn pairs(&self) -> impl Iterator<Item = Pair<'a>> + use<'a> {
        self.query.into_iter().flat_map(pairs)
    }
}

/// Pairs of a query or a form, as written.
pub(super) fn pairs(text: &str) -> impl Iterator<Item = Pair<'_>> {
    let text = Some(text).filter(|text| !text.is_empty());
    text.into_iter().flat_map(|text| text.split('&')).map(|pair| match pair.split_once('=') {
        Some((name, value)) => Pair { name, value: Some(value) },
        None => Pair { name: pair, value: None },
    })
}

/// A name and a value, as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair<'a> {
    /// Name.
    pub name: &'a str,
    /// Value; `None` without `=`.
    pub value: Option<&'a str>,
}

impl Pair<'_> {
    /// Name and value; `None` without `=` and when one of them is no text.
    pub fn decoded(&self) -> Option<(String, String)> {
        Some((form_decode(self.name)?, form_decode(self.value?)?))
    }
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
        let scheme = base.origin.split("//").next().unwrap_or_default();
        return format!("{scheme}//{rest}");
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
