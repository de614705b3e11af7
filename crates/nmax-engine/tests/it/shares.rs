//! Shares of a run are together the run: requests, users, rows, limits and what is beside the mix, to the last request.

use std::collections::BTreeSet;
use std::sync::Arc;

use nmax_engine::{Run, Settings, worker_count};
use nmax_metrics::{Nanos, Section};
use nmax_plan::plan::Plan;
use nmax_plan::share::Share;
use nmax_testkit::plans::with_files;
use nmax_testkit::sim::{Answer, Call, KeepRequests, Options, Simulated, instant, reply, simulate};
use proptest::prelude::*;

use crate::{ms, s};

const ROWS: u64 = 90;

/// Pages, rows of every kind, pauses and a background.
fn of(pick: &str, workload: &str, end: &str) -> Arc<Plan> {
    let text = format!(
        "nmax: 1\ntarget: http://h.test\ngraceful_stop: 30s\ndata:\n  users: {{ csv: users.csv, pick: {pick} }}\n  \
         items: {{ csv: items.csv, pick: zipf, per: request }}\nscenarios:\n  a: {{ steps: [\n    {{ get: \
         \"/a/${{users.id}}/${{items.id}}?n=${{iteration}}\", name: a, resources: [{}] }},\n    {{ think: {{ min: 3ms, max: 60ms }} }},\n    \
         {{ get: \"/b/${{users.id}}\", name: b }} ] }}\n  beside: {{ steps: [{{ get: \"/beside?n=${{iteration}}\", name: beside }}, \
         {{ think: 30ms }}] }}\nworkload: {{ mix: {{ a: 1 }}, {workload} }}\n{end}\n",
        (0..9).map(|n| format!("/{n}.css")).collect::<Vec<_>>().join(", "),
    );
    let rows = |count: u64| format!("id\n{}\n", (0..count).map(|id| format!("{id:03}")).collect::<Vec<_>>().join("\n"));
    with_files(&text, &[("users.csv", &rows(ROWS)), ("items.csv", &rows(40))])
}

/// A worker in each share, or several, and the shares in proportion to weights of which some are 0.
fn fleets() -> impl Strategy<Value = (Vec<u32>, u32)> {
    let weights = prop::collection::vec(prop_oneof![Just(0_u32), 1..9_u32, 1..50_000_u32], 1..6);
    (weights.prop_filter("all weights are 0", |weights| weights.iter().any(|weight| *weight > 0)), 1..4_u32)
}

fn options(workers: u32) -> Options {
    Options { workers, requests: KeepRequests::All, ..Options::all() }
}

/// What each share does.
fn parts(plan: &Arc<Plan>, (weights, workers): &(Vec<u32>, u32), service: Nanos) -> Vec<(Share, Simulated)> {
    let share = |index| Share::for_injector(index, weights).unwrap();
    let run = |share| {
        let settings =
            Settings { workers: *workers, share, ..Settings::new(Arc::clone(plan), Arc::new(|_, _| Ok(()))) };
        (share, simulate(plan, instant(service), &Options { share, ..options(worker_count(&settings)) }))
    };
    (0..weights.len() as u32).map(share).map(run).collect()
}

/// Every request with the instant of its sending.
fn sent<'a>(runs: impl IntoIterator<Item = &'a Simulated>) -> Vec<(Nanos, Vec<u8>)> {
    let all = runs.into_iter().flat_map(|run| &run.transcript);
    let mut all: Vec<_> = all.map(|sent| (sent.at, sent.bytes.clone())).collect();
    all.sort_unstable();
    all
}

