//! Generated traffic gives its parameters back.

use std::collections::BTreeMap;

use nmax_log::record::Record;
use nmax_log::traffic::{Options, Period, Profile, Traffic, Transition};
use proptest::prelude::*;

use super::world::{Line, Population, World};
use super::{kind, near, profile, profile_with};

const HOUR_US: i64 = 3_600_000_000;

#[test]
fn known_parameters_come_back() {
    let world = World::shop();
    let lines = world.lines(1);
    let profile = profile(&lines);
    assert_eq!(profile.requests, lines.len() as u64);
    assert_eq!(profile.by_status[&200], lines.len() as u64);
    assert_eq!(profile.by_method.values().sum::<u64>(), lines.len() as u64);
    assert_eq!(profile.sessions.at.iter().map(|at| at.timeout_min).collect::<Vec<_>>(), [15, 30, 60]);
    assert_eq!(profile.sessions.at[1].count, profile.sessions.count);
    near(profile.arrivals.sessions_per_s, world.sessions_per_s, 0.04);
    for found in &profile.arrivals.sessions {
        assert!((found.index - 1.0).abs() <= 4.0 * found.error, "sessions arrive as Poisson's do: {found:?}");
    }
    let item = kind(&profile, "GET /item/{id}");
    let exponent = item.popularity.exponent.expect("enough items");
    assert!((exponent - 0.9).abs() < 0.05, "{exponent}");
    assert_eq!(item.popularity.distinct, 400);
    near(item.time_us.quantile(0.5).expect("durations") as f64, 20_000.0, 0.05);
    near(item.time_us.quantile(0.95).expect("durations") as f64, 60_000.0, 0.08);
    let list = kind(&profile, "GET /list");
    assert_eq!((list.parameters[0].name.as_str(), list.parameters[0].count), ("page", list.count));
    assert_eq!(list.popularity.distinct, 20);
}

#[test]
fn known_populations_come_back() {
    let world = World::shop();
    let profile = profile(&world.lines(2));
    let found: Vec<(&str, f64)> =
        profile.scenarios.iter().map(|scenario| (scenario.name.as_str(), scenario.sessions_share)).collect();
    assert_eq!(found.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["list", "checkout", "orders"], "{found:?}");
    for ((_, share), population) in found.iter().zip(&world.populations) {
        // A short visit of a browser looks like the beginning of a buyer's.
        near(*share, population.weight, 0.25);
    }
    let total: f64 = profile.scenarios.iter().map(|scenario| scenario.requests_share).sum();
    near(total, 1.0, 1e-9);
}

#[test]
fn transitions_and_pauses_come_back() {
    let mut world = World::shop();
    world.populations.truncate(1);
    let profile = profile(&world.lines(3));
    let index = |name: &str| profile.types.iter().position(|kind| kind.name == name);
    let (list, item) = (index("GET /list"), index("GET /item/{id}"));
    let all: u64 = profile.transitions.iter().filter(|step| step.from == item).map(|step| step.count).sum();
    let chance = |to| {
        let found = profile.transitions.iter().find(|step| (step.from, step.to) == (item, to));
        found.map_or(0.0, |step| step.count as f64 / all as f64)
    };
    near(chance(list), 0.5, 0.03);
    near(chance(item), 0.3, 0.05);
    near(chance(None), 0.2, 0.05);
    let fit = profile.think.fit.expect("pauses");
    near(fit.median_s, 6.0, 0.03);
    near(fit.p95_s, 40.0, 0.05);
}

#[test]
fn load_times_are_no_pauses() {
    let mut lines: Vec<Line> = (0..200).map(|n| Line::get(f64::from(n) * 10.0, "a", "/")).collect();
    lines.iter_mut().for_each(|line| line.duration_us = 4_000_000);
    let fit = profile(&lines).think.fit.expect("pauses");
    near(fit.median_s, 6.0, 1e-6);
}

