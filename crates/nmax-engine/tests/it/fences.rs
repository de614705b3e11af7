//! A part of a run that begins later, or ends earlier, than its plan: what another process does or did of it.

use std::sync::Arc;

use nmax_metrics::{Nanos, Section};
use nmax_plan::plan::Plan;
use nmax_plan::schedule::Closed;
use nmax_plan::share::Share;
use nmax_testkit::plans::{home_page, plan};
use nmax_testkit::sim::{Call, KeepRequests, Options, Simulated, instant, reply_with, simulate};
use proptest::prelude::*;

use crate::{ms, s};

/// Open workloads whose load takes 6 s, the last one at a rate at which one wake-up serves several starts.
const OPEN: [&str; 4] = [
    "open: { rate: 70/s }, mix: { a: 2, b: 1 }",
    "open: { rate: 60/s, arrivals: poisson }, mix: { a: 1, b: 1 }, background: { c: { open: { rate: 31/s, arrivals: poisson }, start: 1s } }",
    "open: { rate: 40/s }, mix: { a: 1 }, background: { c: { closed: { vus: 3 } } }",
    "open: { rate: 9000/s }, mix: { a: 1, b: 3 }",
];
const STAGES: [&str; 2] = ["duration: 6s", "stages: [{ ramp: 2s, to: 100% }, { hold: 3s }, { ramp: 1s, to: 10% }]"];

fn of(workload: &str, stages: &str) -> Arc<Plan> {
    plan(&format!(
        "nmax: 1\ntarget: http://h.test\nscenarios:\n  a: {{ steps: [{{ get: /a }}] }}\n  b: {{ steps: [{{ get: /b }}] }}\n  \
         c: {{ steps: [{{ get: /c }}, {{ think: 40ms }}] }}\nworkload: {{ {workload} }}\n{stages}\n"
    ))
}

/// Iterations of open workloads: of the mix or beside it, number, when due.
fn starts(run: &Simulated, plan: &Plan) -> Vec<(u16, u64, Nanos)> {
    let is_open = |scenario: u16| {
        let beside = plan.background.iter().find(|beside| beside.scenario == usize::from(scenario));
        beside.is_none_or(|beside| matches!(beside.workload, nmax_plan::plan::Workload::Open { .. }))
    };
    let raw = run.raw.iter().filter(|raw| is_open(raw.sample.scenario));
    let mut all: Vec<_> = raw.map(|raw| (raw.sample.scenario, raw.iteration, raw.sample.intended)).collect();
    all.sort_unstable();
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Law: a part that ends at a fence and one that begins there start together what one uninterrupted run starts: the same
    /// iterations at the same instants, none twice and none missing; and their windows are those of the run.
    #[test]
    fn two_parts_start_what_one_run_does(
        workload in 0..OPEN.len(),
        stages in 0..STAGES.len(),
        at in 0..7_u64,
        workers in 1..4_u32,
        weights in prop::collection::vec(1..9_u32, 1..4),
    ) {
        let plan = of(OPEN[workload], STAGES[stages]);
        let share = Share::for_injector(0, &weights).unwrap();
        let all = Options { workers, share, ..Options::all() };
        let whole = simulate(&plan, instant(ms(7)), &all);
        let first = simulate(&plan, instant(ms(7)), &Options { fence: s(at), ..all.clone() });
        let second = simulate(&plan, instant(ms(7)), &Options { from: s(at), ..all });
        let mut both = [starts(&first, &plan), starts(&second, &plan)].concat();
        both.sort_unstable();
        prop_assert_eq!(both, starts(&whole, &plan));
        prop_assert!(first.raw.iter().all(|raw| raw.sample.sent.unwrap() < s(at)));
        prop_assert!(second.raw.iter().all(|raw| raw.sample.intended >= s(at)));
        let due = |run: &Simulated, section| run.totals.load(section).due;
        for section in Section::ALL {
            prop_assert_eq!(due(&first, section) + due(&second, section), due(&whole, section), "{:?}", section);
        }
        let load = [first.load(), second.load()];
        prop_assert_eq!((load[0].dropped().total(), load[1].dropped().total()), (0, 0));
        let indices = |run: &Simulated| run.windows.iter().map(|window| window.index).collect::<Vec<_>>();
        prop_assert!(indices(&second).into_iter().eq((at..).take(second.windows.len())), "{:?}", indices(&second));
        prop_assert!(first.end <= s(at) + ms(40), "{:?}", first.end);
    }

    /// Law: whatever a worker was doing when it was stopped, it sends nothing when it wakes after the fence, in any workload.
    /// What it began is told: completed or interrupted.
    #[test]
    fn nothing_is_sent_after_the_fence(
        kind in 0..5_usize,
        fence_ms in 1..3_000_u64,
        before_ms in 0..200_u64,
        span in prop_oneof![Just(0_u64), 1..60_000_u64],
        workers in 1..3_u32,
    ) {
        let plan = plan(&format!(
            "nmax: 1\ntarget: http://h.test\nscenarios:\n  a: {{ {} }}\nworkload: {{ {} }}\nduration: 4s\ndefaults: {{ redirects: 3 }}\n",
            [
                "steps: [{ get: / }, { get: /next }]",
                "setup: [{ get: /in }], teardown: [{ get: /out }], steps: [{ get: / }, { think: 30ms }, { get: /next }]",
                "steps: [{ get: /, resources: [/1.css, /2.css, /3.css, /4.css, /5.css, /6.css, /7.css, /8.css] }]",
                "steps: [{ get: /to }]",
                "pacing: 300ms, steps: [{ get: / }]",
            ][kind],
            if fence_ms % 2 == 0 || kind == 4 { "closed: { vus: 5 }" } else { "open: { rate: 55/s }" }
        ));
        let server = |call: &Call<'_>| {
            let reply = if call.target() == "/to" { reply_with(302, "location: /next\r\n", "") } else { reply_with(200, "", "") };
            nmax_testkit::sim::Answer::Bytes(call.at + ms(25), reply)
        };
        let fence = ms(fence_ms);
        let blocks = vec![(fence.since(ms(before_ms)), ms(before_ms + span))];
        let options = Options { workers, fence, blocks, connect: ms(11), requests: KeepRequests::All, ..Options::all() };
        let run = simulate(&plan, server, &options);
        let late: Vec<_> = run.transcript.iter().filter(|sent| sent.at >= fence).collect();
        prop_assert!(late.is_empty(), "{:?}", late);
        let (whole, load) = (run.whole(), run.load());
        let stats = whole.scenarios.get(Section::Hold, 0).cloned().unwrap_or_default();
        prop_assert_eq!(stats.started, stats.completed + stats.interrupted);
        prop_assert!(run.raw.iter().all(|raw| raw.sample.sent.is_some()), "what was not sent is not an exchange");
        prop_assert_eq!(load.due, load.started + load.dropped().total());
        // Waiting is of the hold until the fence, and no longer.
        let hold = run.totals.load(Section::Hold).in_flight_ns;
        let most = u128::from(load.in_flight_max) * u128::from(workers);
        prop_assert!(hold <= u128::from(fence.0 + 1) * most, "{} ns", hold);
    }
}

