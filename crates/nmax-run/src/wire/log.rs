//! What the connections did. The worker's thread adds, the main thread takes: printing delays no exchange.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nmax_http::{WireEvent, WireLog};
use nmax_metrics::Nanos;

/// Bytes that wait for being printed, at most; what comes beyond is counted only.
const WAITING_BYTES_MAX: usize = 16 << 20;
/// How often the end of a socket is looked for.
const LOOK: Duration = Duration::from_millis(2);

/// An event with its instant, its bytes kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Since the beginning.
    pub(crate) at: Nanos,
    /// What happened.
    pub(crate) what: WireEntry,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WireEntry {
    /// Bytes that were sent.
    Sent(Vec<u8>),
    /// Bytes that came.
    Received(Vec<u8>),
    /// Anything else, in words.
    Note(String),
}

/// What became of the connection of the last exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Socket {
    /// It is kept.
    Kept,
    /// The server closed it, so long after the last byte of the reply.
    ClosedAfter(Nanos),
    /// So long after it, the server had not.
    Held(Nanos),
}

/// Where a connection is on its way to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum End {
    /// The exchange is not over, or no connection was made.
    #[default]
    Open,
    Kept,
    /// The server may close it now; since when.
    Awaited(Nanos),
    Closed {
        after: Option<Nanos>,
    },
}

#[derive(Debug, Default)]
struct State {
    waiting: Vec<Seen>,
    waiting_bytes: usize,
    lost_bytes: u64,
    /// When the last byte came.
    last_byte: Nanos,
    end: End,
    is_over: bool,
}

/// Collects events.
#[derive(Debug, Default)]
pub(crate) struct Log {
    state: Mutex<State>,
    is_news: Condvar,
}

impl Log {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What connections tell their events.
    pub(crate) fn hook(self: &Arc<Self>) -> WireLog {
        let log = Arc::clone(self);
        Arc::new(move |at, event| log.add(at, event))
    }

    fn add(&self, at: Nanos, event: &WireEvent<'_>) {
        let mut state = self.state();
        state.follow(at, event);
        let what = match event {
            WireEvent::Sent(bytes) => WireEntry::Sent(bytes.to_vec()),
            WireEvent::Received(bytes) => WireEntry::Received(bytes.to_vec()),
            other => WireEntry::Note(describe(other)),
        };
        let bytes = match &what {
            WireEntry::Sent(bytes) | WireEntry::Received(bytes) => bytes.len(),
            WireEntry::Note(_) => 0,
        };
        if state.waiting_bytes + bytes > WAITING_BYTES_MAX {
            state.lost_bytes += bytes as u64;
            return;
        }
        state.waiting_bytes += bytes;
        state.waiting.push(Seen { at, what });
        self.is_news.notify_one();
    }

    /// Nothing more comes.
    pub(crate) fn end(&self) {
        self.state().is_over = true;
        self.is_news.notify_one();
    }

    /// What came since the last call, waiting for it at most so long; and whether that was all.
    pub(crate) fn take(&self, patience: Duration) -> (Vec<Seen>, bool) {
        let is_idle = |state: &mut State| state.waiting.is_empty() && !state.is_over;
        let waited = self.is_news.wait_timeout_while(self.state(), patience, is_idle);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.waiting_bytes = 0;
        (std::mem::take(&mut state.waiting), state.is_over)
    }

    /// Bytes that are not shown.
    pub(crate) fn lost(&self) -> u64 {
        self.state().lost_bytes
    }

    /// Waits until the server has closed the last connection, if it should, at most so long.
    pub(crate) async fn settled(self: Arc<Self>, most: Duration) {
        let is_settled = async {
            while matches!(self.state().end, End::Awaited(_)) {
                tokio::time::sleep(LOOK).await;
            }
        };
        if tokio::time::timeout(most, is_settled).await.is_err() {
            let mut state = self.state();
            if let End::Awaited(since) = state.end {
                let at = since + Nanos::from(most);
                let what = WireEntry::Note(format!("the server has not closed the connection within {most:?}"));
                state.waiting.push(Seen { at, what });
            }
        }
    }

    /// What became of the last connection; `None` when there was none, or this end closed it.
    pub(crate) fn socket(&self) -> Option<Socket> {
        match self.state().end {
            End::Open | End::Closed { after: None } => None,
            End::Kept => Some(Socket::Kept),
            End::Closed { after: Some(after) } => Some(Socket::ClosedAfter(after)),
            End::Awaited(_) => Some(Socket::Held(Nanos::from(super::HELD_MAX))),
        }
    }
}

impl State {
    fn follow(&mut self, at: Nanos, event: &WireEvent<'_>) {
        self.end = match event {
            WireEvent::Received(_) => {
                self.last_byte = at;
                End::Open
            }
            WireEvent::Kept => End::Kept,
            WireEvent::Awaited => End::Awaited(self.last_byte),
            // What the server closed stays closed.
            WireEvent::Closed if matches!(self.end, End::Closed { .. }) => self.end,
            WireEvent::Closed => End::Closed { after: None },
            WireEvent::ClosedByServer => {
                End::Closed { after: Some(at.since(self.last_byte)).filter(|_| self.last_byte > Nanos::ZERO) }
            }
            _ => End::Open,
        };
    }
}

fn describe(event: &WireEvent<'_>) -> String {
    match event {
        WireEvent::Resolved { host, addresses, ttl } => {
            let addresses: Vec<String> = addresses.iter().map(ToString::to_string).collect();
            let ttl = ttl.map_or_else(String::new, |ttl| format!(", believed for {} s", ttl.as_secs_f64()));
            format!("{host} is {}{ttl}", addresses.join(", "))
        }
        WireEvent::Connected { local, peer } => format!("connected from {local} to {peer}"),
        WireEvent::Tls { version, cipher, resumed, alpn } => {
            let session = if *resumed { "session resumed" } else { "new session" };
            let alpn = alpn.map_or_else(String::new, |alpn| format!(", {}", alpn.escape_ascii()));
            format!("TLS: {version}, {cipher}, {session}{alpn}")
        }
        WireEvent::Reused => "on the connection of before".into(),
        WireEvent::Kept => "the connection is kept".into(),
        WireEvent::ClosedByServer => "the server closed the connection".into(),
        WireEvent::Closed => "the connection is not kept".into(),
        WireEvent::Awaited => "waiting for the server to close it".into(),
        WireEvent::Sent(bytes) | WireEvent::Received(bytes) => format!("{} bytes", bytes.len()),
    }
}
