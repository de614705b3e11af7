//! Sums by group, and by group and time, of any number of rows in bounded memory.
//!
//! Tallies of parts merge into that of the whole. When there are more groups than fit, the first ones are told apart, the
//! others are counted ([`crate::frequent`]); [`Tally::again`] then gives the tally that a second reading fills, with the
//! most frequent groups exactly and the rest together.

use std::collections::HashMap;
use std::sync::Arc;

use crate::column::{Cell, Chunk, Sums, UNKNOWN, Values};
use crate::condition::{Frame, Origin};
use crate::frequent::Frequent;
use crate::slice::Slice;
use crate::stats::Stats;

/// Groups that are told apart.
pub const GROUPS_MAX: usize = 2_000;
/// Points of groups over time that are told apart.
pub const POINTS_MAX: usize = 4_000;
/// Points of the series of one group, when their width is chosen by itself.
pub(crate) const SERIES_MAX: i64 = 60;
/// Widths that are chosen by themselves, s: each divides the next, so points can be joined.
const WIDTHS_S: [i64; 11] = [1, 5, 10, 30, 60, 300, 600, 1_800, 3_600, 14_400, 86_400];
const NS_PER_S: i64 = 1_000_000_000;
/// Group of rows that are not told apart.
const OTHER: u32 = u32::MAX;

/// Sums by group.
#[derive(Clone, Debug)]
pub struct Tally {
    slice: Arc<Slice>,
    index: HashMap<Box<[Cell]>, u32>,
    groups: Vec<(Box<[Cell]>, Stats)>,
    /// All rows of groups that are not told apart.
    other: Stats,
    /// Keys of those rows, unless the groups were given.
    frequent: Frequent,
    /// Set when the groups were given, so that no further ones are told apart: how many there are beside them.
    beside: Option<OtherGroups>,
    series: Option<Series>,
    /// Exchanges that were looked at.
    seen: u64,
    /// First and last instant of the chosen rows.
    ends: Option<(i64, i64)>,
}

/// How many groups there are beside those that were given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OtherGroups {
    Counted(u64),
    /// Too many to count.
    Many,
}

/// Sums by group and time.
#[derive(Clone, Debug)]
struct Series {
    width: i64,
    is_chosen: bool,
    /// By group and number of the point; what is not told apart has none.
    points: HashMap<(u32, i64), Stats>,
    /// There were too many points; none are kept any more.
    is_full: bool,
}

impl Tally {
    /// Nothing yet.
    pub fn new(slice: &Arc<Slice>) -> Self {
        let accounts = slice.accounts.len();
        Self {
            index: HashMap::new(),
            groups: Vec::new(),
            other: Stats::new(accounts),
            frequent: Frequent::default(),
            beside: None,
            series: slice.is_over_time.then(|| Series::new(slice)),
            seen: 0,
            ends: None,
            slice: Arc::clone(slice),
        }
    }

    /// Adds the rows of a chunk for which the condition holds.
    pub fn add(&mut self, chunk: &Chunk) {
        let slice = Arc::clone(&self.slice);
        let frame = Frame::new(chunk, &slice.tags);
        let weight = |row: usize| chunk.sums.as_ref().map_or(1, |sums| sums[row].count);
        self.seen += (0..chunk.rows).map(weight).sum::<u64>();
        let mask = slice.mask_of(&frame);
        let rows: Vec<u32> = (0..chunk.rows as u32).filter(|row| mask[*row as usize]).collect();
        if rows.is_empty() {
            return;
        }
        let (codes, keys) = slice.groups(&frame, &rows);
        let mut counts = vec![0_u64; keys.len()];
        for (code, row) in codes.iter().zip(&rows) {
            counts[*code as usize] += weight(*row as usize);
        }
        let places: Vec<u32> = keys.iter().zip(&counts).map(|(key, count)| self.place(key, *count)).collect();
        let places: Vec<u32> = codes.iter().map(|code| places[*code as usize]).collect();
        self.note_ends(&frame, &rows);
        match &chunk.sums {
            Some(sums) => self.add_sums(&frame, sums, &rows, &places),
            None => self.add_rows(&frame, &rows, &places),
        }
    }

