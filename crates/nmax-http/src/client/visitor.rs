//! What a visitor has open and knows: shared by the exchanges that it does at the same time.

use std::cell::{Cell, RefCell};
use std::net::IpAddr;
use std::rc::Rc;

use nmax_metrics::Nanos;
use tokio_rustls::TlsConnector;

use crate::connection::Stream;
use crate::connection::resolve::Answers;
use crate::line::Line;
use crate::url::Origin;

/// Connections of a visitor to one origin at a time, as browsers have them.
pub const CONNECTIONS_PER_ORIGIN: usize = 6;
/// Connections that a visitor keeps; beyond that the one unused for longest is closed.
const KEPT_MAX: usize = 16;
/// The same for one who does several exchanges at the same time, [`CONNECTIONS_PER_ORIGIN`] of each origin.
const KEPT_BY_SIBLINGS_MAX: usize = 64;

/// Connections, tickets and names of one visitor.
pub(super) struct Visitor {
    /// Idle connections, the most recently used one last.
    kept: RefCell<Vec<Lease>>,
    kept_max: Cell<usize>,
    /// TLS with this visitor's own tickets; made at the first `https` connection.
    tls: RefCell<Option<TlsConnector>>,
    /// What it knows of names.
    answers: RefCell<Rc<Answers>>,
    /// Where it is, when that matters.
    line: RefCell<Option<Rc<Line>>>,
    /// Whether `line` is something.
    has_line: Cell<bool>,
    /// The connection that was opened ahead, which no exchange has told of yet.
    ahead: Cell<Option<Ahead>>,
}

/// A connection for an exchange, which in HTTP/1.1 has it for itself. Dropping it closes it, unless it is given back.
/// Boxed, since each exchange takes it out of the list and gives it back.
pub(super) struct Lease(Box<Open>);

struct Open {
    origin: Origin,
    stream: Stream,
    /// Since when it was idle; `None` when it was opened for its exchange.
    idle_since: Option<Nanos>,
}

impl Lease {
    /// Of a connection that was opened for an exchange.
    pub(super) fn opened(origin: &Origin, stream: Stream) -> Self {
        Self(Box::new(Open { origin: origin.clone(), stream, idle_since: None }))
    }

    /// Since when it was idle; `None` when it was opened for its exchange.
    pub(super) fn idle_since(&self) -> Option<Nanos> {
        self.0.idle_since
    }

    /// What the exchange is done over.
    #[inline]
    pub(super) fn stream(&mut self) -> &mut Stream {
        &mut self.0.stream
    }

    /// The connection, of which no other exchange hears.
    pub(super) fn into_stream(self) -> Stream {
        self.0.stream
    }
}

/// A connection that was opened before any exchange needed it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ahead {
    /// The address at its end.
    pub(super) address: IpAddr,
    /// As in [`super::Exchange::resumed`].
    pub(super) resumed: Option<bool>,
}

impl Visitor {
    pub(super) fn new(answers: Rc<Answers>) -> Self {
        Self {
            kept: RefCell::default(),
            kept_max: Cell::new(KEPT_MAX),
            tls: RefCell::default(),
            answers: RefCell::new(answers),
            line: RefCell::default(),
            has_line: Cell::new(false),
            ahead: Cell::new(None),
        }
    }

    /// Keeps a connection for the first exchange, which tells that it was opened.
    pub(super) fn keep_ahead(&self, lease: Lease, since: Nanos, ahead: Option<Ahead>) {
        self.ahead.set(ahead);
        self.give_back(lease, since);
    }

    /// What the first exchange tells.
    #[inline]
    pub(super) fn take_ahead(&self) -> Option<Ahead> {
        self.ahead.take()
    }

    /// Several exchanges will be under way at the same time.
    pub(super) fn is_joined(&self) {
        self.kept_max.set(KEPT_BY_SIBLINGS_MAX);
    }

    /// Exchanges that it may have under way with `origin` at the same time.
    pub(super) fn concurrency(&self, _origin: &Origin) -> usize {
        CONNECTIONS_PER_ORIGIN
    }

    /// The connection to `origin` that was used last, out of the list.
    #[inline]
    pub(super) fn lease(&self, origin: &Origin) -> Option<Lease> {
        let mut kept = self.kept.borrow_mut();
        // Mostly it is the last one, which needs no search and leaves no gap.
        if kept.last().is_some_and(|kept| kept.0.origin == *origin) {
            return kept.pop();
        }
        let index = kept.iter().rposition(|kept| kept.0.origin == *origin)?;
        Some(kept.remove(index))
    }

    /// Keeps a connection that is idle since this instant for the next exchange with its origin.
    #[inline]
    pub(super) fn give_back(&self, mut lease: Lease, since: Nanos) {
        let mut kept = self.kept.borrow_mut();
        if kept.len() >= self.kept_max.get() {
            kept.remove(0);
        }
        lease.0.idle_since = Some(since);
        kept.push(lease);
    }

    /// Idle connections.
    pub(super) fn open(&self) -> usize {
        self.kept.borrow().len()
    }

    /// Closes all idle connections.
    pub(super) fn close(&self) {
        self.kept.borrow_mut().clear();
    }

    /// Closes them and forgets tickets and names.
    pub(super) fn forget(&self, answers: Rc<Answers>) {
        self.close();
        self.tls.take();
        self.answers.replace(answers);
        if let Some(line) = self.line() {
            line.forget();
        }
    }

    /// It is at the end of another line, or of none; connections over the one before are closed.
    pub(super) fn set_line(&self, line: Option<Rc<Line>>) {
        self.close();
        self.has_line.set(line.is_some());
        self.line.replace(line);
    }

    /// Whether it is at the end of a line.
    #[inline]
    pub(super) fn has_line(&self) -> bool {
        self.has_line.get()
    }

    /// The line at whose end it is.
    pub(super) fn line(&self) -> Option<Rc<Line>> {
        self.line.borrow().clone()
    }

    pub(super) fn answers(&self) -> Rc<Answers> {
        Rc::clone(&self.answers.borrow())
    }

    /// TLS with its tickets, made by `make` at first.
    pub(super) fn tls(&self, make: impl FnOnce() -> TlsConnector) -> TlsConnector {
        self.tls.borrow_mut().get_or_insert_with(make).clone()
    }
}
