//! One connection of a client: requests to the plain proxy, tunnels (`CONNECT`), and what is inside them.

use std::io::Cursor;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use nmax_import::select::is_browsers_own;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::{LazyConfigAcceptor, rustls};

use crate::authority::{Authority, Ca};
use crate::body::{self, Passing};
use crate::exchange::{Forwarder, Wanted};
use crate::guests::Client;
use crate::hosts::{Hosts, plain};
use crate::own;
use crate::problem::Problem;
use crate::socket;
use crate::tally::Tally;
use crate::upstream::Origin;

/// Longest handshake with a client.
const HANDSHAKE_WAIT: Duration = Duration::from_secs(10);
/// Header lines of a request.
const HEADERS_MAX: usize = 1_000;

/// Bytes of a tunnel that are looked at to tell what is in it.
const FIRST_BYTES_MAX: usize = 1_024;

/// What all clients share.
#[derive(Clone)]
pub(crate) struct ProxyContext {
    pub(crate) forwarder: Forwarder,
    pub(crate) hosts: Arc<Hosts>,
    pub(crate) is_browser_silenced: bool,
    pub(crate) authority: Arc<Authority>,
    pub(crate) ca: Arc<Ca>,
    pub(crate) tally: Tally,
}

/// What is on the other end of a connection's requests.
#[derive(Clone)]
enum Towards {
    /// Each says it itself: a plain proxy.
    Said,
    /// A tunnel's end.
    Origin(Arc<Origin>),
}

impl ProxyContext {
    /// The same for a client, with connections to servers of its own.
    pub(crate) fn for_client(&self, client: Client) -> Self {
        let mut context = self.clone();
        context.forwarder.upstreams = Arc::default();
        context.forwarder.opener.client = client;
        context
    }

    /// Serves a connection until it ends.
    pub(crate) async fn serve(self, stream: TcpStream) {
        // A failure costs time only.
        let _ = stream.set_nodelay(true);
        if let Err(error) = self.speak(stream, Towards::Said, &Arc::default()).await
            && error.is_parse()
        {
            self.tally.garbage();
        }
    }

