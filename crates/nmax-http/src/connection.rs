//! One connection to an origin: allowed, connected, and wrapped in TLS when asked.
//!
//! # Layout
//! - [`dns`]: addresses and lifetimes of names, from the host's files and its name servers
//! - [`resolve`]: which of its addresses a connection takes
//! - [`sources`], [`proxy`], [`tls`]: from where, through what, and how wrapped
//! - [`sockets`]: how many sockets a process may have open

pub(crate) mod dns;
pub(crate) mod proxy;
pub(crate) mod resolve;
pub(crate) mod sockets;
mod sources;
pub(crate) mod tls;

use std::fmt;
use std::io::{self, BufRead as _};
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use nmax_metrics::{ErrorKind, Fence, Nanos};
use nmax_reactor::Socket;
use rustix::net::{getsockname, sockopt};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConnection, HandshakeKind};

use crate::failure::Failure;
use crate::line::Shaped;
use crate::wire::WireLog;
use proxy::Proxy;
use sockets::{Room, SocketBudget};
use sources::connect_from;

#[cfg(test)]
mod tests;

/// Says whether an address may be loaded, given the host name it was found under; else why not.
pub type Allow = Arc<dyn Fn(&str, IpAddr) -> Result<(), String> + Send + Sync>;

/// Settings of all clients of a worker.
#[derive(Clone)]
pub struct Config {
    /// Files of issuers to trust beside the host's own, in PEM.
    pub ca_pem: Vec<Vec<u8>>,
    /// Take any certificate.
    pub insecure: bool,
    /// What clients show when a server asks who they are.
    pub client_certificate: Option<ClientCertificate>,
    /// The largest body, in bytes after all decoding; `u64::MAX` takes all.
    pub body_limit: u64,
    /// Undo content codings of replies.
    pub decode: bool,
    /// Bytes of a body kept when the status is 400 or above, whatever the request wants kept.
    pub keep_failed_bytes: usize,
    /// The longest TCP connect per address, which needs a runtime with timers; `None` leaves it to the
    /// kernel and to the caller's own limit.
    pub connect_timeout: Option<Duration>,
    /// Limits of phases, kept by [`crate::Alarm`].
    pub phase_limits: PhaseLimits,
    /// How names are resolved.
    pub names: NameRules,
    /// Local addresses that connections leave from, in turn; empty leaves it to the system.
    pub sources: Vec<IpAddr>,
    /// Everything goes through it.
    pub proxy: Option<Proxy>,
    /// Sockets that may be open at a time, also shared with other workers; `None` leaves it to the system.
    pub sockets: Option<Arc<SocketBudget>>,
    /// From when on no connection is opened and no request sent.
    pub fence: Fence,
    /// Told of everything that goes over connections.
    pub wire: Option<WireLog>,
    /// Asked for every address of a host before each connection: one refusal blocks it.
    pub allow: Allow,
}

impl Config {
    /// Trusts the host's own issuers, limits nothing, goes straight to servers that `allow` lets it load.
    pub fn new(allow: Allow) -> Self {
        Self {
            ca_pem: Vec::new(),
            insecure: false,
            client_certificate: None,
            body_limit: u64::MAX,
            decode: false,
            keep_failed_bytes: 0,
            connect_timeout: None,
            phase_limits: PhaseLimits::default(),
            names: NameRules::default(),
            sources: Vec::new(),
            proxy: None,
            sockets: None,
            fence: Fence::default(),
            wire: None,
            allow,
        }
    }
}

/// A certificate with its key, both PEM.
#[derive(Clone)]
pub struct ClientCertificate {
    /// The certificate, then those between it and its issuer.
    pub chain_pem: Vec<u8>,
    /// Its private key.
    pub key_pem: Vec<u8>,
}

/// Longest time of each phase; `None` leaves it to the caller's own limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhaseLimits {
    /// Name resolution.
    pub dns: Option<Nanos>,
    /// TCP connect, all addresses tried together.
    pub connect: Option<Nanos>,
    /// TLS handshake.
    pub tls: Option<Nanos>,
    /// First byte of the request to its last.
    pub send: Option<Nanos>,
    /// Last byte of the request to the first of the reply.
    pub wait: Option<Nanos>,
    /// First byte of the reply to its last.
    pub receive: Option<Nanos>,
}

