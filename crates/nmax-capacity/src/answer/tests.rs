use nmax_plan::document::Options;
use proptest::prelude::*;

use super::*;
use crate::document::parse;

const SHOP: &str = "capacity: 1
objective: response_time p99 < 110ms
supply:
  usable: 1200/s
  nodes: { alpha: [0.02, 0.03, 0.04], beta: [0.0003, 0.0005, 0.0007], tested: 24 }
  zones: 3
  now: 16
demand: { now: 6000/s, growth: 2.4% per week, low: 1.5% per week, high: 3.2% per week }
plan:
  today: 2026-11-24
  horizon: 26 weeks
  margin: 20%
  lead_time: 10 weeks
  actuation: { metric: 30s, window: 60s, decision: 15s, provisioning: 90s, boot: 30s, warm_up: 45s, registration: 30s }
  doubling: 20m
prices: { node: 0.50/h }
";

fn shop(set: &[(&str, String)]) -> Document {
    let set: Vec<(String, String)> = set.iter().map(|(path, value)| ((*path).to_owned(), value.clone())).collect();
    parse(SHOP, &Options { set: &set, ..Options::standalone("shop.yaml") }).unwrap()
}

/// Oracle 5 of the reference, by the document: 9,000/s with 20 % need 20 nodes after the loss of a zone.
#[test]
fn a_document_needs_the_nodes_of_the_oracle() {
    let set = [("demand.now", "9000/s".into()), ("demand.growth", "0% per week".into())];
    let set =
        [set.to_vec(), vec![("demand.low", "0% per week".into()), ("demand.high", "0% per week".into())]].concat();
    let document = shop(&set);
    let planned = plan(&document);
    let of = |survive: Survive| {
        let (_, needed) = planned.needed.iter().find(|(of, _)| *of == survive).unwrap();
        (needed[0].estimate.nodes(), needed[0].linear.nodes)
    };
    assert_eq!(of(Survive::None), (Some(13), 9));
    assert_eq!(of(Survive::Zone), (Some(20), 14));
    assert_eq!(of(Survive::TwoNodes), (Some(15), 11));
    let bill = planned.bills.unwrap();
    assert_eq!(bill.0.nodes, 8.0);
    let chosen = planned.chosen()[0].pessimistic.nodes().unwrap();
    assert_eq!(bill.1.unwrap().nodes, 0.5 * f64::from(chosen));
}

/// What is missing is said, and what there is answers all the same.
#[test]
fn parts_that_are_missing_are_named() {
    let parts = [
        "supply: { usable: 1200/s, now: 4 }\n",
        "demand: { now: 9/s, growth: 1% per week }\nplan: { today: 2026-11-24 }\n",
    ];
    for (text, missing) in [(parts[0], "`demand`"), (parts[1], "`supply`")] {
        let document = parse(&format!("capacity: 1\n{text}"), &Options::standalone("a.yaml")).unwrap();
        let planned = plan(&document);
        assert!(!planned.is_supported());
        assert!(planned.about.unsupported.iter().any(|text| text.contains(missing)), "{:?}", planned.about.unsupported);
    }
    let document = shop(&[]);
    assert!(day(&document).about.unsupported[0].contains("no `day`"));
}

/// When pessimistic demand meets supply, as days from today; the end of the horizon where it does not.
fn met(planned: &Planned) -> i64 {
    let dates = planned.dates.as_ref().unwrap();
    let end = 7 * dates.weeks as i64 + 1;
    dates.rows[0].meets.day(dates.today).map_or(end, |day| (day - dates.today).get_days().into())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Law: more growth, more demand or more margin never gives a later date or fewer nodes; prices and delays scale.
    #[test]
    fn what_if_moves_the_answer_its_way(by in 0.0_f64..3.0) {
        let before = shop(&[]);
        let before = plan(&before);
        for (path, value) in [
            ("assume.growth", format!("{by}% per week")),
            ("assume.demand", format!("{}", 1.0 + by)),
            ("plan.margin", format!("{}%", 20.0 + 30.0 * by)),
        ] {
            let document = shop(&[(path, value)]);
            let after = plan(&document);
            prop_assert!(met(&after) <= met(&before), "{path}");
            let nodes = |planned: &Planned| planned.chosen()[0].linear.nodes;
            prop_assert!(nodes(&after) >= nodes(&before), "{path}");
        }
        let factor = 0.1 + by;
        let document = shop(&[("assume.price", factor.to_string()), ("assume.lag", factor.to_string())]);
        let after = plan(&document);
        let ratio = |of: fn(&Planned) -> f64| of(&after) / of(&before);
        prop_assert!((ratio(|planned| planned.bills.unwrap().0.total()) - factor).abs() < 1e-9);
        prop_assert!((ratio(|planned| planned.headroom.unwrap().actuation_s) - factor).abs() < 1e-9);
        let lead = after.dates.as_ref().unwrap().lead_days as f64;
        prop_assert!((lead - 70.0 * factor).abs() <= 0.5);
    }
}
