use proptest::prelude::*;

use super::*;
use crate::origin::Figure;
use crate::supply::Evidence;
use crate::supply::law::NodeLaw;
use crate::tests::close;

/// A tier with these coefficients.
fn tier(usable: f64, alpha: f64, beta: f64) -> Tier {
    Tier {
        name: "app".into(),
        usable: Figure::assumed(usable),
        evidence: Evidence::Stated,
        saturation_per_s: None,
        law: NodeLaw::stated(Figure::assumed(alpha), Figure::assumed(beta), None),
        zones: 3,
        groups: 9,
        now: 20,
        visits: 1.0,
        price_per_h: None,
        upgrades: Vec::new(),
    }
}

fn alone(tier: Tier) -> Supply {
    Supply { tiers: vec![tier] }
}

#[test]
fn nodes_of_one_group_by_what_is_lost() {
    let supply = alone(tier(1200.0, 0.03, 0.0005));
    let cases = [(Survive::None, 13, 9), (Survive::Zone, 20, 14), (Survive::TwoNodes, 15, 11)];
    for (survive, nodes, linear) in cases {
        let found = &needed(&supply, 9000.0, 0.2, survive)[0];
        let Plan::Group(count) = found.estimate else { panic!("{survive:?}: {found:?}") };
        assert_eq!((count.nodes, count.survivors, found.linear.nodes), (nodes, 13, linear), "{survive:?}");
        close(count.survivors_per_s, 10_848.40);
        let (most, per_s) = found.most.unwrap();
        assert_eq!(most, 44);
        close(per_s, 16_316.44);
    }
    close(capacity(&supply, &[20], Survive::Zone, End::Estimate).per_s, 10_848.40);
    close(capacity(&supply, &[20], Survive::None, End::Estimate).per_s, 13_636.36);
    for n in [18, 19] {
        close(capacity(&supply, &[n], Survive::Zone, End::Estimate).per_s, 10_315.19);
    }
}

#[test]
fn groups_where_one_cannot_hold_the_load() {
    let found = &needed(&alone(tier(1200.0, 0.03, 0.0005)), 40_000.0, 0.2, Survive::Zone)[0];
    let Plan::Shards(shards) = &found.estimate else { panic!("{found:?}") };
    assert_eq!((shards.groups, shards.group.nodes, shards.total()), (8, 9, 72));
    let table = [None, None, Some(53), Some(24), Some(17), Some(14), Some(11), Some(9), Some(9)];
    let tried: Vec<Option<u32>> = shards.tried.iter().map(|(_, nodes)| *nodes).collect();
    assert_eq!(tried, table);
    // With more groups that share nothing, one node a zone is the cheapest: no more than two survivors agree.
    let many = Tier { groups: 1000, ..tier(1200.0, 0.03, 0.0005) };
    assert_eq!(needed(&alone(many), 40_000.0, 0.2, Survive::Zone)[0].estimate.nodes(), Some(63));
}

#[test]
fn a_single_zone_survives_nothing() {
    let found = &needed(&alone(Tier { zones: 1, ..tier(1200.0, 0.0, 0.0) }), 100.0, 0.0, Survive::Zone)[0];
    assert_eq!(found.estimate, Plan::Impossible);
    let mut about = Assumptions::default();
    found.judge(&mut about);
    assert!(about.unsupported[0].contains("no number of nodes or groups holds it"), "{about:?}");
}

#[test]
fn beyond_twice_the_nodes_measured_nothing_is_supported() {
    let mut of = tier(1200.0, 0.03, 0.0005);
    of.law.tested = Some(12.0);
    let mut about = Assumptions::default();
    let supply = alone(of);
    for (rate, is_supported) in [(9000.0, true), (12_000.0, false)] {
        let found = &needed(&supply, rate, 0.2, Survive::Zone)[0];
        assert_eq!(found.is_supported(), is_supported, "{found:?}");
        found.judge(&mut about);
    }
    assert_eq!((about.unsupported.len(), about.next.len()), (1, 1));
    assert!(about.unsupported[0].contains("measured up to 12 nodes"), "{about:?}");
}

#[test]
fn the_tier_with_the_least_capacity_binds() {
    let store = Tier { name: "store".into(), visits: 4.0, ..tier(3000.0, 0.0, 0.0) };
    let supply = Supply { tiers: vec![tier(1200.0, 0.0, 0.0), store] };
    assert_eq!(capacity(&supply, &[5, 10], Survive::None, End::Estimate), Capacity { per_s: 6000.0, binds: 0 });
    assert_eq!(capacity(&supply, &[10, 10], Survive::None, End::Estimate), Capacity { per_s: 7500.0, binds: 1 });
    let nodes: Vec<u32> =
        needed(&supply, 7500.0, 0.0, Survive::None).iter().filter_map(|one| one.estimate.nodes()).collect();
    assert_eq!(nodes, [7, 10]);
}

proptest! {
    /// Law: the count holds the load after the loss, and one node less does not; for groups, each of them does.
    #[test]
    fn the_count_is_the_smallest_that_holds(
        alpha in 0.0..0.2_f64,
        beta in 0.0..2e-3_f64,
        ratio in 0.1..60.0_f64,
        zones in 2..7_u32,
        survive in prop::sample::select(&Survive::ALL[..]),
    ) {
        let supply = alone(Tier { zones, ..tier(1000.0, alpha, beta) });
        let rate = 1000.0 * ratio;
        let found = &needed(&supply, rate, 0.0, survive)[0];
        let holds = |nodes: u32, rate: f64| capacity(&supply, &[nodes], survive, End::Estimate).per_s >= rate;
        match &found.estimate {
            Plan::Group(count) => {
                prop_assert!(holds(count.nodes, rate));
                prop_assert!(count.nodes == 1 || !holds(count.nodes - 1, rate));
                prop_assert!(found.linear.nodes <= count.nodes);
            }
            Plan::Shards(shards) => {
                prop_assert!((1..400).all(|nodes| !holds(nodes, rate)));
                prop_assert!(holds(shards.group.nodes, rate / f64::from(shards.groups)));
                prop_assert!(found.most.is_none_or(|(_, most)| survive != Survive::None || most < rate));
            }
            Plan::Impossible => prop_assert!((1..400).all(|nodes| !holds(nodes, rate / 9.0))),
        }
    }
}
