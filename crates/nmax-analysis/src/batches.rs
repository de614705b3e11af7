//! How much the response times of the hold depend on each other, and the intervals that allow for it.
//!
//! Replies come in busy spells: near saturation, a thousand of them may say no more than one independent value. Sums over
//! batches of consecutive windows show it, whatever the reason and its reach: their variance is compared with that of
//! independent values. Memory is bounded by the number of batches and of cells, whatever the length of the run.

use std::collections::BTreeMap;

use nmax_metrics::{NameId, Section, Window};

use crate::compare::student::critical;
use crate::interval::{CONFIDENCE, quantile_ranks};

mod dependence;
#[cfg(test)]
mod queue;
mod variance;

pub use dependence::Dependence;
use variance::{Sums, inflation};

/// Most batches that are kept; beyond it neighbours are joined.
const KEPT_MAX: usize = 240;
/// Request names with batches of their own.
const NAMES_MAX: usize = 50;
/// Fewest batches that tell a variance.
const BATCHES_MIN: usize = 10;
/// Batches that an interval is made of: long ones, for short ones hide dependence.
const BATCHES: usize = 20;
/// Batches that decide whether there is an interval: more of them, for a decision by chance prefers intervals that are
/// too narrow.
const DECIDING_BATCHES: usize = 60;
/// Fewest independent values that the median must be worth.
const EFFECTIVE_MIN: f64 = 380.0;
/// Fewest independent values beyond a quantile where values come in spells.
const BEYOND_MIN: f64 = 14.0;
/// Part of [`BEYOND_MIN`] that is needed for the random size of spells, and not for their number.
const SPELLS_PART: f64 = 0.58;
/// How much more than the median high quantiles feel dependence.
const TAIL_FACTOR: f64 = 3.0;
/// Fewest independent values beyond a quantile by its own variance.
const BEYOND_OWN_MIN: f64 = 5.0;
/// Width that an interval gains for each independent value that is missing beyond its quantile, where these come in spells.
const WIDENING: f64 = 1.3;

/// Least variance of counts up to a quantile, of that without cells.
const VARIANCE_MIN: f64 = 0.1;

nmax_text::named! {
    /// Why there is no interval.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum NoInterval {
        /// Too few values, as far as is seen independent.
        FewValues = "too few values",
        /// Fewer than ten windows: dependence cannot be seen.
        TooShort = "too short",
        /// Values depend so much on those before them that they say too little.
        TooDependent = "too dependent",
        /// Dependence is not looked at.
        NotExamined = "not examined",
    }
    /// In words.
    text
}

/// Response times of the hold in batches: of all requests, and of the first [`NAMES_MAX`] names.
#[derive(Clone, Debug, Default)]
pub struct Batches {
    total: Line,
    names: BTreeMap<u32, Line>,
}

impl Batches {
    /// Adds a window. O(names · buckets).
    pub fn push(&mut self, window: &Window) {
        for (name, stats) in window.aggregate.requests(Section::Hold) {
            let known = self.names.len();
            let mut of_name = match self.names.contains_key(&name.0) || known < NAMES_MAX {
                true => Some(self.names.entry(name.0).or_default()),
                false => None,
            };
            for set in stats.outcomes.iter().flatten() {
                for (low_ns, high_ns, count) in set.response.recorded() {
                    let middle_ns = low_ns + (high_ns - low_ns) / 2;
                    self.total.add(window.index, middle_ns, count);
                    if let Some(line) = &mut of_name {
                        line.add(window.index, middle_ns, count);
                    }
                }
            }
        }
    }

    /// Of all requests together.
    pub fn total(&self) -> &Line {
        &self.total
    }

    /// Of one request name; `None` beyond the first fifty.
    pub fn request(&self, name: NameId) -> Option<&Line> {
        self.names.get(&name.0)
    }
}

/// Batches one after the other, of equally many windows.
#[derive(Clone, Debug)]
pub struct Line {
    /// Number of the first window.
    first: u64,
    /// Windows of a batch.
    windows: u64,
    batches: Vec<Batch>,
}

