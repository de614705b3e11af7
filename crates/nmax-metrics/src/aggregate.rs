//! All that is counted: of one window on one worker, of a window, of a phase, of a whole run. Merged by addition.
//!
//! Every count is kept twice, for the *hold* (what statistics are made of) and for what is *outside* it (ramps,
//! warm-up). An exchange or iteration belongs to the section of its intended instant. What *ended* within the hold is
//! counted in [`Section::Hold`] whenever it was due: throughput is made of that.

use crate::wire::wire;
use crate::{NameId, Sample};

mod declare;
mod grouped;
mod hollow;
mod load;
mod own;
mod remap;
mod request;
mod scenario;

pub use declare::{Counter, Declaration, Declared, Part, Statistic, Time, Unit, counts, declared, set_counts};
pub(crate) use grouped::of_group;
pub use grouped::{CHECKS_MAX, FAILURES_MAX, Group, Grouped, TRANSACTIONS_MAX, Table};
pub use hollow::Hollow;
pub use load::{ADDRESSES_MAX, Dropped, HELD_MIN, LoadStats, count_address};
pub use own::{METRICS_MAX, MetricStats};
pub use request::{LatencySet, Phases, RequestStats};
pub use scenario::{CheckStats, FailureStats, LocationStats, PageStats, ScenarioStats, TransactionStats};

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
    requests: Grouped<Option<Box<RequestStats>>>,
    /// By index in the plan.
    pub scenarios: Grouped<ScenarioStats>,
    /// By number in the plan.
    pub checks: Grouped<CheckStats>,
    /// By index in [`crate::Catalog::transactions`].
    pub transactions: Grouped<TransactionStats>,
    /// By index in [`crate::Catalog::pages`].
    pub pages: Grouped<PageStats>,
    /// By index in [`crate::Catalog::transitions`].
    pub transitions: Grouped<TransactionStats>,
    /// Of the users at a location, by its index in [`crate::Catalog::locations`].
    pub locations: Grouped<LocationStats>,
    /// By index in [`crate::Catalog::metrics`].
    pub metrics: Grouped<MetricStats>,
    /// By index in [`crate::Catalog::failures`].
    pub failures: Grouped<FailureStats>,
    load: [LoadStats; 2],
}

wire! {
    Aggregate { requests, scenarios, checks, transactions, pages, transitions, locations, metrics, failures, load }
}

impl Aggregate {
    /// Adds one exchange that was due and ended in `section`.
    pub fn record(&mut self, section: Section, sample: &Sample) {
        self.record_between(section, section, sample);
    }

    /// Adds one exchange that was due in section `due` and ended in section `ended`. Allocates only at the first of its
    /// name, section and outcome.
    #[inline]
    pub fn record_between(&mut self, due: Section, ended: Section, sample: &Sample) {
        let lag = sample.injector_lag();
        if let Some(lag) = lag {
            self.load[due as usize].injector_lag.record(lag.0);
        }
        let stats = self.request_mut(due, sample.name);
        stats.record_with_lag(lag, sample);
        match (due, ended) {
            (Section::Hold, Section::Hold) => stats.ended_within += 1,
            (Section::Outside, Section::Hold) => self.request_mut(ended, sample.name).ended_within += 1,
            (_, Section::Outside) => {}
        }
    }

    /// Statistics of a request name; `None` when it had no exchange.
    pub fn request(&self, section: Section, name: NameId) -> Option<&RequestStats> {
        self.requests.get(section, name.0 as usize)?.as_deref()
    }

    /// Statistics of a request name, created if need be.
    #[inline]
    pub fn request_mut(&mut self, section: Section, name: NameId) -> &mut RequestStats {
        self.requests.get_mut(section, name.0 as usize).get_or_insert_default()
    }

    /// Every request name with statistics, in order of id. Emptied ones included.
    pub fn requests(&self, section: Section) -> impl Iterator<Item = (NameId, &RequestStats)> {
        let all = self.requests.in_section(section).enumerate();
        all.filter_map(|(index, stats)| Some((NameId(index as u32), stats.as_deref()?)))
    }

    /// Sum over all request names.
    pub fn total(&self, section: Section) -> RequestStats {
        let mut total = RequestStats::default();
        self.requests(section).for_each(|(_, stats)| total.merge(stats));
        total
    }

    /// What is gathered by name of a group.
    pub fn table(&self, group: Group) -> &dyn Table {
        of_group!(group, &self)
    }

    /// The same to change.
    pub fn table_mut(&mut self, group: Group) -> &mut dyn Table {
        of_group!(group, &mut self)
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
        Section::ALL.iter().for_each(|section| self.add(*section, other, *section));
    }

    /// The same with both sections in [`Section::Hold`]: phase `whole`.
    pub fn whole(&self) -> Self {
        let mut whole = Self::default();
        Section::ALL.iter().for_each(|section| whole.add(Section::Hold, self, *section));
        whole.all_ended_within();
        whole
    }

    /// Of phase `whole`, everything ended within it.
    fn all_ended_within(&mut self) {
        self.requests.all_mut().flatten().for_each(|stats| stats.all_ended_within());
        Group::ALL.iter().for_each(|group| self.table_mut(*group).all_ended_within());
    }

    /// Adds section `from` of `other` to section `to`.
    fn add(&mut self, to: Section, other: &Self, from: Section) {
        for (name, stats) in other.requests(from).filter(|(_, stats)| !stats.is_blank()) {
            self.request_mut(to, name).merge(stats);
        }
        self.scenarios.add(to, &other.scenarios, from);
        self.checks.add(to, &other.checks, from);
        self.transactions.add(to, &other.transactions, from);
        self.pages.add(to, &other.pages, from);
        self.transitions.add(to, &other.transitions, from);
        self.locations.add(to, &other.locations, from);
        self.metrics.add(to, &other.metrics, from);
        self.failures.add(to, &other.failures, from);
        self.load_mut(to).merge(other.load(from));
    }

    /// Empties it and keeps its memory.
    pub fn reset(&mut self) {
        self.requests.all_mut().flatten().for_each(|stats| stats.reset());
        Group::ALL.iter().for_each(|group| self.table_mut(*group).reset());
        self.load.iter_mut().for_each(LoadStats::reset);
    }
}

#[cfg(test)]
mod tests;
