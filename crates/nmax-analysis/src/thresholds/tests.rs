use nmax_metrics::{ErrorKind, Nanos, Outcome};
use nmax_plan::threshold::Op::{Above, AtLeast, AtMost, Below};
use proptest::prelude::*;
use std::time::Duration;

mod places;

use super::*;
use crate::tests::fixture::{FORM, HOME, Run, ms, scenario, threshold};

fn one(run: &Run, threshold: Threshold) -> ThresholdResult {
    let mut run = run.clone();
    run.plan.thresholds = vec![threshold];
    thresholds(&run.evidence()).pop().expect("one result for one condition")
}

fn why(run: &Run, threshold: Threshold) -> String {
    let mut run = run.clone();
    run.plan.thresholds = vec![threshold];
    evaluate_all(&run.evidence()).pop().and_then(|evaluated| evaluated.why).expect("it does not hold")
}

const NONE: Limit = Limit::Number(0.0);

/// 1,000 exchanges: 950 ok in 20 ms, 30 failed in 40 ms, 20 reset after 60 ms; 10 s of hold.
fn mixed() -> Run {
    let mut run = Run::empty();
    run.add(Section::Hold, 950, HOME, Outcome::Ok, 20.0, 1.0);
    run.add(Section::Hold, 30, FORM, Outcome::Failed, 40.0, 1.0);
    run.add(Section::Hold, 20, FORM, Outcome::Error(ErrorKind::Reset), 60.0, 1.0);
    let load = run.totals.load_mut(Section::Hold);
    (load.due, load.started, load.dropped_injector, load.dropped_in_flight_limit) = (1_040, 1_000, 10, 30);
    for (index, completed) in [(0, 700), (1, 240)] {
        let stats = run.totals.scenarios.get_mut(Section::Hold, index);
        stats.completed = completed;
        stats.iteration_time.record_n(50_000_000 * (index as u64 + 1), completed);
        *run.totals.checks.get_mut(Section::Hold, index) =
            nmax_metrics::CheckStats { passed: 190, failed: 10 - 10 * index as u64 };
    }
    run
}

/// Every metric with every unit that its limit may have: the value, worked by hand.
#[test]
fn values_by_hand() {
    use Metric::*;
    let (ratio, rate, number, time) = (Limit::Ratio(0.0), Limit::PerSecond(0.0), Limit::Number(0.0), Limit::Nanos(0.0));
    let p = Stat::Quantile;
    let cases = [
        (ResponseTime, p(0.5), time, 20.0, "ms"),
        (ResponseTime, p(0.97), time, 40.0, "ms"),
        (ResponseTime, p(0.99), time, 60.0, "ms"),
        (ResponseTime, Stat::Min, time, 20.0, "ms"),
        (ResponseTime, Stat::Max, time, 60.0, "ms"),
        (ResponseTime, Stat::Mean, time, 0.95 * 20.0 + 0.03 * 40.0 + 0.02 * 60.0, "ms"),
        (ResponseTime, Stat::Count, number, 1_000.0, ""),
        (ServiceTime, p(0.5), time, 19.0, "ms"),
        (Ttfb, p(0.5), time, 9.5, "ms"),
        (SendLag, p(0.5), time, 1.0, "ms"),
        (IterationTime, p(0.5), time, 50.0, "ms"),
        (IterationTime, Stat::Max, time, 100.0, "ms"),
        (FailureRate, Stat::Value, ratio, 0.05, "%"),
        (Errors, Stat::Value, number, 20.0, ""),
        (Failed, Stat::Count, number, 30.0, ""),
        (Dropped, Stat::Value, ratio, 40.0 / 1_040.0, "%"),
        (Dropped, Stat::Count, number, 40.0, ""),
        (Rate, Stat::Value, ratio, 1_000.0 / 1_040.0, "%"),
        (Rate, Stat::Value, rate, 100.0, "/s"),
        (Throughput, Stat::Value, rate, 100.0, "/s"),
        (Bytes, Stat::Value, number, 500_000.0, ""),
        (Checks, Stat::Value, ratio, 0.974_358_974, "%"),
        (Checks, Stat::Count, number, 390.0, ""),
        (Iterations, Stat::Value, number, 940.0, ""),
        (Iterations, Stat::Count, number, 940.0, ""),
    ];
    for (metric, stat, limit, want, unit) in cases {
        let result = one(&mixed(), threshold(metric, stat, AtLeast, limit));
        let value = result.value.unwrap_or_else(|| panic!("{metric:?} {stat:?} {limit:?} has no value"));
        assert!((value - want).abs() <= 1e-3 * want, "{metric:?} {stat:?} {limit:?}: {value} instead of {want}");
        assert_eq!(result.unit, unit, "{metric:?} {stat:?} {limit:?}");
        assert!(result.holds && result.margin.is_none(), "at least nothing, with no relative distance to nothing");
    }
}

