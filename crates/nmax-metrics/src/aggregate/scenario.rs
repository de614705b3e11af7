//! Counts of scenarios, transactions and checks.

use crate::Histogram;

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
    pub(super) fn merge(&mut self, other: &Self) {
        self.started += other.started;
        self.completed += other.completed;
        self.failed += other.failed;
        self.interrupted += other.interrupted;
        self.iteration_time.merge(&other.iteration_time);
    }

    pub(super) fn reset(&mut self) {
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
    /// Adds the transactions of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.failed += other.failed;
        self.time.merge(&other.time);
    }

    pub(super) fn reset(&mut self) {
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
    pub(super) fn merge(&mut self, other: &Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}
