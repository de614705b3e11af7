use nmax_metrics::{ErrorKind, Names, Nanos, Outcome};
use nmax_plan::threshold::{Limit, Op, Stat, Threshold};
use proptest::prelude::*;

use super::*;
use crate::tests::fixture::{HOME, Run, ms, threshold};

fn codes(judgement: &Judgement, decides: bool) -> Vec<&'static str> {
    judgement.reasons.iter().filter(|reason| reason.decides == decides).map(|reason| reason.code).collect()
}

fn p99_below(limit_ms: f64) -> Threshold {
    threshold(Metric::ResponseTime, Stat::Quantile(0.99), Op::Below, ms(limit_ms))
}

#[test]
fn a_healthy_run_passes_without_a_word() {
    for run in [Run::healthy(), Run::healthy().closed()] {
        let judgement = judge(&run.evidence());
        assert_eq!((judgement.verdict, judgement.reasons.len()), (Verdict::Pass, 0), "{judgement:?}");
        assert_eq!((judgement.thresholds.len(), judgement.gates.len()), (2, 14));
    }
}

/// One input is spoiled at a time: the verdict flips, and the reason names it.
#[test]
fn each_input_flips_the_verdict() {
    type Spoil = fn(&mut Run);
    let cases: [(&str, Verdict, Spoil); 15] = [
        ("G1_RATE", Verdict::Invalid, |run| run.totals.load_mut(Section::Hold).started = 900),
        ("G2_MIX", Verdict::Invalid, |run| run.start_of(1, 200)),
        ("G4_RUN_QUEUE", Verdict::Invalid, |run| run.totals.load_mut(Section::Hold).run_wait = Nanos::from_secs(6)),
        ("G5_LITTLES_LAW", Verdict::Invalid, |run| run.totals.load_mut(Section::Hold).in_flight_ns *= 2),
        ("G3_INJECTOR_LAG", Verdict::Invalid, |run| {
            run.add(Section::Hold, 100, HOME, Outcome::Ok, 40.0, 20.0);
            run.plan.thresholds.push(p99_below(30.0));
        }),
        ("G4_INJECTOR_CPU", Verdict::Invalid, |run| run.injector.cpu_utilization_max = Some(1.0)),
        ("G4_INJECTOR_ERRORS", Verdict::Invalid, |run| run.add_errors(1, ErrorKind::Injector)),
        ("G4_OPEN_FILES", Verdict::Invalid, |run| run.injector.open_files_max = Some(1_024)),
        ("G8_NO_SAMPLES", Verdict::Invalid, |run| run.totals = Run::empty().totals),
        ("G8_STALLS", Verdict::Invalid, |run| run.injector.stalled_max_s = Some(0.2)),
        ("G8_GAPS", Verdict::Invalid, |run| run.injector.windows_missing = 1),
        ("THRESHOLD", Verdict::Fail, |run| run.add(Section::Hold, 100, HOME, Outcome::Failed, 20.0, 0.05)),
        ("THRESHOLD", Verdict::Fail, |run| run.plan.thresholds.push(p99_below(10.0))),
        ("TARGET_OVERLOADED", Verdict::Fail, |run| {
            let load = run.totals.load_mut(Section::Hold);
            (load.started, load.waited, load.dropped_in_flight_limit) = (600, 300, 400);
        }),
        ("TARGET_OVERLOADED", Verdict::Fail, |run| {
            let load = run.totals.load_mut(Section::Hold);
            (load.started, load.dropped_in_flight_limit) = (980, 20);
        }),
    ];
    for (code, verdict, spoil) in cases {
        let mut run = Run::healthy();
        spoil(&mut run);
        let judgement = judge(&run.evidence());
        assert_eq!(judgement.verdict, verdict, "{code}: {judgement:?}");
        assert_eq!(codes(&judgement, true).first(), Some(&code), "{judgement:?}");
        // While the run goes on, its gates say the same of it; a hold that has just begun is not told of.
        let told = so_far(&run.evidence());
        let invalid = judgement.reasons.iter().filter(|reason| reason.decides && verdict == Verdict::Invalid);
        assert!(told.iter().filter(|reason| reason.decides).eq(invalid), "{code}: {told:?}");
        run.hold.1 = Nanos::from_millis(4_900);
        assert!(so_far(&run.evidence()).is_empty(), "{code}");
    }
}

