//! The engine in simulated time against models and closed forms, then over real sockets. Nothing gates on wall time.

#![allow(clippy::unwrap_used)]

mod allocations;
mod choices;
mod closed;
mod ends;
mod records;
mod requests;
mod schedule;
mod sockets;
mod stalls;

use nmax_metrics::Nanos;

const fn ms(millis: u64) -> Nanos {
    Nanos::from_millis(millis)
}

const fn s(secs: u64) -> Nanos {
    Nanos::from_secs(secs)
}
