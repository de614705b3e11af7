//! Response times over time by request name, status and location, small enough to be kept for all of a run and to be added
//! up in any way later.

use std::collections::BTreeMap;

use nmax_metrics::{Code, Histogram, NameId, RequestStats, Section, Window};

use super::floor::{Bandwidth, Fastest};
use super::{POINTS_MAX, Point};

/// Width of a cell relative to its lower end.
const STEP: f64 = 0.1;
/// How far a percentile over time may be off, relative: cells are [`STEP`] wide, and their middle is told.
pub const TIME_ERROR: f64 = STEP / 2.0;

/// What a line over time is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LineSubject {
    /// Exchanges of a request name.
    Name(NameId),
    /// Replies with a status.
    Status(Code),
    /// Exchanges without a valid reply.
    NoReply,
    /// Exchanges of users at a location, by its number.
    Location(usize),
}

/// Takes the windows of a run as they come. Bounded: at most [`POINTS_MAX`] stretches of each line, wider ones in longer
/// runs.
#[derive(Clone, Debug, Default)]
pub struct Stretches {
    /// Width of the windows, s.
    window_s: f64,
    /// Windows of a stretch.
    windows: u64,
    fastest: Fastest,
    lines: BTreeMap<LineSubject, BTreeMap<u32, Sums>>,
}

/// What a stretch came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sums {
    pub(super) count: u64,
    pub(super) failed: u64,
    sum_ns: f64,
    /// Exchanges by [`cell_of`] their response time, ascending.
    cells: Vec<(u16, u32)>,
}

impl Stretches {
    /// Adds a window. Windows of another width than the first are left out. O(names · buckets).
    pub fn push(&mut self, window: &Window) {
        let window_s = window.width.as_secs_f64();
        if self.windows == 0 {
            (self.windows, self.window_s) = (1, window_s);
        }
        if window_s <= 0.0 || window_s != self.window_s {
            return;
        }
        while window.index / self.windows >= POINTS_MAX as u64 {
            self.join();
        }
        self.fastest.push(window);
        let at = (window.index / self.windows) as u32;
        for section in Section::ALL {
            for (name, stats) in window.aggregate.requests(section).filter(|(_, stats)| !stats.is_empty()) {
                let [ok, failed, error] = classes(stats);
                let sums = self.sums(LineSubject::Name(name), at);
                sums.add(ok, false);
                sums.add(failed, true);
                sums.add(error, true);
                self.by_status(stats, at);
            }
            for (index, stats) in window.aggregate.locations.in_section(section).enumerate() {
                if stats.exchanges.count > 0 {
                    let sums = self.sums(LineSubject::Location(index), at);
                    sums.add(Some(&stats.exchanges.time), false);
                    sums.failed += stats.exchanges.failed;
                }
            }
        }
    }

    /// Replies by status: of the usual one what is left of all valid replies without the others.
    fn by_status(&mut self, stats: &RequestStats, at: u32) {
        let [ok, failed, error] = classes(stats);
        if let Some(times) = error {
            self.sums(LineSubject::NoReply, at).add(Some(times), true);
        }
        if !stats.tells_status_times() {
            return;
        }
        let usual = RequestStats::USUAL_STATUS;
        if stats.status.iter().any(|(status, count)| *status == usual && *count > 0) {
            let sums = self.sums(LineSubject::Status(usual), at);
            sums.add(ok, false);
            sums.add(failed, false);
            stats.status_times.iter().for_each(|(_, times)| sums.subtract(times));
        }
        for (status, times) in stats.status_times.iter().filter(|(_, times)| !times.is_empty()) {
            self.sums(LineSubject::Status(*status), at).add(Some(times), false);
        }
    }

    fn sums(&mut self, of: LineSubject, at: u32) -> &mut Sums {
        self.lines.entry(of).or_default().entry(at).or_default()
    }

    /// Makes stretches twice as wide.
    fn join(&mut self) {
        self.windows *= 2;
        for line in self.lines.values_mut() {
            let mut wider: BTreeMap<u32, Sums> = BTreeMap::new();
            for (at, sums) in std::mem::take(line) {
                wider.entry(at / 2).or_default().merge(&sums);
            }
            *line = wider;
        }
    }

    /// How fast bytes came, at the best; `None` when no reply took time to come.
    pub(super) fn bandwidth(&self) -> Option<Bandwidth> {
        self.fastest.bandwidth()
    }

