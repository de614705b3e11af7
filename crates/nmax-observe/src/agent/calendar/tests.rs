use proptest::prelude::*;

use super::*;

const S: fn(u64) -> Nanos = Nanos::from_secs;

#[test]
fn what_is_said_of_a_calendar() {
    let mut calendar = Calendar::default();
    // at   off s   error s   said                        why
    let cases = [
        (1, 0.9, 0.01, None, "a second is not worth a word"),
        (2, 300.0, 0.002, Some("300.0 s ahead of"), "the first word"),
        (3, 300.5, 0.002, None, "the same"),
        (4, 0.0, 0.002, None, "it came back, but a word was said two seconds ago"),
        (5, -180.0, 0.002, None, "480 s are not twice as far as 300"),
        (6, -400.0, 0.002, Some("400.0 s behind"), "700 s are"),
        (65, 0.0, 0.002, None, "59 s later"),
        (66, 0.0, 0.002, Some("agrees with this host's again"), "60 s later"),
        (300, 0.5, 0.002, None, "the same as what was said"),
        (301, 2.0, 1.5, None, "within what is not known"),
    ];
    for (at, off_s, error_s, want, why) in cases {
        let said = calendar.check(S(at), off_s, error_s);
        match want {
            None => assert_eq!(said, None, "{why}, at {at} s"),
            Some(word) => assert!(said.as_ref().is_some_and(|said| said.contains(word)), "{why}: {said:?}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Law: whatever a calendar does, there are few words: one a minute, and those of a calendar that moves ever farther.
    #[test]
    fn words_are_few(offs in proptest::collection::vec(-1e9..1e9_f64, 1..400)) {
        let mut calendar = Calendar::default();
        let words = (0..).zip(&offs).filter(|(at, off_s)| calendar.check(S(*at), **off_s, 0.001).is_some()).count();
        // From 1 s to 2e9 s it can double 31 times.
        prop_assert!(words <= 1 + offs.len() / 60 + 31, "{words} in {} s", offs.len());
    }

    /// Law: a calendar that is off is said at once, and one that stays so is said once.
    #[test]
    fn the_first_word_comes_at_once(off_s in prop_oneof![-1e6..-1.1_f64, 1.1..1e6_f64], wobble in -0.4..0.4_f64) {
        let mut calendar = Calendar::default();
        prop_assert!(calendar.check(S(0), off_s, 0.001).is_some());
        for second in 1..200 {
            let off_s = off_s + if second % 2 == 0 { wobble } else { -wobble };
            prop_assert_eq!(calendar.check(S(second), off_s, 0.001), None);
        }
    }
}
