//! How many sockets a process may have open at a time.
//!
//! Connections would otherwise take the last file descriptors, and what a run writes would be lost. Counted is what
//! clients open: a connection as long as it is open, kept and watched ones included, and each socket of a name lookup.
//! Who finds no place is told the same as by the system. It costs one atomic addition per socket and nothing per
//! exchange.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::io::Errno;

#[cfg(test)]
mod tests;

/// Sockets that may be open at a time, shared by all who open some.
#[derive(Debug)]
pub struct SocketBudget {
    limit: usize,
    open: AtomicUsize,
}

/// One socket's place in a budget, which it gives back when it is dropped: after its socket.
#[derive(Debug)]
pub(crate) struct Room(Option<Arc<SocketBudget>>);

impl SocketBudget {
    /// Room for so many sockets.
    pub fn new(limit: usize) -> Self {
        Self { limit, open: AtomicUsize::new(0) }
    }

    /// Sockets that may be open at a time.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Sockets that have a place now.
    pub fn open(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }
}

impl Room {
    /// Room for one socket; without a budget there always is one. The error is that of a full process (EMFILE).
    pub(crate) fn take(budget: Option<&Arc<SocketBudget>>) -> io::Result<Self> {
        let Some(budget) = budget else {
            return Ok(Self(None));
        };
        let has_room = |open: usize| (open < budget.limit).then_some(open + 1);
        // Only the number counts: nothing else is read after it.
        budget
            .open
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, has_room)
            .map_err(|_| io::Error::from(Errno::MFILE))?;
        Ok(Self(Some(Arc::clone(budget))))
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if let Some(budget) = &self.0 {
            budget.open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
