//! Users at locations: exact shares, lines that cost what they say, and statistics that add up.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use nmax_engine::{Event, KeepSamples, Run, Settings};
use nmax_metrics::{Code, LocationStats, Nanos, RawSample, Section};
use nmax_plan::plan::Plan;
use nmax_testkit::plans::plan;
use nmax_testkit::sim::{Options, Simulated, instant, simulate};

use crate::{changed, ms, s};

/// One user in five is 100 ms away, the others 10 ms; `desk` is in none of the shares.
fn places(scenarios: &str, workload: &str) -> Arc<Plan> {
    plan(&format!(
        "nmax: 1
target: http://server.test
locations:
  far: {{ round_trip: 100ms, weight: 20 }}
  near: {{ round_trip: 10ms, weight: 80 }}
  desk: {{ weight: 0 }}
scenarios: {{ {scenarios} }}
workload: {{ {workload} }}
"
    ))
}

fn run(plan: &Arc<Plan>, workers: u32) -> Simulated {
    let options = Options { workers, ..Options::all() };
    simulate(plan, instant(ms(1)), &options)
}

fn stats(run: &Simulated, location: usize) -> LocationStats {
    let whole = run.whole();
    whole.locations.get(Section::Hold, location).cloned().unwrap_or_default()
}

/// Where a sample's user is, by what its line adds to the server's millisecond.
fn place_of(raw: &RawSample) -> usize {
    let sample = &raw.sample;
    match sample.done.since(sample.sent.unwrap()).0 / 1_000_000 {
        101 => 0,
        11 => 1,
        1 => 2,
        other => panic!("{other} ms"),
    }
}

/// Law: a closed user stays where its number puts it, and of each five users one is far away.
#[test]
fn closed_users_have_exact_shares() {
    let plan = places("home: { steps: [{ get: / }] }", "closed: { vus: 20 }, iterations: 2000");
    for workers in [1, 3] {
        let run = run(&plan, workers);
        let mut of_vu: BTreeMap<u32, usize> = BTreeMap::new();
        for raw in &run.raw {
            assert_eq!(*of_vu.entry(raw.vu).or_insert(place_of(raw)), place_of(raw), "a user moved");
        }
        assert_eq!(of_vu.len(), 20);
        for five in 0..4 {
            let far = (five * 5..five * 5 + 5).filter(|vu| of_vu[vu] == 0).count();
            assert_eq!(far, 1, "users {five} · 5 and the next four");
        }
        let connections = run.load().connections;
        assert_eq!(connections, 20, "nobody who stays connects again");
    }
}

/// Law: of each five iterations of an open workload in a row one is far away, on any number of workers; statistics by
/// location are the sums of the samples.
#[test]
fn open_iterations_have_exact_shares() {
    let scenarios = "home: { steps: [{ get: / }, { get: /more }] }";
    let plan = places(scenarios, "open: { rate: 100/s, max_in_flight: 300 }, iterations: 500");
    let mut seen = Vec::new();
    for workers in [1, 3] {
        let run = run(&plan, workers);
        let mut of_iteration: BTreeMap<u64, usize> = BTreeMap::new();
        for raw in &run.raw {
            assert_eq!(*of_iteration.entry(raw.iteration).or_insert(place_of(raw)), place_of(raw));
        }
        assert_eq!(of_iteration.len(), 500);
        for five in 0..100 {
            let far = (five * 5..five * 5 + 5).filter(|n| of_iteration[n] == 0).count();
            assert_eq!(far, 1, "iterations {five} · 5 and the next four");
        }
        for (place, iterations) in [(0, 100), (1, 400), (2, 0)] {
            let own = run.raw.iter().filter(|raw| place_of(raw) == place);
            let times: Vec<Nanos> = own.map(|raw| raw.sample.done.since(raw.sample.intended)).collect();
            let stats = stats(&run, place);
            assert_eq!((stats.exchanges.count, stats.exchanges.failed), (times.len() as u64, 0));
            assert_eq!(stats.iterations.count, iterations);
            let longest = times.iter().map(|time| time.0).max().unwrap_or(0);
            assert!(stats.exchanges.time.max_ns().unwrap_or(0).abs_diff(longest) <= longest / 500);
        }
        seen.push(of_iteration);
    }
    assert_eq!(seen[0], seen[1], "places do not depend on workers");
}

