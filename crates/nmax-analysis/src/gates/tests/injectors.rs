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

/// A run that is well, with a condition that lag can answer.
fn well() -> Run {
    let mut run = Run::healthy();
    run.expect_p99_below(30.0);
    run
}

/// What an injector may suffer from: the code that says so, and how.
type Ill = (&'static str, fn(&mut Run));

const ILLS: [Ill; 11] = [
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
        let named = judged.gates.iter().all(|gate| gate.injector.is_none() || (k > 1 && gate.text.starts_with("a: ")));
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
        prop_assert!(decide[0].0 == code && decide[0].1.starts_with(&format!("{}: ", NAMES[sick])), "{:?}", &decide);
        all.rotate_left(turn % k);
        prop_assert_eq!(fleet(&all), judged);
    }
}

/// What one lost is named by its number, and bounded.
#[test]
fn a_gap_names_its_windows() {
    let text = |lost: &[Range<u64>]| gaps(0, lost, 100).text;
    assert_eq!(text(&[7..8, 30..31]), "2 of 100 windows lack the report of a worker, numbers 7, 30");
    assert!(text(&[3..4, 60..99]).contains("worker, numbers 3, 60 to 98 (40 %, limit 2 %)"));
    let many: Vec<Range<u64>> = (0..9).map(|n| 2 * n..2 * n + 1).collect();
    assert!(text(&many).contains("numbers 0, 2, 4, 6, 8, .. (9 %"), "{}", text(&many));
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
    for (host, cpu) in [("a", 0.2), ("b", 0.99), ("c", 1.0)] {
        fold.resource(&line(host, "cpu_utilization_hold_max", cpu));
        fold.resource(&line(host, "workers_count", 3.0));
    }
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
    assert_eq!(told, [("injector CPU", Some("b")), ("run queue", Some("b")), ("gaps", Some("a"))]);
    assert_eq!((judged.summary.injector.workers, judged.summary.injector.cpu_utilization_max), (6, Some(0.99)));
    let hosts: Vec<_> = judged.judgement.diagnosis.suspects.iter().map(|one| one.resource.host.as_str()).collect();
    assert_eq!(hosts, ["b"]);
}