    /// The place of a group, which is new or not.
    fn place(&mut self, key: &[Cell], count: u64) -> u32 {
        if let Some(place) = self.index.get(key) {
            return *place;
        }
        if self.beside.is_some() {
            return OTHER;
        }
        if self.groups.len() >= GROUPS_MAX {
            self.frequent.add(key, count);
            return OTHER;
        }
        self.open(key.into())
    }

    fn open(&mut self, key: Box<[Cell]>) -> u32 {
        let place = self.groups.len() as u32;
        self.groups.push((key.clone(), Stats::new(self.slice.accounts.len())));
        self.index.insert(key, place);
        place
    }

    fn note_ends(&mut self, frame: &Frame<'_>, rows: &[u32]) {
        let Some(Values::Numbers(when)) = frame.values(Origin::Column(self.slice.when)) else {
            return;
        };
        for row in rows {
            let at = when[*row as usize];
            if at != UNKNOWN {
                self.ends = Some(self.ends.map_or((at, at), |(low, high)| (low.min(at), high.max(at))));
            }
        }
    }

    fn stats(&mut self, place: u32) -> &mut Stats {
        match self.groups.get_mut(place as usize) {
            Some((_, stats)) => stats,
            None => &mut self.other,
        }
    }

    /// Rows of one exchange each, column by column.
    fn add_rows(&mut self, frame: &Frame<'_>, rows: &[u32], places: &[u32]) {
        let slice = Arc::clone(&self.slice);
        let numbers = |column: usize| match frame.values(Origin::Column(column)) {
            Some(Values::Numbers(numbers)) => Some(numbers.as_slice()),
            _ => None,
        };
        let failed = numbers(slice.failed);
        let has_failed = |row: u32| failed.map_or(0, |failed| u64::from(failed[row as usize] == 1));
        for (row, place) in rows.iter().zip(places) {
            let stats = self.stats(*place);
            stats.count += 1;
            if let Some(failures) = &mut stats.failures {
                *failures += has_failed(*row);
            }
        }
        for (number, account) in slice.accounts.iter().enumerate() {
            let Some(values) = numbers(account.column) else {
                continue;
            };
            for (row, place) in rows.iter().zip(places) {
                let value = values[*row as usize];
                if value != UNKNOWN
                    && let Some(sum) = &mut self.stats(*place).sums[number]
                {
                    sum.record(*account, value);
                }
            }
        }
        let Some(series) = &mut self.series else { return };
        let Some(when) = numbers(slice.when) else { return };
        let accounts: Vec<Option<&[i64]>> = slice.accounts.iter().map(|account| numbers(account.column)).collect();
        for (row, place) in rows.iter().zip(places) {
            let Some(stats) = series.point(*place, when[*row as usize], &slice) else {
                continue;
            };
            stats.count += 1;
            if let Some(failures) = &mut stats.failures {
                *failures += has_failed(*row);
            }
            for ((values, sum), account) in accounts.iter().zip(&mut stats.sums).zip(&slice.accounts) {
                let value = values.map_or(UNKNOWN, |values| values[*row as usize]);
                if value != UNKNOWN
                    && let Some(sum) = sum
                {
                    sum.record(*account, value);
                }
            }
        }
    }

    /// Rows that stand for many exchanges.
    fn add_sums(&mut self, frame: &Frame<'_>, sums: &[Sums], rows: &[u32], places: &[u32]) {
        let slice = Arc::clone(&self.slice);
        let when = match frame.values(Origin::Column(slice.when)) {
            Some(Values::Numbers(when)) => when.as_slice(),
            _ => &[],
        };
        for (row, place) in rows.iter().zip(places) {
            let own = of_sums(&slice, &sums[*row as usize]);
            self.stats(*place).merge(&own);
            let at = when.get(*row as usize).copied().unwrap_or(UNKNOWN);
            if let Some(series) = &mut self.series
                && let Some(stats) = series.point(*place, at, &slice)
            {
                stats.merge(&own);
            }
        }
    }

