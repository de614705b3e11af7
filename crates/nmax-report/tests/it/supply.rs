//! Sections of supply, nodes, headroom and cost, on every medium.

use nmax_capacity::Document as Question;
use nmax_plan::document::Options;
use nmax_report::doc::Document;
use nmax_report::{html, markdown, pdf, terminal};

fn file(name: &str) -> Result<String, String> {
    let mut text = String::new();
    match name {
        "tested.csv" => {
            text.push_str("load,run,p99_ms,failure_rate,achieved\n");
            for (load, p99) in [(800, 70.0), (1000, 82.0), (1200, 97.0), (1300, 130.0)] {
                for (run, factor) in [0.97, 0.99, 1.0, 1.01, 1.03].into_iter().enumerate() {
                    text.push_str(&format!("{load},{run},{},0.1%,{load}\n", p99 * factor));
                }
            }
        }
        "nodes.csv" => {
            text.push_str("nodes,x\n");
            for n in [1.0, 2.0, 4.0, 8.0, 12.0] {
                let d = 1.0 + 0.03 * (n - 1.0) + 0.0005 * n * (n - 1.0);
                for factor in [0.99, 1.0, 1.012] {
                    text.push_str(&format!("{n},{}\n", 1300.0 * n / d * factor));
                }
            }
        }
        "sizes.csv" => {
            text.push_str("size,x,price\n");
            for size in [1.0, 2.0, 4.0, 8.0, 16.0, 32.0] {
                for factor in [0.99, 1.0, 1.012] {
                    text.push_str(&format!(
                        "{size},{},{}\n",
                        400.0 * size / (1.0 + 0.05 * (size - 1.0)) * factor,
                        0.1 * size
                    ));
                }
            }
        }
        _ => return Err("no such file".into()),
    }
    Ok(text)
}

fn question(text: &str) -> Question {
    let options = Options { read: &file, ..Options::standalone("shop.yaml") };
    nmax_capacity::parse(text, &options).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn document(question: &Question) -> Document {
    nmax_report::capacity::plan(question).0
}

fn in_terminal(document: &Document) -> String {
    let style = terminal::Style { width: 200, wide: true, ..terminal::Style::default() };
    terminal::write(document, style).to_string()
}

const TEXT: &str = "capacity: 1
objective: response_time p99 < 110ms
currency: EUR
supply: { usable: { levels: tested.csv }, nodes: { table: nodes.csv }, saturation: 1600/s, now: 20 }
demand: { now: 8000/s, growth: 0.5% per week }
plan:
  horizon: 8 weeks
  today: 2026-11-24
  margin: 10%
  actuation: { metric: 30s, window: 60s, decision: 15s, provisioning: 90s, boot: 30s, warm_up: 45s, registration: 30s }
  doubling: 20m
  ramp: { by: 300/s, every: 1m }
  step: { factor: 3, timeout: 10s }
prices: { node: 0.50/h, request: 0.0000001, hour_out_of_slo: 5000, value: 0.0025 }
vertical: { table: sizes.csv, standby: 0 }
";

#[test]
fn sections_say_what_to_buy_and_why() {
    let document = document(&question(TEXT));
    let text = in_terminal(&document);
    for wanted in [
        "Usable capacity lies between 1.20 k/s and 1.30 k/s; 1.20 k/s is planned with. The next load to test is 1.25 k/s.",
        "the quantile grows 1.39 times; a single queue grows 2 times: queueing",
        "17 nodes, of which 11 are left after the loss of a zone and do 9.74 k/s.",
        "half the coherency of nodes                15",
        "a doubling every 20 min is survived for 8 min 40 s; machines take 5 min.",
        "42.0 % of throughput at saturation: 0.75 (usable) × 0.667 (after the loss)",
        "1.1 (margin) × 1.5 (the loss of a zone) × 1.189 (doubling while machines start) = 1.962 times",
        "what is needed                   8.5 EUR    3 EUR 8,390 EUR",
        "Surviving the loss costs 1.545 times",
        "25 nodes (24.63 before rounding), 24.6 EUR an hour",
        "usable capacity of a node (nodes)        measured  1,200   1,300",
        "They do not cross within what was measured, 1.20 k/s to 5.02 k/s: larger nodes are the cheaper way",
    ] {
        assert!(text.contains(wanted), "{wanted} in\n{text}");
    }
    let (page, note, paper) = (html::write(&document), markdown::write(&document), pdf::write(&document));
    // A picture of the law, and one of the costs.
    assert!(
        page.matches("<figure").count() >= 2
            && page.contains("<svg")
            && note.contains("|")
            && paper.starts_with(b"%PDF")
    );
}

#[test]
fn groups_and_refusals_are_told() {
    let text = TEXT
        .replace("{ table: nodes.csv }", "{ alpha: 0.03, beta: 0.0005, tested: 12 }")
        .replace("now: 8000/s", "now: 40000/s");
    let text = in_terminal(&document(&question(&text)));
    for wanted in [
        "one group cannot hold 45.8 k/s; the most that one does is 16.3 k/s, with 44 nodes.",
        "6 groups that share nothing, of 12 nodes each, do: 72 nodes in all.",
        "Groups must share nothing, also no database",
    ] {
        assert!(text.contains(wanted), "{wanted} in\n{text}");
    }
    let tiers = TEXT.replace("supply: {", "supply: { tiers: { app: {").replace(
        ", now: 20 }",
        ", now: 20 }, store: { usable: { demand: 0.4ms, target: 60% }, now: 9, zones: 1, visits: 3 } } }",
    );
    let text = in_terminal(&document(&question(&tiers)));
    for wanted in ["app: 17 nodes", "store: no number of nodes holds 9.15 k/s", "none does"] {
        assert!(text.contains(wanted), "{wanted} in\n{text}");
    }
}
