//! Laws of several injectors: the worst decides.

use nmax_metrics::{Resource, Window};

use super::*;
use crate::{Fold, Judgement, Own, Verdict, judge};

/// A run of these injectors, in which each did what its own run says.
fn fleet(each: &[(&str, Run)]) -> Judgement {
    let mut run = Run { totals: Aggregate::default(), ..each[0].1.clone() };
    each.iter().for_each(|(_, of)| run.totals.merge(&of.totals));
    let facts = each.iter().map(|(name, of)| {
        let own = Own { totals: of.totals.clone(), course: of.course.clone() };
        InjectorFacts { name: (*name).to_owned(), own: Some(Box::new(own)), ..of.injector.clone() }
    });
    let injectors: Vec<InjectorFacts> = facts.collect();
    judge(&Evidence { injectors: &injectors, ..run.evidence() })
}

/// A run that is well, with a clock that is known and a condition that lag can answer.
fn well() -> Run {
    let mut run = Run::healthy();
    run.injector.clock_error_s = Some(0.004);
    run.expect_p99_below(30.0);
    run
}

/// What an injector may suffer from: the code that says so, and how.
type Ill = (&'static str, fn(&mut Run));

const ILLS: [Ill; 13] = [
    ("G3_INJECTOR_LAG", |run| run.add(Section::Hold, 20, HOME, Outcome::Ok, 40.0, 35.0)),
    ("G4_INJECTOR_CPU", |run| run.injector.cpu_utilization_max = Some(0.96)),
    ("G4_RUN_QUEUE", |run| run.totals.load_mut(Section::Hold).run_wait = Nanos::from_secs(3)),
    ("G4_INJECTOR_ERRORS", |run| run.add_errors(1, ErrorKind::Injector)),
    ("G4_OPEN_FILES", |run| run.injector.open_files_max = Some(1_000)),
    ("G4_LOCAL_PORTS", |run| run.injector.ports_used_max = Some(28_000)),
    ("G4_MEMORY", |run| run.injector.memory_available_min = Some(0.01)),
    ("G4_SWAP", |run| run.injector.swapped_bytes = Some(1 << 30)),
    ("G8_STALLS", |run| run.injector.stalled_max_s = Some(1.0)),
    ("G8_GAPS", |run| run.injector.windows_missing = 2),
    ("G8_GAPS", |run| run.injector.gaps = vec![3..4, 6..9]),
    ("G8_CLOCK", |run| run.injector.clock_error_s = Some(0.3)),
    ("G8_CLOCK", |run| (run.injector.clock_error_s, run.injector.clock_jump_s) = (Some(0.01), Some(2.0))),
];

const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

proptest! {
    /// Law: so many of one kind are judged as one of it.
    #[test]
    fn copies_of_one_are_judged_as_one(k in 1..=6_usize, ill in prop::option::of(0..ILLS.len())) {
        let mut run = well();
        ill.into_iter().for_each(|ill| ILLS[ill].1(&mut run));
        let alone = judge(&run.evidence());
        let all: Vec<_> = NAMES[..k].iter().map(|name| (*name, run.clone())).collect();
        let judged = fleet(&all);
        prop_assert_eq!(judged.verdict, alone.verdict);
        let said = |judgement: &Judgement| {
            judgement.gates.iter().map(|gate| (gate.code, gate.name, gate.holds)).collect::<Vec<_>>()
        };
        prop_assert_eq!(said(&judged), said(&alone));
        let named = judged.gates.iter().all(|gate| gate.injector.is_none() || (k > 1 && gate.text.starts_with("injector a: ")));
        prop_assert!(named, "{:?}", judged.gates);
    }

    /// Law: one that is sick among any number makes the run INVALID and is named, in whatever order they are.
    #[test]
    fn one_that_is_sick_is_named(k in 2..=6_usize, sick in any::<prop::sample::Index>(), ill in 0..ILLS.len(), turn in 0..6_usize) {
        let mut all: Vec<_> = NAMES[..k].iter().map(|name| (*name, well())).collect();
        let (code, spoil) = ILLS[ill];
        let sick = sick.index(k);
        spoil(&mut all[sick].1);
        let judged = fleet(&all);
        prop_assert_eq!(judged.verdict, Verdict::Invalid);
        let decide: Vec<_> = judged.reasons.iter().filter(|reason| reason.decides).map(|reason| (reason.code, &reason.text)).collect();
        prop_assert_eq!(decide.len(), 1, "{:?}", &decide);
        prop_assert!(decide[0].0 == code && decide[0].1.starts_with(&format!("injector {}: ", NAMES[sick])), "{:?}", &decide);
        all.rotate_left(turn % k);
        prop_assert_eq!(fleet(&all), judged);
    }
}

/// What each lost is told in seconds of its own, the worst first, with the windows; both are bounded.
#[test]
fn what_each_lost_is_told() {
    let text = |lost: &[(&str, Vec<(u64, u64)>)]| {
        let long = |name, gaps: &[(u64, u64)]| {
            let gaps = gaps.iter().map(|(from, to)| *from..*to).collect();
            let injector = InjectorFacts { gaps, ..well().injector };
            (name, Run { end: Nanos::from_secs(60), injector, ..well() })
        };
        let judged = fleet(&lost.iter().map(|(name, gaps)| long(*name, gaps)).collect::<Vec<_>>());
        judged.reasons.into_iter().find(|reason| reason.code == "G8_GAPS").map(|reason| (reason.decides, reason.text))
    };
    let none = vec![];
    assert_eq!(text(&[("a", none.clone()), ("b", none.clone())]), None);
    let (decides, one) = text(&[("a", none.clone()), ("b", vec![(48, 60)])]).unwrap();
    let what = "what happened then is not known; repeat the run";
    let (figures, limit) = ("injector b: 12 s of 60 s are lost, windows 48 to 59", "(20 %, limit 2 %)");
    assert!(decides && one == format!("{figures} {limit}: {what}"), "{one}");
    let (_, two) = text(&[("a", vec![(7, 8), (30, 31)]), ("b", vec![(48, 60)]), ("c", none.clone())]).unwrap();
    let other = "injector a: 2 s of 60 s are lost, windows 7, 30";
    assert_eq!(two, format!("{figures} {limit}; {other}: {what}"));
    let (decides, little) = text(&[("a", none), ("b", vec![(59, 60)])]).unwrap();
    assert!(!decides && little == "injector b: 1 s of 60 s are lost, windows 59", "{little}");
    let names: Vec<String> = (10..19).map(|number| format!("n{number}")).collect();
    let many = (0..9).map(|n| (2 * n, 2 * n + 1)).collect::<Vec<_>>();
    let all: Vec<_> = names.iter().map(|name| (name.as_str(), many.clone())).collect();
    let (_, all) = text(&all).unwrap();
    assert!(all.starts_with("injector n10: 9 s of 60 s are lost, windows 0, 2, 4, 6, 8, .. (15 %"), "{all}");
    assert!(all.contains("; injector n15: 9 s of 60 s") && all.contains("; 3 more injectors: 27 s: what"), "{all}");
}

proptest! {
    /// Law: what an injector lost are the windows that the run lacks and those of its gaps, each once.
    #[test]
    fn lost_windows_are_counted_once(sent in prop::collection::vec((any::<bool>(), any::<bool>()), 1..40)) {
        let run = well();
        let mut fold = Fold::new(&run.plan, run.hold, Some(run.end)).of_injectors(&["a", "b"]);
        for (index, (a, b)) in (0..).zip(&sent) {
            let window = Window::new(index, Nanos::from_secs(1));
            for (injector, sent) in [(0, *a), (1, *b)] {
                match sent {
                    true => fold.part(injector, &window),
                    false => fold.injectors[injector].facts.gaps.push(index..index + 1),
                }
            }
            if *a || *b {
                fold.window(&window);
            }
        }
        fold.known_end(Nanos::from_secs(sent.len() as u64));
        fold.ended = Some(Nanos::from_secs(sent.len() as u64));
        let rows = fold.judge(&run.plan, &run.catalog, None, None).summary.injectors;
        let lost = |of: fn(&(bool, bool)) -> bool| sent.iter().filter(|one| !of(one)).count() as f64;
        prop_assert_eq!((rows[0].lost_s, rows[1].lost_s), (lost(|one| one.0), lost(|one| one.1)));
    }
}

/// A clock is judged where several injectors took part, or where it is known how far it may be off.
#[test]
fn a_clock_is_judged_where_there_are_several() {
    let clock = |judgement: &Judgement| judgement.gates.iter().find(|gate| gate.name == "clock").cloned();
    let off = |error_s: Option<f64>| {
        let run = well();
        Run { injector: InjectorFacts { clock_error_s: error_s, ..run.injector.clone() }, ..run }
    };
    assert_eq!(clock(&judge(&off(None).evidence())), None);
    assert_eq!(clock(&judge(&off(Some(0.004)).evidence())).unwrap().value, Some(4.0));
    let unknown = clock(&fleet(&[("a", off(None)), ("b", off(None))])).unwrap();
    assert!(unknown.holds && unknown.value.is_none(), "{unknown:?}");
    let worst = clock(&fleet(&[("a", off(Some(0.004))), ("b", off(Some(0.07))), ("c", off(None))])).unwrap();
    assert_eq!((worst.value, worst.limit, worst.unit, worst.failing), (Some(70.0), Some(50.0), "ms", vec!["b".into()]));
    assert!(worst.text.starts_with("injector b: the clock agrees with the others to within 70 ms, limit 50 ms"));
}

/// Readings of a host go to the injector of that name, windows to the one that measured them.
#[test]
fn each_injector_has_facts_of_its_own() {
    let run = well();
    let mut fold = Fold::new(&run.plan, run.hold, Some(run.end)).of_injectors(&["a", "b"]);
    let line = |host: &str, metric: &str, value: f64| Resource {
        at: Nanos::from_secs(10),
        host: host.into(),
        source: "run".into(),
        metric: metric.into(),
        value,
        unit: String::new(),
    };
    for (host, cpu, ended_s) in [("a", 0.2, 10.0), ("b", 0.99, 9.0), ("c", 1.0, 99.0)] {
        fold.resource(&line(host, "cpu_utilization_hold_max", cpu));
        fold.resource(&line(host, "workers_count", 3.0));
        fold.resource(&line(host, "ended_s", ended_s));
        fold.resource(&line(host, "interrupted", f64::from(u8::from(host == "c"))));
        for off_s in [0.02, 0.01, -cpu] {
            fold.resource(&line(host, "clock_error_s", off_s.max(0.0)));
            fold.resource(&line(host, "clock_jump_s", off_s));
        }
    }
    assert_eq!((fold.ended, fold.interrupted), (Some(Nanos::from_secs(10)), false));
    let mut window = Window::new(0, Nanos::from_secs(10));
    for injector in 0..2 {
        let mut part = Window::new(0, window.width);
        part.aggregate.merge(&run.totals);
        part.aggregate.load_mut(Section::Hold).run_wait = Nanos::from_secs(3 * injector as u64);
        fold.part(injector, &part);
        window.aggregate.merge(&part.aggregate);
    }
    fold.window(&window);
    fold.injectors[0].facts.gaps.push(4..6);
    let judged = fold.judge(&run.plan, &run.catalog, None, None);
    let closed: Vec<_> = judged.judgement.gates.iter().filter(|gate| !gate.holds).collect();
    let told: Vec<_> = closed.iter().map(|gate| (gate.name, gate.injector.as_deref())).collect();
    assert_eq!(
        told,
        [("injector CPU", Some("b")), ("run queue", Some("b")), ("gaps", Some("a")), ("clock", Some("b"))]
    );
    let failing: Vec<_> = closed.iter().map(|gate| gate.failing.join(" ")).collect();
    assert_eq!(failing, ["b", "b", "a", "a b"]);
    let rows = &judged.summary.injectors;
    assert_eq!(rows[0].fails, ["G8_GAPS", "G8_CLOCK"]);
    assert_eq!((rows[1].clock_error_s, rows[1].clock_jump_s, rows[1].shard), (Some(0.02), Some(0.99), 1));
    assert_eq!((judged.summary.injector.workers, judged.summary.injector.cpu_utilization_max), (6, Some(0.99)));
    let hosts: Vec<_> = judged.judgement.diagnosis.suspects.iter().map(|one| one.resource.host.as_str()).collect();
    assert_eq!(hosts, ["b"]);
}

/// What is judged stretch by stretch is of the injector itself: in the sum of both, the full one hides.
#[test]
fn a_stretch_is_of_one_injector() {
    let run = well();
    let mut fold = Fold::new(&run.plan, run.hold, Some(run.end)).of_injectors(&["a", "b"]);
    fold.injectors.iter_mut().for_each(|injector| injector.facts.workers = 1);
    for second in 0..10 {
        let mut window = Window::new(second, Nanos::from_secs(1));
        for (injector, cpu_ms) in [(0, 200), (1, if second < 5 { 999 } else { 200 })] {
            let mut part = Window::new(second, window.width);
            let load = part.aggregate.load_mut(Section::Hold);
            (load.worker_time, load.cpu) = (Nanos::from_secs(1), Nanos::from_millis(cpu_ms));
            window.aggregate.merge(&part.aggregate);
            fold.part(injector, &part);
        }
        fold.window(&window);
    }
    let judged = fold.judge(&run.plan, &run.catalog, None, None);
    let cpu = judged.judgement.gates.iter().find(|gate| gate.name == "injector CPU").unwrap();
    assert!(
        !cpu.holds && cpu.failing == ["b"] && cpu.text.contains("injector b: ") && cpu.text.contains("to 5 s"),
        "{cpu:?}"
    );
}
