//! A run over time in a bounded number of bins.
//!
//! Windows stream in; neighbours share a bin when the run is long. Percentiles of a bin come from merged
//! histograms, never from other percentiles. Memory is bounded by the number of bins, not by the run's length.

use nmax_metrics::histogram::Exact;
use nmax_metrics::{ErrorKind, Histogram, LatencySet, Nanos, RequestStats, Rolled, Section, Window};

/// Rows of the heat map per factor of ten.
pub const HEAT_ROWS_PER_DECADE: f64 = 10.0;
/// Lower edge of the first row, ns; faster exchanges count in that row.
pub const HEAT_LOWEST_NS: f64 = 1e4;
/// Rows, from 10 µs to 1 h.
pub const HEAT_ROWS: usize = 86;

/// The row of the heat map that holds a latency.
pub fn heat_row(ns: u64) -> usize {
    let row = (ns.max(1) as f64 / HEAT_LOWEST_NS).log10() * HEAT_ROWS_PER_DECADE;
    (row.max(0.0) as usize).min(HEAT_ROWS - 1)
}

/// Lower edge of a row of the heat map, ns.
pub fn heat_row_low_ns(row: usize) -> f64 {
    HEAT_LOWEST_NS * 10f64.powf(row as f64 / HEAT_ROWS_PER_DECADE)
}

/// A run over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Bins of equal width, the last one possibly shorter, from the beginning of the run.
    pub bins: Vec<Bin>,
}

/// One span of time, ramps and warm-up included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bin {
    /// Beginning, seconds since the start of the run.
    pub start_s: f64,
    /// Length, seconds.
    pub width_s: f64,
    /// Mean level of the plan: iterations per second (open) or virtual users (closed); `None` until the view knows the plan.
    pub intended: Option<f64>,
    /// Iterations started per second.
    pub started_per_s: f64,
    /// Exchanges ended per second.
    pub completed_per_s: f64,
    /// Exchanges that ended ok, per second.
    pub ok_per_s: f64,
    /// Valid replies that were not ok, per second.
    pub failed_per_s: f64,
    /// Exchanges without a valid reply, per second.
    pub errors_per_s: f64,
    /// Exchanges without a valid reply, by [`ErrorKind::index`].
    pub error_kinds: [u64; ErrorKind::ALL.len()],
    /// Bytes received per second.
    pub bytes_per_s: f64,
    /// Mean number of iterations in flight.
    pub in_flight: f64,
    /// Connections opened.
    pub connections: u64,
    /// Response time.
    pub response: Percentiles,
    /// Service time.
    pub service: Percentiles,
    /// Send lag.
    pub send_lag: Percentiles,
    /// Exchanges per row of the heat map, by response time; [`heat_row`] gives the row.
    pub heat: Vec<u64>,
}

/// Percentiles of one bin, ns; `None` without values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Percentiles {
    /// Median.
    pub p50: Option<u64>,
    /// 95th percentile.
    pub p95: Option<u64>,
    /// 99th percentile.
    pub p99: Option<u64>,
    /// Largest.
    pub max: Option<u64>,
}

impl Percentiles {
    fn from_histogram(histogram: &Histogram) -> Self {
        let ranks = [0.5, 0.95, 0.99].map(|q| histogram.rank_of(q));
        let values = histogram.values_at_ranks_ns(&ranks);
        Self { p50: values[0], p95: values[1], p99: values[2], max: histogram.max_ns() }
    }
}

/// Takes windows in any order, of one worker each or merged, and makes a [`Series`] of them.
#[derive(Clone, Debug)]
pub struct SeriesBuilder {
    duration: Nanos,
    bins_max: u64,
    width: Nanos,
    windows_per_bin: u64,
    end: Nanos,
    /// Bins before those of `sums`, which are complete: their distributions are not kept.
    closed: Vec<Bin>,
    /// Only the bin of the latest window is kept whole.
    closes: bool,
    sums: Vec<Sums>,
}

