//! Counts of what is gathered by name: transactions, pages, transitions, locations.

use nmax_metrics::{Aggregate, PageStats, Section, TransactionStats};
use serde::{Deserialize, Serialize};

use crate::tag::Limits;

#[derive(Default, Serialize, Deserialize)]
pub(super) struct Groups {
    #[serde(default)]
    transactions: Vec<TransactionLine>,
    #[serde(default)]
    pages: Vec<PageLine>,
    #[serde(default)]
    transitions: Vec<TransactionLine>,
    #[serde(default)]
    locations: Vec<LocationLine>,
}

#[derive(Serialize, Deserialize)]
struct TransactionLine {
    id: usize,
    count: u64,
    failed: u64,
}

#[derive(Serialize, Deserialize)]
struct PageLine {
    id: usize,
    count: u64,
    failed: u64,
    resources: u64,
    cached: u64,
    unchanged: u64,
    resources_failed: u64,
    left_out: u64,
    bytes_received: u64,
}

#[derive(Serialize, Deserialize)]
struct LocationLine {
    id: usize,
    exchanges: Pair,
    iterations: Pair,
    pages: Pair,
}

#[derive(Serialize, Deserialize)]
struct Pair {
    count: u64,
    failed: u64,
}

impl Pair {
    fn of(stats: &TransactionStats) -> Self {
        Self { count: stats.count, failed: stats.failed }
    }

    /// Completes `stats`, whose histogram is already there.
    fn restore(&self, stats: &mut TransactionStats) {
        (stats.count, stats.failed) = (self.count, self.failed);
    }
}

impl TransactionLine {
    fn of(id: usize, stats: &TransactionStats) -> Option<Self> {
        (stats.count > 0).then_some(Self { id, count: stats.count, failed: stats.failed })
    }

    fn restore(&self, stats: &mut TransactionStats) {
        (stats.count, stats.failed) = (self.count, self.failed);
    }
}

impl Groups {
    pub(super) fn of(aggregate: &Aggregate, section: Section) -> Self {
        let transaction = |id| TransactionLine::of(id, aggregate.transaction(section, id)?);
        let transition = |id| TransactionLine::of(id, aggregate.transition(section, id)?);
        let page = |id| PageLine::of(id, aggregate.page(section, id)?);
        let location = |id| {
            let stats = aggregate.location(section, id)?;
            let parts = [&stats.exchanges, &stats.iterations, &stats.pages];
            let [exchanges, iterations, pages] = parts.map(Pair::of);
            parts.iter().any(|part| part.count > 0).then_some(LocationLine { id, exchanges, iterations, pages })
        };
        Self {
            transactions: (0..aggregate.transaction_count()).filter_map(transaction).collect(),
            pages: (0..aggregate.page_count()).filter_map(page).collect(),
            transitions: (0..aggregate.transition_count()).filter_map(transition).collect(),
            locations: (0..aggregate.location_count()).filter_map(location).collect(),
        }
    }

    pub(super) fn restore(self, aggregate: &mut Aggregate, section: Section, limits: Limits) -> Result<(), String> {
        for line in self.transactions {
            known("transaction", line.id, limits.transactions)?;
            line.restore(aggregate.transaction_mut(section, line.id));
        }
        for line in self.pages {
            known("page", line.id, limits.pages)?;
            line.restore(aggregate.page_mut(section, line.id));
        }
        for line in self.transitions {
            known("transition", line.id, limits.transitions)?;
            line.restore(aggregate.transition_mut(section, line.id));
        }
        for line in self.locations {
            known("location", line.id, limits.locations)?;
            let stats = aggregate.location_mut(section, line.id);
            line.exchanges.restore(&mut stats.exchanges);
            line.iterations.restore(&mut stats.iterations);
            line.pages.restore(&mut stats.pages);
        }
        Ok(())
    }
}

impl PageLine {
    fn of(id: usize, stats: &PageStats) -> Option<Self> {
        (stats.pages.count > 0).then_some(Self {
            id,
            count: stats.pages.count,
            failed: stats.pages.failed,
            resources: stats.resources,
            cached: stats.cached,
            unchanged: stats.unchanged,
            resources_failed: stats.resources_failed,
            left_out: stats.left_out,
            bytes_received: stats.bytes_received,
        })
    }

    fn restore(&self, stats: &mut PageStats) {
        (stats.pages.count, stats.pages.failed) = (self.count, self.failed);
        stats.resources = self.resources;
        stats.cached = self.cached;
        stats.unchanged = self.unchanged;
        stats.resources_failed = self.resources_failed;
        stats.left_out = self.left_out;
        stats.bytes_received = self.bytes_received;
    }
}

fn known(what: &str, id: usize, limit: usize) -> Result<(), String> {
    match id < limit {
        true => Ok(()),
        false => Err(format!("{what} {id} has no name in names.json")),
    }
}
