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
        assert_eq!(raw.sample.response_time(), late + ms(2), "request {n}");
        assert_eq!(raw.sample.service_time(), Some(ms(2)), "request {n}");
        assert_eq!(raw.sample.injector_lag(), Some(late), "request {n}");
    }
    let load = run.load();
    assert_eq!((load.injector_lag.max_ns(), load.waited), (Some(ms(50).0), 0));
    assert_eq!((run.exchanges(), load.dropped.total()), (1000, 0));
}

/// Closed users have an intended instant too: the end of the exchange before.
#[test]
fn a_blocked_worker_shows_in_closed_workloads() {
    let plan = home_page("workload: { closed: { vus: 3 } }\nduration: 2s");
    let blocks = vec![(ms(1001), ms(50))];
    let run = simulate(&plan, instant(ms(2)), &Options { blocks, ..Options::all() });
    let whole = run.totals.total(Section::Hold).latencies();
    assert_eq!(whole.service.max_ns(), Some(ms(51).0), "the reply waited in the socket");
    assert_eq!(whole.response.max_ns(), Some(ms(51).0));
}

/// Late at the end is late, not lost.
#[test]
fn a_worker_blocked_over_the_end_starts_what_was_due() {
    let plan = home_page("workload: { open: { rate: 100/s } }\nduration: 10s");
    let blocks = vec![(ms(9_501), ms(1_000))];
    let run = simulate(&plan, instant(ms(2)), &Options { blocks, ..Options::all() });
    assert_eq!((run.exchanges(), run.load().dropped.total()), (1000, 0));
    assert_eq!(run.load().injector_lag.max_ns(), Some(ms(10_501 - 9_510).0));
}

/// The user stops the run while the thread is busy: what was due by the end of that is dropped by the injector.
#[test]
fn what_a_busy_worker_never_started_is_its_own_drop() {
    let plan = home_page("workload: { open: { rate: 100/s } }\nduration: 10s");
    let (blocks, stop_at) = (vec![(ms(4_992), ms(508))], Some(ms(4_995)));
    let run = simulate(&plan, instant(ms(2)), &Options { blocks, stop_at, ..Options::all() });
    let load = run.load();
    assert_eq!((load.due, load.started), (550, 500));
    assert_eq!((load.dropped.injector, load.dropped.in_flight_limit), (50, 0));
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
    assert_eq!((load.dropped.in_flight_limit, load.dropped.injector), (523, 0));
}

/// The classification holds although VUs become free between the end of the load and the end of the run.
#[test]
fn drops_at_the_limit_stay_so_with_many_vus() {
    let plan = home_page("workload: { open: { rate: 1000/s, max_in_flight: 30 } }\nduration: 3s");
    let run = simulate(&plan, instant(ms(100)), &Options { workers: 3, ..Options::all() });
    let load = run.load();
    assert_eq!((load.due, load.dropped.injector), (3000, 0));
    assert_eq!(load.dropped.in_flight_limit + load.started, 3000);
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
    assert_eq!((raw.len(), run.load().dropped.total()), (10_000, 0), "no sample lost, none invented");

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
    assert_eq!(run.whole().scenario(Section::Hold, 0).unwrap().interrupted, 5);
}
