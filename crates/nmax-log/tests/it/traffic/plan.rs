//! The plan of a log makes its traffic again.

use std::collections::BTreeMap;

use nmax_log::plan::{Made, PlanError, PlanOptions, write};
use nmax_log::record::Record;
use nmax_log::traffic::{Options, Profile, Traffic, Types};
use nmax_plan::plan::{Arrivals, Step, ThinkTime, Workload};
use proptest::prelude::*;

use super::world::{Ask, Line, Population, World};
use super::{interpreter, near, profile, profile_with};

fn options(with_writes: bool) -> PlanOptions {
    PlanOptions { name: "shop".into(), target: None, with_writes, log: "access.log".into() }
}

fn made(profile: &Profile, with_writes: bool) -> Made {
    write(profile, &options(with_writes)).expect("a plan")
}

/// Shares of the types in the steps.
fn mix(profile: &Profile) -> BTreeMap<String, f64> {
    let total: u64 = profile.types.iter().map(|kind| kind.steps).sum();
    profile.types.iter().map(|kind| (kind.name.clone(), kind.steps as f64 / total as f64)).collect()
}

fn distance(one: &BTreeMap<String, f64>, two: &BTreeMap<String, f64>) -> f64 {
    let names: std::collections::BTreeSet<&String> = one.keys().chain(two.keys()).collect();
    let share = |mix: &BTreeMap<String, f64>, name: &String| mix.get(name).copied().unwrap_or(0.0);
    0.5 * names.into_iter().map(|name| (share(one, name) - share(two, name)).abs()).sum::<f64>()
}

/// What a run of a plan looks like, with the request types of its source.
fn run(source: &Profile, made: &Made, sessions: f64, seed: u64) -> Profile {
    let plan = interpreter::read(made);
    let length_s = sessions / made.sessions_per_s;
    let lines = interpreter::run(&plan, (made.sessions_per_s, length_s), seed, &|_| 20.0);
    profile_with(Options { types: Some(Types::from_profile(source)), ..Options::default() }, &lines)
}

#[test]
fn a_plan_makes_the_mix_again() {
    let source = profile(&World::shop().lines(1));
    let made = made(&source, true);
    let found = run(&source, &made, 20_000.0, 1);
    let apart = distance(&mix(&source), &mix(&found));
    assert!(apart <= 0.02, "{apart}: {:?} and {:?}", mix(&source), mix(&found));
    near(found.steps_mean(), source.steps_mean(), 0.02);
    near(made.sessions_per_s, source.arrivals.sessions_per_s, 1e-9);
    near(made.requests_per_s, source.arrivals.requests_per_s, 0.02);
    near(made.covered, 1.0, 0.01);
}

#[test]
fn writes_are_left_out_unless_wanted() {
    let source = profile(&World::shop().lines(1));
    let made = made(&source, false);
    assert!(made.warnings.iter().any(|warning| warning.contains("--include-writes")), "{:?}", made.warnings);
    assert!(!made.plan.contains("post:"), "{}", made.plan);
    let found = run(&source, &made, 20_000.0, 2);
    let mut want = mix(&source);
    let cart = want.remove("POST /cart").expect("a cart in the log");
    want.values_mut().for_each(|share| *share /= 1.0 - cart);
    assert!(distance(&want, &mix(&found)) <= 0.02);
    near(made.covered, 1.0 - cart, 0.01);
    let file = made.files.iter().find(|file| file.name == "shop.traffic.json").expect("the source");
    let stored: Profile = serde_json::from_str(&file.text).expect("a profile");
    assert_eq!(stored.left_out, ["POST /cart"]);
}

