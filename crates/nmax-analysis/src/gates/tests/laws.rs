//! Laws of the gates of the mix and of Little, by simulation of correct runs.

use nmax_metrics::Aggregate;
use nmax_plan::mix::Mix;
use nmax_plan::plan::Scenario;
use proptest::prelude::*;

use super::*;
use crate::tests::fixture::scenario;
use crate::tests::simulate::Random;
use crate::{Course, Point};

/// The gate on a hold from the start of the run on, whose course is not known.
pub(super) fn littles_law(totals: &Aggregate, hold_s: f64) -> Gate {
    let end = Nanos((hold_s * 1e9) as u64);
    little(totals, &Course::default(), (Nanos::ZERO, end))
}

fn mixed(weights: &[f64], is_open: bool) -> Run {
    let mut run = if is_open { Run::healthy() } else { Run::healthy().closed() };
    let each = weights.iter().enumerate();
    run.plan.scenarios = each
        .map(|(index, weight)| Scenario { weight: *weight, ..scenario(&format!("s{index}"), "home", "shows items") })
        .collect();
    run.totals = Aggregate::default();
    run
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Law: any stretch of iterations that the plan picks is the planned mix, whole cycles or not.
    #[test]
    fn open_mixes_as_planned_are_open(weights in prop::collection::vec(0.5..50.0_f64, 2..5), whole in any::<bool>(), seed in any::<u64>(),
        first in 0..20_000_u64, n in 1..5_000_u64) {
        let weights: Vec<f64> = weights.iter().map(|weight| if whole { weight.ceil() } else { *weight }).collect();
        let mix_of = Mix::new(&weights).unwrap();
        let mut run = mixed(&weights, true);
        (first..first + n).for_each(|n| run.totals.scenarios.get_mut(Section::Hold, mix_of.pick_open(seed, n)).started += 1);
        let gate = mix(&run.plan, &run.totals, 0);
        prop_assert!(gate.value.is_some() && gate.holds, "{:?}", gate);
    }

    /// Law: users who go through the plan's own cycle from time 0, with iterations of very different length, are no
    /// deviation from the mix.
    #[test]
    fn closed_mixes_as_planned_are_open(weights in prop::collection::vec(1..20_u32, 2..4), seed in any::<u64>(), users in 1..60_u64,
        slow_s in 1.0..20.0_f64) {
        let weights: Vec<f64> = weights.iter().map(|weight| f64::from(*weight)).collect();
        let mix_of = Mix::new(&weights).unwrap();
        let mut run = mixed(&weights, false);
        for vu in 0..users {
            let (mut now, mut iteration) = (0.0, 0);
            while now < 60.0 {
                let picked = mix_of.pick_closed(seed, vu, iteration);
                run.totals.scenarios.get_mut(Section::Hold, picked).started += 1;
                now += if picked == 0 { slow_s } else { 0.5 };
                iteration += 1;
            }
        }
        let gate = mix(&run.plan, &run.totals, users);
        prop_assert!(gate.value.is_some() && gate.holds, "{:?}", gate);
    }

    /// Law: a steady flow of iterations obeys Little's law, wherever the hold is cut out of it; a counter that misses a
    /// quarter of them does not.
    #[test]
    fn flows_obey_littles_law(times_ms in prop::collection::vec(1..400_u64, 1..20), gap_ms in 1..20_u64, from_s in 0..5_u64) {
        let (hold_ms, from_ms) = (20_000, from_s * 1_000);
        let mut totals = Aggregate::default();
        let mut area_ms = 0;
        for (n, start_ms) in (0..from_ms + hold_ms).step_by(gap_ms as usize).enumerate() {
            let time_ms = times_ms[n % times_ms.len()];
            let end_ms = start_ms + time_ms;
            area_ms += end_ms.min(from_ms + hold_ms).saturating_sub(start_ms.max(from_ms));
            let section = if start_ms >= from_ms { Section::Hold } else { Section::Outside };
            let stats = totals.scenarios.get_mut(section, 0);
            stats.started += 1;
            stats.completed += 1;
            stats.iteration_time.record(time_ms * MS);
        }
        totals.load_mut(Section::Hold).in_flight_ns = u128::from(area_ms * MS);
        let gate = littles_law(&totals, 20.0);
        prop_assert!(gate.value.is_some() && gate.holds, "{:?}", gate);
        totals.load_mut(Section::Hold).in_flight_ns = u128::from(area_ms * MS / 4 * 3);
        prop_assert!(!littles_law(&totals, 20.0).holds);
    }
}