impl SeriesBuilder {
    /// For a run of about `duration`, in at most `bins_max` bins. A run that takes longer gets wider bins.
    pub fn new(duration: Nanos, bins_max: usize) -> Self {
        let bins_max = u64::try_from(bins_max.max(1)).unwrap_or(u64::MAX);
        Self {
            duration,
            bins_max,
            width: Nanos::ZERO,
            windows_per_bin: 1,
            end: Nanos::ZERO,
            closed: Vec::new(),
            closes: false,
            sums: Vec::new(),
        }
    }

    /// The same for windows that come in order, in a run that lasts `duration` and whatever its last exchanges take
    /// beyond it. Bins are never joined, so a complete one keeps its percentiles and drops its distributions: memory
    /// hardly grows while the run goes on.
    pub fn in_order(duration: Nanos, bins_max: usize) -> Self {
        Self { closes: true, ..Self::new(duration, bins_max) }
    }

    /// Adds a window. All windows of a run have the width of the first; others are left out.
    pub fn push(&mut self, window: &Window) {
        self.push_until(window, window.end());
    }

    /// Adds a window, or windows added up.
    pub fn push_rolled(&mut self, rolled: &Rolled<'_>) {
        self.push_until(&rolled.window, rolled.end);
    }

    fn push_until(&mut self, window: &Window, end: Nanos) {
        if window.width == Nanos::ZERO {
            return;
        }
        if self.width == Nanos::ZERO {
            self.width = window.width;
            self.windows_per_bin = self.duration.0.div_ceil(self.width.0).div_ceil(self.bins_max).max(1);
        }
        if window.width != self.width {
            return;
        }
        while !self.closes && window.index / self.windows_per_bin >= self.bins_max {
            self.halve();
        }
        let bin = usize::try_from(window.index / self.windows_per_bin).expect("a run has fewer windows than that");
        let Some(open) = bin.checked_sub(self.closed.len()) else {
            return; // Of a bin that is complete: windows come in order, so there is none.
        };
        if self.sums.len() <= open {
            self.sums.resize_with(open + 1, Sums::default);
        }
        self.sums[open].add_window(window);
        self.end = self.end.max(end);
        if self.closes && open > 0 {
            self.close(open);
        }
    }

    /// Closes the first `count` open bins.
    fn close(&mut self, count: usize) {
        let first = self.closed.len();
        let complete: Vec<Bin> = (0..count).map(|index| self.bin(first + index, &self.sums[index])).collect();
        self.closed.extend(complete);
        self.sums.drain(..count);
    }

    fn bin(&self, index: usize, sums: &Sums) -> Bin {
        let width = self.windows_per_bin * self.width.0;
        let start = Nanos(index as u64 * width);
        sums.bin(start.as_secs_f64(), self.end.since(start).min(Nanos(width)).as_secs_f64())
    }

    /// Doubles the width of the bins.
    fn halve(&mut self) {
        self.windows_per_bin = self.windows_per_bin.saturating_mul(2);
        let mut halves = std::mem::take(&mut self.sums).into_iter();
        while let Some(mut sum) = halves.next() {
            if let Some(next) = halves.next() {
                sum.merge(&next);
            }
            self.sums.push(sum);
        }
    }

    /// The series of all windows so far.
    pub fn finish(&self) -> Series {
        let first = self.closed.len();
        let open = self.sums.iter().enumerate();
        let open = open.map(|(index, sums)| self.bin(first + index, sums));
        Series { bins: self.closed.iter().cloned().chain(open).collect() }
    }
}

/// What a bin adds up.
#[derive(Clone, Debug, Default)]
struct Sums {
    started: u64,
    ok: u64,
    failed: u64,
    errors: u64,
    error_kinds: [u64; ErrorKind::ALL.len()],
    bytes_received: u64,
    in_flight_ns: u128,
    connections: u64,
    response: Sparse,
    service: Sparse,
    send_lag: Sparse,
}

