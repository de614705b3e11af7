use super::*;
use crate::tests::close;
use tested::TestedRun;

fn question(usable: UsableQuestion, nodes: NodesQuestion) -> Question {
    Question {
        name: "app".into(),
        usable,
        nodes,
        saturation_per_s: None,
        zones: 3,
        groups: 9,
        now: 4,
        visits: 1.0,
        price_per_h: None,
        upgrades: Vec::new(),
    }
}

fn resolved(usable: UsableQuestion, objective: Option<&Objective>) -> (Option<Supply>, Assumptions) {
    let mut about = Assumptions::default();
    let supply = resolve(&[question(usable, NodesQuestion::Unknown)], objective, &mut about);
    (supply, about)
}

const OBJECTIVE: Objective = Objective { quantile: 0.99, limit_ms: 110.0, failure_rate_max: 0.01 };

fn level(load_per_s: f64, quantile_ms: f64) -> TestedLevel {
    let run = |factor: f64| TestedRun { quantile_ms: quantile_ms * factor, failure_rate: 0.0, achieved_per_s: None };
    TestedLevel { load_per_s, runs: [0.99, 1.0, 1.01].map(run).to_vec() }
}

#[test]
fn usable_capacity_from_each_source() {
    let assumed = Figure::assumed(1200.0);
    let (supply, about) = resolved(UsableQuestion::Stated(assumed), None);
    assert_eq!(supply.unwrap().tiers[0].usable, assumed);
    assert_eq!(about.list[0].basis, Basis::Assumed);
    let (supply, about) = resolved(UsableQuestion::Rating(5000.0, 0.5), None);
    let tier = &supply.unwrap().tiers[0];
    assert_eq!((tier.usable.value, about.list[0].basis, about.list[1].basis), (10_000.0, Basis::Vendor, Basis::Vendor));
    assert_eq!(tier.law.contention.interval, Some(law::ENVELOPE));
    let demand = Figure { value: 1.8e-3, interval: Some((1.5e-3, 2e-3)), basis: Basis::Assumed };
    let tier = resolved(UsableQuestion::Demand(demand, 0.6), None).0.unwrap().tiers.remove(0);
    close(tier.usable.value, 333.333_33);
    close(tier.usable.low(), 300.0);
    close(tier.saturation_per_s.unwrap(), 555.556);
    let (supply, about) =
        resolved(UsableQuestion::Levels(vec![level(900.0, 80.0), level(1200.0, 150.0)]), Some(&OBJECTIVE));
    let usable = supply.unwrap().tiers[0].usable;
    assert_eq!(usable, Figure { value: 900.0, interval: Some((900.0, 1200.0)), basis: Basis::Measured });
    assert_eq!(about.next[0].1, "nmax scale plan.yaml --axis rate=1050");
}

#[test]
fn without_a_law_what_was_measured_is_said() {
    let row = |(row, n, x)| Observation { n, x, r_s: None, weight: 1.0, row, count: None };
    let table = NodesQuestion::Table(
        [(1, 1.0, 1000.0), (2, 2.0, 1900.0), (3, 2.0, 1950.0)].map(row).to_vec(),
        Dimension::Nodes,
    );
    let mut about = Assumptions::default();
    assert_eq!(resolve(&[question(UsableQuestion::Stated(Figure::assumed(900.0)), table)], None, &mut about), None);
    assert!(about.unsupported[0].ends_with("What was measured: 1 did 1,000/s, 2 did 1,900/s."), "{about:?}");
    assert!(about.next.iter().any(|(what, _)| what == "Measure how app grows with nodes"), "{about:?}");
}

#[test]
fn what_data_do_not_support_is_said() {
    let cases = [
        (UsableQuestion::Levels(vec![level(900.0, 80.0)]), None, "the document has no objective"),
        (UsableQuestion::Levels(Vec::new()), Some(&OBJECTIVE), "no level was tested"),
        (UsableQuestion::Levels(vec![level(900.0, 200.0)]), Some(&OBJECTIVE), "the lowest load, 900/s, does not show"),
        (UsableQuestion::Campaign("runs/x".into()), None, "the campaign runs/x was not read"),
    ];
    for (usable, objective, why) in cases {
        let (supply, about) = resolved(usable, objective);
        assert_eq!(supply, None);
        assert!(about.unsupported.iter().any(|text| text.contains("because") && text.contains(why)), "{about:?}");
    }
}
