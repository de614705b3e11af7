use nmax_metrics::Nanos;
use proptest::prelude::*;

use super::*;
use crate::Course;
use crate::tests::fixture::Run;
use crate::tests::simulate::{Random, point};

/// A run of 400 s with 50 exchanges/s in which `bad` seconds have other times (ms), failures and throughput.
fn run(seed: u64, happened: InterventionRecord, shape: impl Fn(usize) -> (f64, u64, usize)) -> Run {
    let mut random = Random::new(seed);
    let second = |at: usize| {
        let (ms, failed, n) = shape(at);
        let mut times: Vec<f64> = (0..n).map(|_| ms * (0.2 * random.normal()).exp()).collect();
        point(at as f64, 50.0, &mut times, failed)
    };
    let mut run = Run::healthy();
    run.course = Course { points: (0..400).map(second).collect(), requests: Vec::new() };
    run.end = Nanos::from_secs(400);
    run.happened = vec![happened];
    run
}

fn happened(start_s: f64, end_s: Option<f64>) -> InterventionRecord {
    InterventionRecord { name: "node down".into(), start_s, end_s, error: None }
}

const USUAL: (f64, u64, usize) = (20.0, 0, 50);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Law: the system recovers when its figures do, whichever of them it was, and phases have their own figures.
    #[test]
    fn recovery_is_when_the_last_bad_second_is_over(
        seed in any::<u64>(),
        start in 60..150_usize,
        length in 5..60_usize,
        late in 0..80_usize,
        kind in 0..3_usize,
    ) {
        let bad = [(200.0, 0, 50), (20.0, 25, 50), (20.0, 0, 10)][kind];
        let end = start + length;
        let shape = |at: usize| if (start..end + late).contains(&at) { bad } else { USUAL };
        let run = run(seed, happened(start as f64, Some(end as f64)), shape);
        let effect = &effects(&run.evidence())[0];
        let recovery_s = effect.recovery.seconds().expect("it recovers");
        // Noise may make single seconds look bad, so that the ten begin a little later, never earlier.
        prop_assert!(recovery_s >= late as f64 && recovery_s <= late as f64 + 60.0, "{recovery_s}, not {late}");
        let [before, during, _] = effect.phases;
        let (before, during) = (before.expect("figures"), during.expect("figures"));
        prop_assert_eq!(during.length_s, length as f64);
        prop_assert_eq!(before.length_s, length.clamp(30, 300) as f64);
        prop_assert_eq!(before.throughput_per_s, 50.0);
        prop_assert_eq!(during.throughput_per_s, bad.2 as f64);
        prop_assert!((during.failure_rate - bad.1 as f64 / bad.2 as f64).abs() < 0.03);
        prop_assert!((during.p50_ms.expect("a median") / bad.0 - 1.0).abs() < 0.1);
    }
}

#[test]
fn what_never_becomes_as_before_has_not_recovered() {
    let run = run(1, happened(100.0, Some(130.0)), |at| if at < 100 { USUAL } else { (90.0, 0, 50) });
    let effect = &effects(&run.evidence())[0];
    assert_eq!(effect.recovery, Recovery::NotSeen);
    assert!(effect.text.ends_with("the figures were not seen to be as before again"), "{}", effect.text);
    assert!(effect.text.starts_with("`node down` after 100 s for 30 s: p95 from "), "{}", effect.text);
}

#[test]
fn what_is_never_undone_lasts_to_the_end() {
    let run = run(1, happened(100.0, None), |at| if at < 100 { USUAL } else { (20.0, 5, 50) });
    let effect = &effects(&run.evidence())[0];
    let [_, during, after] = effect.phases;
    assert_eq!((during.map(|figures| figures.length_s), after), (Some(300.0), None));
    assert_eq!(effect.recovery, Recovery::NeverOver);
    assert!(
        effect.text.contains("failures from 0 % to 10 %") && effect.text.ends_with("it was never over"),
        "{}",
        effect.text
    );
}

/// Only the bad side counts: what catches up is faster than before, and that is no trouble.
#[test]
fn better_than_before_is_recovered() {
    let run = run(1, happened(100.0, Some(130.0)), |at| if at < 130 { USUAL } else { (5.0, 0, 90) });
    assert_eq!(effects(&run.evidence())[0].recovery, Recovery::After(0.0));
}

#[test]
fn an_intervention_that_failed_says_why() {
    let failed = InterventionRecord { error: Some("no such process".into()), ..happened(100.0, Some(100.5)) };
    let mut run = run(1, failed, |_| USUAL);
    run.plan.compress = 2.0;
    let effect = &effects(&run.evidence())[0];
    assert_eq!(effect.text, "`node down` after 100 s failed: no such process (compressed 2 x)");
}

#[test]
fn a_run_without_a_course_has_effects_without_figures() {
    let mut run = run(1, happened(5.0, Some(6.0)), |_| USUAL);
    run.course = Course::default();
    let effect = &effects(&run.evidence())[0];
    assert_eq!((effect.phases, effect.recovery), ([None; 3], Recovery::Unknown));
    assert!(effect.text.contains("too little was measured"), "{}", effect.text);
}

