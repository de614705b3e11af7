//! Closed workloads: users, their pauses, their turns.

use std::collections::BTreeMap;

use nmax_metrics::{Nanos, RawSample, Section};
use nmax_plan::schedule::Closed;
use nmax_testkit::plans::{home_page, plan};
use nmax_testkit::sim::{Answer, Call, Options, Queue, Server, instant, reply, simulate};

use crate::{ms, s};

/// Four servers behind a queue; service times differ by request.
fn queue_of_four() -> impl Server {
    let (mut queue, ok) = (Queue::new(4), reply(200));
    move |call: &Call<'_>| Answer::Bytes(queue.admit(call.at, ms(5 + call.number * 7 % 31)), ok.clone())
}

/// Every user's exchanges in order.
fn by_vu(raw: &[RawSample]) -> BTreeMap<u32, Vec<RawSample>> {
    let mut users: BTreeMap<u32, Vec<RawSample>> = BTreeMap::new();
    for raw in raw {
        users.entry(raw.vu).or_default().push(*raw);
    }
    users
}

/// N = X · (R + Z), with N counted by the engine and X, R from its samples.
#[test]
fn littles_law_holds() {
    let keys = "scenarios: { home: { steps: [{ get: / }, { think: 50ms }] } }\nworkload: { closed: { vus: 12 } }";
    let plan = plan(&format!("nmax: 1\ntarget: http://server.test\n{keys}\nduration: 60s"));
    let run = simulate(&plan, queue_of_four(), &Options { workers: 2, ..Options::all() });
    let (hold_s, load) = (60.0, run.totals.load(Section::Hold));
    let n = load.in_flight_ns as f64 / 1e9 / hold_s;
    let stats = run.totals.total(Section::Hold);
    let (x, r_s) = (stats.count() as f64 / hold_s, stats.latencies().response.mean_ns().unwrap() / 1e9);
    assert!((n - 12.0).abs() < 0.01, "{n} in flight on average");
    assert!((x * (r_s + 0.050) / n - 1.0).abs() < 0.005, "N = {n}, X = {x}/s, R = {r_s} s");
    assert_eq!(load.in_flight_max, 6, "never more than its users on each of two workers");
}

#[test]
fn a_user_does_one_thing_at_a_time() {
    let plan = home_page("workload: { closed: { vus: 7 } }\nduration: 5s");
    let run = simulate(&plan, queue_of_four(), &Options::all());
    let users = by_vu(&run.raw);
    assert_eq!(users.keys().copied().collect::<Vec<_>>(), (0..7).collect::<Vec<u32>>());
    for exchanges in users.values() {
        assert_eq!(exchanges[0].sample.intended, Nanos::ZERO);
        for pair in exchanges.windows(2) {
            assert_eq!(pair[1].sample.intended, pair[0].sample.done, "the next one is due when the last is done");
        }
    }
}

#[test]
fn iterations_are_exact() {
    let cases = [(3, 10, 1), (3, 10, 4), (10, 10, 3), (11, 10, 3), (1000, 7, 3), (1, 1, 1)];
    for (iterations, vus, workers) in cases {
        let plan = home_page(&format!("workload: {{ closed: {{ vus: {vus} }}, iterations: {iterations} }}"));
        let run = simulate(&plan, queue_of_four(), &Options { workers, ..Options::all() });
        assert_eq!(run.exchanges(), iterations, "{iterations} by {vus} VUs on {workers} workers");
        assert_eq!(run.whole().scenarios.get(Section::Hold, 0).unwrap().completed, iterations);
    }
}

/// Nobody waits for a turn that will not come.
#[test]
fn pacing_does_not_prolong_a_run_of_iterations() {
    for (iterations, end) in [(10, ms(20)), (15, s(60) + ms(20))] {
        let scenario = "{ home: { pacing: 60s, steps: [{ get: / }] } }";
        let workload = format!("{{ closed: {{ vus: 10 }}, iterations: {iterations} }}");
        let text = format!("nmax: 1\ntarget: http://h.test\nscenarios: {scenario}\nworkload: {workload}");
        let run = simulate(&plan(&text), instant(ms(20)), &Options::all());
        assert_eq!((run.exchanges(), run.end), (iterations, end));
    }
}

