//! One exchange as measured: four instants, and what came back.

use crate::{Code, NameId, Nanos, Outcome};

/// One request and its reply. Everything else is derived from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Request name.
    pub name: NameId,
    /// Index of the scenario in the plan.
    pub scenario: u16,
    /// How it ended.
    pub outcome: Outcome,
    /// Status of the reply; `None` when there was no valid reply.
    pub status: Option<Code>,
    /// When the schedule says the request is due.
    pub intended: Nanos,
    /// Just before the first byte was written; `None` when nothing was ever sent.
    pub sent: Option<Nanos>,
    /// First byte of the final (non-1xx) reply.
    pub first_byte: Option<Nanos>,
    /// Last byte of the reply, or the error that ended it.
    pub done: Nanos,
    /// Time spent on the network before sending.
    pub network: Network,
    /// From the first byte written until the kernel had taken the last; zero when it took all at once.
    pub send: Nanos,
    /// Time that the iteration waited for an in-flight slot; on its first request only.
    pub slot_wait: Nanos,
    /// Bytes received on the wire, heads included, below TLS excluded.
    pub bytes_received: u64,
    /// Bytes sent on the wire, heads included.
    pub bytes_sent: u64,
    /// Bytes of the reply's body once its content coding was undone; as received when it had none.
    pub bytes_decoded: u64,
}

/// Spans of connecting, all zero on a reused connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Network {
    /// Name resolution.
    pub dns: Nanos,
    /// TCP connect.
    pub connect: Nanos,
    /// TLS handshake.
    pub tls: Nanos,
}

impl Network {
    /// DNS + connect + TLS.
    pub fn total(&self) -> Nanos {
        self.dns + self.connect + self.tls
    }
}

impl Sample {
    /// What an exchange adds to each of [`crate::RequestStats::sums`], in their order.
    pub const SUMS: [fn(&Self) -> u64; 3] =
        [|sample| sample.bytes_received, |sample| sample.bytes_sent, |sample| sample.bytes_decoded];

    /// done − intended: what a user waits.
    pub fn response_time(&self) -> Nanos {
        self.done.since(self.intended)
    }

    /// done − sent: what the system took once asked.
    pub fn service_time(&self) -> Option<Nanos> {
        self.sent.map(|sent| self.done.since(sent))
    }

    /// first byte − sent.
    pub fn ttfb(&self) -> Option<Nanos> {
        Some(self.first_byte?.since(self.sent?))
    }

    /// sent − intended.
    pub fn send_lag(&self) -> Option<Nanos> {
        self.sent.map(|sent| sent.since(self.intended))
    }

    /// done − first byte: the transfer of the reply.
    pub fn receive(&self) -> Option<Nanos> {
        self.first_byte.map(|first_byte| self.done.since(first_byte))
    }

    /// send lag − (DNS + connect + TLS) − wait for an in-flight slot: what the injector itself added.
    pub fn injector_lag(&self) -> Option<Nanos> {
        Some(self.send_lag()?.since(self.network.total() + self.slot_wait))
    }
}
