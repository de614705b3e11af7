//! What is recorded is what happened: windows, sections, sums and samples agree.

use nmax_engine::KeepSamples;
use nmax_metrics::{Aggregate, ErrorKind, Nanos, RawSample, Section};
use nmax_testkit::plans::{home_page, plan};
use nmax_testkit::sim::{Answer, Call, KeepRequests, Options, Server, Simulated, reply, reply_with, simulate};
use proptest::prelude::*;

use crate::{changed, ms, s};

/// Service times from 1 ms to 2.4 s, some replies bad, some exchanges broken.
fn moody() -> impl Server {
    let (ok, bad) = (reply(200), reply(500));
    move |call: &Call<'_>| {
        let at = call.at + ms(1 + call.number * call.number % 2_400);
        match call.number % 11 {
            0 => Answer::Bytes(at, bad.clone()),
            1 => Answer::Breaks(at, ErrorKind::Reset),
            _ => Answer::Bytes(at, ok.clone()),
        }
    }
}

const PLAN: &str = "nmax: 1\ntarget: http://h.test\nscenarios: { a: { steps: [{ get: /a }, { think: 70ms }, { get: /b }] } }\n\
    workload: { open: { rate: 60/s, max_in_flight: 50 } }\nstages: [{ ramp: 5s, to: 100% }, { hold: 10s }, { ramp: 5s, to: 0 }]\n\
    warm_up: 2s\ngraceful_stop: 1s";

#[test]
fn windows_samples_and_totals_agree() {
    let plan = plan(PLAN);
    let blocks = vec![(s(9), ms(2_300))];
    let run = simulate(&plan, moody(), &Options { workers: 3, blocks, ..Options::all() });
    assert_eq!(run.raw.len() as u64, run.exchanges(), "as many samples as completed exchanges");

    // Built again from the samples, with the statistics interval taken from the plan's text.
    let mut rebuilt = Aggregate::default();
    for raw in &run.raw {
        let is_hold = raw.sample.intended >= s(7) && raw.sample.intended < s(17);
        rebuilt.record(if is_hold { Section::Hold } else { Section::Outside }, &raw.sample);
    }
    let mut merged = Aggregate::default();
    for (index, window) in run.windows.iter().enumerate() {
        assert_eq!(window.index, index as u64, "no window is missing");
        let ended = run.raw.iter().filter(|raw| raw.sample.done >= window.start() && raw.sample.done < window.end());
        assert_eq!(window.aggregate.whole().total(Section::Hold).count(), ended.count() as u64, "window {index}");
        merged.merge(&window.aggregate);
    }
    assert_eq!(merged, run.totals);
    for section in Section::ALL {
        let (found, expected) = (run.totals.total(section), rebuilt.total(section));
        assert!(found.count() > 200 && found.failed() > 0 && found.errors() > 0);
        assert_eq!(found.latencies(), expected.latencies());
        assert_eq!((found.ok(), found.failed(), found.errors), (expected.ok(), expected.failed(), expected.errors));
        assert_eq!(run.totals.load(section).injector_lag, rebuilt.load(section).injector_lag);
    }
}

/// The reply of 0.9 s is read at 1.25 s, before anything else runs: it ends there, in the second window.
#[test]
fn a_late_reply_belongs_to_the_window_of_its_end() {
    let ok = reply(200);
    let server = move |call: &Call<'_>| Answer::Bytes(call.at + ms(300), ok.clone());
    let plan = home_page("workload: { closed: { vus: 1 } }\nduration: 2s");
    let blocks = vec![(ms(650), ms(600))];
    let run = simulate(&plan, server, &Options { blocks, ..Options::all() });
    let counts: Vec<u64> = run.windows.iter().map(|window| window.aggregate.total(Section::Hold).count()).collect();
    // Ends at 0.3, 0.6 | 1.25, 1.55, 1.85 | 2.15 s.
    assert_eq!(counts, [2, 3, 1]);
}