#[test]
fn resources_belong_to_their_pages() {
    let mut lines = Vec::new();
    for n in 0..100 {
        let at = f64::from(n) * 100.0;
        let of = |line: Line, referer: &str| Line { referer: referer.into(), duration_us: 50_000, ..line };
        lines.push(of(Line::get(at, "a", "/"), ""));
        lines.push(of(Line::get(at + 0.2, "a", "/app.css?v=3"), "http://shop.test/"));
        // Named by its referer, however late; without one, by time.
        lines.push(of(Line::get(at + 20.0, "a", "/late.png"), "http://shop.test/"));
        lines.push(of(Line::get(at + 20.5, "a", "/font.woff2"), ""));
        lines.push(of(Line::get(at + 50.0, "a", "/next"), ""));
    }
    let profile = profile(&lines);
    assert_eq!(profile.apart.resources, 300);
    assert_eq!(kind(&profile, "GET /").steps, 100);
    assert_eq!(kind(&profile, "GET /app.css").steps, 0);
    let resources: Vec<(&str, u64)> = kind(&profile, "GET /")
        .resources
        .iter()
        .map(|attached| (profile.types[attached.request].name.as_str(), attached.count))
        .collect();
    assert_eq!(resources, [("GET /app.css", 100), ("GET /font.woff2", 100), ("GET /late.png", 100)]);
    // From the end of the last resource (20.55 s) to the next page (50 s), and from there (50.05 s) to the first (100 s).
    let fit = profile.think.fit.expect("pauses");
    near(fit.median_s, (29.45_f64 * 49.95).sqrt(), 0.01);
}

#[test]
fn robots_are_set_apart() {
    let mut lines: Vec<Line> = (0..50).map(|n| Line::get(f64::from(n), "10.0.0.1", "/")).collect();
    let robot = |line: Line| Line { agent: "Examplebot/1.0 (+http://example.test)".into(), ..line };
    lines.extend((0..30).map(|n| robot(Line::get(f64::from(n), "10.0.0.2", &format!("/item/{n}")))));
    let tell = |n: i32, path: &str| Line { agent: "curl/8".into(), ..Line::get(f64::from(n), "10.0.0.3", path) };
    lines.extend([tell(0, "/robots.txt"), tell(1, "/"), tell(2, "/")]);
    lines.sort_by_key(|line| line.arrival_us);
    let found = profile(&lines);
    assert_eq!((found.requests, found.apart.robots, found.sessions.count), (83, 33, 1));
    assert_eq!(kind(&found, "GET /item/{id}").popularity.count, 0);
    let with_robots = profile_with(Options { with_robots: true, ..Options::default() }, &lines);
    assert_eq!((with_robots.apart.robots, with_robots.sessions.count), (0, 3));
}

#[test]
fn load_tests_are_set_apart() {
    let mut lines: Vec<Line> = (0..50).map(|n| Line::get(f64::from(n), "10.0.0.1", "/")).collect();
    lines.extend((0..30).map(|n| Line { agent: "nmax/1.2.3".into(), ..Line::get(f64::from(n), "10.0.0.2", "/") }));
    lines.sort_by_key(|line| line.arrival_us);
    let found = profile(&lines);
    assert_eq!((found.apart.load_tests, found.apart.robots, found.sessions.count), (30, 0, 1));
    let said = found.warnings.join("\n");
    assert!(said.contains("37.5 % of the requests are of load tests by nmax"), "{said}");
    let with_all = profile_with(Options { with_robots: true, ..Options::default() }, &lines);
    assert_eq!((with_all.apart.load_tests, with_all.sessions.count), (0, 2));
}

/// Law: one line of another year, wherever it stands, changes neither rate nor sessions.
#[test]
fn one_stray_line_changes_no_rate() {
    let lines = World { length_s: 3_600.0, ..World::shop() }.lines(1);
    let want = profile(&lines);
    assert_eq!((want.apart.strays, want.season.strays.len()), (0, 0));
    for (at, years) in [(0, 73), (0, -20), (lines.len() / 2, 73), (lines.len() / 2, -20), (lines.len(), 1)] {
        let mut strayed = lines.clone();
        let stray = Line::get(0.0, "10.9.9.9", "/");
        let year_us = 365 * 86_400_000_000_i64;
        let arrival_us = lines[0].arrival_us + years * year_us;
        strayed.insert(at, Line { arrival_us, ..stray });
        let found = profile(&strayed);
        let case = format!("{years} years at line {at}");
        assert_eq!((found.apart.strays, found.requests), (1, want.requests + 1), "{case}");
        assert_eq!(found.period, want.period, "{case}");
        assert_eq!((found.first_us, found.last_us), (want.first_us, want.last_us), "{case}");
        assert_eq!(found.arrivals.requests_per_s, want.arrivals.requests_per_s, "{case}");
        assert!(found.sessions.count - want.sessions.count <= 1, "{case}");
        assert!(found.apart.late <= 1 && found.apart.restarts == 0, "{case}");
        let said = found.warnings.join("\n");
        assert!(said.contains("1 of the requests are stamped far from all others"), "{case}: {said}");
    }
}

