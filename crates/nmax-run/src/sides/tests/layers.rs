//! Several logs.

use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Law: what the logs of servers side by side come to is what one log with all of their lines would, whether the plan
    /// names the layer or their numbers tell it.
    #[test]
    fn logs_side_by_side_are_one_log(
        ways in proptest::collection::vec(((0..60_000_000_u64, 0..50_000_u64, 1..500_000_u64), 0..4_u16), 30..120),
        is_named in any::<bool>(),
    ) {
        let (ways, logs): (Vec<TimedExchange>, Vec<u16>) = ways.into_iter().unzip();
        let most = (0..4).map(|log| logs.iter().filter(|own| **own == log).count()).max().unwrap();
        prop_assume!(is_named || most * 10 < ways.len() * 9);
        let layer = is_named.then_some("app");
        let one = in_one_log(&ways, 0, 1_000).finish().unwrap();
        let many = in_logs(&ways, &[layer; 4], |index| logs[index], (0, 1_000)).finish().unwrap();
        prop_assert_eq!(many.rows, one.rows);
        prop_assert_eq!(many.points, one.points);
        prop_assert_eq!(many.offset_s, one.offset_s);
        prop_assert_eq!((many.others, many.notes), (one.others, one.notes));
        let mut seen = logs;
        seen.sort_unstable();
        seen.dedup();
        prop_assert_eq!(many.logs, seen.iter().map(|log| format!("log{log}")).collect::<Vec<_>>());
    }
}

