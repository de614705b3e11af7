//! Connections to servers: opened when a request needs one, and kept for one client connection only. So the times of
//! opening are those of the exchange that needed it, and visitors are not mixed.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use nmax_import::recording::Timings;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls;
use tokio_rustls::rustls::pki_types::ServerName;

use crate::body::Passing;
use crate::clock::Clock;
use crate::guests::Client;
use crate::hosts::Hosts;
use crate::problem::Problem;
use crate::trust::Trust;

/// Longest wait for one address, and for a handshake.
const OPEN_WAIT: Duration = Duration::from_secs(10);
/// Origins that one client connection keeps a connection to; only a client of the plain proxy has several.
const ORIGINS_MAX: usize = 32;
/// Header lines of a reply, as many as any server sends.
const HEADERS_MAX: usize = 1_000;

/// Where a request goes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Origin {
    pub(crate) is_tls: bool,
    /// Lower case, an IPv6 address without brackets.
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl Origin {
    /// Host and port.
    fn place(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// `http://shop.test:8080`; the port only when it is not the scheme's.
    pub(crate) fn url(&self) -> String {
        let (scheme, usual) = if self.is_tls { ("https", 443) } else { ("http", 80) };
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        if self.port == usual { format!("{scheme}://{host}") } else { format!("{scheme}://{host}:{}", self.port) }
    }
}

/// How connections are opened.
#[derive(Clone)]
pub(crate) struct Opener {
    pub(crate) trust: Trust,
    pub(crate) clock: Clock,
    /// Where this recorder listens.
    pub(crate) own: SocketAddr,
    /// Whom it opens them for.
    pub(crate) client: Client,
    /// Hosts that are recorded: to their addresses every client is led.
    pub(crate) hosts: Arc<Hosts>,
}

/// A stream to a server.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// A connection that takes requests.
pub(crate) enum Sender {
    One(http1::SendRequest<Passing>),
    Two(http2::SendRequest<Passing>),
}

/// A request that was not answered.
pub(crate) struct Unsent {
    /// The request, when not a byte of it left.
    pub(crate) request: Option<Request<Passing>>,
    pub(crate) error: hyper::Error,
}

impl Sender {
    /// Whether it speaks HTTP/2.
    pub(crate) fn is_two(&self) -> bool {
        matches!(self, Self::Two(_))
    }

    /// Whether the connection takes a request.
    async fn is_ready(&mut self) -> bool {
        match self {
            Self::One(sender) => sender.ready().await.is_ok(),
            Self::Two(sender) => sender.ready().await.is_ok(),
        }
    }

    /// Sends a request; the head of its reply.
    pub(crate) async fn send(&mut self, request: Request<Passing>) -> Result<Response<Incoming>, Unsent> {
        let sent = match self {
            Self::One(sender) => sender.try_send_request(request).await,
            Self::Two(sender) => sender.try_send_request(request).await,
        };
        sent.map_err(|mut error| Unsent { request: error.take_message(), error: error.into_error() })
    }
}

/// The connections of one client connection.
#[derive(Default)]
pub(crate) struct Upstreams(HashMap<Origin, Sender>);

impl Upstreams {
    /// A connection that was used before and still takes requests.
    pub(crate) async fn take(&mut self, origin: &Origin) -> Option<Sender> {
        let mut sender = self.0.remove(origin)?;
        sender.is_ready().await.then_some(sender)
    }

    /// Keeps one for the next request.
    pub(crate) fn keep(&mut self, origin: &Origin, sender: Sender) {
        if self.0.len() >= ORIGINS_MAX {
            self.0.clear();
        }
        self.0.insert(origin.clone(), sender);
    }
}

impl Opener {
    /// A TCP connection: its stream, and how long name and connection took.
    pub(crate) async fn dial(&self, host: &str, port: u16) -> Result<(TcpStream, Timings), Problem> {
        let begin = self.clock.now();
        let place = || format!("{host}:{port}");
        let resolve = |source| Problem::Resolve(host.to_owned(), source);
        let addresses = timeout(OPEN_WAIT, tokio::net::lookup_host((host, port))).await;
        let addresses = addresses.unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut)));
        let addresses: Vec<SocketAddr> = addresses.map_err(resolve)?.collect();
        let found = self.clock.now();
        let is_name = host.parse::<std::net::IpAddr>().is_err();
        if let Some(address) = self.client.barred(&addresses).filter(|_| !self.hosts.contains(host)) {
            return Err(Problem::NotLent(place(), address));
        }
        let mut problem = resolve(io::Error::other("it has no address"));
        for address in addresses {
            if self.is_own(address) {
                return Err(Problem::Loop(place()));
            }
            problem = match timeout(OPEN_WAIT, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => {
                    // A failure costs time only.
                    let _ = stream.set_nodelay(true);
                    let phases = Timings {
                        dns: is_name.then(|| found.saturating_sub(begin)),
                        connect: Some(self.clock.now().saturating_sub(found)),
                        ..Timings::default()
                    };
                    return Ok((stream, phases));
                }
                Ok(Err(source)) => Problem::Connect(place(), source),
                Err(_) => Problem::Slow(place(), OPEN_WAIT),
            };
        }
        Err(problem)
    }

    /// Whether an origin is written as the address of this recorder.
    pub(crate) fn is_own_literal(&self, origin: &Origin) -> bool {
        let host = if origin.host == "localhost" { "127.0.0.1" } else { &origin.host };
        host.parse().is_ok_and(|ip| self.is_own(SocketAddr::new(ip, origin.port)))
    }

    fn is_own(&self, address: SocketAddr) -> bool {
        let own = self.own;
        let is_here = || address.ip().is_loopback() || std::net::UdpSocket::bind((address.ip(), 0)).is_ok();
        address.port() == own.port() && (address.ip() == own.ip() || own.ip().is_unspecified() && is_here())
    }

    /// A connection for requests, in the protocol that the server prefers of those of `connector`.
    pub(crate) async fn open(&self, origin: &Origin, connector: &TlsConnector) -> Result<(Sender, Timings), Problem> {
        let (stream, mut phases) = self.dial(&origin.host, origin.port).await?;
        if !origin.is_tls {
            return Ok((self.speak_one(origin, stream).await?, phases));
        }
        let stream = self.encrypt(origin, stream, &mut phases, connector).await?;
        let is_two = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        let sender =
            if is_two { self.speak_two(origin, stream).await? } else { self.speak_one(origin, stream).await? };
        Ok((sender, phases))
    }

    async fn encrypt(
        &self,
        origin: &Origin,
        stream: TcpStream,
        phases: &mut Timings,
        connector: &TlsConnector,
    ) -> Result<tokio_rustls::client::TlsStream<TcpStream>, Problem> {
        let begin = self.clock.now();
        let Ok(name) = ServerName::try_from(origin.host.clone()) else {
            return Err(Problem::Tls(origin.place(), "its name is none that a certificate can have".to_owned()));
        };
        let shaken = match timeout(OPEN_WAIT, connector.connect(name, stream)).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => return Err(tls_problem(origin.place(), &error)),
            Err(_) => return Err(Problem::Slow(origin.place(), OPEN_WAIT)),
        };
        let took = self.clock.now().saturating_sub(begin);
        phases.tls = Some(took);
        // As in HAR 1.2: the handshake is a part of connecting.
        phases.connect = Some(phases.connect.unwrap_or_default() + took);
        Ok(shaken)
    }

    async fn speak_one(&self, origin: &Origin, stream: impl Stream + 'static) -> Result<Sender, Problem> {
        let mut builder = http1::Builder::new();
        builder
            .preserve_header_case(true)
            .max_headers(HEADERS_MAX)
            .ignore_invalid_headers_in_responses(true)
            .allow_spaces_after_header_name_in_responses(true)
            .allow_obsolete_multiline_headers_in_responses(true);
        let (sender, connection) =
            builder.handshake(TokioIo::new(stream)).await.map_err(|error| reply_problem(origin, &error))?;
        // Its errors reach whoever waits for a reply.
        tokio::spawn(connection.with_upgrades());
        Ok(Sender::One(sender))
    }

    async fn speak_two(&self, origin: &Origin, stream: impl Stream + 'static) -> Result<Sender, Problem> {
        let mut builder = http2::Builder::new(TokioExecutor::new());
        // As browsers do; with the small windows of the standard a download would crawl.
        builder
            .initial_stream_window_size(1 << 20)
            .initial_connection_window_size(4 << 20)
            .max_header_list_size(256 * 1024);
        let (sender, connection) =
            builder.handshake(TokioIo::new(stream)).await.map_err(|error| reply_problem(origin, &error))?;
        tokio::spawn(connection);
        Ok(Sender::Two(sender))
    }
}

fn tls_problem(place: String, error: &io::Error) -> Problem {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match inner {
        // Our own verifier speaks so.
        Some(rustls::Error::General(reason)) => Problem::Certificate(place, reason.clone()),
        _ => Problem::Tls(place, error.to_string()),
    }
}

/// What the HTTP library says, with its cause.
pub(crate) fn reply_problem(origin: &Origin, error: &hyper::Error) -> Problem {
    let mut reason = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        reason = format!("{reason}: {cause}");
        source = cause.source();
    }
    Problem::Reply(origin.place(), reason)
}
