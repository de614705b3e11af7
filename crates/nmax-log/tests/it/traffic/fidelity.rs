//! Two samples of the same traffic are alike; what was changed is seen.

use nmax_log::fidelity::{Row, Topic, Verdict, compare};
use nmax_log::plan::{PlanOptions, write};
use nmax_log::traffic::{Options, Profile, RequestType, Types};

use super::world::{Line, World};
use super::{interpreter, profile, profile_with};

fn again(source: &Profile, world: &World, seed: u64) -> Profile {
    profile_with(Options { types: Some(Types::from_profile(source)), ..Options::default() }, &world.lines(seed))
}

fn verdicts(rows: &[Row], topic: Topic) -> Vec<(Verdict, String)> {
    let own = rows.iter().filter(|row| row.topic == topic);
    own.map(|row| (row.verdict, format!("{}: {} and {} ({})", row.what, row.source, row.run, row.why))).collect()
}

#[track_caller]
fn all(rows: &[Row], topic: Topic, want: Verdict) {
    let found = verdicts(rows, topic);
    assert!(!found.is_empty(), "no rows about {topic:?}");
    assert!(found.iter().all(|(verdict, _)| *verdict == want), "{found:#?}");
}

const TOPICS: [Topic; 7] =
    [Topic::Mix, Topic::Statuses, Topic::Arrivals, Topic::Sessions, Topic::Think, Topic::Popularity, Topic::Sizes];

/// Law: samples of the same traffic are called alike, but for one row in a hundred.
#[test]
fn samples_of_the_same_traffic_are_alike() {
    let world = World::shop();
    let (mut rows, mut apart) = (0, Vec::new());
    for seed in 0..3 {
        let source = profile(&world.lines(2 * seed));
        for row in compare(&source, &again(&source, &world, 2 * seed + 1)) {
            assert_ne!(row.verdict, Verdict::Unlike, "{row:?}");
            rows += 1;
            if row.verdict != Verdict::Alike {
                apart.push(row);
            }
        }
    }
    assert!(apart.len() * 25 <= rows, "{} of {rows}: {apart:#?}", apart.len());
}

/// Law: so are a log and a run of the plan that was made of it.
#[test]
fn a_run_of_the_plan_is_like_its_log() {
    let world = World::shop();
    let log = profile(&world.lines(1));
    let options = PlanOptions { name: "shop".into(), target: None, with_writes: true, log: "access.log".into() };
    let made = write(&log, &options).expect("a plan");
    let file = made.files.iter().find(|file| file.name == "shop.traffic.json").expect("the source");
    let source: Profile = serde_json::from_str(&file.text).expect("a profile");
    let durations = |name: &str| {
        let ask = world.asks.iter().find(|ask| name.ends_with(ask.path.split(['#', '?']).next().unwrap_or("")));
        ask.map_or(20.0, |ask| ask.median_ms)
    };
    let lines = interpreter::run(&interpreter::read(&made), (made.sessions_per_s, 3_600.0), 7, &durations);
    let run = profile_with(Options { types: Some(Types::from_profile(&source)), ..Options::default() }, &lines);
    let rows = compare(&source, &run);
    for topic in TOPICS {
        let apart: Vec<_> = verdicts(&rows, topic)
            .into_iter()
            // An hour has few windows of a minute.
            .filter(|(verdict, why)| *verdict != Verdict::Alike && !why.contains("too little was seen"))
            .collect();
        assert!(apart.is_empty(), "{apart:#?}");
    }
}

#[test]
fn what_was_changed_is_seen() {
    let world = World::shop();
    let source = profile(&world.lines(1));
    let changed = |change: &dyn Fn(&mut World)| {
        let mut other = world.clone();
        change(&mut other);
        compare(&source, &again(&source, &other, 2))
    };
    let rows = changed(&|world| world.populations.swap(1, 2));
    all(&rows, Topic::Mix, Verdict::Alike);
    let rows = changed(&|world| {
        world.populations[0].weight = 0.2;
        world.populations[2].weight = 0.55;
    });
    all(&rows, Topic::Mix, Verdict::Unlike);
    let rows = changed(&|world| world.populations.iter_mut().for_each(|population| population.think_s = (20.0, 60.0)));
    all(&rows, Topic::Mix, Verdict::Alike);
    all(&rows, Topic::Think, Verdict::Unlike);
    let rows = changed(&|world| world.asks[2].exponent = 0.2);
    let found = verdicts(&rows, Topic::Popularity);
    assert!(
        found.iter().any(|(verdict, what)| *verdict == Verdict::Unlike && what.contains("/item/{id}")),
        "{found:?}"
    );
    let rows = changed(&|world| world.sessions_per_s = 1.0);
    assert_eq!(verdicts(&rows, Topic::Arrivals)[0].0, Verdict::Unlike);
    let rows = changed(&|world| world.asks.iter_mut().for_each(|ask| ask.median_ms *= 2.0));
    all(&rows, Topic::Latency, Verdict::Slower);
    let rows = changed(&|world| world.asks.iter_mut().for_each(|ask| ask.median_ms /= 2.0));
    all(&rows, Topic::Latency, Verdict::Faster);
}

