//! Rows that each request picks anew: one row within a request, another in the next, and the same whatever replies do.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use nmax_plan::plan::Plan;
use nmax_testkit::plans::with_files;
use nmax_testkit::sim::{KeepRequests, Options, instant, simulate};

use crate::ms;

const ITEMS: u64 = 40;

/// Three requests for items, the last of them in two passes of a loop; rows are (number, twice the number).
fn items(pick: &str, workload: &str) -> Arc<Plan> {
    let rows: String = (0..ITEMS).map(|row| format!("{row},{}\n", 2 * row)).collect();
    let text = format!(
        r#"
nmax: 1
target: http://shop.test
seed: 5
data:
  items: {{ csv: items.csv, pick: {pick}, per: request }}
  users: {{ csv: items.csv, pick: random }}
scenarios:
  browse:
    steps:
      - get: "/1/${{items.id}}?user=${{users.id}}&n=${{iteration}}"
        headers: {{ twice: "${{items.twice}}" }}
      - get: "/2/${{items.id}}?user=${{users.id}}&n=${{iteration}}"
        headers: {{ twice: "${{items.twice}}" }}
      - repeat: 2
        steps:
          - get: "/3/${{items.id}}?user=${{users.id}}&n=${{iteration}}"
            headers: {{ twice: "${{items.twice}}" }}
workload: {{ {workload} }}
duration: 40s
"#
    );
    with_files(&text, &[("items.csv", &format!("id,twice\n{rows}"))])
}

/// Item and user of every request, by iteration.
fn asked(plan: &Arc<Plan>, service_ms: u64, workers: u32) -> BTreeMap<u64, Vec<(u64, u64)>> {
    let options = Options { workers, requests: KeepRequests::All, ..Options::sum() };
    let run = simulate(plan, instant(ms(service_ms)), &options);
    let mut found: BTreeMap<u64, Vec<(u64, u64)>> = BTreeMap::new();
    for sent in &run.transcript {
        let text = String::from_utf8_lossy(&sent.bytes).into_owned();
        let number = |before: &str| -> u64 {
            let rest = text.split(before).nth(1).unwrap();
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap();
            rest[..end].parse().unwrap()
        };
        let item: u64 = text.split(['/', '?']).nth(2).unwrap().parse().unwrap();
        assert_eq!(number("twice: "), 2 * item, "one row within a request: {text}");
        found.entry(number("n=")).or_default().push((item, number("user=")));
    }
    found
}

#[test]
fn every_request_and_pass_picks_its_own_row() {
    let plan = items("random", "open: { rate: 50/s }");
    let asked = asked(&plan, 3, 2);
    assert_eq!(asked.len(), 2_000);
    let mut alike = [0; 4];
    for items in asked.values() {
        assert_eq!(items.len(), 4);
        let users: HashSet<u64> = items.iter().map(|(_, user)| *user).collect();
        assert_eq!(users.len(), 1, "the other feeder keeps its row: {items:?}");
        for place in 1..4 {
            alike[place] += usize::from(items[place].0 == items[place - 1].0);
        }
    }
    // One pair in 40 is alike by chance: 50 of 2,000, standard deviation 7.
    for (place, alike) in alike.into_iter().enumerate().skip(1) {
        assert!((20..=85).contains(&alike), "{alike} of 2,000 at {place}");
    }
    let rows: HashSet<u64> = asked.values().flatten().map(|(item, _)| *item).collect();
    assert_eq!(rows.len() as u64, ITEMS);
}

#[test]
fn rows_do_not_depend_on_replies_or_workers() {
    for workload in ["open: { rate: 20/s, arrivals: poisson }", "closed: { vus: 1 }"] {
        let plan = items("zipf", workload);
        let (fast, slow) = (asked(&plan, 1, 1), asked(&plan, 300, 1));
        let both = slow.iter().filter(|(_, items)| items.len() == 4);
        assert!(both.clone().count() > 20);
        for (number, items) in both {
            assert_eq!(fast[number], *items, "{workload}: iteration {number}");
        }
    }
    let plan = items("random", "open: { rate: 20/s }");
    assert_eq!(asked(&plan, 2, 1), asked(&plan, 2, 3));
}

/// The share of the most popular row is that of the law: 1 / Σ r^−1 over 40 ranks.
#[test]
fn popular_rows_are_asked_for_as_often_as_the_law_says() {
    let plan = items("zipf", "open: { rate: 100/s }");
    let asked = asked(&plan, 1, 1);
    let all: Vec<u64> = asked.values().flatten().map(|(item, _)| *item).collect();
    let first = all.iter().filter(|item| **item == 0).count() as f64 / all.len() as f64;
    let law = 1.0 / (1..=ITEMS).map(|rank| 1.0 / rank as f64).sum::<f64>();
    assert!((first - law).abs() < 0.02, "{first} against {law}");
}