#[test]
fn drops_and_few_iterations_are_no_wrong_mix() {
    //  browse  sign-up  dropped  holds
    let cases = [
        (900, 100, 0, true),
        (880, 120, 0, false),
        (880, 120, 20, true),
        (3, 3, 0, true),
        (4, 6, 0, false),
        (1_000, 0, 0, false),
    ];
    for (browse, sign_up, dropped, holds) in cases {
        let mut run = Run::healthy();
        run.start_of(0, browse);
        run.start_of(1, sign_up);
        run.totals.load_mut(Section::Hold).dropped_in_flight_limit = dropped;
        let gate = mix(&run.plan, &run.totals, 0);
        assert_eq!(gate.holds, holds, "{gate:?}");
    }
}

#[test]
fn background_scenarios_have_no_share() {
    let mut run = mixed(&[9.0, 1.0, 0.0], true);
    for (index, started) in [(0, 900), (1, 100), (2, 5_000)] {
        run.start_of(index, started);
    }
    let gate = mix(&run.plan, &run.totals, 0);
    assert!(gate.holds && gate.value == Some(0.0), "{gate:?}");
    let mut alone = mixed(&[1.0], true);
    alone.start_of(0, 10);
    assert_eq!(mix(&alone.plan, &alone.totals, 0).value, None);
}

/// A target that hangs leaves iterations that never end: in the counter, in no time. The injector is not to blame.
#[test]
fn iterations_that_never_end_contradict_nothing() {
    let mut run = Run::healthy();
    run.totals.scenarios.get_mut(Section::Hold, 0).interrupted = 5;
    let load = run.totals.load_mut(Section::Hold);
    load.in_flight_ns += 5 * 10_000_000_000;
    assert!(!littles_law(&run.totals, 10.0).holds, "nobody knows what they waited for");
    run.totals.load_mut(Section::Hold).censored.record_n(10_000_000_000, 5);
    assert!(littles_law(&run.totals, 10.0).holds);
}

#[test]
fn start_delays_are_not_in_flight() {
    let mut run = Run::healthy();
    // Each iteration waited 10 of its 30 ms for a slot.
    let load = run.totals.load_mut(Section::Hold);
    (load.in_flight_ns, load.waited) = (1_000 * 20_000_000, 1_000);
    assert_eq!(littles_law(&run.totals, 10.0).value, None, "delays were not measured");
    run.totals.load_mut(Section::Hold).start_delay_ns = 1_000 * 10_000_000;
    let gate = littles_law(&run.totals, 10.0);
    assert!(gate.holds && gate.value.unwrap() < 1e-3, "{gate:?}");
}

#[test]
fn littles_law_needs_a_hold_of_many_iterations() {
    let run = Run::healthy();
    assert!(littles_law(&run.totals, 0.61).value.is_some());
    assert_eq!(littles_law(&run.totals, 0.59).value, None, "20 × 30 ms");
    let mut few = Run::healthy();
    few.totals.scenarios.get_mut(Section::Hold, 0).iteration_time = Histogram::new();
    few.totals.scenarios.get_mut(Section::Hold, 1).iteration_time = recorded(&[(30 * MS, 99)]);
    assert_eq!(littles_law(&few.totals, 10.0).value, None);
}

