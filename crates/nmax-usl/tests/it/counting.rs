//! Small counts: what scatters as much as so few completions do is no finding.

use nmax_usl::random::Random;
use nmax_usl::{Analysis, Code, Effect, Observation, Options, Usl, analyse};

/// Runs of `seconds` each: N, and the completions of its runs.
fn runs(levels: &[(f64, &[u64])], seconds: f64, counted: bool) -> Vec<Observation> {
    let mut all = Vec::new();
    for (n, counts) in levels {
        for count in *counts {
            all.push(Observation {
                n: *n,
                x: *count as f64 / seconds,
                r_s: None,
                weight: 1.0,
                row: all.len() + 1,
                count: counted.then_some(*count),
            });
        }
    }
    all
}

fn has(analysis: &Analysis, code: Code) -> bool {
    analysis.findings.iter().any(|finding| finding.code == code)
}

/// 29, 44 and 35 completions are one load, seen three times for two seconds; without their numbers nobody can tell.
#[test]
fn replicates_of_few_completions_agree() {
    let levels: [(f64, &[u64]); 6] = [
        (1.0, &[29, 44, 35]),
        (2.0, &[72, 71, 72]),
        (4.0, &[142, 141, 143]),
        (8.0, &[271, 270, 273]),
        (16.0, &[440, 443, 438]),
        (32.0, &[490, 492, 488]),
    ];
    let judged = |counted| analyse(&runs(&levels, 2.0, counted), &Options::default());
    for code in [Code::NonStationary, Code::ReplicateSpread] {
        assert!(has(&judged(false), code), "{}", code.name());
        assert!(!has(&judged(true), code), "{}", code.name());
    }
    // A hundred times as many completions are two states of the system.
    let many: Vec<Vec<u64>> =
        levels.iter().map(|(_, counts)| counts.iter().map(|count| 100 * count).collect()).collect();
    let many: Vec<(f64, &[u64])> = levels.iter().zip(&many).map(|((n, _), counts)| (*n, counts.as_slice())).collect();
    assert!(has(&analyse(&runs(&many, 200.0, true), &Options::default()), Code::NonStationary));
}

/// 46 completions at N = 1 do not say that eight do more than eight times as much.
#[test]
fn a_small_count_at_one_accuses_nobody() {
    let levels: [(f64, &[u64]); 4] =
        [(1.0, &[15, 15, 16]), (2.0, &[40, 41, 40]), (4.0, &[82, 83, 84]), (8.0, &[168, 169, 168])];
    let over = |counted| has(&analyse(&runs(&levels, 1.0, counted), &Options::default()), Code::EfficiencyOverOne);
    assert!(over(false));
    assert!(!over(true));
}

/// A dip that counts so small have by themselves makes no peak.
#[test]
fn a_peak_of_small_counts_is_none() {
    let levels: [(f64, &[u64]); 5] =
        [(1.0, &[20, 20, 20]), (2.0, &[36, 36, 36]), (4.0, &[60, 60, 60]), (8.0, &[66, 66, 66]), (16.0, &[58, 58, 58])];
    let peak = |counted| analyse(&runs(&levels, 1.0, counted), &Options::default()).observed_peak;
    assert!(peak(false).is_some());
    assert!(peak(true).is_none());
}

/// Independent completions of one law: hardly ever is anything of them blocked, however few they are.
#[test]
fn counts_of_a_law_are_seldom_accused() {
    let law = Usl { contention: 0.03, coherency: 0.001, unit_throughput: 15.0 };
    let mut random = Random::new(5);
    let (mut counted, mut uncounted) = (0, 0);
    for _ in 0..200 {
        let mut levels = Vec::new();
        for n in [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0] {
            let mean = 2.0 * law.throughput_at(n);
            let mut draw = || (mean + mean.sqrt() * random.normal()).round().max(1.0) as u64;
            levels.push((n, [draw(), draw(), draw()]));
        }
        let levels: Vec<(f64, &[u64])> = levels.iter().map(|(n, counts)| (*n, counts.as_slice())).collect();
        let is_blocked = |counted| {
            let findings = analyse(&runs(&levels, 2.0, counted), &Options::default()).findings;
            usize::from(findings.iter().any(|finding| finding.effect == Effect::Block))
        };
        counted += is_blocked(true);
        uncounted += is_blocked(false);
    }
    assert!(counted <= 4, "{counted} of 200");
    assert!(uncounted > 3 * counted + 3, "{uncounted} of 200 without their counts");
}
