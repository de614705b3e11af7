//! Local addresses that connections leave from.
//!
//! A source address has one port for each connection to one place, some 28 thousand by default; several addresses
//! multiply that. The port is chosen at connect and not at bind, else it would be taken for all places at once.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::OwnedFd;

use nix::sys::socket::{setsockopt, sockopt};
use nmax_metrics::ErrorKind;
use nmax_reactor::Socket;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, socket_with};

use crate::failure::Failure;

/// Connects to `to`, from the `turn`-th of those `sources` that can reach it; from any address when there are none.
pub(crate) async fn connect_from(sources: &[IpAddr], turn: usize, to: SocketAddr) -> Result<Socket, Failure> {
    let broken = |error: io::Error| Failure::of_io(ErrorKind::Connect, &to.to_string(), &error);
    let socket = if sources.is_empty() { socket(to.ip()).map_err(broken)? } else { bound(sources, turn, to)? };
    Socket::connect(socket, to).await.map_err(broken)
}

/// A socket with its source address.
fn bound(sources: &[IpAddr], turn: usize, to: SocketAddr) -> Result<OwnedFd, Failure> {
    let is_of_family = |source: &&IpAddr| source.is_ipv4() == to.is_ipv4();
    let count = sources.iter().filter(is_of_family).count();
    let Some(source) = sources.iter().filter(is_of_family).nth(turn % count.max(1)) else {
        let family = if to.is_ipv4() { "IPv4" } else { "IPv6" };
        let text = format!("{to}: no source address is {family}: add one");
        return Err(Failure::new(ErrorKind::Injector, text));
    };
    open(*source).map_err(|error| match Errno::from_io_error(&error) {
        Some(Errno::ADDRNOTAVAIL) => {
            let text = format!("source address {source} is not an address of this host: see `ip address`");
            Failure::new(ErrorKind::Injector, text)
        }
        _ => Failure::of_io(ErrorKind::Injector, &format!("source address {source}"), &error),
    })
}

fn open(source: IpAddr) -> io::Result<OwnedFd> {
    let socket = socket(source)?;
    // A kernel without it takes the port at bind: fewer connections, otherwise the same.
    let _ = setsockopt(&socket, sockopt::IpBindAddressNoPort, &true);
    bind(&socket, &SocketAddr::new(source, 0))?;
    Ok(socket)
}

/// A socket of the family of this address.
fn socket(of: IpAddr) -> io::Result<OwnedFd> {
    let family = if of.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    Ok(socket_with(family, SocketType::STREAM, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK, None)?)
}

#[cfg(test)]
mod tests;
