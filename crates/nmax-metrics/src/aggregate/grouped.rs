//! Tables of statistics by number: one entry for each thing with a name, in each section.

use super::METRICS_MAX;
use super::declare::{Declaration, Statistic, counts, declared, set_counts};
use crate::wire::{Input, Wire, WireError};
use crate::{Histogram, Section, TransactionStats};

/// A table of statistics by number.
#[derive(Clone, Debug, PartialEq)]
pub struct Grouped<T>(Vec<[T; 2]>);

impl<T: Wire> Wire for Grouped<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }

    fn take(input: &mut Input<'_>) -> Result<Self, WireError> {
        Ok(Self(Vec::take(input)?))
    }
}

impl<T> Default for Grouped<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Default> Grouped<T> {
    /// Statistics of a number; `None` beyond the last that was added to.
    pub fn get(&self, section: Section, index: usize) -> Option<&T> {
        self.0.get(index).map(|pair| &pair[section as usize])
    }

    /// Statistics of a number, created if need be.
    #[inline]
    pub fn get_mut(&mut self, section: Section, index: usize) -> &mut T {
        self.grow(index + 1);
        &mut self.0[index][section as usize]
    }

    /// Makes it at least this long.
    #[inline]
    pub fn grow(&mut self, len: usize) {
        if self.0.len() < len {
            self.0.resize_with(len, Default::default);
        }
    }

    /// One more than the largest number with statistics.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing was added to.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Statistics of all numbers, in order.
    pub fn in_section(&self, section: Section) -> impl ExactSizeIterator<Item = &T> {
        self.0.iter().map(move |pair| &pair[section as usize])
    }

    /// Those of a section, each with its name in `names`, which are the group's in the [`Catalog`](crate::Catalog).
    pub fn named<'a>(&'a self, section: Section, names: &'a [String]) -> impl Iterator<Item = (&'a str, &'a T)> {
        names.iter().map(String::as_str).zip(self.in_section(section))
    }

    /// The same to change.
    pub fn of_mut(&mut self, section: Section) -> impl ExactSizeIterator<Item = &mut T> {
        self.0.iter_mut().map(move |pair| &mut pair[section as usize])
    }

    /// The same under other numbers; what gets the same number is added up by `merge`. `None` when one has no other number.
    pub(super) fn remap(self, ids: &[u32], merge: impl Fn(&mut T, &T)) -> Option<Self> {
        let mut remapped = Self::default();
        let mut is_taken = Vec::new();
        for (index, pair) in self.0.into_iter().enumerate() {
            let id = *ids.get(index)? as usize;
            remapped.grow(id + 1);
            is_taken.resize(is_taken.len().max(id + 1), false);
            if std::mem::replace(&mut is_taken[id], true) {
                remapped.0[id].iter_mut().zip(&pair).for_each(|(mine, theirs)| merge(mine, theirs));
            } else {
                remapped.0[id] = pair;
            }
        }
        Some(remapped)
    }

    /// Those of both sections, to change.
    pub fn all_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().flatten()
    }
}

impl<T: Statistic> Grouped<T> {
    /// Adds section `from` of `other` to section `to`.
    pub(super) fn add(&mut self, to: Section, other: &Self, from: Section) {
        for (index, stats) in other.in_section(from).enumerate() {
            self.get_mut(to, index).merge(stats);
        }
    }
}

/// Checks of a run that are told apart by names it gets on the way; what comes later is counted under
/// [`crate::names::OTHER`].
pub const CHECKS_MAX: usize = 500;
/// The same of transactions, and of pages.
pub const TRANSACTIONS_MAX: usize = 500;

/// Kinds of failures of a run that are told apart.
pub const FAILURES_MAX: usize = 200;

/// What is gathered by name, beside requests.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Group {
    /// Scenarios.
    Scenario,
    /// Checks.
    Check,
    /// Transactions.
    Transaction,
    /// Pages.
    Page,
    /// Transitions between pages.
    Transition,
    /// Locations.
    Location,
    /// Metrics of the user's own.
    Metric,
    /// Kinds of failures and errors.
    Failure,
}

impl Group {
    /// Every group, in the order of files.
    pub const ALL: [Self; 8] = [
        Self::Scenario,
        Self::Check,
        Self::Transaction,
        Self::Page,
        Self::Transition,
        Self::Location,
        Self::Metric,
        Self::Failure,
    ];

    /// Letter of tags, name of one, name of all, what an entry of a file is of.
    const fn labels(self) -> (char, &'static str, &'static str, &'static str) {
        match self {
            Self::Scenario => ('s', "scenario", "scenarios", "scenarios with iterations"),
            Self::Check => ('c', "check", "checks", "checks with results"),
            Self::Transaction => ('t', "transaction", "transactions", "transactions that ended"),
            Self::Page => ('p', "page", "pages", "pages that ended"),
            Self::Transition => ('x', "transition", "transitions", "pages that ended, by the page before"),
            Self::Location => ('l', "location", "locations", "what users at a location did"),
            Self::Metric => ('m', "metric", "metrics", "the user's own metrics"),
            Self::Failure => ('f', "failure", "failures", "kinds of failures and errors"),
        }
    }