#[test]
fn the_document_says_what_it_is() {
    let source = profile(&World::shop().lines(1));
    let made = made(&source, false);
    let plan = interpreter::read(&made);
    assert_eq!(plan.name, "shop");
    let Workload::Open { rate_per_s, arrivals, .. } = plan.workload else { panic!("{:?}", plan.workload) };
    near(rate_per_s, made.sessions_per_s, 1e-3);
    assert_eq!(arrivals, Arrivals::Poisson);
    let names: Vec<&str> = plan.scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
    assert_eq!(names, ["list", "checkout", "orders"]);
    let weights: f64 = plan.scenarios.iter().map(|scenario| scenario.weight).sum();
    near(weights, 100.0, 0.001);
    for text in ["2026-01-01 00:00:", "in the log: p50", "pick: zipf", "per: request", "# Sessions. About"] {
        assert!(made.plan.contains(text), "no `{text}` in\n{}", made.plan);
    }
}

#[test]
fn one_way_needs_no_choice() {
    let mut world = World::shop();
    world.populations.drain(..1);
    world.populations.truncate(1);
    world.populations[0].weight = 1.0;
    let made = made(&profile(&world.lines(1)), true);
    let plan = interpreter::read(&made);
    let steps = &plan.scenarios[0].steps;
    assert_eq!((plan.scenarios.len(), steps.len()), (1, 7), "four requests and three pauses: {}", made.plan);
    assert!(steps.iter().all(|step| matches!(step, Step::Call(_) | Step::Think(_))), "{}", made.plan);
    for step in steps {
        if let Step::Think(ThinkTime::Lognormal { median, p95 }) = step {
            near(median.as_secs_f64(), 4.0, 0.05);
            near(p95.as_secs_f64(), 20.0, 0.05);
        }
    }
}

#[test]
fn pages_bring_their_resources() {
    let mut lines = Vec::new();
    for n in 0..100 {
        let at = f64::from(n) * 3_600.0;
        lines.push(Line::get(at, "a", "/"));
        lines.push(Line::get(at + 0.1, "a", "/app.css"));
        if n % 4 == 0 {
            lines.push(Line::get(at + 0.2, "a", "/rare.png"));
        }
    }
    let made = made(&profile(&lines), false);
    assert!(made.plan.contains("resources: [/app.css]"), "{}", made.plan);
    interpreter::read(&made);
}

/// Law: pages bring as many resources as in the log, also where several of one kind come with each view.
#[test]
fn pages_bring_all_of_their_resources() {
    let mut lines = Vec::new();
    for n in 0..200 {
        let (at, client) = (f64::from(n) * 60.0, format!("10.0.0.{n}"));
        let mut get = |after: f64, target: &str| lines.push(Line::get(at + after, &client, target));
        get(0.0, "/");
        // Three of four come without a cache.
        if n % 4 != 0 {
            (1..=3).for_each(|img| get(0.1 * f64::from(img), &format!("/img/{img}.jpg")));
            get(0.5, "/app.css");
        }
        get(20.0, &format!("/book/{}", n % 50));
        get(20.1, &format!("/cover/{}.png", n % 50));
        get(20.2, "/cover/badge-77.png");
    }
    let made = made(&profile(&lines), false);
    let line_with = |part: &str| made.plan.lines().find(|line| line.contains(part)).unwrap_or_default();
    let home = line_with("resources: [/");
    for part in ["/img/1.jpg", "/img/2.jpg", "/img/3.jpg", "/app.css"] {
        assert!(home.contains(part), "{part}: {}", made.plan);
    }
    assert_eq!(home.matches(',').count(), 3, "{home}");
    // A cover is another one with each book.
    let book = line_with("cover");
    assert!(made.plan.contains("\"${cover.path}\""), "{book}: {}", made.plan);
    assert!(!made.warnings.iter().any(|text| text.contains("static content")), "{:?}", made.warnings);
    let per_session = made.requests_per_s / made.sessions_per_s;
    assert!((per_session - 8.0).abs() < 0.1, "{per_session}");
    interpreter::read(&made);
}

#[test]
fn resources_that_few_views_bring_are_told() {
    let lines: Vec<Line> = (0..300)
        .flat_map(|n| {
            let (at, client) = (f64::from(n) * 10.0, format!("10.0.0.{n}"));
            let page = Line::get(at, &client, "/");
            let picture = Line::get(at + 0.1, &client, "/a.png");
            std::iter::once(page).chain((n % 3 == 0).then_some(picture))
        })
        .collect();
    let said = made(&profile(&lines), false).warnings.join("\n");
    assert!(said.contains("100 % of the static content"), "{said}");
}