#[test]
fn invalid_outranks_fail() {
    let mut run = Run::healthy();
    run.plan.thresholds.push(p99_below(1.0));
    run.injector.cpu_utilization_max = Some(1.0);
    let judgement = judge(&run.evidence());
    assert_eq!(judgement.verdict, Verdict::Invalid);
    assert_eq!(codes(&judgement, true), ["G4_INJECTOR_CPU"]);
    assert_eq!(codes(&judgement, false), ["THRESHOLD"], "told, but it decides nothing");
}

/// A closed plan, an unknown CPU and no descriptors are no reason to refuse a run.
#[test]
fn unknown_figures_of_the_injector_do_not_refuse_a_run() {
    let mut run = Run::healthy();
    run.injector = Default::default();
    assert_eq!(judge(&run.evidence()).verdict, Verdict::Pass);
}

#[test]
fn a_short_stall_is_a_warning_and_lasting_waits_are_overload() {
    //  waited  never started  verdict        deciding  warning
    let cases = [
        (10, 0, Verdict::Pass, false, false),
        (11, 0, Verdict::Pass, false, true),
        (250, 0, Verdict::Pass, false, true),
        (251, 0, Verdict::Fail, true, false),
        (0, 5, Verdict::Pass, false, true),
        (100, 20, Verdict::Fail, true, false),
        (600, 400, Verdict::Fail, true, false),
    ];
    for (waited, never, verdict, deciding, warning) in cases {
        let mut run = Run::healthy();
        let load = run.totals.load_mut(Section::Hold);
        (load.started, load.waited, load.dropped_in_flight_limit) = (1_000 - never, waited, never);
        let judgement = judge(&run.evidence());
        let has = |decides| codes(&judgement, decides).contains(&"TARGET_OVERLOADED");
        assert_eq!(
            (judgement.verdict, has(true), has(false)),
            (verdict, deciding, warning),
            "{waited} {never}: {judgement:?}"
        );
    }
}

/// Drops that are mostly the injector's break the threshold, but nobody blames the target.
#[test]
fn drops_of_the_injector_are_not_overload() {
    for (injector, never, blamed) in [(12, 4, false), (8, 8, true)] {
        let mut run = Run::healthy();
        let load = run.totals.load_mut(Section::Hold);
        load.started = 1_000 - injector - never;
        (load.dropped_injector, load.dropped_in_flight_limit) = (injector, never);
        let judgement = judge(&run.evidence());
        assert_eq!(judgement.verdict, Verdict::Fail, "{judgement:?}");
        assert_eq!(codes(&judgement, true).contains(&"TARGET_OVERLOADED"), blamed, "{judgement:?}");
    }
}

/// Who tolerates drops says so in the plan.
#[test]
fn tolerated_drops_are_a_warning() {
    let mut run = Run::healthy();
    let load = run.totals.load_mut(Section::Hold);
    (load.started, load.dropped_in_flight_limit) = (970, 30);
    run.plan.thresholds = vec![threshold(Metric::Dropped, Stat::Value, Op::Below, Limit::Ratio(0.05))];
    let judgement = judge(&run.evidence());
    assert_eq!((judgement.verdict, codes(&judgement, false)), (Verdict::Pass, vec!["TARGET_OVERLOADED"]));
}

#[test]
fn overload_says_its_figures() {
    let mut run = Run::healthy();
    let load = run.totals.load_mut(Section::Hold);
    (load.started, load.waited, load.dropped_in_flight_limit) = (600, 300, 400);
    let text = &judge(&run.evidence()).reasons[0].text;
    let want = "the target was overloaded: 700 of 1,000 due iterations (70 %) had to wait for the target (50 slots), and 400 of them never started; \
                lower the rate, or find what holds the target up";
    assert_eq!(text, want);
}

