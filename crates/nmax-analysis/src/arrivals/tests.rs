use super::*;
use crate::tests::fixture::Run;
use nmax_plan::choice::mix64;

/// Counts of `n` windows with `mean` starts on average, from as many independent uniform instants.
fn course(seed: u64, n: u64, mean: u64) -> Course {
    let mut counts = vec![0; n as usize];
    for start in 0..n * mean {
        counts[(mix64(mix64(seed) ^ start) % n) as usize] += 1;
    }
    counted_course(counts)
}

fn counted_course(counts: Vec<u64>) -> Course {
    let points = counts.into_iter().enumerate().map(|(t, started)| Point {
        start_s: t as f64,
        width_s: 1.0,
        held: true,
        level: 100.0,
        started,
        ..Point::default()
    });
    Course { points: points.collect(), requests: Vec::new() }
}

fn poisson() -> Plan {
    let mut plan = Run::healthy().plan;
    if let Workload::Open { arrivals, .. } = &mut plan.workload {
        *arrivals = Arrivals::Poisson;
    }
    plan
}

#[test]
fn only_irregular_starts_are_poisson() {
    let plan = poisson();
    let ok = (0..200).filter(|seed| dispersion(&plan, &course(*seed, 200, 20)).is_some_and(|found| found.holds()));
    assert!(ok.count() >= 198);
    let even = dispersion(&plan, &counted_course(vec![20; 200])).unwrap();
    assert!(even.index == 0.0 && !even.holds(), "{even:?}");
    // Pairs of users vary twice as much.
    let pairs = course(1, 200, 20).points.iter().map(|point| 2 * point.started).collect();
    let paired = dispersion(&plan, &counted_course(pairs)).unwrap();
    assert!(!paired.holds() && (paired.index - 2.0).abs() < 0.6, "{paired:?}");
}

#[test]
fn what_cannot_be_tested_is_not() {
    let plan = poisson();
    assert!(dispersion(&Run::healthy().plan, &course(1, 100, 20)).is_none(), "even arrivals");
    assert!(dispersion(&plan, &course(1, 59, 20)).is_none(), "short");
    assert!(dispersion(&plan, &course(1, 100, 4)).is_none(), "few starts");
    let mut waited = course(1, 100, 20);
    waited.points[5].held_up = 1;
    assert!(dispersion(&plan, &waited).is_none(), "the target's doing");
}