/// Response times of some consecutive windows.
#[derive(Clone, Debug, Default)]
struct Batch {
    count: u64,
    sum_ns: f64,
    squares: f64,
    /// Values by [`cell_of`].
    cells: BTreeMap<u16, u32>,
}

impl Default for Line {
    fn default() -> Self {
        Self { first: 0, windows: 1, batches: Vec::new() }
    }
}

impl Line {
    /// Adds `count` equal values that came in a window; windows come in order. O(log cells).
    pub fn add(&mut self, window: u64, ns: u64, count: u64) {
        if self.batches.is_empty() {
            self.first = window;
        }
        let mut place = self.place(window);
        while place >= KEPT_MAX {
            self.join();
            place = self.place(window);
        }
        if place >= self.batches.len() {
            self.batches.resize_with(place + 1, Batch::default);
        }
        self.batches[place].add(ns, count);
    }

    /// Values so far.
    pub fn count(&self) -> u64 {
        self.batches.iter().map(|batch| batch.count).sum()
    }

    fn place(&self, window: u64) -> usize {
        usize::try_from(window.saturating_sub(self.first) / self.windows).unwrap_or(usize::MAX)
    }

    /// Joins neighbours two by two.
    fn join(&mut self) {
        let joined = self.batches.chunks_mut(2).map(|pair| {
            let mut whole = std::mem::take(&mut pair[0]);
            pair.iter().skip(1).for_each(|other| whole.merge(other));
            whole
        });
        self.batches = joined.collect();
        self.windows *= 2;
    }

    /// Ranks (1 = smallest) of the values that enclose the quantile `q` in 95 % of runs like this one.
    ///
    /// ```text
    /// l = [nq − h],  u = [nq + h] + 1,  h = t·√(φ·n·q(1−q))·(1 + 1.3·(1 − 1/φ)/K),  K = n·min(q, 1−q)/φ
    /// ```
    ///
    /// - [x]: x rounded
    /// - φ: variance of the number of values up to the quantile, of that of independent ones, from 20 batches
    ///   ([`inflation`]); t of Student with their degrees of freedom
    /// - K: how many independent values those beyond the quantile are worth; the last factor is ours, from simulation:
    ///   spells of random length make φ and the quantile err together
    ///
    /// Whether there is an interval is decided by the median, whose φ₅₀ of 60 batches says most about the reach of
    /// dependence and least about the quantile itself: n/φ₅₀ must be at least 380, with one standard error to spare, and
    /// n·min(q, 1−q)/(1 + 3(φ₅₀−1)) at least 14, less where values are independent.
    ///
    /// Sources: M. S. Meketon, B. Schmeiser, *Overlapping batch means* (WSC 1984); quantiles by counts in batches:
    /// P. Heidelberger, P. A. W. Lewis, *Operations Research* 32 (1984). Law: `intervals_hold_what_they_say`.
    pub fn ranks(&self, q: f64) -> Result<(u64, u64), NoInterval> {
        quantile_ranks(self.count(), q, CONFIDENCE).ok_or(NoInterval::FewValues)?;
        let values = self.count() as f64;
        let beyond = values * q.min(1.0 - q);
        let median = inflation(&self.counts_to(0.5), DECIDING_BATCHES).ok_or(NoInterval::TooShort)?;
        let own = inflation(&self.counts_to(q), BATCHES).ok_or(NoInterval::TooShort)?;
        let likely = median.ratio.max(1.0);
        let spells = if q == 0.5 { likely } else { 1.0 + TAIL_FACTOR * (likely - 1.0) };
        let enough = values >= EFFECTIVE_MIN * (median.ratio * (1.0 + median.error())).max(1.0)
            && beyond / spells >= BEYOND_MIN * (1.0 - SPELLS_PART / spells)
            && beyond / own.ratio >= BEYOND_OWN_MIN;
        if !enough {
            let is_dependent = [median, own].iter().any(|one| one.ratio > 1.0 + 2.0 * one.error());
            return Err(if is_dependent && beyond >= BEYOND_MIN * (1.0 - SPELLS_PART) {
                NoInterval::TooDependent
            } else {
                NoInterval::FewValues
            });
        }
        let deviation = (own.ratio * values * q * (1.0 - q)).sqrt();
        let wider = 1.0 + WIDENING * (1.0 - own.ratio.recip()).max(0.0) * own.ratio / beyond;
        let reach = critical(1.0 - CONFIDENCE, own.freedom) * deviation * wider;
        let (low, high) = ((values * q - reach).round(), (values * q + reach).round() + 1.0);
        match low >= 1.0 && high <= values {
            true => Ok((low as u64, high as u64)),
            false => Err(NoInterval::FewValues),
        }
    }

