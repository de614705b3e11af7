//! How the response times of a stretch are spread, small enough to be kept for every stretch of a run.

use std::collections::BTreeMap;
use std::sync::Arc;

use nmax_metrics::RequestStats;

/// Width of a cell, relative to its lower end.
const STEP: f64 = 0.02;

/// Response times in cells of 2 %: how many exchanges took that long, and how many of them failed.
///
/// Stretches are pooled by adding their cells up, so quantiles of several are never made of quantiles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spread {
    /// In ascending order of time.
    cells: Arc<[Cell]>,
}

/// Exchanges that took about as long.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cell {
    /// Its times are from 1.02^index ns to 1.02 times as much.
    index: u16,
    exchanges: u32,
    /// Of those, failed or in error.
    failed: u32,
}

/// Sums for a [`Spread`].
#[derive(Clone, Debug, Default)]
pub(super) struct SpreadSums {
    cells: BTreeMap<u16, (u32, u32)>,
}

impl SpreadSums {
    /// Adds exchanges. O(buckets).
    pub(super) fn add(&mut self, stats: &RequestStats) {
        for (class, set) in stats.outcomes.iter().enumerate() {
            // The first class is that of the exchanges that were ok.
            let is_failed = class > 0;
            for (low_ns, high_ns, count) in set.iter().flat_map(|set| set.response.recorded()) {
                self.add_time(low_ns as f64 / 2.0 + high_ns as f64 / 2.0, count, is_failed);
            }
        }
    }

    fn add_time(&mut self, ns: f64, count: u64, is_failed: bool) {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let cell = self.cells.entry(index_of(ns)).or_default();
        cell.0 = cell.0.saturating_add(count);
        if is_failed {
            cell.1 = cell.1.saturating_add(count);
        }
    }

    /// The cells so far.
    pub(super) fn close(&self) -> Spread {
        let cell = |(index, (exchanges, failed)): (&u16, &(u32, u32))| Cell {
            index: *index,
            exchanges: *exchanges,
            failed: *failed,
        };
        Spread { cells: self.cells.iter().map(cell).collect() }
    }

    pub(super) fn reset(&mut self) {
        self.cells.clear();
    }
}

impl Spread {
    /// Of single response times, ms, the first of which failed.
    #[cfg(test)]
    pub(crate) fn from_times(times_ms: &[f64], failed: u64) -> Self {
        let mut sums = SpreadSums::default();
        for (place, ms) in times_ms.iter().enumerate() {
            sums.add_time(ms * 1e6, 1, (place as u64) < failed);
        }
        sums.close()
    }

    /// Nothing was measured, or nothing was kept.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Upper end of the last cell, ms; 0 without any.
    pub(crate) fn longest_ms(&self) -> f64 {
        self.cells.last().map_or(0.0, |cell| lower_ms(cell.index) * (1.0 + STEP))
    }

    /// Middle of each cell, ms, with its exchanges, and those of them that failed.
    pub(crate) fn cells(&self) -> impl Iterator<Item = (f64, f64, f64)> + '_ {
        let cell = |cell: &Cell| {
            let low_ms = lower_ms(cell.index);
            let middle_ms = low_ms * (1.0 + STEP / 2.0);
            (middle_ms, f64::from(cell.exchanges), f64::from(cell.failed))
        };
        self.cells.iter().map(cell)
    }
}

/// Spreads added up, in whole or in part.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool {
    weights: BTreeMap<u16, f64>,
    exchanges: f64,
    failed: f64,
}

impl Pool {
    /// All of these.
    pub(crate) fn from_spreads<'a>(spreads: impl Iterator<Item = &'a Spread>) -> Self {
        let mut pool = Self::default();
        for spread in spreads {
            spread.cells().for_each(|(ms, exchanges, failed)| pool.add(ms, exchanges, failed));
        }
        pool
    }

    /// Adds that many exchanges of this time, and failed ones among them.
    pub(crate) fn add(&mut self, ms: f64, exchanges: f64, failed: f64) {
        *self.weights.entry(index_of(ms * 1e6)).or_default() += exchanges;
        self.exchanges += exchanges;
        self.failed += failed;
    }

    /// Number of exchanges.
    pub(crate) fn exchanges(&self) -> f64 {
        self.exchanges
    }

    /// Failed or in error, of all.
    pub(crate) fn failure_rate(&self) -> Option<f64> {
        (self.exchanges > 0.0).then(|| self.failed / self.exchanges)
    }

    /// The quantile `q`, ms, by linear interpolation within its cell.
    pub(crate) fn quantile_ms(&self, q: f64) -> Option<f64> {
        let rank = q * self.exchanges;
        let mut below = 0.0;
        for (index, weight) in &self.weights {
            if *weight > 0.0 && below + weight >= rank * (1.0 - 1e-12) {
                let share = ((rank - below) / weight).clamp(0.0, 1.0);
                return Some(lower_ms(*index) * (1.0 + STEP * share));
            }
            below += weight;
        }
        None
    }
}

fn index_of(ns: f64) -> u16 {
    (ns.max(1.0).ln() / STEP.ln_1p()) as u16
}

fn lower_ms(index: u16) -> f64 {
    (1.0 + STEP).powi(i32::from(index)) / 1e6
}

#[cfg(test)]
mod tests;