    /// The letter of its tags.
    pub const fn letter(self) -> char {
        self.labels().0
    }

    /// The name of one.
    pub const fn name(self) -> &'static str {
        self.labels().1
    }

    /// The name of all.
    pub const fn plural(self) -> &'static str {
        self.labels().2
    }

    /// What has an entry in files.
    pub const fn about(self) -> &'static str {
        self.labels().3
    }

    /// Whether files of before it was there are those of now without it: it is left out of them where it is empty.
    pub const fn is_optional(self) -> bool {
        matches!(self, Self::Metric | Self::Failure)
    }

    /// Most names that it gets while a run goes on, those of the plan included; 0 where all names are the plan's.
    pub const fn names_max(self) -> usize {
        match self {
            Self::Check => CHECKS_MAX,
            Self::Transaction | Self::Page => TRANSACTIONS_MAX,
            Self::Metric => METRICS_MAX,
            Self::Failure => FAILURES_MAX,
            Self::Scenario | Self::Transition | Self::Location => 0,
        }
    }
}

/// The field of a group in what has one for each, such as an [`Aggregate`](crate::Aggregate).
macro_rules! of_group {
    ($group:expr, & $($part:ident)+) => {
        match $group {
            Group::Scenario => &$($part)+.scenarios,
            Group::Check => &$($part)+.checks,
            Group::Transaction => &$($part)+.transactions,
            Group::Page => &$($part)+.pages,
            Group::Transition => &$($part)+.transitions,
            Group::Location => &$($part)+.locations,
            Group::Metric => &$($part)+.metrics,
            Group::Failure => &$($part)+.failures,
        }
    };
}
pub(crate) use of_group;

/// A [`Grouped`] table, whatever its statistics are.
pub trait Table {
    /// One more than the largest number with statistics.
    fn len(&self) -> usize;
    /// Whether it has no entry.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Makes it at least this long.
    fn grow(&mut self, len: usize);
    /// Empties it and keeps its memory.
    fn reset(&mut self);
    /// Of phase `whole`, everything ended within it.
    fn all_ended_within(&mut self);
    /// Its counters, in the order of files.
    fn declared(&self) -> Vec<Declaration>;
    /// The values of [`Self::declared`]; `None` where nothing was counted.
    fn counts(&self, section: Section, index: usize) -> Option<Vec<u128>>;
    /// Sets the counters of [`Self::declared`], created if need be. One that is `None` was not counted yet when the
    /// values were stored.
    fn set_counts(&mut self, section: Section, index: usize, values: &[Option<u128>]);
    /// The words of its distributions, in the order of files.
    fn distribution_names(&self) -> Vec<&'static str>;
    /// The distribution of a place among the words.
    fn time(&self, section: Section, index: usize, word: usize) -> Option<&Histogram>;
    /// The same to add to, created if need be.
    fn time_mut(&mut self, section: Section, index: usize, word: usize) -> Option<&mut Histogram>;
}

impl<T: Statistic> Table for Grouped<T> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn grow(&mut self, len: usize) {
        Grouped::grow(self, len);
    }

    fn reset(&mut self) {
        self.all_mut().for_each(Statistic::reset);
    }

    fn all_ended_within(&mut self) {
        self.all_mut().for_each(Statistic::all_ended_within);
    }

    fn declared(&self) -> Vec<Declaration> {
        let inner = T::PARTS.iter().flat_map(|part| declared::<TransactionStats>(part.name));
        inner.chain(declared::<T>("")).collect()
    }

    fn counts(&self, section: Section, index: usize) -> Option<Vec<u128>> {
        let stats = self.get(section, index).filter(|stats| !stats.is_blank())?;
        let inner = T::PARTS.iter().flat_map(|part| counts((part.get)(stats)));
        Some(inner.chain(counts(stats)).collect())
    }

    fn set_counts(&mut self, section: Section, index: usize, values: &[Option<u128>]) {
        let stats = self.get_mut(section, index);
        let mut values = values.iter().copied();
        T::PARTS.iter().for_each(|part| set_counts((part.get_mut)(stats), section, &mut values));
        set_counts(stats, section, &mut values);
    }

    fn distribution_names(&self) -> Vec<&'static str> {
        T::PARTS.iter().map(|part| part.word).chain(T::TIMES.iter().map(|time| time.word)).collect()
    }

    fn time(&self, section: Section, index: usize, word: usize) -> Option<&Histogram> {
        let stats = self.get(section, index)?;
        match T::PARTS.get(word) {
            Some(part) => Some(&(part.get)(stats).time),
            None => T::TIMES.get(word - T::PARTS.len()).map(|time| (time.get)(stats)),
        }
    }

    fn time_mut(&mut self, section: Section, index: usize, word: usize) -> Option<&mut Histogram> {
        match T::PARTS.get(word) {
            Some(part) => Some(&mut (part.get_mut)(self.get_mut(section, index)).time),
            None => T::TIMES.get(word - T::PARTS.len()).map(|time| (time.get_mut)(self.get_mut(section, index))),
        }
    }
}