/// Without a single sample no condition holds, whichever way it points.
#[test]
fn without_samples_nothing_holds() {
    for run in [Run::empty(), Run::empty().closed()] {
        for metric in Metric::ALL {
            for op in [Below, AtMost, Above, AtLeast] {
                let (stats, limits) = if metric.is_time() {
                    (&[Stat::Mean, Stat::Min, Stat::Max, Stat::Count, Stat::Quantile(0.5)][..], [ms(1.0), NONE])
                } else {
                    (&[Stat::Value, Stat::Count][..], [Limit::Ratio(0.5), NONE])
                };
                for (stat, limit) in stats.iter().flat_map(|stat| limits.map(|limit| (*stat, limit))) {
                    let result = one(&run, threshold(metric, stat, op, limit));
                    assert!(
                        !result.holds && result.value.is_none() && result.margin.is_none(),
                        "{metric:?} {stat:?} {op:?}"
                    );
                }
            }
        }
    }
    assert_eq!(why(&Run::empty(), threshold(Metric::ResponseTime, Stat::Mean, Below, ms(1.0))), NO_SAMPLES);
}

#[test]
fn a_request_without_samples_does_not_hold() {
    let condition = |name: &str| Threshold {
        scope: Scope::Request(name.into()),
        ..threshold(Metric::FailureRate, Stat::Value, Below, Limit::Ratio(0.9))
    };
    assert!(one(&mixed(), condition("home")).holds);
    assert!(!one(&mixed(), condition("form")).holds, "all of them failed");
    assert_eq!(why(&mixed(), condition("nowhere")), NO_SAMPLES);
}

#[test]
fn scenarios_have_the_figures_of_their_own_requests() {
    let of = |metric, stat, limit, name: &str| Threshold {
        scope: Scope::Scenario(name.into()),
        ..threshold(metric, stat, AtLeast, limit)
    };
    let run = mixed();
    let value = |metric, stat, limit, name| one(&run, of(metric, stat, limit, name)).value;
    assert_eq!(value(Metric::FailureRate, Stat::Value, Limit::Ratio(0.0), "browse"), Some(0.0));
    assert_eq!(value(Metric::FailureRate, Stat::Value, Limit::Ratio(0.0), "sign-up"), Some(1.0));
    assert_eq!(value(Metric::Iterations, Stat::Value, NONE, "sign-up"), Some(240.0));
    assert_eq!(value(Metric::Checks, Stat::Value, Limit::Ratio(0.0), "browse"), Some(0.95));
    assert_eq!(value(Metric::Checks, Stat::Value, Limit::Ratio(0.0), "sign-up"), Some(1.0));
    assert!(why(&run, of(Metric::Errors, Stat::Value, NONE, "nobody")).contains("no scenario `nobody`"));
}

/// What cannot be told apart is not guessed.
#[test]
fn shared_request_names_belong_to_no_scenario() {
    let mut run = mixed();
    run.plan.scenarios[1] = scenario("sign-up", "home", "shows form");
    let condition =
        Threshold { scope: Scope::Scenario("browse".into()), ..threshold(Metric::Errors, Stat::Value, AtLeast, NONE) };
    assert!(!one(&run, condition.clone()).holds);
    assert!(why(&run, condition).contains("names of their own"));
}

#[test]
fn checks_of_a_request_need_their_numbers() {
    let condition = Threshold {
        scope: Scope::Request("home".into()),
        ..threshold(Metric::Checks, Stat::Value, AtLeast, Limit::Ratio(0.5))
    };
    let mut run = mixed();
    assert_eq!(one(&run, condition.clone()).value, Some(0.95));
    run.catalog.checks.swap(0, 1);
    assert_eq!(one(&run, condition.clone()).value, Some(1.0), "counts go by the names of the catalog");
    run.catalog.checks.clear();
    assert_eq!(one(&run, condition).value, None);
}