#[test]
fn statuses_of_the_log_are_expected() {
    // Statuses of 200 replies beside 200, how often each, what the plan expects, why.
    type Case = (&'static [(u16, usize)], &'static str, &'static str);
    let cases: [Case; 6] = [
        (&[], "[200, 304]", "a page is no redirect"),
        (&[(302, 200)], "[302]", "a redirect is no page"),
        (&[(302, 20), (404, 20)], "[200, 302, 304]", "a page that is gone is a failure"),
        (&[(304, 150)], "[200, 304]", "a client without a cache gets the page"),
        (&[(302, 1)], "[200, 304]", "what is rare is no rule"),
        (&[(500, 100)], "[200, 304]", "a failure stays one"),
    ];
    for (statuses, want, why) in cases {
        let mut lines: Vec<Line> =
            (0..200).map(|n| Line::get(f64::from(n) * 9.0, "a", &format!("/item/{}", n % 50))).collect();
        let others = statuses.iter().flat_map(|(status, count)| std::iter::repeat_n(*status, *count));
        // Spread, so that each item has an answer that is no 404.
        (0..200).map(|n| n * 7 % 200).zip(others).for_each(|(at, status)| lines[at].status = status);
        let made = made(&profile(&lines), false);
        assert!(made.plan.contains(&format!("expect: {{ status: {want} }}")), "{why}: {}", made.plan);
        interpreter::read(&made);
    }
}

/// What may be in flight follows from the log, so that a small load needs few connections.
#[test]
fn few_sessions_need_few_slots() {
    let lines: Vec<Line> = (0..100)
        .flat_map(|n| {
            let visitor = format!("v{n}");
            [0.0, 30.0].map(|pause| Line::get(f64::from(n) * 2.0 + pause, &visitor, "/item/7"))
        })
        .collect();
    let made = made(&profile(&lines), false);
    // 100 sessions of 30 s in 228 s: 13 at once.
    assert!(made.plan.contains("max_in_flight: 100"), "{}", made.plan);
    interpreter::read(&made);
}

#[test]
fn no_sessions_and_no_requests_are_errors() {
    assert_eq!(write(&profile(&[]), &options(false)), Err(PlanError::NoSessions));
    let posts: Vec<Line> =
        (0..9).map(|n| Line { method: "POST".into(), ..Line::get(f64::from(n), "a", "/cart") }).collect();
    assert_eq!(write(&profile(&posts), &options(false)), Err(PlanError::NothingToSend));
    assert_eq!(made(&profile(&posts), true).scenarios, 1);
}

/// A world of `n` asks with chances of any kind.
fn worlds() -> impl Strategy<Value = World> {
    let chances = |n: usize| prop::collection::vec(prop_oneof![Just(0.0), 0.01..1.0_f64], n);
    let population = move |n: usize| {
        (0.05..1.0_f64, chances(n), prop::collection::vec((chances(n), 0.1..1.0_f64), n), 0.2..20.0_f64).prop_map(
            |(weight, begin, next, median_s)| {
                let scaled = |chances: Vec<f64>, to: f64| -> Vec<f64> {
                    let sum: f64 = chances.iter().sum();
                    chances.into_iter().map(|chance| if sum > 0.0 { chance * to / sum } else { 0.0 }).collect()
                };
                Population {
                    weight,
                    begin: scaled(begin, 1.0),
                    next: next.into_iter().map(|(chances, end)| scaled(chances, 1.0 - end)).collect(),
                    think_s: (median_s, 4.0 * median_s),
                }
            },
        )
    };
    let asks = prop::sample::subsequence(ASKS.to_vec(), 1..=ASKS.len());
    (asks, 1..4usize).prop_flat_map(move |(asks, populations)| {
        let n = asks.len();
        (Just(asks), prop::collection::vec(population(n), populations)).prop_map(|(asks, mut populations)| {
            let total: f64 = populations.iter().map(|population| population.weight).sum();
            populations.iter_mut().for_each(|population| population.weight /= total);
            World { asks, populations, length_s: 3_000.0, ..World::shop() }
        })
    })
}

const fn ask(method: &'static str, path: &'static str, numbers: u32) -> Ask {
    Ask { method, path, numbers, exponent: 0.8, median_ms: 20.0 }
}

const ASKS: [Ask; 9] = [
    ask("GET", "/", 1),
    ask("GET", "/a$b/c,d;e/\"f\"", 1),
    ask("GET", "/item/#", 50),
    ask("GET", "/search?q=#&p=${x}", 30),
    ask("POST", "/item/#/reviews", 10),
    ask("HEAD", "/", 1),
    ask("GET", "/end", 1),
    ask("DELETE", "/true", 1),
    ask("GET", "/12345/null", 1),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Law: the plan of any traffic is a valid document, and it makes the mix of what it sends again.
    #[test]
    fn plans_of_any_traffic_make_it_again(world in worlds(), seed in any::<u64>(), with_writes in any::<bool>()) {
        let source = profile(&world.lines(seed));
        let made = match write(&source, &options(with_writes)) {
            Ok(made) => made,
            Err(_) => return Ok(()),
        };
        let found = run(&source, &made, 3_000.0, seed);
        let stored = &made.files.iter().find(|file| file.name == "shop.traffic.json").expect("the source").text;
        let stored: Profile = serde_json::from_str(stored).expect("a profile");
        let mut want = mix(&source);
        stored.left_out.iter().for_each(|name| {
            want.remove(name);
        });
        let total: f64 = want.values().sum();
        want.values_mut().for_each(|share| *share /= total);
        let apart = distance(&want, &mix(&found));
        prop_assert!(apart <= 0.05, "{apart}: {want:?} and {:?}\n{}", mix(&found), made.plan);
    }
}

/// A line of whoever looks for an open proxy does not choose where the load goes, and one moment makes no rate.
#[test]
fn a_single_line_decides_nothing() {
    let lines = World::shop().lines(1);
    let mut traffic = Traffic::new(Options::default());
    for (at, line) in lines.iter().enumerate() {
        let host: &[u8] = if at == 0 { b"evil.example" } else { b"" };
        traffic.add(&Record { host, ..line.record() });
    }
    let made = write(&traffic.finish(), &options(true)).expect("a plan");
    assert!(!made.plan.contains("evil.example"), "{}", made.plan);
    let alone = profile(&[Line::get(5.0, "10.0.0.1", "/")]);
    let made = write(&alone, &options(true)).expect("a plan");
    assert!(made.sessions_per_s <= 1.0, "{}", made.sessions_per_s);
}

/// Targets with two slashes in front, as scanners send, name no other host.
#[test]
fn every_request_goes_to_the_target() {
    let mut lines = World::shop().lines(1);
    for (at, line) in lines.iter_mut().enumerate().filter(|(at, _)| at % 3 == 0) {
        line.target =
            if at % 2 == 0 { "//evil.example/y".to_owned() } else { format!("//evil.example/item/{}", at % 5) };
    }
    let mut made = made(&profile(&lines), true);
    let text = std::mem::take(&mut made.plan);
    assert!(text.contains("${target}//evil.example/y"), "{text}");
    let rows = made.files.iter().filter(|file| file.text.contains("\n//evil.example"));
    for file in rows {
        let source = file.name.split('.').nth(1).expect("a source");
        assert!(text.contains(&format!("${{target}}${{{source}.path}}")), "{source}: {text}");
    }
    for line in text.lines() {
        let host_first = ["get: //", "get: \"//", "- //", "[//", "\"//"];
        assert!(!host_first.iter().any(|begin| line.contains(begin)), "{line}");
    }
}

#[test]
fn what_makes_a_run_pass_is_in_the_plan() {
    let made = made(&profile(&World::shop().lines(1)), true);
    assert!(made.plan.contains("failure_rate < 5%") && made.plan.contains("dropped < 1%"), "{}", made.plan);
}
