use proptest::prelude::*;

use super::*;
use crate::tests::close;

/// A tier of nodes that do 1000/s each.
pub(super) fn tier(alpha: f64, beta: f64) -> Tier {
    Tier { price_per_h: Some(0.5), ..crate::tests::tier(1000.0, alpha, beta) }
}

#[test]
fn average_and_marginal_cost_of_nodes() {
    let rows = [
        (1, 1000.0, 0.5, 0.515_729_8),
        (10, 7604.563, 0.6575, 0.939_796_2),
        (20, 11_363.636, 0.88, 2.011_429),
        (30, 13_015.184, 1.1525, 5.108_678),
        (44, 13_597.033, 1.618, 2617.924),
    ];
    for (n, capacity, average, marginal) in rows {
        let found = unit_cost(&tier(0.03, 0.0005), n, 0.5);
        close(found.capacity_per_s, capacity);
        close(1000.0 * found.average, average);
        close(1000.0 * found.marginal.unwrap(), marginal);
    }
    assert_eq!(unit_cost(&tier(0.03, 0.0005), 45, 0.5).marginal, None);
}

#[test]
fn the_most_profitable_number_of_nodes() {
    let found = profit_optimum(&tier(0.03, 0.0005), 0.5, 0.0025).unwrap();
    close(found.at, 22.577_85);
    assert_eq!(found.nodes, 23);
    close(found.profit, 18.557_50);
    close(0.0025 * tier(0.03, 0.0005).capacity(22, End::Estimate) - 0.5 * 22.0, 18.554_00);
    close(profit_optimum(&tier(0.03, 0.0005), 0.5, 0.001).unwrap().at, 10.870_27);
    close(profit_optimum(&tier(0.03, 0.0), 0.5, 0.0025).unwrap().at, 41.075_72);
    assert_eq!(profit_optimum(&tier(0.03, 0.0005), 0.5, 0.0004), None, "a node earns less than it costs");
    assert_eq!(profit_optimum(&tier(0.0, 0.0), 0.5, 0.0025), None, "each node earns more than it costs");
}

#[test]
fn what_an_hour_costs() {
    let supply = Supply { tiers: vec![tier(0.0, 0.0), Tier { price_per_h: None, ..tier(0.0, 0.0) }] };
    let prices =
        Prices { node_per_h: Some(2.0), request: 1e-6, gigabyte: 0.1, response_bytes: 20_000, ..Prices::default() };
    let bill = bill(&supply, &prices, &[10, 3], 1000.0).unwrap();
    close(bill.nodes, 11.0);
    close(bill.requests, 3.6);
    close(bill.transfer, 7.2);
    close(bill.total(), 21.8);
    assert_eq!(super::bill(&supply, &Prices::default(), &[10, 3], 1000.0), None);
}

proptest! {
    /// Law: no whole number of nodes earns more than the optimum.
    #[test]
    fn no_size_earns_more(alpha in 0.001..0.2_f64, beta in 0.0..1e-3_f64, value in 6e-4..5e-3_f64) {
        let tier = tier(alpha, beta);
        if let Some(best) = profit_optimum(&tier, 0.5, value) {
            for n in 1..2000 {
                let profit = value * tier.capacity(n, End::Estimate) - 0.5 * f64::from(n);
                prop_assert!(profit <= best.profit + 1e-9, "{n}: {profit}, {best:?}");
            }
        }
    }

    /// Law: average cost never falls, and the marginal cost is at least the average.
    #[test]
    fn average_cost_only_rises(alpha in 0.0..0.5_f64, beta in 0.0..1e-2_f64, n in 1..300_u32) {
        let (tier, next) = (tier(alpha, beta), n + 1);
        let (here, beyond) = (unit_cost(&tier, n, 0.5), unit_cost(&tier, next, 0.5));
        prop_assert!(beyond.average >= here.average * (1.0 - 1e-12));
        prop_assert!(here.marginal.is_none_or(|marginal| marginal >= here.average * (1.0 - 1e-12)));
    }
}
