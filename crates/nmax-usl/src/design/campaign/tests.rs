use proptest::prelude::*;

use super::Campaign;
use crate::design::{Outcome, Precision, Purpose, Rules, Step, Stop, TimeLeft, Trial};
use crate::law::Usl;
use crate::random::Random;

fn rules(max: f64) -> Rules {
    Rules {
        min: 1.0,
        max,
        integer: true,
        levels: None,
        replicates: 3,
        runs_max: 100,
        precision: Precision::default(),
        seed: 1,
    }
}

fn law(peak: f64) -> Usl {
    Usl { contention: 0.02, coherency: 0.98 / (peak * peak), unit_throughput: 100.0 }
}

fn measured(n: f64, x: f64) -> Outcome {
    Outcome::Measured { n, x, r_s: Some(n / x), count: None }
}

/// Runs a campaign to its end.
fn run(rules: Rules, mut outcome: impl FnMut(&Trial) -> Outcome) -> (Campaign, Vec<Trial>, Stop) {
    let mut campaign = Campaign::new(rules).expect("the rules are good");
    let mut trials = Vec::new();
    loop {
        match campaign.next(TimeLeft::Unlimited) {
            Step::Run(trial) => {
                assert_eq!(trial.number, trials.len() + 1, "numbers follow each other");
                let outcome = outcome(&trial);
                campaign.record(&trial, outcome);
                trials.push(trial);
            }
            Step::Stop(stop) => return (campaign, trials, stop),
        }
    }
}

fn levels(trials: &[Trial], purpose: Purpose) -> Vec<f64> {
    trials.iter().filter(|trial| trial.purpose == purpose).map(|trial| trial.level).collect()
}

/// Where the ramp ends: `system` gives the throughput at a level.
#[test]
fn ends_of_the_ramp() {
    let law = law(15.0);
    let falls = |n: f64| law.throughput_at(n);
    let cap = |n: f64| (10.0 * n).min(200.0);
    let linear = |n: f64| 10.0 * n;
    type Case<'a> = (&'a dyn Fn(f64) -> f64, f64, Vec<f64>, &'a str);
    let cases: [Case; 4] = [
        (&falls, 1e6, vec![1., 2., 4., 8., 16., 32.], "throughput falls by 5 %"),
        (&cap, 1e6, vec![1., 2., 4., 8., 16., 32., 64., 128.], "two doublings change nothing"),
        (&linear, 100.0, vec![1., 2., 4., 8., 16., 32., 64., 100.], "the largest level"),
        (&linear, 66.0, vec![1., 2., 4., 8., 16., 32., 64.], "a step of 3 % tells nothing"),
    ];
    for (system, max, want, why) in cases {
        let (_, trials, _) = run(rules(max), |trial| measured(trial.level, system(trial.level)));
        assert_eq!(levels(&trials, Purpose::Ramp), want, "{why}");
    }
}

/// Around a peak of 60: half of it, the peak and twice the peak near levels that the ramp has measured, so they and the
/// smallest have three runs each, and the order is not the order of levels.
#[test]
fn replicates_around_the_peak() {
    let law = law(60.0);
    let mut random = Random::new(1);
    let (campaign, trials, stop) =
        run(rules(4096.0), |trial| measured(trial.level, law.throughput_at(trial.level) * random.lognormal(0.02)));
    let replicates = levels(&trials, Purpose::Replicate);
    for level in [1.0, 32.0, 64.0, 128.0] {
        assert_eq!(trials.iter().filter(|trial| trial.level == level).count(), 3, "level {level}");
    }
    let mut sorted = replicates.clone();
    sorted.sort_by(f64::total_cmp);
    assert_ne!(replicates, sorted, "the order is random");
    assert!(matches!(stop, Stop::Precise { .. }), "{stop}");
    assert_eq!(campaign.observations().len(), trials.len());
    assert_eq!(campaign.observations()[8].row, 9, "rows are numbers of trials");
}

/// The seed decides the order of replicates, and nothing else about them.
#[test]
fn the_order_is_random_and_follows_the_seed() {
    let law = law(60.0);
    let order = |seed: u64| {
        let (_, trials, _) =
            run(Rules { seed, ..rules(4096.0) }, |trial| measured(trial.level, law.throughput_at(trial.level)));
        levels(&trials, Purpose::Replicate)
    };
    let sorted = |mut levels: Vec<f64>| {
        levels.sort_by(f64::total_cmp);
        levels
    };
    let orders: Vec<Vec<f64>> = (0..6).map(order).collect();
    assert!(orders.iter().all(|other| sorted(other.clone()) == sorted(orders[0].clone())), "{orders:?}");
    assert!(orders.iter().skip(1).all(|other| *other != orders[0]), "{orders:?}");
    assert_eq!(order(3), orders[3]);
}