/// Law: a log of whole seconds and durations has the same steps one after the other as what it was written of.
#[test]
fn coarse_stamps_keep_the_order_of_pages() {
    let lines = World {
        length_s: 3_600.0,
        populations: World::shop()
            .populations
            .into_iter()
            .map(|population| Population { think_s: (0.2, 1.0), ..population })
            .collect(),
        ..World::shop()
    }
    .lines(3);
    let mut written = lines.clone();
    // As nginx does: a line when a request ends, with the second of the end, less the duration.
    written.sort_by_key(|line| line.arrival_us + line.duration_us as i64);
    let mut coarse = Traffic::new(Options::default());
    for line in &written {
        let took_us = line.duration_us as i64;
        let end_us = (line.arrival_us + took_us).div_euclid(1_000_000) * 1_000_000;
        coarse.add(&Record { arrival_us: end_us - took_us, resolution_us: 1_000_000, ..line.record() });
    }
    let counts = |profile: &Profile| -> BTreeMap<(Option<String>, Option<String>), u64> {
        let name = |at: Option<usize>| at.map(|at| profile.types[at].name.clone());
        let transitions = profile.transitions.iter();
        transitions.map(|one| ((name(one.from), name(one.to)), one.count)).collect()
    };
    let (found, want) = (coarse.finish(), profile(&lines));
    assert_eq!(found.sessions.count, want.sessions.count);
    assert_eq!(counts(&found), counts(&want));
}

#[test]
fn heavy_paths_are_counted_with_robots_and_without_queries() {
    let mut lines: Vec<Line> = (0..60).map(|n| Line::get(f64::from(n), "a", &format!("/search?q={n}"))).collect();
    lines.extend(
        (0..40).map(|n| Line::get(f64::from(60 + n), "a", if n < 30 { "/item/7?from=list" } else { "/item/8" })),
    );
    let robot = |line: Line| Line { agent: "Examplebot/1.0".into(), ..line };
    lines.extend((0..10).map(|n| robot(Line::get(f64::from(100 + n), "b", if n < 5 { "/item/7" } else { "/search" }))));
    let found: Vec<(String, u64)> =
        profile(&lines).heavy.paths.into_iter().map(|path| (path.text, path.count)).collect();
    assert_eq!(found, [("/search".to_owned(), 65), ("/item/7".to_owned(), 35), ("/item/8".to_owned(), 10)]);
}

#[test]
fn breaks_end_sessions() {
    // Breaks of 10, 20, 40 and 70 min.
    let at_min = [0, 10, 30, 70, 140];
    let lines: Vec<Line> = at_min.iter().map(|min| Line::get(f64::from(*min) * 60.0, "a", "/")).collect();
    let found = profile(&lines);
    let counts: Vec<(u64, u64)> = found.sessions.at.iter().map(|at| (at.timeout_min, at.count)).collect();
    assert_eq!(counts, [(15, 4), (30, 3), (60, 2)]);
    assert_eq!(found.sessions.count, 3);
    let other = profile_with(Options { session_timeout_s: 45 * 60, ..Options::default() }, &lines);
    let counts: Vec<(u64, u64)> = other.sessions.at.iter().map(|at| (at.timeout_min, at.count)).collect();
    assert_eq!(counts, [(15, 4), (30, 3), (45, 2), (60, 2)]);
    assert_eq!(other.sessions.count, 2);
}