/// A log: requests of the run that it has, of 100; their time and that of the server behind, ms; its layer.
type LayerLog = (u64, u64, Option<u64>, Option<&'static str>);

/// Both sides of 100 exchanges and these logs.
fn told(logs: &[LayerLog]) -> Sides {
    let layers: Vec<Option<&str>> = logs.iter().map(|(.., layer)| *layer).collect();
    let mut sides = Sides::new(Tap::default(), &following(&layers), 0, HOLD);
    for _ in 0..100 {
        sides.exchange(&exchange((1_000, 500, 20_000)));
    }
    for (number, (own, ms, upstream_ms, _)) in (0..).zip(logs) {
        let line =
            Entry { upstream_us: upstream_ms.map(|ms| ms * 1_000), ..entry(number, (1_000, 500, ms * 1_000), (0, 1)) };
        (0..*own).for_each(|_| sides.line(&line, b"GET", b"/a"));
    }
    sides
}

/// What results call these logs.
fn names(logs: &[u16]) -> Vec<String> {
    logs.iter().map(|log| format!("log{log}")).collect()
}

/// A log of an unnamed layer that tells only its own time.
fn plain(own: u64, ms: u64) -> LayerLog {
    (own, ms, None, None)
}

/// Logs, those that are the front and what is behind it, and why this row.
type Case<'a> = (&'a [LayerLog], &'a [u16], &'a [u16], &'a str);

#[test]
fn the_server_is_the_layer_with_the_runs_requests() {
    let named = |own, ms, layer| (own, ms, None, Some(layer));
    let cases: [Case; 13] = [
        (&[plain(100, 20)], &[0], &[], "one server"),
        (&[plain(100, 20), plain(3_000, 2)], &[0], &[], "thirty operations for each request"),
        (&[plain(3_000, 2), plain(96, 20)], &[1], &[], "the front lost four lines"),
        (&[plain(33, 9), plain(33, 9), plain(34, 9)], &[0, 1, 2], &[], "a balancer without a log"),
        (&[plain(100, 20), plain(100, 15)], &[0], &[1], "a proxy, and what is behind it"),
        (&[plain(100, 15), plain(99, 20)], &[1], &[0], "in whichever order"),
        (&[plain(33, 9), plain(100, 20), plain(33, 9), plain(34, 9)], &[1], &[0, 2, 3], "a balancer with a log"),
        (
            &[plain(99, 20), plain(50, 9), plain(50, 9)],
            &[0],
            &[1, 2],
            "a balancer that lost a line is none of the servers",
        ),
        (
            &[(100, 20, Some(15), None), plain(100, 21)],
            &[0],
            &[],
            "the front tells the other's time by itself, to its own clock",
        ),
        (
            &[plain(95, 20), plain(50, 3)],
            &[0],
            &[],
            "a front that lost lines, and a service that half of the requests need",
        ),
        (
            &[named(50, 20, "proxy"), named(30, 9, "app"), named(50, 20, "proxy"), named(70, 9, "app")],
            &[0, 2],
            &[1, 3],
            "two balancers and two servers, as the plan says",
        ),
        (
            &[plain(100, 20), named(150, 2, "api"), named(150, 2, "api")],
            &[0],
            &[],
            "a service that is asked three times",
        ),
        (&[plain(0, 0), plain(100, 20)], &[1], &[], "a log that says nothing"),
    ];
    for (logs, front, behind, why) in cases {
        let found = told(logs).finish().unwrap();
        assert_eq!((found.logs, found.behind), (names(front), names(behind)), "{why}");
    }
}

/// A request without a reply may have reached the server or not: a log has all of the run's with it and without it.
#[test]
fn requests_without_a_reply_may_be_in_a_log_or_not() {
    for own in [100, 90] {
        let mut sides = Sides::new(Tap::default(), &following(&[None, None]), 0, HOLD);
        for number in 0..100 {
            sides.exchange(&Exchange { status: if number < 90 { 200 } else { 0 }, ..exchange((1_000, 500, 20_000)) });
        }
        for (log, took) in [(0, 20_000), (1, 15_000)] {
            (0..own).for_each(|_| sides.line(&entry(log, (1_000, 500, took), (0, 1)), b"GET", b"/a"));
        }
        let found = sides.finish().unwrap();
        assert_eq!((found.logs, found.behind), (names(&[0]), names(&[1])), "{own} lines");
    }
}

/// A run that is shorter than the resolution of its logs has lines near its ends only; they tell which log is in front.
#[test]
fn lines_near_the_ends_tell_the_front() {
    let hold = (Nanos::from_millis(100), Nanos::from_millis(900));
    let mut sides = Sides::new(Tap::default(), &following(&[None, None]), 0, hold);
    for _ in 0..10 {
        sides.exchange(&exchange((500_000, 500, 20_000)));
        for (log, took) in [(0, 15_000), (1, 20_000)] {
            sides.line(&entry(log, (500_000, 500, took), (0, 1_000_000)), b"GET", b"/a");
        }
    }
    let found = sides.finish().unwrap();
    assert_eq!((found.logs, found.behind), (names(&[1]), names(&[0])));
}

/// What is behind is of the same requests, so its times are a part of the front's.
#[test]
fn times_behind_are_those_of_the_logs_behind() {
    let found = told(&[plain(100, 20), plain(50, 10), plain(50, 16)]).finish().unwrap();
    let all = &found.rows[0];
    assert_eq!((all.server.count, all.client.count), (100, 100));
    assert!((all.upstream_ms.unwrap() - 13.0).abs() < 1e-9, "{all:?}");
    assert!((all.front_ms.unwrap() - 7.0).abs() < 1e-9, "{all:?}");
    assert!((found.points[0].upstream_ms.unwrap() - 13.0).abs() < 1e-9);
    assert_eq!((found.logs, found.behind), (vec!["log0".to_owned()], vec!["log1".to_owned(), "log2".to_owned()]));
}

/// Where numbers tell no layers, it is said what would.
#[test]
fn layers_that_cannot_be_told_are_asked_for() {
    let two_by_two = [plain(50, 20), plain(50, 20), plain(50, 9), plain(50, 9)];
    let notes = told(&two_by_two).finish().unwrap().notes;
    assert!(notes.iter().any(|note| note.contains("`layer`")), "{notes:?}");
    let alone = told(&[plain(50, 20)]).finish().unwrap().notes;
    assert!(alone.iter().all(|note| !note.contains("`layer`")), "{alone:?}");
}

/// Clocks of several hosts have no offset in common.
#[test]
fn logs_of_several_hosts_have_no_clock() {
    let mut plan = following(&[Some("app"), Some("app")]);
    for (number, observed) in plan.observe.iter_mut().enumerate() {
        let Observed::Source(source) = observed else { continue };
        (source.host, source.name) = (format!("app{number}"), "access.log".to_owned());
    }
    let mut sides = Sides::new(Tap::default(), &plan, 0, HOLD);
    for log in 0..2 {
        sides.exchange(&exchange((1_000, 500, 20_000)));
        sides.line(&entry(log, (1_000, 500, 20_000), (0, 1)), b"GET", b"/a");
    }
    let found = sides.finish().unwrap();
    assert_eq!(found.offset_s, None);
    assert_eq!(found.logs, ["access.log on app0", "access.log on app1"]);
}
