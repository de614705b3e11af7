//! Makes the course of a run of its windows, in bounded memory: only the stretch that is not complete yet keeps
//! distributions.

use std::ops::Range;

use nmax_metrics::{Catalog, Histogram, NameId, Nanos, RequestStats, Rolled, Section, Window};
use nmax_plan::plan::{Plan, Profile};
use nmax_plan::schedule::{Stage, held, mean_level};

use super::grid::Grid;
use super::spread::SpreadSums;
use super::{Course, Latency, Point, Spread, Use};

/// Most points of a run whose length is known.
pub(super) const POINTS_MAX: u64 = 7_200;
/// Most stretches of one request.
pub(super) const REQUEST_POINTS_MAX: u64 = 200;
/// Requests that have a course of their own.
pub(super) const REQUESTS_MAX: usize = 20;
/// How many times more frequent than the rarest request with a course another one is that takes its place.
const MORE_FREQUENT: u64 = 2;

/// Takes the windows of a run in order and makes a [`Course`] of them.
#[derive(Clone, Debug)]
pub struct CourseBuilder {
    stages: Vec<Stage>,
    /// Whether stretches keep how their response times are spread.
    keeps_spread: bool,
    length: Option<Nanos>,
    /// Width of the windows; zero before the first one.
    width: Nanos,
    total: Line,
    requests: Vec<(NameId, Line)>,
    /// Exchanges by request name, those without a course included.
    frequencies: Vec<u64>,
}

impl CourseBuilder {
    /// Nothing yet of a run that lasts `length` as planned, or until something ends it.
    pub fn new(plan: &Plan, length: Option<Nanos>) -> Self {
        Self {
            stages: plan.stages.clone(),
            keeps_spread: !plan.timeline.is_empty() || matches!(plan.profile, Some(Profile::Ladder | Profile::Stress)),
            length,
            width: Nanos::ZERO,
            total: Line::new(None, POINTS_MAX),
            requests: Vec::new(),
            frequencies: Vec::new(),
        }
    }

    /// The levels are those of this plan.
    pub(crate) fn steer(&mut self, plan: &Plan) {
        self.stages.clone_from(&plan.stages);
    }

    /// Adds a window. All windows of a run have the width of the first; others are left out. O(names · buckets).
    pub fn push(&mut self, window: &Window) {
        self.push_part(window, window.end(), window.width);
    }

    /// Adds a window, or windows added up.
    pub fn push_rolled(&mut self, rolled: &Rolled<'_>) {
        self.push_part(&rolled.window, rolled.end, rolled.measured);
    }

    fn push_part(&mut self, window: &Window, end: Nanos, measured: Nanos) {
        if window.width == Nanos::ZERO {
            return;
        }
        if self.width == Nanos::ZERO {
            self.width = window.width;
            self.total = Line::new(self.windows(), POINTS_MAX);
        }
        if window.width != self.width {
            return;
        }
        let part = Part { index: window.index, start: window.start(), end, measured };
        self.total.enter(part);
        let mut begins = false;
        for (_, line) in &mut self.requests {
            begins |= line.enter(part);
        }
        if begins {
            self.prefer_frequent(part);
        }
        self.total.sums.add_load(window);
        for section in Section::ALL {
            for (name, stats) in window.aggregate.requests(section) {
                self.total.sums.add(stats, self.keeps_spread);
                self.add_request(name, stats, part);
            }
        }
    }

    /// Planned number of windows.
    fn windows(&self) -> Option<u64> {
        self.length.map(|length| length.0.div_ceil(self.width.0))
    }

    fn add_request(&mut self, name: NameId, stats: &RequestStats, part: Part) {
        let exchanges = stats.count();
        if exchanges == 0 {
            return;
        }
        let place = name.0 as usize;
        if self.frequencies.len() <= place {
            self.frequencies.resize(place + 1, 0);
        }
        self.frequencies[place] += exchanges;
        let known = self.requests.iter().position(|(known, _)| *known == name);
        let known = known.or_else(|| {
            (self.requests.len() < REQUESTS_MAX).then(|| {
                self.begin(name, part);
                self.requests.len() - 1
            })
        });
        if let Some(known) = known {
            self.requests[known].1.sums.add(stats, self.keeps_spread);
        }
    }

    fn begin(&mut self, name: NameId, part: Part) {
        let mut line = Line::new(self.windows(), REQUEST_POINTS_MAX);
        line.enter(part);
        self.requests.push((name, line));
    }

    /// Lets a request that has become much more frequent take the place of a rare one; its course begins here.
    fn prefer_frequent(&mut self, part: Part) {
        let frequencies = &self.frequencies;
        let frequency = |name: NameId| frequencies.get(name.0 as usize).copied().unwrap_or(0);
        let rarest = (0..self.requests.len()).min_by_key(|place| frequency(self.requests[*place].0));
        let others = (0..frequencies.len() as u32).map(NameId);
        let others = others.filter(|name| self.requests.iter().all(|(known, _)| known != name));
        let (Some(rarest), Some(most)) = (rarest, others.max_by_key(|name| frequency(*name))) else {
            return;
        };
        if frequency(most) > MORE_FREQUENT * frequency(self.requests[rarest].0) {
            self.requests.swap_remove(rarest);
            self.begin(most, part);
        }
    }

