//! Which addresses a source may connect to.
//!
//! Every connection of a source asks [`may_connect`] for all addresses that its place has at that moment. A cloud's
//! metadata address is refused under whatever name: it hands out credentials to whoever asks.

use std::net::{IpAddr, SocketAddr};

use nmax_plan::addresses::{Class, classify};

use crate::Trouble;

/// An address that no source may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is a cloud's metadata address and is never read, whatever the flags: it hands out credentials")]
pub(crate) struct Forbidden(IpAddr);

impl Forbidden {
    /// As the trouble of the source at `place`.
    pub(crate) fn trouble(self, place: &str) -> Trouble {
        Trouble::lasting(format!("{place}: {self}; name another place"))
    }
}

/// Whether a source may connect to a place with these addresses: one that is forbidden forbids them all.
pub(crate) fn may_connect(addresses: impl IntoIterator<Item = SocketAddr>) -> Result<(), Forbidden> {
    let mut ips = addresses.into_iter().map(|address| address.ip());
    ips.find(|ip| classify(*ip) == Class::Metadata).map_or(Ok(()), |ip| Err(Forbidden(ip)))
}
