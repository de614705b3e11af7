use proptest::prelude::*;

use super::*;
use crate::tests::simulate::Random;

mod simulated;

const MARGIN: f64 = 0.05;
const FAILURES: f64 = 0.005;
const BLOCKS: usize = 10;

/// A simulated system: how its runs differ.
#[derive(Clone, Copy)]
struct System {
    /// Factor of its response times.
    slowness: f64,
    /// Share of requests that fail.
    failures: f64,
    /// Standard deviation from run to run, of the logarithm.
    between: f64,
    /// Standard deviation from part to part of a run, correlated by a half.
    within: f64,
}

/// Runs differ by 2 %.
const QUIET: System = System { slowness: 1.0, failures: 0.01, between: 0.019, within: 0.01 };

/// Quantiles of response times that are log-normal with σ = 0.4, over their median; and the standard deviation of the
/// logarithm of each among n exchanges, times √n.
const FIGURES: [(Metric, f64, f64); 5] = [
    (Metric::ResponseMean, 1.083, 0.42),
    (Metric::ResponseP50, 1.0, 0.5),
    (Metric::ResponseP95, 1.931, 0.85),
    (Metric::ResponseP99, 2.536, 1.49),
    (Metric::ServiceP95, 1.931, 0.85),
];

fn values(random: &mut Random, median_ms: f64, failures: f64, count: u64, seconds: f64) -> Values {
    let n = count as f64;
    let mut values = Values::default();
    for (metric, factor, deviation) in FIGURES {
        let noise = (deviation / n.sqrt() * random.normal()).exp();
        values.set(metric, Some(median_ms * factor * noise));
    }
    let failed = n * failures + (n * failures * (1.0 - failures)).sqrt() * random.normal();
    values.set(Metric::FailureRate, Some((failed / n).clamp(0.0, 1.0)));
    values.set(Metric::Throughput, Some((n + n.sqrt() * random.normal()) / seconds));
    values.set(Metric::Bytes, Some(512.0));
    values
}

/// A run of a system: three requests, slow and quick parts that they share, and its own good or bad luck.
fn run(random: &mut Random, system: System, exchanges: u64) -> Measured {
    let luck = system.slowness * (system.between * random.normal()).exp();
    let parts = random.ar1(BLOCKS, 0.5);
    let mean = parts.iter().sum::<f64>() / BLOCKS as f64;
    let mut figures = |base_ms: f64, count: u64| {
        let mut of = |part: f64, count: u64, seconds: f64| {
            let slowness = luck * (system.within * part).exp();
            values(random, base_ms * slowness, system.failures, count, seconds)
        };
        Figures {
            count,
            values: of(mean, count, BLOCKS as f64),
            blocks: parts.iter().map(|part| of(*part, count / BLOCKS as u64, 1.0)).collect(),
        }
    };
    let requests = [("home", 5.0), ("search", 20.0), ("cart", 60.0)];
    Measured {
        total: figures(20.0, 3 * exchanges),
        requests: requests.map(|(name, base_ms)| (name.to_owned(), figures(base_ms, exchanges))).into(),
        hold_s: 60.0,
        ..Measured::default()
    }
}

fn runs(random: &mut Random, system: System, count: usize) -> Vec<Measured> {
    (0..count).map(|_| run(random, system, 4_000)).collect()
}

fn ask(before: &[Measured], after: &[Measured], history: &[Measured]) -> Comparison {
    compare(&Question {
        before,
        after,
        history: &[history.to_vec()],
        metrics: &Metric::OF_RUNS,
        only: &[],
        margin: MARGIN,
        failure_margin: FAILURES,
    })
}

/// Whether anything is called better or worse.
fn is_told_apart(comparison: &Comparison) -> bool {
    comparison.count(Conclusion::Better) + comparison.count(Conclusion::Worse) > 0
}

/// Oracle: Holm's procedure as it is written, step by step.
fn rejected(p: &[f64]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let mut rejected = vec![false; p.len()];
    for (step, place) in order.into_iter().enumerate() {
        if p[place] > ERROR_MAX / (p.len() - step) as f64 {
            break;
        }
        rejected[place] = true;
    }
    rejected
}

