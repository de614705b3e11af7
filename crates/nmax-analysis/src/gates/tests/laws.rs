//! Laws of the gates of the mix and of Little, by simulation of correct runs.

use nmax_metrics::Aggregate;
use nmax_plan::mix::Mix;
use nmax_plan::plan::Scenario;
use proptest::prelude::*;

use super::*;
use crate::fixture::scenario;

fn mixed(weights: &[f64], is_open: bool) -> Run {
    let mut run = if is_open {
        Run::healthy()
    } else {
        Run::healthy().closed()
    };
    let each = weights.iter().enumerate();
    run.plan.scenarios = each
        .map(|(index, weight)| Scenario {
            weight: *weight,
            ..scenario(&format!("s{index}"), "home", "shows items")
        })
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
        (first..first + n).for_each(|n| run.totals.scenario_mut(Section::Hold, mix_of.pick_open(seed, n)).started += 1);
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
                run.totals.scenario_mut(Section::Hold, picked).started += 1;
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
            if start_ms >= from_ms {
                let stats = totals.scenario_mut(Section::Hold, 0);
                stats.started += 1;
                stats.completed += 1;
                stats.iteration_time.record(time_ms * MS);
            }
        }
        totals.load_mut(Section::Hold).in_flight_ns = u128::from(area_ms * MS);
        let gate = little(&totals, 20.0);
        prop_assert!(gate.value.is_some() && gate.holds, "{:?}", gate);
        totals.load_mut(Section::Hold).in_flight_ns = u128::from(area_ms * MS / 4 * 3);
        prop_assert!(!little(&totals, 20.0).holds);
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
        run.totals.load_mut(Section::Hold).dropped.in_flight_limit = dropped;
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
    run.totals.scenario_mut(Section::Hold, 0).interrupted = 5;
    let load = run.totals.load_mut(Section::Hold);
    load.in_flight_ns += 5 * 10_000_000_000;
    assert!(!little(&run.totals, 10.0).holds, "nobody knows what they waited for");
    run.totals.load_mut(Section::Hold).censored.record_n(10_000_000_000, 5);
    assert!(little(&run.totals, 10.0).holds);
}

#[test]
fn start_delays_are_not_in_flight() {
    let mut run = Run::healthy();
    // Each iteration waited 10 of its 30 ms for a slot.
    let load = run.totals.load_mut(Section::Hold);
    (load.in_flight_ns, load.waited) = (1_000 * 20_000_000, 1_000);
    assert_eq!(little(&run.totals, 10.0).value, None, "delays were not measured");
    run.totals.load_mut(Section::Hold).start_delay_ns = 1_000 * 10_000_000;
    let gate = little(&run.totals, 10.0);
    assert!(gate.holds && gate.value.unwrap() < 1e-3, "{gate:?}");
}

#[test]
fn littles_law_needs_a_hold_of_many_iterations() {
    let run = Run::healthy();
    assert!(little(&run.totals, 0.61).value.is_some());
    assert_eq!(little(&run.totals, 0.59).value, None, "20 × 30 ms");
    let mut few = Run::healthy();
    few.totals.scenario_mut(Section::Hold, 0).iteration_time = Histogram::new();
    few.totals.scenario_mut(Section::Hold, 1).iteration_time = of(&[(30 * MS, 99)]);
    assert_eq!(little(&few.totals, 10.0).value, None);
}
