//! A visitor's client: one exchange after another, with the instants of each.

mod conversation;
mod exchange;
mod held;
mod open;
mod progress;
mod sending;
mod visitor;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;

use nmax_metrics::{Clock, ErrorKind, Nanos};

pub use exchange::Exchange;
pub use visitor::CONNECTIONS_PER_ORIGIN;

use crate::codec::Receiver;
use crate::connection::Config;
use crate::connection::proxy::Proxy;
use crate::connection::resolve::Names;
use crate::connection::tls::{ConfigError, Settings};
use crate::failure::Failure;
use crate::line::Line;
use crate::message::{Fields, Reply};
use crate::url::Origin;
use crate::wire::{WireEvent, WireLog};
use held::Held;
use progress::{Deadline, Phase, Progress};
use visitor::Visitor;

/// Bytes that one receive call takes at most.
const RECEIVE_BYTES_MAX: usize = 64 * 1024;

/// When a client wants to be polled again although no byte came: a limit of a phase, or the end of a wait for
/// `100 Continue`. The caller owns the timer; it looks here whenever an exchange is pending. [`Nanos::MAX`] takes
/// an instant back that was published before.
pub type Alarm = Rc<Cell<Option<Nanos>>>;

/// What a thread's clients noticed beside their exchanges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// How long servers kept sockets open after complete replies that should have ended them.
    pub held: Vec<Nanos>,
    /// Ages of such sockets that were still open when they were given up.
    pub held_open: Vec<Nanos>,
    /// Connections that an address did not take, refusing or silent, although another address of its name then did;
    /// at most [`nmax_metrics::aggregate::ADDRESSES_MAX`] addresses.
    pub passed_over: Vec<(IpAddr, u64)>,
}

/// What the clients of one worker thread share.
pub struct Shared<C> {
    config: Config,
    tls: Settings,
    names: Names,
    clock: C,
    /// Whether any phase has a limit; without one, no exchange looks for it.
    is_limited: bool,
    /// Where every receive call of the thread puts its bytes. Never borrowed across an await:
    /// what a reply needs later is copied out, so an idle visitor holds no buffer of its own.
    scratch: RefCell<Box<[u8]>>,
    /// Sockets that servers should close.
    held: Held,
    /// See [`Notes::passed_over`].
    passed_over: RefCell<Vec<(IpAddr, u64)>>,
}

impl<C: Clock> Shared<C> {
    /// Checks the settings and reads the host's certificates.
    pub fn new(config: Config, clock: C) -> Result<Self, ConfigError> {
        let tls = Settings::new(&config)?;
        if let Some(reason) = config.proxy.as_ref().and_then(Proxy::problem) {
            return Err(ConfigError::Proxy { reason });
        }
        let names = Names::new(config.names.clone(), config.sources.clone(), config.sockets.clone());
        let scratch = RefCell::new(vec![0; RECEIVE_BYTES_MAX].into_boxed_slice());
        Ok(Self {
            is_limited: config.phase_limits.any(),
            config,
            tls,
            names,
            clock,
            scratch,
            held: Held::default(),
            passed_over: RefCell::default(),
        })
    }

    /// The settings.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// What was noticed since the last call; `at_end` gives up whatever is still being watched.
    pub fn take_notes(&self, at_end: bool) -> Notes {
        Notes { passed_over: self.passed_over.take(), ..self.held.take(self.clock.now(), at_end) }
    }

    /// Does `work` until `at`, when there is such a limit, and tells the alarm of it; `None` when time was up.
    async fn within<T>(&self, alarm: &Alarm, at: Option<Nanos>, work: impl Future<Output = T>) -> Option<T> {
        if !self.is_limited {
            return Some(work.await);
        }
        let mut work = pin!(work);
        poll_fn(|cx| match (work.as_mut().poll(cx), at) {
            (Poll::Ready(done), _) => Poll::Ready(Some(done)),
            (Poll::Pending, Some(at)) if self.clock.now() >= at => Poll::Ready(None),
            (Poll::Pending, at) => {
                alarm.set(Some(at.unwrap_or(Nanos::MAX)));
                Poll::Pending
            }
        })
        .await
    }

    /// Now, where something may be sent.
    #[inline]
    fn pass_fence(&self, progress: &mut Progress) -> Result<Nanos, Failure> {
        let now = self.clock.now();
        progress.is_fenced = self.config.fence.is_reached(now);
        if progress.is_fenced { Err(fenced()) } else { Ok(now) }
    }

    /// Sockets that servers should close and that are still watched.
    pub fn watching(&self) -> usize {
        self.held.watching()
    }

