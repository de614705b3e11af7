//! What a stall of the server, of the injector, or a full in-flight limit does to the numbers.

use nmax_metrics::{Nanos, RawSample, Section};
use nmax_testkit::plans::home_page;
use nmax_testkit::sim::{Answer, Call, Freeze, Options, Server, instant, reply, simulate};

use crate::{ms, s};

/// A server with room for everybody, frozen once.
fn frozen(service: Nanos, from: Nanos, to: Nanos) -> impl Server {
    let ok = reply(200);
    move |call: &Call<'_>| Answer::Bytes(Freeze { from, to }.done(call.at, service), ok.clone())
}

/// Begin and end of each request that finds `slots` places, in order of arrival: a recursion that knows no engine.
fn recursion(arrivals: &[Nanos], slots: usize, done: impl Fn(Nanos) -> Nanos) -> Vec<(Nanos, Nanos)> {
    let mut free_at = vec![Nanos::ZERO; slots];
    let serve = |arrival: &Nanos| {
        let slot = free_at.iter_mut().min().unwrap();
        let begin = (*slot).max(*arrival);
        *slot = done(begin);
        (begin, *slot)
    };
    arrivals.iter().map(serve).collect()
}

fn responses(raw: &[RawSample]) -> Vec<Nanos> {
    raw.iter().map(|raw| raw.sample.response_time()).collect()
}

/// At 10/s a stall of 1 s hits ten requests; the k-th waits 1 s − k · 100 ms longer. No other sample appears.
#[test]
fn one_stall_matches_the_closed_form() {
    let plan = home_page("workload: { open: { rate: 10/s } }\nduration: 30s");
    let run = simulate(&plan, frozen(ms(5), s(10), s(11)), &Options::all());
    let expected: Vec<Nanos> =
        (0..300_u64).map(|n| if (100..110).contains(&n) { ms(1005 - 100 * (n - 100)) } else { ms(5) }).collect();
    assert_eq!(responses(&run.by_intended()), expected);
    assert_eq!(run.exchanges(), 300, "no invented samples");
    assert_eq!(run.totals.total(Section::Hold).latencies().response.max_ns(), Some(ms(1005).0));
}

/// HdrHistogram's fixture: 10,000 replies in 1 ms at an interval of 10 ms, then a pause of 100 s.
#[test]
fn coordinated_omission_fixture() {
    let keys = "defaults: { timeout: 5m }\nworkload: { open: { rate: 100/s, max_in_flight: 20000 } }\nduration: 200s";
    let plan = home_page(keys);
    let run = simulate(&plan, frozen(ms(1), s(100), s(200)), &Options::sum());
    let response = run.totals.total(Section::Hold).latencies().response;
    assert_eq!(response.count(), 20_000);
    for (q, expected_s) in [(0.5, 0.001), (0.75, 50.0), (0.99, 98.0)] {
        let found_s = response.quantile_ns(q).unwrap() as f64 / 1e9;
        assert!((found_s / expected_s - 1.0).abs() < 0.002, "q {q}: {found_s} s, not {expected_s} s");
    }
}

/// With one request at a time the server is asked once during the pause, and still nobody's wait is lost.
#[test]
fn one_at_a_time_keeps_every_wait() {
    let plan = home_page("workload: { open: { rate: 100/s, max_in_flight: 1 } }\nduration: 30s");
    let (from, to) = (s(10), s(15));
    let run = simulate(&plan, frozen(ms(1), from, to), &Options::all());
    let raw = run.by_intended();
    let arrivals: Vec<Nanos> = (0..3000).map(|n| ms(10 * n)).collect();
    let oracle = recursion(&arrivals, 1, |begin| Freeze { from, to }.done(begin, ms(1)));
    let expected: Vec<Nanos> = arrivals.iter().zip(&oracle).map(|(arrival, (_, done))| done.since(*arrival)).collect();
    assert_eq!(responses(&raw), expected);
    let slow = raw.iter().filter(|raw| raw.sample.service_time().unwrap() > ms(1)).count();
    assert_eq!(slow, 1, "by service time alone the pause is one sample in 3,000");
    assert!(expected.iter().filter(|response| **response > ms(1)).count() > 500);
}

