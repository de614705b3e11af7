//! Against queues whose truth is known: single and many servers, and delays without any queue.

use super::*;
use crate::tests::fixture::Run;
use crate::tests::simulate::Random;

/// Where requests are served.
#[derive(Clone, Copy, Debug)]
enum Target {
    /// In order of arrival, at most so many at a time.
    Servers(usize),
    /// A pure delay: the server starts every request at once.
    Delay,
}

/// Service times, s.
#[derive(Clone, Copy, Debug)]
enum Times {
    Fixed(f64),
    Exponential(f64),
}

#[derive(Clone, Copy, Debug)]
struct Load {
    rate_per_s: f64,
    arrivals: Arrivals,
    length_s: usize,
}

/// A run of these against an idle target, with stretches of a second.
fn run(target: Target, times: Times, load: Load, seed: u64) -> Run {
    let mut random = Random::new(seed);
    let length_s = load.length_s as f64;
    let mut free = match target {
        Target::Servers(servers) => vec![0.0_f64; servers],
        Target::Delay => Vec::new(),
    };
    let (mut at, mut spans) = (0.0_f64, Vec::new());
    loop {
        at += match load.arrivals {
            Arrivals::Poisson => random.exponential() / load.rate_per_s,
            _ => 1.0 / load.rate_per_s,
        };
        if at >= length_s {
            break;
        }
        let service = match times {
            Times::Fixed(time) => time,
            Times::Exponential(mean) => mean * random.exponential(),
        };
        let earliest = free.iter_mut().min_by(|a, b| a.total_cmp(b));
        let begin = earliest.as_ref().map_or(at, |free| free.max(at));
        earliest.into_iter().for_each(|free| *free = begin + service);
        spans.push((at, begin + service));
    }
    let mut run = Run::healthy();
    run.plan.workload = Workload::Open { rate_per_s: load.rate_per_s, arrivals: load.arrivals, max_in_flight: 10_000 };
    run.hold = (nmax_metrics::Nanos::ZERO, nmax_metrics::Nanos::from_secs(load.length_s as u64));
    run.course.points = (0..load.length_s)
        .map(|second| {
            let (start, end) = (second as f64, second as f64 + 1.0);
            let within = |at: f64| (start..end).contains(&at);
            Point {
                start_s: start,
                width_s: 1.0,
                held: true,
                level: load.rate_per_s,
                started: spans.iter().filter(|(at, _)| within(*at)).count() as u64,
                in_flight: spans.iter().map(|(at, done)| (done.min(end) - at.max(start)).max(0.0)).sum(),
                ..Point::default()
            }
        })
        .collect();
    let ended = spans.iter().filter(|(_, done)| *done < length_s).count() as u64;
    run.totals.load_mut(Section::Hold).started = spans.len() as u64;
    run.totals.scenarios.get_mut(Section::Hold, 0).ended_within = ended;
    run.totals.scenarios.get_mut(Section::Hold, 1).ended_within = 0;
    run
}

/// How often of 40 it is said.
fn said(target: Target, times: Times, load: Load) -> usize {
    (0..40).filter(|seed| saturated(&run(target, times, load, *seed).evidence()).is_some()).count()
}

const EVEN: Load = Load { rate_per_s: 150.0, arrivals: Arrivals::Even, length_s: 10 };
const RANDOM: Load = Load { arrivals: Arrivals::Poisson, ..EVEN };

#[test]
fn loads_beyond_the_target_are_said() {
    let fast = |length_s| Load { length_s, ..EVEN };
    let cases = [
        (Target::Servers(1), Times::Fixed(0.01), fast(10)),
        (Target::Servers(1), Times::Fixed(0.01), fast(3)),
        (Target::Servers(1), Times::Fixed(0.01), fast(61)),
        (Target::Servers(1), Times::Exponential(0.01), fast(10)),
        (Target::Servers(1), Times::Exponential(0.01), RANDOM),
        (Target::Servers(1), Times::Fixed(0.008), fast(20)),
        (Target::Servers(4), Times::Exponential(0.1), fast(10)),
        (Target::Servers(100), Times::Fixed(1.0), fast(10)),
        (Target::Servers(1), Times::Fixed(0.05), fast(10)),
    ];
    for (target, times, load) in cases {
        let found = said(target, times, load);
        assert!(found >= 36, "{target:?} {times:?} {load:?}: {found} of 40");
    }
}

/// Neither a queue that fills up at the beginning, nor slow replies in a short hold, nor a busy target that keeps up.
#[test]
fn loads_that_are_served_are_not() {
    let long = |length_s| Load { length_s, ..RANDOM };
    let cases = [
        (Target::Delay, Times::Fixed(0.2), EVEN),
        (Target::Delay, Times::Fixed(4.0), EVEN),
        (Target::Delay, Times::Fixed(6.0), EVEN),
        (Target::Delay, Times::Fixed(8.0), EVEN),
        (Target::Delay, Times::Fixed(20.0), EVEN),
        (Target::Delay, Times::Exponential(1.0), EVEN),
        (Target::Delay, Times::Exponential(3.0), EVEN),
        (Target::Delay, Times::Exponential(10.0), RANDOM),
        (Target::Delay, Times::Exponential(30.0), RANDOM),
        (Target::Servers(1), Times::Fixed(0.006), RANDOM),
        (Target::Servers(1), Times::Exponential(0.006), RANDOM),
        (Target::Servers(1), Times::Exponential(0.006), long(60)),
        (Target::Servers(1), Times::Exponential(0.0063), long(3)),
        (Target::Servers(1), Times::Exponential(0.0063), long(20)),
        (Target::Servers(1), Times::Exponential(0.0063), long(120)),
    ];
    for (target, times, load) in cases {
        let found = said(target, times, load);
        assert!(found <= 1, "{target:?} {times:?} {load:?}: {found} of 40");
    }
}

/// Law: what is said to have been completed is what the server can do, and the number in flight is what it lacks.
#[test]
fn figures_are_those_of_the_queue() {
    let run = run(Target::Servers(1), Times::Fixed(0.01), EVEN, 1);
    let reason = saturated(&run.evidence()).unwrap();
    let figure = |name: &str| {
        let (_, text) = reason.evidence.iter().find(|(known, _)| known == name).unwrap();
        text.split(' ').next().unwrap().parse::<f64>().unwrap()
    };
    assert!((figure("completed") - 100.0).abs() < 1.0, "{reason:?}");
    assert!((figure("started") - 150.0).abs() < 1.0, "{reason:?}");
    assert!((figure("in_flight.first") - 25.0).abs() < 2.0, "{reason:?}");
    assert!((figure("in_flight.last") - 475.0).abs() < 5.0, "{reason:?}");
    assert_eq!((reason.code, reason.decides), ("TARGET_SATURATED", false));
}

/// Where users wait for replies the load follows the target, and steps of a profile are looked at by the profile.
#[test]
fn it_is_about_constant_open_loads() {
    let mut run = run(Target::Servers(1), Times::Fixed(0.01), EVEN, 1);
    assert!(saturated(&run.clone().closed().evidence()).is_none());
    run.plan.profile = Some(Profile::Stress);
    assert!(saturated(&run.evidence()).is_none());
    run.plan.profile = None;
    run.course.points.truncate(2);
    assert!(saturated(&run.evidence()).is_none());
}