#[test]
fn warnings_do_not_decide() {
    type Spoil = fn(&mut Run);
    let cases: [(&str, Spoil, &str); 8] = [
        ("INTERRUPTED", |run| run.interrupted = true, "stopped after 10 s"),
        ("G1_RATE", |run| run.totals.load_mut(Section::Hold).started = 985, "985 of 1,000"),
        (
            "G8_GAPS",
            |run| (run.injector.windows_missing, run.end) = (1, nmax_metrics::Nanos::from_secs(100)),
            "1 of 100 windows",
        ),
        ("CENSORED", |run| run.totals.load_mut(Section::Hold).censored.record(2_000_000_000), "1 exchange unfinished"),
        (
            "SOCKET_HELD",
            |run| run.totals.load_mut(Section::Outside).held.record_n(15_000_000_000, 64),
            "64 sockets open after complete replies, for 15 s (median), 15 s (longest)",
        ),
        ("CLAMPED", |run| run.add(Section::Hold, 2, HOME, Outcome::Ok, 4e6, 0.05), "2 times were over one hour"),
        (
            "NAMES_OVERFLOWED",
            |run| {
                let mut names = Names::new(3);
                ["home", "form", "GET /item/1", "GET /item/2"].iter().for_each(|name| {
                    names.intern(name);
                });
                run.catalog.requests = names;
            },
            "fixed `name`",
        ),
        (
            "FEW_SAMPLES",
            |run| run.plan.thresholds.push(threshold(Metric::ResponseTime, Stat::Quantile(0.999), Op::Below, ms(1e3))),
            "3,688 are needed",
        ),
    ];
    for (code, spoil, figure) in cases {
        let mut run = Run::healthy();
        spoil(&mut run);
        let judgement = judge(&run.evidence());
        assert_eq!((judgement.verdict, codes(&judgement, false)), (Verdict::Pass, vec![code]), "{judgement:?}");
        assert!(judgement.reasons[0].text.contains(figure), "{judgement:?}");
    }
}

/// Held sockets of hold and ramps are one figure; those that never closed are told.
#[test]
fn held_sockets_say_median_longest_and_still_open() {
    let mut run = Run::healthy();
    run.totals.load_mut(Section::Outside).held.record_n(15_000_000_000, 3);
    let load = run.totals.load_mut(Section::Hold);
    load.held.record(15_100_000_000);
    load.held_open = 1;
    let judgement = judge(&run.evidence());
    assert_eq!(judgement.verdict, Verdict::Pass);
    assert!(
        judgement.reasons[0].text.contains(
            "4 sockets open after complete replies, for 15 s (median), 15.1 s (longest), 1 of them still open"
        ),
        "{judgement:?}"
    );
}

/// A full list of names that holds `other` is no overflow: only counting is.
#[test]
fn a_request_named_other_is_no_overflow() {
    let mut run = Run::healthy();
    let mut names = Names::new(3);
    ["home", "form", "other"].iter().for_each(|name| {
        names.intern(name);
    });
    run.catalog.requests = names.clone();
    assert_eq!(judge(&run.evidence()).reasons, []);
    run.catalog.requests = names.with_overflowed(1);
    assert_eq!(codes(&judge(&run.evidence()), false), ["NAMES_OVERFLOWED"]);
}

#[test]
fn overflowed_names_get_a_template() {
    let mut run = Run::healthy();
    let mut names = Names::new(4);
    ["home", "form", "GET /item/1", "GET /item/2", "GET /item/3"].iter().for_each(|name| {
        names.intern(name);
    });
    run.catalog.requests = names;
    let judgement = judge(&run.evidence());
    assert!(judgement.reasons[0].text.contains("`GET /item/{id}`"), "{judgement:?}");
}

