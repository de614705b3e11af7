//! Tests of the whole answer: it never fails, and no number in it is NaN.

use proptest::prelude::*;

use super::*;
use crate::finding::{Code, Effect};
use crate::fit::Method;
use crate::law::Usl;
use crate::options::Demand;
use crate::random::Random;

fn row((n, x, r_s, weight): (f64, f64, Option<f64>, f64), row: usize) -> Observation {
    Observation { n, x, r_s, weight, row, count: None }
}

/// No NaN anywhere, infinities only in AICc, and a largest throughput and a gate in every answer.
#[track_caller]
fn is_sound(analysis: &Analysis) {
    let mut told = analysis.clone();
    for rung in &mut told.ladder {
        assert!(!rung.aicc.is_nan() && !rung.delta.is_nan());
        rung.aicc = 0.0;
        rung.delta = 0.0;
    }
    // What was given is repeated as it was given.
    told.options = Options::default();
    let text = format!("{told:?}");
    for bad in ["NaN", "inf,", "inf)"] {
        let around = text.find(bad).map(|at| text[..at].chars().rev().take(80).collect::<String>());
        let around = around.map(|reversed| reversed.chars().rev().collect::<String>());
        assert_eq!(around, None, "{bad}");
    }
    assert_eq!(analysis.best.is_some(), !analysis.observations.is_empty());
    assert_eq!(analysis.gate.len(), 7);
    assert!(
        analysis.meaning.iter().all(|sentence| sentence.len() > 10 && sentence.ends_with('.')),
        "{:?}",
        analysis.meaning
    );
    if let Some((_, x)) = analysis.best {
        assert!(analysis.meaning[0].contains(&wording::number(x)));
    }
    let may_peak = analysis.gate.iter().all(|hold| hold.holds);
    assert!(may_peak || analysis.peak.is_none());
    if analysis.fit.is_none() {
        assert!(analysis.findings.iter().any(|finding| finding.effect == Effect::Block), "{:?}", analysis.findings);
    }
}

fn any_value() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => 1e-3..1e4_f64,
        2 => (1..20_u32).prop_map(f64::from),
        1 => any::<f64>(),
        1 => prop::sample::select(vec![0.0, -0.0, 1.0, -1.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE, f64::MAX, 1e-12, 1e9, 1e15]),
    ]
}

