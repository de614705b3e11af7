//! Counts of scenarios, transactions, pages, locations, checks and failures.

use super::declare::{Statistic, statistics};

statistics! {
    /// Statistics of one scenario.
    pub struct ScenarioStats {
        counters {
            /// Iterations started.
            started: Count,
            /// Iterations that reached their end, failed ones included.
            completed: Count,
            /// Completed iterations with at least one exchange or extraction that was not ok.
            failed: Count,
            /// Iterations cut off by the end of the run.
            interrupted: Count,
            /// Those that reached their end within the hold, whenever they were due: what throughput is made of.
            ended_within: Count [|stats| stats.completed.into()],
        }
        times {
            /// Durations of completed iterations, from their intended start.
            iteration_time "iter",
        }
    }
}

impl Statistic for ScenarioStats {}

statistics! {
    /// Statistics of one transaction: several exchanges that a user feels as one.
    pub struct TransactionStats {
        counters {
            /// Those that reached their end, failed ones included.
            count: Count,
            /// Of those that reached their end, the ones in which something was not ok.
            failed: Count,
            /// Those that reached their end within the hold, whenever they were due: what throughput is made of.
            ended_within: Count [|stats| stats.count.into()],
        }
        times {
            /// From the intended start of the first exchange to the end of the last.
            time "time",
        }
    }
}

impl Statistic for TransactionStats {}

impl TransactionStats {
    /// Adds one that took this long, ns.
    pub fn record(&mut self, is_ok: bool, time_ns: u64) {
        self.count += 1;
        self.failed += u64::from(!is_ok);
        self.time.record(time_ns);
    }
}

statistics! {
    /// Statistics of one page: a document and what a browser fetches along with it.
    pub struct PageStats {
        parts {
            /// Pages, failed ones included; times from the intended start of the document to the end of its last resource.
            pages "" "time",
        }
        counters {
            /// Resources that belonged to them.
            resources: Count,
            /// Of those, how many came out of the cache without an exchange.
            cached: Count,
            /// Of those, how many the server said were unchanged (304).
            unchanged: Count,
            /// Of those, how many failed.
            resources_failed: Count,
            /// Resources beyond the most that one page fetches: they were not asked for, and are not a part of `resources`.
            left_out: Count,
            /// Bytes received for documents and resources, heads included.
            bytes_received: Bytes,
        }
    }
}

impl Statistic for PageStats {}

statistics! {
    /// Statistics of the users at one location.
    pub struct LocationStats {
        parts {
            /// Exchanges, failed ones included, and their response times.
            exchanges "exchanges" "exchange",
            /// Completed iterations, failed ones included, and their durations.
            iterations "iterations" "iteration",
            /// Pages, failed ones included, and their times.
            pages "pages" "page",
        }
    }
}

impl Statistic for LocationStats {}

statistics! {
    /// Counts of one check.
    #[derive(Copy, Eq)]
    pub struct CheckStats {
        counters {
            /// Times it held.
            passed: Count,
            /// Times it did not.
            failed: Count,
        }
    }
}

impl Statistic for CheckStats {}

statistics! {
    /// Counts of one kind of failures and errors.
    #[derive(Copy, Eq)]
    pub struct FailureStats {
        counters {
            /// How often something failed so.
            count: Count,
            /// Of those, the ones before which nothing had failed in their iteration.
            first: Count,
        }
    }
}

impl Statistic for FailureStats {}
