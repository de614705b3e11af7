//! Ports for servers that are told where to listen; test programs of other crates take this file too.

use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::OwnedFd;
use std::sync::{Mutex, PoisonError};

use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, getsockname, socket_with, sockopt};

/// The sockets that hold the ports of this process, until it ends.
static HELD: Mutex<Vec<OwnedFd>> = Mutex::new(Vec::new());

/// A port of the loopback for a server that is told where to listen, now, later or again. A socket that is bound to it
/// and does not listen holds it: the kernel gives it to nobody who asks for any port, listener or connection, and lets
/// a server that reuses addresses, as all do, listen on it. Until then a connection to it is refused.
pub(crate) fn free_port() -> u16 {
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, None).unwrap();
    sockopt::set_socket_reuseaddr(&socket, true).unwrap();
    bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = SocketAddrV4::try_from(getsockname(&socket).unwrap()).unwrap().port();
    HELD.lock().unwrap_or_else(PoisonError::into_inner).push(socket);
    port
}
