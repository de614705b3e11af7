//! Open workloads start what the schedule says, when it says so.

use nmax_engine::schedule::source::open_schedule;
use nmax_metrics::{Nanos, Section};
use nmax_plan::plan::Arrivals;
use nmax_plan::schedule::Total;
use nmax_plan::share::Share;
use nmax_testkit::plans::home_page;
use nmax_testkit::sim::{Options, instant, simulate};
use proptest::prelude::*;

use crate::{ms, s};

/// Up in 10 minutes, 40 minutes at 20/s, down in 10: the area is 20/s · (300 + 2,400 + 300) s.
#[test]
fn an_hour_gives_exactly_the_planned_count() {
    for (arrivals, workers) in [("even", 1), ("poisson", 3)] {
        let plan = home_page(&format!(
            "workload: {{ open: {{ rate: 20/s, arrivals: {arrivals} }} }}\nwindow: 60s\n\
             stages: [{{ ramp: 10m, to: 100% }}, {{ hold: 40m }}, {{ ramp: 10m, to: 0 }}]"
        ));
        let run = simulate(&plan, instant(ms(3)), &Options { workers, ..Options::sum() });
        assert_eq!(run.exchanges(), 60_000, "{arrivals}");
        let hold = run.totals.total(Section::Hold).count();
        assert!(hold.abs_diff(48_000) <= 1, "{arrivals}: {hold} in the hold");
        let (load, all) = (run.load(), run.whole().total(Section::Hold).latencies());
        assert_eq!((load.due, load.started, load.dropped().total()), (60_000, 60_000, 0));
        assert_eq!(all.send_lag.max_ns(), Some(0), "a clock without delays has no lag");
        assert_eq!((all.response.min_ns(), all.response.max_ns()), (Some(ms(3).0), Some(ms(3).0)));
        assert!(run.end <= s(3600) + ms(3), "{:?}", run.end);
    }
}

/// The same for the rate that the engine is built for: 72 million iterations, in release builds only.
#[cfg(not(debug_assertions))]
#[test]
fn an_hour_at_full_rate() {
    let plan = home_page("workload: { open: { rate: 20k/s } }\nduration: 1h\nwindow: 1s");
    let run = simulate(&plan, instant(ms(3)), &Options::sum());
    assert_eq!(run.exchanges(), 72_000_000);
}

#[test]
fn even_arrivals_are_even() {
    let plan = home_page("workload: { open: { rate: 250/s } }\nduration: 4s");
    let run = simulate(&plan, instant(ms(1)), &Options { workers: 3, ..Options::all() });
    let intended: Vec<Nanos> = run.by_intended().iter().map(|raw| raw.sample.intended).collect();
    let expected: Vec<Nanos> = (0..1000).map(|n| ms(4 * n)).collect();
    assert_eq!(intended, expected);
}

/// Gaps of a Poisson process are exponential, whatever the workers and the server do.
#[test]
fn poisson_arrivals_have_exponential_gaps() {
    let plan = home_page("workload: { open: { rate: 200/s, arrivals: poisson, max_in_flight: 50 } }\nduration: 20s");
    let run =
        simulate(&plan, instant(ms(180)), &Options { workers: 3, blocks: vec![(s(4), ms(800))], ..Options::all() });
    let intended: Vec<f64> = run.by_intended().iter().map(|raw| raw.sample.intended.as_secs_f64()).collect();
    assert_eq!(intended.len(), 4_000);
    let mut gaps: Vec<f64> = intended.windows(2).map(|pair| pair[1] - pair[0]).collect();
    gaps.sort_unstable_by(f64::total_cmp);
    // Kolmogorov and Smirnov: the distance from the law is at most 1.63 / √n at 1 %.
    let n = gaps.len() as f64;
    let distance = |(rank, gap): (usize, &f64)| (1.0 - (-200.0 * gap).exp() - rank as f64 / n).abs();
    let worst = gaps.iter().enumerate().map(distance).fold(0.0, f64::max);
    assert!(worst < 1.63 / n.sqrt() + 1.0 / n, "{worst}");
}

