//! What goes over a connection, for a person who watches it.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use nmax_metrics::Nanos;

/// Told of every event of every connection, with its instant. Called on the worker's thread, between the system
/// calls of an exchange, so whatever it does delays the exchange.
pub type WireLog = Arc<dyn Fn(Nanos, &WireEvent<'_>) + Send + Sync>;

/// One event of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireEvent<'a> {
    /// A name has these addresses.
    Resolved {
        /// The name.
        host: &'a str,
        /// What it stands for, in the order in which connections are tried.
        addresses: &'a [IpAddr],
        /// How long that may be believed; `None` when nobody said.
        ttl: Option<Nanos>,
    },
    /// A TCP connection is open.
    Connected {
        /// This end.
        local: SocketAddr,
        /// The server's end, or that of the proxy.
        peer: SocketAddr,
    },
    /// The TLS handshake succeeded.
    Tls {
        /// Such as `TLSv1_3`.
        version: &'a str,
        /// The cipher suite, by its name in the standard.
        cipher: &'a str,
        /// The session before was taken up again.
        resumed: bool,
        /// The protocol that both agreed on, when the server named one.
        alpn: Option<&'a [u8]>,
    },
    /// A connection that was kept is used again.
    Reused,
    /// Bytes of a request that the kernel took, before encryption. What a proxy is asked for a tunnel is one too.
    Sent(&'a [u8]),
    /// Bytes that came, after decryption.
    Received(&'a [u8]),
    /// The exchange is over and its connection is kept.
    Kept,
    /// The server closed the connection, which ended the reply or broke it off.
    ClosedByServer,
    /// The connection is not kept.
    Closed,
    /// Its end is left to the server, and watched for; without this event, this end has closed it.
    Awaited,
}
