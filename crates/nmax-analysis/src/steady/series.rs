//! The series of figures that steadiness is tested on.

use super::{EXCHANGES_MIN, LATENCY_DRIFT_MAX, THROUGHPUT_DRIFT_MAX};
use crate::course::{Latency, Point};

/// Relative difference of two planned levels that count as one.
const SAME_LEVEL: f64 = 1e-6;

/// A figure of consecutive stretches.
pub(super) struct Series {
    pub(super) name: &'static str,
    pub(super) drift_limit: f64,
    pub(super) values: Vec<f64>,
}

impl Series {
    /// Throughput, mean response time and, where stretches are as measured, p95: that of joined ones is not known.
    pub(super) fn all(points: &[Point], is_joined: bool) -> Vec<Self> {
        let throughput = |point: &Point| Some(point.exchanges as f64 / point.width_s);
        let mean = |point: &Point| Some(point.response?.mean_ms);
        let p95 = |point: &Point| Some(point.response?.p95_ms);
        let of = |name, drift_limit, figure: &dyn Fn(&Point) -> Option<f64>| Self {
            name,
            drift_limit,
            values: points.iter().filter_map(figure).collect(),
        };
        let mut all =
            vec![of("throughput", THROUGHPUT_DRIFT_MAX, &throughput), of("response mean", LATENCY_DRIFT_MAX, &mean)];
        if !is_joined {
            all.push(of("response p95", LATENCY_DRIFT_MAX, &p95));
        }
        all
    }
}

/// The longest run of stretches within the hold that have one planned level.
///
/// The last one ends where its run ends; a shorter stretch at the end of the hold is left out.
pub(crate) fn level_part(points: &[Point]) -> &[Point] {
    let same = |a: &Point, b: &Point| (a.level - b.level).abs() <= SAME_LEVEL * a.level.abs().max(b.level.abs());
    let parts = points.chunk_by(|a, b| a.held && b.held && same(a, b));
    let held = parts.filter(|part| part[0].held && part[0].width_s > 0.0);
    let longest = held.max_by(|a, b| length(a).total_cmp(&length(b))).unwrap_or_default();
    match longest {
        [rest @ .., last] if last.width_s < 0.99 * longest[0].width_s => rest,
        whole => whole,
    }
}

fn length(points: &[Point]) -> f64 {
    points.iter().map(|point| point.width_s).sum()
}

/// Neighbours joined, as few as it takes that nearly every stretch holds ten exchanges; and whether any were.
///
/// Means and counts of joined stretches are exact; quantiles of parts make no quantile, so they are zero.
/// What does not fill a stretch at the end is left out. O(n).
pub(crate) fn joined(points: &[Point]) -> (Vec<Point>, bool) {
    let enough = |points: &[Point]| {
        let poor = points.iter().filter(|point| point.exchanges < EXCHANGES_MIN).count();
        // One stretch in a hundred may be poor: a stall of the target is no reason to blur the rest.
        poor * 100 <= points.len() && points.iter().all(|point| point.response.is_some())
    };
    if enough(points) {
        return (points.to_vec(), false);
    }
    let mut by = 2;
    while by <= points.len() {
        let coarse: Vec<Point> = points.chunks_exact(by).map(join).collect();
        if enough(&coarse) {
            return (coarse, true);
        }
        by += by.div_ceil(4);
    }
    (Vec::new(), true)
}

fn join(points: &[Point]) -> Point {
    let sum = |figure: fn(&Point) -> u64| points.iter().map(figure).sum::<u64>();
    let width_s = length(points);
    let exchanges = sum(|point| point.exchanges);
    let weighted = |figure: fn(&Point) -> f64| points.iter().map(|point| figure(point) * point.width_s).sum::<f64>();
    let times = points.iter().filter_map(|point| Some((point.response?.mean_ms, point.exchanges)));
    let time_ms: f64 = times.map(|(mean, n)| mean * n as f64).sum();
    Point {
        start_s: points[0].start_s,
        width_s,
        held: true,
        level: points[0].level,
        started: sum(|point| point.started),
        held_up: sum(|point| point.held_up),
        iterations: sum(|point| point.iterations),
        exchanges,
        failed: sum(|point| point.failed),
        in_flight: weighted(|point| point.in_flight) / width_s,
        response: (exchanges > 0).then(|| Latency { mean_ms: time_ms / exchanges as f64, ..Latency::default() }),
        ..Point::default()
    }
}
