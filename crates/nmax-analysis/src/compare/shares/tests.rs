use proptest::prelude::*;

use super::super::{Comparison, Conclusion, Measured, Question, Values, compare};
use super::*;
use crate::tests::simulate::Random;

const METRIC: Metric = Metric::FailureRate;

fn figures(count: u64, failed: u64) -> Figures {
    let mut values = Values::default();
    values.set(METRIC, Some(failed.min(count) as f64 / count as f64));
    Figures { count, values, blocks: Vec::new() }
}

/// The shift between runs of these exchanges and failures.
fn shift_between(before: &[(u64, u64)], after: &[(u64, u64)], stretch: f64) -> Shift {
    let side = |runs: &[(u64, u64)]| -> Vec<Figures> { runs.iter().map(|(n, failed)| figures(*n, *failed)).collect() };
    let (before, after) = (side(before), side(after));
    let (before, after): (Vec<&Figures>, Vec<&Figures>) = (before.iter().collect(), after.iter().collect());
    shift(METRIC, &before, &after, &[], stretch).unwrap()
}

fn runs() -> impl Strategy<Value = Vec<(u64, u64)>> {
    let run = (1..20_000_u64, 0.0..1.0_f64, 0..4_u8).prop_map(|(n, share, kind)| match kind {
        0 => (n, 0),
        1 => (n, n),
        2 => (n, (n as f64 * share / 50.0) as u64),
        _ => (n, (n as f64 * share) as u64),
    });
    prop::collection::vec(run, 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    /// Laws: the interval has the estimate in it and lies within ±1; it has 0 in it where the probability is above 5 %, and
    /// only there; sides that change places turn the sign, and so do failures that become successes.
    #[test]
    fn intervals_are_bounded_and_turn_with_the_question(before in runs(), after in runs(), stretch in 1.0..8.0_f64) {
        let found = shift_between(&before, &after, stretch);
        prop_assert!(-1.0 <= found.low && found.low <= found.estimate, "{found:?}");
        prop_assert!(found.estimate <= found.high && found.high <= 1.0, "{found:?}");
        prop_assert!((0.0..=1.0).contains(&found.p));
        let has_zero = found.low <= 0.0 && 0.0 <= found.high;
        prop_assert!((found.p - ERROR_MAX).abs() < 1e-6 || has_zero == (found.p > ERROR_MAX), "{found:?}");
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        let is_turned = |other: Shift| {
            near(other.estimate, -found.estimate) && near(other.low, -found.high) && near(other.high, -found.low)
                && (other.p - found.p).abs() < 1e-6
        };
        let back = shift_between(&after, &before, stretch);
        prop_assert!(is_turned(back), "{found:?} and back {back:?}");
        let succeeded = |runs: &[(u64, u64)]| runs.iter().map(|(n, failed)| (*n, n - failed)).collect::<Vec<_>>();
        let turned = shift_between(&succeeded(&before), &succeeded(&after), stretch);
        prop_assert!(is_turned(turned), "{found:?} and of successes {turned:?}");
    }

    /// Law: the more fail after, the surer that they are more.
    #[test]
    fn more_failures_are_surer(n in 50..5_000_u64, x in 0.0..0.3_f64, y in 0.0..1.0_f64, z in 0.0..1.0_f64, stretch in 1.0..8.0_f64) {
        let failed = |share: f64| (n as f64 * share) as u64;
        let before = [(n, failed(x))];
        let (less, more) = (failed(x.max(y.min(z))), failed(x.max(y.max(z))));
        let (less, more) = (shift_between(&before, &[(n, less)], stretch), shift_between(&before, &[(n, more)], stretch));
        prop_assert!(more.p <= less.p + 1e-9, "{less:?}, {more:?}");
    }
}

/// Oracle: without luck it is method 10 of Newcombe, whose article has these cases: 56 of 70 less 48 of 80, 9 of 10 less 3
/// of 10, and 10 of 10 less 0 of 20.
#[test]
fn without_luck_it_is_newcombe() {
    let spread = Spread { counts: Variance { value: 1.0, df: f64::INFINITY }, odds: 0.0, share: 0.0 };
    let side = |failed: f64, n: f64| Side { share: failed / n, exchanges: n, runs: 1.0 };
    for (after, before, want) in [
        ((56.0, 70.0), (48.0, 80.0), (0.0524, 0.3339)),
        ((9.0, 10.0), (3.0, 10.0), (0.1705, 0.8090)),
        ((10.0, 10.0), (0.0, 20.0), (0.6791, 1.0000)),
    ] {
        let (low, high) = spread.around(side(before.0, before.1), side(after.0, after.1), 1.959_964);
        assert!((low - want.0).abs() < 6e-5 && (high - want.1).abs() < 6e-5, "{low} {high}, not {want:?}");
    }
}

/// Oracle: Student's law itself. Never on the wrong side of it.
#[test]
fn deviates_are_those_of_students_law() {
    for df in [2.0, 3.0, 7.0, 18.0, 200.0] {
        for p in [0.2, 0.05, 0.002] {
            let (got, want) = (deviate(critical(p, f64::INFINITY), df), critical(p, df));
            assert!((-0.001..0.6 / df).contains(&(got / want - 1.0)), "{df} degrees, {p}: {got}, not {want}");
        }
    }
}

/// Oracle by hand: the mean of the shares, and the exchanges of one run that would know it as well.
#[test]
fn a_side_is_the_mean_of_its_runs() {
    let runs = [figures(100, 10), figures(300, 60)];
    let found = side(METRIC, &runs.iter().collect::<Vec<_>>()).unwrap();
    assert!((found.share - 0.15).abs() < 1e-12 && (found.exchanges - 300.0).abs() < 1e-9, "{found:?}");
    assert_eq!(found.runs, 2.0);
    assert_eq!(side(METRIC, &[]), None);
}

/// Oracle by hand: limits are Wilson's, then luck of the odds and besides, both of a mean of the runs.
#[test]
fn limits_have_counts_and_luck() {
    let spread = Spread { counts: Variance { value: 2.0, df: f64::INFINITY }, odds: 0.3, share: 0.002 };
    let side = Side { share: 0.1, exchanges: 1_000.0, runs: 4.0 };
    let (low, high) = spread.limits(side, 2.0);
    // 500 exchanges are left; more = 4/500; center 0.104/1.008; reach √(0.008·0.092)/1.008; odds times e^0.3; 0.002 besides.
    let (center, reach) = (0.104 / 1.008, (0.008_f64 * 0.092).sqrt() / 1.008);
    let odds = |share: f64| share / (1.0 - share);
    let share = |odds: f64| odds / (1.0 + odds);
    let want =
        (share(odds(center - reach) * (-0.3_f64).exp()) - 0.002, share(odds(center + reach) * 0.3_f64.exp()) + 0.002);
    assert!((low - want.0).abs() < 1e-12 && (high - want.1).abs() < 1e-12, "{low} {high}, not {want:?}");
}

/// Oracle by hand: how much shares of equal runs differ, by what is known of it. A variance that is found adds what it has
/// beyond independent failures; one that is known well stands alone, and nothing more is assumed.
#[test]
fn the_spread_is_what_is_known_of_it() {
    let found = |before: &[Figures], after: &[Figures], history: &[Vec<Figures>], stretch: f64| {
        let history: Vec<Vec<&Figures>> = history.iter().map(|group| group.iter().collect()).collect();
        let (before, after): (Vec<&Figures>, Vec<&Figures>) = (before.iter().collect(), after.iter().collect());
        spread(METRIC, &before, &after, &history, stretch)
    };
    let is = |spread: Spread, counts: f64, odds: f64, share: f64| {
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(near(spread.counts.value, counts), "{spread:?}, not {counts}");
        assert!(near(spread.odds, odds) && near(spread.share, share), "{spread:?}, not {odds} and {share}");
    };
    // One run a side tells nothing: twice 0.2 points where they are short.
    let alone = found(&[figures(100, 10)], &[figures(100, 10)], &[], 2.0);
    is(alone, 1.0, LUCK, 0.004);
    assert_eq!(alone.counts.df, f64::INFINITY);
    // 10 % and 30 % of 100: χ² = (1 + 1)/0.16 with one degree of freedom, so 11.5 beyond 1.
    let two = found(&[figures(100, 10), figures(100, 30)], &[figures(100, 10)], &[], 1.0);
    is(two, 12.5, LUCK, 0.002);
    assert!((two.counts.df - (12.5_f64 / 11.5).powi(2)).abs() < 1e-9, "{two:?}");
    // The same in ten parts of 100 of one run: χ² = 10/0.16 with nine.
    let mut parted = figures(1_000, 200);
    parted.blocks = (0..10).map(|part| figures(100, if part < 5 { 10 } else { 30 }).values).collect();
    is(found(&[parted], &[figures(100, 10)], &[], 1.0), 10.0 / 0.16 / 9.0, LUCK, 0.002);
    // Runs that are known to be alike: independent failures at least, and nothing is stretched.
    let alike = vec![vec![figures(100, 10); 5]];
    is(found(&[figures(100, 10)], &[figures(100, 30)], &alike, 5.0), 1.0, 0.0, 0.002);
    // Runs that are known to differ: χ² = 4/0.16 with four.
    let unlike = [10, 30, 10, 30, 20].map(|failed| figures(100, failed)).to_vec();
    is(found(&[figures(100, 10)], &[figures(100, 30)], &[unlike], 5.0), 4.0 / 0.16 / 4.0, 0.0, 0.002);
}

/// A run of parts, each with independent failures, after luck of its own and of each part in the odds.
fn run(random: &mut Random, n: u64, share: f64, luck: f64, parts: f64) -> Measured {
    let luck = (luck * random.normal()).exp();
    let mut all = 0;
    let mut blocks = Vec::new();
    for _ in 0..10 {
        let share = with_odds(share, luck * (parts * random.normal()).exp());
        let failed = (0..n / 10).filter(|_| random.uniform() <= share).count() as u64;
        all += failed;
        blocks.push(figures(n / 10, failed).values);
    }
    Measured { total: Figures { blocks, ..figures(n / 10 * 10, all) }, hold_s: 10.0, ..Measured::default() }
}

fn ask(before: &[Measured], after: &[Measured], history: &[Measured]) -> Comparison {
    compare(&Question {
        before,
        after,
        history: &[history.to_vec()],
        metrics: &[METRIC],
        only: &[],
        margin: 0.05,
        failure_margin: 0.005,
    })
}

/// Equal systems are called better or worse in at most 5 % of 100 pairs, whether few or most of it fails, alone and in
/// bursts, with a tenth to a third of luck from run to run.
#[test]
fn failures_of_equal_systems_are_not_told_apart() {
    let mut random = Random::new(71);
    for share in [0.001, 0.01, 0.1, 0.99] {
        for (luck, parts) in [(0.0, 0.0), (0.3, 0.0), (0.1, 1.0)] {
            for (n, before, after, known) in
                [(300, 1, 1, 0), (1_000, 1, 1, 0), (300, 3, 1, 0), (300, 2, 2, 0), (300, 1, 1, 8)]
            {
                let wrong = (0..100).filter(|_| {
                    let mut side = |count: usize| -> Vec<Measured> {
                        (0..count).map(|_| run(&mut random, n, share, luck, parts)).collect()
                    };
                    let answer = ask(&side(before), &side(after), &side(known));
                    answer.count(Conclusion::Worse) + answer.count(Conclusion::Better) > 0
                });
                let wrong = wrong.count();
                assert!(
                    wrong <= 5,
                    "{share} fail, luck {luck} and {parts}, {before} and {after} runs of {n}, {known} known: {wrong} of 100"
                );
            }
        }
    }
}
