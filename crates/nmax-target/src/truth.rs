//! What really happened: the target's own counters, which `GET /_truth` returns.
//!
//! Service times go into a histogram with three digits (relative error at most 0.1 %),
//! so memory does not grow; count, mean, minimum and maximum are exact.
//! Times are nanoseconds inside and milliseconds in the JSON.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use hdrhistogram::Histogram;
use serde_json::{Value, json};

/// Longest service time that is told apart from longer ones: one day.
const HIGHEST_NS: u64 = crate::spec::SPAN_MAX_NS;

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// A reply as asked for.
    Reply,
    /// A reply with the injected error status.
    Error,
}

/// Counters since the last reset.
pub(crate) struct Truth {
    origin_ns: AtomicU64,
    counters: Mutex<Counters>,
}

struct Counters {
    /// Number of resets so far; requests of an earlier epoch no longer count.
    epoch: u64,
    requests: u64,
    in_flight: u64,
    in_flight_max: u64,
    errors: u64,
    resets: u64,
    sum_ns: u128,
    min_ns: u64,
    max_ns: u64,
    service_time_ns: Histogram<u64>,
}

impl Truth {
    /// Counters at zero, with the origin of the stall clock at `now_ns`.
    pub(crate) fn new(now_ns: u64) -> Self {
        Self { origin_ns: AtomicU64::new(now_ns), counters: Mutex::new(Counters::new(0, 0)) }
    }

    fn lock(&self) -> MutexGuard<'_, Counters> {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The start or the last reset, in nanoseconds of `clock`.
    pub(crate) fn origin_ns(&self) -> u64 {
        self.origin_ns.load(Ordering::Relaxed)
    }

    /// Restarts counters and stall clock. Requests in flight stay in flight, uncounted.
    pub(crate) fn reset(&self, now_ns: u64) {
        let mut counters = self.lock();
        *counters = Counters::new(counters.epoch + 1, counters.in_flight);
        self.origin_ns.store(now_ns, Ordering::Relaxed);
    }

    /// Counts a request in. Dropping the arrival counts it out of flight.
    pub(crate) fn arrive(&self) -> Arrival<'_> {
        let mut counters = self.lock();
        let number = counters.requests;
        counters.requests += 1;
        counters.in_flight += 1;
        counters.in_flight_max = counters.in_flight_max.max(counters.in_flight);
        Arrival { truth: self, number, epoch: counters.epoch }
    }

    /// The totals at this moment.
    pub(crate) fn totals(&self) -> Totals {
        let counters = self.lock();
        Totals {
            requests: counters.requests,
            errors: counters.errors,
            in_flight: counters.in_flight,
            answered: counters.service_time_ns.len(),
            sum_ns: counters.sum_ns,
        }
    }

    /// The counters as the JSON object of `GET /_truth`.
    ///
    /// `requests` counts arrivals: replies + resets + in flight + those whose client left.
    pub(crate) fn to_json(&self, now_ns: u64) -> Value {
        let counters = self.lock();
        let since_reset_ns = now_ns.saturating_sub(self.origin_ns());
        json!({
            "since_reset_s": since_reset_ns as f64 / 1e9,
            "requests": counters.requests,
            "in_flight": counters.in_flight,
            "in_flight_max": counters.in_flight_max,
            "errors": counters.errors,
            "resets": counters.resets,
            "service_time_ms": counters.service_time_ms(),
        })
    }
}

/// Totals since the last reset.
pub(crate) struct Totals {
    pub(crate) requests: u64,
    pub(crate) errors: u64,
    pub(crate) in_flight: u64,
    /// Replies, and the sum of their service times.
    pub(crate) answered: u64,
    pub(crate) sum_ns: u128,
}

impl Counters {
    /// Nothing was counted yet, but what is in flight.
    fn new(epoch: u64, in_flight: u64) -> Self {
        let service_time_ns = Histogram::new_with_bounds(1, HIGHEST_NS, 3)
            .expect("the bounds and the three digits are within the histogram's limits");
        Self {
            epoch,
            requests: 0,
            in_flight,
            in_flight_max: in_flight,
            errors: 0,
            resets: 0,
            sum_ns: 0,
            min_ns: u64::MAX,
            max_ns: 0,
            service_time_ns,
        }
    }

    fn record(&mut self, service_time_ns: u64) {
        self.service_time_ns.saturating_record(service_time_ns.max(1));
        self.sum_ns += u128::from(service_time_ns);
        self.min_ns = self.min_ns.min(service_time_ns);
        self.max_ns = self.max_ns.max(service_time_ns);
    }

    /// The distribution in milliseconds; null where there is nothing yet.
    fn service_time_ms(&self) -> Value {
        let count = self.service_time_ns.len();
        if count == 0 {
            return json!({
                "count": 0, "mean": null, "min": null, "max": null,
                "p50": null, "p90": null, "p95": null, "p99": null, "p999": null,
            });
        }
        let quantile = |q: f64| millis(self.service_time_ns.value_at_quantile(q).min(self.max_ns) as f64);
        json!({
            "count": count,
            "mean": millis(self.sum_ns as f64 / count as f64),
            "min": millis(self.min_ns as f64),
            "max": millis(self.max_ns as f64),
            "p50": quantile(0.5),
            "p90": quantile(0.9),
            "p95": quantile(0.95),
            "p99": quantile(0.99),
            "p999": quantile(0.999),
        })
    }
}

/// Milliseconds with microsecond digits.
fn millis(ns: f64) -> f64 {
    (ns / 1e3).round() / 1e3
}

/// A request in the target.
pub(crate) struct Arrival<'a> {
    truth: &'a Truth,
    /// Requests that arrived before it since the last reset.
    pub(crate) number: u64,
    epoch: u64,
}

impl Arrival<'_> {
    /// The reply is handed over after `service_time_ns`.
    pub(crate) fn replied(self, service_time_ns: u64, ending: Ending) {
        let mut counters = self.truth.lock();
        if counters.epoch == self.epoch {
            counters.record(service_time_ns);
            counters.errors += u64::from(ending == Ending::Error);
        }
    }

    /// The connection is reset instead of a reply.
    pub(crate) fn connection_reset(self) {
        let mut counters = self.truth.lock();
        if counters.epoch == self.epoch {
            counters.resets += 1;
        }
    }
}

impl Drop for Arrival<'_> {
    fn drop(&mut self) {
        self.truth.lock().in_flight -= 1;
    }
}

#[cfg(test)]
mod tests;
