use proptest::prelude::*;

use super::*;

proptest! {
    /// Law: demand(capacity(n)) ≤ n, and what is demanded was measured to do the load.
    #[test]
    fn demand_and_capacity_are_consistent(rows in prop::collection::vec((1..40_u32, 1.0..1e4_f64), 1..40)) {
        let rows = rows.into_iter().zip(1..);
        let observations = rows.map(|((n, x), row)| {
            Observation { n: f64::from(n), x, r_s: None, weight: 1.0, row, count: None }
        });
        let observations: Vec<Observation> = observations.collect();
        let table = capacities(&observations);
        for (n, capacity) in &table {
            prop_assert!(demand(&table, *capacity).unwrap() <= *n);
            prop_assert!(observations.iter().filter(|one| one.n == *n).all(|one| one.x >= *capacity));
        }
        prop_assert_eq!(demand(&table, 1e5), None);
    }
}