/// The worker's thread is busy for 50 ms: what was due meanwhile is late, and the injector's own doing.
#[test]
fn a_blocked_worker_shows_in_response_time_and_injector_lag() {
    let plan = home_page("workload: { open: { rate: 100/s } }\nduration: 10s");
    let blocks = vec![(s(5), ms(50))];
    let run = simulate(&plan, instant(ms(2)), &Options { blocks, ..Options::all() });
    for (n, raw) in run.by_intended().iter().enumerate() {
        let late = if (500..505).contains(&n) { ms(50 - 10 * (n as u64 - 500)) } else { Nanos::ZERO };
        let lag = raw.sample.injector_lag().unwrap();
        // The first takes the connection that is there; the others wait for it, or for new ones at a bounded pace.
        let wait_max = if (501..=505).contains(&n) { ms(2) } else { Nanos::ZERO };
        assert!(late <= lag && lag <= late + wait_max, "request {n}: {lag:?}");
        assert_eq!(raw.sample.response_time(), lag + ms(2), "request {n}");
        assert_eq!(raw.sample.service_time(), Some(ms(2)), "request {n}");
    }
    let load = run.load();
    assert_eq!((load.injector_lag.max_ns(), load.waited), (Some(ms(50).0), 0));
    assert_eq!((run.exchanges(), load.dropped().total()), (1000, 0));
}

/// A closed user's reply waits in the socket, and looks like a slow server. The worker's heart knows better, and says how
/// long something that was ready waited: beats are due every 20 ms, those of the absence too.
#[test]
fn a_blocked_worker_is_seen_by_its_heart_in_any_workload() {
    for workload in ["closed: { vus: 3 }", "open: { rate: 100/s }"] {
        let plan = home_page(&format!("workload: {{ {workload} }}\nduration: 2s"));
        let blocks = vec![(ms(1_001), ms(300))];
        let run = simulate(&plan, instant(ms(2)), &Options { blocks, ..Options::all() });
        let load = run.totals.load(Section::Hold);
        assert_eq!(load.stalled, ms(1_301 - 1_020), "{workload}: since the beat that was due at 1,020 ms");
        assert_eq!(load.pickup_delay.max_ns(), Some(ms(281).0), "{workload}");
        let late: u64 = (0..15).map(|n| 281 - 20 * n).sum();
        assert_eq!(load.pickup_delay.exact().sum_ns, u128::from(ms(late).0), "{workload}: 281, 261, .. 1 ms");
        assert!((98..=100).contains(&load.pickup_delay.count()), "{workload}: one beat in 20 ms");
    }
    let plan = home_page("workload: { closed: { vus: 3 } }\nduration: 2s");
    let blocks = vec![(ms(1_001), ms(300))];
    let run = simulate(&plan, instant(ms(2)), &Options { blocks, ..Options::all() });
    let whole = run.totals.total(Section::Hold).latencies();
    assert_eq!(whole.service.max_ns(), Some(ms(301).0), "never taken off a response time");
}

/// A stop of five seconds is in the windows that it covers, and in the hold only as far as it lies there.
#[test]
fn a_stall_belongs_to_the_time_that_it_covers() {
    let plan = home_page("workload: { closed: { vus: 3 } }\nwarm_up: 3s\nduration: 7s");
    let blocks = vec![(ms(1_501), ms(5_000))];
    let run = simulate(&plan, instant(ms(2)), &Options { blocks, ..Options::all() });
    let of = |section: Section| -> Vec<u64> {
        let millis = run.windows.iter().map(|window| window.aggregate.load(section).stalled.0 / 1_000_000);
        millis.take(8).collect()
    };
    assert_eq!(of(Section::Outside), [0, 480, 1_000, 0, 0, 0, 0, 0]);
    assert_eq!(of(Section::Hold), [0, 0, 0, 1_000, 1_000, 1_000, 501, 0]);
    // The first hold ends within a window, and the ramp after it is outside.
    let stages = "[{ hold: 1500ms }, { ramp: 1s, to: 100% }, { hold: 2s }]";
    let plan = home_page(&format!("workload: {{ closed: {{ vus: 3 }} }}\nstages: {stages}"));
    let blocks = vec![(ms(1_401), ms(300))];
    let run = simulate(&plan, instant(ms(2)), &Options { blocks, ..Options::all() });
    let stalled = [Section::Hold, Section::Outside].map(|section| run.totals.load(section).stalled);
    assert_eq!(stalled, [ms(80), ms(201)]);
    // A stall in the drain counts in no section of the hold.
    let plan = home_page("workload: { closed: { vus: 3 } }\nduration: 2s\ngraceful_stop: 5s");
    let blocks = vec![(ms(2_101), ms(1_000))];
    let slow = simulate(&plan, instant(s(3)), &Options { blocks, ..Options::all() });
    assert_eq!(slow.totals.load(Section::Hold).stalled, Nanos::ZERO);
    assert_eq!(slow.totals.load(Section::Outside).stalled, ms(3_101 - 2_120));
}

