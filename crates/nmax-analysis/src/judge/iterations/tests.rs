use nmax_metrics::Outcome;

use super::*;
use crate::tests::fixture::{FORM, Run};
use crate::{Judgement, Verdict, judge};

/// `failed` of the 100 iterations of `sign-up`, which are 100 of 1,000 exchanges.
fn failing(failed: u64) -> Run {
    let mut run = Run::healthy();
    run.totals.scenarios.get_mut(Section::Hold, 1).failed = failed;
    run
}

fn warned(judgement: &Judgement) -> Option<&str> {
    let reason = judgement.reasons.iter().find(|reason| reason.code == "ITERATIONS_FAILED")?;
    assert!(!reason.decides);
    Some(&reason.text)
}

#[test]
fn failing_iterations_are_told_although_exchanges_look_well() {
    //  failed iterations of 100, warned
    for (failed, is_warned) in [(0, false), (5, false), (6, true), (30, true)] {
        let mut run = failing(failed);
        run.add(Section::Hold, failed, FORM, Outcome::Failed, 20.0, 0.05);
        let judgement = judge(&run.evidence());
        assert_eq!(judgement.verdict, Verdict::Pass);
        assert_eq!(warned(&judgement).is_some(), is_warned, "{failed}: {judgement:?}");
    }
}

/// Users whose setup fails send nothing that could fail: no condition on exchanges can see them.
#[test]
fn iterations_that_fail_without_an_exchange_are_a_fail() {
    for (failed, verdict) in [(5, Verdict::Pass), (6, Verdict::Fail), (100, Verdict::Fail)] {
        let judgement = judge(&failing(failed).evidence());
        assert_eq!(judgement.verdict, verdict, "{failed}: {judgement:?}");
        let decides = judgement.reasons.iter().any(|reason| reason.code == "ITERATIONS_FAILED" && reason.decides);
        assert_eq!(decides, verdict == Verdict::Fail);
    }
}

/// The advice is a condition that exists, and that would have failed.
#[test]
fn the_advice_is_a_condition_that_does_not_hold() {
    let mut run = failing(20);
    run.add(Section::Hold, 20, FORM, Outcome::Failed, 20.0, 0.05);
    let text = warned(&judge(&run.evidence())).unwrap().to_owned();
    assert!(text.starts_with("20 of 100 iterations of `sign-up` failed, although only 1.96 % of the exchanges did"));
    let condition = text.split("judge with `").nth(1).unwrap().trim_end_matches('`').to_owned();
    assert_eq!(condition, "failure_rate < 5% for request form");
    run.plan.thresholds.push(nmax_plan::threshold::parse(&condition).unwrap());
    let judgement = judge(&run.evidence());
    assert_eq!(judgement.verdict, Verdict::Fail);
    assert_eq!(warned(&judgement), None, "the condition says it now");
}

#[test]
fn nothing_is_added_where_a_condition_on_failures_fails_or_none_is_there() {
    let mut run = failing(100);
    run.plan.thresholds[0].limit = Limit::Ratio(0.0);
    run.add(Section::Hold, 1, FORM, Outcome::Failed, 20.0, 0.05);
    assert_eq!(warned(&judge(&run.evidence())), None);
    let mut run = failing(100);
    run.plan.thresholds.remove(0);
    assert_eq!(warned(&judge(&run.evidence())), None);
}