    /// Length of a stretch, s.
    pub(super) fn width_s(&self) -> f64 {
        self.windows as f64 * self.window_s
    }

    /// Beginning, s, and sums of each stretch in which something of `of` ended.
    pub(super) fn line(&self, of: LineSubject) -> impl Iterator<Item = (f64, &Sums)> {
        let width_s = self.width_s();
        let line = self.lines.get(&of).into_iter().flatten();
        line.map(move |(at, sums)| (f64::from(*at) * width_s, sums))
    }

    /// The lines added up, in order of time. A stretch without exchanges has no point.
    pub(super) fn points(&self, of: impl Iterator<Item = LineSubject>) -> Vec<Point> {
        let mut sum: BTreeMap<u32, Sums> = BTreeMap::new();
        for (at, sums) in of.filter_map(|of| self.lines.get(&of)).flatten() {
            sum.entry(*at).or_default().merge(sums);
        }
        let width_s = self.width_s();
        sum.into_iter().map(|(at, sums)| sums.point(f64::from(at) * width_s, width_s)).collect()
    }
}

/// Response times of exchanges that were ok, failed and in error.
fn classes(stats: &RequestStats) -> [Option<&Histogram>; 3] {
    std::array::from_fn(|class| stats.outcomes[class].as_ref().map(|set| &set.response))
}

impl Sums {
    fn add(&mut self, times: Option<&Histogram>, is_failed: bool) {
        let Some(times) = times.filter(|times| !times.is_empty()) else {
            return;
        };
        self.count += times.count();
        self.failed += if is_failed { times.count() } else { 0 };
        self.sum_ns += times.exact().sum_ns as f64;
        for (low_ns, high_ns, count) in times.recorded() {
            let cell = cell_of(low_ns as f64 / 2.0 + high_ns as f64 / 2.0);
            self.count_in(cell, u32::try_from(count).unwrap_or(u32::MAX));
        }
    }

    /// Takes out times that were added.
    fn subtract(&mut self, times: &Histogram) {
        self.count = self.count.saturating_sub(times.count());
        self.sum_ns = (self.sum_ns - times.exact().sum_ns as f64).max(0.0);
        for (low_ns, high_ns, count) in times.recorded() {
            let cell = cell_of(low_ns as f64 / 2.0 + high_ns as f64 / 2.0);
            if let Ok(place) = self.cells.binary_search_by_key(&cell, |(cell, _)| *cell) {
                let count = u32::try_from(count).unwrap_or(u32::MAX);
                self.cells[place].1 = self.cells[place].1.saturating_sub(count);
            }
        }
        self.cells.retain(|(_, count)| *count > 0);
    }

    fn count_in(&mut self, cell: u16, count: u32) {
        match self.cells.binary_search_by_key(&cell, |(cell, _)| *cell) {
            Ok(place) => self.cells[place].1 = self.cells[place].1.saturating_add(count),
            Err(place) => self.cells.insert(place, (cell, count)),
        }
    }

    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.failed += other.failed;
        self.sum_ns += other.sum_ns;
        other.cells.iter().for_each(|(cell, count)| self.count_in(*cell, *count));
    }

    fn point(&self, start_s: f64, width_s: f64) -> Point {
        Point {
            start_s,
            width_s,
            count: self.count,
            failed: self.failed,
            mean_ms: (self.count > 0).then(|| self.sum_ns / self.count as f64 / 1e6),
            p50_ms: self.quantile_ms(0.5),
            p95_ms: self.quantile_ms(0.95),
        }
    }

    /// Middle of the cell in which the value of rank ⌈q·n⌉ lies, ms.
    fn quantile_ms(&self, q: f64) -> Option<f64> {
        let total: u64 = self.cells.iter().map(|(_, count)| u64::from(*count)).sum();
        let rank = ((q * total as f64).ceil() as u64).max(1);
        let mut below = 0;
        let cell = self.cells.iter().find(|(_, count)| {
            below += u64::from(*count);
            below >= rank
        })?;
        Some(lower_ns(cell.0) * (1.0 + STEP / 2.0) / 1e6)
    }
}

/// Number of the cell of a time: from 1.1^number ns on.
fn cell_of(ns: f64) -> u16 {
    (ns.max(1.0).ln() / STEP.ln_1p()) as u16
}

fn lower_ns(cell: u16) -> f64 {
    (1.0 + STEP).powi(i32::from(cell))
}