/// What a busy worker or host does now and then is delay, and no standing still.
#[test]
fn short_absences_are_no_stalls() {
    let plan = home_page("workload: { closed: { vus: 3 } }\nduration: 2s");
    let blocks = (0..20).map(|n| (ms(100 * n + 15), ms(50))).collect();
    let run = simulate(&plan, instant(ms(2)), &Options { blocks, ..Options::all() });
    let load = run.totals.load(Section::Hold);
    assert_eq!((load.stalled, load.pickup_delay.max_ns()), (Nanos::ZERO, Some(ms(45).0)));
}

/// Late at the end is late, not lost.
#[test]
fn a_worker_blocked_over_the_end_starts_what_was_due() {
    let plan = home_page("workload: { open: { rate: 100/s } }\nduration: 10s");
    let blocks = vec![(ms(9_501), ms(1_000))];
    let run = simulate(&plan, instant(ms(2)), &Options { blocks, ..Options::all() });
    assert_eq!((run.exchanges(), run.load().dropped().total()), (1000, 0));
    let longest = Nanos(run.load().injector_lag.max_ns().unwrap());
    assert!(ms(10_501 - 9_510) <= longest && longest < ms(1_000), "{longest:?}");
}

/// The user stops the run while the thread is busy: what was due by the end of that is dropped by the injector.
#[test]
fn what_a_busy_worker_never_started_is_its_own_drop() {
    let plan = home_page("workload: { open: { rate: 100/s } }\nduration: 10s");
    let (blocks, stop_at) = (vec![(ms(4_992), ms(508))], Some(ms(4_995)));
    let run = simulate(&plan, instant(ms(2)), &Options { blocks, stop_at, ..Options::all() });
    let load = run.load();
    assert_eq!((load.due, load.started), (550, 500));
    assert_eq!((load.dropped_injector, load.dropped_in_flight_limit), (50, 0));
}

/// 100/s on one VU that takes 21 ms each: arrivals wait with their intended instant, the rest is dropped.
#[test]
fn a_capped_pool_keeps_what_was_intended() {
    let plan = home_page("workload: { open: { rate: 100/s, max_in_flight: 1 } }\nduration: 10s");
    let run = simulate(&plan, instant(ms(21)), &Options::all());
    let raw = run.by_intended();
    // Request n is sent when the one before is done, at n · 21 ms; the load ends at 10 s.
    assert_eq!(raw.len(), 477);
    for (n, raw) in (0_u64..).zip(&raw) {
        assert_eq!((raw.iteration, raw.sample.intended), (n, ms(10 * n)));
        assert_eq!(raw.sample.sent, Some(ms(21 * n)));
        assert_eq!(raw.sample.injector_lag(), Some(Nanos::ZERO), "waiting for the target is not the injector's");
    }
    let load = run.load();
    assert_eq!((load.due, load.started, load.waited), (1000, 477, 476));
    assert_eq!((load.dropped_in_flight_limit, load.dropped_injector), (523, 0));
}

/// The classification holds although VUs become free between the end of the load and the end of the run.
#[test]
fn drops_at_the_limit_stay_so_with_many_vus() {
    let plan = home_page("workload: { open: { rate: 1000/s, max_in_flight: 30 } }\nduration: 3s");
    let run = simulate(&plan, instant(ms(100)), &Options { workers: 3, ..Options::all() });
    let load = run.load();
    assert_eq!((load.due, load.dropped_injector), (3000, 0));
    assert_eq!(load.dropped_in_flight_limit + load.started, 3000);
    assert_eq!(load.started, run.exchanges());
    assert_eq!(load.in_flight_max, 10, "the limit of each worker");
}