#[test]
fn visitors_are_told_apart_by_the_best_there_is() {
    let line = |at: f64, client: &str, agent: &str, session: &str| Line {
        agent: agent.into(),
        session: session.into(),
        ..Line::get(at, client, "/")
    };
    let lines = [
        line(0.0, "a", "x", "one"),
        line(1.0, "b", "y", "one"),
        line(2.0, "a", "x", "two"),
        line(3.0, "a", "x", ""),
        line(4.0, "a", "y", ""),
        line(5.0, "a", "x", ""),
    ];
    let found = profile(&lines);
    assert_eq!(found.sessions.count, 4);
    assert_eq!(found.sessions.by_identity["session"], 3);
    assert_eq!(found.sessions.by_identity["client and agent"], 3);
}

#[test]
fn a_period_is_the_sessions_that_begin_in_it() {
    let world = World::shop();
    let lines = world.lines(4);
    let from_us = (world.from_s * 1e6) as i64 + 2 * HOUR_US;
    let period = Period { from_us, to_us: from_us + HOUR_US };
    let found = profile_with(Options { period: Some(period), ..Options::default() }, &lines);
    let inside = lines.iter().filter(|line| period.contains(line.arrival_us)).count() as u64;
    assert_eq!((found.period, found.requests), (period, inside));
    near(found.arrivals.sessions_per_s, world.sessions_per_s, 0.08);
    let whole = profile(&lines);
    assert_eq!(found.season, whole.season, "the season is of all records");
    near(found.sessions.steps.mean().expect("sessions"), whole.sessions.steps.mean().expect("sessions"), 0.06);
}

#[test]
fn memory_is_that_of_open_sessions() {
    let mut traffic = Traffic::new(Options::default());
    let mut most = 0;
    for n in 0..300_000_u32 {
        // A new visitor each second, who is never seen again.
        let line = Line::get(f64::from(n), &format!("10.{}.{}.{}", n >> 16, n >> 8 & 255, n & 255), "/");
        traffic.add(&line.record());
        most = most.max(traffic.retained());
    }
    assert!((3_600..3_700).contains(&most), "{most} visitors of an hour, one each second");
    let found = traffic.finish();
    assert_eq!(found.sessions.count, 300_000);
    assert_eq!(found.heavy.clients.len(), 20);
}

#[test]
fn garbage_is_counted_and_harmless() {
    let mut lines = vec![Line::get(0.0, "a", "/"), Line::get(1.0, "a", "*"), Line::get(2.0, "a", "")];
    lines.push(Line { method: "\u{16}\u{3}".into(), ..Line::get(3.0, "a", "/") });
    lines.push(Line { arrival_us: i64::MAX, ..Line::get(4.0, "a", "/") });
    lines.push(Line { arrival_us: i64::MIN, ..Line::get(4.0, "a", "/") });
    let found = profile(&lines);
    assert_eq!((found.requests, found.apart.without_request), (6, 3));
    assert_eq!(found.by_method["(none)"], 1);
}

#[test]
fn nothing_is_a_profile_too() {
    let found = profile(&[]);
    assert_eq!((found.requests, found.sessions.count, found.types.len()), (0, 0, 0));
    assert!(found.warnings.is_empty());
}

