//! Where a service is, as people write it: URLs with user and password, and addresses without a scheme.

use nmax_secrets::masked_url;
use nmax_sources::service::query_pairs;
use nmax_text::percent::decode_lossy;

use crate::Trouble;

/// A service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServiceAddress {
    /// Who asks, if the URL says.
    pub(crate) user: Option<String>,
    /// What they must know.
    pub(crate) password: Option<String>,
    /// Name or address, without brackets.
    pub(crate) host: String,
    /// TCP port.
    pub(crate) port: u16,
    /// What follows the first slash, without it, up to a question mark.
    pub(crate) path: String,
    /// What follows the question mark, decoded.
    pub(crate) query: Vec<(String, String)>,
}

impl ServiceAddress {
    /// Reads `scheme://user:password@host:port/path?query`, of which all but the host may be absent.
    ///
    /// The trouble repeats nothing of the text, which may hold a password.
    pub(crate) fn parse(text: &str, default_port: u16) -> Result<Self, Trouble> {
        let (rest, user, password) = split_user(text);
        let rest = rest.split_once("://").map_or(rest.as_str(), |(_, rest)| rest);
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (host, port) = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((host, port)) => (host, port.strip_prefix(':')),
            None => match authority.rsplit_once(':') {
                Some((host, port)) if !host.contains(':') => (host, Some(port)),
                _ => (authority, None),
            },
        };
        let port = match port {
            None | Some("") => default_port,
            Some(port) => port
                .parse()
                .ok()
                .filter(|&port: &u16| port > 0)
                .ok_or_else(|| Trouble::lasting("its port is none; write one from 1 to 65535"))?,
        };
        Ok(Self { user, password, host: decode_lossy(host), port, path: decode_lossy(path), query: query_pairs(query) })
    }

    /// As it may be shown: host and port; a socket in a file by its path.
    pub(crate) fn title(&self) -> String {
        if self.host.starts_with('/') {
            self.host.clone()
        } else if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    /// A value of the query.
    pub(crate) fn option(&self, name: &str) -> Option<&str> {
        let found = self.query.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// A URL without user and password, and both, decoded.
pub(crate) fn split_user(url: &str) -> (String, Option<String>, Option<String>) {
    let start = url.find("://").map_or(0, |at| at + 3);
    let end = url[start..].find(['/', '?', '#']).map_or(url.len(), |at| start + at);
    let Some(at) = url[start..end].rfind('@').map(|at| start + at) else {
        return (url.to_owned(), None, None);
    };
    let (user, password) = match url[start..at].split_once(':') {
        Some((user, password)) => (user, Some(decode_lossy(password))),
        None => (&url[start..at], None),
    };
    let user = Some(decode_lossy(user)).filter(|user| !user.is_empty());
    (format!("{}{}", &url[..start], &url[at + 1..]), user, password)
}

/// A URL as it may be shown: without user and password, without what follows `#`, and without its secrets.
pub(crate) fn shown(url: &str) -> String {
    let (url, ..) = split_user(url);
    masked_url(url.split('#').next().unwrap_or_default())
}

#[cfg(test)]
mod tests;