/// A peak between the levels of the ramp gets levels of its own, each first as a refinement.
#[test]
fn new_levels_where_none_is_near() {
    let law = law(90.0);
    let (_, trials, _) = run(rules(4096.0), |trial| measured(trial.level, law.throughput_at(trial.level)));
    assert_eq!(
        {
            let mut new = levels(&trials, Purpose::Refine);
            new.sort_by(f64::total_cmp);
            new
        },
        [45.0, 90.0, 180.0]
    );
    for level in [45.0, 90.0, 180.0] {
        let of: Vec<Purpose> = trials.iter().filter(|trial| trial.level == level).map(|trial| trial.purpose).collect();
        assert_eq!(of, [Purpose::Refine, Purpose::Replicate, Purpose::Replicate], "level {level}");
    }
}

/// A small peak has few whole numbers beside it; six levels differ all the same.
#[test]
fn at_least_six_levels() {
    for peak in [2.0, 3.0, 5.0] {
        let law = law(peak);
        let (_, trials, _) = run(rules(1000.0), |trial| measured(trial.level, law.throughput_at(trial.level)));
        let mut distinct: Vec<f64> = trials.iter().map(|trial| trial.level).collect();
        distinct.sort_by(f64::total_cmp);
        distinct.dedup();
        assert!(distinct.len() >= 6, "peak {peak}: {distinct:?}");
    }
}

/// A cap is refined around its knee, and known as precisely as a peak would be.
#[test]
fn a_cap_is_known_by_its_knee() {
    let mut random = Random::new(3);
    let (_, trials, stop) =
        run(rules(4096.0), |trial| measured(trial.level, (10.0 * trial.level).min(200.0) * random.lognormal(0.02)));
    let Stop::Precise { throughput, concurrency } = stop else { panic!("{stop}") };
    assert!(throughput <= 0.05 && concurrency <= 0.10);
    let near = trials.iter().filter(|trial| trial.level >= 8.0 && trial.level <= 40.0).count();
    assert!(near >= 8, "{near} of {} runs around the knee at 20", trials.len());
    assert!(trials.iter().all(|trial| trial.level <= 128.0));
}

/// Without a peak in reach the signs of α and β are the question.
#[test]
fn no_peak_in_reach() {
    let mut random = Random::new(4);
    let amdahl = |n: f64| 100.0 * n / (1.0 + 0.1 * (n - 1.0));
    let (_, trials, stop) =
        run(rules(64.0), |trial| measured(trial.level, amdahl(trial.level) * random.lognormal(0.01)));
    assert_eq!(stop, Stop::Decided, "after {} runs", trials.len());
}

/// INVALID: repeated twice, then dropped, and never fitted; the ramp goes on past one such level and ends at two.
#[test]
fn invalid_levels() {
    let law = law(15.0);
    let invalid = |bad: &'static [f64]| {
        move |trial: &Trial| {
            if bad.contains(&trial.level) {
                Outcome::Invalid("the injector was the bottleneck".into())
            } else {
                measured(trial.level, law.throughput_at(trial.level))
            }
        }
    };
    let (campaign, trials, _) = run(rules(1000.0), invalid(&[4.0]));
    let of_4: Vec<Purpose> = trials.iter().filter(|trial| trial.level == 4.0).map(|trial| trial.purpose).collect();
    assert_eq!(of_4, [Purpose::Ramp, Purpose::Repeat, Purpose::Repeat]);
    assert!(campaign.observations().iter().all(|run| run.n != 4.0));
    assert_eq!(campaign.dropped().len(), 1);
    assert_eq!((campaign.dropped()[0].level, campaign.dropped()[0].attempts), (4.0, 3));
    assert!(levels(&trials, Purpose::Ramp).contains(&32.0));

    let (campaign, trials, _) = run(rules(1000.0), invalid(&[8.0, 16.0]));
    assert_eq!(campaign.dropped().len(), 2);
    assert!(trials.iter().all(|trial| trial.level <= 16.0), "nothing above two levels that cannot be measured");

    let (campaign, trials, stop) = run(rules(1000.0), |_| Outcome::Invalid("no".into()));
    assert_eq!((campaign.observations().len(), trials.len()), (0, 6));
    assert!(matches!(stop, Stop::NothingToLearn(_)), "{stop}");
}