fn bare(p: f64, metric: Metric) -> Row {
    Row {
        request: "r".into(),
        metric,
        before: 1.0,
        after: 1.0,
        change: Some(2.0),
        interval: None,
        p,
        p_adjusted: 1.0,
        is_weak: false,
        said: Conclusion::Inconclusive,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn corrected_probabilities_reject_what_holm_rejects(p in prop::collection::vec(0.0..0.06_f64, 1..30)) {
        let mut rows: Vec<Row> = p.iter().map(|p| bare(*p, Metric::ResponseP50)).collect();
        rows.push(bare(0.04, Metric::Bytes));
        correct(&mut rows);
        let found: Vec<bool> = rows[..p.len()].iter().map(|row| row.p_adjusted <= ERROR_MAX).collect();
        prop_assert_eq!(found, rejected(&p));
        prop_assert_eq!(rows[p.len()].p_adjusted, 0.04, "what decides nothing is not corrected");
        prop_assert!(rows.iter().all(|row| row.p_adjusted >= row.p && row.p_adjusted <= 1.0));
    }
}

#[test]
fn what_fails_more_earns_nothing() {
    for (metric, said, more, want) in [
        (Metric::ResponseP50, Conclusion::Better, 0.2, Conclusion::Inconclusive),
        (Metric::Throughput, Conclusion::Better, 0.2, Conclusion::Inconclusive),
        (Metric::ResponseP50, Conclusion::Worse, 0.2, Conclusion::Worse),
        (Metric::ResponseP50, Conclusion::Equivalent, 0.2, Conclusion::Equivalent),
        (Metric::ResponseP50, Conclusion::Better, 0.05, Conclusion::Better),
        (Metric::ResponseP50, Conclusion::Worse, -0.2, Conclusion::Inconclusive),
        (Metric::ResponseP50, Conclusion::Better, -0.2, Conclusion::Better),
        (Metric::FailureRate, Conclusion::Better, -0.2, Conclusion::Better),
        (Metric::FailureRate, Conclusion::Worse, 0.2, Conclusion::Worse),
    ] {
        assert_eq!(deserved(said, metric, more), want, "{metric:?} {said:?} {more}");
    }
}

#[test]
fn sayings_follow_from_interval_probability_and_direction() {
    let question = Question {
        before: &[],
        after: &[],
        history: &[],
        metrics: &[],
        only: &[],
        margin: 0.05,
        failure_margin: 0.005,
    };
    let cases = [
        (Metric::ResponseP95, 1.02, (1.00, 1.04), 0.001, Conclusion::Equivalent, "small, however sure"),
        (Metric::ResponseP95, 1.06, (1.02, 1.10), 0.01, Conclusion::Worse, "may be more than the margin, and is there"),
        (Metric::ResponseP95, 1.06, (1.02, 1.10), 0.2, Conclusion::Inconclusive, "not in view of all rows"),
        (Metric::ResponseP95, 0.50, (0.40, 0.60), 0.01, Conclusion::Better, "less time"),
        (Metric::Throughput, 0.50, (0.40, 0.60), 0.01, Conclusion::Worse, "less throughput"),
        (Metric::Throughput, 1.50, (1.40, 1.60), 0.01, Conclusion::Better, "more throughput"),
        (Metric::Bytes, 0.50, (0.40, 0.60), 0.01, Conclusion::Changed, "bytes have no direction"),
        (Metric::FailureRate, 0.02, (0.01, 0.03), 0.01, Conclusion::Worse, "a difference, not a ratio"),
        (Metric::FailureRate, -0.02, (-0.03, -0.01), 0.01, Conclusion::Better, "a difference, not a ratio"),
        (Metric::FailureRate, 0.0, (0.0, 0.0), 1.0, Conclusion::Equivalent, "no failures at all"),
    ];
    for (metric, change, interval, p_adjusted, want, why) in cases {
        let row = Row { change: Some(change), interval: Some(interval), p_adjusted, ..bare(0.0, metric) };
        assert_eq!(conclude(&row, &question), want, "{why}");
    }
}

#[test]
fn requests_of_one_side_are_named_and_a_single_request_has_no_total() {
    let mut random = Random::new(41);
    let (mut before, mut after) = (runs(&mut random, QUIET, 2), runs(&mut random, QUIET, 2));
    for run in &mut before {
        run.requests.remove("cart");
    }
    let answer = ask(&before, &after, &[]);
    assert_eq!((answer.only_before, answer.only_after), (vec![], vec!["cart".to_owned()]));
    assert_eq!(answer.rows[0].request, TOTAL);
    for run in before.iter_mut().chain(&mut after) {
        run.requests.retain(|name, _| name == "home");
    }
    let answer = ask(&before, &after, &[]);
    assert!(answer.rows.iter().all(|row| row.request == "home"), "{:?}", answer.rows);
    let nothing = ask(&[], &[], &[]);
    assert_eq!((nothing.rows.len(), nothing.conclusion()), (0, Conclusion::Inconclusive));
}

/// A request that is called as the total is has its rows once.
#[test]
fn a_request_may_be_called_total() {
    let mut random = Random::new(47);
    let (mut before, mut after) = (runs(&mut random, QUIET, 2), runs(&mut random, QUIET, 2));
    let named = ask(&before, &after, &[]);
    for run in before.iter_mut().chain(&mut after) {
        let home = run.requests.remove("home").expect("every run has it");
        run.requests.insert(TOTAL.into(), home);
    }
    let answer = ask(&before, &after, &[]);
    let own = answer.rows.iter().filter(|row| row.request == TOTAL).count();
    assert_eq!(answer.rows.len(), named.rows.len() - own);
    assert_eq!(own, Metric::OF_RUNS.len() - 1, "all but bytes, which are the same");
}

#[test]
fn what_is_chosen_narrows_the_family() {
    let mut random = Random::new(43);
    let (before, after) = (runs(&mut random, QUIET, 2), runs(&mut random, QUIET, 2));
    let chosen = compare(&Question {
        before: &before,
        after: &after,
        history: &[],
        metrics: &[Metric::ResponseP95],
        only: &["cart".into(), TOTAL.into()],
        margin: MARGIN,
        failure_margin: FAILURES,
    });
    let names: Vec<&str> = chosen.rows.iter().map(|row| row.request.as_str()).collect();
    assert_eq!((names, chosen.family), (vec![TOTAL, "cart"], 2));
}

/// Law: the change leads from the figure before to the figure after, by ranks and with few runs; so no figure falls whose
/// ratio says that it rose. Shares stay between 0 and 1.
#[test]
fn changes_agree_with_the_figures_beside_them() {
    let wide = System { between: 0.3, failures: 0.02, ..QUIET };
    let mut random = Random::new(59);
    let mut by_ranks = 0;
    for (n, m) in [(1, 1), (3, 1), (3, 4), (5, 5), (10, 10), (9, 12)] {
        for _ in 0..20 {
            let answer = ask(&runs(&mut random, wide, n), &runs(&mut random, wide, m), &[]);
            for row in &answer.rows {
                by_ranks += usize::from(!row.is_weak);
                let seen = match row.metric.scale() {
                    Scale::Ratio => (row.after / row.before).ln() - row.change.unwrap().ln(),
                    Scale::Difference => row.after - row.before - row.change.unwrap(),
                };
                assert!(seen.abs() < 1e-9, "{row:?}");
                let is_share = row.metric.unit() == Unit::Share;
                assert!(!is_share || (0.0..=1.0).contains(&row.before) && (0.0..=1.0).contains(&row.after));
            }
        }
    }
    assert!(by_ranks > 500, "{by_ranks}");
}

/// A run of 3 s whose requests so often fail, at once: in a tenth of the time.
fn failing(random: &mut Random, count: u64, failures: f64) -> Measured {
    let mut run = run(random, System { failures, ..QUIET }, count);
    for figures in std::iter::once(&mut run.total).chain(run.requests.values_mut()) {
        let failed = (figures.count as f64 * failures).round() / figures.count as f64;
        for values in std::iter::once(&mut figures.values).chain(&mut figures.blocks) {
            values.set(Metric::FailureRate, Some(failed));
            for (metric, ..) in FIGURES {
                let quick = values.get(metric).map(|ms| ms * (1.0 - 0.9 * failures));
                values.set(metric, quick);
            }
        }
    }
    Measured { hold_s: 3.0, ..run }
}

/// A release that answers 500 to everything, at once, is worse, however few and short the runs and however disturbed; and
/// its quick failures are nothing good. The way back is better.
#[test]
fn all_failing_is_worse_whatever_the_luck() {
    let mut random = Random::new(61);
    for (n, m) in [(1, 1), (3, 1), (1, 3), (2, 2), (3, 2), (3, 3), (8, 8)] {
        for is_disturbed in [false, true] {
            for (count, rate) in [(100, 0.0), (150, 0.0067), (300, 0.02), (300, 0.1)] {
                let mut side = |failures: f64, count_of: usize| -> Vec<Measured> {
                    let runs = (0..count_of).map(|_| failing(&mut random, count, failures));
                    runs.map(|run| Measured { is_disturbed, ..run }).collect()
                };
                let (sound, broken) = (side(rate, n), side(1.0, m));
                let answer = ask(&sound, &broken, &[]);
                let what = format!("{n} and {m} runs, disturbed: {is_disturbed}, {rate} of {count}");
                assert_eq!((answer.conclusion(), answer.count(Conclusion::Better)), (Conclusion::Worse, 0), "{what}");
                let failures = answer.rows.iter().filter(|row| row.metric == Metric::FailureRate);
                failures.for_each(|row| assert_eq!(row.said, Conclusion::Worse, "{what}: {row:?}"));
                assert_eq!(answer.unlike, [TOTAL, "cart", "home", "search"]);
                assert!(answer.caveats()[0].text.contains("total, cart, home, search: failure rates differ"));
                let back = ask(&broken, &sound, &[]);
                assert_eq!((back.conclusion(), back.count(Conclusion::Worse)), (Conclusion::Better, 0), "{what}, back");
            }
        }
    }
}

/// One run of 3 s a side tells that 30 % fail in place of 0.67 %, over all rows.
#[test]
fn many_failures_are_told_by_one_run() {
    let mut random = Random::new(73);
    let (before, after) = ([failing(&mut random, 300, 0.0067)], [failing(&mut random, 300, 0.3)]);
    let answer = ask(&before, &after, &[]);
    for row in answer.rows.iter().filter(|row| row.metric == Metric::FailureRate) {
        assert_eq!(row.said, Conclusion::Worse, "{row:?}");
    }
}

/// Times of failures earn nothing, even where nobody asks for failures.
#[test]
fn quick_failures_are_no_better_times() {
    let mut random = Random::new(67);
    let (sound, broken) = ([failing(&mut random, 300, 0.0)], [failing(&mut random, 300, 1.0)]);
    let said = |before: &[Measured], after: &[Measured]| {
        let answer = compare(&Question {
            before,
            after,
            history: &[],
            metrics: &[Metric::ResponseP95, Metric::Throughput],
            only: &[],
            margin: MARGIN,
            failure_margin: FAILURES,
        });
        assert_eq!(answer.unlike.len(), 4);
        answer.conclusion()
    };
    assert_eq!(said(&sound, &broken), Conclusion::Inconclusive);
    assert_eq!(said(&broken, &sound), Conclusion::Inconclusive);
}

/// A run of these figures and nothing else.
fn plain(metric: Metric, value: f64) -> Measured {
    let mut total = Figures { count: 1_000, ..Figures::default() };
    total.values.set(metric, Some(value));
    Measured { total, hold_s: 60.0, ..Measured::default() }
}

fn single_row(metric: Metric, before: &[f64], after: &[f64]) -> Row {
    let side = |values: &[f64]| -> Vec<Measured> { values.iter().map(|value| plain(metric, *value)).collect() };
    let mut answer = compare(&Question {
        before: &side(before),
        after: &side(after),
        history: &[],
        metrics: &[metric],
        only: &[],
        margin: MARGIN,
        failure_margin: FAILURES,
    });
    assert_eq!(answer.rows.len(), 1);
    answer.rows.remove(0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Law: the figures beside a change of failure rates by ranks are shares too, whatever the runs, and it leads from one to
    /// the other.
    #[test]
    fn figures_beside_a_change_of_shares_are_shares(
        before in prop::collection::vec(prop_oneof![Just(0.0), Just(1.0), 0.0..1.0_f64], 5..9),
        after in prop::collection::vec(prop_oneof![Just(0.0), Just(1.0), 0.0..1.0_f64], 5..9),
    ) {
        let row = single_row(Metric::FailureRate, &before, &after);
        prop_assert!(!row.is_weak);
        prop_assert!((0.0..=1.0).contains(&row.before) && (0.0..=1.0).contains(&row.after), "{row:?}");
        prop_assert!((row.after - row.before - row.change.expect("a change")).abs() < 1e-12, "{row:?}");
    }
}

/// A figure of a run that no ratio can be taken of is not left out of its side: then nothing is said.
#[test]
fn a_figure_of_zero_has_no_ratio() {
    let many = [10.0, 11.0, 10.5, 10.2, 10.8];
    assert!(single_row(Metric::Throughput, &many, &many).change.is_some());
    let row = single_row(Metric::Throughput, &many, &[20.0, 21.0, 20.5, 0.0, 20.2, 20.8]);
    assert_eq!((row.change, row.interval, row.said), (None, None, Conclusion::Inconclusive));
}

#[test]
fn few_requests_are_named_in_a_caveat() {
    let text = |count: usize| {
        let unlike = (0..count).map(|number| format!("r{number}")).collect();
        let comparison = Comparison { unlike, ..Comparison::default() };
        comparison.caveats().first().map(|caveat| caveat.text.clone()).unwrap_or_default()
    };
    assert_eq!(text(0), "");
    assert!(text(5).starts_with("r0, r1, r2, r3, r4: failure rates"), "{}", text(5));
    assert!(text(7).starts_with("r0, r1, r2, r3, r4 and 2 more: failure rates"), "{}", text(7));
}

/// One run each side, short and beside other work, at one rate: ten times quicker is better, whatever cannot tell.
#[test]
fn a_tenfold_gain_is_better_with_one_run_each() {
    let mut random = Random::new(11);
    let paced = |random: &mut Random, slowness: f64| {
        let mut run = run(random, System { slowness, ..QUIET }, 4_000);
        (run.is_paced, run.hold_s, run.is_disturbed) = (true, 10.0, true);
        for figures in run.requests.values_mut().chain([&mut run.total]) {
            figures.values.set(Metric::Throughput, Some(figures.count as f64 / 10.0));
        }
        run
    };
    let (before, after) = (paced(&mut random, 1.0), paced(&mut random, 0.1));
    let answer = ask(std::slice::from_ref(&before), std::slice::from_ref(&after), &[]);
    assert_eq!((answer.conclusion(), answer.is_weak()), (Conclusion::Better, true), "{answer:#?}");
    let p95 = |row: &&Row| row.metric == Metric::ResponseP95;
    assert!(answer.rows.iter().filter(p95).all(|row| row.said == Conclusion::Better), "{answer:#?}");
    let cannot_tell = |row: &&Row| matches!(row.metric, Metric::Throughput | Metric::Bytes);
    assert_eq!(answer.rows.iter().filter(cannot_tell).count(), 0);
    assert_eq!(answer.silent, 2 * 4, "two metrics of the total and three requests");
    assert_eq!(answer.family, answer.rows.len(), "what cannot tell costs the others nothing");
    let back = ask(&[after], &[before], &[]);
    assert_eq!(back.conclusion(), Conclusion::Worse);
}

#[test]
fn throughput_and_bytes_stand_where_they_tell() {
    let mut random = Random::new(12);
    let mut pair = || {
        let mut run = run(&mut random, QUIET, 40_000);
        run.is_paced = true;
        run
    };
    let (before, mut after) = (pair(), pair());
    let has = |answer: &Comparison, metric: Metric| answer.rows.iter().any(|row| row.metric == metric);
    let home = |run: &mut Measured, metric: Metric, factor: f64| {
        let figures = run.requests.get_mut("home").unwrap();
        for values in std::iter::once(&mut figures.values).chain(&mut figures.blocks) {
            values.set(metric, values.get(metric).map(|value| value * factor));
        }
    };
    let answer = ask(std::slice::from_ref(&before), std::slice::from_ref(&after), &[]);
    assert!(!has(&answer, Metric::Throughput) && !has(&answer, Metric::Bytes));
    home(&mut after, Metric::Throughput, 0.6);
    home(&mut after, Metric::Bytes, 2.0);
    let answer = ask(std::slice::from_ref(&before), std::slice::from_ref(&after), &[]);
    let of_home = |metric: Metric| answer.rows.iter().find(|row| row.request == "home" && row.metric == metric);
    assert_eq!(of_home(Metric::Throughput).map(|row| row.said), Some(Conclusion::Worse), "it did not keep the rate");
    assert_eq!(of_home(Metric::Bytes).map(|row| row.said), Some(Conclusion::Changed));
    let asked = compare(&Question {
        before: std::slice::from_ref(&before),
        after: std::slice::from_ref(&before),
        history: &[],
        metrics: &[Metric::Throughput, Metric::Bytes],
        only: &[],
        margin: MARGIN,
        failure_margin: FAILURES,
    });
    assert!(has(&asked, Metric::Throughput) && has(&asked, Metric::Bytes) && asked.silent == 0, "who asks is told");
}
