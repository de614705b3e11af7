//! What is no exchange and yet worth knowing: hosts that passed by, clients that did not trust the recording.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::capture::Memory;
use crate::event::Queued;

/// Hosts that are told apart; the rest is `other hosts`.
const HOSTS_MAX: usize = 1_000;

/// A host that was not recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// Connections that passed undecrypted, and plain requests.
    pub count: u64,
    /// Bytes of those connections, both ways.
    pub bytes: u64,
}

/// A host for which clients did not accept the recording's certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untrusted {
    /// Connections that were broken off.
    pub count: u64,
    /// What the last client did, and what may help.
    pub reason: String,
}

/// What a recording has beside its exchanges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// By host.
    pub passed: BTreeMap<String, Passed>,
    /// By host.
    pub untrusted: BTreeMap<String, Untrusted>,
    /// Requests to hosts of the browser's maker, which were refused; by host.
    pub refused: BTreeMap<String, u64>,
    /// Requests that were no HTTP.
    pub garbage: u64,
}

/// Counts.
#[derive(Clone)]
pub(crate) struct Tally {
    memory: Arc<Memory>,
    summary: Arc<Mutex<Summary>>,
}

impl Tally {
    pub(crate) fn new(memory: Arc<Memory>) -> Self {
        Self { memory, summary: Arc::default() }
    }

    /// As it stands.
    pub(crate) fn summary(&self) -> Summary {
        self.with(|summary| summary.clone())
    }

    fn with<T>(&self, change: impl FnOnce(&mut Summary) -> T) -> T {
        change(&mut self.summary.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Something goes to a host that is not recorded.
    pub(crate) fn passes(&self, host: &str) {
        let is_first = self.with(|summary| {
            let passed = place(&mut summary.passed, host);
            passed.count += 1;
            passed.count == 1
        });
        if is_first {
            self.memory.send_event(Queued::Passed(host.to_owned()));
        }
    }

    /// So many bytes went to and fro.
    pub(crate) fn passed_bytes(&self, host: &str, bytes: u64) {
        self.with(|summary| place(&mut summary.passed, host).bytes += bytes);
    }

    /// A client broke the handshake off.
    pub(crate) fn untrusted(&self, host: &str, reason: &str) {
        let is_first = self.with(|summary| {
            if summary.untrusted.len() >= HOSTS_MAX && !summary.untrusted.contains_key(host) {
                return false;
            }
            let untrusted = summary
                .untrusted
                .entry(host.to_owned())
                .or_insert_with(|| Untrusted { count: 0, reason: String::new() });
            untrusted.count += 1;
            reason.clone_into(&mut untrusted.reason);
            untrusted.count == 1
        });
        if is_first {
            self.memory.send_event(Queued::Untrusted { host: host.to_owned(), reason: reason.to_owned() });
        }
    }

    /// A browser asked its maker.
    pub(crate) fn refused(&self, host: &str) {
        self.with(|summary| {
            *place(&mut summary.refused, host) += 1;
        });
    }

    /// A client sent something that is no HTTP.
    pub(crate) fn garbage(&self) {
        self.with(|summary| summary.garbage += 1);
    }
}

fn place<'a, T: Default>(known: &'a mut BTreeMap<String, T>, host: &str) -> &'a mut T {
    let is_full = known.len() >= HOSTS_MAX && !known.contains_key(host);
    let host = if is_full { "other hosts" } else { host };
    known.entry(host.to_owned()).or_default()
}
