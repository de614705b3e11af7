//! A FIFO queue before `c` equal servers, as a pure recursion (Kiefer and Wolfowitz).
//!
//! With Poisson arrivals and exponential services it is M/M/c, whose closed forms are
//! the oracle of the tests. Times are nanoseconds on any clock. O(log c) per arrival.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// When each server becomes free.
#[derive(Clone, Debug)]
pub struct Queue {
    free_at_ns: BinaryHeap<Reverse<u64>>,
}

impl Queue {
    /// An empty queue with `servers` idle servers, at least one.
    pub fn new(servers: u32) -> Self {
        let count = servers.max(1) as usize;
        Self { free_at_ns: vec![Reverse(0); count].into() }
    }

    /// Admits a customer and returns when it leaves, in nanoseconds.
    ///
    /// ```text
    /// leaves = max(arrival, earliest free server) + service
    /// ```
    ///
    /// Arrivals must come in order of time, which makes the discipline first come, first served.
    pub fn admit(&mut self, arrival_ns: u64, service_ns: u64) -> u64 {
        let Some(mut earliest) = self.free_at_ns.peek_mut() else {
            return arrival_ns.saturating_add(service_ns);
        };
        let leaves_ns = earliest.0.max(arrival_ns).saturating_add(service_ns);
        *earliest = Reverse(leaves_ns);
        leaves_ns
    }
}

#[cfg(test)]
mod tests;
