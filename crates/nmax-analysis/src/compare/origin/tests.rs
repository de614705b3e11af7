use super::*;

fn run(label: &str) -> Origin {
    Origin {
        label: label.into(),
        name: "shop".into(),
        target: "http://127.0.0.1:8080".into(),
        verdict: "pass".into(),
        is_complete: true,
        plan_sha256: "aa".into(),
        hold_s: 60.0,
        load: Load::Open(100.0),
        nmax_version: "1.0.0".into(),
        workers: 2,
        counts: vec![("home".into(), 4_000), ("cart".into(), 2_000)],
        ..Origin::default()
    }
}

/// What is said of `a` beside a changed `b`, and whether it refuses.
#[track_caller]
fn check(change: impl FnOnce(&mut Origin), want: &[(&str, bool)]) {
    let mut other = run("b");
    change(&mut other);
    let found = caveats(&[run("a")], &[other]);
    assert_eq!(found.len(), want.len(), "{found:#?}");
    for (caveat, (text, refuses)) in found.iter().zip(want) {
        assert!(caveat.text.contains(text) && caveat.refuses == *refuses, "{caveat:?}, not {text}");
    }
}

#[test]
fn equal_runs_have_no_caveat() {
    check(|_| {}, &[]);
}

#[test]
fn each_difference_is_told() {
    check(|run| run.verdict = "invalid".into(), &[("b is INVALID", true)]);
    check(|run| run.verdict = "fail".into(), &[]);
    check(|run| run.is_complete = false, &[("b did not come to its planned end", true)]);
    check(|run| run.load = Load::Open(110.0), &[("different loads: 100/s and 110/s", true)]);
    check(|run| run.load = Load::Open(100.5), &[]);
    check(|run| run.load = Load::Closed(100.0), &[("one waits for replies", true)]);
    check(|run| run.profile = Some("peak".into()), &[("different profiles: none and peak", true)]);
    check(|run| run.hold_s = 30.0, &[("a and b hold for 60.0 s and 30.0 s", true)]);
    check(|run| run.hold_s = 55.0, &[("a and b hold for 60.0 s and 55.0 s", false)]);
    check(|run| run.target = "http://127.0.0.1:9090".into(), &[("different targets", false)]);
    check(|run| run.plan_sha256 = "bb".into(), &[("plans are not the same", false)]);
    check(|run| run.workers = 1, &[("numbers of workers: 2 and 1", false)]);
    check(|run| run.nmax_version = "2.0.0".into(), &[("versions of nmax", false)]);
    check(|run| run.counts[0].1 = 1_000, &[("mix of requests differs by 33.3 %", false)]);
    check(|run| run.label = "a".into(), &[("a is given twice", true)]);
}

#[test]
fn sides_of_several_runs_must_agree_within_themselves_too() {
    let mut odd = run("c");
    odd.load = Load::Open(150.0);
    let found = caveats(&[run("a"), odd], &[run("b")]);
    assert!(
        found.iter().any(|caveat| caveat.refuses && caveat.text.contains("a and c, both before, have different loads")),
        "{found:?}"
    );
}

#[test]
fn a_side_is_named_where_both_are_of_it() {
    let loaded = |label: &str, rate: f64| Origin { load: Load::Open(rate), ..run(label) };
    let after = [loaded("b", 90.0), loaded("c", 90.0), loaded("e", 80.0)];
    let texts: Vec<String> = caveats(&[run("a")], &after).into_iter().map(|caveat| caveat.text).collect();
    assert_eq!(
        texts[..2],
        ["b and a have different loads: 90/s and 100/s", "b and e, both after, have different loads: 90/s and 80/s"]
    );
}

/// What is refused because of a few runs says which, wherever they stand; where a side would be empty, nobody is odd.
#[test]
fn odd_runs_are_named() {
    let longer = |label: &str| Origin { hold_s: 120.0, ..run(label) };
    let labels = |all: &[&str]| all.iter().map(|label| (*label).to_owned()).collect::<Vec<_>>();
    for before in [[longer("d"), run("a"), run("b")], [run("a"), run("b"), longer("d")]] {
        let found = caveats(&before, &[run("x")]);
        let texts: Vec<&str> = found.iter().map(|caveat| caveat.text.as_str()).collect();
        assert_eq!(texts, ["a and d, both before, hold for 60.0 s and 120.0 s"]);
        assert_eq!(odd(&before, &[run("x")]), ["d"]);
    }
    let invalid = Origin { verdict: "invalid".into(), ..run("i") };
    let found = odd(&[run("a"), invalid.clone()], &[longer("d"), run("x")]);
    assert_eq!(found, labels(&["i", "d"]));
    // A log is judged by nothing that a run is loaded by.
    let log = Origin { kind: Kind::Log, load: Load::Unplanned, hold_s: 3_600.0, ..run("access.log") };
    assert_eq!(odd(&[log], &[run("a"), run("b"), longer("d")]), ["d"]);
    for (before, after) in [
        (vec![longer("d")], vec![run("a"), run("b")]),
        (vec![run("a")], vec![longer("d")]),
        (vec![run("a"), run("b")], vec![longer("d"), longer("e")]),
        (vec![run("a"), invalid], vec![run("a")]),
        (vec![run("a")], vec![run("b")]),
    ] {
        assert_eq!(odd(&before, &after), labels(&[]));
    }
}

#[test]
fn a_log_is_another_kind_of_thing() {
    let log = |label: &str| Origin {
        label: label.into(),
        kind: Kind::Log,
        is_complete: true,
        hold_s: 3_600.0,
        counts: vec![("home".into(), 36_000)],
        ..Origin::default()
    };
    let found = caveats(&[log("access.log")], &[run("b")]);
    assert!(found.iter().all(|caveat| !caveat.refuses), "{found:?}");
    let text: Vec<&str> = found.iter().map(|caveat| caveat.text.as_str()).collect();
    assert!(text[0].contains("measured at the server"), "{text:?}");
    assert!(text[1].contains("10 requests per second and the run 100"), "{text:?}");
    assert!(caveats(&[log("a.log")], &[log("b.log")]).iter().any(|caveat| caveat.refuses));
}