/// Checks are counted by name: of two steps that share one, only both together are known.
#[test]
fn shared_check_names_are_counted_where_all_their_steps_are() {
    let mut run = mixed();
    let mut twice = scenario("browse", "home", "shows items").steps;
    twice.extend(scenario("browse", "list", "shows items").steps);
    run.plan.scenarios[0].steps = twice;
    let of = |scope| Threshold { scope, ..threshold(Metric::Checks, Stat::Value, AtLeast, Limit::Ratio(0.5)) };
    assert_eq!(one(&run, of(Scope::Scenario("browse".into()))).value, Some(0.95));
    assert_eq!(one(&run, of(Scope::Request("form".into()))).value, Some(1.0));
    let shared = of(Scope::Request("home".into()));
    assert_eq!(one(&run, shared.clone()).value, None);
    assert!(why(&run, shared).contains("another request has a check `shows items` too"));
}

#[test]
fn each_part_of_the_run_has_its_own_figures() {
    let mut run = Run::empty();
    run.end = Nanos::from_secs(20);
    run.add(Section::Hold, 10, HOME, Outcome::Ok, 10.0, 0.1);
    run.add(Section::Outside, 90, HOME, Outcome::Ok, 500.0, 0.1);
    let mut tail = Run::empty();
    tail.add(Section::Hold, 5, HOME, Outcome::Ok, 30.0, 0.1);
    run.last = vec![crate::Tail {
        asked: Duration::from_secs(2),
        length: Duration::from_millis(2_500),
        aggregate: tail.totals,
    }];
    let cases = [
        (Within::Hold, Some(10.0), Some(1.0)),
        (Within::Whole, Some(500.0), Some(5.0)),
        (Within::Last(Duration::from_secs(2)), Some(30.0), Some(2.0)),
        (Within::Last(Duration::from_secs(3)), None, None),
    ];
    for (within, median_ms, throughput_per_s) in cases {
        let of = |metric, stat, limit| one(&run, Threshold { within, ..threshold(metric, stat, AtLeast, limit) }).value;
        let median = of(Metric::ResponseTime, Stat::Quantile(0.5), ms(0.0));
        let close = |got: Option<f64>, want: Option<f64>| {
            got.zip(want).map_or(got == want, |(got, want)| (got - want).abs() <= 1e-3 * want)
        };
        assert!(close(median, median_ms), "{within:?}: {median:?}");
        assert_eq!(of(Metric::Throughput, Stat::Value, Limit::PerSecond(0.0)), throughput_per_s, "{within:?}");
    }
    let slow = Threshold {
        within: Within::Last(Duration::from_secs(2)),
        ..threshold(Metric::ResponseTime, Stat::Max, Below, ms(1.0))
    };
    assert_eq!(why(&run, slow), "measured 30 ms in the last 2.5 s of the hold");
}

#[test]
fn closed_workloads_drop_nothing_and_have_no_intended_rate() {
    let run = Run::healthy().closed();
    assert!(one(&run, threshold(Metric::Dropped, Stat::Value, Below, Limit::Ratio(0.01))).holds);
    assert!(one(&run, threshold(Metric::Rate, Stat::Value, AtLeast, Limit::PerSecond(99.0))).holds);
    let relative = threshold(Metric::Rate, Stat::Value, AtLeast, Limit::Ratio(0.5));
    assert!(why(&run, relative).contains("no intended rate"));
}

/// 990 done in 20 ms, 10 cut off at 50 ms: p95 is known, p99.5 and the maximum are not.
#[test]
fn cut_off_exchanges_cannot_make_a_condition_hold() {
    let mut run = Run::empty();
    run.add(Section::Hold, 990, HOME, Outcome::Ok, 20.0, 0.1);
    run.totals.load_mut(Section::Hold).censored.record_n(50_000_000, 10);
    let condition = |stat, op, limit| threshold(Metric::ResponseTime, stat, op, ms(limit));
    assert!(one(&run, condition(Stat::Quantile(0.95), Below, 30.0)).holds);
    for (stat, limit) in [(Stat::Quantile(0.995), 100.0), (Stat::Max, 1e6)] {
        let result = one(&run, condition(stat, Below, limit));
        assert!(!result.holds && result.margin.is_none(), "{result:?}");
        assert!(result.value.unwrap() <= 50.1, "the value is the lower bound: {result:?}");
        assert!(why(&run, condition(stat, Below, limit)).starts_with("at least"));
    }
    let known_to_fail = one(&run, condition(Stat::Quantile(0.995), Below, 40.0));
    assert!(!known_to_fail.holds && known_to_fail.margin.unwrap() < 0.0);
    assert!(one(&run, condition(Stat::Quantile(0.995), Above, 40.0)).holds);
    assert!(!one(&run, condition(Stat::Quantile(0.995), Above, 60.0)).holds);
}

