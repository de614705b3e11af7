use proptest::prelude::*;

use super::*;

fn weights() -> impl Strategy<Value = Vec<f64>> {
    let weight = prop_oneof![Just(0.0), (1..40_u32).prop_map(f64::from), 1e-3..1e3_f64];
    prop::collection::vec(weight, 1..6)
        .prop_filter("something is picked", |weights| weights.iter().any(|&weight| weight > 0.0))
}

/// How often each scenario comes up.
fn tally(scenarios: usize, picks: impl Iterator<Item = usize>) -> Vec<u32> {
    let mut counts = vec![0; scenarios];
    for pick in picks {
        counts[pick] += 1;
    }
    counts
}

fn planned(mix: &Mix, scenarios: usize) -> Vec<u32> {
    (0..scenarios).map(|index| mix.count(index)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Law: an aligned cycle of an open workload has exactly the planned counts.
    #[test]
    fn open_cycles_are_exact(weights in weights(), seed: u64, cycle in 0..1_u64 << 40) {
        let mix = Mix::new(&weights).unwrap();
        let length = u64::from(mix.cycle());
        let picks = (cycle * length..(cycle + 1) * length).map(|n| mix.pick_open(seed, n));
        prop_assert_eq!(tally(weights.len(), picks), planned(&mix, weights.len()));
    }

    /// Law: so have the iterations of one VU, and the VUs in one round.
    #[test]
    fn closed_rounds_are_exact(weights in weights(), seed: u64, vu in 0..1_u64 << 40, iteration in 0..1_u64 << 40) {
        let mix = Mix::new(&weights).unwrap();
        let length = u64::from(mix.cycle());
        let planned = planned(&mix, weights.len());
        let of_vu = (iteration..iteration + length).map(|iteration| mix.pick_closed(seed, vu, iteration));
        prop_assert_eq!(&tally(weights.len(), of_vu), &planned);
        let of_round = (vu..vu + length).map(|vu| mix.pick_closed(seed, vu, iteration));
        prop_assert_eq!(&tally(weights.len(), of_round), &planned);
    }

    /// Law: counts follow the weights; zero means never, above zero means sometimes.
    #[test]
    fn counts_follow_weights(weights in weights()) {
        let mix = Mix::new(&weights).unwrap();
        let sum: f64 = weights.iter().sum();
        prop_assert_eq!((0..weights.len()).map(|index| mix.count(index)).sum::<u32>(), mix.cycle());
        prop_assert!(mix.cycle() <= CYCLE_MAX);
        for (index, &weight) in weights.iter().enumerate() {
            let fair = weight / sum * f64::from(mix.cycle());
            let error = (f64::from(mix.count(index)) - fair).abs();
            // A scenario that is lifted to one place takes it from another one.
            prop_assert!(error <= weights.len() as f64, "{} places, fair are {}", mix.count(index), fair);
            prop_assert_eq!(mix.count(index) == 0, weight == 0.0);
        }
    }

    /// Law: a permutation of any size reaches every place once.
    #[test]
    fn permutations_are_bijective(key: u64, size in 1..600_u32) {
        let mut places: Vec<u32> = (0..size).map(|place| permute(key, place, size)).collect();
        places.sort_unstable();
        prop_assert_eq!(places, (0..size).collect::<Vec<_>>());
    }
}

#[test]
fn cycles_are_short() {
    // weights, counts of one cycle, why this row
    let cases: [(&[f64], &[u32], &str); 7] = [
        (&[90.0, 10.0], &[9, 1], "a common divisor goes away"),
        (&[1.0, 1.0, 1.0], &[1, 1, 1], "thirds are exact"),
        (&[1.0 / 3.0, 2.0 / 3.0], &[1, 2], "also when they are written as reals"),
        (&[33.3, 33.3, 33.4], &[333, 333, 334], "decimals are scaled"),
        (&[7.0], &[1], "one scenario is always picked"),
        (&[0.0, 5.0, 0.0], &[0, 1, 0], "zero is never picked"),
        (&[1e-9, 1.0], &[1, 9_999], "above zero is picked sometimes"),
    ];
    for (weights, counts, why) in cases {
        let mix = Mix::new(weights).unwrap();
        assert_eq!(planned(&mix, weights.len()), counts, "{why}: {weights:?}");
    }
    let mix = Mix::new(&[std::f64::consts::PI, std::f64::consts::E]).unwrap();
    assert_eq!((mix.count(0), mix.count(1)), (5_361, 4_639), "π / (π + e) = 0.53612, rounded");
}

#[test]
fn orders_depend_on_seed_and_cycle() {
    let mix = Mix::new(&[50.0, 49.0]).unwrap();
    let order = |seed, cycle: u64| (0..99).map(|n| mix.pick_open(seed, cycle * 99 + n)).collect::<Vec<_>>();
    assert_eq!(order(1, 0), order(1, 0));
    assert_ne!(order(1, 0), order(2, 0));
    assert_ne!(order(1, 0), order(1, 1));
}

#[test]
fn open_picks_do_not_repeat_their_neighbour_too_often() {
    // In a random order of halves, about half of the neighbours are equal.
    let mix = Mix::new(&[501.0, 500.0]).unwrap();
    let picks: Vec<usize> = (0..20_000).map(|n| mix.pick_open(5, n)).collect();
    let equal = picks.windows(2).filter(|pair| pair[0] == pair[1]).count();
    assert!((9_600..10_400).contains(&equal), "{equal} of 19999");
}

#[test]
fn impossible_mixes_are_refused() {
    assert_eq!(Mix::new(&[]), Err(MixError::NoWeight));
    assert_eq!(Mix::new(&[0.0, 0.0]), Err(MixError::NoWeight));
    assert_eq!(Mix::new(&[1.0, -1.0]), Err(MixError::NotAWeight { index: 1, weight: -1.0 }));
    assert!(matches!(Mix::new(&[f64::NAN]), Err(MixError::NotAWeight { index: 0, .. })));
    assert!(matches!(Mix::new(&[f64::INFINITY]), Err(MixError::NotAWeight { index: 0, .. })));
    assert_eq!(Mix::new(&vec![1.0; 10_001]), Err(MixError::TooMany { count: 10_001 }));
    assert_eq!(Mix::new(&[f64::MAX, f64::MAX]).unwrap().cycle(), 2, "large weights do not overflow");
}
