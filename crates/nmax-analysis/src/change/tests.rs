use proptest::prelude::*;

use super::*;

/// The log-likelihood of a change at `at`, straight from the definition.
fn brute(sequence: &[bool], at: usize) -> f64 {
    let part = |part: &[bool]| {
        let share = part.iter().filter(|yes| **yes).count() as f64 / part.len() as f64;
        let of = |yes: &bool| if *yes { share.ln() } else { (1.0 - share).ln() };
        part.iter().map(of).sum::<f64>()
    };
    part(&sequence[..at]) + part(&sequence[at..])
}

proptest! {
    /// Oracle: no other change for good is more likely.
    #[test]
    fn the_change_is_the_most_likely(sequence in prop::collection::vec(prop::bool::weighted(0.6), 6..60)) {
        let share = |part: &[bool]| part.iter().filter(|yes| **yes).count() as f64 / part.len() as f64;
        let possible = |at: &usize| {
            let after = share(&sequence[*at..]);
            after >= 0.8 && (*at == 0 || share(&sequence[..*at]) <= after / 2.0)
        };
        let best = (0..sequence.len() - 2).filter(possible).map(|at| brute(&sequence, at)).reduce(f64::max);
        match (change(&sequence), best) {
            (None, None) => {}
            (Some(found), Some(best)) => {
                prop_assert!((brute(&sequence, found.at) - best).abs() < 1e-9);
                prop_assert!(found.low <= found.at && found.at <= found.high);
            }
            (found, best) => prop_assert!(false, "{found:?}, but {best:?}"),
        }
    }

    /// Law: a clean change is found where it is.
    #[test]
    fn a_clean_change_is_exact(before in 0..100_usize, after in 3..100_usize) {
        let sequence: Vec<bool> = (0..before + after).map(|place| place >= before).collect();
        prop_assert_eq!(change(&sequence).map(|found| found.at), Some(before));
    }
}

#[test]
fn single_places_move_nothing() {
    let mut sequence: Vec<bool> = (0..200).map(|place| place >= 120).collect();
    for spike in [3, 40, 41, 90] {
        sequence[spike] = true;
    }
    sequence[150] = false;
    let found = change(&sequence).unwrap();
    assert_eq!(found.at, 120);
    assert!(found.low >= 119 && found.high <= 121, "{found:?}");
}

#[test]
fn what_comes_back_is_no_change_for_good() {
    let there_and_back: Vec<bool> = (0..100).map(|place| (30..60).contains(&place)).collect();
    assert_eq!(change(&there_and_back), None);
    assert_eq!(change(&[false; 50]), None);
    assert_eq!(change(&[false, false, true, true]), None, "two places are too few");
    assert_eq!(change(&[]), None);
}

/// The logistic law with its own scale and 1 % of outliers: the interval contains its crossing in most runs.
#[test]
fn intervals_cover_the_crossing() {
    for gradual in [0.3, 3.0, 10.0] {
        let wanted = 120.0;
        let covers = |seed: &u64| {
            let mut random = crate::tests::simulate::Random::new(*seed);
            let place = |place: usize| {
                let load = place as f64;
                let turned = random.uniform() < 1.0 / (1.0 + (-(load - wanted) / gradual).exp());
                (load, turned != (random.uniform() < 0.01))
            };
            let sequence: Vec<_> = (0..200).map(place).collect();
            crossing(&sequence).is_some_and(|found| found.low <= wanted && wanted <= found.high)
        };
        let covered = (0..100).filter(covers).count();
        assert!(covered >= 90, "{gradual}: {covered} of 100");
    }
}

#[test]
fn what_is_beyond_from_the_beginning_crosses_there() {
    let sequence: Vec<_> = (1..50).map(|load| (f64::from(load), true)).collect();
    assert_eq!(crossing(&sequence).map(|found| found.at), Some(1.0));
    assert_eq!(crossing(&[]), None);
}
