//! Requests that share one system under the Universal Scalability Law, as pure values.
//!
//! While n requests are inside, each of them gets done 1/S(n) of a mean request per second, and all of them together
//! n/S(n) = X(n). So the throughput is the law's at every moment, whether users come back at once, pause, or arrive
//! at a rate, and the N of the law is the number in flight averaged over time. A service time that were fixed at
//! arrival would do so only for users who come back at once: an arrival in an open system finds n and makes it n + 1.
//!
//! Times are nanoseconds on any clock. O(log n) for each arrival and departure.

use std::collections::BTreeMap;

use crate::model::Usl;
use crate::spec::SPAN_MAX_NS;

/// Where a request stands: the work after which it leaves, as the bits of a number that is not negative (their order
/// is the order of the numbers), then a serial number that tells equal ones apart.
pub(crate) type JobKey = (u64, u64);

/// Who is inside, each with a `T`.
#[derive(Debug)]
pub(crate) struct ProcessorSharing<T> {
    law: Usl,
    /// Work done for each request that has been inside since `progress` was 0, in mean requests.
    progress: f64,
    /// The instant that `progress` belongs to.
    at_ns: u64,
    inside: BTreeMap<JobKey, T>,
    serial: u64,
}

impl<T> ProcessorSharing<T> {
    /// Nobody inside.
    pub(crate) fn new(law: Usl) -> Self {
        Self { law, progress: 0.0, at_ns: 0, inside: BTreeMap::new(), serial: 0 }
    }

    /// Lets time pass until `now_ns` and hands out those who leave, in order. Time does not go back.
    ///
    /// Each leaves at its instant, also when `now_ns` is later: who looks late makes nobody slower.
    pub(crate) fn advance(&mut self, now_ns: u64, mut left: impl FnMut(T)) {
        while let Some(due_ns) = self.next_ns() {
            if due_ns > now_ns {
                break;
            }
            if let Some(((work, _), who)) = self.inside.pop_first() {
                self.at_ns = due_ns;
                self.progress = f64::from_bits(work);
                left(who);
            }
        }
        let passed_ns = now_ns.saturating_sub(self.at_ns);
        if self.inside.is_empty() {
            // Small numbers stay exact.
            self.progress = 0.0;
        } else {
            self.progress += passed_ns as f64 / self.mean_ns();
        }
        self.at_ns = self.at_ns.max(now_ns);
    }

    /// Lets somebody in who needs `work` mean requests of work, above 0. Call [`Crowd::advance`] first.
    pub(crate) fn enter(&mut self, work: f64, who: T) -> JobKey {
        self.serial += 1;
        let place = ((self.progress + work).to_bits(), self.serial);
        self.inside.insert(place, who);
        place
    }

    /// Takes out somebody who does not wait to the end. Call [`Crowd::advance`] first.
    pub(crate) fn leave(&mut self, place: JobKey) -> Option<T> {
        self.inside.remove(&place)
    }

    /// Whether this one is inside.
    pub(crate) fn holds(&self, place: JobKey) -> bool {
        self.inside.contains_key(&place)
    }

    /// Who leaves next.
    pub(crate) fn first(&self) -> Option<(JobKey, &T)> {
        self.inside.first_key_value().map(|(place, who)| (*place, who))
    }

    /// When the next one leaves if nobody comes before, in nanoseconds.
    pub(crate) fn next_ns(&self) -> Option<u64> {
        let (&(work, _), _) = self.inside.first_key_value()?;
        let needed_ns = (f64::from_bits(work) - self.progress).max(0.0) * self.mean_ns();
        Some(self.at_ns.saturating_add((needed_ns.ceil() as u64).min(SPAN_MAX_NS)))
    }

    /// S(n): how long a mean request takes while n are inside, in nanoseconds.
    fn mean_ns(&self) -> f64 {
        self.law.service_time_s(self.inside.len().max(1) as f64) * 1e9
    }
}

#[cfg(test)]
mod tests;
