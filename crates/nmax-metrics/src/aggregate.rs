//! All that is counted: of one window on one worker, of a window, of a phase, of a whole run. Merged by addition.
//!
//! Every count is kept twice, for the *hold* (what statistics are made of) and for what is *outside* it (ramps,
//! warm-up). An exchange or iteration belongs to the section of its intended instant. What *ended* within the hold is
//! counted in [`Section::Hold`] whenever it was due: throughput is made of that.

use crate::{NameId, Sample};

mod hollow;
mod load;
mod request;
mod scenario;

pub use hollow::Hollow;
pub use load::{ADDRESSES_MAX, Dropped, HELD_MIN, LoadStats, count_address};
pub use request::{LatencySet, Phases, RequestStats};
pub use scenario::{CheckStats, LocationStats, PageStats, ScenarioStats, TransactionStats};

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
    pages: Vec<[PageStats; 2]>,
    transitions: Vec<[TransactionStats; 2]>,
    locations: Vec<[LocationStats; 2]>,
    load: [LoadStats; 2],
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
        if let Some(lag) = sample.injector_lag() {
            self.load[due as usize].injector_lag.record(lag.0);
        }
        self.request_mut(due, sample.name).record(sample);
        if ended == Section::Hold {
            self.request_mut(ended, sample.name).ended_within += 1;
        }
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

    /// Statistics of a page, by its index in [`crate::Catalog::pages`].
    pub fn page(&self, section: Section, index: usize) -> Option<&PageStats> {
        self.pages.get(index).map(|pair| &pair[section as usize])
    }

    /// Statistics of a page, created if need be.
    pub fn page_mut(&mut self, section: Section, index: usize) -> &mut PageStats {
        if self.pages.len() <= index {
            self.pages.resize_with(index + 1, Default::default);
        }
        &mut self.pages[index][section as usize]
    }

    /// Number of pages with statistics.
    pub fn page_count(&self) -> usize {
        self.pages.len()
    }

    /// Statistics of a transition between pages, by its index in [`crate::Catalog::transitions`].
    pub fn transition(&self, section: Section, index: usize) -> Option<&TransactionStats> {
        self.transitions.get(index).map(|pair| &pair[section as usize])
    }

    /// Statistics of a transition between pages, created if need be.
    pub fn transition_mut(&mut self, section: Section, index: usize) -> &mut TransactionStats {
        if self.transitions.len() <= index {
            self.transitions.resize_with(index + 1, Default::default);
        }
        &mut self.transitions[index][section as usize]
    }

    /// Number of transitions with statistics.
    pub fn transition_count(&self) -> usize {
        self.transitions.len()
    }

    /// Statistics of the users at a location, by its index in [`crate::Catalog::locations`].
    pub fn location(&self, section: Section, index: usize) -> Option<&LocationStats> {
        self.locations.get(index).map(|pair| &pair[section as usize])
    }

    /// Statistics of the users at a location, created if need be.
    pub fn location_mut(&mut self, section: Section, index: usize) -> &mut LocationStats {
        if self.locations.len() <= index {
            self.locations.resize_with(index + 1, Default::default);
        }
        &mut self.locations[index][section as usize]
    }

    /// Number of locations with statistics.
    pub fn location_count(&self) -> usize {
        self.locations.len()
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
        for stats in self.requests.iter_mut().flatten().flatten() {
            stats.ended_within = stats.count();
        }
        for stats in self.scenarios.iter_mut().flatten() {
            stats.ended_within = stats.completed;
        }
        let groups = self.transactions.iter_mut().chain(&mut self.transitions).flatten();
        let pages = self.pages.iter_mut().flatten().map(|page| &mut page.pages);
        let places = self.locations.iter_mut().flatten();
        let places = places.flat_map(|place| [&mut place.exchanges, &mut place.iterations, &mut place.pages]);
        for stats in groups.chain(pages).chain(places) {
            stats.ended_within = stats.count;
        }
    }

    /// Adds section `from` of `other` to section `to`.
    fn add(&mut self, to: Section, other: &Self, from: Section) {
        for (name, stats) in other.requests(from).filter(|(_, stats)| !stats.is_blank()) {
            self.request_mut(to, name).merge(stats);
        }
        for (index, pair) in other.scenarios.iter().enumerate() {
            self.scenario_mut(to, index).merge(&pair[from as usize]);
        }
        for (index, pair) in other.checks.iter().enumerate() {
            self.check_mut(to, index).merge(&pair[from as usize]);
        }
        for (index, pair) in other.transactions.iter().enumerate() {
            self.transaction_mut(to, index).merge(&pair[from as usize]);
        }
        for (index, pair) in other.pages.iter().enumerate() {
            self.page_mut(to, index).merge(&pair[from as usize]);
        }
        for (index, pair) in other.transitions.iter().enumerate() {
            self.transition_mut(to, index).merge(&pair[from as usize]);
        }
        for (index, pair) in other.locations.iter().enumerate() {
            self.location_mut(to, index).merge(&pair[from as usize]);
        }
        self.load_mut(to).merge(other.load(from));
    }

    /// Empties it and keeps its memory.
    pub fn reset(&mut self) {
        self.requests.iter_mut().flatten().flatten().for_each(|stats| stats.reset());
        self.scenarios.iter_mut().flatten().for_each(ScenarioStats::reset);
        self.checks.iter_mut().flatten().for_each(|check| *check = CheckStats::default());
        self.transactions.iter_mut().flatten().for_each(TransactionStats::reset);
        self.pages.iter_mut().flatten().for_each(PageStats::reset);
        self.transitions.iter_mut().flatten().for_each(TransactionStats::reset);
        self.locations.iter_mut().flatten().for_each(LocationStats::reset);
        self.load.iter_mut().for_each(LoadStats::reset);
    }
}

#[cfg(test)]
mod tests;
