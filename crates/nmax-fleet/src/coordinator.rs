//! Where injectors and manager agree, and where results go.
//!
//! Calls never wait. Each says what is known now; what is not known is asked for meanwhile, so calls are repeated, with the same
//! arguments, until there is an answer. A caller that is behind a broken link therefore simply goes on without one.

use nmax_metrics::Nanos;
use nmax_metrics::clock::Stamps;

use crate::batch::{BatchId, Item};
use crate::records::Command;

/// Where a record of a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// The run that is offered ([`crate::records::Spec`]).
    Spec,
    /// Id of the injector that takes a shard first.
    Claim(u32),
    /// What the holder of a shard says before the start ([`crate::records::Readiness`]).
    Ready(u32),
    /// How the run begins ([`crate::records::Start`]).
    Start,
    /// Who has a shard in an epoch, from the second one on ([`crate::records::Grant`]).
    Grant(u32, u32),
    /// The shard came to its end, in this epoch.
    Ended(u32),
    /// Id of the injector that undoes the setup, where parts are leased.
    TearDown,
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Spec => f.write_str("spec"),
            Self::Claim(shard) => write!(f, "claim.{shard}"),
            Self::Ready(shard) => write!(f, "ready.{shard}"),
            Self::Start => f.write_str("start"),
            Self::Grant(shard, epoch) => write!(f, "grant.{shard}.{epoch}"),
            Self::Ended(shard) => write!(f, "ended.{shard}"),
            Self::TearDown => f.write_str("teardown"),
        }
    }
}

/// What is known of a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lease {
    /// The caller has it.
    Mine {
        /// How often the shard was granted.
        epoch: u32,
        /// Until when, on the caller's monotonic clock: when the renewal that was acknowledged last was *sent*, and the
        /// length of a lease.
        until: Nanos,
    },
    /// Another has it, or has taken it meanwhile.
    Other,
}

/// What the injectors and the manager of one run agree on.
pub trait Coordinator {
    /// The record under `key`, once it is known: `value`, unless another was written before. `None` for `value` only looks.
    fn once(&mut self, key: Key, value: Option<&[u8]>) -> Option<Vec<u8>>;

    /// Everything that `of` members wrote under their keys, in their order, once all have come.
    fn barrier(&mut self, key: fn(u32) -> Key, of: u32) -> Option<Vec<Vec<u8>>> {
        (0..of).map(|member| self.once(key(member), None)).collect()
    }

    /// Asks for the lease of a shard, or renews it, for `length` from when the request is sent.
    fn lease(&mut self, shard: u32, length: Nanos) -> Option<Lease>;

    /// Lets go of a lease: another may have it at once.
    fn release(&mut self, shard: u32);

    /// What was asked of the run so far; the strongest command counts.
    fn command(&mut self) -> Option<Command>;

    /// Stamps of exchanges with the broker's clock since the last call, at `now`; sent and received are on the caller's
    /// monotonic clock.
    fn stamps(&mut self, now: Nanos) -> Vec<Stamps>;
}

/// What a run lacks that does not begin.
pub(crate) fn not_ready(coordinator: &mut impl Coordinator, of: u32) -> Vec<String> {
    let is_missing = |shard: &u32| coordinator.once(Key::Ready(*shard), None).is_none();
    (0..of).filter(is_missing).map(|shard| format!("no injector is ready for part {shard}")).collect()
}

/// Where results of an injector go.
pub trait ResultSink<W> {
    /// Keeps an item; afterwards it survives the end of this process.
    ///
    /// # Errors
    /// Why it cannot be kept.
    fn append(&mut self, id: BatchId, item: Item<W>) -> Result<(), String>;

    /// Sends on what can be sent; how many items are not acknowledged so far.
    fn advance(&mut self, now: Nanos) -> usize;
}
