//! Smoke and peak.

use std::time::Duration;

use nmax_metrics::{Outcome, Section};

use super::*;
use crate::tests::fixture::HOME;

/// The healthy run as one of `users`: 1,000 iterations of 30 ms in 10 s, of which 20 ms wait for replies.
fn smoke(users: u32) -> Run {
    let mut run = run(Profile::Smoke, &[(f64::from(users), f64::from(users), 10)], Vec::new());
    run.plan.written = Some(std::mem::replace(&mut run.plan.workload, Workload::Closed { vus: users }));
    run
}

#[test]
fn the_rate_of_a_smoke_run_is_verified() {
    // 100 iterations/s of 30 ms each are those of 3 users.
    let answer = answer_of(&smoke(3));
    let rate = finding(&answer, "RATE_PER_USER");
    assert!((rate.value.expect("a rate") - 100.0 / 3.0).abs() < 1e-9 && !rate.is_trouble, "{rate:?}");
    assert!(rate.text.contains("R = 20 ms") && rate.text.contains("Z = 10 ms"), "{}", rate.text);
    assert!(answer.headline.starts_with("the plan works: 1,000 iterations without a failure"), "{}", answer.headline);
    // N = X(R + Z): 100/s of 30 ms.
    let users = finding(&answer, "USERS_NEEDED");
    assert!((users.value.expect("users") - 3.0).abs() < 0.01, "{users:?}");
    assert!(users.text.contains("intended rate of 100"), "the plan's own: {}", users.text);

    let mut closed = smoke(3);
    closed.plan.written = Some(Workload::Closed { vus: 60 });
    let answer = answer_of(&closed);
    let rate = finding(&answer, "RATE_OF_USERS");
    assert!((rate.value.expect("a rate") - 2_000.0).abs() < 10.0, "60 users of 30 ms: {rate:?}");

    let answer = answer_of(&smoke(4));
    assert!(finding(&answer, "RATE_PER_USER").is_trouble, "four users must do more");
    assert!(answer.headline.contains("off 1/(R + Z)"), "{}", answer.headline);
}

#[test]
fn pacing_is_part_of_the_time_between_iterations() {
    let mut run = smoke(8);
    for scenario in &mut run.plan.scenarios {
        scenario.pacing = Some(Duration::from_millis(80));
    }
    let rate = answer_of(&run);
    assert!(
        !finding(&rate, "RATE_PER_USER").is_trouble,
        "100/s with a pacing of 80 ms are those of 8 users: {rate:#?}"
    );
}

#[test]
fn a_failure_of_a_smoke_run_is_the_headline() {
    let mut run = smoke(3);
    run.add(Section::Hold, 2, HOME, Outcome::Failed, 20.0, 0.05);
    let answer = answer_of(&run);
    let failures = finding(&answer, "FAILURES");
    assert!(failures.is_trouble && failures.subject == "home", "{failures:?}");
    assert_eq!(answer.headline, "with one user already 2 exchanges and 0 iterations failed, most of `home` (2)");
}

#[test]
fn a_peak_tells_the_nearest_limit() {
    let mut run = run(Profile::Peak, &[(100.0, 100.0, 10)], Vec::new());
    open(&mut run.plan, 100.0);
    let limit = |limit| threshold(Metric::ResponseTime, Stat::Quantile(0.95), Op::Below, ms(limit));
    run.plan.thresholds = vec![limit(80.0), limit(25.0), limit(40.0)];
    let answer = answer_of(&run);
    assert!(
        answer.headline.starts_with("at 100/s all of 3 conditions hold; the nearest limit: "),
        "{}",
        answer.headline
    );
    let margins: Vec<f64> = answer.findings.iter().filter_map(|finding| finding.value).collect();
    for (margin, wanted) in margins.iter().zip([0.2, 0.5, 0.75]) {
        assert!((margin - wanted).abs() < 0.01, "{margins:?}");
    }

    run.plan.thresholds.push(limit(10.0));
    let answer = answer_of(&run);
    assert_eq!(answer.headline, "at 100/s 1 of 4 conditions does not hold");
    assert!(answer.findings[0].is_trouble && answer.findings[0].text.ends_with("100 % beyond it"), "{answer:#?}");
}

#[test]
fn a_condition_that_was_not_measured_is_trouble_of_a_peak() {
    let mut run = run(Profile::Peak, &[(100.0, 100.0, 10)], Vec::new());
    run.plan.thresholds = vec![threshold(Metric::PageTime, Stat::Quantile(0.95), Op::Below, Limit::Nanos(1e9))];
    let answer = answer_of(&run);
    assert!(answer.findings[0].is_trouble && answer.findings[0].value.is_none(), "{answer:#?}");
}
