use proptest::prelude::*;

use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Law: the shares of all slots add up to the weights.
    #[test]
    fn slots_add_up_to_the_weights(mut weights in prop::collection::vec(0..1_000_000_u64, 1..200)) {
        weights[0] += 1;
        let total: u64 = weights.iter().sum();
        let table = Alias::new(&weights);
        let mut share = vec![0.0; weights.len()];
        for (own, slot) in table.slots.iter().enumerate() {
            let keep = f64::from(slot.keep_below) / f64::powi(2.0, 32);
            share[own] += keep;
            share[slot.other as usize] += 1.0 - keep;
        }
        for (share, weight) in share.iter().zip(&weights) {
            let want = *weight as f64 / total as f64;
            let got = share / weights.len() as f64;
            prop_assert!((got - want).abs() < 1e-7, "{} is not {}", got, want);
        }
    }

    /// Law: what has no weight is never drawn.
    #[test]
    fn no_weight_is_never_drawn(word: u64, at in 0..5_usize) {
        let mut weights = [3, 1, 4, 1, 5];
        weights[at] = 0;
        prop_assert_ne!(Alias::new(&weights).pick(word), at);
    }
}
