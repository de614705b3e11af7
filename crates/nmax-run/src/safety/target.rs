//! Hosts and networks as people write them in flags and in the user's configuration.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use nmax_plan::addresses::is_absolute;

/// The longest host name that DNS allows, in bytes.
const HOST_BYTES_MAX: usize = 253;
/// The longest part of a host name between dots, in bytes.
const LABEL_BYTES_MAX: usize = 63;

/// Why a text names no host or network, and what to write.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TargetError {
    /// Nothing.
    #[error("is empty: write a host name or an address")]
    Empty,
    /// A URL.
    #[error("is a URL: write only its host")]
    Url,
    /// A host with a port.
    #[error("has a port: write only the host")]
    Port,
    /// A wildcard.
    #[error("has a wildcard: write each host by its full name")]
    Wildcard,
    /// A network where one host is wanted.
    #[error("is not one host: write its exact name or address")]
    NotOneHost,
    /// No name that DNS could hold.
    #[error("is not a host name: use letters, digits, `-`, `_` and `.`, at most 63 bytes between dots and 253 in all")]
    Name,
    /// The part before `/` is no address.
    #[error("has no IP address before its `/`: write a network like `10.0.0.0/8` or `fd00::/8`")]
    Address,
    /// The part after `/` is no length.
    #[error("has no valid prefix length after its `/`: write a number from 0 to {0}")]
    Prefix(u8),
    /// Bits of the address beyond the prefix.
    #[error("has bits set beyond its prefix: did you mean `{0}`?")]
    HostBits(Net),
}

/// A host: a name in lower case without final dot, or an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Host(String);

impl Host {
    /// The host of a URL that was already checked.
    pub fn of_url(host: &str) -> Self {
        match host.parse::<IpAddr>() {
            Ok(ip) => Self(ip.to_canonical().to_string()),
            Err(_) => Self(host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase()),
        }
    }

    /// Name or address.
    #[cfg(test)]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address, when it was written as one.
    pub fn address(&self) -> Option<IpAddr> {
        self.0.parse().ok()
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Host {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Self, TargetError> {
        let text = text.trim();
        if let Some(ip) = address(text) {
            return Ok(Self(ip.to_canonical().to_string()));
        }
        let name = text.strip_suffix('.').unwrap_or(text);
        if name.is_empty() {
            return Err(TargetError::Empty);
        }
        if is_absolute(text) {
            return Err(TargetError::Url);
        }
        if text.contains('*') {
            return Err(TargetError::Wildcard);
        }
        if text.contains('/') {
            return Err(TargetError::NotOneHost);
        }
        if text.contains(':') {
            return Err(TargetError::Port);
        }
        let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let is_label = |label: &str| (1..=LABEL_BYTES_MAX).contains(&label.len()) && label.chars().all(legal);
        if name.len() > HOST_BYTES_MAX || !name.split('.').all(is_label) {
            return Err(TargetError::Name);
        }
        Ok(Self(name.to_ascii_lowercase()))
    }
}

/// An address, IPv6 with or without brackets.
fn address(text: &str) -> Option<IpAddr> {
    let bracketed = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    match bracketed {
        Some(inside) => inside.parse().ok().map(IpAddr::V6),
        None => text.parse().ok(),
    }
}

/// A network: the addresses that share the first bits of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Net {
    /// No bits set beyond the prefix; never IPv4-mapped when the prefix covers the mapping.
    base: IpAddr,
    /// Bits that count: 0 to 32 or 128.
    prefix: u8,
}

impl Net {
    /// True when `ip`, or the IPv4 address mapped into it, lies in this network.
    pub fn contains(&self, ip: IpAddr) -> bool {
        masked(ip.to_canonical(), self.prefix) == Some(self.base)
    }
}

/// `ip` without the bits beyond `prefix`; `None` when it has fewer bits than that.
fn masked(ip: IpAddr, prefix: u8) -> Option<IpAddr> {
    let prefix = u32::from(prefix);
    Some(match ip {
        IpAddr::V4(ip) => {
            let mask = u32::MAX.checked_shl(32_u32.checked_sub(prefix)?).unwrap_or(0);
            IpAddr::V4(Ipv4Addr::from_bits(ip.to_bits() & mask))
        }
        IpAddr::V6(ip) => {
            let mask = u128::MAX.checked_shl(128_u32.checked_sub(prefix)?).unwrap_or(0);
            IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() & mask))
        }
    })
}

const fn bits(ip: IpAddr) -> u8 {
    match ip {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

impl fmt::Display for Net {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.prefix == bits(self.base) {
            write!(f, "{}", self.base)
        } else {
            write!(f, "{}/{}", self.base, self.prefix)
        }
    }
}

impl FromStr for Net {
    type Err = TargetError;

    /// Reads `ADDRESS/PREFIX`.
    fn from_str(text: &str) -> Result<Self, TargetError> {
        let (base, prefix) = text.trim().split_once('/').ok_or(TargetError::Address)?;
        let base = address(base).ok_or(TargetError::Address)?;
        let prefix_max = bits(base);
        let is_number = !prefix.is_empty() && prefix.bytes().all(|byte| byte.is_ascii_digit());
        let prefix = prefix.parse().ok().filter(|&prefix: &u8| is_number && prefix <= prefix_max);
        let prefix = prefix.ok_or(TargetError::Prefix(prefix_max))?;
        let kept = masked(base, prefix).ok_or(TargetError::Prefix(prefix_max))?;
        let net = match kept.to_canonical() {
            IpAddr::V4(kept) if prefix >= 96 && base.is_ipv6() => Self { base: IpAddr::V4(kept), prefix: prefix - 96 },
            _ => Self { base: kept, prefix },
        };
        if kept == base { Ok(net) } else { Err(TargetError::HostBits(net)) }
    }
}

/// What an entry of an allow list names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// Whatever private address this name has.
    Host(Host),
    /// The private ones of these addresses, under any name.
    Net(Net),
}

impl Pattern {
    /// True when a connection to `host` at `ip` is meant.
    pub fn covers(&self, host: &Host, ip: IpAddr) -> bool {
        match self {
            Self::Host(name) => name == host,
            Self::Net(net) => net.contains(ip),
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host(host) => host.fmt(f),
            Self::Net(net) => net.fmt(f),
        }
    }
}

impl FromStr for Pattern {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Self, TargetError> {
        if let Some(ip) = address(text.trim()) {
            let base = ip.to_canonical();
            let prefix = bits(base);
            return Ok(Self::Net(Net { base, prefix }));
        }
        if text.contains('/') && !is_absolute(text) {
            return text.parse().map(Self::Net);
        }
        text.parse().map(Self::Host)
    }
}

#[cfg(test)]
mod tests;
