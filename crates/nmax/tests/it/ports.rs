//! Ports for servers that are told where to listen; test programs of other crates take this file too.

use std::fs;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// Ports are chosen from here on.
const PORT_MIN: u32 = 10_000;

static CHOSEN: AtomicU32 = AtomicU32::new(0);
/// What claims the ports of this process, until it ends.
static CLAIMS: Mutex<Vec<UnixListener>> = Mutex::new(Vec::new());

/// A port of the loopback for a server that is told where to listen, now, later or again. It is none of those that the
/// kernel gives to whoever leaves the choice to it, and no other test program gets it while this one runs: two that try
/// the same port would each find the other listening on it for a moment.
pub(crate) fn free_port() -> u16 {
    let given = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    let given_min: u32 = given.split_whitespace().next().map_or(32_768, |port| port.parse().unwrap());
    let begin = std::process::id().wrapping_mul(61);
    (0..given_min.saturating_sub(PORT_MIN))
        .map(|_| begin.wrapping_add(CHOSEN.fetch_add(1, Ordering::Relaxed)) % (given_min - PORT_MIN))
        .map(|place| (PORT_MIN + place) as u16)
        .find(|port| is_claimed(*port) && is_free(*port))
        // Where the kernel gives them all.
        .unwrap_or_else(|| TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port())
}

/// Claims a port among all test programs by a name that only one process can have; false when another one has it.
fn is_claimed(port: u16) -> bool {
    let name = SocketAddr::from_abstract_name(format!("nmax-test-port-{port}")).unwrap();
    let claim = UnixListener::bind_addr(&name);
    let is_mine = claim.is_ok();
    CLAIMS.lock().unwrap_or_else(PoisonError::into_inner).extend(claim);
    is_mine
}

fn is_free(port: u16) -> bool {
    TcpListener::bind(("127.0.0.1", port)).is_ok()
}