/// One INVALID run is repeated once, and the ramp goes on as if nothing had happened.
#[test]
fn an_invalid_run_is_repeated() {
    let law = law(15.0);
    let mut first = true;
    let (campaign, trials, _) = run(rules(1000.0), |trial| {
        if trial.level == 8.0 && std::mem::take(&mut first) {
            return Outcome::Invalid("a pause of the machine".into());
        }
        measured(trial.level, law.throughput_at(trial.level))
    });
    assert!(campaign.dropped().is_empty());
    assert_eq!(trials[4].purpose, Purpose::Repeat);
    assert_eq!((trials[4].level, trials[5].level), (8.0, 16.0));
}

/// A throughput of 0 or of nothing is a run that does not count.
#[test]
fn nonsense_is_not_fitted() {
    for x in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let (campaign, ..) =
            run(rules(64.0), |trial| measured(trial.level, if trial.level == 2.0 { x } else { trial.level }));
        assert!(campaign.observations().iter().all(|run| run.n != 2.0), "x = {x}");
    }
}

/// A system that breaks down ends the ramp, and is not asked for as much again.
#[test]
fn no_level_beyond_a_breakdown() {
    let mut refused = 0;
    let (campaign, trials, _) = run(rules(1000.0), |trial| {
        if trial.level > 40.0 {
            refused += 1;
            return Outcome::Refused("60 % of the replies failed".into());
        }
        measured(trial.level, 10.0 * trial.level / (1.0 + 0.01 * trial.level))
    });
    assert_eq!(refused, 1);
    assert_eq!(campaign.dropped()[0].level, 64.0);
    assert!(trials.iter().filter(|trial| trial.level > 32.0).count() == 1, "{trials:?}");
}

/// Rates above what the system can do break it down; levels between the last good one and that follow until they are near.
#[test]
fn rates_are_halved_below_a_breakdown() {
    let rates = Rules { min: 20.0, integer: false, ..rules(400.0) };
    let system = |trial: &Trial| match trial.level <= 250.0 {
        true => measured(trial.level / (300.0 - trial.level), trial.level),
        false => Outcome::Refused("it did not keep up".into()),
    };
    let (_, trials, _) = run(rates, system);
    let ramp = levels(&trials, Purpose::Ramp);
    assert_eq!(ramp[..5], [20.0, 40.0, 80.0, 160.0, 320.0]);
    let between = &ramp[5..];
    assert!((1..=4).contains(&between.len()), "{between:?}");
    assert!(between.iter().all(|level| (160.0..320.0).contains(level)), "{between:?}");
    assert!(between.iter().any(|level| (215.0..=250.0).contains(level)), "{between:?}");
    // Where nothing could be measured there is nothing to halve.
    let (_, trials, _) = run(rules(400.0), |_| Outcome::Refused("gone".into()));
    assert_eq!(trials.len(), 1);
}

/// A first run on a cold system blocks the answer: it is measured again, at most three times, and then that is said.
#[test]
fn a_level_in_doubt_is_measured_again() {
    let law = law(15.0);
    let mut random = Random::new(3);
    let mut campaign = |cold: f64| {
        run(rules(64.0), |trial| {
            let factor = if trial.number == 1 { cold } else { 1.0 };
            measured(trial.level, factor * law.throughput_at(trial.level) * random.lognormal(0.01))
        })
    };
    let at_one = |trials: &[Trial]| trials.iter().filter(|trial| trial.level == 1.0).count();
    let (_, trials, stop) = campaign(1.0);
    assert!(matches!(stop, Stop::Precise { .. }) && at_one(&trials) >= 3, "{stop:?}");
    let (_, more, stop) = campaign(0.7);
    assert_eq!(at_one(&more), at_one(&trials) + 3, "{more:?}");
    assert!(matches!(stop, Stop::Doubtful { code: "NON_STATIONARY", concurrency: 1.0, runs: 3 }), "{stop:?}");
    assert!(stop.to_string().contains("also after 3 more"), "{stop}");
}

/// Nothing more fits, so that is the reason.
#[test]
fn time_that_is_over_is_the_reason() {
    let mut campaign = Campaign::new(rules(64.0)).expect("the rules are good");
    let mut left = 2.5;
    let stop = loop {
        match campaign.next(TimeLeft::Seconds { left, trial: 1.0 }) {
            Step::Run(trial) => campaign.record(&trial, Outcome::Refused("gone".into())),
            Step::Stop(stop) => break stop,
        }
        left = 0.5;
    };
    assert_eq!(stop, Stop::Budget);
}