/// How names are resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameRules {
    /// How long an answer is believed; `None` = as long as the server says.
    pub ttl: Option<Nanos>,
    /// Each visitor asks for itself.
    pub per_visitor: bool,
    /// Which addresses are used.
    pub family: Family,
    /// Servers to ask in place of the system's.
    pub servers: Vec<SocketAddr>,
    /// Names that are not asked for.
    pub hosts: Vec<HostOverride>,
}

/// Which addresses of a name are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Family {
    /// Both, IPv6 first where the host has a route.
    #[default]
    Any,
    /// IPv4 only.
    V4,
    /// IPv6 only.
    V6,
}

/// Addresses given to a host name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostOverride {
    /// The name, in lower case.
    pub host: String,
    /// Only for this port.
    pub port: Option<u16>,
    /// Where connections go, in turn; a port replaces that of the URL.
    pub addresses: Vec<(IpAddr, Option<u16>)>,
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("ca_pem", &self.ca_pem.len())
            .field("insecure", &self.insecure)
            .field("body_limit", &self.body_limit)
            .field("connect_timeout", &self.connect_timeout)
            .finish_non_exhaustive()
    }
}

impl Config {
    /// Asks for each address: a name that also points elsewhere must not slip through.
    pub(crate) fn check(&self, host: &str, places: &[SocketAddr]) -> Result<(), Failure> {
        for place in places {
            (self.allow)(host, place.ip()).map_err(|reason| Failure::new(ErrorKind::Blocked, reason))?;
        }
        Ok(())
    }
}

/// An open connection, before its place among the sockets: that is given back when the connection is closed. All but
/// plain ones are boxed: their state is large and few visitors of a plain run need it.
#[derive(Debug)]
#[expect(dead_code, reason = "the room is only held")]
pub(crate) enum Stream {
    Plain(Socket, Room),
    Wrapped(Box<Wrapped>, Room),
}

/// A connection with something between its bytes and the socket.
#[derive(Debug)]
pub(crate) enum Wrapped {
    Tls(TlsStream<Socket>),
    Line(Shaped),
    TlsOverLine(TlsStream<Shaped>),
}

impl Stream {
    /// The TLS session; `None` without TLS.
    pub(crate) fn session(&self) -> Option<&ClientConnection> {
        match self {
            Self::Plain(..) => None,
            Self::Wrapped(wrapped, _) => match &**wrapped {
                Wrapped::Tls(stream) => Some(stream.get_ref().1),
                Wrapped::Line(_) => None,
                Wrapped::TlsOverLine(stream) => Some(stream.get_ref().1),
            },
        }
    }

    /// Whether the TLS handshake took up an earlier session; `None` without TLS.
    pub(crate) fn is_resumed(&self) -> Option<bool> {
        let session = self.session()?;
        Some(session.handshake_kind() == Some(HandshakeKind::Resumed))
    }

    /// Whether nobody waits for a reply: over a line, everything that came meanwhile is there at once.
    pub(crate) fn set_idle(&mut self, is_idle: bool) {
        if let Self::Wrapped(wrapped, _) = self {
            match &mut **wrapped {
                Wrapped::Tls(_) => {}
                Wrapped::Line(stream) => stream.set_idle(is_idle),
                Wrapped::TlsOverLine(stream) => stream.get_mut().0.set_idle(is_idle),
            }
        }
    }

    /// Whether it is known without a read that nothing has come. The reactor wakes the task when something does.
    #[inline]
    pub(crate) fn is_silent(&mut self, cx: &mut Context<'_>) -> bool {
        match self {
            Self::Plain(socket, _) => socket.poll_readable(cx).is_pending(),
            Self::Wrapped(wrapped, _) => wrapped.is_silent(cx),
        }
    }

    /// Reads at most `buffer.len()` bytes; 0 is the end of the stream.
    #[inline]
    pub(crate) fn poll_read(&mut self, cx: &mut Context<'_>, buffer: &mut [u8]) -> Poll<io::Result<usize>> {
        match self {
            Self::Plain(socket, _) => socket.poll_receive(cx, buffer),
            Self::Wrapped(wrapped, _) => wrapped.poll_read(cx, buffer),
        }
    }

