use proptest::prelude::*;

use super::*;
use crate::simulate::Random;

const METRIC: Metric = Metric::ResponseP95;

fn runs(random: &mut Random, levels: &[(usize, f64)], deviation: f64) -> Vec<f64> {
    let mut all = Vec::new();
    for (count, level) in levels {
        all.extend((0..*count).map(|_| level * (deviation * random.normal()).exp()));
    }
    all
}

fn places(values: &[f64]) -> Vec<usize> {
    history(METRIC, values, 0.05)
        .unwrap()
        .steps
        .iter()
        .map(|step| step.at)
        .collect()
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
        let wrong = (0..300)
            .filter(|_| !places(&runs(&mut random, &[(count, 50.0)], 0.05)).is_empty())
            .count();
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
        matches!(steps.as_slice(), [step] if step.at.abs_diff(15) <= 1 && step.said == Said::Worse)
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
    let values = runs(
        &mut Random::new(2),
        &[(10, 100.0), (10, 60.0), (10, 61.0), (10, 120.0)],
        0.02,
    );
    let found = history(METRIC, &values, 0.05).unwrap();
    let at: Vec<_> = found.steps.iter().map(|step| (step.at, step.said)).collect();
    assert_eq!(at, [(10, Said::Better), (30, Said::Worse)], "{found:?}");
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
    assert_eq!(
        (found.steps.len(), found.steps[0].at, found.steps[0].said),
        (1, 4, Said::Worse)
    );
    let small = history(
        Metric::FailureRate,
        &[0.0, 0.0, 0.0, 0.0, 0.001, 0.001, 0.001, 0.001],
        0.005,
    )
    .unwrap();
    assert_eq!(small.steps[0].said, Said::Equivalent);
}
