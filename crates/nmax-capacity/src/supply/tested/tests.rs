use proptest::prelude::*;

use super::*;

const OBJECTIVE: Objective = Objective { quantile: 0.99, limit_ms: 110.0, failure_rate_max: 0.01 };

fn level(load_per_s: f64, quantiles_ms: &[f64]) -> TestedLevel {
    let run = |quantile_ms: &f64| TestedRun {
        quantile_ms: *quantile_ms,
        failure_rate: 0.0,
        achieved_per_s: Some(load_per_s),
    };
    TestedLevel { load_per_s, runs: quantiles_ms.iter().map(run).collect() }
}

#[test]
fn three_runs_below_the_objective_do_not_show_that_it_is_met() {
    let three = judge(&[level(900.0, &[92.0, 97.0, 105.0])], &OBJECTIVE);
    let (low, high) = three.levels[0].interval_ms.unwrap();
    assert!(
        (three.levels[0].mean_ms - 97.855).abs() < 5e-4 && (low - 82.950).abs() < 5e-4 && (high - 115.438).abs() < 5e-4
    );
    assert_eq!((three.levels[0].verdict, three.pass_per_s), (Verdict::Open, None));
    // 4 runs like these have 4.303 → 3.182 in t, and √3 → √4 below it.
    assert_eq!(three.levels[0].runs_missing, Some(1));
    let five = judge(&[level(900.0, &[92.0, 97.0, 105.0, 95.0, 99.0])], &OBJECTIVE);
    let (low, high) = five.levels[0].interval_ms.unwrap();
    assert!(
        (five.levels[0].mean_ms - 97.504).abs() < 5e-4 && (low - 91.692).abs() < 5e-4 && (high - 103.684).abs() < 5e-4
    );
    assert_eq!((five.levels[0].verdict, five.pass_per_s, five.fail_per_s), (Verdict::Met, Some(900.0), None));
}

#[test]
fn the_bracket_ends_at_the_first_level_that_is_not_met() {
    let good = [90.0, 91.0, 92.0];
    let levels =
        [level(1200.0, &[200.0, 210.0, 220.0]), level(1000.0, &good), level(1400.0, &good), level(800.0, &good)];
    let tested = judge(&levels, &OBJECTIVE);
    assert_eq!((tested.pass_per_s, tested.fail_per_s, tested.next_per_s), (Some(1000.0), Some(1200.0), Some(1100.0)));
    assert_eq!(tested.levels[2].verdict, Verdict::Missed);
    assert_eq!(judge(&levels[1..2], &OBJECTIVE).next_per_s, Some(1250.0), "at least 1000, so higher is next");
    let narrow = judge(&[level(1000.0, &good), level(1040.0, &[200.0, 201.0, 202.0])], &OBJECTIVE);
    assert_eq!(narrow.next_per_s, None, "within 5 % is close enough");
}

#[test]
fn runs_that_fall_short_or_fail_do_not_meet_it() {
    let mut short = level(1000.0, &[90.0, 91.0, 92.0]);
    short.runs[0].achieved_per_s = Some(900.0);
    let judged = &judge(&[short], &OBJECTIVE).levels[0];
    assert_eq!((judged.verdict, judged.why.as_str()), (Verdict::Missed, "only 96.67 % of the load was achieved"));
    let mut failing = level(1000.0, &[90.0, 91.0, 92.0]);
    failing.runs.iter_mut().zip([0.002, 0.005, 0.012]).for_each(|(run, rate)| run.failure_rate = rate);
    assert_eq!(judge(&[failing], &OBJECTIVE).levels[0].verdict, Verdict::Open, "the interval reaches above 1 %");
    assert_eq!(judge(&[level(1000.0, &[90.0, 91.0])], &OBJECTIVE).levels[0].runs_missing, Some(1));
}

#[test]
fn a_queue_explains_the_growth_of_its_own_quantiles() {
    // p99 of M/M/1 is ln 100/(μ − λ); at 300/s of 1500/s it is 3.8 ms, at 1200/s four times that.
    let p99 = |load: f64| 100_f64.ln() / (1500.0 - load) * 1e3;
    let at = |load: f64, factor: f64| level(load, &[0.99, 1.0, 1.01].map(|noise| noise * factor * p99(load)));
    let own = judge(&[at(300.0, 1.0), at(1200.0, 1.0)], &OBJECTIVE).growth(1500.0).unwrap();
    assert!((own.measured - 4.0).abs() < 1e-3 && (own.queue - 4.0).abs() < 1e-9 && own.is_queueing(), "{own:?}");
    let worse = judge(&[at(300.0, 1.0), at(1200.0, 2.0)], &OBJECTIVE);
    assert!(!worse.growth(1500.0).unwrap().is_queueing());
    assert_eq!(worse.growth(1100.0), None, "a queue is not stable beyond its saturation");
}

#[test]
fn the_median_of_six_runs_lies_between_the_smallest_and_the_largest() {
    let values: Vec<f64> = (1..=20).map(f64::from).collect();
    let of = |count: usize| judge(&[level(100.0, &values[..count])], &OBJECTIVE).levels[0].median_ms;
    // Tables of the binomial interval of the median: ranks (1, 6), (2, 9), (6, 15).
    assert_eq!((of(5), of(6), of(10), of(20)), (None, Some((1.0, 6.0)), Some((2.0, 9.0)), Some((6.0, 15.0))));
}

proptest! {
    /// Law: the same runs with a laxer limit never show less capacity.
    #[test]
    fn a_laxer_limit_never_shows_less(
        seeds in prop::collection::vec((10.0..200.0_f64, 10.0..200.0_f64, 10.0..200.0_f64), 1..8),
        limit in 20.0..200.0_f64,
        more in 1.0..3.0_f64,
    ) {
        let levels: Vec<TestedLevel> = seeds.iter().zip(1..).map(|((a, b, c), n)| level(100.0 * f64::from(n), &[*a, *b, *c])).collect();
        let at = |limit_ms| judge(&levels, &Objective { limit_ms, ..OBJECTIVE }).pass_per_s.unwrap_or(0.0);
        prop_assert!(at(limit * more) >= at(limit));
    }
}