#[test]
fn a_relief_of_a_few_seconds_is_no_recovery() {
    let bad = |at: usize| (100..160).contains(&at) && !(140..147).contains(&at);
    let run = run(1, happened(100.0, Some(130.0)), |at| if bad(at) { (200.0, 0, 50) } else { USUAL });
    let recovery_s = effects(&run.evidence())[0].recovery.seconds().expect("it recovers");
    assert!((30.0..90.0).contains(&recovery_s), "{recovery_s}");
}

/// Replies that a stopped server held up come after it goes on: the stop itself shows no slow reply.
#[test]
fn what_was_held_up_counts_to_the_intervention() {
    let run = run(1, happened(100.0, Some(103.0)), |at| match at {
        100..103 => (20.0, 0, 1),
        103 => (2_000.0, 0, 150),
        _ => USUAL,
    });
    let effect = &effects(&run.evidence())[0];
    assert_eq!(effect.recovery, Recovery::After(1.0));
    assert!(effect.worst_p95_ms.expect("a time") > 2_000.0, "{effect:?}");
    assert!(effect.text.contains("s at worst"), "{}", effect.text);
}

/// The next intervention is not held against the one before it, nor is the end of the load.
#[test]
fn recovery_is_looked_for_until_the_next_intervention_or_the_end() {
    let bad = |at: usize| {
        if (106..120).contains(&at) { (200.0, 0, 50) } else { USUAL }
    };
    let mut run = run(1, happened(100.0, Some(101.0)), bad);
    run.happened.push(happened(106.0, Some(120.0)));
    run.happened.push(happened(393.0, Some(394.0)));
    run.happened.push(happened(397.0, Some(398.5)));
    let all: Vec<Recovery> = effects(&run.evidence()).iter().map(|effect| effect.recovery).collect();
    assert_eq!(all[0], Recovery::After(0.0));
    assert!(matches!(all[1], Recovery::After(seconds) if seconds < 20.0), "{all:?}");
    assert_eq!(all[2..], [Recovery::After(0.0), Recovery::Unknown]);
}

#[test]
fn the_drain_of_a_stopped_run_is_no_stretch_after() {
    let mut run = run(1, happened(100.0, Some(130.0)), |at| if at < 130 { USUAL } else { (20.0, 0, 2) });
    run.hold.1 = Nanos::from_secs(130);
    run.interrupted = true;
    let effect = &effects(&run.evidence())[0];
    assert_eq!((effect.phases[2], effect.recovery), (None, Recovery::Unknown));
}

/// A server that stops from `start_s` for `stop_s` and serves all who waited when it goes on, in seconds by when they
/// ended; users come evenly, 50/s, and take 20 ms otherwise.
fn stopped(start_s: f64, stop_s: f64) -> Vec<crate::Point> {
    let mut seconds = vec![Vec::new(); 400];
    for user in 0..20_000 {
        let due_s = (f64::from(user) + 0.5) / 50.0;
        let is_held = (start_s..start_s + stop_s).contains(&due_s);
        let served_s = if is_held { start_s + stop_s } else { due_s } + 0.02;
        if let Some(second) = seconds.get_mut(served_s as usize) {
            second.push((served_s - due_s) * 1e3);
        }
    }
    let second = |(at, mut times): (usize, Vec<f64>)| point(at as f64, 50.0, &mut times, 0);
    seconds.into_iter().enumerate().map(second).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Law: the waits of those who come while a server stops are uniform in (0, S], so their p95 is 0.95·S and their
    /// median S/2, whenever their replies come; before and after nobody waits.
    #[test]
    fn who_comes_during_a_stop_counts_to_it(start_s in 60.0..200.0_f64, stop_s in 2.5..40.0_f64) {
        let mut run = run(1, happened(start_s, Some(start_s + stop_s)), |_| USUAL);
        run.course.points = stopped(start_s, stop_s);
        let [before, during, after] = effects(&run.evidence())[0].phases.map(|figures| figures.expect("figures"));
        // The ends of a span are blurred by a point, 1 s.
        for (found, wanted_s) in [(during.p95_ms, 0.95 * stop_s), (during.p50_ms, 0.5 * stop_s)] {
            let found_s = found.expect("a time") / 1e3;
            prop_assert!((found_s - wanted_s).abs() < 0.03 * stop_s + 0.25, "{found_s} s, not {wanted_s} s");
        }
        prop_assert!(before.p95_ms.expect("a time") < 30.0, "{before:?}");
        prop_assert!(after.p50_ms.expect("a time") < 30.0, "{after:?}");
    }
}

/// What an earlier intervention did is not the usual of a later one.
#[test]
fn before_is_without_what_others_disturbed() {
    let mut run = run(1, happened(100.0, Some(110.0)), |_| USUAL);
    run.course.points = stopped(100.0, 10.0);
    run.happened.push(happened(125.0, Some(126.0)));
    let effects = effects(&run.evidence());
    let [before, ..] = effects[1].phases;
    let before = before.expect("figures");
    assert!(before.p95_ms.expect("a time") < 30.0, "{before:?}");
    assert!(before.length_s < 25.0, "{before:?}");
}
