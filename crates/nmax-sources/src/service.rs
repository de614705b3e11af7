//! Where services are that are observed, as people write it.

use core::net::{IpAddr, Ipv6Addr};

use nmax_secrets::masked_url;
use nmax_text::percent;

/// The injector's own host in results; a target on loopback is this host too.
pub const INJECTOR: &str = "injector";
/// Source of what a run says of itself at its end.
pub const RUN: &str = "run";
/// Source of what used the processors of an injector's host, and beginning of those of single processes.
pub const BESIDE: &str = "beside";
/// Longest host name (RFC 1035, 2.3.4).
pub const HOST_BYTES_MAX: usize = 253;

/// Parts of a service's URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServiceUrl<'a> {
    /// Before `://`.
    pub scheme: &'a str,
    /// Before `@`: a user, perhaps with a password, percent-encoded.
    pub user: Option<&'a str>,
    /// A name or address, an IPv6 one in brackets; empty where the URL names none.
    pub host: &'a str,
    /// Port, where it names one.
    pub port: Option<u16>,
    /// From the first `/`, `?` or `#` on.
    pub rest: &'a str,
}

impl<'a> ServiceUrl<'a> {
    /// Takes a URL apart. Messages repeat neither user nor password. O(length).
    pub fn parse(text: &'a str) -> Result<Self, String> {
        let shown = || nmax_text::shown(&masked_url(text)).into_owned();
        let Some((scheme, after)) = text.split_once("://") else {
            return Err(format!("`{}` has no scheme such as `http://`", shown()));
        };
        let (authority, rest) = after.split_at(after.find(['/', '?', '#']).unwrap_or(after.len()));
        let (user, place) = match authority.rsplit_once('@') {
            Some((user, place)) => (Some(user), place),
            None => (None, authority),
        };
        let is_odd = |c: char| c.is_whitespace() || c.is_control();
        if user.is_some_and(|user| user.contains(is_odd) || user.contains('@') || !percent::is_encoded(user)) {
            return Err("user or password before `@` have characters that need percent-encoding".into());
        }
        if rest.contains(is_odd) {
            return Err(format!("`{}` has a space or control character", shown()));
        }
        let (host, port) = place_of(place).ok_or_else(|| match user {
            // What stands there may be a part of a password.
            Some(_) => "what follows `@` is not a host, or a host and a port".to_owned(),
            None => format!("`{}` is not a host, or a host and a port", nmax_text::shown(place)),
        })?;
        Ok(Self { scheme, user, host, port, rest })
    }

    /// Host and port as they are written.
    pub fn place(&self) -> String {
        self.port.map_or_else(|| self.host.to_owned(), |port| format!("{}:{port}", self.host))
    }

    /// Names and values of its query, decoded.
    pub fn query(&self) -> Vec<(String, String)> {
        let rest = self.rest.split('#').next().unwrap_or_default();
        rest.split_once('?').map_or_else(Vec::new, |(_, query)| query_pairs(query))
    }

    /// Whether it is on this host, as far as its text says.
    pub fn is_here(&self) -> bool {
        is_here(self.host)
    }
}

/// Host and port of `HOST`, `HOST:PORT` or `[IPV6]:PORT`; the host may be empty where there is no port.
fn place_of(place: &str) -> Option<(&str, Option<u16>)> {
    let port_of = |digits: &str| {
        let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse::<u16>().ok().filter(|port| is_plain && *port > 0)
    };
    let (host, port) = match place.find(']') {
        Some(end) if place.starts_with('[') => (&place[..=end], &place[end + 1..]),
        _ => place.split_at(place.find(':').unwrap_or(place.len())),
    };
    let port = match port.strip_prefix(':') {
        Some(digits) => Some(port_of(digits)?),
        None if port.is_empty() => None,
        None => return None,
    };
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_host = match bare(host) {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => host.len() <= HOST_BYTES_MAX && host.chars().all(legal) && (port.is_none() || !host.is_empty()),
    };
    is_host.then_some((host, port))
}

