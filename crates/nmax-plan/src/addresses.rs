//! Hosts, addresses and proxies as people write them.
//!
//! Each function takes one text and says what is wrong with it and what to write. O(length), no name is resolved.
//! [`classify`] says what an address leads to.

use core::net::{IpAddr, Ipv6Addr, SocketAddr};

use nmax_secrets::masked_url;
use nmax_sources::service::HOST_BYTES_MAX;
use nmax_text::percent::is_encoded;

use crate::units::UnitError;

mod class;
pub use class::{Class, classify, is_link_local};

/// An address of this machine, without a port.
pub fn parse_source(text: &str) -> Result<IpAddr, UnitError> {
    let remedy = "write an address of this machine without a port, such as `127.0.0.2` or `::1`";
    match text.parse::<IpAddr>() {
        Ok(address) => usable(address, text, remedy),
        Err(_) => Err(UnitError::new(format!("`{text}` is not an address"), remedy)),
    }
}

/// An address, with or without a port: `10.0.0.1`, `127.0.0.1:9443`, `::1`, `[::1]:9443`.
pub fn parse_endpoint(text: &str) -> Result<(IpAddr, Option<u16>), UnitError> {
    let remedy = "write an address such as `10.0.0.1`, `10.0.0.1:8443` or `[::1]:8443`";
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let (address, port) = match (bare.parse::<IpAddr>(), text.parse::<SocketAddr>()) {
        (Ok(address), _) => (address, None),
        (_, Ok(socket)) if socket.port() > 0 => (socket.ip(), Some(socket.port())),
        (_, Ok(_)) => return Err(UnitError::new(format!("`{text}` has the port 0"), remedy)),
        _ => return Err(UnitError::new(format!("`{text}` is not an address"), remedy)),
    };
    Ok((usable(address, text, remedy)?, port))
}

fn usable(address: IpAddr, text: &str, remedy: &str) -> Result<IpAddr, UnitError> {
    if address.is_unspecified() || address.is_multicast() {
        return Err(UnitError::new(format!("`{text}` is not the address of one host"), remedy));
    }
    Ok(address)
}

/// A host name in lower case, with or without a port: `shop.test`, `api.test:8443`.
pub fn parse_host(text: &str) -> Result<(String, Option<u16>), UnitError> {
    let remedy = "write a host name, with a port if only that port is meant: `shop.test` or `shop.test:8443`";
    if parse_endpoint(text).is_ok() {
        let message = format!("`{text}` is an address already, so no name is looked up for it");
        return Err(UnitError::new(message, remedy));
    }
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (text, None),
    };
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let labels = || host.split('.').all(|label| !label.is_empty() && label.chars().all(legal));
    if host.len() > HOST_BYTES_MAX || !labels() {
        return Err(UnitError::new(format!("`{}` is not a host name", nmax_text::shown(text)), remedy));
    }
    let port = match port.map(str::parse::<u16>) {
        None => None,
        Some(Ok(port)) if port > 0 => Some(port),
        Some(_) => return Err(UnitError::new(format!("`{text}` has no valid port"), remedy)),
    };
    Ok((host.to_ascii_lowercase(), port))
}

/// The URL of an HTTP proxy, without a final slash: `http://user:password@proxy:3128`.
///
/// Name and password are kept as written, percent-encoded. Messages repeat neither.
pub fn parse_proxy(text: &str) -> Result<String, UnitError> {
    let remedy = "write `http://HOST:PORT` or `http://USER:PASSWORD@HOST:PORT`";
    let wrong = |message: String| Err(UnitError::new(message, remedy));
    let Some(authority) = text.strip_prefix("http://") else {
        return match text.split_once("://").filter(|_| is_absolute(text)) {
            Some((scheme, _)) => wrong(format!("a proxy of kind `{scheme}` is not known")),
            None => wrong("the proxy does not begin with `http://`".into()),
        };
    };
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, authority),
    };
    let forbidden = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '/' | '?' | '#' | '@');
    if user.is_some_and(|user| user.is_empty() || user.starts_with(':') || user.contains(forbidden)) {
        return wrong("the name or password before `@` is empty or has characters that need percent-encoding".into());
    }
    if user.is_some_and(|user| !is_encoded(user)) {
        return wrong("the name or password before `@` has a `%` without two hexadecimal digits: write `%25`".into());
    }
    match origin(&format!("http://{host}")) {
        Ok(origin) => Ok(match user {
            Some(user) => format!("http://{user}@{}", &origin["http://".len()..]),
            None => origin,
        }),
        Err(message) => wrong(format!("not a proxy: {message}")),
    }
}

/// Whether a text begins with a scheme and `://`. A URL within a query does not make it one.
pub fn is_absolute(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, _)| {
        let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
        scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.bytes().all(legal)
    })
}

/// The text as scheme, host and port, without a final slash. Messages repeat neither name nor password.
pub fn origin(text: &str) -> Result<String, String> {
    let shown = || nmax_text::shown(&masked_url(text)).into_owned();
    let Some(rest) = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://")) else {
        return Err(format!("`{}` does not begin with `http://` or `https://`", shown()));
    };
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    if authority.contains('@') {
        let instead = "send it as a header instead, such as `authorization: Basic ...`";
        return Err(format!("`{}` has a user name before the host: {instead}", shown()));
    }
    if authority.is_empty() || authority.starts_with(':') {
        return Err(format!("`{}` has no host", shown()));
    }
    if authority.len() < rest.len() {
        return Err(format!("`{}` has more than scheme, host and port", shown()));
    }
    let (host, port) = match authority.strip_prefix('[').and_then(|inside| inside.split_once(']')) {
        Some((address, port)) if address.parse::<Ipv6Addr>().is_ok() => (None, port),
        Some(_) => return Err(format!("`{}` has no IPv6 address in its brackets", shown())),
        None => {
            let (host, port) = authority.split_at(authority.find(':').unwrap_or(authority.len()));
            (Some(host), port)
        }
    };
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if host.is_some_and(|host| host.len() > HOST_BYTES_MAX || !host.chars().all(legal)) {
        return Err(format!("`{}` has no valid host", shown()));
    }
    let is_port =
        |port: &str| port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|n| n > 0);
    // What stands there may be a part of a password.
    if !port.is_empty() && !port.strip_prefix(':').is_some_and(is_port) {
        return Err("the port is not a number from 1 to 65535".into());
    }
    Ok(text.strip_suffix('/').unwrap_or(text).to_owned())
}

/// Scheme, host and port of an absolute URL, when its first text holds all of them.
pub(crate) fn written_origin(text: &str, is_whole: bool) -> Option<&str> {
    let scheme = ["http://", "https://"].into_iter().find(|scheme| text.starts_with(scheme))?;
    let end = text[scheme.len()..].find(['/', '?', '#']).map(|end| scheme.len() + end);
    let end = end.or_else(|| is_whole.then_some(text.len()))?;
    Some(&text[..end])
}

#[cfg(test)]
mod tests;