/// 1,000/s, at most 100 in flight, replies in 10 ms, and one stall of 1 s.
#[test]
fn an_in_flight_limit_drains_as_theory_says() {
    let plan = home_page("workload: { open: { rate: 1000/s, max_in_flight: 100 } }\nduration: 10s");
    let (from, to, service) = (s(4), s(5), ms(10));
    let run = simulate(&plan, frozen(service, from, to), &Options::all());
    let raw = run.by_intended();
    assert_eq!((raw.len(), run.load().dropped().total()), (10_000, 0), "no sample lost, none invented");

    let arrivals: Vec<Nanos> = (0..10_000).map(ms).collect();
    let oracle = recursion(&arrivals, 100, |begin| Freeze { from, to }.done(begin, service));
    let expected: Vec<Nanos> = arrivals.iter().zip(&oracle).map(|(arrival, (_, done))| done.since(*arrival)).collect();
    assert_eq!(responses(&raw), expected);

    // Fluid limit. 10 are in flight when the stall begins, so 90 more are sent and 910 wait at its end. The 100 in
    // flight take 10 ms more; from then on 100 / 10 ms are served while 1,000/s arrive.
    let waiting = 1000.0 - 90.0;
    let drained_s = 5.0 + 0.010 + waiting / (100.0 / 0.010 - 1000.0);
    let last = raw.iter().filter(|raw| raw.sample.slot_wait > Nanos::ZERO).map(|raw| raw.sample.sent.unwrap());
    let found_s = last.max().unwrap().as_secs_f64();
    assert!(((found_s - 5.0) / (drained_s - 5.0) - 1.0).abs() < 0.05, "drained at {found_s} s, not {drained_s} s");
    // A request that arrives t into the stall waits for its end, and for those before it: close to a straight line.
    let response = run.totals.total(Section::Hold).latencies().response;
    let slowest_s = response.max_ns().unwrap() as f64 / 1e9;
    assert!((slowest_s / 1.010 - 1.0).abs() < 0.05, "{slowest_s} s");
    let slow = raw.iter().filter(|raw| raw.sample.response_time() > ms(11)).count() as f64;
    assert!((slow / (1000.0 * (drained_s - 4.0)) - 1.0).abs() < 0.05, "{slow} requests saw the stall");
    assert!(raw.iter().all(|raw| raw.sample.injector_lag() == Some(Nanos::ZERO)));
}

/// The server stalls across the end of the run: what is under way is censored with its age, and not an exchange.
#[test]
fn a_stall_across_the_end_shows_as_censored() {
    let plan = home_page("workload: { open: { rate: 10/s } }\nduration: 10s\ngraceful_stop: 2s");
    let run = simulate(&plan, frozen(ms(5), ms(9_490), s(100)), &Options::all());
    assert_eq!((run.exchanges(), run.end), (95, s(12)));
    let censored = run.load().censored;
    assert_eq!(censored.count(), 5);
    assert_eq!((censored.min_ns(), censored.max_ns()), (Some(ms(2_100).0), Some(ms(2_500).0)));
    assert_eq!(run.whole().scenarios.get(Section::Hold, 0).unwrap().interrupted, 5);
}

/// A server of `places` places, each of which serves one request in `service`, first come, first served.
fn queue(places: usize, service: Nanos) -> impl Server {
    let (mut free_at, ok) = (vec![Nanos::ZERO; places], reply(200));
    move |call: &Call<'_>| {
        let place = free_at.iter_mut().min().unwrap();
        *place = (*place).max(call.at) + service;
        Answer::Bytes(*place, ok.clone())
    }
}

