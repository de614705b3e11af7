use proptest::prelude::*;

use super::*;

fn instants() -> impl Strategy<Value = Option<Nanos>> {
    prop_oneof![Just(None), (0..1000_u64).prop_map(|at| Some(Nanos(at)))]
}

fn deliveries() -> impl Strategy<Value = Delivery> {
    prop_oneof![
        Just(Delivery::AtOnce),
        Just(Delivery::InPieces),
        (0..1000_u64).prop_map(|at| Delivery::Ended(Nanos(at)))
    ]
}

proptest! {
    /// Law: send <= time to first byte, in whatever order the instants came.
    #[test]
    fn the_send_is_within_the_time_to_first_byte(
        sent in instants(),
        first_byte in instants(),
        delivery in deliveries(),
        now in 0..2000_u64,
    ) {
        let progress = Progress { sent, first_byte, delivery, ..Progress::default() };
        let send = progress.send(Nanos(now));
        if let (Some(sent), Some(first_byte)) = (sent, first_byte) {
            prop_assert!(send <= first_byte.since(sent));
        }
        if delivery == Delivery::AtOnce {
            prop_assert_eq!(send, Nanos::ZERO);
        }
    }

    /// Law: the spans of the network are disjoint, so their sum is at most the time that passed.
    #[test]
    fn spans_add_up_to_the_time_that_passed(steps in prop::collection::vec((0..3_usize, 0..100_u64), 0..9)) {
        let mut progress = Progress::default();
        let mut now = Nanos(5);
        for (phase, span) in steps {
            progress.enter(Some([Phase::Dns, Phase::Connect, Phase::Tls][phase]), now);
            now = now + Nanos(span);
        }
        progress.enter(None, now);
        prop_assert_eq!(progress.network.total(), now.since(Nanos(5)));
    }
}

#[test]
fn each_part_of_a_conversation_has_its_own_limit() {
    let limits = PhaseLimits {
        send: Some(Nanos(10)),
        wait: Some(Nanos(100)),
        receive: Some(Nanos(1000)),
        ..PhaseLimits::default()
    };
    // sent at 1      delivery            first byte  sending  due   why
    let cases = [
        (Delivery::AtOnce, None, false, 101, "one write took all: the wait begins with it"),
        (Delivery::InPieces, None, true, 11, "still sending"),
        (Delivery::Ended(Nanos(7)), None, false, 107, "the wait begins with the last byte"),
        (Delivery::InPieces, Some(Nanos(5)), true, 1005, "an early reply is being received"),
        (Delivery::AtOnce, Some(Nanos(5)), false, 1005, "receiving"),
    ];
    for (delivery, first_byte, is_sending, due, why) in cases {
        let progress = Progress { sent: Some(Nanos(1)), first_byte, delivery, ..Progress::default() };
        let deadline = progress.deadline(&limits, is_sending).unwrap();
        assert_eq!(deadline.at, Nanos(due), "{why}");
        assert_eq!(progress.deadline(&PhaseLimits::default(), is_sending), None);
    }
}

#[test]
fn words_name_the_phase_and_its_limit() {
    let limits = PhaseLimits { connect: Some(Nanos::from_secs(2)), ..PhaseLimits::default() };
    let failure = Deadline::for_phase(Phase::Connect, &limits, Nanos(1)).unwrap().failure();
    assert_eq!(failure.kind, ErrorKind::Timeout);
    assert_eq!(failure.text, "no TCP connection within 2s (limit of phase connect)");
    assert_eq!(Deadline::for_phase(Phase::Tls, &limits, Nanos(1)), None);
}

proptest! {
    /// Law: attempts that each use up their share end with the limit, and each has an equal part of it.
    #[test]
    fn shares_add_up_to_the_limit(limit in 0..10_000_u64, attempts in 1..9_usize) {
        let limits = PhaseLimits { connect: Some(Nanos(limit)), ..PhaseLimits::default() };
        let deadline = Deadline::for_phase(Phase::Connect, &limits, Nanos(7)).unwrap();
        let mut now = Nanos(7);
        for left in (1..=attempts).rev() {
            let end = deadline.share(now, left);
            prop_assert!(end.since(now).0.abs_diff(limit / attempts as u64) <= 1);
            now = end;
        }
        prop_assert_eq!(now, deadline.at);
    }
}