impl Sums {
    fn add_window(&mut self, window: &Window) {
        let mut latencies = LatencySet::default();
        for section in Section::ALL {
            let load = window.aggregate.load(section);
            self.started += load.started;
            self.in_flight_ns += load.in_flight_ns;
            self.connections += load.connections;
            for (_, stats) in window.aggregate.requests(section) {
                self.add_counts(stats);
                stats.outcomes.iter().flatten().for_each(|set| latencies.merge(set));
            }
        }
        self.response.merge(&latencies.response);
        self.service.merge(&latencies.service);
        self.send_lag.merge(&latencies.send_lag);
    }

    fn add_counts(&mut self, stats: &RequestStats) {
        self.ok += stats.ok();
        self.failed += stats.failed();
        self.errors += stats.errors();
        self.bytes_received += stats.bytes_received;
        for (mine, theirs) in self.error_kinds.iter_mut().zip(stats.errors) {
            *mine += theirs;
        }
    }

    fn merge(&mut self, other: &Self) {
        self.started += other.started;
        self.ok += other.ok;
        self.failed += other.failed;
        self.errors += other.errors;
        self.bytes_received += other.bytes_received;
        self.in_flight_ns += other.in_flight_ns;
        self.connections += other.connections;
        for (mine, theirs) in self.error_kinds.iter_mut().zip(other.error_kinds) {
            *mine += theirs;
        }
        self.response.merge(&other.response.histogram());
        self.service.merge(&other.service.histogram());
        self.send_lag.merge(&other.send_lag.histogram());
    }

    fn bin(&self, start_s: f64, width_s: f64) -> Bin {
        let per_s = |n: u64| n as f64 / width_s;
        let mut heat = vec![0; HEAT_ROWS];
        for (value_ns, count) in &self.response.buckets {
            heat[heat_row(*value_ns)] += count;
        }
        Bin {
            start_s,
            width_s,
            intended: None,
            started_per_s: per_s(self.started),
            completed_per_s: per_s(self.ok + self.failed + self.errors),
            ok_per_s: per_s(self.ok),
            failed_per_s: per_s(self.failed),
            errors_per_s: per_s(self.errors),
            error_kinds: self.error_kinds,
            bytes_per_s: per_s(self.bytes_received),
            in_flight: self.in_flight_ns as f64 / 1e9 / width_s,
            connections: self.connections,
            response: Percentiles::from_histogram(&self.response.histogram()),
            service: Percentiles::from_histogram(&self.service.histogram()),
            send_lag: Percentiles::from_histogram(&self.send_lag.histogram()),
            heat,
        }
    }
}

/// A histogram without its empty buckets: a bin keeps hundreds of bytes instead of tens of kilobytes.
#[derive(Clone, Debug, Default)]
struct Sparse {
    exact: Option<Exact>,
    /// Highest value of the bucket, ns, and count; ascending.
    buckets: Vec<(u64, u64)>,
}

impl Sparse {
    fn histogram(&self) -> Histogram {
        let mut histogram = Histogram::new();
        if let Some(exact) = self.exact {
            self.buckets.iter().for_each(|(high_ns, count)| histogram.record_n(*high_ns, *count));
            histogram.set_exact(exact);
        }
        histogram
    }

    fn merge(&mut self, other: &Histogram) {
        if other.is_empty() {
            return;
        }
        if self.exact.is_none() {
            return self.keep(other);
        }
        let mut merged = self.histogram();
        merged.merge(other);
        self.keep(&merged);
    }

    fn keep(&mut self, histogram: &Histogram) {
        self.exact = Some(histogram.exact());
        self.buckets = histogram.recorded().map(|(_, high_ns, count)| (high_ns, count)).collect();
    }
}

#[cfg(test)]
mod tests;