/// It may be moved as long as no worker has reached it, and all workers end at the same instant.
#[test]
fn a_fence_is_moved_until_it_is_reached() {
    let plan = home_page("workload: { open: { rate: 100/s } }\nduration: 1h");
    let moved = |fences: &[(u64, u64)]| {
        let fences = fences.iter().map(|(at, to)| (ms(*at), ms(*to))).collect();
        let run = simulate(&plan, instant(ms(2)), &Options { workers: 3, fence: s(5), fences, ..Options::all() });
        run.by_intended().last().unwrap().sample.intended
    };
    assert_eq!(moved(&[]), ms(4_990));
    assert_eq!(moved(&[(1_000, 8_000), (4_999, 9_000)]), ms(8_990), "later");
    assert_eq!(moved(&[(1_000, 2_500)]), ms(2_490), "earlier");
    assert_eq!(moved(&[(3_000, 2_000)]), ms(2_990), "at once");
    assert_eq!(moved(&[(5_000, 9_000), (6_000, 9_000)]), ms(4_990), "too late");
}

/// What is under way at the fence ends as after a stop: exchanges may end, and are cut off after the grace.
#[test]
fn what_is_under_way_at_the_fence_ends_as_after_a_stop() {
    let plan = home_page("workload: { closed: { vus: 4 } }\ngraceful_stop: 2s\nduration: 1h");
    let run = simulate(&plan, instant(ms(700)), &Options { fence: s(3), ..Options::all() });
    assert_eq!((run.exchanges(), run.load().censored.count(), run.end), (20, 0, ms(3_500)));
    let run = simulate(&plan, instant(s(8)), &Options { fence: s(3), ..Options::all() });
    assert_eq!((run.exchanges(), run.load().censored.count()), (0, 4));
    assert!(run.end >= s(5) && run.end <= ms(5_040), "{:?}", run.end);
}

/// A user whose turn came while its worker was stopped does not begin when that wakes after the fence.
#[test]
fn a_turn_that_came_while_the_worker_was_stopped_is_not_taken() {
    for scenario in ["pacing: 445ms, steps: [{ get: / }]", "steps: [{ get: / }, { think: 440ms }]"] {
        let text = format!("nmax: 1\ntarget: http://h.test\nscenarios: {{ a: {{ {scenario} }} }}");
        let plan = plan(&format!("{text}\nworkload: {{ closed: {{ vus: 3 }} }}\nduration: 1h"));
        let options = Options { fence: ms(895), blocks: vec![(ms(885), s(60))], ..Options::all() };
        let run = simulate(&plan, instant(ms(5)), &options);
        assert_eq!((run.load().started, run.exchanges()), (6, 6), "{scenario}");
    }
}

/// Users of a closed workload start afresh where a part begins, as many as are active by then.
#[test]
fn closed_users_start_afresh() {
    let plan = home_page("workload: { closed: { vus: 8 } }\nstages: [{ ramp: 4s, to: 100% }, { hold: 4s }]");
    let run = simulate(&plan, instant(ms(100)), &Options { from: s(2), ..Options::all() });
    let begun = |at| run.raw.iter().filter(|raw| raw.sample.intended == at).count();
    let active = Closed::new(&plan.stages).unwrap().level_at(s(2).0);
    assert_eq!((begun(s(2)) as u64, active), (active, 5), "half of them are active, and one begins now");
    let first = run.by_intended().into_iter().take(active as usize).map(|raw| (u64::from(raw.vu), raw.iteration));
    assert!(first.eq((0..active).map(|vu| (vu, vu))));
    assert_eq!((run.windows[0].index, run.load().users, run.load().dropped().total()), (2, 8, 0));
}