/// 30,000/s against a server that does 40,000/s. The worker stands still for 50 ms: 1,500 starts are late, and the spare
/// capacity of 10,000/s works them off in 150 ms, on hardly more connections than without the stall.
#[test]
fn a_stall_is_worked_off_within_the_spare_capacity_and_without_a_storm_of_connections() {
    let plan = home_page("workload: { open: { rate: 30000/s } }\nduration: 1s\npacing_slack: 0s");
    let (service, connect) = (Nanos::from_micros(100), Nanos::from_micros(50));
    let blocks = vec![(ms(500), ms(50))];
    let run = simulate(&plan, queue(4, service), &Options { blocks, connect, ..Options::all() });
    assert_eq!((run.exchanges(), run.load().dropped().total()), (30_000, 0));
    let raw = run.by_intended();
    let late = raw.iter().filter(|raw| raw.sample.injector_lag().unwrap() > ms(1));
    let caught_up = late.map(|raw| raw.sample.sent.unwrap()).max().unwrap().since(ms(550));
    // All but the starts of the last millisecond.
    let expected_s = (1_500.0 - 40.0) / 10_000.0;
    assert!((caught_up.as_secs_f64() / expected_s - 1.0).abs() < 0.2, "worked off in {caught_up:?}");
    // Little's law: 30,000/s of 100 µs and, for a new connection, 50 µs.
    let asked_for = 30_000.0 * 150e-6;
    let opened = run.load().connections;
    assert!(opened as f64 <= 3.0 * asked_for, "{opened} connections for {asked_for}");
    let first_second: Vec<Nanos> = raw[..10_000].iter().map(|raw| raw.sample.response_time()).collect();
    assert!(first_second.iter().all(|response| *response <= ms(1)), "{:?}", first_second.iter().max());
}

/// A target that is slow without any stall gets all users that it takes, at a bounded pace and soon.
#[test]
fn a_slow_target_gets_the_users_that_it_takes() {
    let plan = home_page("workload: { open: { rate: 20000/s } }\nduration: 4s\npacing_slack: 0s");
    // From the second on it takes a hundred times as long.
    let server = |call: &Call<'_>| Answer::Bytes(call.at + if call.at < s(1) { ms(1) } else { ms(100) }, reply(200));
    for (run, users) in
        [(simulate(&plan, instant(ms(100)), &Options::all()), 2_000), (simulate(&plan, server, &Options::all()), 2_000)]
    {
        assert_eq!((run.exchanges(), run.load().dropped().total()), (80_000, 0));
        let opened = run.load().connections;
        assert!((users..=3 * users).contains(&opened), "Little's law asks for {users} users: {opened}");
        let late = run.raw.iter().filter(|raw| raw.sample.injector_lag().unwrap() > ms(1));
        let latest = late.map(|raw| raw.sample.intended).max().unwrap();
        let since_change = if latest > s(1) { latest.since(s(1)) } else { latest };
        assert!(since_change < ms(1_500), "still late after {since_change:?}");
    }
}

/// Starts that are due within the slack share a wake-up: none before it is due, none later than the slack.
#[test]
fn a_slack_delays_by_at_most_itself_and_never_hastens() {
    for (slack, slack_us) in [("pacing_slack: 1ms", 1_000), ("pacing_slack: 0s", 0), ("", 100)] {
        let plan = home_page(&format!("workload: {{ open: {{ rate: 8000/s }} }}\nduration: 1s\n{slack}"));
        let run = simulate(&plan, instant(ms(1)), &Options::all());
        assert_eq!(run.exchanges(), 8_000);
        let slack_ns = Nanos::from_micros(slack_us).0;
        let intended: Vec<Nanos> = run.by_intended().iter().map(|raw| raw.sample.intended).collect();
        assert!(intended.iter().enumerate().all(|(n, at)| at.0 == n as u64 * 125_000), "the schedule stays exact");
        let lags: Vec<u64> = run.raw.iter().map(|raw| raw.sample.injector_lag().unwrap().0).collect();
        let late = lags.iter().filter(|lag| **lag > slack_ns).count();
        // The first milliseconds are those in which users are made.
        assert!(late < 400, "{slack}: {late} later than the slack: {:?}", &lags[..200]);
        assert!(lags.contains(&slack_ns), "{slack}: the first of a wake-up waits for all of it");
    }
}

/// Iterations wait only while as many are in flight as may be, however many workers share them.
#[test]
fn slots_are_one_pool_over_all_workers() {
    let plan = home_page("workload: { open: { rate: 100/s, arrivals: poisson, max_in_flight: 8 } }\nduration: 200s");
    let of = |workers: u32| {
        let run = simulate(&plan, instant(ms(60)), &Options { workers, ..Options::all() });
        assert_eq!((run.exchanges(), run.load().dropped().total()), (run.load().due, 0));
        let waited = run.load().waited;
        let raw = run.by_intended();
        let arrivals: Vec<Nanos> = raw.iter().map(|raw| raw.sample.intended).collect();
        let oracle = recursion(&arrivals, 8, |begin| begin + ms(60));
        let expected: Vec<Nanos> =
            arrivals.iter().zip(&oracle).map(|(arrival, (_, done))| done.since(*arrival)).collect();
        assert_eq!(responses(&raw), expected, "{workers} workers");
        waited
    };
    let waited = [1, 2, 8].map(of);
    assert!(waited[0] > 100 && waited.iter().all(|others| *others == waited[0]), "{waited:?}");
}