/// Levels of the user are measured in rising order, then again in random order, and no others.
#[test]
fn levels_that_are_given() {
    let given = Rules { levels: Some(vec![30.0, 5.0, 10.0, 1.0, 20.0, 10.0]), ..rules(1000.0) };
    let law = law(12.0);
    let (_, trials, stop) = run(given, |trial| measured(trial.level, law.throughput_at(trial.level)));
    assert_eq!(levels(&trials, Purpose::Ramp), [1.0, 5.0, 10.0, 20.0, 30.0]);
    assert_eq!((trials.len(), stop), (15, Stop::LevelsDone));
    let again = levels(&trials, Purpose::Replicate);
    assert!(again.windows(2).any(|pair| pair[1] < pair[0]), "the order is random: {again:?}");
}

/// A trial is begun only when it fits, and a short budget keeps first runs before second ones.
#[test]
fn time_budget() {
    let law = law(90.0);
    let precision = Precision { throughput: 0.001, concurrency: 0.001 };
    let mut campaign = Campaign::new(Rules { precision, ..rules(4096.0) }).expect("the rules are good");
    let (mut left, mut trials) = (15.5, Vec::new());
    let mut random = Random::new(2);
    loop {
        match campaign.next(TimeLeft::Seconds { left, trial: 1.0 }) {
            Step::Run(trial) => {
                let x = law.throughput_at(trial.level) * random.lognormal(0.05);
                campaign.record(&trial, measured(trial.level, x));
                left -= 1.0;
                trials.push(trial);
            }
            Step::Stop(stop) => {
                assert_eq!(stop, Stop::Budget);
                break;
            }
        }
    }
    assert_eq!(trials.len(), 15);
    let mut new = levels(&trials, Purpose::Refine);
    new.sort_by(f64::total_cmp);
    let near = |(new, want): (&f64, f64)| (new / want - 1.0).abs() < 0.05;
    assert!(new.len() == 3 && new.iter().zip([45.0, 90.0, 180.0]).all(near), "every new level has a run: {new:?}");
    assert!(matches!(campaign.next(TimeLeft::Seconds { left: 1.0, trial: 1.0 }), Step::Run(_)), "now one fits again");
}

/// Asking twice gives the same trial; nothing is skipped.
#[test]
fn asking_twice() {
    let mut campaign = Campaign::new(rules(64.0)).expect("the rules are good");
    let first = campaign.next(TimeLeft::Unlimited);
    assert_eq!(campaign.next(TimeLeft::Unlimited), first);
}

#[test]
fn every_problem_of_the_rules() {
    let bad = Rules {
        min: -1.0,
        max: f64::INFINITY,
        integer: true,
        levels: Some(vec![0.0, 2.5, f64::NAN]),
        replicates: 0,
        runs_max: 0,
        precision: Precision { throughput: 0.0, concurrency: -0.1 },
        seed: 0,
    };
    let problems = Campaign::new(bad).expect_err("all is wrong").0;
    assert_eq!(problems.len(), 9, "{problems:#?}");
    let none = Rules { min: 1.2, max: 1.8, ..rules(1.8) };
    assert!(Campaign::new(none).expect_err("no whole number").to_string().contains("whole number from 1.2 to 1.8"));
}

#[test]
fn stops_in_words() {
    let stop = Stop::Precise { throughput: 0.031, concurrency: 0.08 };
    assert_eq!(stop.to_string(), "the answer is as precise as asked for: ±3.1 % in throughput, ±8.0 % in concurrency");
    assert_eq!((stop.name(), Stop::Budget.name()), ("precise", "budget"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Law: whatever comes back, a campaign ends within its runs, asks only for levels in its range, repeats from its
    /// rules and outcomes, and fits only what was measured.
    #[test]
    fn any_outcomes(
        seed in any::<u64>(),
        max in 1.0..5000_f64,
        integer in any::<bool>(),
        runs_max in 1..60_usize,
        replicates in 1..5_usize,
        kinds in prop::collection::vec((0..10_u8, 0.1..1000_f64), 1..80),
    ) {
        let rules = Rules { max, integer, runs_max, replicates, seed, ..rules(max) };
        let outcome = |trial: &Trial| match kinds[trial.number % kinds.len()] {
            (0, _) => Outcome::Invalid("no".into()),
            (1, _) => Outcome::Refused("down".into()),
            (kind, x) => measured(if kind == 2 { x } else { trial.level }, x),
        };
        let (campaign, trials, _) = run(rules.clone(), outcome);
        prop_assert!(trials.len() <= runs_max);
        for trial in &trials {
            prop_assert!(trial.level >= 1.0 && trial.level <= max, "{trial:?}");
            prop_assert!(!integer || trial.level.fract() == 0.0, "{trial:?}");
        }
        let (again, trials_again, _) = run(rules, outcome);
        prop_assert_eq!(trials, trials_again);
        prop_assert_eq!(campaign.observations(), again.observations());
    }
}
