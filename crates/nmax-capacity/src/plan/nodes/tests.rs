use proptest::prelude::*;

use super::*;
use crate::supply::tested::{Objective, TestedLevel, TestedRun};
use crate::supply::{NodesQuestion, Question, UsableQuestion, resolve};
use crate::tests::{close, tier};
use nmax_usl::Observation;
use nmax_usl::random::Random;

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

/// Law: the law and the node measured with noise, the plan at the pessimistic end holds the true need in at least the
/// promised 95 % of worlds.
#[test]
fn plans_hold_the_need_in_simulated_worlds() {
    let truth = nmax_usl::Usl { contention: 0.03, coherency: 0.0005, unit_throughput: 1200.0 };
    let objective = Objective { quantile: 0.99, limit_ms: 110.0, failure_rate_max: 0.01 };
    let (mut planned, mut held, mut by_estimate) = (0, 0, 0);
    for seed in 0..1000 {
        let mut random = Random::new(seed);
        let mut noisy = |value: f64, sd: f64| value * random.lognormal(sd);
        let rows = [1.0, 2.0, 4.0, 8.0, 12.0].into_iter().flat_map(|n| [n; 3]).zip(1..);
        let table = rows.map(|(n, row)| {
            let x = noisy(truth.throughput_at(n), 0.02);
            Observation { n, x, r_s: None, weight: 1.0, row, count: None }
        });
        let table: Vec<Observation> = table.collect();
        // A node whose 99th percentile reaches 110 ms at 1200/s.
        let level = |load: i32| {
            let load_per_s = f64::from(load);
            let quantile_ms = 20.0 + 90.0 * (load_per_s / 1200.0).powi(6);
            let mut run =
                || TestedRun { quantile_ms: noisy(quantile_ms, 0.04), failure_rate: 0.0, achieved_per_s: None };
            TestedLevel { load_per_s, runs: vec![run(), run(), run(), run(), run()] }
        };
        let levels = (800..=1300).step_by(50).map(level).collect();
        let question = Question {
            name: "app".into(),
            usable: UsableQuestion::Levels(levels),
            nodes: NodesQuestion::Table(table, nmax_usl::Dimension::Nodes),
            saturation_per_s: None,
            zones: 3,
            groups: 9,
            now: 20,
            visits: 1.0,
            price_per_h: None,
            upgrades: Vec::new(),
        };
        let Some(supply) = resolve(&[question], Some(&objective), &mut Assumptions::default()) else { continue };
        let need = &needed(&supply, 9000.0, 0.0, Survive::Zone)[0];
        let holds = |plan: &Plan| {
            let survivors = Survive::Zone.survivors(plan.nodes().unwrap(), 3);
            truth.throughput_at(f64::from(survivors)) >= 9000.0
        };
        planned += 1;
        held += u32::from(holds(&need.pessimistic));
        by_estimate += u32::from(holds(&need.estimate));
    }
    assert!(planned > 900, "{planned} of 1000 worlds gave a plan");
    assert!(f64::from(held) >= 0.95 * f64::from(planned), "{held} of {planned} held, {by_estimate} by the estimate");
}

/// Law: to be sure never takes fewer nodes than the estimate, whatever the interval of the coefficients.
#[test]
fn to_be_sure_never_takes_fewer_nodes() {
    let random = &mut nmax_usl::random::Random::new(5);
    for _ in 0..300 {
        let (alpha, beta) = (0.05 * random.uniform(), 0.002 * random.uniform());
        let range = |value: f64, wide: f64| format!("[{}, {value}, {}]", value / wide, value * wide);
        let wide = 1.0 + random.uniform();
        let text = format!(
            "capacity: 1\nsupply: {{ usable: 850/s, nodes: {{ alpha: {}, beta: {}, tested: 50 }}, now: 4 }}\n",
            range(alpha, wide),
            range(beta, wide)
        );
        let document = crate::parse(&text, &nmax_plan::document::Options::standalone("a.yaml")).unwrap();
        let supply = crate::supply::resolve(&document.supply, None, &mut Assumptions::default()).unwrap();
        for survive in Survive::ALL {
            let needed = needed(&supply, 20_000.0 * random.uniform() + 1.0, 0.2, survive).remove(0);
            if let (Some(estimate), Some(sure)) = (needed.estimate.nodes(), needed.pessimistic.nodes()) {
                assert!(estimate <= sure, "{needed:?}\n{text}");
            }
        }
    }
}