    /// Adds all of another tally of the same slice.
    pub fn merge(&mut self, other: &Self) {
        self.seen += other.seen;
        self.ends = match (self.ends, other.ends) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (mine, theirs) => mine.or(theirs),
        };
        let mut places = Vec::with_capacity(other.groups.len());
        for (key, stats) in &other.groups {
            let place = self.place(key, stats.count);
            self.stats(place).merge(stats);
            places.push(place);
        }
        self.other.merge(&other.other);
        self.frequent.merge(&other.frequent);
        if let (Some(mine), Some(theirs)) = (&mut self.series, &other.series) {
            mine.merge(theirs, &places, &self.slice);
        }
    }

    /// The empty tally for a second reading, where the first could not tell apart what will be shown.
    pub fn again(&self) -> Option<Self> {
        let is_series_full = self.series.as_ref().is_some_and(|series| series.is_full);
        if self.beside.is_some() || self.frequent.is_empty() && !is_series_full {
            return None;
        }
        let (keys, beside) = if self.frequent.is_empty() {
            let left = self.groups.len().saturating_sub(self.slice.top) as u64;
            (self.ranked(), OtherGroups::Counted(left))
        } else {
            (self.most_frequent(), OtherGroups::Many)
        };
        let most = if self.series.is_some() { self.slice.top } else { GROUPS_MAX / 2 };
        let mut next = Self::new(&self.slice);
        keys.into_iter().take(most).for_each(|key| {
            next.open(key);
        });
        next.beside = Some(beside);
        if let (Some(next), Some(full)) = (&mut next.series, &self.series) {
            next.width = full.width;
        }
        Some(next)
    }

    /// All keys that are known, those with most exchanges first as far as that is known.
    fn most_frequent(&self) -> Vec<Box<[Cell]>> {
        let told = self.groups.iter().map(|(key, stats)| (&**key, stats.count));
        let mut counts: HashMap<&[Cell], u64> = HashMap::new();
        // A group of one part may be among the others of another.
        told.chain(self.frequent.iter()).for_each(|(key, count)| *counts.entry(key).or_default() += count);
        let mut counts: Vec<(&[Cell], u64)> = counts.into_iter().collect();
        counts.sort_unstable_by(|(a, x), (b, y)| y.cmp(x).then_with(|| a.cmp(b)));
        counts.into_iter().map(|(key, _)| key.into()).collect()
    }

    pub(crate) fn slice(&self) -> &Slice {
        &self.slice
    }

    pub(crate) fn groups(&self) -> &[(Box<[Cell]>, Stats)] {
        &self.groups
    }

    pub(crate) fn other(&self) -> &Stats {
        &self.other
    }

    pub(crate) fn beside(&self) -> Option<OtherGroups> {
        self.beside
    }

    /// Whether groups that were not told apart might have been shown.
    pub(crate) fn is_crowded(&self) -> bool {
        !self.frequent.is_empty()
    }

    /// Exchanges that were looked at, chosen or not.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// First and last instant of chosen exchanges; `None` when no source told.
    pub fn ends(&self) -> Option<(i64, i64)> {
        self.ends
    }

    /// The width of a point of time, ns; `None` without a series, or where there were too many points.
    pub(crate) fn width(&self) -> Option<i64> {
        self.series.as_ref().filter(|series| !series.is_full).map(|series| series.width)
    }

    /// Points of time of a group, by number.
    pub(crate) fn points(&self, group: usize) -> Vec<(i64, &Stats)> {
        let points = self.series.iter().flat_map(|series| &series.points);
        let mut points: Vec<(i64, &Stats)> =
            points.filter(|((owner, _), _)| *owner as usize == group).map(|((_, at), stats)| (*at, stats)).collect();
        points.sort_unstable_by_key(|(at, _)| *at);
        points
    }
}

