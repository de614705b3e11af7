use nmax_metrics::{Names, Outcome};
use nmax_plan::threshold::{Limit, Op};
use proptest::prelude::*;

use super::*;
use crate::tests::fixture::{FORM, HOME, Run, ms, threshold};
use crate::tests::simulate::Random;
use crate::{Verdict, judge};

/// A run of 1,000 exchanges that take `service_ms`, exponentially spread around a half of it, each sent late by the lag
/// of a virtual machine: p50 70 µs, p99 4.5 ms.
fn on_a_virtual_machine(service_ms: f64, seed: u64) -> Run {
    let mut run = Run::empty();
    run.plan.thresholds.clear();
    let mut random = Random::new(seed);
    for _ in 0..1_000 {
        let lag_ms = 0.07 * (random.normal() * (4.5_f64 / 0.07).ln() / 2.326).exp();
        let service_ms = service_ms * (0.5 + 0.5 * random.exponential());
        run.add(Section::Hold, 1, HOME, Outcome::Ok, service_ms + lag_ms, lag_ms);
    }
    run
}

/// Targets from 0.1 to 100 ms, conditions with and without room: never FAIL for what nmax did, never INVALID where the
/// answer is the same either way.
#[test]
fn lag_of_a_virtual_machine_decides_only_what_it_changes() {
    for seed in 0..20 {
        for service_ms in [0.1, 1.0, 10.0, 100.0] {
            let plain = on_a_virtual_machine(service_ms, seed);
            assert_eq!(judge(&plain.evidence()).verdict, Verdict::Pass, "{service_ms} ms without conditions");
            for factor in [0.5, 1.0, 2.0, 5.0, 10.0, 100.0] {
                let limit_ms = factor * service_ms;
                let mut run = plain.clone();
                run.expect_p99_below(limit_ms);
                let stats = run.totals.total(Section::Hold);
                let p99 = |times: nmax_metrics::Histogram| times.quantile_ns(0.99).unwrap() as f64 / 1e6;
                let (with, without) = (p99(stats.latencies().response), p99(stats.response_without_lag()));
                let want = match (with < limit_ms, without < limit_ms) {
                    (true, true) => Verdict::Pass,
                    (false, false) => Verdict::Fail,
                    _ => Verdict::Invalid,
                };
                let judgement = judge(&run.evidence());
                assert_eq!(judgement.verdict, want, "{service_ms} ms, limit {limit_ms}: {with} {without}");
                assert!(factor < 100.0 || want == Verdict::Pass, "a generous limit holds: {with} {limit_ms}");
                assert!(judgement.withheld.iter().all(|one| one.quantile != "p99" || one.request.is_some()));
            }
        }
    }
}

/// A quick target's tail is the machine's; that of one of 100 ms is its own.
#[test]
fn quantiles_are_withheld_where_lag_made_them() {
    let names = |service_ms| -> Vec<&'static str> {
        let withheld = judge(&on_a_virtual_machine(service_ms, 1).evidence()).withheld;
        withheld.iter().filter(|one| one.request.is_none()).map(|one| one.quantile).collect()
    };
    assert_eq!(names(0.1), ["p50", "p90", "p95", "p99", "p999"]);
    assert!(names(1.0).contains(&"p99") && !names(10.0).contains(&"p50"));
    assert_eq!(names(100.0), [""; 0]);
}

#[test]
fn what_is_withheld_says_how_much_is_ours() {
    let mut run = Run::healthy();
    run.add(Section::Hold, 20, FORM, Outcome::Ok, 48.0, 36.0);
    let judgement = judge(&run.evidence());
    assert_eq!(judgement.verdict, Verdict::Pass);
    let texts: Vec<String> = judgement.withheld.iter().map(Withheld::text).collect();
    let expected = [
        "p99 not known: 28 ms of 48 ms are ours",
        "p99.9 not known: 28 ms of 48 ms are ours",
        "p90 of `form` not known: 28 ms of 48 ms are ours",
        "p95 of `form` not known: 28 ms of 48 ms are ours",
        "p99 of `form` not known: 28 ms of 48 ms are ours",
        "p99.9 of `form` not known: 28 ms of 48 ms are ours",
    ];
    assert_eq!(texts, expected);
    let warning = judgement.reasons.iter().find(|reason| reason.code == "G3_INJECTOR_LAG").unwrap();
    assert!(!warning.decides && warning.text.starts_with(expected[0]), "{warning:?}");
    assert!(warning.text.contains("and 3 quantiles more"), "{warning:?}");
}

