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
    place: f32,
}

impl Bin {
    const EMPTY: Self = Self { sum: 0.0, count: 0, min: f64::INFINITY, max: f64::NEG_INFINITY, place: 0.0 };

    /// Mean of the values; `None` in a gap.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }

    fn add(&mut self, value: f64, place: f32) {
        self.sum += value;
        self.count += 1;
        self.place += (place - self.place) / self.count as f32;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    fn merge(&mut self, other: &Self) {
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
    fn new(unit: &str) -> Self {
        Self { unit: unit.to_owned(), width: WIDTH, bins: Vec::new() }
    }

    fn push(&mut self, at: Nanos, value: f64) {
        while at.0 / self.width.0 >= BINS_MAX as u64 {
            self.halve();
        }
        let index = (at.0 / self.width.0) as usize;
        if self.bins.len() <= index {
            self.bins.resize(index + 1, Bin::EMPTY);
        }
        let place = (at.0 % self.width.0) as f32 / self.width.0 as f32;
        self.bins[index].add(value, place);
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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Readings {
    tracks: BTreeMap<TrackKey, Track>,
    /// Readings of figures for which there was no room.
    pub left_out: u64,
}

impl Readings {
    /// Adds a reading. One that is no number is a gap.
    pub fn push(&mut self, resource: &Resource) {
        if !resource.value.is_finite() {
            return;
        }
        let figure =
            TrackKey { host: resource.host.clone(), source: resource.source.clone(), metric: resource.metric.clone() };
        if self.tracks.len() >= room(&figure.source) && !self.tracks.contains_key(&figure) {
            self.left_out += 1;
            return;
        }
        let track = self.tracks.entry(figure).or_insert_with(|| Track::new(&resource.unit));
        track.push(resource.at, resource.value);
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
