use proptest::prelude::*;

use super::*;

const S: f64 = 1e9;

/// A world in which the other clock is off and drifts, and ways are unequal.
#[derive(Clone, Debug)]
struct World {
    /// Other − run at the run's origin, ns; the other clock may have started hours before.
    offset: f64,
    /// s per s.
    drift: f64,
    /// Way there, time there, way back of each exchange, ns; one exchange a second.
    exchanges: Vec<(f64, f64, f64)>,
}

impl World {
    /// What the other clock says at `run`, ns.
    fn other(&self, run: f64) -> f64 {
        run * (1.0 + self.drift) + self.offset
    }

    fn stamps(&self, index: usize) -> Stamps {
        let (there, stay, back) = self.exchanges[index];
        let sent = (index as f64 + 1.0) * S;
        let nanos = |ns: f64| Nanos(ns.round() as u64);
        Stamps {
            sent: nanos(sent),
            arrived: nanos(self.other(sent + there)),
            answered: nanos(self.other(sent + there + stay)),
            received: nanos(sent + there + stay + back),
        }
    }
}

fn world() -> impl Strategy<Value = World> {
    let way = prop_oneof![1e4..1e6_f64, 1e6..4e8_f64];
    let exchange = (way.clone(), 1e3..5e7_f64, way);
    (prop_oneof![Just(0.0), 0.0..1e5 * S], -DRIFT_MAX..DRIFT_MAX, proptest::collection::vec(exchange, 1..90))
        .prop_map(|(offset, drift, exchanges)| World { offset, drift, exchanges })
}

/// Slack of rounding to whole nanoseconds in numbers of up to 2^47.
const ROUNDING: f64 = 16.0;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Law: whatever the offset, drift and delays, an instant of the other clock is placed within the error that is given.
    #[test]
    fn the_error_is_a_bound(world in world(), ago in 0.0..1.0_f64) {
        let mut clock = OtherClock::default();
        for index in 0..world.exchanges.len() {
            let stamps = world.stamps(index);
            clock.exchanged(&stamps);
            prop_assert_eq!(clock.jump_s(), None);
            let now = stamps.received;
            let error = clock.offset(now).unwrap().error_s * S;
            // Something that happened in the last second.
            let run = now.0 as f64 - ago * S;
            let at = clock.here(Nanos(world.other(run).round() as u64), now).unwrap();
            let off = (at.0 as f64 - run).abs();
            prop_assert!(off <= error + ago * S * DRIFT_MAX + ROUNDING, "{off} ns off, {error} ns given, exchange {index}");
        }
    }

    /// Law: a quick exchange makes the error small, whatever the slow ones before said.
    #[test]
    fn one_quick_exchange_is_enough(mut world in world()) {
        world.exchanges.push((1e4, 1e3, 1e4));
        let mut clock = OtherClock::default();
        (0..world.exchanges.len()).for_each(|index| clock.exchanged(&world.stamps(index)));
        let now = world.stamps(world.exchanges.len() - 1).received;
        prop_assert!(clock.offset(now).unwrap().error_s < 1e-4);
    }

    /// Law: a clock that jumps is followed at once when the jump is larger than what was not known.
    #[test]
    fn jumps_are_followed(world in world(), jump in 2.0 * S..1e4 * S) {
        let mut clock = OtherClock::default();
        (0..world.exchanges.len()).for_each(|index| clock.exchanged(&world.stamps(index)));
        let before = clock.offset(world.stamps(world.exchanges.len() - 1).received).unwrap();
        let mut after = World { offset: world.offset + jump, ..world };
        // A slow exchange says less than those before the jump claim to.
        after.exchanges.push((1e8, 1e4, 1e8));
        let stamps = after.stamps(after.exchanges.len() - 1);
        clock.exchanged(&stamps);
        let offset = clock.offset(stamps.received).unwrap();
        let want = after.other(stamps.received.0 as f64) - stamps.received.0 as f64;
        prop_assert!((offset.offset_s * S - want).abs() <= offset.error_s * S + ROUNDING);
        let found = clock.jump_s().unwrap();
        // Both clocks drift for a second and a bit.
        let slack = before.error_s + offset.error_s + 2.0 * DRIFT_MAX;
        prop_assert!((found - jump / S).abs() <= slack, "{found} s for {} s", jump / S);
    }

    /// Law: no stamps make a panic, or an error below zero.
    #[test]
    fn any_stamps_do(stamps in proptest::collection::vec(any::<[u64; 4]>(), 0..70), now: u64, other: u64) {
        let mut clock = OtherClock::default();
        for [sent, arrived, answered, received] in stamps {
            clock.exchanged(&Stamps {
                sent: Nanos(sent),
                arrived: Nanos(arrived),
                answered: Nanos(answered),
                received: Nanos(received),
            });
        }
        let _ = clock.here(Nanos(other), Nanos(now));
        prop_assert!(clock.offset(Nanos(now)).is_none_or(|offset| offset.error_s >= 0.0));
    }
}

#[test]
fn what_was_before_the_run_has_no_instant_in_it() {
    let mut clock = OtherClock::default();
    assert_eq!(clock.here(Nanos::from_secs(1), Nanos::ZERO), None, "nothing is known yet");
    let at = Nanos::from_secs;
    clock.exchanged(&Stamps { sent: at(1), arrived: at(101), answered: at(101), received: at(1) });
    assert_eq!(clock.here(at(99), at(1)), None);
    assert_eq!(clock.here(at(105), at(5)), Some(at(5)));
}
