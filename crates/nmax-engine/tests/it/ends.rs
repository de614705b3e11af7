//! How runs and iterations end: in time, stopped, cut off, out of data, without a reply.

use nmax_metrics::{ErrorKind, Nanos, Outcome, Section};
use nmax_testkit::plans::{home_page, plan, with_files};
use nmax_testkit::sim::{Answer, Call, KeepRequests, Options, instant, reply, reply_with, simulate};

use crate::{ms, s};

#[test]
fn what_is_under_way_at_the_end_may_finish() {
    let plan = home_page("workload: { open: { rate: 10/s } }\nduration: 5s");
    let run = simulate(&plan, instant(ms(500)), &Options::all());
    assert_eq!((run.exchanges(), run.end), (50, ms(5_400)));
    assert_eq!(run.load().censored.count(), 0);
}

/// One iteration is due at once and the next one after the end: the run lasts as long as planned all the same.
#[test]
fn a_nearly_empty_schedule_lasts_until_its_planned_end() {
    let plan = home_page("workload: { open: { rate: 6/m } }\nduration: 8s");
    for workers in [1, 2] {
        let options = Options { workers, ..Options::all() };
        let run = simulate(&plan, instant(ms(5)), &options);
        assert_eq!((run.exchanges(), run.end), (1, s(8)), "{workers} workers");
        let stopped = simulate(&plan, instant(ms(5)), &Options { stop_at: Some(s(3)), ..options });
        assert_eq!((stopped.exchanges(), stopped.end), (1, s(3)), "{workers} workers");
    }
}

#[test]
fn a_stop_starts_nothing_more_and_lets_exchanges_end() {
    let plan = home_page("workload: { open: { rate: 10/s } }\nduration: 1h");
    let run = simulate(&plan, instant(ms(500)), &Options { stop_at: Some(ms(5_050)), ..Options::all() });
    assert_eq!((run.exchanges(), run.end), (51, ms(5_500)));
    let load = run.load();
    assert_eq!((load.due, load.dropped().total(), load.censored.count()), (51, 0, 0));
}

/// The hold ends with the load: what drains after a stop is in flight, but not in flight of the hold.
#[test]
fn a_stop_ends_the_hold() {
    let plan = home_page("workload: { closed: { vus: 4 } }\nduration: 1h");
    let run = simulate(&plan, instant(s(1)), &Options { stop_at: Some(ms(3_400)), ..Options::all() });
    assert_eq!((run.exchanges(), run.end), (16, s(4)));
    let hold_ns = run.totals.load(Section::Hold).in_flight_ns;
    assert!(hold_ns.abs_diff(4 * 3_400_000_000) <= 4, "{hold_ns}");
}

#[test]
fn a_stop_does_not_wait_for_pauses() {
    let steps = "[{ get: / }, { think: 1h }, { get: /never }]";
    let text = format!("nmax: 1\ntarget: http://h.test\nscenarios: {{ a: {{ steps: {steps} }} }}");
    let plan = plan(&format!("{text}\nworkload: {{ closed: {{ vus: 4 }} }}\nduration: 2h"));
    let run = simulate(&plan, instant(ms(5)), &Options { stop_at: Some(s(7)), ..Options::all() });
    let scenario = run.whole().scenarios.get(Section::Hold, 0).unwrap().clone();
    assert_eq!((run.end, scenario.started, scenario.interrupted, scenario.completed), (s(7), 4, 4, 0));
}

#[test]
fn a_cut_censors_what_is_under_way() {
    let plan = home_page("workload: { closed: { vus: 5 } }\nduration: 1h");
    let run = simulate(&plan, instant(s(1)), &Options { cut_at: Some(ms(3_250)), ..Options::all() });
    assert_eq!((run.exchanges(), run.end), (15, ms(3_250)));
    let censored = run.load().censored;
    assert_eq!((censored.count(), censored.min_ns(), censored.max_ns()), (5, Some(ms(250).0), Some(ms(250).0)));
}

