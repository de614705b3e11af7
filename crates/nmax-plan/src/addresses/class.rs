//! What an IP address leads to: this host, a private network, the public, or what is never asked.
//!
//! The only definition of the workspace: targets and name servers of a run, observed sources and the recorder's clients are
//! judged by it.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What an address leads to. Whatever is not known to be something else is public, the strictest of those that can
/// be opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Loopback, or the unspecified address, which Linux connects to this host.
    ThisHost,
    /// A network that is not routed in the public: RFC 1918, shared (100.64/10), unique local, link-local.
    Private,
    /// Everything else.
    Public,
    /// A service of a cloud that tells a machine who it is, often with its credentials.
    Metadata,
    /// Multicast, broadcast, reserved: no single host.
    NoHost,
}

/// Addresses under which clouds tell a machine who it is.
const METADATA: [IpAddr; 13] = [
    v4(169, 254, 169, 254), // AWS, Google, Azure, Oracle, DigitalOcean, Hetzner, OpenStack
    v4(169, 254, 170, 2),   // AWS, credentials of containers (ECS)
    v4(169, 254, 170, 23),  // AWS, credentials of pods (EKS)
    v4(169, 254, 0, 23),    // Tencent
    v4(169, 254, 42, 42),   // Scaleway
    v4(100, 100, 100, 200), // Alibaba
    v4(168, 63, 129, 16),   // Azure, the host's agent
    v4(192, 0, 0, 192),     // Oracle, classic
    v6([0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0254]), // AWS
    v6([0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0023]), // AWS, credentials of pods (EKS)
    v6([0xfd20, 0x00ce, 0, 0, 0, 0, 0, 0x0254]), // Google
    v6([0xfd00, 0x0042, 0, 0, 0, 0, 0, 0x0042]), // Scaleway
    v6([0xfe80, 0, 0, 0, 0, 0, 0xa9fe, 0xa9fe]), // OpenStack
];

const fn v4(a: u8, b: u8, c: u8, d: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(a, b, c, d))
}

const fn v6([a, b, c, d, e, f, g, h]: [u16; 8]) -> IpAddr {
    IpAddr::V6(Ipv6Addr::new(a, b, c, d, e, f, g, h))
}

/// Tells what `ip` leads to. An IPv4-mapped address is the IPv4 address in it.
pub fn classify(ip: IpAddr) -> Class {
    let ip = ip.to_canonical();
    if METADATA.contains(&ip) {
        return Class::Metadata;
    }
    match ip {
        IpAddr::V4(ip) => classify_v4(ip),
        IpAddr::V6(ip) => classify_v6(ip),
    }
}

fn classify_v4(ip: Ipv4Addr) -> Class {
    match ip.octets() {
        [127, ..] | [0, 0, 0, 0] => Class::ThisHost,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] | [169, 254, ..] | [100, 64..=127, ..] => Class::Private,
        [0 | 224..=255, ..] => Class::NoHost,
        _ => Class::Public,
    }
}

fn classify_v6(ip: Ipv6Addr) -> Class {
    if ip.is_loopback() || ip.is_unspecified() {
        return Class::ThisHost;
    }
    if let Some(carried) = carried(ip) {
        // Behind a translator, its own loopback is not ours.
        return match classify(IpAddr::V4(carried)) {
            Class::ThisHost => Class::NoHost,
            class => class,
        };
    }
    match ip.segments()[0] {
        // Unique local, link-local, and the site-local range of old.
        0xfc00..=0xfdff | 0xfe80..=0xfeff => Class::Private,
        0xff00..=0xffff => Class::NoHost,
        _ => Class::Public,
    }
}

/// Whether `ip` is link-local (169.254/16, fe80::/10): an address of one network segment, never routed beyond it.
pub fn is_link_local(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_unicast_link_local(),
    }
}

/// The IPv4 address that a translator or tunnel takes out of `ip`: NAT64 (RFC 6052, 8215), translated (RFC 2765),
/// compatible (RFC 4291) and 6to4 (RFC 3056) addresses.
fn carried(ip: Ipv6Addr) -> Option<Ipv4Addr> {
    let join = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match ip.segments() {
        [0x0064, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x0064, 0xff9b, 1, _, _, _, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0, 0, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => Some(join(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
