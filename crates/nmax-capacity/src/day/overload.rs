//! Twice and three times the usable load, and what is left of the system when the load is gone.

use super::demand::{Base, Course, Event, Shape};
use super::policy::Policy;
use super::simulate::simulate;
use super::world::World;

/// Steady load before and after, as a share of the usable capacity.
const STEADY: f64 = 0.8;
/// Before the push, and after it at most, s.
const BEFORE_S: f64 = 300.0;
const AFTER_S: f64 = 3600.0;
/// Goodput under overload, as a share of that at the usable load, from which on it counts as shedding.
const SHEDS: f64 = 0.9;
/// Goodput, as a share of that before, from which on it counts as recovered.
const RECOVERED: f64 = 0.95;

/// What a system does above its usable capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It keeps its goodput.
    Sheds,
    /// Its goodput falls with load, and comes back when the load is gone.
    Collapses,
    /// The load is gone, the collapse stays: metastable.
    StaysCollapsed,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Sheds, Self::Collapses, Self::StaysCollapsed];

    /// `sheds`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sheds => "sheds",
            Self::Collapses => "collapses",
            Self::StaysCollapsed => "stays collapsed",
        }
    }
}

/// How a system answers to too much.
#[derive(Clone, Debug, PartialEq)]
pub struct Overload {
    /// Usable capacity that the push is a multiple of, 1/s.
    pub usable_per_s: f64,
    /// Full answers within the objective at 2 and 3 times it, as a share of the usable capacity.
    pub goodput: [f64; 2],
    /// Attempts for each request during the push.
    pub amplification: f64,
    /// How long after the push the goodput is back for good, s; `None` when it does not come back within an hour.
    pub recovered_s: Option<f64>,
    /// In which time it should: twice the time to drain what waits, and at least a minute.
    pub allowed_s: f64,
    /// All of it in a word.
    pub verdict: Verdict,
}

/// Attempts for each request when each of at most `attempts` fails with probability `p`.
///
/// ```text
/// 1 + p + … + p^(k−1) = (1 − p^k)/(1 − p)
/// ```
pub fn amplification(p: f64, attempts: u32) -> f64 {
    (0..attempts).map(|before| p.powi(before as i32)).sum()
}

/// Pushes a policy to 2 and 3 times its usable capacity: .8 of it until steady, then 2 and 3 times it for three timeouts and
/// at least a minute each, then .8 of it again. Nodes stay as they are at midnight, the cache is warm, and nothing fails.
pub fn overload(world: &World, policy: &Policy) -> Overload {
    let fixed = Policy { autoscale: None, schedule: Vec::new(), ..policy.clone() };
    let pools =
        world.regions.iter().map(|region| world.node.scale((fixed.nodes as f64 * region.share).round() as usize));
    let past: f64 = pools.sum::<f64>();
    let (usable, saturation) = (world.node.usable_per_s * past, world.node.saturation_per_s * past);
    let usable_per_s = usable / (1.0 - fixed.hit());
    let hold_s = if world.clients.timeout_s.is_finite() { (3.0 * world.clients.timeout_s).max(60.0) } else { 60.0 };
    let push = |factor: f64, at_s: f64| Event {
        name: String::new(),
        at_s,
        factor: factor / STEADY,
        shape: Shape::Step,
        lasts_s: hold_s,
        decays_s: 0.0,
    };
    let end_s = BEFORE_S + 2.0 * hold_s;
    let course = Course {
        length_s: (end_s + AFTER_S) as usize,
        base: Base::Constant(STEADY * usable_per_s),
        events: vec![push(2.0, BEFORE_S), push(3.0, BEFORE_S + hold_s)],
    };
    let quiet = World { course, failures: Vec::new(), uncertainty: 0.0, ..world.clone() };
    let day = simulate(&quiet, &fixed, 1);
    let width = day.series[1].at_s;
    let between = |from_s: f64, to_s: f64| {
        day.series.iter().filter(move |point| point.at_s >= from_s && point.at_s + width <= to_s)
    };
    let mean = |from_s: f64, to_s: f64, of: &dyn Fn(&super::Point) -> f64| {
        let values: Vec<f64> = between(from_s, to_s).map(of).collect();
        values.iter().sum::<f64>() / values.len().max(1) as f64
    };
    let good = |point: &super::Point| point.good;
    let before = mean(0.0, BEFORE_S, &good);
    let goodput = [0.0, hold_s].map(|after| {
        let from_s = BEFORE_S + after;
        mean(from_s + hold_s / 3.0, from_s + hold_s, &good) / usable_per_s
    });
    let tried = |point: &super::Point| point.offered;
    let wanted = |point: &super::Point| point.demand;
    let (from_s, to_s) = (BEFORE_S + hold_s / 3.0, end_s);
    let waiting = between(0.0, end_s).next_back().map_or(0.0, |point| point.waiting);
    let drain_s = waiting / (saturation - STEADY * usable).max(1e-9);
    let bad = |point: &&super::Point| point.at_s >= end_s && (point.good < RECOVERED * before || point.out > 0.0);
    let last_bad_s = day.series.iter().filter(bad).map(|point| point.at_s + width).fold(end_s, f64::max);
    let recovered_s = (last_bad_s + 60.0 < end_s + AFTER_S).then_some(last_bad_s - end_s);
    let verdict = match recovered_s {
        None => Verdict::StaysCollapsed,
        Some(_) if goodput.iter().all(|share| *share >= SHEDS) => Verdict::Sheds,
        Some(_) => Verdict::Collapses,
    };
    Overload {
        usable_per_s,
        goodput,
        amplification: mean(from_s, to_s, &tried) / mean(from_s, to_s, &wanted).max(1e-9),
        recovered_s,
        allowed_s: (2.0 * drain_s).max(60.0),
        verdict,
    }
}