#[test]
fn a_timeout_is_an_error_that_keeps_its_latency() {
    let keys = "defaults: { timeout: 750ms }\nworkload: { closed: { vus: 3 } }\nduration: 6s";
    let run = simulate(&home_page(keys), |_: &Call<'_>| Answer::Never, &Options::all());
    let stats = run.totals.total(Section::Hold);
    assert_eq!((stats.count(), stats.errors[ErrorKind::Timeout.index()]), (24, 24));
    let times = stats.latencies();
    assert_eq!((times.response.min_ns(), times.response.max_ns()), (Some(ms(750).0), Some(ms(750).0)));
    assert_eq!(times.service.count(), 24, "it was sent, so there is a service time");
    assert_eq!(run.load().connections, 24, "its connection is closed with it");
    assert_eq!(run.failures.len(), 24);
    assert!(run.failures.iter().all(|failure| failure.kind == "timeout"));
}

/// A driver that wakes its user for a reason of its own must not cost the exchange its time limit.
#[test]
fn an_alarm_of_the_driver_does_not_lose_the_time_limit() {
    let keys = "defaults: { timeout: 750ms }\nworkload: { closed: { vus: 1 } }\nduration: 2s\ngraceful_stop: 5s";
    for after in [0, 100, 749, 750, 2_000] {
        let options = Options { alarm_after: Some(ms(after)), ..Options::all() };
        let run = simulate(&home_page(keys), |_: &Call<'_>| Answer::Never, &options);
        let times = run.totals.total(Section::Hold).latencies().response;
        assert_eq!((times.count(), times.min_ns(), times.max_ns()), (3, Some(ms(750).0), Some(ms(750).0)), "{after}");
    }
}

/// A limit of its own for one step, shorter or longer than that of the steps around it.
#[test]
fn each_step_has_its_own_time_limit() {
    let steps = "[{ get: /slow, timeout: 100ms }, { get: /ok }, { get: /slow, timeout: 3s }]";
    let text = format!(
        "nmax: 1\ntarget: http://h.test\nscenarios: {{ a: {{ steps: {steps} }} }}\ndefaults: {{ timeout: 1s }}"
    );
    let plan = plan(&format!("{text}\nworkload: {{ closed: {{ vus: 1 }}, iterations: 20 }}"));
    let ok = reply(200);
    let server = move |call: &Call<'_>| match call.target() {
        "/slow" => Answer::Bytes(call.at + s(2), ok.clone()),
        _ => Answer::Bytes(call.at + ms(50), ok.clone()),
    };
    let run = simulate(&plan, server, &Options::all());
    let ends: Vec<(Nanos, Outcome)> =
        run.raw.iter().map(|raw| (raw.sample.response_time(), raw.sample.outcome)).collect();
    let timeout = Outcome::Error(ErrorKind::Timeout);
    assert_eq!(ends, [(ms(100), timeout), (ms(50), Outcome::Ok), (s(2), Outcome::Ok)].repeat(20));
}

/// Of an iteration, the first failure is the cause. Each kind counts how often it was that, and examples name it.
#[test]
fn failures_know_what_failed_first_in_their_iteration() {
    let steps = "[{ post: /login }, { get: /home, expect: { contains: Hello } }, { get: /lost, extract: { x: { header: x } } }]";
    let text = format!("nmax: 1\ntarget: http://h.test\nscenarios: {{ a: {{ steps: {steps} }} }}");
    let plan = plan(&format!("{text}\nworkload: {{ closed: {{ vus: 1 }}, iterations: 10 }}"));
    let (ok, denied, hello) = (reply(200), reply(401), reply_with(200, "x: 1\r\n", "Hello"));
    // The first four iterations have a wrong password, and the next three lack a header only.
    let server = move |call: &Call<'_>| {
        let answer = match (call.target(), call.number / 3) {
            ("/login", 0..4) => &denied,
            ("/home", 0..4) | ("/lost", 0..7) => &ok,
            _ => &hello,
        };
        Answer::Bytes(call.at + ms(10), answer.clone())
    };
    let run = simulate(&plan, server, &Options { workers: 1, ..Options::all() });
    let whole = run.whole();
    let counts: Vec<_> = whole.failures.named(Section::Hold, &run.catalog.failures).collect();
    let counts: Vec<_> = counts.iter().map(|(kind, stats)| (*kind, stats.count, stats.first)).collect();
    let [login, home, lost] = ["status 401", "check \"contains Hello\"", "extract `x`"];
    assert_eq!(counts, [(login, 4, 4), (home, 4, 0), (lost, 7, 3)]);
    let after: Vec<_> = run.failures.iter().map(|one| (one.kind.as_str(), one.after.as_deref())).collect();
    let denied = [(login, None), (home, Some(login)), (lost, Some(login))].repeat(4);
    assert_eq!(after, [denied, vec![(lost, None); 3]].concat());
}

