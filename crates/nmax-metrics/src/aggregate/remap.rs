//! An aggregate under the ids of another catalog.

use super::declare::Statistic;
use super::{Aggregate, Group};
use crate::names::IdMap;

impl Aggregate {
    /// The same under other ids; what gets the same id is added up. `None` when something has no id.
    pub fn remap(self, ids: &IdMap) -> Option<Self> {
        Some(Self {
            requests: self.requests.remap(ids.requests(), |mine, theirs| {
                theirs.iter().for_each(|theirs| mine.get_or_insert_default().merge(theirs));
            })?,
            scenarios: self.scenarios.remap(ids.group(Group::Scenario), Statistic::merge)?,
            checks: self.checks.remap(ids.group(Group::Check), Statistic::merge)?,
            transactions: self.transactions.remap(ids.group(Group::Transaction), Statistic::merge)?,
            pages: self.pages.remap(ids.group(Group::Page), Statistic::merge)?,
            transitions: self.transitions.remap(ids.group(Group::Transition), Statistic::merge)?,
            locations: self.locations.remap(ids.group(Group::Location), Statistic::merge)?,
            metrics: self.metrics.remap(ids.group(Group::Metric), Statistic::merge)?,
            failures: self.failures.remap(ids.group(Group::Failure), Statistic::merge)?,
            load: self.load,
        })
    }
}
