//! Who may be led where: a recorder that others reach must not lead them to what only this host can reach.
//!
//! Databases and admin pages listen on loopback because nobody else gets there. So clients of other hosts are led to the
//! loopback, link-local and metadata addresses of this host only where these are of a host that is recorded. Clients on
//! this host get there anyway.

use std::net::{IpAddr, SocketAddr};

use nmax_plan::addresses::{Class, classify, is_link_local};
use tokio::net::TcpStream;

/// Where a client is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Client {
    /// On this host.
    Here,
    /// On another one, as far as is known.
    Elsewhere,
}

impl Client {
    /// By its connection: on this host when it comes from loopback, or from the very address that it connects to.
    pub(crate) fn from_stream(stream: &TcpStream) -> Self {
        match (stream.peer_addr(), stream.local_addr()) {
            (Ok(peer), Ok(local)) => Self::at(peer.ip(), local.ip()),
            _ => Self::Elsewhere,
        }
    }

    fn at(peer: IpAddr, local: IpAddr) -> Self {
        let is_here = peer.to_canonical().is_loopback() || peer.to_canonical() == local.to_canonical();
        if is_here { Self::Here } else { Self::Elsewhere }
    }

    /// The first address to which it is not led, of those that a host has which is not recorded.
    pub(crate) fn barred(self, addresses: &[SocketAddr]) -> Option<IpAddr> {
        let mut ips = addresses.iter().map(|address| address.ip().to_canonical());
        match self {
            Self::Here => None,
            Self::Elsewhere => ips.find(|ip| is_private_to_this_host(*ip)),
        }
    }
}

fn is_private_to_this_host(ip: IpAddr) -> bool {
    matches!(classify(ip), Class::ThisHost | Class::Metadata) || is_link_local(ip)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_of_this_host_come_from_it() {
        for (peer, local, client) in [
            ("127.0.0.1", "127.0.0.1", Client::Here),
            ("127.9.9.9", "127.0.0.1", Client::Here),
            ("::1", "::1", Client::Here),
            ("::ffff:127.0.0.1", "::ffff:127.0.0.1", Client::Here),
            ("10.9.9.1", "10.9.9.1", Client::Here),
            ("::ffff:10.9.9.1", "10.9.9.1", Client::Here),
            ("10.9.9.2", "10.9.9.1", Client::Elsewhere),
            ("fe80::1", "fe80::2", Client::Elsewhere),
            ("8.8.8.8", "10.9.9.1", Client::Elsewhere),
        ] {
            assert_eq!(Client::at(peer.parse().unwrap(), local.parse().unwrap()), client, "{peer} to {local}");
        }
    }

    /// Law: clients of other hosts are led to no address that is this host's own, in whatever form, also where others
    /// stand beside it; clients of this host are led everywhere.
    #[test]
    fn addresses_of_this_host_are_not_lent() {
        let cases = [
            (&["127.0.0.1:80"][..], true),
            (&["127.8.8.8:80"], true),
            (&["0.0.0.0:80"], true),
            (&["[::]:80"], true),
            (&["[::1]:80"], true),
            (&["[::ffff:127.0.0.1]:80"], true),
            (&["169.254.1.1:80"], true),
            (&["169.254.169.254:80"], true),
            (&["100.100.100.200:80"], true),
            (&["[fd00:ec2::254]:80"], true),
            (&["[64:ff9b::a9fe:a9fe]:80"], true),
            (&["[fe80::1]:80"], true),
            (&["10.0.0.1:80", "127.0.0.1:80"], true),
            (&["10.0.0.1:80", "93.184.215.14:443", "[2001:db8::1]:80"], false),
            (&[], false),
        ];
        for (texts, is_barred) in cases {
            let addresses: Vec<SocketAddr> = texts.iter().map(|text| text.parse().unwrap()).collect();
            assert_eq!(Client::Elsewhere.barred(&addresses).is_some(), is_barred, "{texts:?}");
            assert_eq!(Client::Here.barred(&addresses), None, "{texts:?}");
        }
    }
}
