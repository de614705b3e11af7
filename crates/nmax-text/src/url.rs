//! A URL in pieces, as it is written: nothing is decoded, resolved or refused.

use crate::percent::decode_form;

/// The pieces of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target<'a> {
    /// Before `://`; empty where the URL names none.
    pub scheme: &'a str,
    /// Before the `@` of its host: a user, perhaps with a password.
    pub login: Option<&'a str>,
    /// Host and port, without the login: `shop.test:8443`.
    pub place: &'a str,
    /// Host without its port, in brackets for IPv6.
    pub host: &'a str,
    /// Scheme, login, host and port: `https://shop.test:8443`.
    pub origin: &'a str,
    /// Path with its query, from its first `/`; `/` when there is none.
    pub path_and_query: &'a str,
    /// Path; `/` when there is none.
    pub path: &'a str,
    /// Query, without its `?`.
    pub query: Option<&'a str>,
}

/// Takes a URL apart; a fragment is left out. What has no scheme is all path. O(length).
pub fn split(url: &str) -> Target<'_> {
    let url = url.split_once('#').map_or(url, |(url, _)| url);
    let scheme_end = url.find("://").filter(|at| !url[..*at].contains(['/', '?']));
    let start = scheme_end.map_or(0, |at| at + 3);
    let end = scheme_end.map_or(0, |_| url[start..].find(['/', '?']).map_or(url.len(), |at| start + at));
    let (origin, rest) = url.split_at(end);
    let (path, query) = match rest.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (rest, None),
    };
    let authority = origin.get(start..).unwrap_or_default();
    let (login, place) = match authority.rsplit_once('@') {
        Some((login, place)) => (Some(login), place),
        None => (None, authority),
    };
    Target {
        scheme: &url[..scheme_end.unwrap_or(0)],
        login,
        place,
        host: host(place),
        origin,
        path_and_query: if rest.is_empty() { "/" } else { rest },
        path: if path.is_empty() { "/" } else { path },
        query,
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

/// A name and a value of a query or a form, as written.
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
        Some((decode_form(self.name)?, decode_form(self.value?)?))
    }
}

/// Pairs of a query or a form, as written.
pub fn pairs(text: &str) -> impl Iterator<Item = Pair<'_>> {
    let text = Some(text).filter(|text| !text.is_empty());
    text.into_iter().flat_map(|text| text.split('&')).map(|pair| match pair.split_once('=') {
        Some((name, value)) => Pair { name, value: Some(value) },
        None => Pair { name: pair, value: None },
    })
}

fn host(place: &str) -> &str {
    match place.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => place,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_as_written() {
        // url                            scheme   login        place        host     path    query
        let cases = [
            ("https://a.test:8443/x/y?q=1#f", "https", None, "a.test:8443", "a.test", "/x/y", Some("q=1")),
            ("http://ann:p%40@[::1]:80", "http", Some("ann:p%40"), "[::1]:80", "[::1]", "/", None),
            ("http://[::1]", "http", None, "[::1]", "[::1]", "/", None),
            ("http://a.test?q=b://c", "http", None, "a.test", "a.test", "/", Some("q=b://c")),
            ("/x?next=http://a.test/", "", None, "", "", "/x", Some("next=http://a.test/")),
            ("", "", None, "", "", "/", None),
        ];
        for (url, scheme, login, place, host, path, query) in cases {
            let target = split(url);
            assert_eq!((target.scheme, target.login, target.place), (scheme, login, place), "{url}");
            assert_eq!((target.host, target.path, target.query), (host, path, query), "{url}");
            assert!(url.starts_with(target.origin), "{url}");
        }
    }
}