    /// How many values of each batch are up to the quantile `q` of all; of the cell that holds it, the same share
    /// everywhere. Where one cell holds nearly all values these counts say nothing, and the values stand for them.
    fn counts_to(&self, q: f64) -> Sums {
        let mut all: BTreeMap<u16, u64> = BTreeMap::new();
        for (cell, count) in self.batches.iter().flat_map(|batch| &batch.cells) {
            *all.entry(*cell).or_default() += u64::from(*count);
        }
        let n = all.values().sum::<u64>() as f64;
        let (mut below, mut place, mut within) = (0.0, u16::MAX, 0.0);
        for (cell, count) in &all {
            (place, within) = (*cell, *count as f64);
            if below + within >= q * n {
                break;
            }
            below += within;
        }
        let share = ((q * n - below) / within).clamp(0.0, 1.0);
        let variance = (below + share * share * within) / n - q * q;
        if variance < VARIANCE_MIN * q * (1.0 - q) {
            return self.times();
        }
        let of = |batch: &Batch| {
            let below: f64 = batch.cells.range(..place).map(|(_, count)| f64::from(*count)).sum();
            (batch.count as f64, below + share * batch.cells.get(&place).map_or(0.0, |count| f64::from(*count)))
        };
        Sums::new(self.batches.iter().map(of).collect(), variance)
    }

    /// The sums of the values of each batch.
    fn times(&self) -> Sums {
        let sum = |figure: fn(&Batch) -> f64| self.batches.iter().map(figure).sum::<f64>();
        let n = sum(|batch| batch.count as f64);
        let mean = sum(|batch| batch.sum_ns) / n;
        let variance = sum(|batch| batch.squares) / n - mean * mean;
        // What rounding leaves of a constant is no noise.
        let variance = if variance > 1e-12 * mean * mean { variance } else { 0.0 };
        Sums::new(self.batches.iter().map(|batch| (batch.count as f64, batch.sum_ns)).collect(), variance)
    }
}

impl Batch {
    fn add(&mut self, ns: u64, count: u64) {
        let value = ns as f64;
        self.count += count;
        self.sum_ns += value * count as f64;
        self.squares += value * value * count as f64;
        let cell = self.cells.entry(cell_of(ns)).or_default();
        *cell = cell.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
    }

    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum_ns += other.sum_ns;
        self.squares += other.squares;
        for (place, count) in &other.cells {
            let cell = self.cells.entry(*place).or_default();
            *cell = cell.saturating_add(*count);
        }
    }
}

/// The number of the cell of a value: 64 to each doubling, so a cell is 0.8 to 1.6 % wide.
fn cell_of(ns: u64) -> u16 {
    const DIGITS: u32 = 6;
    let place = (ns.max(1) as f64).to_bits() >> (f64::MANTISSA_DIGITS - 1 - DIGITS);
    u16::try_from(place - (1.0_f64.to_bits() >> (f64::MANTISSA_DIGITS - 1 - DIGITS))).unwrap_or(u16::MAX)
}

/// A run of a queue at this load, in 120 windows.
#[cfg(test)]
pub(crate) fn of_queue(load: f64, exchanges: f64) -> Batches {
    let mut batches = Batches::default();
    queue::Queue { load, exchanges, windows: 120 }.run(1, |window, ns| batches.total.add(window, ns, 1));
    batches
}

#[cfg(test)]
mod tests;