/// A mix of a slow and a quick request: the quick one's condition is not FAIL for what a blocked worker did.
#[test]
fn a_quick_request_beside_a_slow_one_is_judged_by_its_own_lag() {
    let mut run = Run::empty();
    run.add(Section::Hold, 600, HOME, Outcome::Ok, 500.0, 0.1);
    run.add(Section::Hold, 360, FORM, Outcome::Ok, 5.0, 0.1);
    run.add(Section::Hold, 40, FORM, Outcome::Ok, 45.0, 40.0);
    let mut condition = threshold(Metric::ResponseTime, Stat::Quantile(0.95), Op::Below, ms(20.0));
    condition.scope = Scope::Request("form".into());
    run.plan.thresholds.push(condition.clone());
    let judgement = judge(&run.evidence());
    assert_eq!(judgement.verdict, Verdict::Invalid);
    let text = &judgement.reasons[0].text;
    assert!(
        text.contains("45 ms with the injector's lag, 5.0") || text.contains("45 ms with the injector's lag, 5 ms"),
        "{text}"
    );
    condition.limit = Limit::Nanos(50e6);
    run.plan.thresholds = vec![condition];
    assert_eq!(judge(&run.evidence()).verdict, Verdict::Pass, "an upper limit that holds with lag holds");
}

/// A condition that fails either way says how much of it is the target's.
#[test]
fn a_failed_condition_says_its_value_without_lag() {
    let mut run = Run::empty();
    run.plan.thresholds.clear();
    run.add(Section::Hold, 1_000, HOME, Outcome::Ok, 45.0, 20.0);
    run.expect_p99_below(20.0);
    let judgement = judge(&run.evidence());
    assert_eq!(judgement.verdict, Verdict::Fail);
    assert!(judgement.reasons[0].text.ends_with("measured 45 ms (25 ms without the injector's lag)"), "{judgement:?}");
}

/// Runs that were stored before the times without lag were kept know of no effect.
#[test]
fn figures_without_lag_that_were_never_kept_refuse_nothing() {
    let mut run = Run::empty();
    run.add(Section::Hold, 1_000, HOME, Outcome::Ok, 45.0, 40.0);
    run.totals.request_mut(Section::Hold, HOME).phases = None;
    run.expect_p99_below(20.0);
    let judgement = judge(&run.evidence());
    assert_eq!((judgement.verdict, judgement.withheld.len()), (Verdict::Fail, 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Law: whatever the lags, an upper limit on a time that holds with them does not make a run INVALID, and a FAIL by
    /// such a condition stays one without them. The same of a lower limit the other way round.
    #[test]
    fn answers_that_lag_does_not_change_stand(
        times in prop::collection::vec((0.05..200.0_f64, 0.0..1.0_f64), 1..60),
        limit_ms in 0.1..200.0_f64,
        q in prop::sample::select(vec![0.5, 0.9, 0.95, 0.99]),
        is_lower in any::<bool>(),
    ) {
        let mut run = Run::empty();
        run.catalog.requests = Names::default();
        run.catalog.requests.intern("home");
        for (response_ms, part) in &times {
            run.add(Section::Hold, 1, HOME, Outcome::Ok, *response_ms, part * response_ms);
        }
        let op = if is_lower { Op::Above } else { Op::Below };
        run.plan.thresholds = vec![threshold(Metric::ResponseTime, Stat::Quantile(q), op, ms(limit_ms))];
        let judgement = judge(&run.evidence());
        let stats = run.totals.total(Section::Hold);
        let of = |times: nmax_metrics::Histogram| op.holds(times.quantile_ns(q).unwrap() as f64 / 1e6, limit_ms);
        let (with, without) = (of(stats.latencies().response), of(stats.response_without_lag()));
        let gate = judgement.gates.iter().find(|gate| gate.code == "G3").unwrap();
        prop_assert_eq!(gate.holds, with == without, "{:?}", gate);
        prop_assert!(gate.holds || is_lower == with, "an upper limit that holds stands: {:?}", gate);
        for one in &judgement.withheld {
            prop_assert!(one.own_ms > EFFECT_MAX * one.value_ms && one.own_ms <= one.value_ms);
        }
    }
}
