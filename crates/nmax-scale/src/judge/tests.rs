use super::*;
use crate::measure::Slice;

fn measured(ok: u64, bad: u64, iterations: u64) -> Measured {
    Measured {
        from_s: 1.0,
        to_s: 3.0,
        sums: Slice { ok, bad, iterations, time_ns: 1e9, in_flight_ns: 4e9 },
        moves: None,
    }
}

fn reason(code: &'static str, decides: bool) -> Reason {
    Reason { code, text: format!("{code} in words"), evidence: Vec::new(), decides }
}

fn way(verdict: Verdict, reasons: &[Reason]) -> LevelRun<'_> {
    LevelRun {
        load: Load::Vus,
        level: 4.0,
        verdict,
        reasons,
        unreachable: None,
        bad: None,
        data_ended: None,
        late_s: None,
    }
}

/// Whatever an INVALID run measured, it is no measurement, and the reason is the one that decided.
#[test]
fn an_invalid_run_is_never_a_measurement() {
    let reasons = [reason("CENSORED", false), reason("G3_INJECTOR_LAG", true)];
    for measured in [None, Some(measured(0, 0, 0)), Some(measured(1_000, 0, 1_000)), Some(measured(1, 999, 1_000))] {
        let outcome = judged(&way(Verdict::Invalid, &reasons), measured.as_ref(), 4.0, Some(0.1));
        assert_eq!(outcome, Outcome::Invalid("G3_INJECTOR_LAG: G3_INJECTOR_LAG in words".into()));
    }
}

#[test]
fn a_failed_threshold_is_data() {
    let reasons = [reason("THRESHOLD", true)];
    let outcome = judged(&way(Verdict::Fail, &reasons), Some(&measured(200, 10, 210)), 4.0, None);
    assert_eq!(outcome, Outcome::Measured { n: 4.0, x: 100.0, r_s: None, count: Some(200) });
}

#[test]
fn a_system_that_broke_down_ends_the_ramp() {
    let refused = |way: &LevelRun, measured: Option<Measured>| match judged(way, measured.as_ref(), 4.0, None) {
        Outcome::Refused(why) => why,
        other => panic!("{other:?}"),
    };
    let aborted = [reason(ABORTED, true)];
    assert!(refused(&way(Verdict::Fail, &aborted), Some(measured(9, 0, 9))).contains(ABORTED));
    assert!(refused(&way(Verdict::Pass, &[]), None).contains("nothing was completed"));
    assert!(refused(&way(Verdict::Pass, &[]), Some(measured(0, 0, 0))).contains("nothing was completed"));
    let errors =
        LevelRun { bad: Some("9 of 9 were not ok, most of them `status 404`".into()), ..way(Verdict::Pass, &[]) };
    assert!(refused(&errors, Some(measured(0, 9, 9))).contains("100 % were not ok: 9 of 9"));
    assert!(refused(&way(Verdict::Fail, &[]), Some(measured(40, 60, 100))).contains("60 %"));
    let gone =
        LevelRun { unreachable: Some("the target is not reachable: connect".into()), ..way(Verdict::Invalid, &[]) };
    assert!(refused(&gone, None).contains("not reachable"));
    let open = LevelRun { load: Load::Rate, level: 100.0, ..way(Verdict::Pass, &[]) };
    assert!(refused(&open, Some(measured(140, 0, 140))).contains("did not keep up"));
    for done in [150, 196, 210] {
        let kept_up = judged(&open, Some(&measured(done, 0, done)), 2.0, None);
        assert!(matches!(kept_up, Outcome::Measured { .. }), "{done} of 200, noise of Poisson arrivals");
    }
}

/// R = 100 ms in a level of 2 s: requests under way at its ends may be a twentieth of all that ended in it.
#[test]
fn littles_law_is_held_against_long_levels_only() {
    let level = |length_s: f64| Measured { to_s: 1.0 + length_s, ..measured(100, 0, 100) };
    let noise = |length_s: f64, n: f64, pause_s: f64| little_noise(&level(length_s), n, 0.1, pause_s);
    assert!((noise(2.0, 1.0, 0.0) - 0.05).abs() < 1e-12);
    assert!(noise(2.0, 100.0, 0.0) > LITTLE_NOISE_MAX, "many users have as many edges");
    assert!(noise(6.0, 1.0, 0.0) < LITTLE_NOISE_MAX);
    assert!(noise(20.0, 1.0, 0.1) > LITTLE_NOISE_MAX, "a hundred pauses are not their mean");
    assert!(noise(20.0, 2_000.0, 0.1) < LITTLE_NOISE_MAX);
}

/// Whatever was completed before the data ended, the rest of the level is empty.
#[test]
fn a_level_whose_data_ended_is_no_measurement() {
    let ended = |verdict| LevelRun { data_ended: Some("the data of scenario `ask` ended".into()), ..way(verdict, &[]) };
    for verdict in [Verdict::Pass, Verdict::Fail, Verdict::Invalid] {
        let outcome = judged(&ended(verdict), Some(&measured(200, 0, 200)), 4.0, None);
        assert!(
            matches!(&outcome, Outcome::Refused(why) if why.starts_with("the data of scenario `ask` ended")),
            "{outcome:?}"
        );
    }
}

#[test]
fn a_first_level_ends_the_campaign_by_its_reason() {
    let aborted = [reason(ABORTED, true)];
    let one = measured(9, 1, 10);
    let exit = |way: &LevelRun, measured: Option<&Measured>| exit_of_first(way, measured);
    assert_eq!(exit(&way(Verdict::Fail, &aborted), Some(&one)), Exit::Failed);
    assert_eq!(exit(&way(Verdict::Pass, &[]), None), Exit::Invalid);
    let late = LevelRun { late_s: Some(8.0), ..way(Verdict::Pass, &[]) };
    assert_eq!(exit(&late, None), Exit::Usage);
    assert_eq!(exit(&late, Some(&one)), Exit::Invalid, "there were replies in time");
    assert!(late.nothing().contains("a reply takes 8 s; give a --level-time of 24 s"));
    let data = LevelRun { data_ended: Some("ended".into()), ..way(Verdict::Pass, &[]) };
    assert_eq!(exit(&data, Some(&one)), Exit::Usage);
    let gone = LevelRun { unreachable: Some("connect".into()), ..data };
    assert_eq!(exit(&gone, None), Exit::Unreachable);
}
