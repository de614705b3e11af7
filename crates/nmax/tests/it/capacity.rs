//! `nmax capacity`: documents in, answers out, in every format.

use serde_json::{Value, json};

use crate::bench::{Bench, count, number};
use crate::schema::assert_schema;

const SHOP: &str = "\
capacity: 1
objective: response_time p99 < 110ms
currency: EUR
supply: { usable: { levels: tested.csv }, nodes: { table: nodes.csv }, zones: 3, now: 16 }
demand: { table: peaks.csv }
plan: { horizon: 26 weeks, margin: 20%, lead_time: 10 weeks }
prices: { node: 0.50/h }
day:
  length: 6h
  demand: { constant: 6000/s }
  failures: [{ lost: zone, at: \"01:00\", for: 1h }]
  seeds: 3
";

/// A shop whose levels, nodes and peaks were measured.
fn shop(bench: &Bench) {
    bench.write("shop.yaml", SHOP);
    let mut levels = "load,p99_ms,failure_rate,achieved\n".to_owned();
    for (load, p99) in [(1000, 80.0), (1200, 95.0), (1400, 180.0)] {
        (0..3).for_each(|run| levels += &format!("{load},{},0,{load}\n", p99 + f64::from(run)));
    }
    bench.write("tested.csv", &levels);
    let law = |n: f64| 1200.0 * n / (1.0 + 0.03 * (n - 1.0) + 0.0005 * n * (n - 1.0));
    let row = |(place, n): (usize, &f64)| format!("{n},{}\n", law(*n) * if place % 2 == 0 { 1.004 } else { 0.996 });
    let nodes: String =
        [1.0, 1.0, 2.0, 2.0, 4.0, 4.0, 8.0, 8.0, 12.0, 12.0, 16.0, 16.0].iter().enumerate().map(row).collect();
    bench.write("nodes.csv", &format!("nodes,x\n{nodes}"));
    let noise = [0.01, -0.012, 0.006, -0.003, 0.009, -0.01];
    let peak = |week: u32| 3500.0 * (0.012 * f64::from(week) + noise[week as usize % noise.len()]).exp();
    let day = |week: u32| jiff::civil::date(2026, 1, 5).saturating_add(jiff::Span::new().weeks(week));
    let rows: String = (0..46).map(|week| format!("{},{:.0}\n", day(week), peak(week))).collect();
    bench.write("peaks.csv", &format!("week,peak\n{rows}"));
}

#[test]
fn answers_are_as_their_schemas_say() {
    let bench = Bench::new();
    shop(&bench);
    let plan = bench.nmax(&["capacity", "plan", "shop.yaml", "--json"]).exits(0).json();
    assert_schema(&plan, "capacity-plan");
    let tier = &plan["supply"]["tiers"][0];
    assert_eq!((number(&tier["usable_per_s"]["value"]), &tier["usable_per_s"]["basis"]), (1200.0, &json!("measured")));
    let alpha = &tier["alpha"];
    assert!(number(&alpha["low"]) < 0.03 && 0.03 < number(&alpha["high"]), "{alpha}");
    let needed = |survive: &str| {
        let rows = plan["needed"].as_array().unwrap();
        rows.iter().find(|row| row["survive"] == survive).map(|row| count(&row["nodes"])).unwrap()
    };
    assert!(needed("none") < needed("zone"), "{plan}");
    let bases: Vec<&Value> = plan["about"]["rests_on"].as_array().unwrap().iter().map(|one| &one["basis"]).collect();
    assert!(bases.contains(&&json!("measured")) && bases.contains(&&json!("assumed")));
    let day = bench.nmax(&["capacity", "day", "shop.yaml", "--json"]).exits(0).json();
    assert_schema(&day, "capacity-day");
    assert_eq!(day["study"]["days"], 3);
    let again = bench.nmax(&["capacity", "day", "shop.yaml", "--json"]).exits(0).json();
    assert_eq!(day, again, "the seed decides");
}

#[test]
fn answers_are_written_in_every_format() {
    let bench = Bench::new();
    shop(&bench);
    for verb in ["plan", "day"] {
        let files = ["html", "pdf", "md", "json", "txt"].map(|ending| format!("{verb}.{ending}"));
        let mut args = vec!["capacity", verb, "shop.yaml"];
        files.iter().for_each(|file| args.extend(["-o", file]));
        let printed =
            bench.nmax(&args).exits(0).shows(&["What it rests on", "What to measure next", "measured"]).stdout;
        let read = |file: &String| std::fs::read(bench.path(file)).unwrap();
        let text = |file: &String| String::from_utf8(read(file)).unwrap();
        assert!(read(&files[1]).starts_with(b"%PDF"));
        for file in [&files[0], &files[2], &files[4]] {
            assert!(text(file).contains("What it rests on"), "{file}");
        }
        assert_schema(&serde_json::from_str(&text(&files[3])).unwrap(), &format!("capacity-{verb}"));
        // Where the page goes to standard output, nothing else does.
        let page = bench.nmax(&["capacity", verb, "shop.yaml", "-o", "-"]).exits(0).stdout;
        assert!(page.starts_with("<!DOCTYPE html>"), "{}", &page[..60]);
        assert!(printed.lines().all(|line| line.chars().count() <= 80), "{printed}");
    }
}

#[test]
fn what_is_wrong_is_said_all_at_once() {
    let bench = Bench::new();
    let text = "capacity: 1\nsupply: { usable: 0/s, now: none, zone: 3 }\ndemand: { table: absent.csv }\nplan: { margin: much }\n";
    bench.write("wrong.yaml", text);
    let said = bench.nmax(&["capacity", "plan", "wrong.yaml"]).exits(2);
    said.says(&["wrong.yaml:2:", "`none`", "`zone`", "wrong.yaml:3:", "absent.csv", "wrong.yaml:4:", "errors"]);
    bench.nmax(&["capacity", "plan", "absent.yaml"]).exits(2).says(&["absent.yaml", "capacity: 1"]);
    bench.write("plan.yaml", "nmax: 1\n");
    bench.nmax(&["capacity", "day", "plan.yaml"]).exits(2).says(&["plan.yaml:1:", "nmax"]);
}

/// What the data do not bear is said as a sentence, with exit code 4; what they do bear follows.
#[test]
fn what_the_data_do_not_support_is_said() {
    let bench = Bench::new();
    shop(&bench);
    let set = |value: &'static str| ["capacity", "plan", "shop.yaml", "--set", value];
    let far = bench.nmax(&set("supply.nodes={ alpha: 0.03, beta: 0.0005, tested: 4 }")).exits(0);
    far.shows(&["not supported by these data, because", "measured up to 4"]);
    let none = "capacity: 1\nsupply: { usable: 1200/s, nodes: { alpha: 0.5, beta: 0.4 }, now: 3, zones: 1 }\n\
                demand: { now: 900000/s, growth: 0% per week }\nplan: { today: 2026-11-24 }\n";
    bench.write("none.yaml", none);
    bench.nmax(&["capacity", "plan", "none.yaml"]).exits(4).shows(&["NOT SUPPORTED", "no number of nodes"]);
    bench.nmax(&["capacity", "plan", "none.yaml", "--exit-zero"]).exits(0);
    bench.write("short.yaml", "capacity: 1\nsupply: { usable: 9/s, now: 2 }\n");
    bench.nmax(&["capacity", "plan", "short.yaml"]).exits(4).shows(&["`demand`", "9 /s"]);
    bench.nmax(&["capacity", "day", "short.yaml"]).exits(4).shows(&["no `day`"]);
}
