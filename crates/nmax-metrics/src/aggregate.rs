//! All that is counted: of one window on one worker, of a window, of a phase, of a whole run. Merged by addition.
//!
//! Every count is kept twice, for the *hold* (what statistics are made of) and for what is *outside* it (ramps,
//! warm-up). An exchange or iteration belongs to the section of its intended instant.

use std::net::IpAddr;

use crate::{ErrorKind, Histogram, NameId, Nanos, Network, Outcome, Sample};

/// Part of a run's time, by intended instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Section {
    /// Phase `hold`: statistics are made of it.
    Hold,
    /// Ramps and warm-up.
    Outside,
}

impl Section {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Hold, Self::Outside];
}

/// Sums over exchanges, iterations and time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Aggregate {
    requests: Vec<[Option<Box<RequestStats>>; 2]>,
    scenarios: Vec<[ScenarioStats; 2]>,
    checks: Vec<[CheckStats; 2]>,
    transactions: Vec<[TransactionStats; 2]>,
    load: [LoadStats; 2],
}

impl Aggregate {
    /// Adds one exchange. Allocates only at the first of its name, section and outcome.
    #[inline]
    pub fn record(&mut self, section: Section, sample: &Sample) {
        if let Some(lag) = sample.injector_lag() {
            self.load[section as usize].injector_lag.record(lag.0);
        }
        self.request_mut(section, sample.name).record(sample);
    }

    /// Statistics of a request name; `None` when it had no exchange.
    pub fn request(&self, section: Section, name: NameId) -> Option<&RequestStats> {
        self.requests.get(name.0 as usize)?[section as usize].as_deref()
    }

    /// Statistics of a request name, created if need be.
    pub fn request_mut(&mut self, section: Section, name: NameId) -> &mut RequestStats {
        let index = name.0 as usize;
        if self.requests.len() <= index {
            self.requests.resize_with(index + 1, Default::default);
        }
        self.requests[index][section as usize].get_or_insert_default()
    }

    /// Every request name with statistics, in order of id. Emptied ones included.
    pub fn requests(&self, section: Section) -> impl Iterator<Item = (NameId, &RequestStats)> {
        self.requests.iter().enumerate().filter_map(move |(index, pair)| {
            let stats = pair[section as usize].as_deref()?;
            Some((NameId(index as u32), stats))
        })
    }

    /// Sum over all request names.
    pub fn total(&self, section: Section) -> RequestStats {
        let mut total = RequestStats::default();
        self.requests(section).for_each(|(_, stats)| total.merge(stats));
        total
    }

    /// Statistics of a scenario, by its index in the plan.
    pub fn scenario(&self, section: Section, index: usize) -> Option<&ScenarioStats> {
        self.scenarios.get(index).map(|pair| &pair[section as usize])
    }

    /// Statistics of a scenario, created if need be.
    pub fn scenario_mut(&mut self, section: Section, index: usize) -> &mut ScenarioStats {
        if self.scenarios.len() <= index {
            self.scenarios.resize_with(index + 1, Default::default);
        }
        &mut self.scenarios[index][section as usize]
    }

    /// Number of scenarios with statistics.
    pub fn scenario_count(&self) -> usize {
        self.scenarios.len()
    }

    /// Counts of a check, by its number in the plan.
    pub fn check(&self, section: Section, index: usize) -> Option<&CheckStats> {
        self.checks.get(index).map(|pair| &pair[section as usize])
    }

    /// Counts of a check, created if need be.
    pub fn check_mut(&mut self, section: Section, index: usize) -> &mut CheckStats {
        if self.checks.len() <= index {
            self.checks.resize_with(index + 1, Default::default);
        }
        &mut self.checks[index][section as usize]
    }

    /// Number of checks with counts.
    pub fn check_count(&self) -> usize {
        self.checks.len()
    }

    /// Statistics of a transaction, by its index in [`crate::Catalog::transactions`].
    pub fn transaction(&self, section: Section, index: usize) -> Option<&TransactionStats> {
        self.transactions.get(index).map(|pair| &pair[section as usize])
    }

    /// Statistics of a transaction, created if need be.
    pub fn transaction_mut(&mut self, section: Section, index: usize) -> &mut TransactionStats {
        if self.transactions.len() <= index {
            self.transactions.resize_with(index + 1, Default::default);
        }
        &mut self.transactions[index][section as usize]
    }

    /// Number of transactions with statistics.
    pub fn transaction_count(&self) -> usize {
        self.transactions.len()
    }

    /// What was due and started, and what the injector felt.
    pub fn load(&self, section: Section) -> &LoadStats {
        &self.load[section as usize]
    }

