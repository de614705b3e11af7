use proptest::prelude::*;

use super::*;
use crate::tests::close;

fn three() -> Demands {
    let names = ["cpu", "disk", "db"].map(String::from);
    let seen = [Sighting { throughput_per_s: 350.0, utilizations: vec![0.42, 0.28, 0.63] }];
    Demands::from_sightings(&names, &seen, 1.0).unwrap()
}

/// Exact mean value analysis of queues with these demands, each with one server, and a think time: X(N), per second.
fn mva(demands: &Demands, users: u32) -> f64 {
    let mut lengths = vec![0.0; demands.resources.len()];
    let mut throughput = 0.0;
    for n in 1..=users {
        let times: Vec<f64> = demands.resources.iter().zip(&lengths).map(|(one, q)| one.demand_s * (1.0 + q)).collect();
        throughput = f64::from(n) / (demands.think_s + times.iter().sum::<f64>());
        lengths = times.iter().map(|time| throughput * time).collect();
    }
    throughput
}

#[test]
fn bounds_of_three_resources() {
    let demands = three();
    let found: Vec<(&str, f64)> = demands.resources.iter().map(|one| (one.name.as_str(), one.demand_s)).collect();
    for ((name, demand_s), (wanted, wanted_s)) in
        found.into_iter().zip([("db", 1.8e-3), ("cpu", 1.2e-3), ("disk", 0.8e-3)])
    {
        assert_eq!(name, wanted);
        close(demand_s, wanted_s);
    }
    close(demands.total_s(), 3.8e-3);
    close(demands.ceiling_per_s(), 555.556);
    close(demands.crossing_users(), 557.667);
    close(demands.throughput_max(100.0), 99.6214);
    close(demands.throughput_max(400.0), 398.4858);
    close(demands.throughput_max(556.0), 553.895);
    close(demands.throughput_max(800.0), 555.556);
    close(demands.response_min_s(800.0), 0.44);
    for (users, exact) in [(100, 99.5603), (400, 396.1982), (556, 535.8109), (800, 555.5556)] {
        close(mva(&demands, users), exact);
    }
}

#[test]
fn a_demand_that_grows_with_load_drifts() {
    let names = ["cpu".to_owned(), "disk".to_owned()];
    let seen = [(100.0, 0.1, 0.05), (200.0, 0.201, 0.13), (400.0, 0.398, 0.4)];
    let seen = seen.map(|(throughput_per_s, cpu, disk)| Sighting { throughput_per_s, utilizations: vec![cpu, disk] });
    let demands = Demands::from_sightings(&names, &seen, 0.0).unwrap();
    let drifting: Vec<(&str, bool)> = demands.resources.iter().map(|one| (one.name.as_str(), one.drifts())).collect();
    assert_eq!(drifting, [("cpu", false), ("disk", true)]);
    assert_eq!(Demands::from_sightings(&names, &[], 0.0), None);
}

proptest! {
    /// Law: exact analysis never exceeds the bounds.
    #[test]
    fn exact_throughput_stays_below_the_bounds(
        demands_s in prop::collection::vec(1e-4..0.1_f64, 1..5),
        think_s in 0.0..5.0_f64,
        users in 1..200_u32,
    ) {
        let names: Vec<String> = (0..demands_s.len()).map(|n| n.to_string()).collect();
        let seen = [Sighting { throughput_per_s: 1.0, utilizations: demands_s }];
        let demands = Demands::from_sightings(&names, &seen, think_s).unwrap();
        let exact = mva(&demands, users);
        prop_assert!(exact <= demands.throughput_max(f64::from(users)) * (1.0 + 1e-9));
        prop_assert!(f64::from(users) / exact - think_s >= demands.response_min_s(f64::from(users)) * (1.0 - 1e-6));
    }
}
