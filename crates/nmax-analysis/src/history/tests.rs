use proptest::prelude::*;

use super::*;
use crate::tests::simulate::Random;

const METRIC: Metric = Metric::ResponseP95;

fn runs(random: &mut Random, levels: &[(usize, f64)], deviation: f64) -> Vec<f64> {
    let mut all = Vec::new();
    for (count, level) in levels {
        all.extend((0..*count).map(|_| level * (deviation * random.normal()).exp()));
    }
    all
}

fn places(values: &[f64]) -> Vec<usize> {
    history(METRIC, values, 0.05).unwrap().steps.iter().map(|step| step.at).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    /// Oracle: the energy distance of every place, summed pair by pair.
    #[test]
    fn the_farthest_place_is_that_of_all_pairs(scores in prop::collection::vec(-3.0..3.0_f64, 6..30)) {
        let mean_distance = |a: &[f64], b: &[f64], pairs: f64| {
            a.iter().flat_map(|x| b.iter().map(move |y| (x - y).abs())).sum::<f64>() / pairs
        };
        let energy = |at: usize| {
            let (x, y) = scores.split_at(at);
            let (m, n) = (x.len() as f64, y.len() as f64);
            // All ordered pairs of one part: each counts twice, those with themselves are 0.
            let inside = mean_distance(x, x, m * (m - 1.0)) + mean_distance(y, y, n * (n - 1.0));
            m * n / (m + n) * (2.0 * mean_distance(x, y, m * n) - inside)
        };
        let found = farthest(&scores).unwrap();
        let most = (3..=scores.len() - 3).map(energy).fold(f64::NEG_INFINITY, f64::max);
        prop_assert!((energy(found) - most).abs() < 1e-9, "{} at {found}, {most}", energy(found));
    }

    /// Laws: another unit, and a mirror, move no change.
    #[test]
    fn units_and_directions_do_not_matter(seed in any::<u64>(), unit in 0.001..1e3_f64) {
        let values = runs(&mut Random::new(seed), &[(12, 10.0), (9, 12.0), (7, 9.0)], 0.04);
        let scaled: Vec<f64> = values.iter().map(|value| value * unit).collect();
        prop_assert_eq!(places(&values), places(&scaled));
        let inverse: Vec<f64> = values.iter().map(|value| 1.0 / value).collect();
        prop_assert_eq!(places(&values), places(&inverse));
    }
}

/// Of 300 series of 20 and of 60 equal runs at most 3 % have a change.
#[test]
fn equal_runs_have_no_change() {
    for count in [20, 60] {
        let mut random = Random::new(11);
        let wrong = (0..300).filter(|_| !places(&runs(&mut random, &[(count, 50.0)], 0.05)).is_empty()).count();
        assert!(wrong <= 9, "{wrong} of 300 series of {count}");
    }
}

/// A change by 10 % after 15 of 25 runs that differ by 3 % is found in 9 of 10, within a run of where it was.
#[test]
fn changes_are_found_where_they_are() {
    let mut random = Random::new(5);
    let mut held = 0;
    let found = (0..200).filter(|_| {
        let values = runs(&mut random, &[(15, 40.0), (10, 44.0)], 0.03);
        let steps = history(METRIC, &values, 0.05).unwrap().steps;
        held += usize::from(steps.len() == 1 && steps[0].interval.0 <= 1.1 && 1.1 <= steps[0].interval.1);
        matches!(steps.as_slice(), [step] if step.at.abs_diff(15) <= 1 && step.said == Conclusion::Worse)
    });
    let found = found.count();
    assert!(found >= 180, "{found} of 200");
    assert!(held >= 180, "the interval held the true size in {held} of 200");
}

#[test]
fn one_odd_run_is_no_change() {
    let mut values = vec![10.0, 10.1, 9.9, 10.05, 9.95, 10.1, 9.9, 10.0, 10.02, 9.97];
    values.push(30.0);
    assert_eq!(places(&values), [] as [usize; 0]);
    values.extend([29.0, 31.0]);
    assert_eq!(places(&values), [10]);
}

#[test]
fn several_changes_and_levels() {
    let values = runs(&mut Random::new(2), &[(10, 100.0), (10, 60.0), (10, 61.0), (10, 120.0)], 0.02);
    let found = history(METRIC, &values, 0.05).unwrap();
    let at: Vec<_> = found.steps.iter().map(|step| (step.at, step.said)).collect();
    assert_eq!(at, [(10, Conclusion::Better), (30, Conclusion::Worse)], "{found:?}");
    let spans: Vec<_> = found.levels.iter().map(|(from, to, _)| (*from, *to)).collect();
    assert_eq!(spans, [(0, 10), (10, 30), (30, 40)]);
}