#[test]
fn pacing_spaces_starts() {
    for (service, interval) in [(ms(200), s(1)), (ms(1500), ms(1500))] {
        let scenario = "{ home: { pacing: 1s, steps: [{ get: / }] } }";
        let text =
            format!("nmax: 1\ntarget: http://h.test\nscenarios: {scenario}\nworkload: {{ closed: {{ vus: 3 }} }}");
        let run = simulate(&plan(&text), instant(service), &Options::all());
        for exchanges in by_vu(&run.raw).values() {
            assert!(exchanges.len() >= 20);
            for pair in exchanges.windows(2) {
                assert_eq!(pair[1].sample.intended.since(pair[0].sample.intended), interval);
            }
        }
    }
}

#[test]
fn ramps_start_and_end_users_one_by_one() {
    let plan = home_page(
        "workload: { closed: { vus: 10 } }\nstages: [{ ramp: 10s, to: 100% }, { hold: 10s }, { ramp: 10s, to: 0 }]",
    );
    let run = simulate(&plan, instant(ms(100)), &Options { workers: 3, ..Options::all() });
    let schedule = Closed::new(&plan.stages).unwrap();
    for (vu, exchanges) in by_vu(&run.raw) {
        let number = u64::from(vu);
        assert_eq!(exchanges[0].sample.intended, s(number), "VU {vu} begins when the ramp passes it");
        // A ramp down from 10 passes VU v after 10 − v seconds.
        let last = exchanges.last().unwrap().sample.intended;
        let until = s(30 - number);
        assert!(last < until && last + ms(100) >= until, "VU {vu} ended at {last:?}");
        assert!(exchanges.iter().all(|raw| schedule.active(number, raw.sample.intended.0)));
    }
    let hold = run.totals.total(Section::Hold).count();
    assert_eq!(hold, 10 * 100, "ten users for ten seconds, ten each second");
}

/// Pauses between the two requests of an iteration.
fn pauses(think: &str) -> Vec<Nanos> {
    let text = format!(
        "nmax: 1\ntarget: http://h.test\nworkload: {{ closed: {{ vus: 50 }} }}\nduration: 100s\ngraceful_stop: 60s\n\
         scenarios: {{ home: {{ steps: [{{ get: /a }}, {{ think: {think} }}, {{ get: /b }}] }} }}"
    );
    let run = simulate(&plan(&text), instant(ms(10)), &Options::all());
    let mut pauses = Vec::new();
    for exchanges in by_vu(&run.raw).values() {
        for pair in exchanges.windows(2).filter(|pair| pair[0].iteration == pair[1].iteration) {
            pauses.push(pair[1].sample.intended.since(pair[0].sample.done));
        }
    }
    pauses.sort_unstable();
    assert!(pauses.len() > 1500, "{}", pauses.len());
    pauses
}

#[test]
fn think_times_follow_their_laws() {
    assert!(pauses("2s").iter().all(|pause| *pause == s(2)));

    let uniform = pauses("{ min: 1s, max: 3s }");
    assert!(uniform[0] >= s(1) && *uniform.last().unwrap() <= s(3));
    // Kolmogorov and Smirnov: the distance from the law is at most 1.63 / √n at 1 %.
    let n = uniform.len() as f64;
    let distance =
        uniform.iter().enumerate().map(|(rank, pause)| ((pause.as_secs_f64() - 1.0) / 2.0 - rank as f64 / n).abs());
    assert!(distance.fold(0.0, f64::max) < 1.63 / n.sqrt() + 1.0 / n);

    let lognormal = pauses("{ median: 1s, p95: 3s }");
    let n = lognormal.len() as f64;
    for (q, limit_s) in [(0.5, 1.0), (0.95, 3.0)] {
        let below = lognormal.iter().filter(|pause| pause.as_secs_f64() <= limit_s).count() as f64 / n;
        // Long pauses end later, so the last seconds hold a few short ones too many.
        assert!((below - q).abs() < 4.0 * (q * (1.0 - q) / n).sqrt() + 0.01, "{below} are at most {limit_s} s");
    }
}