#[test]
fn impossible_times_do_not_occur() {
    let blocks = vec![(s(3), ms(700)), (s(11), ms(1_700))];
    let run = simulate(&plan(PLAN), moody(), &Options { workers: 2, blocks, connect: ms(3), ..Options::all() });
    for raw in &run.raw {
        let sample = raw.sample;
        let sent = sample.sent.unwrap();
        assert!(sample.intended <= sent && sent <= sample.done, "{raw:?}");
        assert!(sample.service_time().unwrap() <= sample.response_time(), "{raw:?}");
        assert!(sample.first_byte.is_none_or(|first| sent <= first && first <= sample.done), "{raw:?}");
        assert!(sample.injector_lag().unwrap() <= sample.send_lag().unwrap(), "{raw:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// Law: 0 ≤ service ≤ response and 0 ≤ injector lag ≤ send lag ≤ response, whatever plan, server and injector do.
    #[test]
    fn service_lies_within_response(
        rate in 1_u32..400,
        limit in 1_u32..40,
        connect_ms in 0_u64..30,
        spread_ms in 1_u64..900,
        redirects in 0_u32..4,
        blocks in proptest::collection::vec((0_u64..4_000, 0_u64..900), 0..4),
        is_closed: bool,
    ) {
        let workload = if is_closed {
            format!("closed: {{ vus: {limit} }}")
        } else {
            format!("open: {{ rate: {rate}/s, max_in_flight: {limit} }}")
        };
        let plan = home_page(&format!("workload: {{ {workload} }}\nduration: 3s\ngraceful_stop: 500ms"));
        let plan = changed(&plan, |plan| plan.defaults.redirects_max = redirects);
        let (ok, moved) = (reply(200), reply_with(302, "location: /\r\n", ""));
        let server = move |call: &Call<'_>| {
            let at = call.at + ms(call.number * 7_919 % spread_ms);
            match call.number % 7 {
                0 => Answer::Breaks(at, ErrorKind::Reset),
                1 | 2 => Answer::Bytes(at, moved.clone()),
                _ => Answer::Bytes(at, ok.clone()),
            }
        };
        let options = Options {
            workers: 2,
            connect: ms(connect_ms),
            blocks: blocks.into_iter().map(|(at, span)| (ms(at), ms(span))).collect(),
            ..Options::all()
        };
        let run = simulate(&plan, server, &options);
        prop_assert_eq!(run.raw.len() as u64, run.exchanges());
        for raw in &run.raw {
            let sample = raw.sample;
            let (service, response) = (sample.service_time().unwrap(), sample.response_time());
            prop_assert!(service <= response, "{:?}", raw);
            prop_assert!(sample.injector_lag() <= sample.send_lag() && sample.send_lag() <= Some(response), "{:?}", raw);
            prop_assert_eq!(sample.send_lag().unwrap() + service, response, "{:?}", raw);
        }
        let latencies = run.whole().total(Section::Hold).latencies();
        prop_assert!(latencies.service.max_ns() <= latencies.response.max_ns());
        prop_assert!(latencies.response.max_ns() <= Some(run.end.0));
    }
}

/// The wall clock is for cookies alone: wherever it stands, every latency is the same.
#[test]
fn a_jump_of_the_wall_clock_leaves_latencies_unchanged() {
    let run_at = |unix_origin_s: i64| {
        let server = |call: &Call<'_>| {
            let cookie = "set-cookie: a=1; expires=Thu, 01 Jan 2026 00:00:00 GMT\r\n";
            Answer::Bytes(call.at + ms(1 + call.number % 90), reply_with(200, cookie, ""))
        };
        let options = Options { unix_origin_s, requests: KeepRequests::All, ..Options::all() };
        simulate(&plan(PLAN), server, &options)
    };
    let (before, after) = (run_at(1_000_000_000), run_at(4_000_000_000));
    let has_cookie = |run: &Simulated| {
        let sent = run.transcript.iter();
        sent.filter(|sent| String::from_utf8_lossy(&sent.bytes).contains("cookie: a=1")).count()
    };
    assert!(has_cookie(&before) > 0, "the cookie is good in 2001");
    assert_eq!(has_cookie(&after), 0, "and long gone in 2096");
    let times = |run: &Simulated| {
        run.raw.iter().map(|raw| (raw.sample.intended, raw.sample.sent, raw.sample.done)).collect::<Vec<_>>()
    };
    assert_eq!(times(&before), times(&after));
    assert_eq!(before.end, after.end);
}

