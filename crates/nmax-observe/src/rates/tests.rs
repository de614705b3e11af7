use proptest::prelude::*;

use super::*;

fn second(seconds: u64) -> Nanos {
    Nanos::from_secs(seconds)
}

#[test]
fn the_first_sight_of_a_counter_tells_nothing() {
    let mut rates = Rates::default();
    rates.begin(second(1));
    assert_eq!(rates.per_s("a", 100.0), None);
    rates.begin(second(3));
    assert_eq!(rates.per_s("a", 110.0), Some(5.0));
    assert_eq!(rates.per_s("b", 7.0), None);
}

#[test]
fn a_counter_that_was_away_for_a_reading_begins_anew() {
    let mut rates = Rates::default();
    rates.begin(second(1));
    rates.per_s("a", 1.0);
    rates.begin(second(2));
    rates.begin(second(3));
    assert_eq!(rates.per_s("a", 5.0), None);
}

#[test]
fn a_restarted_counter_counts_from_zero() {
    let mut rates = Rates::default();
    rates.begin(second(1));
    rates.per_s("a", 1_000.0);
    rates.begin(second(2));
    assert_eq!(rates.per_s("a", 40.0), Some(40.0));
}

/// When it began again is not known after a gap: its growth is that of some part of the time.
#[test]
fn a_counter_that_restarted_in_a_gap_has_no_rate() {
    let mut rates = Rates::default();
    let read = |rates: &mut Rates, at, value| {
        rates.begin(second(at));
        rates.per_s("a", value)
    };
    assert_eq!(read(&mut rates, 1, 1_000.0), None);
    assert_eq!(read(&mut rates, 2, 1_170.0), Some(170.0));
    assert_eq!(read(&mut rates, 7, 170.0), None, "five seconds, of which it counted one");
    assert_eq!(read(&mut rates, 8, 340.0), Some(170.0));
    assert_eq!(read(&mut rates, 12, 1_020.0), Some(170.0), "it went on through the gap");
}

#[test]
fn a_stamp_that_stands_still_is_the_same_reading() {
    let mut rates = Rates::default();
    rates.begin(second(1));
    rates.growth("a", 10.0, Some(100.0));
    rates.begin(second(2));
    assert_eq!(rates.growth("a", 10.0, Some(100.0)), None);
    rates.begin(second(3));
    let growth = rates.growth("a", 30.0, Some(110.0)).unwrap();
    assert_eq!(growth.per_s(), 2.0);
}

#[test]
fn what_is_no_number_is_not_remembered() {
    let mut rates = Rates::default();
    for (at, value) in [(1, f64::NAN), (2, 4.0), (3, f64::INFINITY), (4, 5.0)] {
        rates.begin(second(at));
        assert_eq!(rates.per_s("a", value), None, "{value} at {at}");
    }
}

proptest! {
    /// Law: rates times their spans add up to what was counted, however often a counter begins again; but for what it
    /// counted since it began again in a gap.
    #[test]
    fn growths_add_up(steps in prop::collection::vec((0u32..1_000, 1u64..5, prop::bool::weighted(0.2)), 1..50)) {
        let (mut rates, mut counter, mut at, mut counted) = (Rates::default(), 500.0, 1, 0.0);
        // Readings are a second apart but for gaps.
        for second in [Nanos::ZERO, second(1)] {
            rates.begin(second);
            rates.per_s("a", counter);
        }
        let mut sum = 0.0;
        for (by, span, restart) in steps {
            let by = f64::from(by);
            at += span;
            // A restart is seen where the counter is smaller than it was.
            let begun_again = restart && by < counter;
            counter = if begun_again { by } else { counter + by };
            rates.begin(second(at));
            let growth = rates.growth("a", counter, None);
            prop_assert_eq!(growth.is_none(), begun_again && span > 1);
            if let Some(growth) = growth {
                prop_assert_eq!(growth.over_s, span as f64);
                counted += by;
                sum += growth.by;
            }
        }
        prop_assert_eq!(sum, counted);
    }
}
