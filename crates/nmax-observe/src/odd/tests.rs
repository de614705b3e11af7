use nmax_sources::Unit;
use proptest::prelude::*;

use super::*;

fn reading(source: &str, metric: &str, value: f64) -> Reading {
    Reading::named(source, metric, value, Unit::Count)
}

#[test]
fn what_cannot_be_is_absent() {
    // source          metric             value      kept as        said    why
    let cases = [
        ("pool p", "in_use_count", 7.0, Some(7.0), false, "a plain figure"),
        ("pool p", "in_use_count", -5.0, None, true, "nobody lends less than nothing"),
        ("pool p", "in_use_count", 1e308, None, true, "no pool is so large"),
        ("pool p", "waiting_count", 1.8446744073709552e19, None, true, "an unsigned -1"),
        ("pool p", "limit_count", -1.0, None, false, "no limit"),
        ("process p", "open_files_limit_count", 1.8446744073709552e19, None, false, "no limit"),
        ("pool p", "in_use_count", f64::NAN, None, false, "not known"),
        ("pool p", "in_use_count", f64::INFINITY, None, true, "no pool is so large"),
        ("memory", "available_bytes", -7.0, None, true, "memory"),
        ("database d", "wait_other_count", 9.65e-18, Some(0.0), false, "a difference of sums"),
        ("database d", "wait_other_count", -2e-16, Some(0.0), false, "the same"),
        ("agent a", "clock_offset_s", -180.0, Some(-180.0), false, "a clock may be behind"),
        ("prometheus p", "celsius", -40.0, Some(-40.0), false, "its meaning is not known"),
        ("prometheus p", "farads", 1e-15, Some(1e-15), false, "its meaning is not known"),
        ("prometheus p", "vm_max_bytes", 1.8446744073709552e19, Some(1.8446744073709552e19), false, "the same"),
        ("prometheus p", "huge", 1e308, None, true, "two of them are not a number"),
    ];
    for (source, metric, value, want, is_said, why) in cases {
        let mut readings = vec![reading(source, metric, value)];
        let notes = Odd::default().sift(&mut readings);
        let kept = readings.first().map(|reading| reading.value);
        assert_eq!(kept, want, "{source}, {metric}: {why}");
        assert_eq!(notes.len(), usize::from(is_said), "{notes:?}: {why}");
    }
}

#[test]
fn it_is_said_once_of_each_figure() {
    let mut odd = Odd::default();
    let minus = || vec![reading("pool p", "in_use_count", -5.0), reading("pool q", "in_use_count", -5.0)];
    let notes = odd.sift(&mut minus());
    assert_eq!(notes[0], "in_use_count of `pool p` is -5, which cannot be; such values are left out");
    assert_eq!((notes.len(), odd.sift(&mut minus()).len()), (2, 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Laws: what is kept are numbers whose squares can be added, with one zero; possible figures stay as they are; few words.
    #[test]
    fn kept_figures_are_possible(values in proptest::collection::vec(any::<f64>(), 0..60), is_series: bool) {
        let source = if is_series { "prometheus p" } else { "pool p" };
        let named = |(place, value): (usize, &f64)| reading(source, &format!("m{place}"), *value);
        let mut readings: Vec<Reading> = values.iter().enumerate().map(named).collect();
        let before = readings.clone();
        let notes = Odd::default().sift(&mut readings);
        prop_assert!(notes.len() <= SAID_MAX);
        for reading in &readings {
            prop_assert!((reading.value * reading.value).is_finite());
            prop_assert!(reading.value != 0.0 || reading.value.is_sign_positive());
        }
        let possible = before.iter().filter(|reading| ROUNDING <= reading.value && reading.value <= FIGURE_MAX);
        prop_assert!(possible.clone().all(|reading| readings.contains(reading)));
    }
}
