//! Opening a connection: where it may go, the TCP connect with a proxy's tunnel, and TLS.
//!
//! The addresses of a name are tried one after another. Where connecting has a limit, each of them gets an equal part
//! of what remains of it: a silent one does not use up the time of those that would answer.

use std::cell::Cell;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use nmax_metrics::aggregate::count_address;
use nmax_metrics::{Clock, ErrorKind};
use nmax_reactor::Socket;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::client::TlsStream;

use super::progress::{Deadline, Phase, Progress};
use super::visitor::{Ahead, Lease};
use super::{Alarm, Client, Shared};
use crate::connection::resolve::{Answers, Route};
use crate::connection::sockets::Room;
use crate::connection::{Stream, Wrapped, connect_to, handshake, local_address};
use crate::failure::Failure;
use crate::line::{Line, Shaped};
use crate::url::{Origin, Scheme};
use crate::wire::WireEvent;

impl<C: Clock> Shared<C> {
    /// Opens a TCP connection to `origin`, through a proxy's tunnel where one is needed, and closes it. It goes the
    /// way of every exchange, and only where that may go.
    pub async fn reach(&self, origin: &Origin) -> Result<(), Failure> {
        let route = self.route(origin, self.names.answers()).await?;
        let limit = Limit { alarm: &Alarm::default(), deadline: None };
        self.connect(origin, &route, limit, &Cell::new(None)).await.map(drop)
    }

    /// Where connections to `origin` would go, found as for every exchange. Whether they may is not asked, and nothing
    /// connects.
    pub async fn addresses(&self, origin: &Origin) -> Result<Vec<IpAddr>, Failure> {
        self.may_ask(origin)?;
        let route = self.names.route(origin, self.names.answers(), &self.clock).await?;
        Ok(route.places.iter().map(SocketAddr::ip).collect())
    }

    /// Where a connection for `origin` may go: to it, or to the proxy.
    async fn route(&self, origin: &Origin, answers: &Answers) -> Result<Route, Failure> {
        let Some(proxy) = &self.config.proxy else {
            return self.allowed_route(origin, answers).await;
        };
        // A proxy must not lead where this host may not go itself, and that is known by address only.
        self.allowed_route(origin, answers).await.map_err(|failure| {
            let why = "resolved here although a proxy connects, because nmax checks by address what may be loaded; set one under `hosts` to avoid it";
            Failure::new(failure.kind, format!("{} ({why})", failure.text))
        })?;
        self.allowed_route(&proxy.origin, answers).await
    }

    /// Whether the name servers that would be asked for `origin` may be asked: those given in place of the system's are
    /// hosts like those that are loaded.
    fn may_ask(&self, origin: &Origin) -> Result<(), Failure> {
        if !self.names.is_name(origin) {
            return Ok(());
        }
        for server in &self.config.names.servers {
            let ip = server.ip();
            (self.config.allow)(&ip.to_string(), ip)
                .map_err(|reason| Failure::new(ErrorKind::Blocked, format!("name server {server}: {reason}")))?;
        }
        Ok(())
    }

    async fn allowed_route(&self, origin: &Origin, answers: &Answers) -> Result<Route, Failure> {
        self.may_ask(origin)?;
        let route = self.names.route(origin, answers, &self.clock).await?;
        self.config.check(&origin.host, &route.places)?;
        if self.config.wire.is_some() && self.names.is_name(origin) {
            let addresses: Vec<IpAddr> = route.places.iter().map(SocketAddr::ip).collect();
            self.emit(WireEvent::Resolved { host: &origin.host, addresses: &addresses, ttl: route.ttl });
        }
        Ok(route)
    }

    /// True when the way to `origin` takes a lookup.
    fn asks_for(&self, origin: &Origin) -> bool {
        let proxy = self.config.proxy.as_ref();
        self.names.is_name(origin) || proxy.is_some_and(|proxy| self.names.is_name(&proxy.origin))
    }

