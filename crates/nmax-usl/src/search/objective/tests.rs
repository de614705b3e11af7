use super::{Answer, Judged, Objective, ObjectiveRules, Tested};
use crate::design::{Step, Stop, TimeLeft};
use crate::random::Random;

fn rules(min: f64, max: f64, integer: bool) -> ObjectiveRules {
    ObjectiveRules { min, max, integer, replicates: 3, runs_max: 60, precision: 0.05, seed: 1 }
}

/// Runs a search against `test`; gives its answer, why it stopped, and the levels it asked for.
fn search(rules: ObjectiveRules, mut test: impl FnMut(f64) -> Tested) -> (Option<Answer>, Stop, Vec<f64>) {
    let mut objective = Objective::new(rules).expect("the rules are good");
    let mut levels = Vec::new();
    loop {
        match objective.next(TimeLeft::Unlimited) {
            Step::Run(trial) => {
                assert_eq!(trial.number, levels.len() + 1);
                levels.push(trial.level);
                objective.record(&trial, test(trial.level));
            }
            Step::Stop(stop) => return (objective.answer(), stop, levels),
        }
    }
}

/// A response time limit in a queue with one server of capacity 1,000/s, and the rate that just meets it.
///
/// p95 = ln 20/(μ − λ); with p95 < limit the highest rate is μ − ln 20/limit.
fn queue(rate_true: f64, noise: f64, random: &mut Random) -> impl FnMut(f64) -> Tested {
    const CAPACITY: f64 = 1000.0;
    let tail = 20f64.ln();
    let limit = tail / (CAPACITY - rate_true);
    move |rate| {
        if rate >= 0.999 * CAPACITY {
            return Tested::Refused("the queue grows without end".into());
        }
        Tested::Measured(Judged::below(tail / (CAPACITY - rate) * random.lognormal(noise), limit))
    }
}

/// The interval holds the true level in at least 90 % of the searches, from an idle queue's limit to a nearly full one,
/// and takes few runs.
#[test]
fn interval_of_a_queue_covers() {
    for (rate_true, noise) in [(300.0, 0.03), (500.0, 0.05), (800.0, 0.05), (900.0, 0.1), (950.0, 0.05)] {
        let (mut held, mut near, mut runs) = (0, 0, 0);
        let sets = 400;
        for seed in 0..sets {
            let mut random = Random::new(seed);
            let rules = ObjectiveRules { seed, ..rules(10.0, 100_000.0, false) };
            let (answer, _, levels) = search(rules, queue(rate_true, noise, &mut random));
            let answer = answer.expect("it was measured");
            runs += levels.len();
            held += usize::from(
                answer.low.is_none_or(|low| low <= rate_true) && answer.high.is_none_or(|h| h >= rate_true),
            );
            near += usize::from((answer.level.expect("a level") / rate_true - 1.0).abs() < 0.05);
        }
        let (held, near) = (held as f64 / sets as f64, near as f64 / sets as f64);
        let runs = runs as f64 / sets as f64;
        assert!(held >= 0.90, "rate {rate_true}, noise {noise}: {held} covered");
        assert!(near >= 0.90, "rate {rate_true}, noise {noise}: {near} within 5 %");
        assert!(runs <= 30.0, "rate {rate_true}, noise {noise}: {runs} runs");
    }
}

/// A closed system: response time is flat, then rises with the users (1,000/s at most, 20 ms alone).
#[test]
fn interval_of_a_closed_system_covers() {
    let (mut held, sets) = (0, 400);
    for seed in 0..sets {
        let mut random = Random::new(seed);
        let rules = ObjectiveRules { seed, ..rules(1.0, 10_000.0, true) };
        // A smooth corner between 20 ms and N/1,000 s; 100 ms at N = 98.
        let response = |n: f64| ((0.02f64).powi(3) + (n / 1000.0).powi(3)).cbrt();
        let true_level = 1000.0 * (0.1f64.powi(3) - 0.02f64.powi(3)).cbrt();
        let test = |n: f64| Tested::Measured(Judged::below(response(n) * random.lognormal(0.04), 0.1));
        let (answer, ..) = search(rules, test);
        let answer = answer.expect("it was measured");
        let covers = answer.low.is_some_and(|low| low <= true_level) && answer.high.is_some_and(|h| h >= true_level);
        held += usize::from(covers);
    }
    assert!(held as f64 / sets as f64 >= 0.90, "{held} of {sets} covered");
}

#[test]
fn a_limit_that_is_never_reached() {
    let (answer, stop, levels) = search(rules(1.0, 100.0, true), |_| Tested::Measured(Judged::below(0.1, 0.2)));
    let answer = answer.expect("it was measured");
    assert_eq!((answer.level, answer.high), (Some(100.0), None));
    assert_eq!(stop, Stop::HoldsAtMax);
    assert_eq!(levels[..8], [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 100.0]);
    assert_eq!(levels[8..], [100.0, 100.0], "the largest level has its replicates");
}

#[test]
fn a_limit_that_is_broken_at_once() {
    let (answer, stop, levels) = search(rules(5.0, 100.0, true), |_| Tested::Measured(Judged::below(0.3, 0.2)));
    let answer = answer.expect("it was measured");
    assert_eq!((answer.level, answer.low, answer.high), (None, None, Some(5.0)));
    assert_eq!(stop, Stop::FailsAtMin);
    assert_eq!(levels, [5.0, 5.0, 5.0]);
}

