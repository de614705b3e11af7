use proptest::prelude::*;

use super::*;

fn reading(second: u64, value: f64) -> Resource {
    Resource {
        at: Nanos::from_secs(second),
        host: "db".into(),
        source: "disk sda".into(),
        metric: "await_ms".into(),
        value,
        unit: "ms".into(),
    }
}

proptest! {
    /// Law: whatever the length of a run, its bins add up to what was read, and there are few of them.
    #[test]
    fn nothing_is_lost(values in proptest::collection::vec(0.0..1e6_f64, 1..200), step in 1_u64..1_000) {
        let mut readings = Readings::default();
        for (index, value) in values.iter().enumerate() {
            readings.push(&reading(index as u64 * step, *value));
        }
        let track = readings.get("db", "disk sda", "await_ms").unwrap();
        prop_assert!(track.bins.len() <= BINS_MAX);
        let all = track.within((Nanos::ZERO, Nanos(u64::MAX)));
        prop_assert_eq!(all.count as usize, values.len());
        prop_assert!((all.sum - values.iter().sum::<f64>()).abs() <= 1e-6 * all.sum.max(1.0));
        prop_assert_eq!(all.max, values.iter().copied().fold(f64::MIN, f64::max));
        prop_assert_eq!(all.min, values.iter().copied().fold(f64::MAX, f64::min));
    }
}

proptest! {
    /// Law: however wide the bins became, those that have readings know when they were read: the means over bins are the mean
    /// over readings, and each lies within its bin.
    #[test]
    fn bins_know_when_they_were_read(instants_ms in proptest::collection::vec(0_u64..20_000_000, 1..200)) {
        let mut readings = Readings::default();
        for at_ms in &instants_ms {
            readings.push(&Resource { at: Nanos(at_ms * 1_000_000), ..reading(0, 1.0) });
        }
        let track = readings.get("db", "disk sda", "await_ms").unwrap();
        let width_s = track.width.as_secs_f64();
        let mut sum_s = 0.0;
        for (index, bin) in track.bins.iter().enumerate() {
            let Some(at_s) = track.read_at_s(index) else {
                prop_assert_eq!(bin.count, 0);
                continue;
            };
            let begin_s = index as f64 * width_s;
            prop_assert!((begin_s..=begin_s + width_s).contains(&at_s), "{at_s} in bin {index} of {width_s} s");
            sum_s += at_s * f64::from(bin.count);
        }
        let want_s: f64 = instants_ms.iter().map(|at_ms| *at_ms as f64 / 1e3).sum();
        prop_assert!((sum_s - want_s).abs() <= 1e-5 * instants_ms.len() as f64 * width_s, "{sum_s}, not {want_s}");
    }
}

/// What is of the time since the reading before comes one reading later, a gap or not.
#[test]
fn what_is_of_the_past_comes_one_reading_later() {
    // instants of readings, the usual time between them, what is of 10 s to 20 s, why this row
    let cases: [(&[u64], Option<u64>, f64, &str); 4] = [
        (&[0, 5, 10, 15, 20, 25], Some(5), 35.0, "every 5 s"),
        (&[0, 5, 15, 20, 25], Some(5), 35.0, "one is missing"),
        (&[10], None, 0.0, "one alone is taken as of a second: the one before 10 s"),
        (&[11], None, 11.0, "and this of the one after"),
    ];
    for (instants, usual_s, sum, why) in cases {
        let mut readings = Readings::default();
        for second in instants {
            readings.push(&reading(*second, *second as f64));
        }
        let track = readings.get("db", "disk sda", "await_ms").unwrap();
        assert_eq!(track.usual(), usual_s.map(Nanos::from_secs), "{why}");
        let of_span = track.since((Nanos::from_secs(10), Nanos::from_secs(20)));
        assert_eq!(of_span.sum, sum, "{why}");
    }
}

/// Readings every 5 s: that at 15 s began before 12 s, that at 20 s is within. One that is early is not the usual one.
#[test]
fn the_usual_time_between_readings_is_that_of_most() {
    let track = |instants: &[u64]| {
        let mut readings = Readings::default();
        for second in instants {
            readings.push(&reading(*second, *second as f64));
        }
        readings.get("db", "disk sda", "await_ms").unwrap().clone()
    };
    let span = (Nanos::from_secs(12), Nanos::from_secs(20));
    assert_eq!(track(&[0, 5, 10, 15, 20, 25]).since(span).sum, 20.0);
    assert_eq!(track(&[0, 5, 7, 12, 17]).usual(), Some(Nanos::from_secs(5)));
    assert_eq!(track(&[0, 2, 7, 20, 25, 30]).usual(), Some(Nanos::from_secs(5)));
}

#[test]
fn a_span_takes_the_bins_that_begin_in_it_and_gaps_have_no_mean() {
    let mut readings = Readings::default();
    for second in [0, 1, 2, 5, 6] {
        readings.push(&reading(second, second as f64));
    }
    readings.push(&reading(3, f64::NAN));
    let track = readings.get("db", "disk sda", "await_ms").unwrap();
    let span = |start: u64, end: u64| track.mean((Nanos::from_secs(start), Nanos::from_secs(end)));
    assert_eq!(span(0, 3), Some(1.0));
    assert_eq!(span(3, 5), None);
    assert_eq!(span(5, 100), Some(5.5));
    assert_eq!(span(100, 200), None);
    assert_eq!(track.points().count(), 5);
}

#[test]
fn figures_beyond_the_cap_are_counted_and_left_out() {
    let mut readings = Readings::default();
    for number in 0..TRACKS_MAX + 3 {
        let metric = format!("m{number}");
        readings.push(&Resource { metric, ..reading(0, 1.0) });
    }
    assert_eq!(readings.iter().count(), TRACKS_MAX);
    assert_eq!(readings.left_out, 3);
}

/// Law: however many figures pages have, those of the host itself find a place after them, and all others are counted.
#[test]
fn pages_leave_room_for_hosts() {
    for source in ["prometheus shop", "pool p", "lock l", "dependency d"] {
        let mut readings = Readings::default();
        let named = |source: &str, number: usize| Resource {
            source: source.into(),
            metric: format!("m{number}"),
            ..reading(0, 1.0)
        };
        let pages = 2 * TRACKS_MAX;
        (0..pages).for_each(|number| readings.push(&named(source, number)));
        let kept = readings.iter().count();
        assert_eq!(readings.left_out as usize, pages - kept, "{source}");
        for (number, own) in ["cpu", "cpu 0", "disk sda", "memory", "process shop"].iter().enumerate() {
            readings.push(&named(own, number));
            assert!(readings.get("db", own, &format!("m{number}")).is_some(), "{own} after {source}");
        }
    }
}
