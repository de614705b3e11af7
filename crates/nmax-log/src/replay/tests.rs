use nmax_plan::document::{Options as DocumentOptions, parse};
use nmax_plan::plan::{Arrivals, Plan, Workload};
use proptest::prelude::*;

use super::*;

fn record<'a>(arrival_us: i64, method: &'a str, target: &'a str, status: u16) -> Record<'a> {
    Record {
        arrival_us,
        is_arrival: true,
        resolution_us: 1,
        method: method.as_bytes(),
        target: target.as_bytes(),
        status,
        client: b"10.0.0.1",
        agent: b"-",
        ..Record::default()
    }
}

fn schedule(options: Options, records: &[Record<'_>]) -> Schedule {
    let mut replay = Replay::new(options);
    records.iter().for_each(|record| replay.add(record));
    replay.finish()
}

fn targets(schedule: &Schedule) -> Vec<String> {
    let text = |record: Record<'_>| String::from_utf8_lossy(record.target).into_owned();
    schedule.records().map(text).collect()
}

/// Arrivals in µs over a few seconds, out of order, many at the same instant.
fn arrivals() -> impl Strategy<Value = Vec<i64>> {
    prop::collection::vec(prop_oneof![0..5_000_000_i64, (0..5_i64).prop_map(|s| s * 1_000_000)], 1..60)
}

/// Records with these arrivals, the n-th of which asks for `/n`.
fn numbered(arrivals: &[i64], resolution_us: u32) -> Vec<(i64, u32, String)> {
    (0..).zip(arrivals).map(|(n, at)| (*at, resolution_us, format!("/{n}"))).collect()
}

fn of_numbered(options: Options, records: &[(i64, u32, String)]) -> Schedule {
    let records: Vec<Record<'_>> = records
        .iter()
        .map(|(at, resolution_us, target)| Record { resolution_us: *resolution_us, ..record(*at, "GET", target, 200) })
        .collect();
    schedule(options, &records)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Exact stamps are kept to the microsecond, in the order of the log where they are the same.
    #[test]
    fn exact_stamps_are_kept(arrivals in arrivals()) {
        let schedule = of_numbered(Options::default(), &numbered(&arrivals, 1));
        let mut want: Vec<(i64, usize)> = arrivals.iter().copied().zip(0..).collect();
        want.sort_by_key(|(at, _)| *at);
        let want_targets: Vec<String> = want.iter().map(|(_, n)| format!("/{n}")).collect();
        prop_assert_eq!(targets(&schedule), want_targets);
        let first = want[0].0;
        for (start, (at, _)) in schedule.starts().iter().zip(&want) {
            let want_ns = (at - first) as u64 * 1_000;
            prop_assert!(start.abs_diff(want_ns) <= 1_000, "{start} for {want_ns}");
        }
        prop_assert!(schedule.starts().last().is_some_and(|last| *last < schedule.length_ns()));
    }

    /// Stamps of whole seconds move by less than a second against each other, and requests of a second keep their order.
    #[test]
    fn whole_seconds_are_spread(arrivals in prop::collection::vec(0..5_i64, 1..60), seed: u64) {
        let arrivals: Vec<i64> = arrivals.into_iter().map(|s| s * 1_000_000).collect();
        let options = Options { seed, ..Options::default() };
        let schedule = of_numbered(options.clone(), &numbered(&arrivals, 1_000_000));
        let mut order: Vec<usize> = (0..arrivals.len()).collect();
        order.sort_by_key(|n| arrivals[*n]);
        let want: Vec<String> = order.iter().map(|n| format!("/{n}")).collect();
        prop_assert_eq!(targets(&schedule), want);
        let starts = schedule.starts();
        let first = arrivals[order[0]];
        for (start, n) in starts.iter().zip(&order) {
            let stamp_ns = (arrivals[*n] - first) * 1_000;
            prop_assert!((*start as i64 - stamp_ns).abs() < 1_000_000_000);
        }
        let again = of_numbered(options, &numbered(&arrivals, 1_000_000));
        prop_assert_eq!(starts, again.starts(), "the same seed, the same instants");
    }

    /// Time compressed K times: the same requests, each at 1/K of its time.
    #[test]
    fn compression_divides_time(arrivals in arrivals(), factor in 0.5..50.0_f64) {
        let records = numbered(&arrivals, 1);
        let plain = of_numbered(Options::default(), &records);
        let fast = of_numbered(Options { pace: Pace::Compressed(factor), ..Options::default() }, &records);
        prop_assert_eq!(targets(&plain), targets(&fast));
        for (plain, fast) in plain.starts().iter().zip(fast.starts().iter()) {
            prop_assert!((*plain as f64 / factor - *fast as f64).abs() <= 1.0);
        }
    }

    /// K copies: every request K times, the first copy unmoved, the others each by one shift.
    #[test]
    fn copies_are_whole(arrivals in arrivals(), copies in 1..5_u32, seed: u64) {
        let records = numbered(&arrivals, 1);
        let plain = of_numbered(Options { seed, ..Options::default() }, &records);
        let thick = of_numbered(Options { seed, pace: Pace::Copies(copies), ..Options::default() }, &records);
        prop_assert_eq!(thick.len(), plain.len() * copies as usize);
        prop_assert!(thick.starts().is_sorted());
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        targets(&thick).into_iter().for_each(|target| *counts.entry(target).or_default() += 1);
        prop_assert!(counts.values().all(|count| *count == copies), "{counts:?}");
        let mut left: Vec<(u64, String)> = thick.starts().iter().copied().zip(targets(&thick)).collect();
        for pair in plain.starts().iter().copied().zip(targets(&plain)) {
            let at = left.iter().position(|other| *other == pair);
            prop_assert!(at.is_some(), "{pair:?} is missing");
            left.swap_remove(at.unwrap());
        }
        prop_assert!(thick.starts().iter().all(|start| *start <= thick.length_ns()));
    }

    /// Whatever comes, each record is sent or counted among those left out, and the plan reads back.
    #[test]
    fn nothing_is_lost(
        records in prop::collection::vec((0..9_000_000_i64, "GET|HEAD|POST|BREW|", "(/|http://h/|x)?[ -~é/]{0,12}", 0..600_u16), 1..40),
        all: bool,
    ) {
        let options = Options { methods: if all { Methods::All } else { Methods::Safe }, ..Options::default() };
        let records: Vec<Record<'_>> =
            records.iter().map(|(at, method, target, status)| record(*at, method, target, *status)).collect();
        let schedule = schedule(options, &records);
        let left_out: u64 = schedule.left_out.values().sum();
        prop_assert_eq!(schedule.len() as u64 + left_out, records.len() as u64, "{:?}", schedule.left_out);
        prop_assert_eq!(schedule.by_status.values().sum::<u64>(), schedule.len() as u64);
        for record in schedule.records() {
            prop_assert!(record.target.starts_with(b"/") && record.target.iter().all(u8::is_ascii_graphic));
        }
        if !schedule.is_empty() {
            plan_of(&schedule, &[]);
        }
    }
}

/// The plan of a schedule, filled; names are targets.
fn plan_of(schedule: &Schedule, headers: &[(String, String)]) -> Plan {
    let text = schedule.document("access.log, original pace", "access.log", headers);
    let options = DocumentOptions {
        read: &|_| Ok(Schedule::stub()),
        exists: &|_| Ok(0),
        target: Some("http://shop.test:8080"),
        ..DocumentOptions::standalone("replay")
    };
    let mut plan = parse(&text, &options).unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"));
    assert!(schedule.fill(&mut plan, |method, _| if method == b"GET" { "a read" } else { "a write" }));
    plan
}

#[test]
fn the_plan_sends_the_log() {
    let records = [
        record(1_000_000, "GET", "/a?x=1", 200),
        record(1_500_000, "HEAD", "//b", 404),
        Record { host: b"shop.example", agent: b"Mozilla/5.0", ..record(3_000_000, "GET", "/c", 503) },
    ];
    let headers = [("x-replay".to_owned(), "${not a hole}".to_owned())];
    let schedule = schedule(Options::default(), &records);
    let plan = plan_of(&schedule, &headers);
    assert!(matches!(plan.workload, Workload::Open { arrivals: Arrivals::Listed, .. }));
    assert_eq!(*plan.starts, [0, 500_000_000, 2_000_000_000]);
    let cell = |row, name: &str| {
        let column = plan.feeders[0].columns.iter().position(|column| column == name).unwrap();
        plan.feeders[0].cell(1, row, column).into_owned()
    };
    let rows = |name: &str| [0, 1, 2].map(|row| cell(row, name));
    assert_eq!(rows("target"), ["/a?x=1", "http://shop.test:8080//b", "/c"]);
    assert_eq!(rows("name"), ["a read", "a write", "a read"]);
    assert_eq!(rows("kind"), ["GET ok", "HEAD 4xx", "GET 5xx"]);
    assert_eq!(rows("host"), ["shop.test:8080", "shop.test:8080", "shop.example"]);
    assert_eq!(rows("agent"), ["nmax", "nmax", "Mozilla/5.0"]);
    let accepted: Vec<_> = plan.scenarios[0].calls().map(|request| request.expect.status.clone()).collect();
    assert_eq!(accepted.len(), 3, "no worse than the log: {accepted:?}");
    for (status, worst) in [(vec![(200, 299), (304, 304)], "ok"), (vec![(200, 499)], "4xx"), (vec![(200, 599)], "5xx")]
    {
        assert!(accepted.contains(&status), "{worst}");
    }
    assert_eq!(plan.defaults.headers[0].1.as_constant(), Some("${not a hole}"));
    assert_eq!(plan.stages.len(), 3, "a hold for each second: {:?}", plan.stages);
    let planned: f64 = plan.stages.iter().map(|stage| stage.to * stage.length_ns.unwrap() as f64 / 1e9).sum();
    assert!((planned - 3.0).abs() < 1e-9, "{planned}");
}

#[test]
fn one_kind_of_request_needs_no_conditions() {
    let plan = plan_of(&schedule(Options::default(), &[record(0, "GET", "/", 200)]), &[]);
    assert_eq!(plan.scenarios[0].steps.len(), 1);
    assert!(plan.scenarios[0].calls().all(|request| request.http().unwrap().headers.is_empty()));
}

#[test]
fn targets_are_changed_as_asked() {
    let rewrite = |written: &str| Rewrite::parse(written).unwrap();
    let options = Options {
        rewrites: vec![rewrite("^/v1/(.*)=>/v2/$1"), rewrite("secret=>x y")],
        parameters: vec![("token".into(), "a&b".into())],
        ..Options::default()
    };
    let cases = [
        ("/v1/items", "/v2/items?token=a%26b"),
        ("/v1/items?a=1&token=old&b=2&token=older", "/v2/items?a=1&token=a%26b&b=2"),
        ("http://h:80/secret#part", "/x%20y?token=a%26b"),
        ("https://user@h?q=1", "/?token=a%26b"),
        ("/a b\tc", "/a%20b%09c?token=a%26b"),
        ("/é", "/%C3%A9?token=a%26b"),
    ];
    for (target, want) in cases {
        let schedule = schedule(options.clone(), &[record(0, "GET", target, 200)]);
        assert_eq!(targets(&schedule), [want], "{target}");
    }
    assert_eq!(Rewrite::parse("a->b").unwrap_err(), RewriteError::NoArrow("a->b".into()));
    assert!(Rewrite::parse("(=>b").unwrap_err().to_string().contains("unclosed group"));
}

#[test]
fn what_is_left_out_has_a_reason() {
    let options = Options {
        methods: Methods::Only(vec!["get".into(), "DELETE".into()]),
        period: Some(Period { from_us: 10, to_us: 20 }),
        ..Options::default()
    };
    let records = [
        record(10, "GET", "/", 200),
        record(19, "DELETE", "/1", 204),
        record(20, "GET", "/late", 200),
        record(11, "HEAD", "/", 200),
        record(11, "POST", "/order", 303),
        record(11, "PROPFIND", "/", 207),
        record(11, "GET", "/socket", 101),
        record(11, "GET", "*", 400),
        record(11, "", "", 400),
    ];
    let schedule = schedule(options, &records);
    assert_eq!((schedule.len(), schedule.left_out.len()), (2, 7), "{:?}", schedule.left_out);
    for (reason, count) in &schedule.left_out {
        assert_eq!(*count, 1, "{reason}");
    }
    assert!(schedule.left_out.contains_key("method POST, which may change data"));
    let times = (schedule.period.from_us, schedule.starts()[0], schedule.length_ns());
    assert_eq!(times, (10, 0, 1_000_000), "the chosen time, its length rounded up to a millisecond");
}

/// A thousand requests with the same stamp of a whole second are not a burst: their instants are uniform.
#[test]
fn a_second_has_no_burst() {
    let schedule = of_numbered(Options::default(), &numbered(&[0; 1_000], 1_000_000));
    let starts = schedule.starts();
    let worst = (1..).zip(starts.iter()).map(|(rank, start)| {
        let (found, want) = (*start as f64 / 1e9, f64::from(rank) / 1_000.0);
        (found - want).abs()
    });
    let worst = worst.fold(0.0, f64::max);
    // Kolmogorov's bound for a sample of 1,000, one in a thousand.
    assert!(worst < 1.95 / 1_000_f64.sqrt(), "{worst}");
    assert!(worst > 0.001, "nor are they a grid");
}

#[test]
fn thinning_keeps_a_share() {
    let arrivals: Vec<i64> = (0..10_000).collect();
    let options = Options { pace: Pace::Thinned(0.1), ..Options::default() };
    let schedule = of_numbered(options, &numbered(&arrivals, 1));
    assert!(schedule.len().abs_diff(1_000) < 120, "{}", schedule.len());
    assert_eq!(schedule.left_out["thinned to 10 %"], 10_000 - schedule.len() as u64);
    assert_eq!(schedule.length_ns(), of_numbered(Options::default(), &numbered(&arrivals, 1)).length_ns());
}

#[test]
fn what_a_person_should_know_is_said() {
    let hour = 3_600_000_000;
    let records = [record(0, "GET", "/", 304), record(hour, "GET", "/", 200), record(9 * hour, "GET", "/", 200)];
    let said = schedule(Options::default(), &records).warnings.join("\n");
    assert!(said.contains("1 requests were answered with 304"), "{said}");
    assert!(said.contains("nothing is sent for 8h from 1h on"), "{said}");
}

#[test]
fn stamps_of_another_year_are_left_out() {
    const DAY_US: i64 = 86_400_000_000;
    let minutes = |n: i64| record(20_000 * DAY_US + n * 60_000_000, "GET", "/", 200);
    let mut records: Vec<Record<'_>> = (0..40).map(minutes).collect();
    let whole = schedule(Options::default(), &records);
    records.insert(7, record(47_000 * DAY_US, "GET", "/far", 404));
    let found = schedule(Options::default(), &records);
    assert_eq!((found.starts(), found.length_ns()), (whole.starts(), whole.length_ns()));
    assert_eq!(found.left_out.get("stamped far from all others"), Some(&1), "{:?}", found.left_out);
    assert_eq!(found.by_status, BTreeMap::from([(200, 40)]));
    // Whoever names the time gets it.
    let all = Period { from_us: 0, to_us: 50_000 * DAY_US };
    let options = Options { period: Some(all), ..Options::default() };
    assert_eq!(schedule(options, &records).len(), 41);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Law: pages that one visitor asked for one after the other are sent in that order, however coarse the stamps.
    #[test]
    fn coarse_stamps_keep_the_order_of_a_visitor(
        pages in prop::collection::vec((0..1_500_000_i64, 1..2_000_000_i64), 1..60),
        seed: u64,
    ) {
        let (mut at, mut records) = (1_000_000_000_i64, Vec::new());
        let targets: Vec<String> = (0..pages.len()).map(|n| format!("/{n}")).collect();
        for ((pause, took), target) in pages.iter().zip(&targets) {
            at += pause + took;
            let end_us = at.div_euclid(1_000_000) * 1_000_000;
            records.push(Record {
                resolution_us: 1_000_000,
                duration_us: Some(took.unsigned_abs()),
                ..record(end_us - took, "GET", target, 200)
            });
        }
        let found = schedule(Options { seed, ..Options::default() }, &records);
        prop_assert_eq!(self::targets(&found), targets);
        prop_assert!(found.starts().windows(2).all(|pair| pair[0] <= pair[1]));
    }
}

#[test]
fn the_target_is_what_most_requests_name() {
    let of = |targets: &[&str]| {
        let records: Vec<Record<'_>> = targets.iter().map(|target| record(0, "GET", target, 200)).collect();
        schedule(Options::default(), &records).origin().map(str::to_owned)
    };
    let (scanned, own) = ("http://evil.example/", "http://shop.test/a");
    assert_eq!(of(&["/a", "/b", scanned]), None);
    assert_eq!(of(&[own, own, scanned]).as_deref(), Some("http://shop.test"));
}