fn bare(host: &str) -> Option<&str> {
    host.strip_prefix('[')?.strip_suffix(']')
}

/// Host and port of `HOST:PORT` or `HOST`, as `memcached` and `redis` are named.
pub fn parse_place(text: &str) -> Option<(&str, Option<u16>)> {
    place_of(text).filter(|(host, _)| !host.is_empty())
}

/// Whether a host, as it stands in a URL, is this one: empty, `localhost` or a loopback address.
pub fn is_here(host: &str) -> bool {
    let address = bare(host).unwrap_or(host).parse::<IpAddr>();
    host.is_empty() || host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// Names and values of a query, decoded. What follows `#` is none of it.
pub fn query_pairs(query: &str) -> Vec<(String, String)> {
    let query = query.split('#').next().unwrap_or_default();
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| (percent::decode_lossy(name), percent::decode_lossy(value)))
        .collect()
}

/// What is wrong with a text of a plan, and what to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// What is wrong, with the text in it.
    pub message: String,
    /// What to write.
    pub remedy: String,
}

impl Wrong {
    /// What is wrong, and what to write.
    pub fn new(message: String, remedy: &str) -> Self {
        Self { message, remedy: remedy.to_owned() }
    }
}

/// Where a source is, and what its name and host are where the plan does not say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// Its place in full.
    pub place: String,
    /// Name; empty where nothing says it.
    pub name: String,
    /// Host; the injector's, where the place says this one.
    pub host: String,
}

impl Located {
    /// A source at a host as it stands in a URL.
    pub fn new(place: &str, name: &str, host: &str) -> Self {
        let host = if is_here(host) { INJECTOR } else { host };
        Self { place: place.to_owned(), name: name.to_owned(), host: host.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Law: what is put together is taken apart the same way.
        #[test]
        fn urls_come_apart(
            user in proptest::option::of("[a-z]{1,8}(:[a-z%0-9]{0,0}[a-z0-9]{1,8})?"),
            host in prop_oneof!["[a-z][a-z0-9.-]{0,20}", Just("10.0.0.7".to_owned()), Just("[::1]".to_owned())],
            port in proptest::option::of(1..=u16::MAX),
            rest in "(/[a-z/]{0,10})?",
        ) {
            let place = port.map_or_else(|| host.clone(), |port| format!("{host}:{port}"));
            let at = user.as_ref().map_or_else(String::new, |user| format!("{user}@"));
            let text = format!("http://{at}{place}{rest}");
            let url = ServiceUrl::parse(&text).unwrap();
            prop_assert_eq!(url.user, user.as_deref());
            prop_assert_eq!((url.host, url.port, url.rest), (host.as_str(), port, rest.as_str()));
            prop_assert_eq!(url.place(), place);
        }

        /// Law: whatever the text, nothing panics, and no message holds what stands before `@`.
        #[test]
        fn no_message_holds_a_password(before in "\\PC{0,5}", after in "\\PC{0,12}") {
            let text = format!("postgres://{before}s3cret{after}@{after}");
            if let Err(message) = ServiceUrl::parse(&text) {
                prop_assert!(!message.contains("s3cret") || before.contains(['/', '?', '#']) || after.contains(['/', '?', '#', '@']), "{message}");
            }
        }
    }

    #[test]
    fn wrong_urls() {
        for text in [
            "h:1", "http://h:0", "http://h:x", "http://[::g]", "http://:80/", "http://h h/", "http://h/a b",
            "http://a%@h/",
        ] {
            assert!(ServiceUrl::parse(text).is_err(), "{text}");
        }
        assert_eq!(ServiceUrl::parse("postgres:///shop").map(|url| url.host), Ok(""));
    }

    #[test]
    fn this_host() {
        for (host, here) in [("localhost", true), ("127.3.0.1", true), ("[::1]", true), ("", true), ("db1", false)] {
            assert_eq!(is_here(host), here, "{host}");
        }
    }
}
