//! A visitor's client: one exchange after another, with the instants of each.

mod exchange;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::net::IpAddr;
use std::rc::Rc;

use nmax_metrics::{Clock, Nanos, Network};
use tokio_rustls::TlsConnector;

pub use exchange::{Exchange, Piece, Request};

use crate::codec::{Receiver, Reply};
use crate::connection::{Config, Stream, connect, handshake};
use crate::failure::Failure;
use crate::resolve::Names;
use crate::tls::{ConfigError, Settings};
use crate::url::{Origin, Scheme};

/// Bytes that one receive call takes at most.
const RECEIVE_BYTES_MAX: usize = 64 * 1024;
/// Connections that a client keeps; beyond that the one unused for longest is closed.
const KEPT_MAX: usize = 16;

/// When a client wants to be polled again although no byte came: a limit of a phase, or the end of a wait for
/// `100 Continue`. The caller owns the timer; it looks here whenever an exchange is pending.
pub type Alarm = Rc<Cell<Option<Nanos>>>;

/// What a thread's clients noticed beside their exchanges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// How long servers kept sockets open after complete replies that should have ended them.
    pub held: Vec<Nanos>,
    /// Ages of such sockets that were still open when they were given up.
    pub held_open: Vec<Nanos>,
}

/// What the clients of one worker thread share.
pub struct Shared<C> {
    config: Config,
    tls: Settings,
    names: Names,
    clock: C,
    /// Where every receive call of the thread puts its bytes. Never borrowed across an await:
    /// what a reply needs later is copied out, so an idle visitor holds no buffer of its own.
    scratch: RefCell<Box<[u8]>>,
}

impl<C: Clock> Shared<C> {
    /// Checks the settings and reads the host's certificates.
    pub fn new(config: Config, clock: C) -> Result<Self, ConfigError> {
        let tls = Settings::new(&config.ca_pem, config.insecure)?;
        let scratch = RefCell::new(vec![0; RECEIVE_BYTES_MAX].into_boxed_slice());
        Ok(Self {
            config,
            tls,
            names: Names::default(),
            clock,
            scratch,
        })
    }

    /// The settings.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// What was noticed since the last call; `at_end` gives up whatever is still being watched.
    pub fn take_notes(&self, at_end: bool) -> Notes {
        let _ = at_end;
        Notes::default()
    }

    /// The clock that stamps exchanges.
    pub fn clock(&self) -> &C {
        &self.clock
    }
}

impl<C> fmt::Debug for Shared<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

/// The connections and buffers of one visitor.
pub struct Client<C> {
    shared: Rc<Shared<C>>,
    /// Idle connections, the most recently used one last; at most one per origin.
    kept: Vec<(Origin, Stream)>,
    /// TLS with this visitor's own tickets; made at the first `https` connection.
    tls: Option<TlsConnector>,
    receiver: Receiver,
    progress: Progress,
    #[expect(dead_code, reason = "set by the phases of an exchange")]
    alarm: Alarm,
}

impl<C> fmt::Debug for Client<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("kept", &self.kept.len())
            .finish_non_exhaustive()
    }
}

/// What is known of the current exchange, at any moment.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    sent: Option<Nanos>,
    first_byte: Option<Nanos>,
    network: Network,
    bytes_sent: u64,
    bytes_received: u64,
    retried: bool,
    opened_connection: bool,
    /// The span of `network` that is running, and since when.
    phase: Option<(Phase, Nanos)>,
}

/// A span of [`Network`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Dns,
    Connect,
    Tls,
}

impl Progress {
    /// Ends the running span at `now` and begins another, or none.
    fn enter(&mut self, next: Option<Phase>, now: Nanos) {
        if let Some((phase, since)) = self.phase.take() {
            let span = match phase {
                Phase::Dns => &mut self.network.dns,
                Phase::Connect => &mut self.network.connect,
                Phase::Tls => &mut self.network.tls,
            };
            *span = *span + now.since(since);
        }
        self.phase = next.map(|phase| (phase, now));
    }
}

