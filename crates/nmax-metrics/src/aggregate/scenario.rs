//! Counts of scenarios, transactions and checks.

use crate::Histogram;

/// Statistics of one scenario.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScenarioStats {
    /// Iterations started.
    pub started: u64,
    /// Iterations that reached their end, failed ones included.
    pub completed: u64,
    /// Those that reached their end within the phase, whenever they were due: what throughput is made of.
    pub ended_within: u64,
    /// Completed iterations with at least one exchange or extraction that was not ok.
    pub failed: u64,
    /// Iterations cut off by the end of the run.
    pub interrupted: u64,
    /// Durations of completed iterations, from their intended start.
    pub iteration_time: Histogram,
}

impl ScenarioStats {
    pub(super) fn merge(&mut self, other: &Self) {
        self.started += other.started;
        self.completed += other.completed;
        self.ended_within += other.ended_within;
        self.failed += other.failed;
        self.interrupted += other.interrupted;
        self.iteration_time.merge(&other.iteration_time);
    }

    pub(super) fn reset(&mut self) {
        (self.started, self.completed, self.failed, self.interrupted) = (0, 0, 0, 0);
        self.ended_within = 0;
        self.iteration_time.reset();
    }
}

/// Statistics of one transaction: several exchanges that a user feels as one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TransactionStats {
    /// Transactions that reached their end, failed ones included.
    pub count: u64,
    /// Those that reached their end within the phase, whenever they were due: what throughput is made of.
    pub ended_within: u64,
    /// Of those that reached their end, the ones in which something was not ok.
    pub failed: u64,
    /// From the intended start of the first exchange to the end of the last.
    pub time: Histogram,
}

impl TransactionStats {
    /// Adds one that took this long, ns.
    pub fn record(&mut self, is_ok: bool, time_ns: u64) {
        self.count += 1;
        self.failed += u64::from(!is_ok);
        self.time.record(time_ns);
    }

    /// Adds the transactions of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.ended_within += other.ended_within;
        self.failed += other.failed;
        self.time.merge(&other.time);
    }

    pub(super) fn reset(&mut self) {
        (self.count, self.ended_within, self.failed) = (0, 0, 0);
        self.time.reset();
    }
}

/// Statistics of one page: a document and what a browser fetches along with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageStats {
    /// Pages, failed ones included; times from the intended start of the document to the end of its last resource.
    pub pages: TransactionStats,
    /// Resources that belonged to them.
    pub resources: u64,
    /// Of those, how many came out of the cache without an exchange.
    pub cached: u64,
    /// Of those, how many the server said were unchanged (304).
    pub unchanged: u64,
    /// Of those, how many failed.
    pub resources_failed: u64,
    /// Resources beyond the most that one page fetches: they were not asked for, and are no part of `resources`.
    pub left_out: u64,
    /// Bytes received for documents and resources, heads included.
    pub bytes_received: u64,
}

impl PageStats {
    pub(super) fn merge(&mut self, other: &Self) {
        self.pages.merge(&other.pages);
        self.resources += other.resources;
        self.cached += other.cached;
        self.unchanged += other.unchanged;
        self.resources_failed += other.resources_failed;
        self.left_out += other.left_out;
        self.bytes_received += other.bytes_received;
    }

    pub(super) fn reset(&mut self) {
        self.pages.reset();
        *self = Self { pages: std::mem::take(&mut self.pages), ..Self::default() };
    }
}

/// Statistics of the users at one location.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LocationStats {
    /// Exchanges, failed ones included, and their response times.
    pub exchanges: TransactionStats,
    /// Completed iterations, failed ones included, and their durations.
    pub iterations: TransactionStats,
    /// Pages, failed ones included, and their times.
    pub pages: TransactionStats,
}

impl LocationStats {
    pub(super) fn merge(&mut self, other: &Self) {
        self.exchanges.merge(&other.exchanges);
        self.iterations.merge(&other.iterations);
        self.pages.merge(&other.pages);
    }

    pub(super) fn reset(&mut self) {
        [&mut self.exchanges, &mut self.iterations, &mut self.pages].into_iter().for_each(TransactionStats::reset);
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
    pub(super) fn merge(&mut self, other: &Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}
