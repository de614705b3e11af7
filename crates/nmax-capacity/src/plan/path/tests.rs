use jiff::ToSpan;
use jiff::civil::date;

use super::*;
use crate::Assumptions;
use crate::demand::forecast::Ahead;
use crate::demand::{Assumed, Demand, Source, forecast};
use crate::supply::{Tier, Upgrade};
use crate::tests::close;

fn tier(name: &str, usable: f64, now: u32, upgrades: Vec<Upgrade>) -> Tier {
    let contention = Figure { value: 0.03, interval: Some((0.005, 0.03)), basis: Basis::Assumed };
    Tier {
        name: name.into(),
        usable: Figure::assumed(usable),
        evidence: Evidence::Rating(usable, 1.0),
        saturation_per_s: None,
        law: NodeLaw::stated(contention, Figure::assumed(0.0), None),
        zones: 1,
        groups: 1,
        now,
        visits: 1.0,
        price_per_h: None,
        upgrades,
    }
}

fn upgrade(name: &str, gain: Gain) -> Upgrade {
    Upgrade { name: name.into(), gain, lead_days: 21.0, price: Some(1000.0) }
}

fn demand(growth: f64) -> Forecast {
    let growth = Figure { value: growth, interval: Some((growth - 0.01, growth + 0.01)), basis: Basis::Assumed };
    let demand = Demand { source: Source::Assumed(Assumed { now: 1000.0, growth }), events: Vec::new() };
    let ahead = Ahead { weeks: 52, today: Some(date(2026, 11, 24)), seed: 1, ..Ahead::default() };
    forecast(&demand, &ahead, &mut Assumptions::default()).unwrap()
}

/// Law: a step is needed on the day on which the one before ends, by hand from ln(capacity/demand)/ln(growth).
#[test]
fn each_step_begins_where_the_last_one_ends() {
    let upgrades = vec![
        upgrade("twice the nodes", Gain::Nodes(16)),
        upgrade("faster nodes", Gain::Rating(300.0)),
        upgrade("tuned", Gain::Times(1.2)),
    ];
    let supply = Supply { tiers: vec![tier("app", 200.0, 8, upgrades)] };
    let path = path(&demand(0.02), &supply, Survive::None, 0.2).unwrap();
    let names: Vec<&str> = path.stairs.iter().map(|stair| stair.name.as_str()).collect();
    assert_eq!(names, ["now", "twice the nodes", "faster nodes", "tuned"]);
    // C(8) = 8/1.21 and C(16) = 16/1.45 with α = .03; 8/1.035 and 16/1.075 with .005.
    close(path.stairs[0].realistic, 200.0 * 8.0 / 1.21);
    close(path.stairs[0].optimistic, 200.0 * 8.0 / 1.035);
    close(path.stairs[1].realistic, 200.0 * 16.0 / 1.45);
    close(path.stairs[2].realistic, 300.0 * 16.0 / 1.45);
    close(path.stairs[3].realistic, 1.2 * 300.0 * 16.0 / 1.45);
    let day =
        |limit: f64| path.today.saturating_add(((7.0 * (limit / 1200.0).ln() / 1.02_f64.ln()).ceil() as i64).days());
    for (before, stair) in path.stairs.iter().zip(&path.stairs[1..]) {
        assert_eq!(stair.needed, Some(before.lasts));
        let day = |meets: Meeting| meets.day(path.today).unwrap_or(date(9999, 1, 1));
        assert!(day(before.lasts_optimistic) >= day(before.lasts));
    }
    assert_eq!(path.stairs[0].lasts, Meeting::On(day(path.stairs[0].realistic)));
    assert_eq!(path.stairs[1].lasts, Meeting::On(day(path.stairs[1].realistic)));
    assert_eq!(path.ends(), Meeting::NotWithin(52));
    assert_eq!(path.needed().count(), 3);
    assert!(path.stairs[1].needed_early.unwrap().day(path.today) < path.stairs[1].needed.unwrap().day(path.today));
    assert!(path.weeks.windows(2).all(|pair| pair[0].median < pair[1].median) && path.weeks.len() == 52);
}

/// The tier that limits is upgraded until another one does; without more to buy for that one the path ends.
#[test]
fn the_tier_that_binds_is_upgraded_first() {
    let app = tier("app", 200.0, 8, vec![upgrade("app a", Gain::Nodes(16)), upgrade("app b", Gain::Nodes(32))]);
    let store = tier("store", 1500.0, 1, vec![upgrade("store a", Gain::Times(1.6))]);
    let supply = Supply { tiers: vec![app, store] };
    let path = path(&demand(0.02), &supply, Survive::None, 0.0).unwrap();
    let names: Vec<&str> = path.stairs.iter().map(|stair| stair.name.as_str()).collect();
    assert_eq!(names, ["now", "app a", "store a", "app b"]);
    assert!(path.stairs.windows(2).all(|pair| pair[0].realistic < pair[1].realistic), "{path:?}");
}

#[test]
fn late_orders_are_due_now_and_shrinking_demand_needs_none() {
    let supply = Supply { tiers: vec![tier("app", 160.0, 8, vec![upgrade("more", Gain::Nodes(16))])] };
    let soon = path(&demand(0.02), &supply, Survive::None, 0.0).unwrap();
    assert!(matches!(soon.stairs[1].order, Some(Order::Now(_))), "{:?}", soon.stairs[1]);
    let shrinking = path(&demand(-0.03), &supply, Survive::None, 0.0).unwrap();
    assert_eq!(shrinking.stairs[1].needed, Some(Meeting::Never));
    assert_eq!(shrinking.stairs[1].order, Some(Order::NotYet));
}