    /// The course of all windows so far; `hold` is the statistics interval as it was.
    pub fn finish(&self, catalog: &Catalog, hold: (Nanos, Nanos)) -> Course {
        let holds = held(&self.stages, hold.0.0, hold.1.0);
        let points = |line: &Line| -> Vec<Point> {
            let open = (line.sums.measured > Nanos::ZERO).then(|| line.sums.close());
            let point = |sums: &Closed| self.point(sums, &holds);
            line.closed.iter().chain(&open).map(point).collect()
        };
        let mut requests: Vec<&(NameId, Line)> = self.requests.iter().collect();
        let frequency = |name: NameId| self.frequencies.get(name.0 as usize).copied().unwrap_or(0);
        requests.sort_by_key(|(name, _)| (u64::MAX - frequency(*name), name.0));
        let named = |(name, line): &(NameId, Line)| (catalog.requests.name(*name).to_owned(), points(line));
        Course { points: points(&self.total), requests: requests.into_iter().map(named).collect() }
    }

    fn point(&self, sums: &Closed, holds: &[Range<u64>]) -> Point {
        let Range { start, end } = sums.span;
        let width_s = sums.measured.as_secs_f64();
        Point {
            start_s: start.as_secs_f64(),
            width_s,
            held: holds.iter().any(|part| start.0 >= part.start && end.0 <= part.end),
            level: mean_level(&self.stages, start.0, end.0),
            in_flight: sums.in_flight_ns / 1e9 / width_s,
            started: sums.started,
            held_up: sums.held_up,
            iterations: sums.iterations,
            exchanges: sums.exchanges,
            failed: sums.failed,
            response: sums.response,
            used: sums.used,
            spread: sums.spread.clone(),
        }
    }
}

/// What a window measured of the run's time.
#[derive(Clone, Copy, Debug)]
struct Part {
    index: u64,
    start: Nanos,
    end: Nanos,
    measured: Nanos,
}

/// Stretches one after the other.
#[derive(Clone, Debug)]
struct Line {
    grid: Grid,
    /// Window numbers of the stretch that `sums` are of.
    open: Range<u64>,
    sums: Sums,
    closed: Vec<Closed>,
}

impl Line {
    fn new(windows: Option<u64>, points_max: u64) -> Self {
        Self { grid: Grid::new(windows, points_max), open: 0..0, sums: Sums::default(), closed: Vec::new() }
    }

    /// Goes on to the stretch of this window, and whether that is another one.
    fn enter(&mut self, part: Part) -> bool {
        let begins = !self.open.contains(&part.index);
        if begins {
            if self.sums.measured > Nanos::ZERO {
                self.closed.push(self.sums.close());
                self.sums.reset();
            }
            self.open = self.grid.stretch(part.index);
            self.sums.start = part.start;
        }
        self.sums.measured = self.sums.measured + part.measured;
        self.sums.end = part.end;
        begins
    }
}

/// What a stretch came to, once it is complete.
#[derive(Clone, Debug)]
struct Closed {
    /// From the beginning of its first window to the end of its last.
    span: Range<Nanos>,
    /// Length of its windows; less when some are missing.
    measured: Nanos,
    started: u64,
    held_up: u64,
    iterations: u64,
    exchanges: u64,
    failed: u64,
    in_flight_ns: f64,
    response: Option<Latency>,
    used: Use,
    spread: Spread,
}

/// What a stretch adds up.
#[derive(Clone, Debug, Default)]
struct Sums {
    start: Nanos,
    end: Nanos,
    measured: Nanos,
    started: u64,
    held_up: u64,
    iterations: u64,
    exchanges: u64,
    failed: u64,
    in_flight_ns: u128,
    response: Histogram,
    used: Use,
    spread: SpreadSums,
}

impl Sums {
    fn add_load(&mut self, window: &Window) {
        let aggregate = &window.aggregate;
        for section in Section::ALL {
            let load = aggregate.load(section);
            self.started += load.started;
            self.held_up += load.waited + load.dropped().total();
            self.in_flight_ns += load.in_flight_ns;
            self.used = self.used.plus(&Use {
                worker_s: load.worker_time.as_secs_f64(),
                cpu_s: load.cpu.as_secs_f64(),
                run_wait_s: load.run_wait.as_secs_f64(),
                stalled_s: load.stalled.as_secs_f64(),
            });
            self.iterations += aggregate.scenarios.in_section(section).map(|stats| stats.completed).sum::<u64>();
        }
    }

    fn add(&mut self, stats: &RequestStats, keeps_spread: bool) {
        if keeps_spread {
            self.spread.add(stats);
        }
        self.exchanges += stats.count();
        self.failed += stats.failed() + stats.errors();
        for set in stats.outcomes.iter().flatten() {
            self.response.merge(&set.response);
        }
    }

    fn close(&self) -> Closed {
        Closed {
            span: self.start..self.end,
            measured: self.measured,
            started: self.started,
            held_up: self.held_up,
            iterations: self.iterations,
            exchanges: self.exchanges,
            failed: self.failed,
            in_flight_ns: self.in_flight_ns as f64,
            response: latency(&self.response),
            used: self.used,
            spread: self.spread.close(),
        }
    }

    /// Empties it and keeps its memory.
    fn reset(&mut self) {
        self.response.reset();
        self.spread.reset();
        *self = Self {
            response: std::mem::take(&mut self.response),
            spread: std::mem::take(&mut self.spread),
            ..Self::default()
        };
    }
}

/// Mean and percentiles; `None` without times.
pub(crate) fn latency(times: &Histogram) -> Option<Latency> {
    let ranks = [0.5, 0.95, 0.99].map(|q| times.rank_of(q));
    let ms = |value_ns: Option<u64>| value_ns.map(|ns| ns as f64 / 1e6);
    let mean_ms = times.mean_ns()? / 1e6;
    let values = times.values_at_ranks_ns(&ranks);
    Some(Latency { mean_ms, p50_ms: ms(values[0])?, p95_ms: ms(values[1])?, p99_ms: ms(values[2])? })
}