/// Due = started + dropped; started = completed + interrupted; the area under the in-flight curve is the sum of stays.
#[test]
fn counts_add_up() {
    let run = simulate(&plan(PLAN), moody(), &Options { workers: 3, ..Options::all() });
    let (whole, load) = (run.whole(), run.load());
    let scenario = whole.scenarios.get(Section::Hold, 0).unwrap();
    assert_eq!(load.due, load.started + load.dropped().total());
    assert_eq!((load.due, load.started), (60 * 17, scenario.started));
    assert_eq!(scenario.started, scenario.completed + scenario.interrupted);
    assert_eq!(scenario.iteration_time.count(), scenario.completed);
    // One who is cut off in a pause has no exchange under way.
    assert!((1..=scenario.interrupted).contains(&load.censored.count()), "{} censored", load.censored.count());
}

/// An iteration under way across the border of the statistics counts on both sides for its time there.
#[test]
fn in_flight_time_is_split_at_the_hold() {
    let keys =
        "workload: { closed: { vus: 1 } }\nstages: [{ ramp: 2500ms, to: 100% }, { hold: 1500ms }, { ramp: 1s, to: 0 }]";
    let ok = reply(200);
    let server = move |call: &Call<'_>| Answer::Bytes(call.at + s(5), ok.clone());
    let run = simulate(&home_page(keys), server, &Options::all());
    let area = |section| Nanos(run.totals.load(section).in_flight_ns as u64);
    assert_eq!((area(Section::Hold), area(Section::Outside)), (ms(1500), ms(3500)));
}

#[test]
fn kept_samples_are_bounded_and_hold_the_slowest() {
    let plan = home_page("workload: { open: { rate: 2000/s } }\nduration: 5s");
    let ok = reply(200);
    let server = move |call: &Call<'_>| {
        let service = if call.number % 1_000 == 500 { ms(300) } else { ms(2) };
        Answer::Bytes(call.at + service, ok.clone())
    };
    let run = simulate(&plan, server, &Options { keep: KeepSamples::Some, ..Options::all() });
    assert_eq!(run.exchanges(), 10_000);
    assert!(run.raw.len() <= 6 * 220, "{}", run.raw.len());
    let slow = run.raw.iter().filter(|raw| raw.sample.response_time() == ms(300)).count();
    assert_eq!(slow, 10, "the slowest of each window are all there");
    let none = simulate(&plan, moody(), &Options { keep: KeepSamples::None, ..Options::all() });
    assert!(none.raw.is_empty());
}

/// A visit that begins in one phase and ends in another: each check is of the phase that its exchange is of.
#[test]
fn checks_and_their_exchanges_are_of_the_same_phase() {
    let plan = plan(
        "nmax: 1\ntarget: http://h.test\nscenarios: { a: { steps: [{ get: /a, expect: { contains: hi } }, { think: 3s }, \
         { get: /b, expect: { contains: ho } }] } }\nworkload: { open: { rate: 20/s } }\n\
         stages: [{ ramp: 2s, to: 100% }, { hold: 4s }, { ramp: 2s, to: 0 }]\ngraceful_stop: 10s",
    );
    let body = reply_with(200, "", "hi, ho");
    let run = simulate(&plan, move |call: &Call<'_>| Answer::Bytes(call.at + ms(10), body.clone()), &Options::all());
    assert_eq!(run.catalog.checks.len(), 2);
    let mut phases = [Vec::new(), Vec::new()];
    for (name, counts) in phases.iter_mut().enumerate() {
        for section in [Section::Hold, Section::Outside] {
            let of_section = |raw: &&RawSample| {
                (raw.sample.intended >= s(2) && raw.sample.intended < s(6)) == (section == Section::Hold)
            };
            let exchanges = run.raw.iter().filter(of_section);
            counts.push(exchanges.filter(|raw| raw.sample.name.0 as usize == name).count() as u64);
            assert_eq!(run.totals.checks.get(section, name).unwrap().passed, counts[counts.len() - 1]);
        }
    }
    assert_ne!(phases[0], phases[1], "the second step is due three seconds later");
}
