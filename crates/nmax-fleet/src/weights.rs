//! How large the part of each injector is.

/// Weight of the strongest injector where they differ.
const HEAVIEST: u32 = 100;
/// Injectors whose capacities differ by less than this part of the largest are taken for equals: a calibration of 2 s is
/// no better.
const EQUAL: f64 = 0.1;

/// Weights of injectors that can send so many requests per second; equal ones where none differs by a tenth. Each is at
/// least 1, so that every injector that was asked for takes part.
pub fn weights(capacities: &[u32]) -> Vec<u32> {
    let most = f64::from(capacities.iter().copied().max().unwrap_or(0).max(1));
    let is_equal = capacities.iter().all(|&capacity| f64::from(capacity) >= most * (1.0 - EQUAL));
    let of = |&capacity: &u32| match is_equal {
        true => 1,
        false => ((f64::from(capacity) / most * f64::from(HEAVIEST)).round() as u32).max(1),
    };
    capacities.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use nmax_plan::share::Share;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Law: whatever injectors can do, their shares of n iterations sum to n, and each is within one cycle of its capacity.
        #[test]
        fn shares_by_capacity_sum_to_the_plan(capacities in prop::collection::vec(0..1_000_000_u32, 1..200), n in 0..10_000_000_u64) {
            let weights = weights(&capacities);
            let of = |index| Share::for_injector(index as u32, &weights).unwrap().count_below(n);
            prop_assert_eq!((0..weights.len()).map(of).sum::<u64>(), n);
            prop_assert!(weights.iter().all(|&weight| (1..=HEAVIEST).contains(&weight)));
        }
    }

    #[test]
    fn equals_have_equal_parts_and_the_weaker_less() {
        assert_eq!(weights(&[1000, 950, 920]), [1, 1, 1]);
        assert_eq!(weights(&[50_000, 25_000, 0]), [100, 50, 1]);
        assert_eq!((weights(&[]), weights(&[0])), (vec![], vec![1]));
    }
}