    /// Writes a part of `bytes` and returns its length.
    #[inline]
    pub(crate) fn poll_write(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self {
            Self::Plain(socket, _) => socket.poll_send(cx, bytes),
            Self::Wrapped(wrapped, _) => wrapped.layer().poll_write(cx, bytes),
        }
    }

    /// Whether what was written may wait for [`Stream::poll_flush`].
    pub(crate) fn has_buffer(&self) -> bool {
        matches!(self, Self::Wrapped(..))
    }

    /// Hands everything written to the kernel; a plain connection has nothing left to hand over.
    #[inline]
    pub(crate) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Plain(..) => Poll::Ready(Ok(())),
            Self::Wrapped(wrapped, _) => wrapped.layer().poll_flush(cx),
        }
    }
}

/// What is between bytes and a socket.
trait Layer: AsyncRead + AsyncWrite + Unpin {}

impl<T: AsyncRead + AsyncWrite + Unpin> Layer for T {}

impl Wrapped {
    fn layer(&mut self) -> Pin<&mut dyn Layer> {
        let layer: &mut dyn Layer = match self {
            Self::Tls(stream) => stream,
            Self::Line(stream) => stream,
            Self::TlsOverLine(stream) => stream,
        };
        Pin::new(layer)
    }

    /// As [`Stream::is_silent`]: neither the socket nor the session has anything. Of a line that is not known.
    fn is_silent(&mut self, cx: &mut Context<'_>) -> bool {
        let Self::Tls(stream) = self else { return false };
        let (socket, session) = stream.get_mut();
        let has_no_text = |error: io::Error| error.kind() == io::ErrorKind::WouldBlock;
        session.reader().fill_buf().is_err_and(has_no_text) && socket.poll_readable(cx).is_pending()
    }

    fn poll_read(&mut self, cx: &mut Context<'_>, buffer: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut buffer = ReadBuf::new(buffer);
        match ready!(self.layer().poll_read(cx, &mut buffer)) {
            Ok(()) => Poll::Ready(Ok(buffer.filled().len())),
            // Many servers close without saying so in TLS; framing tells whether the reply is complete.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Poll::Ready(Ok(0)),
            Err(error) => Poll::Ready(Err(error)),
        }
    }
}

/// A TCP connection to `place`, if there is room for one more socket.
pub(crate) async fn connect_to(
    place: SocketAddr,
    source_turn: usize,
    config: &Config,
) -> Result<(Socket, Room), Failure> {
    let broken = |error: io::Error| Failure::of_io(ErrorKind::Connect, &place.to_string(), &error);
    let room = Room::take(config.sockets.as_ref()).map_err(broken)?;
    let connecting = connect_from(&config.sources, source_turn, place);
    let stream = match config.connect_timeout {
        None => connecting.await?,
        Some(limit) => tokio::time::timeout(limit, connecting).await.unwrap_or_else(|_| {
            let text = format!("{place}: no answer within {limit:?}");
            Err(Failure::new(ErrorKind::Connect, text))
        })?,
    };
    Ok((prepare(stream, place).map_err(broken)?, room))
}

/// Makes a fresh connection ready: small writes leave at once, and it leads to someone else.
fn prepare(socket: Socket, address: SocketAddr) -> io::Result<Socket> {
    sockopt::set_tcp_nodelay(&socket, true)?;
    // Where nobody listens on a local port of the ephemeral range, TCP sometimes picks that same port
    // for our end and connects it to itself.
    if address.ip().is_loopback() && local_address(&socket)? == address {
        return Err(io::Error::new(io::ErrorKind::ConnectionRefused, "no server listens on this port"));
    }
    Ok(socket)
}

/// This end's address.
pub(crate) fn local_address(socket: impl AsFd) -> io::Result<SocketAddr> {
    Ok(SocketAddr::try_from(getsockname(socket)?)?)
}

/// The TLS handshake with `host` over a fresh connection.
pub(crate) async fn handshake<S: AsyncRead + AsyncWrite + Unpin>(
    connector: &TlsConnector,
    host: &str,
    stream: S,
) -> Result<TlsStream<S>, Failure> {
    let name = ServerName::try_from(host.to_owned())
        .map_err(|_| Failure::new(ErrorKind::Tls, format!("{host}: not a name that a certificate can hold")))?;
    let connected = connector.connect(name, stream).await;
    connected.map_err(|error| Failure::of_handshake(host, &error))
}