/// Cut-off exchanges may all have been of one request: its condition must hold even then.
#[test]
fn cut_off_exchanges_count_against_each_request_and_scenario() {
    for scope in [Scope::Request("home".into()), Scope::Scenario("browse".into())] {
        for (fast, cut_off, holds) in [(100, 900, false), (94, 6, false), (95, 5, true), (10_000, 1, true)] {
            let mut run = Run::empty();
            run.add(Section::Hold, fast, HOME, Outcome::Ok, 20.0, 0.1);
            let censored = &mut run.totals.load_mut(Section::Hold).censored;
            censored.record_n(50_000_000, cut_off);
            let condition = |op, limit| Threshold {
                scope: scope.clone(),
                ..threshold(Metric::ResponseTime, Stat::Quantile(0.95), op, ms(limit))
            };
            let result = one(&run, condition(Below, 400.0));
            assert_eq!(result.holds, holds, "{fast} {cut_off}: {result:?}");
            assert!(!one(&run, condition(Above, 30.0)).holds, "nothing says that they were of this request");
        }
    }
}

/// `home` follows redirects: 90 took 40 ms in all, 10 took 2 s and failed.
fn redirected() -> Run {
    let mut run = Run::empty();
    run.plan.defaults.redirects_max = 2;
    run.catalog.transactions = vec!["form".into(), "home".into()];
    let hop = run.catalog.requests.intern("home +1");
    run.add(Section::Hold, 100, HOME, Outcome::Ok, 20.0, 0.1);
    run.add(Section::Hold, 90, hop, Outcome::Ok, 20.0, 0.1);
    run.add(Section::Hold, 10, hop, Outcome::Failed, 1_980.0, 0.1);
    let stats = run.totals.transactions.get_mut(Section::Hold, 1);
    (stats.count, stats.failed) = (100, 10);
    stats.time.record_n(40_000_000, 90);
    stats.time.record_n(2_000_000_000, 10);
    run
}

fn scoped(scope: Scope, condition: Threshold) -> Threshold {
    Threshold { scope, ..condition }
}

#[test]
fn conditions_on_transactions_are_those_of_the_whole_chain() {
    let run = redirected();
    let time = |q, limit| threshold(Metric::TransactionTime, Stat::Quantile(q), Below, ms(limit));
    let failures = |limit| threshold(Metric::FailureRate, Stat::Value, Below, Limit::Ratio(limit));
    for scope in [Scope::Total, Scope::Transaction("home".into())] {
        assert!(one(&run, scoped(scope.clone(), time(0.9, 41.0))).holds);
        assert!(!one(&run, scoped(scope.clone(), time(0.9, 39.0))).holds);
        let late = one(&run, scoped(scope, time(0.95, 1_000.0)));
        assert!(!late.holds && (1_999.0..2_003.0).contains(&late.value.unwrap()), "{late:?}");
    }
    let home = Scope::Transaction("home".into());
    assert_eq!(one(&run, scoped(home.clone(), failures(0.11))).value, Some(0.1));
    assert!(one(&run, scoped(home.clone(), failures(0.11))).holds);
    assert!(!one(&run, scoped(home, failures(0.09))).holds);
    for name in ["form", "unknown"] {
        let none = Scope::Transaction(name.into());
        for condition in [time(0.9, 1e9), failures(1.0)] {
            let result = one(&run, scoped(none.clone(), condition));
            assert!(!result.holds && result.value.is_none(), "no samples of {name}: {result:?}");
        }
    }
}

/// A chain that the end of the run cut off may have taken any time.
#[test]
fn cut_off_exchanges_count_against_transactions() {
    let mut run = redirected();
    let condition = |op, limit| threshold(Metric::TransactionTime, Stat::Quantile(0.9), op, ms(limit));
    assert!(one(&run, condition(Below, 50.0)).holds);
    run.totals.load_mut(Section::Hold).censored.record_n(10_000_000, 5);
    assert!(!one(&run, condition(Below, 50.0)).holds);
    assert!(!one(&run, condition(Above, 41.0)).holds, "they need not be of a transaction");
}

