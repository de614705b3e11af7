use super::*;
use crate::origin::{Basis, Figure};
use crate::plan::headroom::{Step, Surges};
use crate::plan::nodes::Survive;
use crate::supply::tested::Objective;
use crate::supply::{Gain, NodesQuestion, UsableQuestion};

fn wrong(text: &str, wanted: &str) {
    assert_eq!(parsed(text).unwrap_err(), wanted, "{text}");
}

#[test]
fn one_tier_stands_right_below_supply() {
    let document = parsed(
        "capacity: 1\nobjective: response_time p99 < 110ms, failure_rate < 0.5%\nsupply:\n  usable: [1100/s, 1200/s, 1300/s]\n  \
         nodes: { alpha: [0.01, 0.03, 0.05], beta: 0.0005, tested: 12 }\n  zones: 2\n  now: 20\n  price: 350/month\n  \
         upgrades:\n  - { name: more, nodes: 30, in: 12 weeks, price: 5000 }\n  - { name: faster, gain: 1.8, in: 36h }\n\
         prices: { node: 12/d, gigabyte: 0.09, response: 20kB }\n",
    )
    .unwrap();
    assert_eq!(document.limits, Some(Objective { quantile: 0.99, limit_ms: 110.0, failure_rate_max: 0.005 }));
    let tier = &document.supply[0];
    let range = |low, value, high| Figure { value, interval: Some((low, high)), basis: Basis::Assumed };
    assert_eq!(tier.usable, UsableQuestion::Stated(range(1100.0, 1200.0, 1300.0)));
    assert_eq!(tier.nodes, NodesQuestion::Stated(range(0.01, 0.03, 0.05), Figure::assumed(0.0005), Some(12.0)));
    assert_eq!((tier.name.as_str(), tier.zones, tier.groups, tier.now, tier.visits), ("nodes", 2, 9, 20, 1.0));
    let bought: Vec<(Gain, f64)> = tier.upgrades.iter().map(|one| (one.gain, one.lead_days)).collect();
    assert_eq!(bought, [(Gain::Nodes(30), 84.0), (Gain::Times(1.8), 1.5)]);
    let prices = document.prices.unwrap();
    assert!((tier.price_per_h.unwrap() - 350.0 / 730.0).abs() < 1e-12);
    assert_eq!((prices.node_per_h, prices.gigabyte, prices.response_bytes), (Some(0.5), 0.09, 20_000));
}