#[test]
fn a_failed_threshold_says_what_was_measured() {
    let mut run = Run::healthy();
    run.plan.thresholds = vec![Threshold {
        text: "failure_rate < 1%".into(),
        ..threshold(Metric::FailureRate, Stat::Value, Op::Below, Limit::Ratio(0.01))
    }];
    run.add(Section::Hold, 250, HOME, Outcome::Failed, 20.0, 0.05);
    let judgement = judge(&run.evidence());
    assert_eq!(judgement.reasons[0].text, "`failure_rate < 1%` does not hold: measured 20 %");
    assert_eq!(
        judgement.reasons[0].evidence,
        [("value".to_owned(), "20 %".to_owned()), ("limit".to_owned(), "1 %".to_owned())]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Law: INVALID exactly when a gate is closed; FAIL and INVALID have a deciding reason, PASS has none;
    /// deciding reasons come first.
    #[test]
    fn the_verdict_follows_from_gates_and_reasons(
        (started, waited, never) in (0_u64..1_001, 0_u64..300, 0_u64..300),
        failed in 0_u64..100,
        lag_ms in 0.0..5.0_f64,
        utilization in 0.5..1.0_f64,
        (injector_errors, missing, interrupted) in (0_u64..2, 0_u64..2, any::<bool>()),
        limit_ms in 10.0..100.0_f64,
    ) {
        let mut run = Run::healthy();
        run.add(Section::Hold, 15, HOME, Outcome::Ok, 30.0, 4.0 * lag_ms);
        run.add(Section::Hold, failed, HOME, Outcome::Failed, 40.0, 0.1);
        run.add_errors(injector_errors, ErrorKind::Injector);
        let load = run.totals.load_mut(Section::Hold);
        (load.started, load.waited, load.dropped_in_flight_limit) = (started, waited.min(started), never);
        run.injector.cpu_utilization_max = Some(utilization);
        (run.injector.windows_missing, run.interrupted) = (missing, interrupted);
        run.plan.thresholds.push(p99_below(limit_ms));
        let judgement = judge(&run.evidence());
        let is_closed = judgement.gates.iter().any(|gate| !gate.holds);
        prop_assert_eq!(judgement.verdict == Verdict::Invalid, is_closed);
        prop_assert_eq!(judgement.verdict == Verdict::Pass, codes(&judgement, true).is_empty());
        let is_broken = judgement.thresholds.iter().any(|result| !result.holds);
        prop_assert!(!(is_broken && judgement.verdict == Verdict::Pass));
        prop_assert!(judgement.reasons.is_sorted_by_key(|reason| !reason.decides), "{:?}", judgement.reasons);
    }
}

/// Three users make a thousand exchanges, seventeen none. A few are a warning, and who has not waited long is none.
#[test]
fn users_without_a_reply_fail_a_run() {
    //  users  unserved  waited s  verdict        said
    let cases = [
        (20, 17, 20, Verdict::Fail, true),
        (20, 2, 20, Verdict::Pass, true),
        (20, 3, 20, Verdict::Fail, true),
        (5, 1, 20, Verdict::Pass, true),
        (20, 17, 0, Verdict::Pass, false),
        (20, 0, 20, Verdict::Pass, false),
    ];
    for (users, unserved, waited_s, verdict, said) in cases {
        let mut run = Run::healthy().closed();
        let load = run.totals.load_mut(Section::Hold);
        load.users = users;
        load.unserved.record_n(Nanos::from_secs(waited_s).0, unserved);
        let judgement = judge(&run.evidence());
        let reason = judgement.reasons.iter().find(|reason| reason.code == "USERS_UNSERVED");
        assert_eq!((judgement.verdict, reason.is_some()), (verdict, said), "{users} {unserved} {waited_s}");
        let want = format!("{unserved} of {users} virtual users completed nothing");
        assert!(reason.is_none_or(|reason| reason.text.starts_with(&want)), "{reason:?}");
    }
    // A slow system makes everybody wait.
    let mut run = Run::healthy().closed();
    run.totals = Run::empty().totals;
    run.add(Section::Hold, 100, HOME, Outcome::Ok, 3_000.0, 0.1);
    run.plan.thresholds.clear();
    run.totals.load_mut(Section::Hold).unserved.record_n(Nanos::from_secs(20).0, 17);
    assert_eq!(judge(&run.evidence()).verdict, Verdict::Pass, "20 s are not ten times 3 s");
}

/// A target that drifts was measured well: the verdict stays, and the warning is there; not where change is the point.
#[test]
fn a_drifting_target_is_a_warning_and_decides_nothing() {
    let points = |by: f64| {
        (0..120_u32).map(move |t| crate::Point {
            start_s: f64::from(t),
            width_s: 1.0,
            held: true,
            level: 100.0,
            exchanges: 100,
            response: Some(crate::Latency {
                mean_ms: 20.0 + by * f64::from(t),
                p50_ms: 20.0,
                p95_ms: 30.0,
                p99_ms: 40.0,
            }),
            ..crate::Point::default()
        })
    };
    let mut run = Run::healthy();
    for (by, profile, warned) in
        [(0.0, None, false), (0.05, None, true), (0.05, Some(Profile::Soak), true), (0.05, Some(Profile::Flood), false)]
    {
        run.course.points = points(by).collect();
        run.plan.profile = profile;
        let judgement = judge(&run.evidence());
        assert_eq!(judgement.verdict, Verdict::Pass, "{judgement:?}");
        assert_eq!(codes(&judgement, false).contains(&"G6_NOT_STEADY"), warned, "{by} {profile:?}");
        let steady = judgement.steadiness.and_then(|steadiness| steadiness.holds);
        assert_eq!(steady, Some(by == 0.0));
    }
}

/// Whatever a slow target does to waits, drops and iterations that never end: FAIL, never INVALID.
#[test]
fn a_slow_target_is_never_invalid() {
    for (waited, never, hung) in [(300, 0, 0), (600, 400, 0), (600, 380, 50), (0, 20, 50)] {
        let mut run = Run::healthy();
        run.totals.scenarios.get_mut(Section::Hold, 0).interrupted = hung;
        let load = run.totals.load_mut(Section::Hold);
        (load.started, load.waited, load.dropped_in_flight_limit) = (1_000 - never, waited, never);
        load.censored.record_n(9_000_000_000, hung);
        load.in_flight_ns += u128::from(hung) * 9_000_000_000;
        load.start_delay_ns = 1;
        let judgement = judge(&run.evidence());
        assert_eq!(judgement.verdict, Verdict::Fail, "{judgement:?}");
        assert_eq!(codes(&judgement, true).first(), Some(&"TARGET_OVERLOADED"), "{judgement:?}");
    }
}

/// An item of the timeline that never came due is told; one that began is not, whatever became of it.
#[test]
fn interventions_that_were_not_done_are_told() {
    let item = |name: &str, at| nmax_plan::plan::Intervention {
        name: name.into(),
        at,
        action: nmax_plan::plan::Action::Command("x".into()),
        limit: std::time::Duration::from_secs(1),
        lasts: None,
        undo: None,
    };
    let mut run = Run::healthy();
    run.plan.timeline = vec![
        item("late", nmax_plan::plan::Moment::At(std::time::Duration::from_secs(60))),
        item("calm", nmax_plan::plan::Moment::Steady),
        item("done", nmax_plan::plan::Moment::Steady),
    ];
    run.happened = vec![crate::InterventionRecord { name: "done".into(), start_s: 3.0, end_s: None, error: None }];
    let judgement = judge(&run.evidence());
    assert_eq!(judgement.verdict, Verdict::Pass);
    let told: Vec<&str> = judgement.reasons.iter().map(|reason| reason.text.as_str()).collect();
    assert_eq!(
        told,
        [
            "`late` of the timeline was not done: the load ended after 10 s, it was due at 60 s",
            "`calm` of the timeline was not done: the run was never seen to be steady",
        ]
    );
    assert_eq!(codes(&judgement, false), ["INTERVENTION_NOT_DONE"; 2]);
}

#[test]
fn locations_without_users_are_told() {
    let location = |name: &str, weight| nmax_plan::plan::Location {
        name: name.into(),
        down_bits_per_s: None,
        up_bits_per_s: None,
        round_trip: std::time::Duration::ZERO,
        jitter: std::time::Duration::ZERO,
        weight,
    };
    let mut run = Run::healthy();
    run.plan.locations = vec![location("adsl", 20.0), location("fibre", 80.0), location("moon", 0.0)];
    run.totals.locations.get_mut(Section::Hold, 1).iterations.record(true, 1_000);
    let judgement = judge(&run.evidence());
    assert_eq!(codes(&judgement, false), ["LOCATION_EMPTY"]);
    assert!(judgement.reasons[0].text.contains("`adsl`, whose share is 20 %"), "{judgement:?}");
    run.totals.locations.get_mut(Section::Outside, 0).iterations.record(true, 1_000);
    assert_eq!(judge(&run.evidence()).reasons, []);
}

/// A harmless load of 70 % has neighbours that hardly correlate; near saturation intervals are withheld.
#[test]
fn dependence_is_told_with_what_the_exchanges_are_worth() {
    let reason = |load: f64| {
        let mut run = Run::healthy();
        run.batches = crate::batches::of_queue(load, 24_000.0);
        judge(&run.evidence()).reasons.into_iter().find(|reason| reason.code == "AUTOCORRELATED")
    };
    assert_eq!(reason(0.0), None);
    let harmless = reason(0.7).expect("a warning");
    assert!(!harmless.decides && harmless.text.ends_with("p99 is too dependent for an interval"), "{harmless:?}");
    let saturated = reason(0.95).expect("a warning").text;
    assert!(saturated.ends_with("p50, p95 and p99 are too dependent for an interval"), "{saturated}");
    // Levels of a plan differ, and say nothing of dependence.
    let mut run = Run::healthy();
    run.batches = crate::batches::of_queue(0.7, 24_000.0);
    let point = |t: u32| crate::Point {
        start_s: f64::from(t),
        width_s: 1.0,
        held: true,
        level: f64::from(1 + t / 50),
        ..crate::Point::default()
    };
    run.course = crate::Course { points: (0..100).map(point).collect(), requests: Vec::new() };
    assert!(judge(&run.evidence()).reasons.iter().all(|reason| reason.code != "AUTOCORRELATED"));
}
