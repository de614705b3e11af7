use nmax_plan::plan::{Observed, ObservedSource, Value};
use nmax_plan::planless::Planless;
use nmax_sources::kinds::LAYER;
use proptest::prelude::*;

use super::*;

mod layers;
mod marks;
mod phase;

const HOLD: (Nanos, Nanos) = (Nanos::ZERO, Nanos::MAX);

/// A plan that follows these logs, each with its layer.
fn following(logs: &[Option<&str>]) -> Plan {
    let mut plan = Plan::for_url(&Planless::get("http://127.0.0.1:1/a")).unwrap();
    let source = |(number, layer): (usize, &Option<&str>)| {
        let mut log = ObservedSource::at(&LOG, &format!("{number}.log"));
        log.name = format!("log{number}");
        log.values.extend(layer.map(|layer| (&LAYER, Value::Text(layer.to_owned()))));
        Observed::Source(log)
    };
    plan.observe = logs.iter().enumerate().map(source).collect();
    plan
}

/// An exchange: when it was sent, how long the way took, how long the server, all µs.
type TimedExchange = (u64, u64, u64);

/// One exchange of the run for `/a`, as the client has it.
fn exchange((sent, way, took): TimedExchange) -> Exchange<'static> {
    Exchange {
        name: NameId(0),
        method: b"GET",
        target: b"/a",
        status: 200,
        sent: Nanos(sent * 1_000),
        done: Nanos((sent + 2 * way + took) * 1_000),
    }
}

/// The same in a log, whose clock is so far ahead and whose stamps are rounded down to the resolution.
fn entry(log: u16, (sent, way, took): TimedExchange, (ahead_us, resolution_us): (i64, u32)) -> Entry {
    let stamp = (sent + way) as i64 + ahead_us;
    Entry {
        log,
        seen: Nanos((sent + 2 * way + took) * 1_000),
        arrival_us: stamp - stamp.rem_euclid(i64::from(resolution_us)),
        is_arrival: true,
        resolution_us,
        duration_us: Some(took),
        upstream_us: None,
        status: 200,
        agent: Sender::Run,
    }
}

/// Both sides of these exchanges, each in the log that `log_of` says.
fn in_logs(ways: &[TimedExchange], logs: &[Option<&str>], log_of: impl Fn(usize) -> u16, clock: (i64, u32)) -> Sides {
    let mut sides = Sides::new(Tap::default(), &following(logs), 0, HOLD);
    for (index, way) in ways.iter().enumerate() {
        sides.exchange(&exchange(*way));
        sides.line(&entry(log_of(index), *way, clock), b"GET", b"/a");
    }
    sides
}

/// Both sides of these exchanges, in one log.
fn in_one_log(ways: &[TimedExchange], ahead_us: i64, resolution_us: u32) -> Sides {
    in_logs(ways, &[None], |_| 0, (ahead_us, resolution_us))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Law: the offset of the clocks is found within its error, whatever the ways, times and stamps.
    #[test]
    fn the_offset_is_within_its_error(
        ways in proptest::collection::vec((0..60_000_000_u64, 0..50_000_u64, 0..500_000_u64), 40..200),
        ahead_us in -3_600_000_000..3_600_000_000_i64,
        resolution_us in prop_oneof![Just(1), Just(1_000), Just(1_000_000)],
    ) {
        let found = in_one_log(&ways, ahead_us, resolution_us).finish().unwrap();
        let (ahead_s, error_s) = found.offset_s.unwrap();
        let apart_s = ahead_s - ahead_us as f64 / 1e6;
        // The rounding is told as twice its standard error; one case in twenty lies beyond that, hardly any beyond twice that.
        prop_assert!(apart_s.abs() <= 2.0 * error_s, "{apart_s} s apart, told as {error_s}");
    }

    /// Law: outside = client − server, and that is twice the way.
    #[test]
    fn what_is_outside_is_the_way(
        ways in proptest::collection::vec((0..60_000_000_u64, 0..50_000_u64, 1..500_000_u64), 1..50),
    ) {
        let found = in_one_log(&ways, 0, 1).finish().unwrap();
        let sum: u64 = ways.iter().map(|(_, way, _)| 2 * way).sum();
        let mean_ms = sum as f64 / ways.len() as f64 / 1e3;
        for row in &found.rows {
            prop_assert!((row.outside_ms.unwrap() - mean_ms).abs() < 1e-6, "{row:?}");
        }
        prop_assert_eq!(found.rows.len(), 2, "all, and the one type; one status needs no row of its own");
    }

    /// Law: what is written is read back.
    #[test]
    fn documents_are_read_back(
        ways in proptest::collection::vec((0..60_000_000_u64, 0..50_000_u64, 1..500_000_u64), 1..20),
        ahead_us in -100..100_i64,
        is_behind in any::<bool>(),
    ) {
        let mut sides = in_logs(&ways, &[None, None], |_| 0, (ahead_us, 1_000));
        for (sent, way, took) in ways.iter().filter(|_| is_behind) {
            sides.line(&entry(1, (*sent, *way, took / 2), (ahead_us, 1_000)), b"GET", b"/a");
        }
        let found = sides.finish().unwrap();
        prop_assert_eq!(found.behind.len(), usize::from(is_behind));
        prop_assert_eq!(json::of_json(&json::to_json(&found)), Some(found));
    }
}