/// An objective without values, such as "no failures", gets a bracket of neighbouring levels.
#[test]
fn a_bracket_where_there_are_no_values() {
    let test = |n: f64| Tested::Measured(Judged { holds: n <= 37.0, excess: None });
    let (answer, stop, levels) = search(rules(1.0, 1000.0, true), test);
    let answer = answer.expect("it was measured");
    assert_eq!((answer.level, answer.low, answer.high), (Some(37.0), Some(37.0), Some(38.0)));
    assert!(!answer.from_noise && matches!(stop, Stop::Found { .. }), "{stop}");
    assert!(levels.len() <= 20, "{levels:?}");
}

/// A system that breaks down is not asked for more, and the answer lies below.
#[test]
fn no_level_beyond_a_breakdown() {
    let test = |n: f64| {
        if n > 50.0 {
            Tested::Refused("it refuses connections".into())
        } else {
            Tested::Measured(Judged::below(0.1, 0.2))
        }
    };
    let (answer, _, levels) = search(rules(1.0, 1000.0, true), test);
    let answer = answer.expect("it was measured");
    let first = levels.iter().position(|&level| level == 64.0).expect("the climb passes 50");
    assert!(levels[first + 1..].iter().all(|&level| level < 64.0), "{levels:?}");
    let (level, high) = (answer.level.expect("it held below"), answer.high.expect("it broke"));
    assert!((45.0..=50.0).contains(&level) && (50.0..=55.0).contains(&high), "{answer:?}");
}

/// An INVALID level is repeated twice, then dropped, and never part of the answer.
#[test]
fn invalid_levels_are_dropped() {
    let mut objective = Objective::new(rules(1.0, 64.0, true)).expect("the rules are good");
    let mut tries = 0;
    loop {
        match objective.next(TimeLeft::Unlimited) {
            Step::Run(trial) if trial.level == 4.0 => {
                tries += 1;
                objective.record(&trial, Tested::Invalid("the injector was busy".into()));
            }
            Step::Run(trial) => objective.record(&trial, Tested::Measured(Judged::below(trial.level, 20.5))),
            Step::Stop(_) => break,
        }
    }
    assert_eq!(tries, 3);
    assert_eq!(objective.dropped().len(), 1);
    assert_eq!((objective.dropped()[0].level, objective.dropped()[0].attempts), (4.0, 3));
    let level = objective.answer().expect("it was measured").level.expect("some held");
    assert!((level - 20.5).abs() < 0.5, "{level}");
}

#[test]
fn limits_of_runs_and_time() {
    let few = ObjectiveRules { runs_max: 3, ..rules(1.0, 1000.0, true) };
    let (_, stop, levels) = search(few, |n| Tested::Measured(Judged::below(n, 40.0)));
    assert_eq!((stop, levels.len()), (Stop::RunsMax, 3));
    let mut objective = Objective::new(rules(1.0, 9.0, true)).expect("the rules are good");
    assert_eq!(objective.answer(), None);
    let step = objective.next(TimeLeft::Seconds { left: 4.9, trial: 5.0 });
    assert_eq!(step, Step::Stop(Stop::Budget));
    assert!(matches!(objective.next(TimeLeft::Seconds { left: 5.0, trial: 5.0 }), Step::Run(_)), "now it fits");
}

#[test]
fn every_problem_of_the_rules() {
    let bad =
        ObjectiveRules { min: 0.0, max: -1.0, integer: true, replicates: 0, runs_max: 0, precision: f64::NAN, seed: 0 };
    assert_eq!(Objective::new(bad).expect_err("all is wrong").0.len(), 5);
}

#[test]
fn values_against_limits() {
    assert!(Judged::below(0.1, 0.2).holds && !Judged::below(0.2, 0.2).holds);
    assert!(Judged::above(0.99, 0.99).holds && !Judged::above(0.98, 0.99).holds);
    assert_eq!(Judged::below(0.0, 0.01).excess, None, "no failures: no logarithm");
    assert!(Judged::above(0.5, 1.0).excess.expect("a number") > 0.0);
}

/// The smallest level is always INVALID: what holds is looked for between it and the lowest level that breaks it.
#[test]
fn levels_above_one_that_cannot_be_measured_are_tried() {
    let test = |level: f64| match level <= 40.0 {
        true => Tested::Invalid("INVALID".into()),
        false => Tested::Measured(Judged { holds: level < 70.0, excess: None }),
    };
    let (answer, stop, levels) = search(rules(40.0, 95.0, false), test);
    let answer = answer.expect("there is a level that holds");
    assert_eq!(levels.iter().filter(|level| **level == 40.0).count(), 3, "{levels:?}");
    let (low, high) = (answer.level.expect("it holds somewhere"), answer.high.expect("it breaks somewhere"));
    assert!(low < 70.0 && high >= 70.0 && high / low < 1.12, "{answer:?}");
    assert!(matches!(stop, Stop::Found { .. }), "{stop}");
    let never = |level: f64| match level < 50.0 {
        true => Tested::Invalid("INVALID".into()),
        false => Tested::Measured(Judged { holds: false, excess: None }),
    };
    let (answer, stop, levels) = search(rules(40.0, 95.0, false), never);
    assert_eq!(answer.and_then(|answer| answer.level), None);
    assert!(matches!(stop, Stop::NothingToLearn(_)), "{stop}");
    assert!(levels.len() < 30, "{levels:?}");
}
