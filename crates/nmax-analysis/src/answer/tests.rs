use nmax_plan::plan::{Arrivals, Plan, Profile, Workload};
use nmax_plan::schedule::{Stage, StageKind};
use nmax_plan::threshold::{Limit, Metric, Op, Stat};

use super::*;
use crate::tests::fixture::{Run, ms, threshold};
use crate::tests::simulate::{Random, point};
use crate::{Course, Point, thresholds};

mod flood;
mod ladder;
mod short;
mod soak;
mod stress;

/// A run of a profile with this course, where `stages` are level at the beginning, at the end, and length in s.
fn run(profile: Profile, stages: &[(f64, f64, u64)], points: Vec<Point>) -> Run {
    let mut run = Run::healthy();
    run.plan.profile = Some(profile);
    let kind = |from: f64, to: f64| if from == to { StageKind::Hold } else { StageKind::RampUp };
    let stage = |(from, to, length_s): &(f64, f64, u64)| Stage {
        from: *from,
        to: *to,
        length_ns: Some(length_s * 1_000_000_000),
        kind: kind(*from, *to),
    };
    run.plan.stages = stages.iter().map(stage).collect();
    let length_s = stages.iter().map(|(_, _, length_s)| length_s).sum();
    run.hold = (nmax_metrics::Nanos::ZERO, nmax_metrics::Nanos::from_secs(length_s));
    run.end = run.hold.1;
    run.course = Course { points, requests: Vec::new() };
    run
}

fn answer_of(run: &Run) -> Answer {
    let evidence = run.evidence();
    answer(&evidence, &thresholds(&evidence)).expect("the plan has a profile")
}

fn finding<'a>(answer: &'a Answer, code: &str) -> &'a Finding {
    let found = answer.findings.iter().find(|finding| finding.code == code);
    found.unwrap_or_else(|| panic!("no {code} in {answer:#?}"))
}

/// A second of `n` exchanges, lognormal around `ms` with a spread of 20 %.
fn second(random: &mut Random, at: usize, level: f64, n: usize, ms: f64, failed: u64) -> Point {
    let mut times: Vec<f64> = (0..n).map(|_| ms * (0.2 * random.normal()).exp()).collect();
    point(at as f64, level, &mut times, failed)
}

#[test]
fn a_run_without_a_profile_has_no_answer() {
    let mut run = run(Profile::Soak, &[(5.0, 5.0, 100)], Vec::new());
    run.plan.profile = None;
    assert_eq!(answer(&run.evidence(), &[]), None);
}

#[test]
fn every_profile_says_why_it_has_no_answer() {
    for profile in Profile::ALL {
        let mut run = run(profile, &[(5.0, 5.0, 100)], Vec::new());
        run.totals = Default::default();
        run.plan.thresholds.clear();
        let answer = answer_of(&run);
        assert!(answer.headline.starts_with("no answer: "), "{}", answer.headline);
        assert!(finding(&answer, "NO_ANSWER").is_trouble);
    }
}

#[test]
fn a_compressed_run_says_so_in_every_sentence() {
    let mut random = Random::new(1);
    for profile in Profile::ALL {
        let points = (0..120).map(|at| second(&mut random, at, 50.0, 50, 20.0, 0)).collect();
        let mut run = run(profile, &[(50.0, 50.0, 120)], points);
        run.plan.compress = 60.0;
        let answer = answer_of(&run);
        let texts = answer.findings.iter().map(|finding| &finding.text);
        for text in texts.chain([&answer.headline]) {
            assert!(text.ends_with(" (compressed 60 x)"), "{text}");
            assert_eq!(text.matches("compressed").count(), 1, "{text}");
        }
    }
}

fn open(plan: &mut Plan, rate_per_s: f64) {
    plan.workload = Workload::Open { rate_per_s, arrivals: Arrivals::Poisson, max_in_flight: 1_000 };
}