/// Conditions on failures and checks hold only if they do with all that was cut off counted as failed, for one request as
/// for all.
#[test]
fn cut_off_exchanges_may_have_failed() {
    let rate = |limit| threshold(Metric::FailureRate, Stat::Value, Below, Limit::Ratio(limit));
    let number = |metric, limit| threshold(metric, Stat::Value, Below, Limit::Number(limit));
    let home = |condition| scoped(Scope::Request("home".into()), condition);
    let mut run = Run::empty();
    run.add(Section::Hold, 50, HOME, Outcome::Ok, 1.0, 0.1);
    run.totals.checks.get_mut(Section::Hold, 0).passed = 50;
    let checks = threshold(Metric::Checks, Stat::Value, AtLeast, Limit::Ratio(0.99));
    let conditions = [
        rate(0.01),
        home(rate(0.01)),
        number(Metric::Errors, 10.0),
        number(Metric::Failed, 10.0),
        threshold(Metric::Errors, Stat::Count, Below, Limit::Number(10.0)),
        checks,
    ];
    for condition in &conditions {
        assert!(one(&run, condition.clone()).holds, "{condition:?}");
    }
    run.totals.load_mut(Section::Hold).censored.record_n(7_000_000_000, 50);
    for condition in &conditions {
        assert!(!one(&run, condition.clone()).holds, "{condition:?}");
        let text = why(&run, condition.clone());
        assert!(
            text.contains("if the 50 exchanges cut off at the end had failed") && text.contains("if not"),
            "{text}"
        );
    }
    let half = one(&run, rate(0.51));
    assert_eq!((half.value, half.holds), (Some(0.5), true), "known to hold");
    let above = threshold(Metric::FailureRate, Stat::Value, Above, Limit::Ratio(0.2));
    assert!(!one(&run, above).holds, "nor is it known that they failed");
    // Failures that are known to be too many need no others.
    run.add(Section::Hold, 50, HOME, Outcome::Failed, 1.0, 0.1);
    assert!(why(&run, rate(0.2)).starts_with("measured"), "{}", why(&run, rate(0.2)));
    let mut chain = redirected();
    let failures = |limit| scoped(Scope::Transaction("home".into()), rate(limit));
    chain.totals.load_mut(Section::Hold).censored.record_n(10_000_000, 5);
    assert!(!one(&chain, failures(0.11)).holds && one(&chain, failures(15.1 / 105.0)).holds);
}

/// The exchange that fails is the last of the chain: a scenario without it would always pass.
#[test]
fn redirects_that_a_scenario_follows_are_its_exchanges() {
    let run = redirected();
    let condition = threshold(Metric::FailureRate, Stat::Value, Below, Limit::Ratio(0.01));
    let result = one(&run, scoped(Scope::Scenario("browse".into()), condition));
    assert_eq!((result.value, result.holds), (Some(0.05), false));
}

#[test]
fn limits_of_another_kind_do_not_hold() {
    let run = mixed();
    for (metric, limit) in [(Metric::Bytes, Limit::Ratio(0.5)), (Metric::Errors, ms(1.0)), (Metric::Rate, ms(1.0))] {
        let result = one(&run, threshold(metric, Stat::Value, AtLeast, limit));
        assert!(!result.holds && result.value.is_none(), "{metric:?} {limit:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Law: just inside the limit a condition holds with a positive margin, just outside it does not.
    #[test]
    fn conditions_flip_at_the_limit(failed in 1_u64..500, ok in 1_u64..500, step in 1e-6..0.5_f64) {
        let mut run = Run::empty();
        run.add(Section::Hold, ok, HOME, Outcome::Ok, 20.0, 0.1);
        run.add(Section::Hold, failed, HOME, Outcome::Failed, 20.0, 0.1);
        let value = failed as f64 / (ok + failed) as f64;
        let at = |op, limit| one(&run, threshold(Metric::FailureRate, Stat::Value, op, Limit::Ratio(limit)));
        let (under, over) = (value * (1.0 - step), value * (1.0 + step));
        for (op, inside, outside) in [(Below, over, under), (AtMost, over, under), (Above, under, over), (AtLeast, under, over)] {
            let (kept, broken) = (at(op, inside), at(op, outside));
            prop_assert!(kept.holds && kept.margin.unwrap() > 0.0, "{:?}", kept);
            prop_assert!(!broken.holds && broken.margin.unwrap() < 0.0, "{:?}", broken);
        }
        for (op, holds) in [(Below, false), (AtMost, true), (Above, false), (AtLeast, true)] {
            prop_assert_eq!(at(op, value).holds, holds, "at the limit itself");
        }
    }
}