#[test]
fn failures_and_errors_are_counted_by_kind_and_keep_their_latency() {
    let plan = home_page("workload: { open: { rate: 100/s } }\nduration: 10s");
    let (ok, gone) = (reply(200), reply(503));
    let babble = std::rc::Rc::from(&b"220 mail.test\r\n"[..]);
    let server = move |call: &Call<'_>| match call.number % 5 {
        0 => Answer::Bytes(call.at + ms(40), gone.clone()),
        1 => Answer::Breaks(call.at + ms(30), ErrorKind::Reset),
        2 => Answer::Bytes(call.at + ms(20), std::rc::Rc::clone(&babble)),
        _ => Answer::Bytes(call.at + ms(10), ok.clone()),
    };
    let run = simulate(&plan, server, &Options::all());
    let stats = run.totals.total(Section::Hold);
    assert_eq!((stats.ok(), stats.failed(), stats.errors()), (400, 200, 400));
    let of_kind = |kind: ErrorKind| stats.errors[kind.index()];
    assert_eq!((of_kind(ErrorKind::Reset), of_kind(ErrorKind::Protocol)), (200, 200));
    let span = |class: usize| {
        let response = &stats.outcomes[class].as_ref().unwrap().response;
        (response.min_ns().unwrap(), response.max_ns().unwrap())
    };
    assert_eq!((span(0), span(1)), ((ms(10).0, ms(10).0), (ms(40).0, ms(40).0)));
    assert_eq!(span(2), (ms(20).0, ms(30).0));
    assert_eq!(run.whole().scenarios.get(Section::Hold, 0).unwrap().failed, 600);
}

/// A reply that comes in the grace after the load is a sample with its whole latency, of the hold in which it was due.
#[test]
fn a_slow_reply_after_the_load_keeps_its_latency() {
    let plan = home_page("workload: { open: { rate: 10/s } }\nduration: 5s\ngraceful_stop: 1m");
    let (fast, slow) = (reply(200), reply(200));
    let server = move |call: &Call<'_>| match call.number {
        49 => Answer::Bytes(call.at + s(25), slow.clone()),
        _ => Answer::Bytes(call.at + ms(5), fast.clone()),
    };
    let run = simulate(&plan, server, &Options::all());
    let response = run.totals.total(Section::Hold).latencies().response;
    assert_eq!((response.count(), response.max_ns()), (50, Some(s(25).0)));
    assert_eq!((run.load().censored.count(), run.end), (0, ms(29_900)));
}

#[test]
fn a_missing_value_ends_the_iteration() {
    let steps = "[{ get: /a, extract: { next: { header: x-next } } }, { get: \"/b/${next}\" }]";
    let text = format!("nmax: 1\ntarget: http://h.test\nscenarios: {{ a: {{ steps: {steps} }} }}");
    let plan = plan(&format!("{text}\nworkload: {{ open: {{ rate: 30/s }} }}\nduration: 3s"));
    let (without, mut firsts) = (reply(200), 0);
    let server = move |call: &Call<'_>| {
        if call.target() != "/a" {
            return Answer::Bytes(call.at + ms(5), without.clone());
        }
        firsts += 1;
        let reply = if firsts % 3 == 0 { without.clone() } else { reply_with(200, "x-next: 7\r\n", "") };
        Answer::Bytes(call.at + ms(5), reply)
    };
    let run = simulate(&plan, server, &Options { requests: KeepRequests::All, ..Options::all() });
    let count = |name: &str| {
        let id = run.catalog.requests.find(name).unwrap();
        let stats = run.totals.request(Section::Hold, id).unwrap();
        (stats.ok(), stats.failed())
    };
    assert_eq!(count("GET /a"), (60, 30));
    let scenario = run.totals.scenarios.get(Section::Hold, 0).unwrap();
    assert_eq!((scenario.completed, scenario.failed), (90, 30));
    let seconds = run.transcript.iter().filter(|sent| sent.bytes.starts_with(b"GET /b/7 ")).count();
    assert_eq!((run.transcript.len(), seconds), (150, 60));
    assert_eq!(run.failures.len(), 30);
    assert!(run.failures.iter().all(|failure| failure.kind == "extract `next`"));
}

const ROWS: &str = "nmax: 1\ntarget: http://h.test\nscenarios: { a: { steps: [{ get: \"/${people.id}\" }] } }";

