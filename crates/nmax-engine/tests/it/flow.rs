//! Conditions, loops, choices, transactions and pages: what users do and what is counted of it.
//!
//! # Layout
//! - this file: how plans are made and run, and a document with everything in it
//! - tests: [`steps`] (which are done), [`chance`] (which way), [`sums`] (what is counted), [`values`] (what is computed)

mod chance;
mod steps;
mod sums;
mod values;

use std::sync::Arc;
use std::time::Duration;

use nmax_metrics::Section;
use nmax_plan::plan::{Comparison, Condition, Discover, Loop, LoopEnd, Page, Plan, Step, ThinkTime, Transaction};
use nmax_plan::template::{Part, Template};
use nmax_testkit::plans::requests;
use nmax_testkit::sim::{Answer, Call, KeepRequests, Options, Sent, Server, Simulated, reply_with, simulate};

use crate::{changed, ms};

const ONCE: &str = "workload: { closed: { vus: 1 }, iterations: 1 }";

/// A step that requests this URL, which may have `${iteration}` and `${vu}` in it, under the name of its path.
fn get(url: &str) -> Step {
    let name = url.split('?').next().unwrap_or_default();
    let steps = format!("[{{ get: \"{url}\", name: \"{name}\" }}]");
    requests("http://h.test", &steps, ONCE).scenarios[0].steps[0].clone()
}

/// The same with this changed in it.
fn with(mut step: Step, change: impl FnOnce(&mut nmax_plan::plan::Call)) -> Step {
    let Step::Call(request) = &mut step else { panic!("no request") };
    change(Arc::make_mut(request));
    step
}

fn page(url: &str) -> Step {
    with(get(url), |request| {
        request.http_mut().unwrap().page = Some(Page { listed: Vec::new(), discover: Discover::Nothing });
    })
}

fn slot(slot: usize) -> Template {
    Template { parts: vec![Part::Slot(slot)] }
}

fn compare(left: Template, comparison: Comparison, right: &str) -> Condition {
    Condition::Compare { left, comparison, right: Template::text(right) }
}

fn repeat(times: &str, steps: Vec<Step>) -> Step {
    Step::Loop(Loop { until: LoopEnd::Times(Template::text(times)), counter: None, steps })
}

fn group(name: &str, steps: Vec<Step>) -> Step {
    Step::Transaction(Transaction { name: name.into(), steps })
}

fn think(from_ms: u64, to_ms: u64) -> Step {
    Step::Think(ThinkTime::Uniform { min: Duration::from_millis(from_ms), max: Duration::from_millis(to_ms) })
}

/// A plan of one scenario with these steps and slots.
fn plan(steps: Vec<Step>, slots: &[&str], keys: &str) -> Arc<Plan> {
    changed(&requests("http://h.test", "[{ get: / }]", keys), |plan| {
        plan.scenarios[0].steps = steps;
        plan.scenarios[0].slots = slots.iter().map(|slot| (*slot).to_owned()).collect();
    })
}

/// Replies after 5 to 14 ms; with 500 to every seventh request for something that has `weak` in its path.
fn moody() -> impl Server {
    move |call: &Call<'_>| {
        let status = if call.target().contains("weak") && call.number % 7 == 3 { 500 } else { 200 };
        Answer::Bytes(call.at + ms(5 + call.number % 10), reply_with(status, "", "yes"))
    }
}

fn run(plan: &Arc<Plan>, workers: u32) -> Simulated {
    let options = Options { workers, requests: KeepRequests::All, ..Options::all() };
    simulate(plan, moody(), &options)
}

/// Paths and queries in the order of sending.
fn targets(sent: &[Sent]) -> Vec<String> {
    let target = |sent: &Sent| {
        let text = String::from_utf8_lossy(&sent.bytes).into_owned();
        text.split(' ').nth(1).unwrap().to_owned()
    };
    sent.iter().map(target).collect()
}

fn sent_once(steps: Vec<Step>, slots: &[&str]) -> (Vec<String>, Simulated) {
    let run = run(&plan(steps, slots, ONCE), 1);
    (targets(&run.transcript), run)
}

/// Kinds and texts of what failed.
fn told(run: &Simulated) -> Vec<(&str, &str)> {
    run.failures.iter().map(|failure| (failure.kind.as_str(), failure.text.as_str())).collect()
}

/// Completed and failed iterations.
fn iterations(run: &Simulated) -> (u64, u64) {
    let whole = run.whole();
    let stats = whole.scenarios.get(Section::Hold, 0).unwrap();
    (stats.completed, stats.failed)
}

/// What a document says in steps within steps is what its users do.
#[test]
fn a_document_is_done_as_it_is_written() {
    let text = r#"
nmax: 1
target: http://h.test
scenarios:
  shop:
    setup:
      - get: /login
        extract: { user: { regex: "([a-z]+)" } }
    steps:
      - get: "/home?${user}"
        page: true
      - set: { n: "${random(3, 3)}", mark: "${hash('sha1', 'x')}" }
      - transaction: search
        steps:
          - repeat: ${n}
            as: i
            steps:
              - if: "${i} != 2"
                then: [{ get: "/item/${i}", page: true }]
                else: [{ get: "/other/${i}" }]
      - while: "${mark} contains 11f6"
        max: 3
        steps:
          - get: /marked
          - set: { mark: done }
      - choose:
          - { weight: 1, steps: [{ get: /one }] }
      - if: { all: ["${n} >= 3", { not: "${user} == bob" }] }
        then: [{ fail: "sold out of ${n}" }]
      - get: /never
    teardown:
      - get: "/logout?${user}"
workload: { closed: { vus: 1 }, iterations: 1 }
"#;
    let run = run(&nmax_testkit::plans::plan(text), 1);
    let expected = ["/login", "/home?yes", "/item/1", "/other/2", "/item/3", "/marked", "/one", "/logout?yes"];
    assert_eq!(targets(&run.transcript), expected);
    assert_eq!(told(&run), [("end", "sold out of 3")]);
    assert_eq!(run.catalog.transactions, ["search"]);
    let arrows: Vec<&str> = run.catalog.transitions.iter().map(String::as_str).collect();
    assert_eq!(arrows, ["GET /home -> GET /item/${i}", "GET /item/${i} -> GET /item/${i}"]);
}
