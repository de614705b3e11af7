//! All that is counted: of one window on one worker, of a window, of a phase, of a whole run. Merged by addition.
//!
//! Every count is kept twice, for the *hold* (what statistics are made of) and for what is *outside* it (ramps,
//! warm-up). An exchange or iteration belongs to the section of its intended instant.

use crate::{ErrorKind, Histogram, NameId, Nanos, Outcome, Sample};

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
    }

    fn reset(&mut self) {
        if !self.is_empty() {
            self.outcomes.iter_mut().flatten().for_each(|set| set.reset());
            self.status.iter_mut().for_each(|(_, count)| *count = 0);
            self.errors = Default::default();
            (self.bytes_received, self.bytes_sent) = (0, 0);
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
}

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
    }

    fn reset(&mut self) {
        self.censored.reset();
        self.injector_lag.reset();
        let (censored, injector_lag) = (
            std::mem::take(&mut self.censored),
            std::mem::take(&mut self.injector_lag),
        );
        *self = Self {
            censored,
            injector_lag,
            ..Self::default()
        };
    }
}

#[cfg(test)]
mod tests;