#[test]
fn unique_rows_end_the_run() {
    let data = "data: { people: { csv: people.csv, pick: unique } }";
    let files = [("people.csv", "id\np0\np1\np2\np3\np4\n")];
    for workload in ["open: { rate: 10/s }", "closed: { vus: 2 }"] {
        let plan = with_files(&format!("{ROWS}\n{data}\nworkload: {{ {workload} }}\nduration: 1h"), &files);
        let run =
            simulate(&plan, instant(ms(5)), &Options { workers: 2, requests: KeepRequests::All, ..Options::all() });
        let mut rows: Vec<String> =
            run.transcript.iter().map(|sent| String::from_utf8_lossy(&sent.bytes[5..7]).into_owned()).collect();
        rows.sort_unstable();
        assert_eq!(rows, ["p0", "p1", "p2", "p3", "p4"], "each row once ({workload})");
        assert!(run.ended_early.unwrap().contains("5 rows"));
        assert!(run.end < s(2), "{:?}", run.end);
        assert_eq!(run.totals.load(Section::Hold).dropped().total(), 0);
    }
}

/// A job beside the mix is done when its rows are: it stops, and the mix goes on as planned.
#[test]
fn data_that_ends_ends_only_its_background() {
    let rows: String = (0..20).map(|row| format!("r{row}\n")).collect();
    for background in ["closed: { vus: 3 }", "open: { rate: 50/s }", "open: { rate: 500/s, max_in_flight: 2 }"] {
        for (workload, workers) in [("open: { rate: 20/s }", 1), ("closed: { vus: 2 }", 2)] {
            let document = format!(
                "nmax: 1\ntarget: http://server.test\ndata: {{ jobs: {{ csv: jobs.csv, pick: unique }} }}\nscenarios:\n  \
                 a: {{ steps: [{{ get: /a }}, {{ think: 50ms }}] }}\n  \
                 batch: {{ steps: [{{ get: \"/${{jobs.id}}\" }}, {{ think: 10ms }}] }}\n\
                 workload: {{ mix: {{ a: 1 }}, background: {{ batch: {{ {background} }} }}, {workload} }}\nduration: 4s\n"
            );
            let plan = with_files(&document, &[("jobs.csv", &format!("id\n{rows}"))]);
            let options = Options { workers, ..Options::all() };
            let run = simulate(&plan, instant(ms(3)), &options);
            let (whole, case) = (run.whole(), format!("{background}, {workload}, {workers} workers"));
            let of = |n: usize| whole.scenarios.get(Section::Hold, n).map_or(0, |stats| stats.started);
            // The first user without a row ends it, so others may leave their last one.
            assert!((18..=20).contains(&of(1)), "{case}: {}", of(1));
            assert!(of(0) >= 80, "{case}: {}", of(0));
            assert_eq!(run.ended_early, None, "{case}");
            let ended: Vec<(u32, bool)> = run.background_ended.iter().map(|(n, at)| (*n, *at < s(2))).collect();
            assert_eq!(ended, [(1, true)], "{case}");
            assert_eq!((run.load().dropped().total(), run.load().due), (0, run.load().started), "{case}");
        }
    }
}

#[test]
fn rows_that_may_not_end_fail_their_iterations() {
    let data = "data: { people: { csv: people.csv, at_end: error } }";
    let files = [("people.csv", "id\np0\np1\np2\n")];
    let plan = with_files(&format!("{ROWS}\n{data}\nworkload: {{ open: {{ rate: 10/s }} }}\nduration: 1s"), &files);
    let run = simulate(&plan, instant(ms(5)), &Options::all());
    let scenario = run.totals.scenarios.get(Section::Hold, 0).unwrap();
    assert_eq!((run.exchanges(), scenario.completed, scenario.failed), (3, 10, 7));
    assert_eq!(run.ended_early, None);
}

/// A number of iterations is a promise: with two slots for ten that are due at once, the others start late.
#[test]
fn a_number_of_open_iterations_is_started_however_late() {
    let plan = home_page("workload: { open: { rate: 100k/s, max_in_flight: 2 }, iterations: 10 }");
    let run = simulate(&plan, instant(ms(5)), &Options::all());
    let load = run.totals.load(Section::Hold);
    assert_eq!((run.exchanges(), load.due, load.started), (10, 10, 10));
    assert_eq!((load.waited, load.dropped().total()), (8, 0));
}

/// The rate achieved is over the time that starting took, not over the time planned for it.
#[test]
fn late_iterations_lengthen_the_hold() {
    let plan = home_page("workload: { open: { rate: 1k/s, max_in_flight: 2 }, iterations: 100 }");
    let run = simulate(&plan, instant(ms(50)), &Options::all());
    // 50 pairs of 50 ms each; the last pair starts at 2.45 s, 2.35 s after it was due.
    assert_eq!(run.exchanges(), 100);
    let in_flight_s = run.totals.load(Section::Hold).in_flight_ns as f64 / 1e9;
    assert!((in_flight_s - 2.0 * 2.45).abs() < 0.01, "{in_flight_s}");
}
