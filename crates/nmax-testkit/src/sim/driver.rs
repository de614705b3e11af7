//! Carries requests to a simulated server. Replies go through the real codec, so that verification is real too.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::future::pending;
use std::os::unix::fs::FileExt;
use std::rc::Rc;

use nmax_engine::http::driver::{Driver, Drivers};
use nmax_engine::runtime::{Runtime, Timer};
use nmax_http::codec::{Expected, Receiver};
use nmax_http::line::Line;
use nmax_http::{Alarm, CONNECTIONS_PER_ORIGIN, Exchange, Failure, Fields, Origin, Piece, Reply, Request};
use nmax_metrics::{Clock, Code, ErrorKind, Fence, Nanos, Network};

use super::server::{Answer, Call, Server};
use super::world::{SimRuntime, SimTimer};

/// A request that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// When.
    pub at: Nanos,
    /// Number of its connection, from 0 in the order of opening.
    pub connection: u64,
    /// Head and body.
    pub bytes: Vec<u8>,
}

/// Which requests are kept for a look at them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeepRequests {
    /// Every one.
    All,
    /// None, so that memory does not grow.
    None,
}

/// What all drivers of a world share.
struct Shared {
    runtime: SimRuntime,
    server: RefCell<Box<dyn Server<Output = Answer>>>,
    connect: Nanos,
    body_limit: u64,
    requests: Cell<u64>,
    connections: Cell<u64>,
    transcript: Option<RefCell<Vec<Sent>>>,
    /// How long after sending a driver wants to be polled, for nothing.
    alarm_after: Cell<Option<Nanos>>,
    fence: RefCell<Fence>,
}

/// Makes drivers that reach one simulated server.
#[derive(Clone)]
pub struct SimDrivers {
    shared: Rc<Shared>,
}

impl SimDrivers {
    /// Drivers of a server that is `connect` away from being connected to.
    pub fn new(runtime: SimRuntime, server: impl Server, connect: Nanos, body_limit: u64, keep: KeepRequests) -> Self {
        let shared = Shared {
            runtime,
            server: RefCell::new(Box::new(server)),
            connect,
            body_limit,
            requests: Cell::new(0),
            connections: Cell::new(0),
            transcript: (keep == KeepRequests::All).then(RefCell::default),
            alarm_after: Cell::new(None),
            fence: RefCell::default(),
        };
        Self { shared: Rc::new(shared) }
    }

    /// Drivers that want to be polled this long after sending, for nothing.
    #[must_use]
    pub fn alarmed_after(self, after: Option<Nanos>) -> Self {
        self.shared.alarm_after.set(after);
        self
    }

    /// Drivers that send nothing from this fence on.
    #[must_use]
    pub fn fenced_by(self, fence: &Fence) -> Self {
        self.shared.fence.replace(fence.clone());
        self
    }

    /// Every request sent so far, in order; empty when none are kept.
    pub fn take_transcript(&self) -> Vec<Sent> {
        self.shared.transcript.as_ref().map(RefCell::take).unwrap_or_default()
    }
}

impl Drivers for SimDrivers {
    type Driver = SimDriver;

    fn make(&self, alarm: Alarm) -> SimDriver {
        SimDriver {
            alarm,
            shared: Rc::clone(&self.shared),
            timer: self.shared.runtime.timer(),
            receiver: Receiver::new(),
            idle: Rc::default(),
            line: None,
            known: Known::default(),
        }
    }
}

/// One virtual user's connection to the simulated server.
pub struct SimDriver {
    alarm: Alarm,
    shared: Rc<Shared>,
    timer: SimTimer,
    receiver: Receiver,
    /// Kept connections that no exchange uses; shared by siblings.
    idle: Rc<RefCell<Vec<u64>>>,
    line: Option<Rc<Line>>,
    known: Known,
}

/// What is known of the exchange under way.
#[derive(Clone, Copy, Default)]
struct Known {
    sent: Option<Nanos>,
    first_byte: Option<Nanos>,
    connect: Nanos,
    opened: bool,
    is_fenced: bool,
    connection: u64,
    bytes_sent: u64,
    bytes_received: u64,
}

impl SimDriver {
    fn summary(&self, error: Option<Failure>) -> Exchange {
        let known = self.known;
        Exchange {
            sent: known.sent,
            first_byte: known.first_byte,
            done: self.shared.runtime.now(),
            network: Network { connect: known.connect, ..Network::default() },
            status: if error.is_some() { None } else { self.receiver.reply().status().map(Code::new) },
            bytes_received: known.bytes_received,
            bytes_sent: known.bytes_sent,
            retried: false,
            send: Nanos::ZERO,
            bytes_decoded: 0,
            opened: known.opened.then_some(std::net::IpAddr::from([127, 0, 0, 1])),
            resumed: None,
            informational: self.receiver.informational(),
            is_fenced: self.known.is_fenced,
            error,
        }
    }