impl<C: Clock> Client<C> {
    /// A visitor without connections and tickets.
    pub fn new(shared: Rc<Shared<C>>, alarm: Alarm) -> Self {
        Self {
            shared,
            kept: Vec::new(),
            tls: None,
            receiver: Receiver::new(),
            progress: Progress::default(),
            alarm,
        }
    }

    /// What is known of an exchange whose future was dropped (a timeout, the end of a run).
    ///
    /// `done` is now, and there is neither status nor error: the caller knows why it gave up. The
    /// connection was closed with the future. Without a dropped future it describes the last exchange.
    pub fn abandon(&mut self) -> Exchange {
        let now = self.shared.clock.now();
        self.progress.enter(None, now);
        self.summary(now)
    }

    /// The reply of the last exchange; empty when that one got no valid reply.
    pub fn reply(&self) -> Reply<'_> {
        self.receiver.reply()
    }

    /// Closes all connections.
    pub fn close(&mut self) {
        self.kept.clear();
    }

    /// Closes all connections and forgets all TLS tickets, as a new visitor would come.
    pub fn forget(&mut self) {
        self.close();
        self.tls = None;
    }

    /// Idle connections that the next exchange may use.
    pub fn open_connections(&self) -> usize {
        self.kept.len()
    }

    /// The exchange so far, as if it ended now.
    fn summary(&self, done: Nanos) -> Exchange {
        let progress = &self.progress;
        Exchange {
            sent: progress.sent,
            first_byte: progress.first_byte,
            done,
            network: progress.network,
            send: Nanos::ZERO,
            status: None,
            bytes_received: progress.bytes_received,
            bytes_sent: progress.bytes_sent,
            bytes_decoded: 0,
            retried: progress.retried,
            opened: None.or(progress.opened_connection.then_some(IpAddr::from([127, 0, 0, 1]))),
            resumed: None,
            informational: self.receiver.informational(),
            error: None,
        }
    }

    /// The kept connection to `origin`, out of the list: whoever drops it closes it.
    fn take_kept(&mut self, origin: &Origin) -> Option<(Origin, Stream)> {
        let index = self.kept.iter().position(|(kept, _)| kept == origin)?;
        Some(self.kept.remove(index))
    }

    /// Keeps a connection for the next exchange with `origin`.
    fn keep(&mut self, origin: Origin, stream: Stream) {
        if self.kept.len() >= KEPT_MAX {
            self.kept.remove(0);
        }
        self.kept.push((origin, stream));
    }

    /// Opens a connection; its spans go to the current exchange.
    async fn open(&mut self, origin: &Origin) -> Result<Stream, Failure> {
        let opened = self.open_phases(origin).await;
        self.enter(None);
        opened
    }

    async fn open_phases(&mut self, origin: &Origin) -> Result<Stream, Failure> {
        let shared = Rc::clone(&self.shared);
        let literal: Option<IpAddr> = origin.host.parse().ok();
        let addresses = match literal {
            Some(address) => Rc::from([address]),
            None => {
                self.enter(Some(Phase::Dns));
                shared.names.resolve(&origin.host, &shared.clock).await?
            }
        };
        shared.config.check(&origin.host, &addresses)?;
        self.enter(Some(Phase::Connect));
        let stream = connect(&addresses, origin.port, shared.config.connect_timeout).await?;
        self.progress.opened_connection = true;
        if origin.scheme == Scheme::Http {
            return Ok(Stream::Plain(stream));
        }
        self.enter(Some(Phase::Tls));
        let connector = self.tls.get_or_insert_with(|| shared.tls.visitor());
        handshake(connector, &origin.host, stream).await
    }

    fn enter(&mut self, next: Option<Phase>) {
        self.progress.enter(next, self.shared.clock.now());
    }
}