/// A target that does half of what is due: what waits before it waits for it, and the injector is not to blame.
#[test]
fn a_saturated_target_is_waited_for() {
    let plan = home_page("workload: { open: { rate: 20000/s } }\nduration: 3s\ngraceful_stop: 1s\npacing_slack: 0s");
    let run = simulate(&plan, queue(4, Nanos::from_micros(400)), &Options::all());
    let load = run.load();
    assert_eq!((load.due, load.dropped_injector), (60_000, 0), "{load:?}");
    assert!(load.waited > 15_000 && load.dropped_in_flight_limit > 15_000, "{load:?}");
    let opened = load.connections;
    assert!(opened < 2_000, "{opened} connections to no avail");
    let response = run.totals.total(Section::Hold).latencies().response;
    let late = run.raw.iter().filter(|raw| raw.sample.injector_lag().unwrap() > ms(50)).count();
    // Those of the first half second, in which too little is known to blame it.
    assert!(late * 3 < run.raw.len(), "{late} of {} by the injector", run.raw.len());
    assert!(response.quantile_ns(0.5).unwrap() > ms(500).0, "the wait is in the response time");
}

/// A server that serves one at a time, 10 ms each, offered 150/s: throughput is what ended in the hold, 100/s, and neither
/// what was due in it nor what came back in the drain. What was due in the warm-up and ended in the hold is in it.
#[test]
fn throughput_beyond_saturation_is_what_ended_in_the_hold() {
    let plan = home_page("workload: { open: { rate: 150/s } }\nwarm_up: 2s\nduration: 4s");
    let (ok, mut free) = (reply(200), Nanos::ZERO);
    let server = move |call: &Call<'_>| {
        free = free.max(call.at) + ms(10);
        Answer::Bytes(free, ok.clone())
    };
    let run = simulate(&plan, server, &Options::all());
    let total = run.totals.total(Section::Hold);
    let within = |raw: &&RawSample| (s(2)..s(6)).contains(&raw.sample.done);
    let ended = run.by_intended().iter().filter(within).count() as u64;
    assert!((399..=401).contains(&ended), "{ended}");
    assert_eq!((total.count(), total.ended_within), (600, ended));
    assert_eq!(run.totals.scenarios.get(Section::Hold, 0).unwrap().ended_within, ended);
    assert_eq!(run.whole().total(Section::Hold).ended_within, 900);
}

/// Ramps between holds are outside, as those before and after: exchanges, starts and the number in flight.
#[test]
fn what_lies_between_holds_is_no_part_of_the_statistics() {
    let plan = home_page(
        "workload: { open: { rate: 100/s } }\nstages: [{ ramp: 1s, to: 100% }, { hold: 4s }, { ramp: 2s, to: 300% }, { hold: 4s }]",
    );
    let run = simulate(&plan, frozen(ms(50), s(100), s(101)), &Options::all());
    let is_held = |at: Nanos| (s(1)..s(5)).contains(&at) || (s(7)..s(11)).contains(&at);
    let raw = run.by_intended();
    let due = raw.iter().filter(|raw| is_held(raw.sample.intended)).count() as u64;
    let ended = raw.iter().filter(|raw| is_held(raw.sample.done)).count() as u64;
    let total = run.totals.total(Section::Hold);
    assert_eq!((due, run.totals.load(Section::Hold).started), (1_600, 1_600));
    assert_eq!((total.count(), total.ended_within), (due, ended));
    let area_s = |raw: &RawSample| {
        let (from, to) = (raw.sample.intended.as_secs_f64(), raw.sample.done.as_secs_f64());
        [(1.0, 5.0), (7.0, 11.0)].map(|(begin, end)| (to.min(end) - from.max(begin)).max(0.0)).iter().sum::<f64>()
    };
    let area: f64 = raw.iter().map(area_s).sum();
    let found = run.totals.load(Section::Hold).in_flight_ns as f64 / 1e9;
    assert!((found - area).abs() < 1e-6, "{found} of {area}");
}
