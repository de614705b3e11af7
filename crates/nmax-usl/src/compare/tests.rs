//! Tests of comparisons.

use super::*;
use crate::analysis::analyse;
use crate::law::Usl;
use crate::observation::Observation;
use crate::options::Options;
use crate::random::Random;

const LEVELS: [f64; 8] = [1.0, 2.0, 4.0, 8.0, 16.0, 24.0, 32.0, 48.0];

fn version(name: &str, law: &Usl, sd: f64, random: &mut Random) -> (String, Analysis) {
    let observe = |(i, &n): (usize, &f64)| Observation {
        n,
        x: law.throughput_at(n) * random.lognormal(sd),
        r_s: None,
        weight: 1.0,
        row: i + 1,
        count: None,
    };
    let data: Vec<Observation> = LEVELS.iter().enumerate().map(observe).collect();
    (name.to_owned(), analyse(&data, &Options::default()))
}

const BEFORE: Usl = Usl { contention: 0.05, coherency: 5e-4, unit_throughput: 1000.0 };

fn change(comparison: &Comparison, name: &str) -> (Change, String) {
    let found = comparison.differences.iter().find(|difference| difference.quantity.name() == name);
    let found = found.unwrap_or_else(|| panic!("{name} is not compared"));
    (found.change, found.text.clone())
}

#[test]
fn a_patch_that_removes_contention_is_seen() {
    let mut random = Random::new(1);
    let after = Usl { contention: 0.02, ..BEFORE };
    let versions = [version("before", &BEFORE, 0.01, &mut random), version("after", &after, 0.01, &mut random)];
    let comparison = compare(&versions);
    let (alpha, text) = change(&comparison, "alpha");
    assert_eq!(alpha, Change::Fell);
    assert!(
        text.starts_with("Contention α fell from 0.0") && text.contains(", by 0.0") && text.contains("(95 %: "),
        "{text}"
    );
    let (beta, text) = change(&comparison, "beta");
    assert_eq!(beta, Change::NotSeen, "{text}");
    assert!(text.contains("no difference that these data can show"), "{text}");
    assert_eq!(change(&comparison, "gamma").0, Change::NotSeen);
    assert_eq!(change(&comparison, "throughput").0, Change::Rose);
    assert_eq!(comparison.caveats, <[String; 0]>::default());
    let names: Vec<&str> = comparison.versions.iter().map(|version| version.name.as_str()).collect();
    assert_eq!(names, ["before", "after"]);
}

/// γ is compared as a ratio, and the interval holds the true one.
#[test]
fn a_faster_unit_is_a_ratio() {
    let mut random = Random::new(5);
    let after = Usl { unit_throughput: 1500.0, ..BEFORE };
    let comparison = compare(&[version("a", &BEFORE, 0.01, &mut random), version("b", &after, 0.01, &mut random)]);
    let gamma = comparison.differences.iter().find(|d| d.quantity == Quantity::UnitThroughput).expect("compared");
    assert_eq!(gamma.change, Change::Rose);
    let (low, high) = (gamma.difference.low.expect("an end"), gamma.difference.high.expect("an end"));
    assert!(low < 0.5 && 0.5 < high && high - low < 0.2, "{low} to {high}");
    assert!((gamma.after / gamma.before - 1.0 - gamma.difference.estimate).abs() < 1e-12);
}

/// Law: of intervals at 95 %, one in 20 misses; the sum of variances of independent fits is that of the difference.
#[test]
fn the_same_system_twice_rarely_differs() {
    let mut random = Random::new(9);
    let mut seen = [0; 4];
    const PAIRS: usize = 400;
    for _ in 0..PAIRS {
        let comparison = compare(&[version("a", &BEFORE, 0.03, &mut random), version("b", &BEFORE, 0.03, &mut random)]);
        for (count, difference) in seen.iter_mut().zip(&comparison.differences) {
            *count += usize::from(difference.change != Change::NotSeen);
        }
    }
    // 20 are expected, with a deviation of 4.4; Welch's degrees of freedom are a little cautious.
    assert!(seen.iter().all(|count| (4..=34).contains(count)), "{seen:?} of {PAIRS}");
}

#[test]
fn degrees_of_freedom_by_welch() {
    // Equal variances and sizes give the sum; one variance alone gives its own.
    let (_, df) = half_width(2.0, 7.0, 2.0, 7.0).expect("finite");
    assert!((df - 14.0).abs() < 1e-12);
    let (half, df) = half_width(4.0, 5.0, 0.0, 9.0).expect("finite");
    assert!((df - 5.0).abs() < 1e-12);
    assert!((half - 2.0 * crate::quantile::student_t(0.975, 5.0)).abs() < 1e-9);
    assert_eq!(half_width(0.0, 5.0, 0.0, 5.0), Some((0.0, 5.0)));
}

#[test]
fn what_cannot_be_compared_is_said() {
    let mut random = Random::new(3);
    let good = version("good", &BEFORE, 0.01, &mut random);
    let empty = ("empty".to_owned(), analyse(&[], &Options::default()));
    let mut cold = good.1.observations.clone();
    cold[0].x *= 0.7;
    let prison = ("prison".to_owned(), analyse(&cold, &Options::default()));
    let comparison = compare(&[good, empty, prison]);
    assert_eq!(comparison.versions.len(), 3);
    assert!(comparison.differences.iter().all(|d| d.to == "prison" && d.change == Change::Unknown), "{comparison:?}");
    assert!(comparison.differences[0].text.contains("nothing is concluded, since findings block prison"));
    assert_eq!(comparison.caveats.len(), 2, "{:?}", comparison.caveats);
    assert!(comparison.caveats[0].contains("empty has no fit"));
    assert_eq!(compare(&[]).versions, []);
}
