//! Readings of a run in a bounded number of values: each figure of each source over time.

use std::collections::BTreeMap;

use crate::{Nanos, Resource};

/// Most figures told apart; later ones are counted and left out. Of pages of metrics, that may have any number of them,
/// those go first, so hosts and services keep room.
pub const TRACKS_MAX: usize = 4_000;
/// Kinds of sources of which others may have any number, and how many figures there may be before theirs are left out.
const KINDS: [(&str, usize); 4] = [("prometheus", 2_000), ("pool", 3_000), ("lock", 3_000), ("dependency", 3_000)];
/// Most bins of a figure: an hour in seconds. Longer runs get wider bins.
pub const BINS_MAX: usize = 3_600;
/// Width of a bin at first.
const WIDTH: Nanos = Nanos::from_secs(1);

/// Which figure: of what, on which host.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TrackKey {
    /// Host, as [`Resource::host`].
    pub host: String,
    /// Part of the host, as [`Resource::source`].
    pub source: String,
    /// Metric, as [`Resource::metric`].
    pub metric: String,
}

/// Values of one figure in one span of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    /// Sum of the values.
    pub sum: f64,
    /// How many there were; a bin without any is a gap.
    pub count: u32,
    /// Smallest.
    pub min: f64,
    /// Largest.
    pub max: f64,
    /// Where in the bin they were read, mean, from 0 at its beginning to 1; of no use in a sum of bins.
    pub place: f32,
}

/// Readings of one figure in one span of time, or a single one.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Of what, when the first was read, and the last value.
    pub resource: Resource,
    /// The first value.
    pub first: f64,
    /// All values.
    pub bin: Bin,
}

impl Reading {
    /// A single reading, with its place in a bin of this width.
    pub fn single(resource: Resource, width: Nanos) -> Self {
        Self { first: resource.value, bin: Bin::single(resource.at, resource.value, width), resource }
    }

    /// Adds later ones of the same span.
    pub fn merge(&mut self, later: &Self) {
        self.resource.value = later.resource.value;
        self.bin.merge(&later.bin);
    }
}

impl Bin {
    const EMPTY: Self = Self { sum: 0.0, count: 0, min: f64::INFINITY, max: f64::NEG_INFINITY, place: 0.0 };

    /// Mean of the values; `None` in a gap.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }

    /// One value, in a bin of this width.
    fn single(at: Nanos, value: f64, width: Nanos) -> Self {
        let place = (at.0 % width.0) as f32 / width.0 as f32;
        Self { sum: value, count: 1, min: value, max: value, place }
    }

    /// Adds values of the same span.
    pub fn merge(&mut self, other: &Self) {
        self.sum += other.sum;
        self.count += other.count;
        if other.count > 0 {
            self.place += (other.place - self.place) * (other.count as f32 / self.count as f32);
        }
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }
}

/// One figure over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Unit, as [`Resource::unit`].
    pub unit: String,
    /// Width of a bin.
    pub width: Nanos,
    /// Bins from the beginning of the run.
    pub bins: Vec<Bin>,
}

impl Track {
    fn new(unit: &str, width: Nanos) -> Self {
        Self { unit: unit.to_owned(), width, bins: Vec::new() }
    }

    /// Adds what was read from `at` on, in a bin of `width`.
    fn push(&mut self, at: Nanos, bin: &Bin, width: Nanos) {
        while at.0 / self.width.0 >= BINS_MAX as u64 {
            self.halve();
        }
        let index = (at.0 / self.width.0) as usize;
        if self.bins.len() <= index {
            self.bins.resize(index + 1, Bin::EMPTY);
        }
        let of_wider = (at.0 / width.0 * width.0 % self.width.0) as f32 / width.0 as f32;
        let place = (of_wider + bin.place) * (width.0 as f32 / self.width.0 as f32);
        self.bins[index].merge(&Bin { place, ..*bin });
    }

    /// Doubles the width of the bins.
    fn halve(&mut self) {
        for index in 0..self.bins.len().div_ceil(2) {
            let half = |bin: &Bin, before: f32| Bin { place: (before + bin.place) / 2.0, ..*bin };
            let mut bin = half(&self.bins[2 * index], 0.0);
            if let Some(next) = self.bins.get(2 * index + 1) {
                bin.merge(&half(next, 1.0));
            }
            self.bins[index] = bin;
        }
        self.bins.truncate(self.bins.len().div_ceil(2));
        self.width = Nanos(self.width.0 * 2);
    }

