use proptest::prelude::*;

use super::*;

const S: u64 = 1_000_000_000;

#[test]
fn a_stall_covers_its_span() {
    let once: Stall = "at=10s,for=1s".parse().unwrap();
    let again: Stall = "at=10s,for=1s,every=30s".parse().unwrap();
    let cases = [
        (0, None, None, "before"),
        (10 * S - 1, None, None, "the last instant before"),
        (10 * S, Some(11 * S), Some(11 * S), "its first instant"),
        (11 * S - 1, Some(11 * S), Some(11 * S), "its last instant"),
        (11 * S, None, None, "its end is outside"),
        (40 * S, None, Some(41 * S), "the second one"),
        (70 * S + 5, None, Some(71 * S), "the third one"),
    ];
    for (offset_ns, want_once, want_again, why) in cases {
        assert_eq!(once.end_ns(offset_ns), want_once, "once: {why}");
        assert_eq!(again.end_ns(offset_ns), want_again, "repeated: {why}");
    }
}

#[test]
fn wrong_stalls_say_what_is_wrong() {
    let cases = [
        ("", "is not key=value"),
        ("at=10s", "`for` is missing"),
        ("at=1s,for=2s,every=2s", "never end"),
        ("at=1s,for=2s,until=3s", "`until` is not known"),
    ];
    for (text, want) in cases {
        let error = text.parse::<Stall>().unwrap_err().to_string();
        assert!(error.contains(want), "{text}: {error}");
    }
}

proptest! {
    /// Law: a stall's end is later, at most `for` away, and outside the stall.
    #[test]
    fn waiting_ends_the_stall(
        at_ns in 0_u64..1_000,
        for_ns in 0_u64..1_000,
        pause_ns in 1_u64..1_000,
        offset_ns in 0_u64..100_000,
    ) {
        let stall = Stall::new(at_ns, for_ns, Some(for_ns + pause_ns)).unwrap();
        if let Some(end_ns) = stall.end_ns(offset_ns) {
            prop_assert!(end_ns > offset_ns && end_ns - offset_ns <= for_ns);
            prop_assert_eq!(stall.end_ns(end_ns), None);
        }
    }
}