/// The sums of one row, in the order of the accounts.
fn of_sums(slice: &Slice, sums: &Sums) -> Stats {
    let mut stats = Stats::new(slice.accounts.len());
    stats.count = sums.count;
    stats.failures = sums.failures;
    for (account, sum) in slice.accounts.iter().zip(&mut stats.sums) {
        let spread = sums.spans.iter().find(|(column, _)| *column == account.column);
        let total = sums.totals.iter().find(|(column, _)| *column == account.column);
        match (spread, total, &mut *sum) {
            (Some((_, histogram)), _, Some(sum)) => sum.add_spread(histogram),
            (None, Some((_, total)), Some(sum)) if !account.is_spread => sum.add_total(sums.count, *total),
            _ if sums.count > 0 => *sum = None,
            _ => {}
        }
    }
    stats
}

impl Series {
    fn new(slice: &Slice) -> Self {
        Self {
            width: slice.every.unwrap_or_else(|| slice.whole(WIDTHS_S[0] * NS_PER_S)),
            is_chosen: slice.every.is_some(),
            points: HashMap::new(),
            is_full: false,
        }
    }

    /// The sums of a point; `None` when they are not kept.
    fn point(&mut self, place: u32, at: i64, slice: &Slice) -> Option<&mut Stats> {
        if self.is_full || at == UNKNOWN || place == OTHER {
            return None;
        }
        let mut key = (place, at.div_euclid(self.width));
        if !self.points.contains_key(&key) {
            if !self.is_chosen {
                self.widen(key.1);
                key.1 = at.div_euclid(self.width);
            }
            if self.points.len() >= POINTS_MAX {
                self.is_full = true;
                self.points.clear();
                return None;
            }
        }
        Some(self.points.entry(key).or_insert_with(|| Stats::new(slice.accounts.len())))
    }

    /// Joins points until a further one, of this number, is not too many.
    fn widen(&mut self, number: i64) {
        let numbers = self.points.keys().map(|(_, number)| *number);
        // Points are few; a new one is rare.
        let (low, high) = numbers.fold((number, number), |(low, high), other| (low.min(other), high.max(other)));
        let (low, high) = (low.saturating_mul(self.width), high.saturating_mul(self.width));
        let mut width = self.width;
        while high.div_euclid(width) - low.div_euclid(width) >= SERIES_MAX {
            match wider(width) {
                Some(next) => width = next,
                None => break,
            }
        }
        self.join(width);
    }

    /// Makes points this wide, a multiple of what they are.
    fn join(&mut self, width: i64) {
        if width == self.width {
            return;
        }
        let old = std::mem::take(&mut self.points);
        for ((place, number), stats) in old {
            let number = (number * self.width).div_euclid(width);
            match self.points.entry((place, number)) {
                std::collections::hash_map::Entry::Occupied(mut known) => known.get_mut().merge(&stats),
                std::collections::hash_map::Entry::Vacant(free) => {
                    free.insert(stats);
                }
            }
        }
        self.width = width;
    }

    fn merge(&mut self, other: &Self, places: &[u32], slice: &Slice) {
        if other.is_full {
            self.is_full = true;
            self.points.clear();
            self.width = self.width.max(other.width);
            return;
        }
        if !self.is_chosen && other.width > self.width {
            self.join(other.width);
        }
        for ((place, number), stats) in &other.points {
            let place = places.get(*place as usize).copied().unwrap_or(OTHER);
            if let Some(mine) = self.point(place, number * other.width, slice) {
                mine.merge(stats);
            }
        }
    }
}

/// The next width: of the list where that is a multiple, else doubled.
fn wider(width: i64) -> Option<i64> {
    let listed = WIDTHS_S.iter().map(|seconds| seconds * NS_PER_S).find(|next| *next > width && next % width == 0);
    listed.or_else(|| width.checked_mul(2))
}

#[cfg(test)]
pub(crate) mod tests;
