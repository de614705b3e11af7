use nmax_plan::planless::Planless;
use proptest::prelude::*;

use super::*;

const HOLD: (Nanos, Nanos) = (Nanos::ZERO, Nanos::MAX);

fn sides() -> Sides {
    Sides::new(Tap::default(), 0, HOLD)
}

/// An exchange: when it was sent, how long the way took, how long the server, all µs.
type Exchange = (u64, u64, u64);

/// Both sides of these exchanges, the log's clock so far ahead and its stamps rounded down to the resolution.
fn of(exchanges: &[Exchange], ahead_us: i64, resolution_us: u32) -> Sides {
    let mut sides = sides();
    let kind = sides.templates.place(b"GET", b"/a", 200).unwrap();
    let mut pair = Pair::default();
    let mut server = Server {
        are_arrivals: true,
        ..Server::default()
    };
    for (sent, way, took) in exchanges {
        let done = sent + 2 * way + took;
        pair.client.record((done - sent) * 1_000);
        pair.all = (
            pair.all.0 + 1,
            pair.all.1 + i128::from(*sent),
            pair.all.2 + i128::from(done),
        );
        let stamp = (sent + way) as i64 + ahead_us;
        let resolution = i64::from(resolution_us);
        let stamp = stamp - stamp.rem_euclid(resolution) + resolution / 2;
        server.count += 1;
        server.time.record(took * 1_000);
        server.all = (server.all.0 + 1, server.all.1 + i128::from(stamp));
    }
    pair.servers.insert(0, server);
    sides.pairs.insert((kind, 200), pair);
    let log = Log {
        own: exchanges.len() as u64,
        resolution_us,
        has_durations: true,
        ..Log::default()
    };
    sides.logs.insert(0, log);
    sides
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Law: the offset of the clocks is found within its error, whatever the ways, times and stamps.
    #[test]
    fn the_offset_is_within_its_error(
        exchanges in proptest::collection::vec((0..60_000_000_u64, 0..50_000_u64, 0..500_000_u64), 40..200),
        ahead_us in -3_600_000_000..3_600_000_000_i64,
        resolution_us in prop_oneof![Just(1), Just(1_000), Just(1_000_000)],
    ) {
        let found = of(&exchanges, ahead_us, resolution_us).finish().unwrap();
        let (ahead_s, error_s) = found.offset_s.unwrap();
        let apart_s = ahead_s - ahead_us as f64 / 1e6;
        // The rounding is told as twice its standard error; one case in twenty lies beyond that, hardly any beyond twice that.
        prop_assert!(apart_s.abs() <= 2.0 * error_s, "{apart_s} s apart, told as {error_s}");
    }

    /// Law: outside = client − server, and that is twice the way.
    #[test]
    fn what_is_outside_is_the_way(
        exchanges in proptest::collection::vec((0..60_000_000_u64, 0..50_000_u64, 1..500_000_u64), 1..50),
    ) {
        let found = of(&exchanges, 0, 1).finish().unwrap();
        let ways: u64 = exchanges.iter().map(|(_, way, _)| 2 * way).sum();
        let mean_ms = ways as f64 / exchanges.len() as f64 / 1e3;
        for row in &found.rows {
            prop_assert!((row.outside_ms.unwrap() - mean_ms).abs() < 1e-6, "{row:?}");
        }
        prop_assert_eq!(found.rows.len(), 2, "all, and the one type; one status needs no row of its own");
    }

    /// Law: what is written is read back.
    #[test]
    fn documents_are_read_back(
        exchanges in proptest::collection::vec((0..60_000_000_u64, 0..50_000_u64, 1..500_000_u64), 1..20),
        ahead_us in -100..100_i64,
    ) {
        let found = of(&exchanges, ahead_us, 1_000).finish().unwrap();
        prop_assert_eq!(json::of_json(&json::to_json(&found)), Some(found));
    }

    /// Law: nothing is lost when stretches become wider, and there are never too many.
    #[test]
    fn stretches_keep_their_sums(times in proptest::collection::vec((0..100_000_u64, 1..10_000_u64), 1..60)) {
        let mut bins = Bins::default();
        for (second, ms) in &times {
            bins.client(Nanos::from_secs(*second), Nanos::from_millis(*ms));
        }
        let end = Nanos::from_secs(100_000);
        let points = bins.points(0, end);
        let count: u64 = points.iter().map(|point| point.client_count).sum();
        let sum_ms: f64 = points.iter().map(|point| point.client_ms.unwrap() * point.client_count as f64).sum();
        prop_assert_eq!(count, times.len() as u64);
        let want: u64 = times.iter().map(|(_, ms)| ms).sum();
        prop_assert!((sum_ms - want as f64).abs() < 1e-6 * want as f64);
        prop_assert!(points.len() <= 240);
    }
}

#[test]
fn the_front_is_the_log_with_the_runs_number_of_requests() {
    let exchanges = [(0, 10, 100), (5, 10, 100), (9, 10, 100)];
    let mut sides = of(&exchanges, 0, 1);
    let pair = sides.pairs.values_mut().next().unwrap();
    let behind = Server {
        count: 30,
        all: (30, 0),
        ..Server::default()
    };
    pair.servers.insert(1, behind);
    let log = Log {
        own: 30,
        ..Log::default()
    };
    sides.logs.insert(1, log);
    let found = sides.finish().unwrap();
    assert_eq!(found.rows[0].server.count, 3);
}

#[test]
fn what_is_missing_is_said() {
    let mut sides = of(&[(0, 10, 100); 10], 0, 1);
    let pair = sides.pairs.values_mut().next().unwrap();
    pair.all.0 = 20;
    let found = sides.finish().unwrap();
    assert_eq!(found.offset_s, None, "the requests are not the same");
    assert!(
        found
            .notes
            .iter()
            .any(|note| note.contains("10 requests") && note.contains("sent 20")),
        "{:?}",
        found.notes
    );
    assert!(super::Sides::new(Tap::default(), 0, HOLD).finish().is_none());
}

#[test]
fn the_user_agent_is_that_of_all_requests() {
    let mut plan = Plan::for_url(&Planless::get("http://127.0.0.1:1/")).unwrap();
    assert_eq!(agent(&plan).unwrap(), concat!("nmax/", env!("CARGO_PKG_VERSION")));
    let header = |value: &str| ("User-Agent".to_owned(), nmax_plan::template::Template::text(value));
    plan.defaults.headers = vec![header("mine")];
    assert_eq!(agent(&plan).unwrap(), "mine");
    plan.scenarios[0].change_requests(&mut |request| request.headers = vec![header("own")]);
    assert_eq!(agent(&plan).unwrap(), "own");
    let hole = nmax_plan::template::Template {
        parts: vec![nmax_plan::template::Part::Iteration],
    };
    plan.scenarios[0].change_requests(&mut |request| request.headers = vec![("user-agent".to_owned(), hole.clone())]);
    assert_eq!(agent(&plan), None, "it varies");
}