    async fn open(&mut self) {
        let kept = self.idle.borrow_mut().pop();
        if let Some(connection) = kept {
            self.known.connection = connection;
            return;
        }
        let begun = self.shared.runtime.now();
        self.known.opened = true;
        self.known.connection = self.shared.connections.get();
        self.shared.connections.set(self.known.connection + 1);
        let round_trip = self.line.as_ref().map_or(Nanos::ZERO, |line| line.round_trip());
        let connect = self.shared.connect + round_trip;
        if connect > Nanos::ZERO {
            self.timer.sleep_until(begun + connect).await;
            self.known.connect = self.shared.runtime.now().since(begun);
        }
    }

    /// What the server answers, once the request has reached it.
    async fn send(&mut self, bytes: &[u8]) -> Answer {
        let sent = self.shared.runtime.now();
        self.known.is_fenced = self.shared.fence.borrow().is_reached(sent);
        if self.known.is_fenced {
            return Answer::Breaks(sent, ErrorKind::Injector);
        }
        self.known.sent = Some(sent);
        self.alarm.set(self.shared.alarm_after.get().map(|after| sent + after));
        self.known.bytes_sent = bytes.len() as u64;
        if let Some(line) = &self.line {
            self.timer.sleep_until(line.carry_up(sent, bytes.len())).await;
        }
        let (shared, at) = (&self.shared, self.shared.runtime.now());
        if let Some(transcript) = &shared.transcript {
            transcript.borrow_mut().push(Sent { at, connection: self.known.connection, bytes: bytes.to_vec() });
        }
        let number = shared.requests.replace(shared.requests.get() + 1);
        (shared.server.borrow_mut())(&Call { at, number, bytes })
    }

    fn receive(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.known.first_byte = Some(self.shared.runtime.now());
        self.known.bytes_received = bytes.len() as u64;
        let is_complete = self.receiver.push(bytes)?;
        if is_complete { Ok(()) } else { Ok(self.receiver.end()?) }
    }
}

/// All that a request is made of. A file that is shorter than it was is a test that cannot go on.
fn whole<'a>(request: &Request<'a>) -> Cow<'a, [u8]> {
    if request.rest.is_empty() {
        return Cow::Borrowed(request.text.bytes());
    }
    let mut whole = request.text.bytes().to_vec();
    for piece in request.rest {
        match piece {
            Piece::Bytes(bytes) => whole.extend_from_slice(bytes),
            Piece::File { file, length, .. } => {
                let start = whole.len();
                whole.resize(start + *length as usize, 0);
                file.read_exact_at(&mut whole[start..], 0).expect("the file of a test is as long as it was");
            }
        }
    }
    Cow::Owned(whole)
}

impl Driver for SimDriver {
    async fn exchange(&mut self, request: &Request<'_>, into: &mut Exchange) {
        let whole = whole(request);
        self.known = Known::default();
        self.receiver.start(Expected {
            is_head: request.is_head,
            keep_body: request.keep_body,
            body_limit: self.shared.body_limit,
            decode: false,
            keep_failed_bytes: 0,
        });
        self.open().await;
        let ended = match self.send(&whole).await {
            Answer::Bytes(at, bytes) => {
                self.timer.sleep_until(at).await;
                if let Some(line) = &self.line {
                    let at = line.carry_down(self.shared.runtime.now(), bytes.len());
                    self.timer.sleep_until(at).await;
                }
                self.receive(&bytes)
            }
            Answer::Breaks(at, kind) => {
                self.timer.sleep_until(at).await;
                Err(Failure::new(kind, "the simulated server broke the exchange"))
            }
            Answer::Never => pending().await,
        };
        if ended.is_ok() && request.keep_alive && self.receiver.is_persistent() {
            self.idle.borrow_mut().push(self.known.connection);
        }
        *into = self.summary(ended.err());
    }

    fn sibling(&self, alarm: Alarm) -> Self {
        Self {
            alarm,
            shared: Rc::clone(&self.shared),
            timer: self.shared.runtime.timer(),
            receiver: Receiver::new(),
            idle: Rc::clone(&self.idle),
            line: self.line.clone(),
            known: Known::default(),
        }
    }

    fn concurrency(&self, _: &Origin) -> usize {
        CONNECTIONS_PER_ORIGIN
    }

    fn abandon(&mut self) -> Exchange {
        self.receiver.abort();
        self.summary(None)
    }

    fn reply(&self) -> Reply<'_> {
        self.receiver.reply()
    }

    fn remains(&self) -> (Fields<'_>, &[u8]) {
        self.receiver.remains()
    }

    fn rest(&mut self) {
        self.receiver.rest();
    }

    fn close(&mut self) {
        self.idle.borrow_mut().clear();
    }

    fn set_line(&mut self, line: Option<Rc<Line>>) {
        self.close();
        self.line = line;
    }

    fn forget(&mut self) {
        self.close();
    }
}
