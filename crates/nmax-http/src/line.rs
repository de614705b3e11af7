//! A visitor's line to the network, shaped in user space: bandwidth, round trip and jitter without privileges.
//!
//! All connections of a visitor share its [`Line`]. Bytes are put on it one after another, each direction by itself;
//! what is written reaches the socket, and what the socket has reaches the codec, when the line has carried it:
//!
//! ```text
//! through(n) = max(now, free) + bytes(n) / rate          the line is busy until then
//! arrival(n) = max(arrival(n-1), through(n) + trip)      trip = round trip / 2 + jitter
//! ```
//!
//! - rate: bytes per second of the direction; bytes are those below HTTP, so TLS records count, and heads of TCP and
//!   IP do not (they are some 3 % of full packets)
//! - jitter: normal, its standard deviation for a round trip is that of the rules; each way has it divided by √2, and
//!   never lets bytes of a connection overtake others
//!
//! A TCP connect takes a round trip more, so does a proxy's tunnel, and so does a name, once for each visitor as long
//! as its answer holds. Connections that receive at once take turns, a packet or a millisecond of the line each. The
//! socket is read only as fast as the line carries: the server is held up by TCP as it is by a slow visitor, apart
//! from what the kernel's receive buffer takes ([`RECEIVE_BUFFER_BYTES`]).
//!
//! Not modelled: slow start and other congestion control (a long fast line is faster here than in the world), loss and
//! resending, queues of others on the same line. What a fast line carries within a millisecond arrives together.
//!
//! Nothing here sets a timer: who waits says when it wants to be polled ([`Line::take_wanted`]), and the client's
//! alarm passes that on.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::task::Poll;

use nmax_metrics::{Clock, Nanos};

mod shaped;
#[cfg(test)]
mod tests;

pub(crate) use shaped::Shaped;

/// Bytes of a full packet behind the heads of TCP and IP on Ethernet.
const PACKET_BYTES: usize = 1448;
/// Most bytes of one piece.
const PIECE_BYTES_MAX: usize = 16 * 1024;
/// Line time of one piece, when a packet takes less.
const PIECE_S: f64 = 0.001;
/// Names whose answers a visitor remembers; beyond that it asks again.
const NAMES_MAX: usize = 64;
/// How long an answer holds about which nobody said so.
const NAME_TTL: Nanos = Nanos::from_secs(60);
/// A connection that did not take its turn within this time after it was to loses it.
const TURN_GRACE: Nanos = Nanos::from_millis(20);
/// The kernel's receive buffer of a connection over a limited line; the kernel takes twice as much.
const RECEIVE_BUFFER_BYTES: usize = 64 * 1024;

/// What a line does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineRules {
    /// Towards the visitor; `None` is not limited.
    pub down_bytes_per_s: Option<f64>,
    /// From the visitor; `None` is not limited.
    pub up_bytes_per_s: Option<f64>,
    /// Added to each round trip.
    pub round_trip: Nanos,
    /// Standard deviation of what is added to a round trip.
    pub jitter: Nanos,
}

impl LineRules {
    /// Whether it does anything at all.
    pub fn limits(&self) -> bool {
        let is_narrow = self.down_bytes_per_s.is_some() || self.up_bytes_per_s.is_some();
        is_narrow || self.round_trip > Nanos::ZERO || self.jitter > Nanos::ZERO
    }
}

/// A visitor's line, shared by all its connections.
pub struct Line {
    rules: LineRules,
    clock: Box<dyn Clock>,
    /// Draws from the standard normal distribution.
    noise: RefCell<Box<dyn FnMut() -> f64>>,
    up: Direction,
    down: Direction,
    /// When somebody wants to be polled; [`Nanos::MAX`] is never.
    wanted: Cell<Nanos>,
    /// Connections that wait for their turn to receive, and when each will come for it.
    turns: RefCell<VecDeque<(u64, Nanos)>>,
    /// Number of the next connection.
    next: Cell<u64>,
    /// Names that need no lookup until then.
    names: RefCell<Vec<(String, Nanos)>>,
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Line").field("rules", &self.rules).finish_non_exhaustive()
    }
}

impl Line {
    /// A line on which nothing is under way; `noise` draws from the standard normal distribution.
    pub fn new(rules: LineRules, clock: impl Clock + 'static, noise: impl FnMut() -> f64 + 'static) -> Self {
        Self {
            up: Direction::new(rules.up_bytes_per_s),
            down: Direction::new(rules.down_bytes_per_s),
            rules,
            clock: Box::new(clock),
            noise: RefCell::new(Box::new(noise)),
            wanted: Cell::new(Nanos::MAX),
            turns: RefCell::default(),
            next: Cell::new(0),
            names: RefCell::default(),
        }
    }

    /// Puts bytes on the line at `now`; when the last of them is at the server.
    pub fn carry_up(&self, now: Nanos, bytes: usize) -> Nanos {
        self.up.carry(now, bytes) + self.trip()
    }

