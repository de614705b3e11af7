//! Choices and pauses: made by the place, and by nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nmax_metrics::Nanos;
use nmax_plan::plan::{Branch, Plan, Step};
use nmax_testkit::sim::Simulated;

use super::{get, plan, repeat, run, sent_once, targets, think};

/// Three ways by chance: 70, 25 and 5 of 100.
fn chances(keys: &str) -> Arc<Plan> {
    let way = |weight, path: &str| Branch { weight, steps: vec![get(&format!("{path}?n=${{iteration}}"))] };
    let choose = Step::Choose(vec![way(70.0, "/a"), way(25.0, "/b"), way(5.0, "/c")]);
    plan(vec![choose, think(10, 50), get("/end?n=${iteration}")], &[], keys)
}

/// What each iteration asked for, by its number.
fn by_iteration(run: &Simulated) -> BTreeMap<u64, Vec<String>> {
    let mut found: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for target in targets(&run.transcript) {
        let number = target.split("n=").nth(1).unwrap().parse().unwrap();
        found.entry(number).or_default().push(target);
    }
    found
}

/// Law: shares follow the weights within four standard deviations, and are made by the place, not by who comes first.
#[test]
fn chance_follows_weights_and_nothing_else() {
    let keys = "seed: 11\nworkload: { open: { rate: 500/s } }\nduration: 20s";
    let one = run(&chances(keys), 1);
    let found = by_iteration(&one);
    assert_eq!(found.len(), 10_000);
    for (path, share) in [("/a", 0.7), ("/b", 0.25), ("/c", 0.05)] {
        let taken = found.values().flatten().filter(|target| target.starts_with(path)).count() as f64;
        let deviation = (10_000.0_f64 * share * (1.0 - share)).sqrt();
        let expected = 10_000.0 * share;
        assert!((taken - expected).abs() < 4.0 * deviation, "{path}: {taken} of {expected}");
    }
    assert_eq!(found, by_iteration(&run(&chances(keys), 3)), "three workers choose the same");
    let other = keys.replace("11", "12");
    assert_ne!(found, by_iteration(&run(&chances(&other), 1)));
}

/// Every pass of a loop makes its own choices.
#[test]
fn passes_differ_in_their_pauses() {
    let (_, run) = sent_once(vec![repeat("50", vec![think(0, 100), get("/a")])], &[]);
    let gaps: BTreeSet<Nanos> =
        run.raw.windows(2).map(|pair| pair[1].sample.intended.since(pair[0].sample.done)).collect();
    assert_eq!(gaps.len(), 49, "no two pauses are the same");
}