#[test]
fn profiles_are_read_back() {
    let found = profile(&World { length_s: 3_600.0, ..World::shop() }.lines(5));
    let text = serde_json::to_string(&found).expect("JSON");
    let back: Profile = serde_json::from_str(&text).expect("what was written");
    // Numbers with a point may differ in their last digit; everything else is the same.
    assert_eq!((back.requests, &back.by_status, &back.by_method), (found.requests, &found.by_status, &found.by_method));
    assert_eq!(
        (back.season, back.heavy, back.warnings),
        (found.season.clone(), found.heavy.clone(), found.warnings.clone())
    );
    for (back, found) in back.types.iter().zip(&found.types) {
        assert_eq!(back.time_us.buckets().collect::<Vec<_>>(), found.time_us.buckets().collect::<Vec<_>>());
        assert_eq!(back.popularity.top, found.popularity.top);
    }
    let counts =
        |profile: &[Transition]| profile.iter().map(|step| (step.from, step.to, step.count)).collect::<Vec<_>>();
    assert_eq!(counts(&back.transitions), counts(&found.transitions));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Law: lines that are out of order within the window give the same profile as lines in order.
    #[test]
    fn order_within_the_window_does_not_matter(seed in any::<u64>(), shifts in prop::collection::vec(0..100_000_000i64, 50)) {
        let world = World { length_s: 2_000.0, ..World::shop() };
        let mut lines = world.lines(seed);
        lines.sort_by_key(|line| line.arrival_us);
        let in_order = profile(&lines);
        let mut shuffled: Vec<(i64, Line)> =
            lines.into_iter().enumerate().map(|(at, line)| (line.arrival_us + shifts[at % shifts.len()], line)).collect();
        shuffled.sort_by_key(|(at, _)| *at);
        let shuffled: Vec<Line> = shuffled.into_iter().map(|(_, line)| line).collect();
        let found = profile(&shuffled);
        prop_assert_eq!(&found.transitions, &in_order.transitions);
        prop_assert_eq!(&found.sessions, &in_order.sessions);
        prop_assert_eq!(&found.arrivals, &in_order.arrivals);
        prop_assert_eq!(&found.scenarios, &in_order.scenarios);
        prop_assert_eq!(&found.season, &in_order.season);
    }

    /// Law: the same lines give the same profile.
    #[test]
    fn the_same_lines_give_the_same_profile(seed in any::<u64>()) {
        let lines = World { length_s: 2_000.0, ..World::shop() }.lines(seed);
        prop_assert_eq!(profile(&lines), profile(&lines));
    }

    /// Law: any records are summed without a panic, and every one is counted once.
    #[test]
    fn any_records_are_counted(
        records in prop::collection::vec((any::<i64>(), any::<Option<u64>>(), "[A-Z]{0,8}", "[ -~]{0,30}", any::<u16>()), 0..200),
    ) {
        let lines: Vec<Line> = records.into_iter().map(|(arrival_us, duration, method, target, status)| Line {
            arrival_us,
            duration_us: duration.unwrap_or(0),
            method,
            status,
            ..Line::get(0.0, "a", &target)
        }).collect();
        let found = profile(&lines);
        prop_assert_eq!(found.requests, lines.len() as u64);
        prop_assert_eq!(found.by_status.values().sum::<u64>(), lines.len() as u64);
        prop_assert_eq!(found.by_method.values().sum::<u64>(), lines.len() as u64);
        let typed: u64 = found.types.iter().map(|kind| kind.count).sum();
        prop_assert_eq!(typed + found.apart.without_request, lines.len() as u64);
    }
}

/// Law: the rate of a chosen time is that of the part of it which the log covers.
#[test]
fn a_log_that_covers_a_part_of_the_time_keeps_its_rate() {
    let lines: Vec<Line> = (0..200).map(|n| Line::get(3_700.0 + f64::from(n), &format!("10.0.0.{n}"), "/")).collect();
    let hour = Period { from_us: 3_600_000_000, to_us: 7_200_000_000 };
    let options = Options { period: Some(hour), ..Options::default() };
    let found = profile_with(options, &lines);
    near(found.arrivals.sessions_per_s, 1.0, 0.01);
    near(found.arrivals.requests_per_s, 1.0, 0.01);
    assert!(
        found.warnings.iter().any(|text| text.contains("covers only 3m19s") || text.contains("covers only 3m20s")),
        "{:?}",
        found.warnings
    );
    // With the whole hour in the log, rates are those of the hour.
    let mut whole = lines;
    whole.insert(0, Line::get(10.0, "10.1.1.1", "/"));
    whole.push(Line::get(9_000.0, "10.1.1.2", "/"));
    let options = Options { period: Some(hour), ..Options::default() };
    near(profile_with(options, &whole).arrivals.sessions_per_s, 200.0 / 3_600.0, 0.01);
}

/// Law: whoever never pauses is cut into sessions, of which none is lost.
#[test]
fn endless_sessions_are_cut_and_counted() {
    let lines: Vec<Line> = (0..3_000).map(|n| Line::get(f64::from(n), "10.0.0.1", "/")).collect();
    let found = profile(&lines);
    assert_eq!(found.types[0].steps, 3_000);
    assert_eq!(found.sessions.count, 6);
    near(found.steps_mean() * found.sessions.count as f64, 3_000.0, 1e-9);
    near(found.arrivals.sessions_per_s * found.steps_mean(), 1.0, 0.01);
    assert!(found.sessions.at.iter().all(|at| at.count == 1), "{:?}", found.sessions.at);
    assert!(found.warnings.iter().any(|text| text.contains("cut 5 times")), "{:?}", found.warnings);
}