/// 14 : 5 : 1 in a cycle of 20. Open: exact in each cycle. Closed: exact for each user.
#[test]
fn the_mix_is_exact() {
    let scenarios =
        "scenarios: { a: { steps: [{ get: /a }] }, b: { steps: [{ get: /b }] }, c: { steps: [{ get: /c }] } }";
    let head = format!("nmax: 1\ntarget: http://h.test\n{scenarios}\nworkload: {{ mix: {{ a: 70, b: 25, c: 5 }}, ");
    let open = plan(&format!("{head} open: {{ rate: 100/s }} }}\nduration: 20s"));
    let run = simulate(&open, instant(ms(5)), &Options { workers: 3, ..Options::all() });
    assert_eq!(per_scenario(&run.whole()), [1400, 500, 100]);
    let closed = plan(&format!("{head} closed: {{ vus: 8 }} }}\nduration: 4s"));
    let run = simulate(&closed, instant(ms(100)), &Options { workers: 3, ..Options::all() });
    assert_eq!(per_scenario(&run.whole()), [8 * 28, 8 * 10, 8 * 2]);
}

fn per_scenario(whole: &nmax_metrics::Aggregate) -> Vec<u64> {
    (0..3).map(|index| whole.scenarios.get(Section::Hold, index).unwrap().completed).collect()
}

/// Users whose turn came while the worker was busy, and who never got to start, are due and dropped by the injector.
#[test]
fn users_who_never_got_their_turn_are_counted() {
    let plan = home_page("workload: { closed: { vus: 10 } }\nstages: [{ ramp: 10s, to: 100% }, { hold: 10s }]");
    let options = Options { blocks: vec![(ms(1_001), s(4))], stop_at: Some(ms(2_500)), ..Options::all() };
    let run = simulate(&plan, instant(ms(100)), &options);
    let load = run.load();
    // User v is due at v seconds. 3, 4 and 5 were due before the worker, busy until 5.001 s, heard of the stop.
    assert_eq!((load.dropped_injector, load.dropped_in_flight_limit), (3, 0));
    assert_eq!(load.due, load.started + 3);
    let idle = simulate(&plan, instant(ms(100)), &Options { stop_at: Some(ms(2_500)), ..Options::all() });
    assert_eq!(idle.load().dropped().total(), 0, "those whose turn had not come were not due");
}

/// A server with three workers that keep their connection serves three users; the others wait as long as the load goes
/// on, and what they get in the drain is too late.
#[test]
fn users_without_a_reply_are_counted() {
    let plan = home_page("workload: { closed: { vus: 20 } }\nduration: 10s\ngraceful_stop: 2s");
    let server = |frees: Option<Nanos>| {
        let ok = reply(200);
        move |call: &Call<'_>| match (call.number < 3 || call.at > Nanos::ZERO, frees) {
            (true, _) => Answer::Bytes(call.at + ms(20), ok.clone()),
            (false, Some(at)) => Answer::Bytes(at, ok.clone()),
            (false, None) => Answer::Never,
        }
    };
    for frees in [None, Some(s(11))] {
        let run = simulate(&plan, server(frees), &Options::all());
        let load = run.totals.load(Section::Hold);
        assert_eq!((load.users, load.unserved.count()), (20, 17), "{frees:?}");
        assert_eq!(load.unserved.min_ns(), Some(s(10).0), "{frees:?}");
    }
    let all_served = simulate(&plan, instant(ms(20)), &Options { workers: 3, ..Options::all() });
    let load = all_served.totals.load(Section::Hold);
    assert_eq!((load.users, load.unserved.count()), (20, 0));
}