#[test]
fn little_and_odd_input() {
    assert_eq!(history(METRIC, &[], 0.05).unwrap(), History::default());
    assert_eq!(places(&[1.0; 40]), [] as [usize; 0]);
    assert_eq!(history(METRIC, &[1.0, 0.0], 0.05), None, "0 has no logarithm");
    let rates = [0.0, 0.0, 0.0, 0.0, 0.2, 0.21, 0.19, 0.2];
    let found = history(Metric::FailureRate, &rates, 0.005).unwrap();
    assert_eq!((found.steps.len(), found.steps[0].at, found.steps[0].said), (1, 4, Conclusion::Worse));
    let small = history(Metric::FailureRate, &[0.0, 0.0, 0.0, 0.0, 0.001, 0.001, 0.001, 0.001], 0.005).unwrap();
    assert_eq!(small.steps[0].said, Conclusion::Equivalent);
}

/// A system that fails at once is not faster, one that works again is not slower.
#[test]
fn failing_fast_is_not_better() {
    let said = |metric: Metric, values: [f64; 2], failures: [f64; 2]| {
        let series = |levels: [f64; 2]| -> Vec<f64> {
            let level = |run: usize| levels[usize::from(run >= 14)] * (1.0 + 0.001 * (run % 3) as f64);
            (0..17).map(level).collect()
        };
        let mut found = history(metric, &series(values), 0.05).unwrap();
        let places = weigh_failures(&mut found, &series(failures), 0.005);
        assert_eq!(found.steps.len(), 1, "{found:?}");
        (found.steps[0].said, places.len())
    };
    use Metric::{ResponseP95, Throughput};
    let some = [0.006, 0.006];
    assert_eq!(said(ResponseP95, [76.0, 4.0], some), (Conclusion::Better, 0));
    assert_eq!(said(ResponseP95, [76.0, 90.0], some), (Conclusion::Worse, 0));
    assert_eq!(said(ResponseP95, [76.0, 4.0], [0.006, 0.99]), (Conclusion::Changed, 1));
    assert_eq!(said(ResponseP95, [76.0, 60.0], [0.006, 0.3]), (Conclusion::Changed, 1));
    assert_eq!(said(Throughput, [76.0, 900.0], [0.006, 0.3]), (Conclusion::Changed, 1));
    // Slower and failing more is worse.
    assert_eq!(said(ResponseP95, [76.0, 90.0], [0.006, 0.3]), (Conclusion::Worse, 0));
    // Back to work.
    assert_eq!(said(ResponseP95, [4.0, 76.0], [0.99, 0.006]), (Conclusion::Changed, 1));
    assert_eq!(said(ResponseP95, [76.0, 60.0], [0.3, 0.006]), (Conclusion::Better, 0));
}

/// A change for the worse is the last one until one beyond the margin comes after it.
#[test]
fn a_small_change_takes_no_large_one_back() {
    let last = |levels: &[f64]| {
        let values: Vec<f64> = levels
            .iter()
            .flat_map(|level| (0..10).map(move |run| level * (1.0 + 0.000_5 * f64::from(run % 3))))
            .collect();
        let found = history(METRIC, &values, 0.05).unwrap();
        assert_eq!(found.steps.len(), levels.len() - 1, "{found:?}");
        found.last()
    };
    assert_eq!(last(&[100.0]), None);
    assert_eq!(last(&[100.0, 101.0]), None);
    assert_eq!(last(&[100.0, 150.0]), Some(Conclusion::Worse));
    assert_eq!(last(&[100.0, 150.0, 149.0]), Some(Conclusion::Worse));
    assert_eq!(last(&[100.0, 150.0, 149.0, 100.0, 101.0]), Some(Conclusion::Better));
}

/// Failures that go up and down did not rise: the change stays what it is.
#[test]
fn failures_that_may_not_have_risen_take_nothing() {
    let values: Vec<f64> = (0..17).map(|run| if run < 14 { 76.0 } else { 4.0 } + 0.1 * f64::from(run % 3)).collect();
    let weighed = |failures: &dyn Fn(usize) -> f64| {
        let mut found = history(METRIC, &values, 0.05).unwrap();
        let all: Vec<f64> = (0..17).map(failures).collect();
        weigh_failures(&mut found, &all, 0.005);
        found.steps[0].said
    };
    assert_eq!(weighed(&|run| [0.02, 0.1, 0.06, 0.0][run % 4] + if run < 14 { 0.0 } else { 0.03 }), Conclusion::Better);
    assert_eq!(weighed(&|run| if run < 14 { 0.02 } else { 0.1 }), Conclusion::Changed);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Law: failures never make a change better than it was, and the same failures everywhere change nothing.
    #[test]
    fn failures_make_nothing_better(seed in any::<u64>(), failures in prop::collection::vec(0.0..1.0_f64, 28), share in 0.0..1.0_f64) {
        let values = runs(&mut Random::new(seed), &[(12, 10.0), (9, 14.0), (7, 9.0)], 0.02);
        let plain = history(METRIC, &values, 0.05).unwrap();
        let mut same = plain.clone();
        prop_assert!(weigh_failures(&mut same, &[share; 28], 0.005).is_empty());
        prop_assert_eq!(&same, &plain);
        let mut other = plain.clone();
        let places = weigh_failures(&mut other, &failures, 0.005);
        for (place, (before, after)) in plain.steps.iter().zip(&other.steps).enumerate() {
            prop_assert_eq!(after.said, if places.contains(&place) { Conclusion::Changed } else { before.said });
        }
    }
}
