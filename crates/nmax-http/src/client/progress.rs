//! What is known of an exchange while it runs: its instants, its spans, and when a span is too long.

use std::net::IpAddr;
use std::time::Duration;

use nmax_metrics::{ErrorKind, Nanos, Network};

use crate::connection::PhaseLimits;
use crate::failure::Failure;

#[cfg(test)]
mod tests;

/// What is known of the current exchange, at any moment.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Progress {
    pub(super) sent: Option<Nanos>,
    pub(super) first_byte: Option<Nanos>,
    pub(super) network: Network,
    pub(super) delivery: Delivery,
    pub(super) bytes_sent: u64,
    pub(super) bytes_received: u64,
    pub(super) retried: bool,
    pub(super) opened: Option<IpAddr>,
    pub(super) resumed: Option<bool>,
    pub(super) is_fenced: bool,
    /// The span of `network` that is running, and since when.
    phase: Option<(Phase, Nanos)>,
}

/// How a request gets to the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Delivery {
    /// One write took all, or nothing was written yet.
    #[default]
    AtOnce,
    /// In several writes, and more of them are due.
    InPieces,
    /// In several writes, of which the last ended here.
    Ended(Nanos),
}

/// A part of an exchange that may have a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    Dns,
    Connect,
    Tls,
    Send,
    Wait,
    Receive,
}

/// A phase that is running, and its limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Deadline {
    phase: Phase,
    limit: Nanos,
    /// When the phase has lasted too long.
    pub(super) at: Nanos,
}

impl Progress {
    /// Ends the running span of `network` at `now` and begins another, or none.
    pub(super) fn enter(&mut self, next: Option<Phase>, now: Nanos) {
        if let Some((phase, since)) = self.phase.take() {
            let span = match phase {
                Phase::Dns => &mut self.network.dns,
                Phase::Connect => &mut self.network.connect,
                Phase::Tls => &mut self.network.tls,
                Phase::Send | Phase::Wait | Phase::Receive => return,
            };
            *span = *span + now.since(since);
        }
        self.phase = next.map(|phase| (phase, now));
    }

    /// From the first byte written until the kernel had taken the last, or the reply began; zero when one write
    /// took all. At most the time to the first byte, since what a server sends while it reads counts as reply.
    #[inline]
    pub(super) fn send(&self, now: Nanos) -> Nanos {
        let end = match self.delivery {
            Delivery::AtOnce => return Nanos::ZERO,
            Delivery::InPieces => now,
            Delivery::Ended(at) => at,
        };
        let sent = self.sent.unwrap_or(end);
        self.first_byte.map_or(end, |first_byte| first_byte.min(end)).since(sent)
    }

    /// The limit of what a conversation is at, when that has one. `is_sending` as long as some of the request
    /// waits to be sent.
    pub(super) fn deadline(&self, limits: &PhaseLimits, is_sending: bool) -> Option<Deadline> {
        let sent = self.sent?;
        let (phase, since) = match self.first_byte {
            Some(first_byte) => (Phase::Receive, first_byte),
            None if is_sending => (Phase::Send, sent),
            None => (Phase::Wait, sent + self.send(sent)),
        };
        Deadline::for_phase(phase, limits, since)
    }
}

impl Phase {
    fn limit(self, limits: &PhaseLimits) -> Option<Nanos> {
        match self {
            Self::Dns => limits.dns,
            Self::Connect => limits.connect,
            Self::Tls => limits.tls,
            Self::Send => limits.send,
            Self::Wait => limits.wait,
            Self::Receive => limits.receive,
        }
    }
}

impl Deadline {
    /// When `phase`, begun at `since`, has lasted too long.
    pub(super) fn for_phase(phase: Phase, limits: &PhaseLimits, since: Nanos) -> Option<Self> {
        let limit = phase.limit(limits)?;
        Some(Self { phase, limit, at: since + limit })
    }

    /// Until when the next of `left` attempts may last that share what remains at `now`.
    pub(super) fn share(&self, now: Nanos, left: usize) -> Nanos {
        now + Nanos(self.at.since(now).0 / left.max(1) as u64)
    }

    /// What to say when it passed.
    pub(super) fn failure(&self) -> Failure {
        let limit = Duration::from(self.limit);
        let text = match self.phase {
            Phase::Dns => format!("the name was not resolved within {limit:?} (limit of phase dns)"),
            Phase::Connect => format!("no TCP connection within {limit:?} (limit of phase connect)"),
            Phase::Tls => format!("the TLS handshake did not end within {limit:?} (limit of phase tls)"),
            Phase::Send => format!("the server did not take the request within {limit:?} (limit of phase send)"),
            Phase::Wait => format!("the server sent nothing for {limit:?} after the request (limit of phase wait)"),
            Phase::Receive => {
                format!("the reply was not complete {limit:?} after its first byte (limit of phase receive)")
            }
        };
        Failure::new(ErrorKind::Timeout, text)
    }
}

impl PhaseLimits {
    /// True when any phase has a limit.
    pub(crate) fn any(&self) -> bool {
        *self != Self::default()
    }
}