/// A scenario that names its location goes there, in both kinds of workload; a line that limits nothing adds nothing.
#[test]
fn scenarios_have_their_own_places() {
    let scenarios = "home: { steps: [{ get: / }] }, work: { location: desk, steps: [{ get: /w }] }";
    for workload in ["closed: { vus: 4 }, iterations: 400", "open: { rate: 50/s }, iterations: 400"] {
        let run = run(&places(scenarios, &format!("mix: {{ home: 1, work: 1 }}, {workload}")), 1);
        for raw in &run.raw {
            assert_eq!(place_of(raw) == 2, raw.sample.scenario == 1, "{workload}");
        }
        assert_eq!(stats(&run, 2).iterations.count, 200, "{workload}");
    }
}

/// Where no more users may be made, one of another location moves, and connects again: nothing is lost for want of a
/// user in the right place.
#[test]
fn users_move_when_they_must() {
    let scenarios = "home: { steps: [{ get: / }] }";
    let plan = places(scenarios, "open: { rate: 4/s, max_in_flight: 1 }, iterations: 100");
    let run = run(&plan, 1);
    let (load, far, near) = (run.load(), stats(&run, 0), stats(&run, 1));
    assert_eq!((load.started, load.dropped().total()), (100, 0));
    assert_eq!((far.iterations.count, near.iterations.count), (20, 80));
    assert!(load.connections > 20 && load.connections <= 41, "{} connections", load.connections);
}

/// A line's rate is that of its location: 8 kbit/s are 1,000 bytes a second.
#[test]
fn lines_are_as_slow_as_they_say() {
    let plan = changed(&places("home: { steps: [{ get: / }] }", "closed: { vus: 1 }, iterations: 3"), |plan| {
        plan.locations.truncate(1);
        plan.locations[0].up_bits_per_s = Some(8_000.0);
    });
    let run = run(&plan, 1);
    for raw in &run.raw {
        let bytes = raw.sample.bytes_sent;
        let took = raw.sample.done.since(raw.sample.sent.unwrap());
        assert_eq!(took, ms(bytes + 101), "{bytes} bytes");
    }
    assert_eq!(run.raw[0].sample.network.connect, ms(100));
}

/// Over real sockets and timers: a round trip to connect, one for each request, and a body at the line's rate; two
/// users have a line each. Only what the line takes at least is asked for.
#[test]
fn lines_hold_over_sockets() {
    let target = nmax_target::spawn(nmax_target::Options::default()).unwrap();
    let plan = plan(&format!(
        "nmax: 1
target: {}
locations: {{ far: {{ round_trip: 40ms, down: 1.6Mbit/s }} }}
scenarios: {{ home: {{ steps: [{{ get: / }}, {{ get: /bytes/20000 }}] }} }}
workload: {{ closed: {{ vus: 2 }}, iterations: 4 }}
",
        target.url()
    ));
    let settings = Settings { keep: KeepSamples::All, ..Settings::new(plan, Arc::new(|_, _| Ok(()))) };
    let (mut run, mut raw) = (Run::start(&settings).unwrap(), Vec::new());
    loop {
        match run.next(Duration::from_millis(50)) {
            Event::Window(complete) => raw.extend(complete.raw),
            Event::Quiet => {}
            Event::Ended => break,
        }
    }
    assert_eq!(raw.len(), 8);
    for RawSample { sample, .. } in &raw {
        let took = sample.done.since(sample.sent.unwrap());
        let body = if sample.bytes_received > 20_000 { ms(100) } else { Nanos::ZERO };
        assert_eq!(sample.status, Some(Code::new(200)));
        assert!(took >= ms(40) + body && took < ms(40) + body + s(5), "{took:?}");
        assert!(sample.network.connect == Nanos::ZERO || sample.network.connect >= ms(40));
    }
    assert_eq!(raw.iter().filter(|raw| raw.sample.network.connect > Nanos::ZERO).count(), 2);
}