/// Stamps of the ends of exchanges are held against the client's ends.
#[test]
fn stamps_may_be_those_of_the_ends() {
    let mut sides = in_one_log(&[], 0, 1);
    for second in 0..50 {
        let way = (second * 1_000_000, 500, 300_000);
        sides.exchange(&exchange(way));
        let line = Entry { is_arrival: false, arrival_us: (way.0 + way.1 + way.2) as i64, ..entry(0, way, (0, 1)) };
        sides.line(&line, b"GET", b"/a");
    }
    let (ahead_s, error_s) = sides.finish().unwrap().offset_s.unwrap();
    assert!((ahead_s + 0.000_5).abs() < 1e-6 && error_s < 0.002, "{ahead_s} s, within {error_s}");
}

#[test]
fn what_is_missing_is_said() {
    let way = (0, 10, 100);
    let mut sides = in_one_log(&[way; 10], 0, 1);
    (0..10).for_each(|_| sides.exchange(&exchange(way)));
    let found = sides.finish().unwrap();
    assert_eq!(found.offset_s, None, "the requests are not the same");
    assert!(
        found.notes.iter().any(|note| note.contains("10 requests") && note.contains("sent 20")),
        "{:?}",
        found.notes
    );
    assert!(in_one_log(&[], 0, 1).finish().is_none());
}

/// Both sides call what a step asks for after the step, whatever the server says of it and whether the log has queries.
#[test]
fn requests_of_a_step_are_called_after_it() {
    let plan = Plan::for_url(&Planless::get("http://127.0.0.1:1/status/404?x=1")).unwrap();
    let request = plan.scenarios[0].calls().next().unwrap();
    let mut catalog = Catalog::default();
    let name = catalog.requests.intern(request.name.as_constant().unwrap());
    let mut sides = Sides::new(Tap::default(), &plan, 0, HOLD);
    sides.learn(&plan, &catalog);
    let way = (1_000, 10, 100);
    for _ in 0..3 {
        sides.exchange(&Exchange { name, target: b"/status/404?x=1", status: 404, ..exchange(way) });
        let entry = Entry { status: 404, ..entry(0, way, (0, 1)) };
        sides.line(&entry, b"GET", b"/status/404");
    }
    let found = sides.finish().unwrap();
    let rows: Vec<_> = found.rows.iter().map(|row| (row.name.as_str(), row.client.count, row.server.count)).collect();
    assert_eq!(rows, [("", 3, 3), ("GET /status/404", 3, 3)]);
}

/// What is of no step is called after its path, also where the server does not have it: all of it is of one kind.
#[test]
fn other_requests_are_called_after_their_paths() {
    let mut sides = in_one_log(&[], 0, 1);
    let way = (1_000, 10, 100);
    for number in 0..20 {
        let target = format!("http://shop.test/image/{number}");
        sides.exchange(&Exchange { target: target.as_bytes(), status: 404, ..exchange(way) });
        let logged = format!("/image/{number}");
        sides.line(&entry(0, way, (0, 1)), b"GET", logged.as_bytes());
    }
    let found = sides.finish().unwrap();
    let names: Vec<&str> = found.rows.iter().filter(|row| row.status.is_none()).map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["", "GET /image/{id}"]);
    assert_eq!((found.rows[1].client.count, found.rows[1].server.count), (20, 20));
}

#[test]
fn the_user_agent_is_that_of_all_requests() {
    let mut plan = Plan::for_url(&Planless::get("http://127.0.0.1:1/")).unwrap();
    assert_eq!(agent(&plan).unwrap(), concat!("nmax/", env!("CARGO_PKG_VERSION")));
    let header = |value: &str| ("User-Agent".to_owned(), nmax_plan::template::Template::text(value));
    plan.defaults.headers = vec![header("mine")];
    assert_eq!(agent(&plan).unwrap(), "mine");
    plan.scenarios[0].change_calls(&mut |request| request.http_mut().unwrap().headers = vec![header("own")]);
    assert_eq!(agent(&plan).unwrap(), "own");
    let hole = nmax_plan::template::Template { parts: vec![nmax_plan::template::Part::Iteration] };
    plan.scenarios[0].change_calls(&mut |request| {
        request.http_mut().unwrap().headers = vec![("user-agent".to_owned(), hole.clone())]
    });
    assert_eq!(agent(&plan), None, "it varies");
}