    /// What was due and started, to be added to.
    pub fn load_mut(&mut self, section: Section) -> &mut LoadStats {
        &mut self.load[section as usize]
    }

    /// Adds all of `other`: associative, commutative, with the empty aggregate as neutral element.
    pub fn merge(&mut self, other: &Self) {
        for section in Section::ALL {
            for (name, stats) in other.requests(section).filter(|(_, stats)| !stats.is_empty()) {
                self.request_mut(section, name).merge(stats);
            }
            for index in 0..other.scenarios.len() {
                self.scenario_mut(section, index)
                    .merge(&other.scenarios[index][section as usize]);
            }
            for index in 0..other.checks.len() {
                self.check_mut(section, index)
                    .merge(&other.checks[index][section as usize]);
            }
            for index in 0..other.transactions.len() {
                self.transaction_mut(section, index)
                    .merge(&other.transactions[index][section as usize]);
            }
            self.load_mut(section).merge(other.load(section));
        }
    }

    /// The same with both sections in [`Section::Hold`]: phase `whole`.
    pub fn whole(&self) -> Self {
        let mut whole = Self::default();
        for section in Section::ALL {
            for (name, stats) in self.requests(section) {
                whole.request_mut(Section::Hold, name).merge(stats);
            }
            for index in 0..self.scenarios.len() {
                whole
                    .scenario_mut(Section::Hold, index)
                    .merge(&self.scenarios[index][section as usize]);
            }
            for index in 0..self.checks.len() {
                whole
                    .check_mut(Section::Hold, index)
                    .merge(&self.checks[index][section as usize]);
            }
            for index in 0..self.transactions.len() {
                whole
                    .transaction_mut(Section::Hold, index)
                    .merge(&self.transactions[index][section as usize]);
            }
            whole.load_mut(Section::Hold).merge(self.load(section));
        }
        whole
    }

    /// Empties it and keeps its memory.
    pub fn reset(&mut self) {
        self.requests
            .iter_mut()
            .flatten()
            .flatten()
            .for_each(|stats| stats.reset());
        self.scenarios.iter_mut().flatten().for_each(ScenarioStats::reset);
        self.checks
            .iter_mut()
            .flatten()
            .for_each(|check| *check = CheckStats::default());
        self.transactions.iter_mut().flatten().for_each(TransactionStats::reset);
        self.load.iter_mut().for_each(LoadStats::reset);
    }
}

/// Statistics of one request name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RequestStats {
    /// Latencies by outcome: ok, failed, error. `None` until the first one.
    pub outcomes: [Option<Box<LatencySet>>; 3],
    /// Replies by status code, in order of first occurrence.
    pub status: Vec<(u16, u64)>,
    /// Errors by [`ErrorKind::index`].
    pub errors: [u64; ErrorKind::ALL.len()],
    /// Bytes received on the wire.
    pub bytes_received: u64,
    /// Bytes sent on the wire.
    pub bytes_sent: u64,
    /// Bytes of bodies once content codings were undone.
    pub bytes_decoded: u64,
    /// Spans that were not zero; `None` until the first one.
    pub phases: Option<Box<Phases>>,
}

impl RequestStats {
    /// Adds one exchange.
    #[inline]
    pub fn record(&mut self, sample: &Sample) {
        let class = match sample.outcome {
            Outcome::Ok => 0,
            Outcome::Failed => 1,
            Outcome::Error(kind) => {
                self.errors[kind.index()] += 1;
                2
            }
        };
        self.outcomes[class].get_or_insert_default().record(sample);
        if let Some(status) = sample.status {
            self.count_status(status, 1);
        }
        self.bytes_received += sample.bytes_received;
        self.bytes_sent += sample.bytes_sent;
        self.bytes_decoded += sample.bytes_decoded;
        let receive = sample.receive().unwrap_or_default();
        // A small exchange on a kept connection has none of them.
        if sample.network != Network::default() || sample.send > Nanos::ZERO || receive > Nanos::ZERO {
            self.phases.get_or_insert_default().record(sample, receive);
        }
    }

    /// Adds `n` replies with this status.
    pub fn count_status(&mut self, status: u16, n: u64) {
        match self.status.iter_mut().find(|(code, _)| *code == status) {
            Some((_, count)) => *count += n,
            None => self.status.push((status, n)),
        }
    }

    /// Exchanges that ended ok.
    pub fn ok(&self) -> u64 {
        self.count_of(0)
    }

    /// Valid replies that were not ok.
    pub fn failed(&self) -> u64 {
        self.count_of(1)
    }

    /// Exchanges without a valid reply.
    pub fn errors(&self) -> u64 {
        self.count_of(2)
    }

