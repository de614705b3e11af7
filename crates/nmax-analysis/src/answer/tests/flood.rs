use proptest::prelude::*;

use super::*;

fn flood(seed: u64, length: usize, ms: impl Fn(usize) -> (f64, u64)) -> Run {
    let mut random = Random::new(seed);
    let second = |at: usize| {
        let (ms, failed) = ms(at);
        second(&mut random, at, 100.0, 100, ms, failed)
    };
    let mut run = run(Profile::Flood, &[(100.0, 100.0, length as u64)], (0..length).map(second).collect());
    open(&mut run.plan, 100.0);
    run
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    /// Law: what is bad for the first `k` seconds settles after `k` seconds, whatever it is that is bad;
    /// noise may add a second or two.
    #[test]
    fn it_settles_when_it_has_become_as_it_stays(seed in any::<u64>(), k in 3..60_usize, factor in 2.0..50.0_f64, fails in any::<bool>()) {
        let shape = |at: usize| match (at < k, fails) {
            (false, _) => (20.0, 0),
            (true, true) => (20.0, 30),
            (true, false) => (20.0 * factor, 0),
        };
        let answer = answer_of(&flood(seed, 240, shape));
        let found = finding(&answer, "SETTLING_TIME");
        let (low, high) = found.interval.expect("an interval");
        // Where the change is small beside the noise, the interval says how sure the value is.
        let is_near = (found.value.expect("it settles") - k as f64).abs() <= 3.0;
        prop_assert!(is_near || (low..=high).contains(&(k as f64)), "{found:?}, not {k}");
        prop_assert!(low <= high && !found.is_trouble);
    }
}

/// Oracle: 50 ms · (1 + 40·e^(−t/20)) is within a half of its end at t = 20·ln(80), and within a twentieth at 20·ln(800).
#[test]
fn a_decay_settles_when_it_has_decayed() {
    let answer = answer_of(&flood(1, 600, |at| (50.0 * (1.0 + 40.0 * (-(at as f64) / 20.0).exp()), 0)));
    let value = finding(&answer, "SETTLING_TIME").value.expect("it settles");
    assert!((20.0 * 80.0_f64.ln()..20.0 * 800.0_f64.ln()).contains(&value), "{value}");
    let worst = finding(&answer, "WORST_P95");
    assert!(worst.value.is_some_and(|ms| ms > 2_000.0), "{worst:?}");
    assert!(worst.text.ends_with("0 µs after the beginning") || worst.text.contains(" s after"), "{}", worst.text);
}

#[test]
fn what_is_fine_from_the_beginning_is_settled_from_the_beginning() {
    let answer = answer_of(&flood(2, 120, |_| (20.0, 0)));
    let found = finding(&answer, "SETTLING_TIME");
    assert_eq!(found.value, Some(0.0));
    assert!(answer.findings.iter().all(|finding| !finding.is_trouble), "{answer:#?}");
}

#[test]
fn what_grows_to_the_end_does_not_settle() {
    for shape in [|at: usize| 20.0 + 10.0 * at as f64, |at: usize| if at < 200 { 20.0 } else { 900.0 }] {
        let answer = answer_of(&flood(3, 240, |at| (shape(at), 0)));
        let found = finding(&answer, "SETTLING_TIME");
        assert!(found.is_trouble && found.value.is_none(), "{found:?}");
        assert!(answer.headline.starts_with("it does not settle"), "{}", answer.headline);
    }
}

#[test]
fn settled_at_a_level_beyond_the_limits_is_trouble() {
    let answer = answer_of(&flood(4, 120, |_| (20.0, 10)));
    let found = finding(&answer, "FINAL_LEVEL");
    assert!(found.is_trouble);
    assert!((found.value.expect("a rate") - 0.1).abs() < 1e-9);
}

/// What nobody answers is part of the way: time counts from the load on, not from the first reply on.
#[test]
fn time_without_any_reply_is_before_it_settles() {
    let mut run = flood(5, 120, |at| (if at == 14 { 9_000.0 } else { 20.0 }, 0));
    for point in &mut run.course.points[..14] {
        point.response = None;
    }
    let answer = answer_of(&run);
    let found = finding(&answer, "SETTLING_TIME");
    assert!(found.value.is_some_and(|s| (14.0..=16.0).contains(&s)), "{found:?}");
    let worst = finding(&answer, "WORST_P95");
    assert!(worst.text.ends_with("14 s after the beginning"), "{}", worst.text);
}
