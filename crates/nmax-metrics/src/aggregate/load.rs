//! What was due and started, on which connections, and what the injector felt.

// Of `core`, which has addresses and no sockets.
use core::net::IpAddr;

use crate::{Histogram, Nanos};

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

/// What was due and started, and what the injector felt.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadStats {
    /// Iterations whose intended start passed (open workloads). Of the background only those that were dropped.
    pub due: u64,
    /// Iterations of the mix started.
    pub started: u64,
    /// Of those, how many had waited for an in-flight slot.
    pub waited: u64,
    /// Due iterations never started.
    pub dropped: Dropped,
    /// Virtual users of a closed workload who began an iteration; told once, at the end of the run.
    pub users: u64,
    /// Of those, the ones without a single reply while the load went on: how long each had waited since its first start.
    pub unserved: Histogram,
    /// Exchanges unfinished at the end, with their ages since the intended instant.
    pub censored: Histogram,
    /// Send lag − network − wait for a slot, per exchange.
    pub injector_lag: Histogram,
    /// Integral of the number of iterations in flight over time, ns.
    pub in_flight_ns: u128,
    /// Most iterations in flight at once (of one worker; summed over workers it is an upper bound).
    pub in_flight_max: u64,
    /// Sum over completed iterations of what passed between their intended start and the moment a VU took them, ns.
    pub start_delay_ns: u128,
    /// Time that worker threads were ready to run and waited for a processor.
    pub run_wait: Nanos,
    /// How late the beats of the workers' hearts were: what something that is ready at a random instant, such as a
    /// complete reply, waits for its worker.
    pub pickup_delay: Histogram,
    /// Time that workers were without a beat, where that lasted longer than a busy worker takes; summed over workers.
    pub stalled: Nanos,
    /// CPU time of the worker threads.
    pub cpu: Nanos,
    /// Time the worker threads existed: the whole that `cpu` is a part of.
    pub worker_time: Nanos,
    /// Connections opened.
    pub connections: u64,
    /// Exchanges repeated because a kept connection had been closed.
    pub retries: u64,
    /// Interim (1xx) replies.
    pub informational: u64,
    /// Redirects that were followed.
    pub redirects: u64,
    /// TLS handshakes that succeeded.
    pub tls_handshakes: u64,
    /// Of those, how many resumed a session.
    pub tls_resumed: u64,
    /// Connections opened by server address, in order of first occurrence, at most [`ADDRESSES_MAX`].
    pub addresses: Vec<(IpAddr, u64)>,
    /// Connections that a server address did not take, refusing or silent, although another address of its name then
    /// did; in the same order, and as many.
    pub passed_over: Vec<(IpAddr, u64)>,
    /// How long servers kept a socket open after the complete reply that should have ended it, where that took
    /// longer than [`HELD_MIN`]; ages of those still open are in it too.
    pub held: Histogram,
    /// Of `held`, how many were still open when nmax closed them.
    pub held_open: u64,
    /// Exchanges that were not kept whole although all were to be.
    pub samples_left_out: u64,
}

/// Server addresses told apart; connections to others are only in the total.
pub const ADDRESSES_MAX: usize = 64;
/// A socket that a server closes within this time after a complete reply holds nobody up.
pub const HELD_MIN: Nanos = Nanos::from_millis(100);

impl LoadStats {
    pub(super) fn merge(&mut self, other: &Self) {
        self.due += other.due;
        self.started += other.started;
        self.waited += other.waited;
        self.dropped.injector += other.dropped.injector;
        self.dropped.in_flight_limit += other.dropped.in_flight_limit;
        self.users += other.users;
        self.unserved.merge(&other.unserved);
        self.censored.merge(&other.censored);
        self.injector_lag.merge(&other.injector_lag);
        self.in_flight_ns += other.in_flight_ns;
        self.in_flight_max = self.in_flight_max.max(other.in_flight_max);
        self.start_delay_ns += other.start_delay_ns;
        self.run_wait = self.run_wait + other.run_wait;
        self.pickup_delay.merge(&other.pickup_delay);
        self.stalled = self.stalled + other.stalled;
        self.cpu = self.cpu + other.cpu;
        self.worker_time = self.worker_time + other.worker_time;
        self.connections += other.connections;
        self.retries += other.retries;
        self.informational += other.informational;
        self.redirects += other.redirects;
        self.tls_handshakes += other.tls_handshakes;
        self.tls_resumed += other.tls_resumed;
        for (mine, theirs) in [(&mut self.addresses, &other.addresses), (&mut self.passed_over, &other.passed_over)] {
            theirs.iter().for_each(|(address, n)| count_address(mine, *address, *n));
        }
        self.held.merge(&other.held);
        self.held_open += other.held_open;
        self.samples_left_out += other.samples_left_out;
    }

    /// Adds `n` connections to a server address.
    pub fn count_address(&mut self, address: IpAddr, n: u64) {
        count_address(&mut self.addresses, address, n);
    }

    pub(super) fn reset(&mut self) {
        self.censored.reset();
        self.unserved.reset();
        self.injector_lag.reset();
        self.held.reset();
        self.pickup_delay.reset();
        self.addresses.clear();
        self.passed_over.clear();
        let kept = Self {
            censored: std::mem::take(&mut self.censored),
            unserved: std::mem::take(&mut self.unserved),
            injector_lag: std::mem::take(&mut self.injector_lag),
            held: std::mem::take(&mut self.held),
            pickup_delay: std::mem::take(&mut self.pickup_delay),
            addresses: std::mem::take(&mut self.addresses),
            passed_over: std::mem::take(&mut self.passed_over),
            ..Self::default()
        };
        *self = kept;
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
