//! What was due and started, on which connections, and what the injector felt.

// Of `core`, which has addresses and no sockets.
use core::net::IpAddr;

use super::declare::{Statistic, statistics};
use crate::Nanos;

/// Due iterations that never started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// The injector could not keep up.
    pub injector: u64,
    /// The in-flight limit was reached.
    pub in_flight_limit: u64,
}

impl Dropped {
    /// Both.
    pub fn total(&self) -> u64 {
        self.injector + self.in_flight_limit
    }
}

statistics! {
    /// What was due and started, and what the injector felt.
    pub struct LoadStats {
        plain {
            /// Connections opened by server address, in order of first occurrence, at most [`ADDRESSES_MAX`].
            addresses: Vec<(IpAddr, u64)>,
            /// Connections that a server address did not take, refusing or silent, although another address of its name
            /// then did; in the same order, and as many.
            passed_over: Vec<(IpAddr, u64)>,
        }
        counters {
            /// Iterations whose intended start passed (open workloads). Of the background only those that were dropped.
            due: Count,
            /// Iterations of the mix started.
            started: Count,
            /// Of those, how many had waited for an in-flight slot.
            waited: Count,
            /// Due iterations never started: the injector could not keep up.
            dropped_injector: Count,
            /// Due iterations never started: the in-flight limit was reached.
            dropped_in_flight_limit: Count,
            /// Integral of the number of iterations in flight over time; divided by the width of a window it is their mean
            /// number. May exceed 64 bits.
            in_flight_ns: Sum,
            /// Most iterations in flight at once (of one worker; summed over workers it is an upper bound).
            in_flight_max: Most,
            /// CPU time of the worker threads.
            cpu: Span,
            /// Time the worker threads existed: the whole that `cpu` is a part of.
            worker_time: Span,
            /// Connections opened.
            connections: Count,
            /// Exchanges repeated because a kept connection had been closed.
            retries: Count,
            /// Interim (1xx) replies.
            informational: Count,
            /// Redirects that were followed.
            redirects: Count,
            /// TLS handshakes that succeeded.
            tls_handshakes: Count,
            /// Of those, how many resumed a session.
            tls_resumed: Count,
            /// Sockets that servers kept open after a complete reply that should have ended them, still open when given up.
            held_open: Count,
            /// Sum over completed iterations of what passed between their intended start and the moment a VU took them, ns.
            start_delay_ns: Sum,
            /// Time that worker threads were ready to run and waited for a processor.
            run_wait: Span,
            /// Time that workers stood still, summed over them: their own timer, due every 20 ms, came more than 50 ms late.
            stalled: Span,
            /// Virtual users of a closed workload who began an iteration; told once, at the end of the run.
            users: Count,
            /// Exchanges missing in `samples-NNNN.parquet` although all were to be kept: a worker keeps a million of a window, of
            /// more a uniform draw.
            samples_left_out: Count,
        }
        times {
            /// Send lag − network − wait for a slot, per exchange.
            injector_lag "inj.lag",
            /// Exchanges unfinished at the end, with their ages since the intended instant.
            censored "cens.age",
            /// How long servers kept a socket open after the complete reply that should have ended it, where that took
            /// longer than 100 ms; ages of those still open are in it too.
            held "sock.held",
            /// How late the beats of the workers' hearts were: what something that is ready at a random instant, such as a
            /// complete reply, waits for its worker.
            pickup_delay "inj.pickup",
            /// Virtual users of a closed workload without a single reply while the load went on: how long each had waited
            /// since its first start.
            unserved "user.unserved",
        }
    }
}

/// Server addresses told apart; connections to others are only in the total.
pub const ADDRESSES_MAX: usize = 64;
/// A socket that a server closes within this time after a complete reply holds nobody up.
pub const HELD_MIN: Nanos = Nanos::from_millis(100);

impl Statistic for LoadStats {
    fn merge(&mut self, other: &Self) {
        self.merge_declared(other);
        for (mine, theirs) in [(&mut self.addresses, &other.addresses), (&mut self.passed_over, &other.passed_over)] {
            theirs.iter().for_each(|(address, n)| count_address(mine, *address, *n));
        }
    }

    fn reset(&mut self) {
        self.reset_declared();
        self.addresses.clear();
        self.passed_over.clear();
    }
}

impl LoadStats {
    /// Due iterations that never started.
    pub fn dropped(&self) -> Dropped {
        Dropped { injector: self.dropped_injector, in_flight_limit: self.dropped_in_flight_limit }
    }

    /// Adds `n` connections to a server address.
    pub fn count_address(&mut self, address: IpAddr, n: u64) {
        count_address(&mut self.addresses, address, n);
    }
}

/// Adds `n` to the count of an address; beyond [`ADDRESSES_MAX`] addresses, further ones are not counted.
pub fn count_address(counts: &mut Vec<(IpAddr, u64)>, address: IpAddr, n: u64) {
    if let Some((_, count)) = counts.iter_mut().find(|(known, _)| *known == address) {
        *count += n;
    } else if counts.len() < ADDRESSES_MAX {
        counts.push((address, n));
    }
}