#[test]
fn injectors_share_a_run_without_gap_or_overlap() {
    let plan = home_page("workload: { open: { rate: 100/s } }\nduration: 6s");
    let mut numbers = Vec::new();
    for injector in 0..3 {
        let share = Share::for_injector(injector, &[1, 2, 3]).unwrap();
        let run = simulate(&plan, instant(ms(1)), &Options { share, workers: 2, ..Options::all() });
        assert_eq!(run.exchanges(), 100 * (u64::from(injector) + 1));
        numbers.extend(run.raw.iter().map(|raw| raw.iteration));
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (0..600).collect::<Vec<u64>>());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Limits of a run are shared out to the last one: slots of iterations in flight, and iterations of closed users.
    #[test]
    fn injectors_share_limits_without_gap_or_overlap(
        weights in proptest::collection::vec(1_u32..5, 1..5), slots in 1_u64..50, vus in 1_u64..20, iterations in 1_u64..300, workers in 1_u32..3,
    ) {
        // A server that never answers fills the slots.
        let open = format!("workload: {{ open: {{ rate: 200/s, max_in_flight: {slots} }} }}\nduration: 3s\ngraceful_stop: 1s");
        let closed = format!("workload: {{ closed: {{ vus: {vus} }}, iterations: {iterations} }}");
        let (open, closed) = (home_page(&open), home_page(&closed));
        let (mut in_flight, mut exchanges) = (0, 0);
        for injector in 0..weights.len() as u32 {
            let share = Share::for_injector(injector, &weights).unwrap();
            let run = simulate(&open, instant(s(3_600)), &Options { share, ..Options::all() });
            in_flight += run.load().in_flight_max;
            let run = simulate(&closed, instant(ms(5)), &Options { share, workers, ..Options::all() });
            exchanges += run.exchanges();
        }
        prop_assert_eq!((in_flight, exchanges), (slots, iterations));
    }
}

#[test]
fn iterations_end_an_open_run() {
    let plan = home_page("workload: { open: { rate: 1000/s }, iterations: 777 }");
    let run = simulate(&plan, instant(ms(1)), &Options { workers: 3, ..Options::all() });
    assert_eq!((run.exchanges(), run.load().dropped().total()), (777, 0));
    assert!(run.end < s(1), "{:?}", run.end);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// Law: what was started is the integral of the rate, whatever the stages, workers, law and speed.
    #[test]
    fn started_is_the_integral_of_the_rate(
        rate in 1_u32..60,
        levels in proptest::collection::vec((1_u32..3_000, 0_u32..150), 1..5),
        is_poisson: bool,
        workers in 1_u32..5,
        service_ms in 0_u64..400,
    ) {
        let mut area = 0.0;
        let mut before = 0.0;
        let mut stages = Vec::new();
        for (length_ms, percent) in &levels {
            let level = f64::from(rate) * f64::from(*percent) / 100.0;
            area += (before + level) / 2.0 * f64::from(*length_ms) / 1e3;
            before = level;
            stages.push(format!("{{ ramp: {length_ms}ms, to: {percent}% }}"));
        }
        prop_assume!(levels.iter().any(|(_, percent)| *percent > 0));
        let arrivals = if is_poisson { "poisson" } else { "even" };
        let plan = home_page(&format!(
            "workload: {{ open: {{ rate: {rate}/s, arrivals: {arrivals} }} }}\nstages: [{}]",
            stages.join(", ")
        ));
        let run = simulate(&plan, instant(ms(service_ms)), &Options { workers, ..Options::all() });
        let law = if is_poisson { Arrivals::Poisson } else { Arrivals::Even };
        let total = open_schedule(&plan, law).unwrap().total();
        prop_assert_eq!(Total::Finite(run.exchanges()), total);
        prop_assert!((run.exchanges() as f64 - area).abs() < 1.0 + levels.len() as f64, "area {}", area);
        prop_assert!(run.raw.iter().all(|raw| raw.sample.injector_lag() == Some(Nanos::ZERO)));
    }
}
