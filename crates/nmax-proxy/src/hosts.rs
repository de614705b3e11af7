//! Which hosts are recorded: names with all that is below them, and addresses.
//!
//! Below a public suffix, such as `com` or `github.io`, anybody can have a host, so none is recorded with all that is
//! below it. A page whose own host is one, as `app` in a network of containers, is recorded alone.
//!
//! The same list constrains the certificate authority, so that even its stolen key is worth nothing elsewhere.

use std::net::IpAddr;

/// Most hosts of a recording: each stands in the authority's certificate.
const HOSTS_MAX: usize = 100;

/// Hosts that are recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts {
    /// Lower case, without a dot at the end; what is below them belongs to them.
    names: Vec<String>,
    /// Host of the page when it is a public suffix; what is below it does not belong to it.
    exact_name: Option<String>,
    addresses: Vec<IpAddr>,
}

/// Text that is no host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    /// Neither a name nor an address.
    #[error(
        "`{0}` is not a host\n  help: give a name such as `example.com`, or an address, without scheme, port or path"
    )]
    NotAHost(String),
    /// A name with letters that certificates cannot have.
    #[error("`{0}` has letters outside ASCII\n  help: write it in its `xn--` form")]
    NotAscii(String),
    /// A name below which anybody can have a host.
    #[error(
        "`{0}` is a public suffix: anybody can have a host below it\n  help: give each name below it that belongs to the site, \
         such as `shop.{0}`"
    )]
    PublicSuffix(String),
    /// A list that is too long.
    #[error("more than {HOSTS_MAX} hosts\n  help: give the domain in place of many names below it")]
    TooMany,
}

impl Hosts {
    /// The host of the page that a recording begins with: its registrable domain and all below it; an address, or a name
    /// without a domain such as `localhost`, as it is; a public suffix without what is below it.
    pub fn of_page(host: &str) -> Result<Self, HostError> {
        let mut hosts = Self::default();
        let name = plain(host);
        if is_public_suffix(&name) {
            hosts.exact_name = Some(name);
            return Ok(hosts);
        }
        let domain = match name.parse::<IpAddr>() {
            Ok(_) => None,
            Err(_) => nmax_domain::registrable(&name).filter(|domain| domain.contains('.')),
        };
        hosts.add(domain.unwrap_or(&name))?;
        Ok(hosts)
    }

    /// Adds an address, or a name and all below it; `*.example.com` is the same as `example.com`. A public suffix is
    /// refused.
    pub fn add(&mut self, host: &str) -> Result<(), HostError> {
        let name = plain(host.strip_prefix("*.").unwrap_or(host));
        if self.names.len() + self.addresses.len() >= HOSTS_MAX {
            return Err(HostError::TooMany);
        }
        if let Ok(address) = name.parse() {
            if !self.addresses.contains(&address) {
                self.addresses.push(address);
            }
            return Ok(());
        }
        if !is_name(&name) {
            let host = host.to_owned();
            return Err(if is_foreign_name(&name) { HostError::NotAscii(host) } else { HostError::NotAHost(host) });
        }
        if is_public_suffix(&name) {
            return Err(HostError::PublicSuffix(name));
        }
        if !self.names.contains(&name) {
            self.names.push(name);
        }
        Ok(())
    }

    /// Whether a host is recorded.
    pub fn contains(&self, host: &str) -> bool {
        let name = plain(host);
        match name.parse::<IpAddr>() {
            Ok(address) => self.addresses.contains(&address),
            Err(_) => {
                self.exact_name.as_ref() == Some(&name) || self.names.iter().any(|domain| is_within(&name, domain))
            }
        }
    }

    /// Names, each with all below it.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// A name without what is below it.
    pub fn exact_name(&self) -> Option<&str> {
        self.exact_name.as_deref()
    }

    /// Addresses.
    pub fn addresses(&self) -> &[IpAddr] {
        &self.addresses
    }
}

impl std::fmt::Display for Hosts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let addresses = self.addresses.iter().map(IpAddr::to_string);
        let names = self.exact_name.iter().chain(&self.names).cloned();
        let all: Vec<String> = names.chain(addresses).collect();
        f.write_str(&all.join(", "))
    }
}

/// Lower case, without the brackets of an IPv6 address and the dot of a full name.
pub(crate) fn plain(host: &str) -> String {
    let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let bare = bare.unwrap_or(host);
    bare.strip_suffix('.').unwrap_or(bare).to_ascii_lowercase()
}

/// Whether a name is a domain or below it.
pub(crate) fn is_within(name: &str, domain: &str) -> bool {
    name.strip_suffix(domain).is_some_and(|below| below.is_empty() || below.ends_with('.'))
}

/// Whether the list at publicsuffix.org has it. A name of one label that is not on it, such as `localhost`, is somebody's.
fn is_public_suffix(name: &str) -> bool {
    nmax_domain::suffix(name).is_some_and(|suffix| suffix.is_listed && suffix.text == name)
}

/// Whether it would be a name if it were in ASCII.
fn is_foreign_name(name: &str) -> bool {
    let replaced: String = name.chars().map(|c| if !c.is_ascii() && c.is_alphabetic() { 'x' } else { c }).collect();
    is_name(&replaced)
}

/// Whether a certificate can be made for it: labels of letters, digits, `-` and `_`.
pub(crate) fn is_name(name: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len()) && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    };
    name.len() <= 253 && name.split('.').all(is_label)
}

#[cfg(test)]
mod tests;