#[test]
fn a_run_of_nothing_is_unknown() {
    let source = profile(&World { length_s: 3_600.0, ..World::shop() }.lines(1));
    let rows = compare(&source, &profile(&[]));
    assert!(rows.iter().all(|row| row.verdict == Verdict::Unknown), "{rows:#?}");
}

#[test]
fn statuses_that_the_log_does_not_have_are_unlike() {
    let world = World::shop();
    let source = profile(&world.lines(1));
    let mut run = again(&source, &world, 2);
    all(&compare(&source, &run), Topic::Statuses, Verdict::Alike);
    // Every second reply of one type is another one.
    let kind = run.types.iter_mut().max_by_key(|kind| kind.steps).expect("types");
    let name = kind.name.clone();
    let half = kind.count / 2;
    *kind.statuses.get_mut(&200).expect("some are fine") -= half;
    *kind.statuses.entry(404).or_default() += half;
    let rows = compare(&source, &run);
    all(&rows, Topic::Statuses, Verdict::Unlike);
    all(&rows, Topic::Mix, Verdict::Alike);
    let (_, told) = verdicts(&rows, Topic::Statuses).remove(0);
    assert!(told.contains(&format!("most of it at {name}")), "{told}");
}

/// Visitors who were not signed in: some percent of other replies are no small matter.
#[test]
fn a_few_percent_of_other_statuses_are_unlike() {
    let world = World::shop();
    let source = profile(&world.lines(1));
    let mut run = again(&source, &world, 2);
    for kind in &mut run.types {
        let lost = kind.count * 9 / 100;
        let fine = kind.statuses.entry(200).or_default();
        *fine = fine.saturating_sub(lost);
        *kind.statuses.entry(403).or_default() += lost;
    }
    let rows = compare(&source, &run);
    all(&rows, Topic::Statuses, Verdict::Unlike);
    let row = rows.iter().find(|row| row.topic == Topic::Statuses).expect("a row");
    assert_eq!((row.source.as_str(), row.run.as_str()), ("1 status", "2 statuses"));
}

/// What a log counts of framing is no other size, and what it does not resolve is no latency.
#[test]
fn what_a_log_cannot_tell_is_no_difference() {
    let line =
        |n: u32, bytes: u64, duration_us: u64| Line { bytes, duration_us, ..Line::get(f64::from(n), "10.0.0.1", "/") };
    let mut source = profile(&(0..100).map(|n| line(n, 777, 0)).collect::<Vec<_>>());
    source.types[0].time_us.add_many(0, 100);
    let of_run = |bytes: u64| profile(&(0..100).map(|n| line(n, bytes, 7_000)).collect::<Vec<_>>());
    let rows = compare(&source, &of_run(765));
    all(&rows, Topic::Sizes, Verdict::Alike);
    all(&rows, Topic::Latency, Verdict::Unknown);
    assert!(rows.iter().filter(|row| row.topic == Topic::Latency).all(|row| row.distance.is_none()));
    all(&compare(&source, &of_run(700)), Topic::Sizes, Verdict::Unlike);
}

#[test]
fn what_belongs_to_a_page_is_no_matter_of_the_mix() {
    let world = World::shop();
    let mut source = profile(&world.lines(1));
    let mut run = again(&source, &world, 2);
    let style = |profile: &mut Profile, steps| {
        profile.types.push(RequestType {
            name: "GET /app.css".into(),
            is_resource: true,
            steps,
            ..RequestType::default()
        });
    };
    style(&mut source, 1);
    let steps = run.sessions.count;
    style(&mut run, steps);
    all(&compare(&source, &run), Topic::Mix, Verdict::Alike);
}

#[test]
fn a_run_that_is_too_short_is_not_called_alike() {
    let world = World::shop();
    let source = profile(&world.lines(1));
    let run = profile(&World { length_s: 40.0, sessions_per_s: 0.3, ..world }.lines(2));
    let rows = compare(&source, &run);
    let rate = rows.iter().find(|row| row.what == "rate of sessions").expect("a row");
    assert!(run.sessions.count < 30, "{}", run.sessions.count);
    for row in rows.iter().filter(|row| row.verdict == Verdict::Alike && row.topic == Topic::Arrivals) {
        let ratio = row.distance.expect("known");
        assert!((0.6..1.7).contains(&ratio), "{row:?} beside {rate:?}");
    }
}
