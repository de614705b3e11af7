//! The addresses of a place, and which of them a source may connect to.
//!
//! Every connection of a source asks [`may_connect`] for all addresses that its place has at that moment. A cloud's
//! metadata address is refused under whatever name: it hands out credentials to whoever asks.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Instant;

use nmax_plan::addresses::{Class, classify};

use crate::Trouble;
use crate::reach::{Broken, now};

/// An address that no source may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is a cloud's metadata address and is never read, whatever the flags: it hands out credentials")]
pub(crate) struct Forbidden(IpAddr);

impl Forbidden {
    /// As the trouble of the source at `place`.
    pub(crate) fn trouble(self, place: &str) -> Trouble {
        Trouble::lasting(format!("{place}: {self}; take it out of `observe`"))
    }
}

/// Whether a source may connect to a place with these addresses: one that is forbidden forbids them all.
pub(crate) fn may_connect(addresses: impl IntoIterator<Item = SocketAddr>) -> Result<(), Forbidden> {
    let mut ips = addresses.into_iter().map(|address| address.ip());
    ips.find(|ip| classify(*ip) == Class::Metadata).map_or(Ok(()), |ip| Err(Forbidden(ip)))
}

/// Addresses of a host, all of which a source may connect to.
pub(crate) fn resolve(host: &str, port: u16, deadline: Instant) -> Result<Vec<SocketAddr>, Broken> {
    let addresses = look_up(host, port, deadline)?;
    may_connect(addresses.iter().copied()).map_err(Broken::Forbidden)?;
    Ok(addresses)
}

/// Addresses of a host. The system's lookup knows no limit, so it has a thread of its own, which is left behind when it
/// takes too long, and ends with its own limits.
pub(crate) fn look_up(host: &str, port: u16, deadline: Instant) -> Result<Vec<SocketAddr>, Broken> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let (sender, found) = sync_channel(1);
    let pair = (host.to_owned(), port);
    let lookup = move || {
        let _ = sender.send(pair.to_socket_addrs().map(Vec::from_iter));
    };
    thread::Builder::new().name("nmax-lookup".into()).spawn(lookup)?;
    let left = deadline.saturating_duration_since(now());
    match found.recv_timeout(left) {
        Ok(Ok(addresses)) => Ok(addresses),
        Ok(Err(_)) => Err(Broken::Failed("its name is not found".into())),
        Err(_) => Err(Broken::Failed("its name is not found in time".into())),
    }
}