fn loads(parts: &[(Share, Simulated)], of: impl Fn(&Simulated) -> u64) -> u64 {
    parts.iter().map(|(_, run)| of(run)).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Law: the requests of all shares are those of the run, at the same instants.
    #[test]
    fn requests_of_all_shares_are_those_of_the_run(
        fleet in fleets(),
        workload in prop::sample::select(vec![
            "open: { rate: 30/s, arrivals: poisson }",
            "open: { rate: 25/s }, background: { beside: { closed: { vus: 5 } } }",
            "open: { rate: 20/s }, background: { beside: { open: { rate: 33/s, arrivals: poisson }, start: 1s } }",
            "closed: { vus: 7 }",
            "closed: { vus: 4 }, background: { beside: { open: { rate: 33/s } } }",
        ]),
        pick in prop::sample::select(vec!["sequential", "random", "zipf"]),
    ) {
        let plan = of(pick, workload, "duration: 3s");
        let (alone, parts) = (simulate(&plan, instant(ms(9)), &options(1)), parts(&plan, &fleet, ms(9)));
        prop_assert!(alone.transcript.len() > 300);
        prop_assert_eq!(sent(parts.iter().map(|(_, run)| run)), sent([&alone]));
        let due = |run: &Simulated| run.totals.load(Section::Hold).due;
        prop_assert_eq!(loads(&parts, due), due(&alone));
        // A user is of one share, and belongs to one iteration at a time.
        let users: Vec<BTreeSet<u32>> = parts.iter().map(|(_, run)| run.raw.iter().map(|raw| raw.vu).collect()).collect();
        let all: BTreeSet<u32> = users.iter().flatten().copied().collect();
        prop_assert_eq!(all.len(), users.iter().map(BTreeSet::len).sum::<usize>());
        if workload.starts_with("closed") {
            let closed = |vu: &&u32| **vu < plan.closed_schedule().unwrap().vus_max() as u32;
            prop_assert_eq!(all.iter().filter(closed).count() as u64, plan.closed_schedule().unwrap().vus_max());
        }
    }

    /// Law: a number of iterations is done by all shares together, whatever they take.
    #[test]
    fn iterations_sum_to_the_limit(fleet in fleets(), count in 1..400_u64, vus in 1..30_u32, is_open: bool) {
        let workload = if is_open { "open: { rate: 90/s }".to_owned() } else { format!("closed: {{ vus: {vus} }}") };
        let plan = of("sequential", &format!("{workload}, iterations: {count}"), "");
        let parts = parts(&plan, &fleet, ms(9));
        prop_assert_eq!(loads(&parts, |run| run.load().started), count);
        let numbers = parts.iter().flat_map(|(_, run)| run.raw.iter().filter(|raw| is_named(run, raw, "b")));
        let numbers: Vec<u64> = numbers.map(|raw| raw.iteration).collect();
        prop_assert_eq!(numbers.iter().collect::<BTreeSet<_>>().len() as u64, count, "each has a number of its own");
        prop_assert_eq!(numbers.len() as u64, count);
    }

    /// Law: rows that are given out once are given out once over all shares: in open workloads all of them, in order of their
    /// iterations, and nothing is started beyond the last.
    #[test]
    fn unique_rows_are_given_out_once(fleet in fleets(), vus in 1..12_u32, is_open: bool) {
        let workload = if is_open { "open: { rate: 60/s }".to_owned() } else { format!("closed: {{ vus: {vus} }}") };
        let plan = of("unique", &workload, "duration: 60s");
        let parts = parts(&plan, &fleet, ms(9));
        let rows: Vec<u64> = parts.iter().flat_map(|(_, run)| run.raw.iter().filter(|raw| is_named(run, raw, "a")).map(|raw| raw.iteration)).collect();
        let told: BTreeSet<u64> = rows.iter().copied().collect();
        prop_assert_eq!((told.len(), told.last() < Some(&ROWS)), (rows.len(), true));
        if is_open {
            prop_assert_eq!(rows.len() as u64, ROWS);
            prop_assert!(parts.iter().all(|(_, run)| run.load().dropped().total() == 0));
        }
        for (share, run) in parts.iter().filter(|(share, _)| share.count_below(u64::from(vus)) > 0) {
            prop_assert!(run.ended_early.is_some() && run.end < s(30), "{:?} ends when its rows do", share);
        }
    }

    /// Law: of a target that never answers, all shares together have as many iterations in flight as the plan allows, beside
    /// the mix too, and each has its part.
    #[test]
    fn limits_in_flight_sum_to_those_of_the_plan(fleet in fleets(), most in 1..60_u64, beside in 1..40_u64) {
        let workload = format!(
            "open: {{ rate: 300/s, max_in_flight: {most} }}, background: {{ beside: {{ open: {{ rate: 200/s, max_in_flight: {beside} }} }} }}"
        );
        let plan = of("random", &workload, "duration: 2s");
        let (weights, workers) = &fleet;
        let mut asked = 0;
        for index in 0..weights.len() as u32 {
            let share = Share::for_injector(index, weights).unwrap();
            let run = simulate(&plan, |_: &Call<'_>| Answer::Never, &Options { share, ..options(*workers) });
            let own = share.count_below(most) + share.count_below(beside);
            let sent = run.transcript.iter().filter(|sent| sent.at < s(3)).count() as u64;
            prop_assert_eq!(sent, own, "share {}", index);
            asked += own;
        }
        prop_assert_eq!(asked, most + beside);
    }
}

fn is_named(run: &Simulated, raw: &nmax_metrics::RawSample, name: &str) -> bool {
    run.catalog.requests.name(raw.sample.name) == name
}

/// A share of which nothing may be in flight is refused before any load, and one without anything to start is not.
#[test]
fn a_share_without_a_slot_is_refused() {
    let beside = "background: { beside: { open: { rate: 1/s, max_in_flight: 2 } } }";
    let plan = of("random", &format!("open: {{ rate: 30/s, max_in_flight: 3 }}, {beside}"), "duration: 1s");
    let refused = [[1, 1, 1], [1, 1, 0], [1, 0, 0]].map(|weights| {
        let prepare = |index| {
            let share = Share::for_injector(index, &weights).unwrap();
            Run::prepare(&Settings { share, ..Settings::new(Arc::clone(&plan), Arc::new(|_, _| Ok(()))) })
        };
        (0..3).filter_map(|index| prepare(index).err()).map(|error| error.to_string()).collect::<Vec<_>>()
    });
    assert!(matches!(&refused[0][..], [why] if why.starts_with("this part of the run has none of the 2 iterations")));
    assert_eq!(refused[1..], [vec![], vec![]] as [Vec<String>; 2]);
}

/// How long a worker sleeps, and how soon it makes users, goes by the starts of its own share.
#[test]
fn starts_are_as_far_apart_as_those_of_the_share() {
    let plan = of("random", "open: { rate: 40k/s }", "duration: 100ms");
    let lags = |weights: &[u32]| {
        let share = Share::for_injector(0, weights).unwrap();
        let ok = reply(200);
        let server = move |call: &Call<'_>| Answer::Bytes(call.at + ms(1), ok.clone());
        let run = simulate(&plan, server, &Options { share, ..Options::sum() });
        let whole = run.whole();
        whole.load(Section::Hold).injector_lag.max_ns()
    };
    assert!(lags(&[1]) > Some(Nanos::ZERO.0), "several starts share a wake-up");
    assert_eq!(lags(&[1, 19]), Some(0), "2,000 starts a second are waited for one by one");
}