    /// All exchanges.
    pub fn count(&self) -> u64 {
        self.ok() + self.failed() + self.errors()
    }

    /// (failed + errors) / count; `None` without exchanges.
    pub fn failure_rate(&self) -> Option<f64> {
        let count = self.count();
        (count > 0).then(|| (self.failed() + self.errors()) as f64 / count as f64)
    }

    fn count_of(&self, class: usize) -> u64 {
        self.outcomes[class].as_ref().map_or(0, |set| set.response.count())
    }

    /// Whether there was no exchange.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Latencies of all outcomes together.
    pub fn latencies(&self) -> LatencySet {
        let mut all = LatencySet::default();
        self.outcomes.iter().flatten().for_each(|set| all.merge(set));
        all
    }

    /// Adds all of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.outcomes.iter_mut().zip(&other.outcomes) {
            if let Some(theirs) = theirs.as_ref().filter(|set| !set.response.is_empty()) {
                mine.get_or_insert_default().merge(theirs);
            }
        }
        for (status, count) in &other.status {
            if *count > 0 {
                self.count_status(*status, *count);
            }
        }
        for (mine, theirs) in self.errors.iter_mut().zip(other.errors) {
            *mine += theirs;
        }
        self.bytes_received += other.bytes_received;
        self.bytes_sent += other.bytes_sent;
        self.bytes_decoded += other.bytes_decoded;
        if let Some(phases) = &other.phases {
            self.phases.get_or_insert_default().merge(phases);
        }
    }

    fn reset(&mut self) {
        if !self.is_empty() {
            self.outcomes.iter_mut().flatten().for_each(|set| set.reset());
            self.status.iter_mut().for_each(|(_, count)| *count = 0);
            self.errors = Default::default();
            (self.bytes_received, self.bytes_sent, self.bytes_decoded) = (0, 0, 0);
            if let Some(phases) = &mut self.phases {
                phases.all_mut().into_iter().for_each(Histogram::reset);
            }
        }
    }
}

/// Spans of exchanges in which they were not zero. The time between send and first byte is `ttfb − send`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Phases {
    /// Name resolution.
    pub dns: Histogram,
    /// TCP connect, a proxy's tunnel included.
    pub connect: Histogram,
    /// TLS handshake.
    pub tls: Histogram,
    /// Sending, where the kernel did not take all at once.
    pub send: Histogram,
    /// done − first byte, where the reply came in more than one piece.
    pub receive: Histogram,
}

impl Phases {
    /// Names in the order of [`Phases::all`].
    pub const NAMES: [&'static str; 5] = ["dns", "connect", "tls", "send", "receive"];

    /// Every span, in the order of a request's life.
    pub fn all(&self) -> [&Histogram; 5] {
        [&self.dns, &self.connect, &self.tls, &self.send, &self.receive]
    }

    /// The same, to change.
    pub fn all_mut(&mut self) -> [&mut Histogram; 5] {
        [
            &mut self.dns,
            &mut self.connect,
            &mut self.tls,
            &mut self.send,
            &mut self.receive,
        ]
    }

    fn record(&mut self, sample: &Sample, receive: Nanos) {
        let Network { dns, connect, tls } = sample.network;
        let spans = [dns, connect, tls, sample.send, receive];
        for (histogram, span) in self.all_mut().into_iter().zip(spans) {
            if span > Nanos::ZERO {
                histogram.record(span.0);
            }
        }
    }

    /// Adds all of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.all_mut().into_iter().zip(other.all()) {
            mine.merge(theirs);
        }
    }
}

/// The distributions of one outcome, side by side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LatencySet {
    /// done − intended
    pub response: Histogram,
    /// done − sent, of exchanges that were sent
    pub service: Histogram,
    /// sent − intended, of exchanges that were sent
    pub send_lag: Histogram,
    /// first byte − sent, of exchanges that got a byte
    pub ttfb: Histogram,
}

impl LatencySet {
    #[inline]
    fn record(&mut self, sample: &Sample) {
        self.response.record(sample.response_time().0);
        if let Some(sent) = sample.sent {
            self.service.record(sample.done.since(sent).0);
            self.send_lag.record(sent.since(sample.intended).0);
            if let Some(first_byte) = sample.first_byte {
                self.ttfb.record(first_byte.since(sent).0);
            }
        }
    }

    /// Adds all of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.response.merge(&other.response);
        self.service.merge(&other.service);
        self.send_lag.merge(&other.send_lag);
        self.ttfb.merge(&other.ttfb);
    }

    fn reset(&mut self) {
        self.response.reset();
        self.service.reset();
        self.send_lag.reset();
        self.ttfb.reset();
    }
}