    /// HTTP/1.1 on a stream, as lenient as a recorder must be.
    async fn speak<S>(&self, stream: S, towards: Towards, has_asked: &Arc<AtomicBool>) -> hyper::Result<()>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let service = service_fn(|request| {
            has_asked.store(true, Ordering::Relaxed);
            let (context, towards) = (self.clone(), towards.clone());
            async move { Ok::<_, std::convert::Infallible>(context.answer(request, towards).await) }
        });
        http1::Builder::new()
            .preserve_header_case(true)
            .ignore_invalid_headers(true)
            .allow_multiple_spaces_in_request_line_delimiters(true)
            .max_headers(HEADERS_MAX)
            .auto_date_header(false)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades()
            .await
    }

    /// In a box, because an answer may serve the inside of a tunnel, which answers.
    fn answer(
        self,
        request: Request<Incoming>,
        towards: Towards,
    ) -> Pin<Box<dyn Future<Output = Response<Passing>> + Send>> {
        Box::pin(async move { self.answer_one(request, towards).await })
    }

    async fn answer_one(&self, request: Request<Incoming>, towards: Towards) -> Response<Passing> {
        let origin = match towards {
            Towards::Said if request.method() == Method::CONNECT => return self.connect(request).await,
            Towards::Origin(origin) => origin,
            Towards::Said => match absolute_origin(&request) {
                Some(origin) => Arc::new(origin),
                None => return self.own(&request),
            },
        };
        if self.forwarder.opener.is_own_literal(&origin) {
            return self.own(&request);
        }
        let wanted = if self.hosts.contains(&origin.host) {
            Wanted::Recorded
        } else if self.is_refused(&origin.host) {
            return self.refuse(&origin.host, &request);
        } else {
            self.tally.passes(&origin.host);
            Wanted::Passed
        };
        self.forwarder.go(&origin, request, wanted).await
    }

    /// Whether it is a browser's talk with its maker, which is not wanted.
    fn is_refused(&self, host: &str) -> bool {
        self.is_browser_silenced && is_browsers_own(host)
    }

    fn refuse(&self, host: &str, request: &Request<Incoming>) -> Response<Passing> {
        self.tally.refused(host);
        Problem::Refused(host.to_owned()).page(request.headers())
    }

    fn own(&self, request: &Request<Incoming>) -> Response<Passing> {
        let address = self.forwarder.opener.own.to_string();
        own::reply(request.method(), request.uri().path(), &self.ca, &address).unwrap_or_else(|| own::missing(&address))
    }

    /// Makes a tunnel: into ourselves for hosts that are recorded, past us for others.
    async fn connect(&self, request: Request<Incoming>) -> Response<Passing> {
        let authority = request.uri().authority().cloned();
        let end = authority.and_then(|authority| Some((plain(authority.host()), authority.port_u16()?)));
        let Some((host, port)) = end else {
            return Problem::NoHost(request.uri().to_string()).page(request.headers());
        };
        let context = self.for_client(self.forwarder.opener.client);
        if self.hosts.contains(&host) {
            tokio::spawn(async move {
                if let Ok(client) = hyper::upgrade::on(request).await {
                    context.tunnel(TokioIo::new(client), host, port).await;
                }
            });
            return Response::new(body::empty());
        }
        if self.is_refused(&host) {
            return self.refuse(&host, &request);
        }
        self.tally.passes(&host);
        match self.forwarder.opener.dial(&host, port).await {
            Ok((server, _)) => {
                tokio::spawn(async move {
                    if let Ok(client) = hyper::upgrade::on(request).await {
                        context.pass(TokioIo::new(client), server, &host).await;
                    }
                });
                Response::new(body::empty())
            }
            Err(problem) => problem.page(request.headers()),
        }
    }

    /// Bytes to and fro, only counted.
    async fn pass<S>(&self, client: S, server: TcpStream, host: &str)
    where
        S: AsyncRead + AsyncWrite,
    {
        let count = |bytes: &[u8]| self.tally.passed_bytes(host, bytes.len() as u64);
        // However it ends, it is over.
        let _ = socket::both(client, server, count, count).await;
    }

    /// A tunnel to a recorded host: TLS, plain HTTP as browsers send WebSockets, or something that only passes.
    async fn tunnel<S>(&self, client: S, host: String, port: u16)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        // Browsers open tunnels long before they need them: they may wait.
        let (mut from_client, to_client) = tokio::io::split(client);
        let mut first = vec![0; FIRST_BYTES_MAX];
        let Ok(count) = from_client.read(&mut first).await else {
            return;
        };
        first.truncate(count);
        let kind = first.first().copied();
        // What was looked at comes once more.
        let client = tokio::io::join(Cursor::new(first).chain(from_client), to_client);
        let mut origin = Origin { is_tls: false, host, port };
        match kind {
            None => {}
            Some(0x16) => {
                origin.is_tls = true;
                self.decrypt(client, origin).await;
            }
            Some(first) if first.is_ascii_alphabetic() => {
                if let Err(error) = self.speak(client, Towards::Origin(Arc::new(origin)), &Arc::default()).await
                    && error.is_parse()
                {
                    self.tally.garbage();
                }
            }
            Some(_) => {
                self.tally.passes(&origin.host);
                if let Ok((server, _)) = self.forwarder.opener.dial(&origin.host, port).await {
                    self.pass(client, server, &origin.host).await;
                }
            }
        }
    }

    async fn decrypt<S>(&self, client: S, mut origin: Origin)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let host = origin.host.clone();
        let broken = |error: &std::io::Error| {
            if let Some(reason) = distrust(error) {
                self.tally.untrusted(&host, &reason);
            }
        };
        let acceptor = LazyConfigAcceptor::new(rustls::server::Acceptor::default(), client);
        let hello = match timeout(HANDSHAKE_WAIT, acceptor).await {
            Ok(Ok(hello)) => hello,
            Ok(Err(error)) => return broken(&error),
            Err(_) => return,
        };
        // A client that connects to an address may still ask for a name.
        if let Some(name) = hello.client_hello().server_name().map(plain)
            && self.hosts.contains(&name)
        {
            origin.host = name;
        }
        let Some(config) = self.authority.config_for(&origin.host) else {
            self.tally.untrusted(&origin.host, "no certificate can be made for this name");
            return;
        };
        let stream = match timeout(HANDSHAKE_WAIT, hello.into_stream(config)).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => return broken(&error),
            Err(_) => return,
        };
        let has_asked = Arc::default();
        let served = self.speak(stream, Towards::Origin(Arc::new(origin)), &has_asked).await;
        // With TLS 1.3 a client refuses after the handshake, as far as the server can tell.
        if let Err(error) = served
            && !has_asked.load(Ordering::Relaxed)
            && let Some(cause) = std::error::Error::source(&error).and_then(|cause| cause.downcast_ref())
        {
            broken(cause);
        }
    }
}

/// The origin in an absolute target.
fn absolute_origin(request: &Request<Incoming>) -> Option<Origin> {
    let uri = request.uri();
    let is_tls = match uri.scheme_str()? {
        "http" | "ws" => false,
        "https" | "wss" => true,
        _ => return None,
    };
    let usual = if is_tls { 443 } else { 80 };
    Some(Origin { is_tls, host: plain(uri.host()?), port: uri.port_u16().unwrap_or(usual) })
}

/// Why a client broke the handshake off, when it did so because of the certificate.
fn distrust(error: &std::io::Error) -> Option<String> {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    let what = match inner {
        Some(rustls::Error::AlertReceived(alert)) => format!("the client refused the certificate ({alert:?})"),
        Some(other) => format!("the client's handshake failed: {other}"),
        None if error.kind() == std::io::ErrorKind::UnexpectedEof => "the client broke off in the handshake".to_owned(),
        None => return None,
    };
    Some(format!(
        "{what}: let it trust this recording's ca.pem; an app that accepts only its own certificates (pinning) cannot be \
         recorded"
    ))
}