    /// A TCP connection that leads to `origin`. `opened` is the address at its end, also when a proxy then refuses.
    async fn connect(
        &self,
        origin: &Origin,
        route: &Route,
        limit: Limit<'_>,
        opened: &Cell<Option<IpAddr>>,
    ) -> Result<(Socket, Room), Failure> {
        let ((mut stream, room), peer) = self.first_of(route, limit).await?;
        opened.set(Some(peer.ip()));
        if self.config.wire.is_some()
            && let Ok(local) = local_address(&stream)
        {
            self.emit(WireEvent::Connected { local, peer });
        }
        if let (Some(proxy), Scheme::Https) = (&self.config.proxy, origin.scheme) {
            // Boxed, so that the clients of a run without a proxy do not grow by it.
            let tunnel = Box::pin(proxy.tunnel(&mut stream, origin, |event| self.emit(event)));
            let at = limit.deadline.map(|deadline| deadline.at);
            let dug = self.within(limit.alarm, at, tunnel).await;
            dug.unwrap_or_else(|| Err(limit.passed()))?;
        }
        Ok((stream, room))
    }

    /// Connects to the first place that answers, in order, and tells which one that was. Those before it are counted.
    ///
    /// Fails with the reason of the first one, unless time ran out: the others were only there in its stead. Where
    /// this host itself has run out of something, other places would not help, and would hide it.
    async fn first_of(&self, route: &Route, limit: Limit<'_>) -> Result<((Socket, Room), SocketAddr), Failure> {
        let mut first = None;
        for (index, &place) in route.places.iter().enumerate() {
            let left = route.places.len() - index;
            let at = limit.deadline.map(|deadline| deadline.share(self.clock.now(), left));
            let attempt = connect_to(place, route.source_turn, &self.config);
            let failure = match self.within(limit.alarm, at, attempt).await {
                Some(Ok(connected)) => {
                    self.pass_over(&route.places[..index]);
                    return Ok((connected, place));
                }
                Some(Err(failure)) => failure,
                None if left == 1 => return Err(limit.passed()),
                None => Failure::new(
                    ErrorKind::Timeout,
                    format!("{place}: no answer in its share of the limit of phase connect"),
                ),
            };
            let is_ours = failure.kind == ErrorKind::Injector;
            first.get_or_insert(failure);
            if is_ours {
                break;
            }
        }
        Err(first.unwrap_or_else(|| Failure::new(ErrorKind::Connect, "no address to connect to")))
    }

    /// Counts places that did not take a connection that another one took.
    fn pass_over(&self, places: &[SocketAddr]) {
        for place in places {
            count_address(&mut self.passed_over.borrow_mut(), place.ip(), 1);
        }
    }
}

/// How long connecting may take, and who is told when to look again.
#[derive(Clone, Copy)]
struct Limit<'a> {
    alarm: &'a Alarm,
    deadline: Option<Deadline>,
}

impl Limit<'_> {
    /// What to say when it passed.
    fn passed(&self) -> Failure {
        let unlimited = || Failure::new(ErrorKind::Timeout, "no TCP connection in time");
        self.deadline.map_or_else(unlimited, |deadline| deadline.failure())
    }
}