/// Statistics of one scenario.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScenarioStats {
    /// Iterations started.
    pub started: u64,
    /// Iterations that reached their end, failed ones included.
    pub completed: u64,
    /// Completed iterations with at least one exchange or extraction that was not ok.
    pub failed: u64,
    /// Iterations cut off by the end of the run.
    pub interrupted: u64,
    /// Durations of completed iterations, from their intended start.
    pub iteration_time: Histogram,
}

impl ScenarioStats {
    fn merge(&mut self, other: &Self) {
        self.started += other.started;
        self.completed += other.completed;
        self.failed += other.failed;
        self.interrupted += other.interrupted;
        self.iteration_time.merge(&other.iteration_time);
    }

    fn reset(&mut self) {
        (self.started, self.completed, self.failed, self.interrupted) = (0, 0, 0, 0);
        self.iteration_time.reset();
    }
}

/// Statistics of one transaction: several exchanges that a user feels as one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TransactionStats {
    /// Transactions that reached their end, failed ones included.
    pub count: u64,
    /// Of those, the ones in which something was not ok.
    pub failed: u64,
    /// From the intended start of the first exchange to the end of the last.
    pub time: Histogram,
}

impl TransactionStats {
    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.failed += other.failed;
        self.time.merge(&other.time);
    }

    fn reset(&mut self) {
        (self.count, self.failed) = (0, 0);
        self.time.reset();
    }
}

/// Counts of one check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckStats {
    /// Held.
    pub passed: u64,
    /// Did not hold.
    pub failed: u64,
}

impl CheckStats {
    fn merge(&mut self, other: &Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

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
    /// Iterations whose intended start passed (open workloads).
    pub due: u64,
    /// Iterations started.
    pub started: u64,
    /// Of those, how many had waited for an in-flight slot.
    pub waited: u64,
    /// Due iterations never started.
    pub dropped: Dropped,
    /// Exchanges unfinished at the end, with their ages since the intended instant.
    pub censored: Histogram,
    /// Send lag − network − wait for a slot, per exchange.
    pub injector_lag: Histogram,
    /// Integral of the number of iterations in flight over time, ns.
    pub in_flight_ns: u128,
    /// Most iterations in flight at once (of one worker; summed over workers it is an upper bound).
    pub in_flight_max: u64,
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
    /// How long servers kept a socket open after the complete reply that should have ended it, where that took
    /// longer than [`HELD_MIN`]; ages of those still open are in it too.
    pub held: Histogram,
    /// Of `held`, how many were still open when nmax closed them.
    pub held_open: u64,
}

/// Server addresses told apart; connections to others are only in the total.
pub const ADDRESSES_MAX: usize = 64;
/// A socket that a server closes within this time after a complete reply holds nobody up.
pub const HELD_MIN: Nanos = Nanos::from_millis(100);

impl LoadStats {
    fn merge(&mut self, other: &Self) {
        self.due += other.due;
        self.started += other.started;
        self.waited += other.waited;
        self.dropped.injector += other.dropped.injector;
        self.dropped.in_flight_limit += other.dropped.in_flight_limit;
        self.censored.merge(&other.censored);
        self.injector_lag.merge(&other.injector_lag);
        self.in_flight_ns += other.in_flight_ns;
        self.in_flight_max = self.in_flight_max.max(other.in_flight_max);
        self.cpu = self.cpu + other.cpu;
        self.worker_time = self.worker_time + other.worker_time;
        self.connections += other.connections;
        self.retries += other.retries;
        self.informational += other.informational;
        self.redirects += other.redirects;
        self.tls_handshakes += other.tls_handshakes;
        self.tls_resumed += other.tls_resumed;
        for (address, count) in &other.addresses {
            self.count_address(*address, *count);
        }
        self.held.merge(&other.held);
        self.held_open += other.held_open;
    }

    /// Adds `n` connections to a server address.
    pub fn count_address(&mut self, address: IpAddr, n: u64) {
        if let Some((_, count)) = self.addresses.iter_mut().find(|(known, _)| *known == address) {
            *count += n;
        } else if self.addresses.len() < ADDRESSES_MAX {
            self.addresses.push((address, n));
        }
    }

    fn reset(&mut self) {
        self.censored.reset();
        self.injector_lag.reset();
        self.held.reset();
        self.addresses.clear();
        let kept = Self {
            censored: std::mem::take(&mut self.censored),
            injector_lag: std::mem::take(&mut self.injector_lag),
            held: std::mem::take(&mut self.held),
            addresses: std::mem::take(&mut self.addresses),
            ..Self::default()
        };
        *self = kept;
    }
}

#[cfg(test)]
mod tests;