fn any_method() -> impl Strategy<Value = Method> {
    prop::sample::select(Method::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Any table gives an answer without NaN.
    #[test]
    fn any_table_has_an_answer(
        values in prop::collection::vec((any_value(), any_value(), prop::option::of(any_value()), any_value()), 0..50),
        method in any_method(),
        think_s in any_value(),
        demand_s in prop::option::of((any_value(), prop::option::of(any_value()), prop::option::of(any_value()))),
        has_weights in any::<bool>(),
    ) {
        let data: Vec<Observation> = values
            .into_iter()
            .enumerate()
            .map(|(i, (n, x, r_s, weight))| row((n, x, r_s, if has_weights { weight } else { 1.0 }), i + 1))
            .collect();
        let demand = demand_s.map(|(estimate, low, high)| Demand {
            name: "cpu".to_owned(),
            seconds: Estimate { estimate, low, high, at_bound: false },
        });
        let analysis = analyse(&data, &Options { method, think_s, demand, saturated: vec![1, 3], ..Options::default() });
        is_sound(&analysis);
        prop_assert_eq!(analysis.observations.len() + analysis.left_out.len(), data.len());
        prop_assert_eq!(analysis.points.len(), analysis.observations.len());
    }

    /// So does any table that looks like measurements, with few different values.
    #[test]
    fn tables_of_few_values_have_an_answer(
        values in prop::collection::vec((1..6_u32, 1..4_u32), 0..12),
        method in any_method(),
    ) {
        let data: Vec<Observation> = values
            .into_iter()
            .enumerate()
            .map(|(i, (n, x))| row((f64::from(n), f64::from(x), None, 1.0), i + 1))
            .collect();
        is_sound(&analyse(&data, &Options { method, ..Options::default() }));
    }

    /// The order of rows does not matter to anything but row numbers.
    #[test]
    fn order_does_not_matter(seed in any::<u64>()) {
        let law = Usl { contention: 0.03, coherency: 5e-4, unit_throughput: 100.0 };
        let mut random = Random::new(seed);
        let mut data: Vec<Observation> = [1.0, 3.0, 7.0, 15.0, 30.0, 60.0, 90.0]
            .into_iter()
            .enumerate()
            .map(|(i, n)| row((n, law.throughput_at(n) * random.lognormal(0.02), None, 1.0), i + 1))
            .collect();
        let straight = analyse(&data, &Options::default());
        random.shuffle(&mut data);
        let shuffled = analyse(&data, &Options::default());
        prop_assert_eq!(straight, shuffled);
    }

    /// Another unit of throughput changes throughputs alone.
    #[test]
    fn units_of_throughput_do_not_decide(factor in 1e-3..1e3_f64, seed in any::<u64>()) {
        let law = Usl { contention: 0.03, coherency: 5e-4, unit_throughput: 100.0 };
        let mut random = Random::new(seed);
        let data: Vec<Observation> = [1.0, 3.0, 7.0, 15.0, 30.0, 60.0, 90.0]
            .into_iter()
            .enumerate()
            .map(|(i, n)| row((n, law.throughput_at(n) * random.lognormal(0.02), None, 1.0), i + 1))
            .collect();
        let other: Vec<Observation> = data.iter().map(|o| Observation { x: o.x * factor, ..o.clone() }).collect();
        let (a, b) = (analyse(&data, &Options::default()), analyse(&other, &Options::default()));
        prop_assert_eq!((a.class, a.winner, a.contention_sign), (b.class, b.winner, b.contention_sign));
        let codes = |analysis: &Analysis| analysis.findings.iter().map(|finding| finding.code).collect::<Vec<_>>();
        prop_assert_eq!(codes(&a), codes(&b));
        if let (Some(a), Some(b)) = (a.peak, b.peak) {
            let (n, x) = (b.concurrency.estimate / a.concurrency.estimate, b.throughput.estimate / a.throughput.estimate);
            prop_assert!((n - 1.0).abs() < 1e-6 && (x / factor - 1.0).abs() < 1e-6);
        }
    }
}

/// Each class from data made of it, at a size where AICc lets it lead.
#[test]
fn classes_of_known_systems() {
    use super::Class::{A, B, C, D};
    let levels = [1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0];
    let cases = [(0.0, 0.0, A), (0.05, 0.0, B), (0.0, 1e-3, C), (0.05, 1e-3, D)];
    for (alpha, beta, class) in cases {
        let law = Usl { contention: alpha, coherency: beta, unit_throughput: 100.0 };
        let mut random = Random::new(7);
        let runs = levels.iter().flat_map(|n| [*n; 3]);
        let data: Vec<Observation> = runs
            .enumerate()
            .map(|(i, n)| row((n, law.throughput_at(n) * random.lognormal(0.005), None, 1.0), i + 1))
            .collect();
        let analysis = analyse(&data, &Options::default());
        assert_eq!(analysis.class, Some(class), "{}", analysis.class_text);
        assert!(analysis.class_text.contains(&format!("Class {class:?}")));
    }
}

/// Replicates are averaged only to be shown: the largest throughput is the largest mean.
#[test]
fn the_largest_throughput_is_a_mean_of_replicates() {
    let data: Vec<Observation> = [(1.0, 10.0), (2.0, 30.0), (2.0, 10.0), (3.0, 25.0), (3.0, 25.0)]
        .into_iter()
        .enumerate()
        .map(|(i, (n, x))| row((n, x, None, 1.0), i + 1))
        .collect();
    let analysis = analyse(&data, &Options::default());
    assert_eq!(analysis.best, Some((3.0, 25.0)));
    assert!(analysis.meaning[0].contains("mean of 2 runs"), "{}", analysis.meaning[0]);
}

#[test]
fn a_hundred_thousand_rows_have_an_answer() {
    let law = Usl { contention: 0.03, coherency: 5e-6, unit_throughput: 100.0 };
    let mut random = Random::new(2);
    let data: Vec<Observation> = (1..=100_000)
        .map(|i| {
            let n = f64::from(i) / 100.0 + 1.0;
            row((n, law.throughput_at(n) * random.lognormal(0.05), Some(0.1), 1.0), i as usize)
        })
        .collect();
    let analysis = analyse(&data, &Options::default());
    assert_eq!(analysis.points.len(), 100_000);
    assert!(analysis.findings.iter().any(|finding| finding.code == Code::LittleResidual));
}