/// What a queue was given and did, of 200 s in which the rate grows from nothing to twice what its server can do.
struct Ramp {
    totals: Aggregate,
    course: Course,
    hold: (Nanos, Nanos),
}

/// One server with exponential times of 20 ms on average, first come first served, `slots` iterations in flight at most;
/// the hold begins at `from_s`.
fn ramp(seed: u64, slots: usize, from_s: f64) -> Ramp {
    const LENGTH_S: f64 = 200.0;
    const TOP_PER_S: f64 = 100.0;
    const SERVICE_S: f64 = 0.02;
    let mut random = Random::new(seed);
    let mut totals = Aggregate::default();
    let (mut expected, mut free_s) = (0.0, 0.0_f64);
    let mut ends_s: Vec<f64> = Vec::new();
    // Seconds in flight by second of the clock: what begins and ends in it, and changes of what lasts through it.
    let (mut partly, mut through) = (vec![0.0; LENGTH_S as usize + 1], vec![0.0; LENGTH_S as usize + 1]);
    loop {
        // Arrivals of a ramp: the n-th comes when the integral of the rate is the sum of n exponential steps.
        expected += random.exponential();
        let arrival_s = (2.0 * expected * LENGTH_S / TOP_PER_S).sqrt();
        if arrival_s >= LENGTH_S {
            break;
        }
        let slot_s = ends_s.len().checked_sub(slots).map_or(0.0, |nth| ends_s[nth]);
        let taken_s = arrival_s.max(slot_s);
        free_s = free_s.max(taken_s) + SERVICE_S * random.exponential();
        ends_s.push(free_s);
        let section = if arrival_s >= from_s { Section::Hold } else { Section::Outside };
        let stats = totals.scenarios.get_mut(section, 0);
        (stats.started, stats.completed) = (stats.started + 1, stats.completed + 1);
        stats.iteration_time.record(((free_s - arrival_s) * 1e9) as u64);
        let load = totals.load_mut(section);
        load.waited += u64::from(taken_s > arrival_s);
        load.start_delay_ns += ((taken_s - arrival_s) * 1e9) as u128;
        let (begin_s, end_s) = (taken_s.min(LENGTH_S), free_s.min(LENGTH_S));
        let (begin, end) = (begin_s as usize, end_s as usize);
        partly[begin] += end_s.min(begin_s.floor() + 1.0) - begin_s;
        if end > begin {
            partly[end] += end_s.fract();
            through[begin + 1] += 1.0;
            through[end] -= 1.0;
        }
    }
    let sums = through.iter().scan(0.0, |sum, change| {
        *sum += change;
        Some(*sum)
    });
    let mut in_flight: Vec<f64> = sums.zip(&partly).map(|(through, partly)| through + partly).collect();
    in_flight.pop();
    let first = from_s as usize;
    totals.load_mut(Section::Hold).in_flight_ns = (in_flight[first..].iter().sum::<f64>() * 1e9) as u128;
    let point = |(second, in_flight): (usize, &f64)| Point {
        start_s: second as f64,
        width_s: 1.0,
        in_flight: *in_flight,
        ..Point::default()
    };
    Ramp {
        totals,
        course: Course { points: in_flight.iter().enumerate().map(point).collect(), requests: Vec::new() },
        hold: (Nanos((from_s * 1e9) as u64), Nanos((LENGTH_S * 1e9) as u64)),
    }
}

/// A correct run is never refused, however many iterations its end leaves in flight.
#[test]
fn ramps_to_twice_what_a_target_can_do_obey_littles_law() {
    let mut refused = Vec::new();
    for seed in 0..200 {
        let slots = [usize::MAX, 1_000, 50][seed as usize % 3];
        let from_s = [0.0, 50.0, 150.0, 190.0][seed as usize % 4];
        let run = ramp(seed, slots, from_s);
        let gate = little(&run.totals, &run.course, run.hold);
        if !gate.holds {
            refused.push((seed, gate));
        }
    }
    assert!(refused.is_empty(), "{refused:#?}");
}
