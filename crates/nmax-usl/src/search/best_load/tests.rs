use proptest::prelude::*;

use super::{Best, BestLoad, BestLoadRules};
use crate::design::{Outcome, Step, Stop, TimeLeft};
use crate::law::Usl;
use crate::random::Random;

fn rules(start: Option<f64>) -> BestLoadRules {
    BestLoadRules { min: 1.0, max: 4096.0, integer: true, start, replicates: 3, runs_max: 40 }
}

fn measured(n: f64, x: f64) -> Outcome {
    Outcome::Measured { n, x, r_s: None, count: None }
}

/// Runs a search; gives its answer, why it stopped, and the loads it asked for.
fn search(rules: BestLoadRules, mut run: impl FnMut(f64) -> Outcome) -> (Option<Best>, Stop, Vec<f64>) {
    let mut search = BestLoad::new(rules).expect("the rules are good");
    let mut levels = Vec::new();
    loop {
        match search.next(TimeLeft::Unlimited) {
            Step::Run(trial) => {
                levels.push(trial.level);
                search.record(&trial, run(trial.level));
            }
            Step::Stop(stop) => return (search.answer(), stop, levels),
        }
    }
}

fn law(peak: f64) -> Usl {
    Usl { contention: 0.03, coherency: 0.97 / (peak * peak), unit_throughput: 50.0 }
}

proptest! {
    /// Law: without noise the throughput found is within 3 % of the peak's, wherever the search begins.
    #[test]
    fn finds_the_peak_of_a_law(peak in 3.0..1000_f64, start in 1.0..2000_f64) {
        let law = law(peak);
        let (best, stop, levels) = search(rules(Some(start)), |n| measured(n, law.throughput_at(n)));
        let best = best.expect("it was measured");
        let top = law.throughput_at(peak);
        prop_assert!(best.x >= 0.97 * top, "{best:?}, peak {peak} with {top}");
        prop_assert!(levels.len() <= 18 && matches!(stop, Stop::Found { .. }), "{levels:?}");
    }
}

/// A good guess needs few runs: the load, one on each side, perhaps a vertex, and the replicates.
#[test]
fn a_guess_saves_the_climb() {
    let law = law(60.0);
    let (best, _, levels) = search(rules(Some(64.0)), |n| measured(n, law.throughput_at(n)));
    assert!(levels.len() <= 7, "{levels:?}");
    assert_eq!(levels[..3], [64.0, 128.0, 32.0]);
    assert_eq!(best.expect("it was measured").runs, 3);
}

/// The mean of the fresh runs is not drawn up by the choice of the best, and its interval covers.
#[test]
fn throughput_is_not_the_luckiest_run() {
    let law = law(40.0);
    let (mut ratio, mut held) = (0.0, 0);
    let sets = 2000;
    for seed in 0..sets {
        let mut random = Random::new(seed);
        let (best, ..) = search(rules(None), |n| measured(n, law.throughput_at(n) * random.lognormal(0.05)));
        let best = best.expect("it was measured");
        let truth = law.throughput_at(best.level);
        ratio += best.x / truth;
        held += usize::from(best.low.expect("three runs") <= truth && truth <= best.high.expect("three runs"));
    }
    let (ratio, held) = (ratio / sets as f64, held as f64 / sets as f64);
    // The mean of lognormal noise of 5 % is 1.00125; three standard errors are 0.002.
    assert!((ratio - 1.00125).abs() < 0.002, "{ratio}");
    assert!((0.93..=0.97).contains(&held), "{held}");
}

/// A cap: more load gives no more, so the lowest load that reaches it is the best, and the search does not climb on.
#[test]
fn a_flat_top_ends_the_climb() {
    let (best, _, levels) = search(rules(None), |n| measured(n, (50.0 * n).min(1000.0)));
    let best = best.expect("it was measured");
    assert!((16.0..=32.0).contains(&best.level) && best.x >= 800.0, "{best:?}");
    assert!(levels.iter().all(|&level| level <= 64.0), "{levels:?}");
}

/// A load that breaks the system, or that is INVALID three times, is never the answer.
#[test]
fn loads_that_are_not_usable() {
    let run = |n: f64| {
        if n >= 100.0 { Outcome::Refused("half of the replies failed".into()) } else { measured(n, n) }
    };
    let (best, _, levels) = search(rules(None), run);
    assert_eq!(best.expect("it was measured").level, 64.0);
    assert_eq!(levels.iter().filter(|&&level| level >= 100.0).count(), 1, "{levels:?}");
    let run = |n: f64| {
        if n == 8.0 { Outcome::Invalid("the injector was busy".into()) } else { measured(n, n.min(8.0)) }
    };
    let (best, _, levels) = search(rules(None), run);
    assert!(best.is_some_and(|best| best.level != 8.0));
    assert_eq!(levels.iter().filter(|&&level| level == 8.0).count(), 3);
    let (best, stop, _) = search(rules(Some(50.0)), |_| Outcome::Refused("down".into()));
    assert_eq!(best, None);
    assert!(matches!(stop, Stop::NothingToLearn(_)), "{stop}");
}

#[test]
fn every_problem_of_the_rules() {
    let bad = BestLoadRules { min: f64::NAN, max: 0.0, integer: true, start: Some(-1.0), replicates: 0, runs_max: 0 };
    assert_eq!(BestLoad::new(bad).expect_err("all is wrong").0.len(), 5);
}