    /// Puts bytes on the line at `now`; when the last of them is at the visitor.
    pub fn carry_down(&self, now: Nanos, bytes: usize) -> Nanos {
        self.down.carry(now, bytes) + self.trip()
    }

    /// What a round trip of a packet takes.
    pub fn round_trip(&self) -> Nanos {
        self.trip() + self.trip()
    }

    /// What one way takes beside its bytes.
    fn trip(&self) -> Nanos {
        let half_ns = self.rules.round_trip.0 as f64 / 2.0;
        if self.rules.jitter == Nanos::ZERO {
            return Nanos(half_ns as u64);
        }
        let noise = (self.noise.borrow_mut())() * self.rules.jitter.0 as f64;
        Nanos((half_ns + noise * std::f64::consts::FRAC_1_SQRT_2).max(0.0) as u64)
    }

    /// When somebody wanted to be polled since the last call.
    pub(crate) fn take_wanted(&self) -> Option<Nanos> {
        Some(self.wanted.replace(Nanos::MAX)).filter(|at| *at < Nanos::MAX)
    }

    fn want(&self, at: Nanos) {
        self.wanted.set(self.wanted.get().min(at));
    }

    fn now(&self) -> Nanos {
        self.clock.now()
    }

    /// Waits for a round trip that began at `begun`.
    pub(crate) async fn await_round_trip(&self, begun: Nanos) {
        let at = begun + self.round_trip();
        poll_fn(|_| {
            if self.now() >= at {
                return Poll::Ready(());
            }
            self.want(at);
            Poll::Pending
        })
        .await;
    }

    /// Whether the visitor has to ask for `host` at `now`. If so it remembers the answer for `ttl`.
    pub(crate) fn asks_for(&self, host: &str, now: Nanos, ttl: Option<Nanos>) -> bool {
        let mut names = self.names.borrow_mut();
        names.retain(|(_, until)| *until > now);
        if names.iter().any(|(known, _)| known == host) {
            return false;
        }
        if names.len() >= NAMES_MAX {
            names.clear();
        }
        names.push((host.to_owned(), now + ttl.unwrap_or(NAME_TTL)));
        true
    }

    /// Somebody else uses the line, who knows no names.
    pub(crate) fn forget(&self) {
        self.names.borrow_mut().clear();
    }

    /// A number for a new connection.
    fn join(&self) -> u64 {
        self.next.replace(self.next.get() + 1)
    }

    /// Whether connection `number` may put a piece on the way down at `now`; if not, when to come back.
    fn take_turn(&self, number: u64, now: Nanos) -> Result<(), Nanos> {
        let mut turns = self.turns.borrow_mut();
        while turns.front().is_some_and(|(first, at)| *first != number && now > *at + TURN_GRACE) {
            turns.pop_front();
        }
        let free = self.down.free.get();
        let open_at = Nanos(free.0.saturating_sub(self.down.piece_time().0));
        let is_first = turns.front().is_none_or(|(first, _)| *first == number);
        if is_first && now >= open_at {
            turns.retain(|(waiting, _)| *waiting != number);
            return Ok(());
        }
        let at = open_at.max(now + Nanos::from_millis(1));
        match turns.iter_mut().find(|(waiting, _)| *waiting == number) {
            Some(turn) => turn.1 = at,
            None => turns.push_back((number, at)),
        }
        Err(at)
    }

    /// Connection `number` waits for no turn any more.
    fn leave(&self, number: u64) {
        self.turns.borrow_mut().retain(|(waiting, _)| *waiting != number);
    }
}

/// One direction of a line.
struct Direction {
    bytes_per_s: Option<f64>,
    /// When it has carried all that was put on it.
    free: Cell<Nanos>,
}

impl Direction {
    fn new(bytes_per_s: Option<f64>) -> Self {
        Self { bytes_per_s: bytes_per_s.filter(|rate| *rate > 0.0), free: Cell::new(Nanos::ZERO) }
    }

    /// When the last of these bytes, put on it at `now`, has left it.
    fn carry(&self, now: Nanos, bytes: usize) -> Nanos {
        let Some(rate) = self.bytes_per_s else {
            return now;
        };
        let through = self.free.get().max(now) + span(bytes, rate);
        self.free.set(through);
        through
    }

    /// Bytes that travel together.
    fn piece(&self) -> usize {
        let bytes = self.bytes_per_s.map_or(PIECE_BYTES_MAX, |rate| (rate * PIECE_S) as usize);
        bytes.clamp(PACKET_BYTES, PIECE_BYTES_MAX)
    }

    /// How long the line is busy with a piece.
    fn piece_time(&self) -> Nanos {
        self.bytes_per_s.map_or(Nanos::ZERO, |rate| span(self.piece(), rate))
    }
}

/// The time that bytes take at a rate.
fn span(bytes: usize, bytes_per_s: f64) -> Nanos {
    Nanos((bytes as f64 / bytes_per_s * 1e9).round() as u64)
}