    /// Tells whoever watches the wire.
    #[inline]
    fn emit(&self, event: WireEvent<'_>) {
        if let Some(wire) = &self.config.wire {
            self.emit_to(wire, &event);
        }
    }

    #[cold]
    fn emit_to(&self, wire: &WireLog, event: &WireEvent<'_>) {
        wire(self.clock.now(), event);
    }

    /// The clock that stamps exchanges.
    pub fn clock(&self) -> &C {
        &self.clock
    }
}

#[cold]
fn fenced() -> Failure {
    Failure::new(ErrorKind::Injector, "nothing is sent any more: the fence of the run was reached")
}

impl<C> fmt::Debug for Shared<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("config", &self.config).finish_non_exhaustive()
    }
}

/// The connections and buffers of one visitor.
pub struct Client<C> {
    shared: Rc<Shared<C>>,
    visitor: Rc<Visitor>,
    receiver: Receiver,
    progress: Progress,
    alarm: Alarm,
}

impl<C> fmt::Debug for Client<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("kept", &self.visitor.open()).finish_non_exhaustive()
    }
}

impl<C: Clock + 'static> Client<C> {
    /// A visitor without connections and tickets.
    pub fn new(shared: Rc<Shared<C>>, alarm: Alarm) -> Self {
        let visitor = Rc::new(Visitor::new(shared.names.answers_of_visitor()));
        Self::with_visitor(visitor, shared, alarm)
    }

    fn with_visitor(visitor: Rc<Visitor>, shared: Rc<Shared<C>>, alarm: Alarm) -> Self {
        Self { visitor, shared, receiver: Receiver::new(), progress: Progress::default(), alarm }
    }

    /// A client of the same visitor, for another exchange at the same time: both use the connections that either keeps,
    /// the same tickets and the same names. Closing and forgetting concern both.
    #[must_use]
    pub fn sibling(&self, alarm: Alarm) -> Self {
        self.visitor.is_joined();
        Self::with_visitor(Rc::clone(&self.visitor), Rc::clone(&self.shared), alarm)
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
    #[inline]
    pub fn reply(&self) -> Reply<'_> {
        self.receiver.reply()
    }

    /// What came of the last reply, valid or not, and after a dropped exchange as well: its head or the bytes that
    /// are none, and the start of its body.
    pub fn remains(&self) -> (Fields<'_>, &[u8]) {
        self.receiver.remains()
    }

    /// Gives the memory of a large body back, and the body with it: its visitor thinks.
    pub fn rest(&mut self) {
        self.receiver.rest();
    }

    /// Closes all connections.
    pub fn close(&mut self) {
        self.visitor.close();
    }

    /// The visitor is at the end of another line, or of none. Connections over the one before are closed.
    pub fn set_line(&mut self, line: Option<Rc<Line>>) {
        self.visitor.set_line(line);
    }

    /// Closes all connections and forgets all TLS tickets and names of its own, as a new visitor would come.
    pub fn forget(&mut self) {
        self.visitor.forget(self.shared.names.answers_of_visitor());
    }

    /// Exchanges that the visitor may have under way with `origin` at the same time, one for each sibling.
    pub fn concurrency(&self, origin: &Origin) -> usize {
        self.visitor.concurrency(origin)
    }

    /// Idle connections that the next exchange may use.
    pub fn open_connections(&self) -> usize {
        self.visitor.open()
    }

    /// The exchange so far, as if it ended now.
    #[inline]
    fn summary(&self, done: Nanos) -> Exchange {
        let progress = &self.progress;
        Exchange {
            sent: progress.sent,
            first_byte: progress.first_byte,
            done,
            network: progress.network,
            send: progress.send(done),
            status: None,
            bytes_received: progress.bytes_received,
            bytes_sent: progress.bytes_sent,
            bytes_decoded: self.receiver.decoded_bytes(),
            retried: progress.retried,
            opened: progress.opened,
            resumed: progress.resumed,
            informational: self.receiver.informational(),
            is_fenced: progress.is_fenced,
            error: None,
        }
    }

    /// Does the work of a phase: its time goes to the exchange, and past its limit it is given up.
    async fn phase<T>(&mut self, phase: Phase, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        let begun = self.shared.clock.now();
        self.progress.enter(Some(phase), begun);
        let deadline = Deadline::for_phase(phase, &self.shared.config.phase_limits, begun);
        let at = deadline.map(|deadline| deadline.at);
        match (self.shared.within(&self.alarm, at, work).await, deadline) {
            (Some(result), _) => result,
            (None, Some(deadline)) => Err(deadline.failure()),
            (None, None) => Err(Failure::new(ErrorKind::Timeout, "no end in time")),
        }
    }
}
