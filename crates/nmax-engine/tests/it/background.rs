//! What runs beside the mix changes nothing of it, and keeps its own schedule.

use std::sync::Arc;

use nmax_metrics::{Nanos, RawSample, Section};
use nmax_plan::plan::Plan;
use nmax_plan::schedule::{Arrivals, Open};
use nmax_testkit::plans::{home_page, plan};
use nmax_testkit::sim::{Options, Simulated, instant, simulate};
use proptest::prelude::ProptestConfig;
use proptest::{prop_assert, prop_assert_eq, proptest};

use crate::{changed, ms, s};

const SCENARIOS: &str = "
nmax: 1
target: http://server.test
scenarios:
  a: { steps: [{ get: /a }, { think: { median: 20ms, p95: 90ms } }, { get: /a2 }] }
  b: { steps: [{ get: /b }] }
  batch: { steps: [{ get: /batch }, { think: 5ms }] }
workload:";

/// Two scenarios in the mix, one beside it.
fn beside(workload: &str, background: &str) -> Arc<Plan> {
    plan(&format!(
        "{SCENARIOS} {{ mix: {{ a: 2, b: 1 }}, background: {{ batch: {background} }}, {workload} }}\nduration: 4s\n"
    ))
}

/// Nobody waits for anybody else here.
fn run(plan: &Arc<Plan>, workers: u32) -> Simulated {
    let options = Options { workers, ..Options::all() };
    simulate(plan, instant(ms(3)), &options)
}

/// What the mix did: who, which iteration, what, when.
fn of_the_mix(run: &Simulated) -> Vec<(u32, u64, u16, Nanos, Nanos)> {
    let mix = run.raw.iter().filter(|raw| raw.sample.scenario < 2);
    let mut all: Vec<_> = mix
        .map(|raw: &RawSample| {
            let sample = &raw.sample;
            (raw.vu, raw.iteration, sample.scenario, sample.intended, sample.done)
        })
        .collect();
    all.sort_unstable();
    all
}

