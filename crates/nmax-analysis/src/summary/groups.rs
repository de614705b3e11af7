//! What is gathered by name: transactions, pages, transitions between pages, locations.

use nmax_metrics::{Aggregate, Catalog, LocationStats, PageStats, RequestStats, Section, TransactionStats};

use super::{Dist, per_s};

/// Numbers of something that a user feels as one and that takes a time.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupRow {
    /// Its name.
    pub name: String,
    /// Those that reached their end, failed ones included.
    pub count: u64,
    /// Of those, the ones in which something was not ok.
    pub failed: u64,
    /// `failed` / `count`; `None` without any.
    pub failure_rate: Option<f64>,
    /// Ended within the phase, per second.
    pub rate_per_s: Option<f64>,
    /// From the intended start of the first exchange to the end of the last.
    pub time: Dist,
}

impl GroupRow {
    fn from_stats(name: &str, stats: &TransactionStats, length_s: f64) -> Self {
        Self {
            name: name.to_owned(),
            count: stats.count,
            failed: stats.failed,
            failure_rate: (stats.count > 0).then(|| stats.failed as f64 / stats.count as f64),
            rate_per_s: per_s(stats.ended_within, length_s),
            time: Dist::from_histogram(&stats.time),
        }
    }

    /// Exchanges and their response times.
    pub(super) fn from_requests(name: &str, stats: &RequestStats, length_s: f64) -> Self {
        let (count, failed, ended_within) = (stats.count(), stats.failed() + stats.errors(), stats.ended_within);
        let time = stats.latencies().response;
        Self::from_stats(name, &TransactionStats { count, failed, ended_within, time }, length_s)
    }
}

/// Numbers of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct PageRow {
    /// Pages, and their times to the end of the last resource.
    pub pages: GroupRow,
    /// Resources that belonged to them.
    pub resources: u64,
    /// Of those, how many came out of the cache without an exchange.
    pub cached: u64,
    /// Of those, how many the server said were unchanged.
    pub unchanged: u64,
    /// Of those, how many failed.
    pub resources_failed: u64,
    /// Bytes received for documents and resources, heads included.
    pub bytes_received: u64,
}

impl PageRow {
    fn from_stats(name: &str, stats: &PageStats, length_s: f64) -> Self {
        Self {
            pages: GroupRow::from_stats(name, &stats.pages, length_s),
            resources: stats.resources,
            cached: stats.cached,
            unchanged: stats.unchanged,
            resources_failed: stats.resources_failed,
            bytes_received: stats.bytes_received,
        }
    }

    /// Mean bytes received per page; `None` without pages.
    pub fn bytes_per_page(&self) -> Option<f64> {
        (self.pages.count > 0).then(|| self.bytes_received as f64 / self.pages.count as f64)
    }
}

/// Numbers of the users at a location.
#[derive(Clone, Debug, PartialEq)]
pub struct LocationRow {
    /// Exchanges and their response times, under the location's name.
    pub exchanges: GroupRow,
    /// Iterations and their durations.
    pub iterations: GroupRow,
    /// Pages and their times.
    pub pages: GroupRow,
}

/// In the order of the plan.
pub(super) fn transactions(counted: &Aggregate, catalog: &Catalog, length_s: f64) -> Vec<GroupRow> {
    let rows = counted.transactions.named(Section::Hold, &catalog.transactions);
    rows.map(|(name, stats)| GroupRow::from_stats(name, stats, length_s)).collect()
}

/// In the order of the plan, those that ended.
pub(super) fn pages(counted: &Aggregate, catalog: &Catalog, length_s: f64) -> Vec<PageRow> {
    let rows = counted.pages.named(Section::Hold, &catalog.pages).filter(|(_, stats)| stats.pages.count > 0);
    rows.map(|(name, stats)| PageRow::from_stats(name, stats, length_s)).collect()
}

/// Those that happened, most frequent first.
pub(super) fn transitions(counted: &Aggregate, catalog: &Catalog, length_s: f64) -> Vec<GroupRow> {
    let rows = counted.transitions.named(Section::Hold, &catalog.transitions).filter(|(_, stats)| stats.count > 0);
    let mut rows: Vec<_> = rows.map(|(name, stats)| GroupRow::from_stats(name, stats, length_s)).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.count));
    rows
}

/// In the order of the plan.
pub(super) fn locations(counted: &Aggregate, catalog: &Catalog, length_s: f64) -> Vec<LocationRow> {
    let row = |(name, stats): (&str, &LocationStats)| {
        let row = |stats| GroupRow::from_stats(name, stats, length_s);
        LocationRow { exchanges: row(&stats.exchanges), iterations: row(&stats.iterations), pages: row(&stats.pages) }
    };
    counted.locations.named(Section::Hold, &catalog.locations).map(row).collect()
}