    /// Everything that was read in `[start, end)`, by whole bins: those that begin in it.
    pub fn within(&self, (start, end): (Nanos, Nanos)) -> Bin {
        let first = start.0.div_ceil(self.width.0) as usize;
        let last = end.0.div_ceil(self.width.0) as usize;
        let bins = self.bins.get(first.min(self.bins.len())..last.clamp(first, self.bins.len().max(first)));
        let mut all = Bin::EMPTY;
        bins.unwrap_or_default().iter().for_each(|bin| all.merge(bin));
        all
    }

    /// Mean of what was read in `[start, end)`; `None` without a reading.
    pub fn mean(&self, span: (Nanos, Nanos)) -> Option<f64> {
        self.within(span).mean()
    }

    /// Usual time from one reading to the next, by whole bins; `None` with fewer than two readings.
    pub fn usual(&self) -> Option<Nanos> {
        let all: Vec<Nanos> = self.points().map(|(at, _)| at).collect();
        let mut steps: Vec<Nanos> = all.windows(2).map(|pair| pair[1].since(pair[0])).collect();
        steps.sort_unstable();
        steps.get(steps.len().checked_sub(1)? / 2).copied()
    }

    /// What was read in `[start, end)` of a figure whose readings are each of the time since the one before: these come
    /// one reading later.
    pub fn since(&self, (start, end): (Nanos, Nanos)) -> Bin {
        let late = self.usual().unwrap_or(self.width);
        self.within((Nanos(start.0.saturating_add(late.0)), Nanos(end.0.saturating_add(late.0))))
    }

    /// When the values of a bin were read, mean, s since the beginning of the run; `None` in a gap.
    pub fn read_at_s(&self, index: usize) -> Option<f64> {
        let bin = self.bins.get(index).filter(|bin| bin.count > 0)?;
        Some((index as f64 + f64::from(bin.place)) * self.width.as_secs_f64())
    }

    /// Beginning and mean of each bin that is no gap.
    pub fn points(&self) -> impl Iterator<Item = (Nanos, f64)> + '_ {
        let at = |index: usize| Nanos(index as u64 * self.width.0);
        self.bins.iter().enumerate().filter_map(move |(index, bin)| Some((at(index), bin.mean()?)))
    }
}

/// All figures of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Readings {
    /// Width of a bin at first.
    width: Nanos,
    tracks: BTreeMap<TrackKey, Track>,
    /// Readings of figures for which there was no room.
    pub left_out: u64,
}

impl Default for Readings {
    fn default() -> Self {
        Self::with_width(WIDTH)
    }
}

impl Readings {
    /// Nothing yet, in bins that are this wide at first.
    pub fn with_width(width: Nanos) -> Self {
        Self { width, tracks: BTreeMap::new(), left_out: 0 }
    }

    /// Width of a bin at first.
    pub fn width(&self) -> Nanos {
        self.width
    }

    /// Adds a reading. One that is no number is a gap.
    pub fn push(&mut self, resource: &Resource) {
        if resource.value.is_finite() {
            self.push_bin(resource, &Bin::single(resource.at, resource.value, self.width));
        }
    }

    /// Adds readings of one figure in one bin of the first width.
    pub fn push_bin(&mut self, resource: &Resource, bin: &Bin) {
        let figure =
            TrackKey { host: resource.host.clone(), source: resource.source.clone(), metric: resource.metric.clone() };
        if self.tracks.len() >= room(&figure.source) && !self.tracks.contains_key(&figure) {
            self.left_out += 1;
            return;
        }
        let track = self.tracks.entry(figure).or_insert_with(|| Track::new(&resource.unit, self.width));
        track.push(resource.at, bin, self.width);
    }

    /// Every figure, by host, source and metric.
    pub fn iter(&self) -> impl Iterator<Item = (&TrackKey, &Track)> {
        self.tracks.iter()
    }

    /// One figure.
    pub fn get(&self, host: &str, source: &str, metric: &str) -> Option<&Track> {
        self.tracks.get(&TrackKey { host: host.to_owned(), source: source.to_owned(), metric: metric.to_owned() })
    }

    /// Whether nothing was read.
    pub fn is_empty(&self) -> bool {
        self.tracks.is_empty()
    }
}

/// How many figures there may be before one of this source is left out.
fn room(source: &str) -> usize {
    let kind = source.split(' ').next().unwrap_or_default();
    let known = KINDS.iter().find(|(known, _)| *known == kind);
    known.map_or(TRACKS_MAX, |(_, room)| *room)
}

#[cfg(test)]
mod tests;