/// Law: the mix is the same with and without a background, whoever runs it.
#[test]
fn the_mix_does_not_feel_the_background() {
    for workload in [
        "open: { rate: 40/s, arrivals: poisson, max_in_flight: 60 }",
        "open: { rate: 40/s, max_in_flight: 60 }",
        "closed: { vus: 7 }",
    ] {
        for background in
            ["{ closed: { vus: 5 } }", "{ open: { rate: 100/s, arrivals: poisson, max_in_flight: 20 }, start: 1s }"]
        {
            let with = beside(workload, background);
            let without = changed(&with, |plan| plan.background.clear());
            for workers in [1, 3] {
                let (with, without) = (run(&with, workers), run(&without, workers));
                let case = format!("{workload}, {background}, {workers} workers");
                assert!(of_the_mix(&without).len() > 100, "{case}");
                assert_eq!(of_the_mix(&with), of_the_mix(&without), "{case}");
                assert!(with.exchanges() > without.exchanges(), "{case}");
                let users = |run: &Simulated, is_mix: bool| {
                    let own = run.raw.iter().filter(|raw| (raw.sample.scenario < 2) == is_mix);
                    own.map(|raw| raw.vu).collect::<std::collections::BTreeSet<u32>>()
                };
                assert!(users(&with, true).is_disjoint(&users(&with, false)), "{case}: numbers are nobody else's");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Law: starts of the background are those of its schedule, all workers together; the sums of starts are those of the mix.
    #[test]
    fn the_background_keeps_its_schedule(
        rate in 1..60_u32,
        start_ms in 0..3_000_u64,
        is_poisson in proptest::bool::ANY,
        workers in 1..4_u32,
    ) {
        let law = if is_poisson { "poisson" } else { "even" };
        let background = format!("{{ open: {{ rate: {rate}/s, arrivals: {law}, max_in_flight: 90 }}, start: {start_ms}ms }}");
        let plan = beside("open: { rate: 5/s }", &background);
        let run = run(&plan, workers);
        let stages = &plan.background[0].stages;
        let arrivals = if is_poisson {
            Arrivals::Poisson { seed: nmax_plan::choice::derive(plan.seed, 1) }
        } else {
            Arrivals::Even
        };
        let schedule = Open::new(stages, arrivals).unwrap();
        let want: Vec<Nanos> = (0..).map_while(|n| schedule.offset_ns(n)).map(Nanos).take_while(|at| *at < s(4)).collect();
        let mut got: Vec<Nanos> =
            run.raw.iter().filter(|raw| raw.sample.scenario == 2).map(|raw| raw.sample.intended).collect();
        got.sort_unstable();
        prop_assert!(got.iter().all(|at| *at >= ms(start_ms)));
        prop_assert_eq!(&got, &want);
        let (whole, load) = (run.whole(), run.load());
        let started: u64 = (0..2).filter_map(|n| whole.scenarios.get(Section::Hold, n)).map(|stats| stats.started).sum();
        prop_assert_eq!(whole.scenarios.get(Section::Hold, 2).map_or(0, |stats| stats.started), want.len() as u64);
        prop_assert_eq!((load.started, load.due, load.dropped().total()), (started, started, 0));
    }
}

/// When the mix has done its iterations, the rest ends too, and what it did not start is nobody's loss.
#[test]
fn the_background_ends_with_the_mix() {
    for (workload, iterations) in
        [("closed: { vus: 3 }, iterations: 30", 30), ("open: { rate: 50/s }, iterations: 30", 30)]
    {
        for background in ["{ closed: { vus: 2 } }", "{ open: { rate: 100/s } }"] {
            let plan =
                plan(&format!("{SCENARIOS} {{ mix: {{ a: 1 }}, background: {{ batch: {background} }}, {workload} }}"));
            let run = run(&plan, 1);
            let (whole, case) = (run.whole(), format!("{workload}, {background}"));
            let of = |n: usize| whole.scenarios.get(Section::Hold, n).map_or(0, |stats| stats.started);
            assert_eq!(of(0), iterations, "{case}");
            assert!(of(2) > 10 && run.end < s(10), "{case}: {} until {:?}", of(2), run.end);
            assert_eq!(run.load().dropped().total(), 0, "{case}");
        }
    }
}

/// A background that its users cannot keep up with loses iterations of its own, and they are counted.
#[test]
fn a_background_that_is_too_much_drops() {
    let plan = beside("closed: { vus: 1 }", "{ open: { rate: 500/s, max_in_flight: 1 } }");
    let run = run(&plan, 1);
    let started = run.whole().scenarios.get(Section::Hold, 2).unwrap().started;
    let load = run.load();
    // One iteration takes 8 ms, so 500 of the 2,000 that are due find their user.
    assert!(started.abs_diff(500) < 10, "{started}");
    assert_eq!(load.dropped_in_flight_limit, 2_000 - started);
    assert_eq!(load.due - load.started, load.dropped().total());
}

/// However much starts beside the mix, the share of the mix that did not start is seen.
#[test]
fn the_background_does_not_hide_what_the_mix_lacks() {
    let plan = beside("open: { rate: 500/s, max_in_flight: 1 }", "{ closed: { vus: 20 } }");
    let run = run(&plan, 1);
    let (whole, load) = (run.whole(), run.load());
    let started = |n| whole.scenarios.get(Section::Hold, n).map_or(0, |stats| stats.started);
    assert!(started(2) > 2_000, "{}", started(2));
    assert_eq!((load.due, load.started), (2_000, started(0) + started(1)));
    assert_eq!(load.dropped_in_flight_limit, 2_000 - load.started);
    assert!(load.started < 1_000, "{}", load.started);
}

/// What iterations waited for a user is summed, by brute force over all that ended; users of closed workloads never wait.
#[test]
fn waiting_for_a_user_is_summed() {
    for workload in ["open: { rate: 200/s, max_in_flight: 1 }", "closed: { vus: 3 }"] {
        let plan = home_page(&format!("workload: {{ {workload} }}\nduration: 3s"));
        let run = simulate(&plan, instant(ms(8)), &Options::all());
        let waits = run.raw.iter().map(|raw| {
            let sample = &raw.sample;
            u128::from(sample.sent.unwrap().since(sample.intended).0)
        });
        let (sum, load) = (waits.sum::<u128>(), run.load());
        assert_eq!(load.start_delay_ns, sum, "{workload}");
        assert_eq!(sum > 0, workload.starts_with("open"), "{workload}");
    }
}