impl<C: Clock + 'static> Client<C> {
    /// Opens a connection before an exchange needs it, and keeps it. The first exchange tells that it was opened; what
    /// opening took is in none.
    pub async fn open_ahead(&mut self, origin: &Origin) -> Result<(), Failure> {
        self.progress = Progress::default();
        let stream = self.open(origin).await?;
        let ahead = self.progress.opened.map(|address| Ahead { address, resumed: self.progress.resumed });
        let since = self.shared.clock.now();
        self.visitor.keep_ahead(Lease::opened(origin, stream), since, ahead);
        Ok(())
    }

    /// A client of the same visitor with another alarm, in place of this one.
    #[must_use]
    pub fn with_alarm(self, alarm: Alarm) -> Self {
        Self { alarm, ..self }
    }

    /// Opens a connection; its spans go to the current exchange.
    pub(super) async fn open(&mut self, origin: &Origin) -> Result<Stream, Failure> {
        let opened = self.open_phases(origin).await;
        self.progress.enter(None, self.shared.clock.now());
        opened
    }

    /// Each wait is a phase with its time and its limit.
    async fn open_phases(&mut self, origin: &Origin) -> Result<Stream, Failure> {
        let (shared, answers) = (Rc::clone(&self.shared), self.visitor.answers());
        let line = self.visitor.line();
        let finding = shared.route(origin, &answers);
        let route = if shared.asks_for(origin) {
            self.phase(Phase::Dns, asking(&shared, finding, line.as_deref(), &origin.host)).await?
        } else {
            finding.await?
        };
        let opened = Cell::new(None);
        let begun = shared.clock.now();
        self.progress.enter(Some(Phase::Connect), begun);
        let limit = Limit {
            alarm: &self.alarm,
            deadline: Deadline::for_phase(Phase::Connect, &shared.config.phase_limits, begun),
        };
        let connected = match &line {
            None => shared.connect(origin, &route, limit, &opened).await,
            Some(line) => shared.connect_over(line, origin, &route, limit, &opened).await,
        };
        self.progress.opened = opened.get();
        let (stream, room) = connected?;
        let stream = match (origin.scheme, line) {
            (Scheme::Http, None) => return Ok(Stream::Plain(stream, room)),
            (Scheme::Http, Some(line)) => Wrapped::Line(Shaped::new(stream, line)),
            (Scheme::Https, None) => Wrapped::Tls(self.secure(origin, stream).await?),
            (Scheme::Https, Some(line)) => Wrapped::TlsOverLine(self.secure(origin, Shaped::new(stream, line)).await?),
        };
        let stream = Stream::Wrapped(Box::new(stream), room);
        if origin.scheme == Scheme::Https {
            self.progress.resumed = stream.is_resumed();
            shared.tell_tls(&stream);
        }
        Ok(stream)
    }

    /// The TLS handshake, with this visitor's tickets.
    async fn secure<S: AsyncRead + AsyncWrite + Unpin>(
        &mut self,
        origin: &Origin,
        stream: S,
    ) -> Result<TlsStream<S>, Failure> {
        let connector = self.visitor.tls(|| self.shared.tls.visitor());
        self.phase(Phase::Tls, handshake(&connector, &origin.host, stream)).await
    }
}

/// Looks a name up; over a line a visitor's own question takes a round trip, whoever else knows the answer.
async fn asking<C: Clock>(
    shared: &Shared<C>,
    finding: impl Future<Output = Result<Route, Failure>>,
    line: Option<&Line>,
    host: &str,
) -> Result<Route, Failure> {
    let Some(line) = line else {
        return finding.await;
    };
    let begun = shared.clock.now();
    let route = finding.await?;
    if line.asks_for(host, shared.clock.now(), route.ttl) {
        line.await_round_trip(begun).await;
    }
    Ok(route)
}

impl<C: Clock> Shared<C> {
    /// As [`Shared::connect`], for a visitor at the end of a line: connecting is a round trip, and so is a tunnel.
    async fn connect_over(
        &self,
        line: &Line,
        origin: &Origin,
        route: &Route,
        limit: Limit<'_>,
        opened: &Cell<Option<IpAddr>>,
    ) -> Result<(Socket, Room), Failure> {
        let has_tunnel = self.config.proxy.is_some() && origin.scheme == Scheme::Https;
        let connecting = async {
            let begun = self.clock.now();
            let connected = self.connect(origin, route, limit, opened).await;
            line.await_round_trip(begun).await;
            if has_tunnel && connected.is_ok() {
                line.await_round_trip(self.clock.now()).await;
            }
            connected
        };
        let at = limit.deadline.map(|deadline| deadline.at);
        let connected = self.within(limit.alarm, at, connecting).await;
        connected.unwrap_or_else(|| Err(limit.passed()))
    }
}

impl<C: Clock> Shared<C> {
    /// Tells what a handshake agreed on.
    fn tell_tls(&self, stream: &Stream) {
        let Some(session) = stream.session().filter(|_| self.config.wire.is_some()) else {
            return;
        };
        let version = session.protocol_version().and_then(|version| version.as_str());
        let cipher = session.negotiated_cipher_suite().map(|suite| suite.suite());
        self.emit(WireEvent::Tls {
            version: version.unwrap_or("unknown"),
            cipher: cipher.and_then(|cipher| cipher.as_str()).unwrap_or("unknown"),
            resumed: stream.is_resumed() == Some(true),
            alpn: session.alpn_protocol(),
        });
    }
}

#[cfg(test)]
mod tests;