#[test]
fn tiers_are_measured_each_in_its_way() {
    let document = parsed(
        "capacity: 1\nobjective: response_time p99 < 110ms\nsupply:\n  tiers:\n    \
         app: { usable: { levels: tested.csv }, nodes: { table: nodes.csv }, now: 4 }\n    \
         store: { usable: { demand: 1.8ms, target: 60% }, now: 2, visits: 3 }\n    \
         old: { usable: { rating: 5000, per_request: 0.5 }, now: 1, upgrades: [{ name: new, rating: 9000, in: 3 days }] }\n    \
         runs: { usable: { campaign: runs/app }, nodes: { campaign: runs/nodes }, now: 1 }\n",
    )
    .unwrap();
    let names: Vec<&str> = document.supply.iter().map(|tier| tier.name.as_str()).collect();
    assert_eq!(names, ["app", "store", "old", "runs"]);
    let UsableQuestion::Levels(levels) = &document.supply[0].usable else { panic!("{document:?}") };
    assert_eq!((levels.len(), levels[0].runs.len(), levels[0].runs[1].failure_rate), (1, 3, 0.001));
    assert!(
        matches!(&document.supply[0].nodes, NodesQuestion::Table(rows, nmax_usl::Dimension::Nodes) if rows.len() == 4)
    );
    assert_eq!(document.supply[1].usable, UsableQuestion::Demand(Figure::assumed(0.0018), 0.6));
    assert_eq!(document.supply[2].usable, UsableQuestion::Rating(5000.0, 0.5));
    assert_eq!(document.supply[2].upgrades[0].gain, Gain::Rating(9000.0));
    assert_eq!(document.supply[3].nodes, NodesQuestion::Campaign("runs/nodes".into()));
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    wrong(
        "capacity: 1\nsupply:\n  usable: 1200/s\n",
        "shop.yaml:3:3: `supply` has no `now`\n  help: add `now: ...`. Nodes that are installed.\n",
    );
    wrong(
        "capacity: 1\nsupply: { usable: { demand: 1.8ms }, now: 1 }\n",
        "shop.yaml:2:21: `demand` says nothing without `target`\n  help: add `target: ...`\n",
    );
    wrong(
        "capacity: 1\nsupply: { usable: 0/s, now: 1, nodes: { alpha: -0.01, beta: 2 } }\n",
        "shop.yaml:2:19: the value is 0\n  help: write a value above 0\n\
         shop.yaml:2:48: `-0.01` is below 0: nodes together would do more than each by itself\n  help: give the table of \
         measurements with `table: nodes.csv`, or write 0\n\
         shop.yaml:2:61: `2` is not a coefficient from 0 to below 1\n  help: write it as `0.03`\n",
    );
    wrong(
        "capacity: 1\nsupply: { usable: { levels: wrong.csv }, now: 1, nodes: { table: gone.csv } }\n",
        "shop.yaml:2:29: wrong.csv:2: `p99_ms` is `fast`, not a number from 0 up\n  help: write a header with names of \
         columns, and a number such as 955.16 in each cell\n\
         shop.yaml:2:29: wrong.csv:3: a load and a response time are above 0, and a failure rate is at most 1\n  help: \
         write a header with names of columns, and a number such as 955.16 in each cell\n\
         shop.yaml:2:66: cannot read `gone.csv`: no such file\n  help: write its path relative to the document\n",
    );
    wrong(
        "capacity: 1\nsupply: { usable: { levels: headless.csv, campaign: runs }, now: 1 }\n",
        "shop.yaml:2:43: `usable` comes from `levels` or from `campaign`, not from both\n  help: keep one of them\n",
    );
    wrong(
        "capacity: 1\nsupply: { usable: { levels: headless.csv }, now: 1 }\n",
        "shop.yaml:2:29: headless.csv: there is no column `p99_ms`\n  help: its columns are load, run\n",
    );
    wrong(
        "capacity: 1\nsupply: { usable: { utilization: busy.csv, target: 100% }, now: 1 }\n",
        "shop.yaml:2:34: busy.csv:3: a throughput is above 0, and a utilization at most 1 (100%)\n  help: write a header with \
         names of columns, and a number such as 955.16 in each cell\n\
         shop.yaml:2:52: a target lies above 0% and below 100%\n  help: write it as `60%`; a queue at 100% never ends\n",
    );
    wrong(
        "capacity: 1\nsupply: { usable: [3/s, 2/s, 1/s], now: 1, upgrades: [{ name: a, rating: 9, in: soon }] }\nprices: { node: 5, gigabyte: 1 }\n",
        "shop.yaml:2:19: this is neither an estimate nor an interval\n  help: write an estimate, or `[low, \
         estimate, high]`\n\
         shop.yaml:2:66: a rating says nothing beside a usable capacity that is not one\n  help: write `gain: 1.8`, or \
         `usable: {rating: .., per_request: ..}`\n\
         shop.yaml:2:81: `soon` is not a time\n  help: write it as `12 weeks`, `3 days` or `36h`\n\
         shop.yaml:3:17: `5` is not a price of a node\n  help: write a number and its time, such as `0.50/h`, `12/d` or \
         `350/month`\n\
         shop.yaml:3:20: a price of a gigabyte says nothing without the size of a response\n  help: add `response: 20kB`\n",
    );
}

#[test]
fn machines_have_a_size() {
    wrong(
        "capacity: 1\nvertical: { table: sizes.csv }\n",
        "shop.yaml:2:20: sizes.csv:4: a size is at least 1, and what it does above 0\n  help: write a header with names of \
         columns, and a number such as 955.16 in each cell\n",
    );
}

#[test]
fn headroom_is_part_of_the_plan() {
    let document = parsed(
        "capacity: 1\nplan:\n  margin: 20%\n  survive: n+2\n  actuation: { metric: 30s, window: 60s, decision: 15s, \
         provisioning: 90s, boot: 30s, warm_up: 45s, registration: 30s, measured: [boot] }\n  doubling: 20m\n  \
         ramp: { by: 300/s, every: 1m }\n  step: { factor: 3, timeout: 10s }\n",
    )
    .unwrap();
    let plan = document.plan;
    let actuation = plan.actuation.unwrap();
    assert_eq!((plan.margin, plan.survive, actuation.total_s()), (0.2, Survive::TwoNodes, 300.0));
    assert_eq!((actuation.parts[3].1, actuation.parts[4].1), (Basis::Assumed, Basis::Measured));
    let step = Step { factor: 3.0, timeout_s: 10.0 };
    assert_eq!(plan.surges, Surges { doubling_s: Some(1200.0), ramp_per_s2: Some(5.0), step: Some(step) });
    wrong(
        "capacity: 1\nplan: { survive: region, actuation: { measured: [coffee] }, step: { factor: 0, timeout: 1s } }\n",
        "shop.yaml:2:18: `region` is not a choice here\n  help: write one of: none, zone, n+2\n\
         shop.yaml:2:37: scaling out takes no time at all\n  help: add `provisioning: 90s`, `boot: 30s`, ..\n\
         shop.yaml:2:50: `coffee` is not a choice here\n  help: write one of: metric, window, decision, provisioning, boot, \
         warm_up, registration\n\
         shop.yaml:2:77: the value is 0\n  help: write a value above 0\n",
    );
}
