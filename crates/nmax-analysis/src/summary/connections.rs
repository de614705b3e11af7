//! Connections, and what was done on them.

// Of `core`, which has addresses and no sockets.
use core::net::IpAddr;

use nmax_metrics::{Aggregate, Section};

use super::Dist;

/// Connections, and what was done on them.
#[derive(Clone, Debug, PartialEq)]
pub struct Connections {
    /// Opened in the phase.
    pub opened: u64,
    /// The plan's policy: `keep-alive`, `per-iteration` or `per-request`.
    pub policy: &'static str,
    /// What it comes to: `policy`, unless all iterations are of new visitors, who keep nothing.
    pub kept: &'static str,
    /// Exchanges of the phase repeated because a kept connection had been closed.
    pub retries: u64,
    /// Interim (1xx) replies of the phase.
    pub informational: u64,
    /// Redirects followed in the phase.
    pub redirects: u64,
    /// TLS handshakes of the phase that succeeded.
    pub tls_handshakes: u64,
    /// Of those, how many resumed a session.
    pub tls_resumed: u64,
    /// `tls_resumed` / `tls_handshakes`; `None` without a handshake.
    pub resumed_share: Option<f64>,
    /// Connections opened in the whole run by server address, most first; what is beyond the cap is missing.
    pub addresses: Vec<(String, u64)>,
    /// Connections of the whole run that an address did not take, although another address of its name then did, by
    /// address, most first.
    pub passed_over: Vec<(String, u64)>,
    /// Sockets that servers kept open after complete replies that should have ended them, whole run.
    pub held: Dist,
    /// Of those, how many were still open when given up.
    pub held_open: u64,
}

impl Connections {
    pub(super) fn from_aggregates(
        counted: &Aggregate,
        whole: &Aggregate,
        (policy, kept): (&'static str, &'static str),
    ) -> Self {
        let (load, all) = (counted.load(Section::Hold), whole.load(Section::Hold));
        Self {
            opened: load.connections,
            policy,
            kept,
            retries: load.retries,
            informational: load.informational,
            redirects: load.redirects,
            tls_handshakes: load.tls_handshakes,
            tls_resumed: load.tls_resumed,
            resumed_share: (load.tls_handshakes > 0).then(|| load.tls_resumed as f64 / load.tls_handshakes as f64),
            addresses: most_first(&all.addresses),
            passed_over: most_first(&all.passed_over),
            held: Dist::from_histogram(&all.held),
            held_open: all.held_open,
        }
    }
}

fn most_first(counts: &[(IpAddr, u64)]) -> Vec<(String, u64)> {
    let named = counts.iter().map(|(address, count)| (address.to_string(), *count));
    let mut named: Vec<_> = named.collect();
    named.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    named
}
