//! What the host says about names: `/etc/hosts` and `/etc/resolv.conf`, as text.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

/// The port of name servers.
const PORT: u16 = 53;
/// Name servers that are used, as in every resolver.
const SERVERS_MAX: usize = 3;

/// Whom to ask, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resolver {
    /// Name servers, at least one, the first one first.
    pub(crate) servers: Vec<SocketAddr>,
    /// Domains in which a short name is looked for.
    pub(crate) search: Vec<String>,
    /// A name with fewer dots is looked for in `search` first.
    pub(crate) dots_min: usize,
    /// How often each server is asked.
    pub(crate) attempts: u32,
    /// How long one answer is waited for.
    pub(crate) timeout: Duration,
}

impl Resolver {
    /// These servers, for names just as they are written.
    pub(crate) fn of_servers(servers: Vec<SocketAddr>) -> Self {
        Self { servers, search: Vec::new(), dots_min: 1, attempts: 2, timeout: Duration::from_secs(5) }
    }

    /// The settings in the text of `resolv.conf(5)`; the name server on this host when it names none.
    ///
    /// Lines that are not understood are passed over, as the C library does.
    pub(crate) fn parse(text: &str) -> Self {
        let mut resolver = Self::of_servers(Vec::new());
        for line in text.lines() {
            let mut words = line.split_ascii_whitespace();
            match words.next() {
                Some("nameserver") => {
                    let server = words.next().and_then(|word| word.parse::<IpAddr>().ok());
                    resolver.servers.extend(server.map(|ip| SocketAddr::new(ip, PORT)));
                }
                Some("search" | "domain") => {
                    let domains = words.map(|word| word.trim_end_matches('.'));
                    resolver.search = domains.filter(|word| !word.is_empty()).map(str::to_owned).collect();
                }
                Some("options") => words.for_each(|word| resolver.option(word)),
                _ => {}
            }
        }
        resolver.servers.truncate(SERVERS_MAX);
        if resolver.servers.is_empty() {
            resolver.servers.push(SocketAddr::from((Ipv4Addr::LOCALHOST, PORT)));
        }
        resolver
    }

    /// Limits are those of `resolv.conf(5)`.
    fn option(&mut self, word: &str) {
        let Some((name, Ok(value))) = word.split_once(':').map(|(name, value)| (name, value.parse::<u32>())) else {
            return;
        };
        match name {
            "ndots" => self.dots_min = value.min(15) as usize,
            "timeout" => self.timeout = Duration::from_secs(u64::from(value.clamp(1, 30))),
            "attempts" => self.attempts = value.clamp(1, 5),
            _ => {}
        }
    }

    /// The full names that `host` may stand for, in the order to ask.
    pub(crate) fn candidates(&self, host: &str) -> Vec<String> {
        if host.ends_with('.') {
            return vec![host.to_owned()];
        }
        let mut names: Vec<String> = self.search.iter().map(|domain| format!("{host}.{domain}")).collect();
        let dots = host.bytes().filter(|&byte| byte == b'.').count();
        let place = if dots >= self.dots_min { 0 } else { names.len() };
        names.insert(place, host.to_owned());
        names
    }
}

/// The addresses of `host` in the text of `hosts(5)`, in order.
pub(crate) fn in_hosts(text: &str, host: &str) -> Vec<IpAddr> {
    let host = host.trim_end_matches('.');
    let mut addresses = Vec::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_ascii_whitespace();
        let Some(Ok(address)) = words.next().map(str::parse::<IpAddr>) else {
            continue;
        };
        if words.any(|name| name.eq_ignore_ascii_case(host)) && !addresses.contains(&address) {
            addresses.push(address);
        }
    }
    addresses
}

/// True for `localhost` and all below it, which never leave the host (RFC 6761, 6.3).
pub(crate) fn is_localhost(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    let last = host.rsplit('.').next().unwrap_or_default();
    last.eq_ignore_ascii_case("localhost")
}

#[cfg(test)]
mod tests;
