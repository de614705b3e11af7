//! Counts of what is gathered by name: transactions, pages, transitions, locations.

use nmax_metrics::{Aggregate, PageStats, Section, TransactionStats};
use serde::{Deserialize, Serialize};

use super::section::ended_within;
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
    #[serde(flatten)]
    pair: Pair,
}

#[derive(Serialize, Deserialize)]
struct PageLine {
    id: usize,
    #[serde(flatten)]
    pair: Pair,
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

#[derive(Default, Serialize, Deserialize)]
struct Pair {
    count: u64,
    failed: u64,
    #[serde(default)]
    ended_within: Option<u64>,
}

impl Pair {
    /// `None` when nothing was counted.
    fn of(stats: &TransactionStats) -> Option<Self> {
        let TransactionStats { count, ended_within, failed, .. } = *stats;
        (count > 0 || ended_within > 0).then_some(Self { count, failed, ended_within: Some(ended_within) })
    }

    /// Completes `stats`, whose histogram is already there.
    fn restore(&self, stats: &mut TransactionStats, section: Section) {
        (stats.count, stats.failed) = (self.count, self.failed);
        stats.ended_within = ended_within(section, self.ended_within, self.count);
    }
}

impl Groups {
    pub(super) fn of(aggregate: &Aggregate, section: Section) -> Self {
        let line = |id, stats| Some(TransactionLine { id, pair: Pair::of(stats)? });
        let transaction = |id| line(id, aggregate.transaction(section, id)?);
        let transition = |id| line(id, aggregate.transition(section, id)?);
        let page = |id| PageLine::of(id, aggregate.page(section, id)?);
        let location = |id| {
            let stats = aggregate.location(section, id)?;
            let parts = [&stats.exchanges, &stats.iterations, &stats.pages];
            let parts = parts.map(Pair::of);
            let is_any = parts.iter().any(Option::is_some);
            let [exchanges, iterations, pages] = parts.map(Option::unwrap_or_default);
            is_any.then_some(LocationLine { id, exchanges, iterations, pages })
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
            line.pair.restore(aggregate.transaction_mut(section, line.id), section);
        }
        for line in self.pages {
            known("page", line.id, limits.pages)?;
            line.restore(aggregate.page_mut(section, line.id), section);
        }
        for line in self.transitions {
            known("transition", line.id, limits.transitions)?;
            line.pair.restore(aggregate.transition_mut(section, line.id), section);
        }
        for line in self.locations {
            known("location", line.id, limits.locations)?;
            let stats = aggregate.location_mut(section, line.id);
            line.exchanges.restore(&mut stats.exchanges, section);
            line.iterations.restore(&mut stats.iterations, section);
            line.pages.restore(&mut stats.pages, section);
        }
        Ok(())
    }
}

impl PageLine {
    fn of(id: usize, stats: &PageStats) -> Option<Self> {
        Some(Self {
            id,
            pair: Pair::of(&stats.pages)?,
            resources: stats.resources,
            cached: stats.cached,
            unchanged: stats.unchanged,
            resources_failed: stats.resources_failed,
            left_out: stats.left_out,
            bytes_received: stats.bytes_received,
        })
    }

    fn restore(&self, stats: &mut PageStats, section: Section) {
        self.pair.restore(&mut stats.pages, section);
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
