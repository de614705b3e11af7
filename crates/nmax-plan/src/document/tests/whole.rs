//! One document with every key, and what becomes of it.

use std::time::Duration;

use super::super::tree::{self, Node, Value};
use super::{env, options, rendered};
use crate::document::keys::{DECISION, ROOT, STEP, Shape, Table};
use crate::document::{Options, parse};
use crate::plan::*;
use crate::schedule::{Stage, StageKind};
use crate::template::{Part, Template};
use crate::threshold::{Metric, Scope};

/// Valid, and uses every key at least once; two keys that exclude each other stand in different steps.
const EVERY_KEY: &str = include_str!("every_key.yaml");

fn plan(text: &str) -> Plan {
    parse(text, &options()).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

fn small(rest: &str) -> String {
    format!("nmax: 1\ntarget: http://a\nscenarios: {{ s: {{ steps: [{{ get: / }}] }} }}\n{rest}")
}

fn request(plan: &Plan, scenario: usize, step: usize) -> &Call {
    match &plan.scenarios[scenario].steps[step] {
        Step::Call(request) => request,
        _ => panic!("a request"),
    }
}

#[test]
fn every_key_has_its_meaning() {
    let plan = plan(EVERY_KEY);
    let text = Template::text;
    assert_eq!((plan.name.as_str(), plan.target.as_str()), ("everything", "https://shop.test"));
    assert_eq!(plan.defaults.connection, Connection::PerIteration);
    assert_eq!(plan.defaults.visitor, Visitor::Mixed(0.3));
    assert_eq!(plan.defaults.version, Version::Http10);
    assert_eq!(plan.defaults.headers, [("Authorization".into(), text("Bearer secret \"1\""))]);
    assert_eq!((plan.defaults.body_limit_bytes, plan.defaults.insecure), (1 << 20, true));
    assert_eq!(plan.defaults.ca_files, ["ca.pem", "more.pem"]);
    assert_eq!((plan.feeders[0].pick, &*plan.feeders[0].cell(7, 1, 0)), (Pick::Zipf { exponent: 1.1 }, "a, b"));
    assert_eq!((plan.feeders[0].per, plan.feeders[1].per), (Per::Request, Per::Iteration));
    assert_eq!(
        (plan.feeders[1].pick, plan.feeders[1].at_end, plan.feeders[1].columns.len()),
        (Pick::Unique, AtEnd::Error, 2)
    );
    let browse = &plan.scenarios[0];
    assert_eq!((browse.weight, browse.pacing), (90.0, Some(Duration::from_secs(5))));
    assert_eq!(browse.slots, ["item", "price", "next", "id"]);
    let search = request(&plan, 0, 0);
    assert_eq!(search.name, text("search"));
    let parts = [Part::Text("/search?q=".into()), Part::Feeder { feeder: 0, column: 0 }];
    assert_eq!(search.http().unwrap().url.parts, parts);
    assert_eq!(search.http().unwrap().query.len(), 3, "a list repeats its name");
    assert_eq!(search.expect.status, [(200, 200), (300, 399), (404, 410)]);
    let names: Vec<&str> = search.expect.checks.iter().map(|check| check.name.as_str()).collect();
    let want = [
        "contains Results",
        "contains for ${terms.q}",
        "lacks Error",
        "header content-type contains html",
        "header x-cache absent",
        "json $.count > 0",
        "json $.count != ${terms.q}",
        "json $.state == open",
        "json $.id exists",
        "json $.error == null",
        "json $.n == 5",
        "json $.say == > 0",
        "max_time 500ms",
        "finds css a.item",
        "finds header x-id match ^a",
    ];
    assert_eq!(names, want);
    let item = &search.extract[0];
    assert_eq!(item.source, ReplyPart::Css { selector: "a.item".into(), attribute: Some("href".into()) });
    assert_eq!((item.pick, item.default.as_deref()), (MatchPick::Random, Some("/")));
    assert_eq!(search.extract[1].pick, MatchPick::Nth(2));
    let id = ReplyPart::Part { of: Box::new(ReplyPart::Header("x-id".into())), pattern: r"id=(\d+)".into() };
    assert_eq!(search.extract[3].source, id);
    let metrics: Vec<String> = search.metrics.iter().map(|of| of.metric.to_string()).collect();
    assert_eq!(metrics, ["trend hits hits", "rate cached", "gauge price EUR", "counter items"]);
    assert_eq!(
        (search.metrics[0].pick, &search.metrics[1].source),
        (MatchPick::Last, &ReplyPart::Header("age".into()))
    );
    assert_eq!(search.timeout, Some(Duration::from_secs(5)));
    assert_eq!(request(&plan, 0, 5).name, text("GET ${item}"), "default name, as written");
    let thinks: Vec<ThinkTime> = browse
        .steps
        .iter()
        .filter_map(|step| if let Step::Think(think) = step { Some(*think) } else { None })
        .collect();
    let (s, ms) = (Duration::from_secs, Duration::from_millis);
    let want = [
        ThinkTime::Fixed(s(2)),
        ThinkTime::Uniform { min: s(1), max: s(3) },
        ThinkTime::Lognormal { median: s(3), p95: s(9) },
        ThinkTime::Fixed(ms(100)),
    ];
    assert_eq!(thinks, want);
    assert_eq!(plan.workload, Workload::Closed { vus: 50 });
    assert_eq!((plan.iterations, plan.seed, plan.graceful_stop, plan.window), (Some(1_000), 7, s(5), ms(100)));
    assert_eq!(plan.thresholds.len(), 4);
    assert_eq!(plan.thresholds[1].scope, Scope::Request("GET ${item}".into()));
    assert_eq!(plan.thresholds[3].metric, Metric::Dropped, "a default joins; that on failure_rate is overridden");
}

/// A number is a call that makes all of a value; within a text it is a part of that, and so it is in a key.
#[test]
fn numbers_in_json_have_no_quotes() {
    let cases = [
        ("{ n: \"${number(id)}\" }", r#"{"n":${number(id)}}"#),
        ("[\"${number(random(1, 5))}\", \"${id}\", 5]", r#"[${number(random(1, 5))},"${id}",5]"#),
        ("{ n: \"no ${number(id)}\" }", r#"{"n":"no ${number(id)}"}"#),
        ("{ \"${number(id)}\": 1 }", r#"{"${number(id)}":1}"#),
    ];
    for (json, want) in cases {
        let steps = format!("[{{ set: {{ id: 7 }} }}, {{ post: /, json: {json} }}]");
        let plan = plan(&format!(
            "nmax: 1\ntarget: http://a\nscenarios: {{ s: {{ steps: {steps} }} }}\nworkload: {{ closed: {{ vus: 1 }} }}"
        ));
        let Body::Json(json) = &request(&plan, 0, 1).http().unwrap().body else { panic!("JSON") };
        assert_eq!(json.source(plan.labels(&plan.scenarios[0])), want);
    }
}

#[test]
fn bodies() {
    let plan = plan(EVERY_KEY);
    let Body::Json(json) = &request(&plan, 1, 0).http().unwrap().body else { panic!("JSON") };
    let source = json.source(plan.labels(&plan.scenarios[1]));
    assert_eq!(source, r#"{"name":"${people.name}","tags":["a \"b\"",5,true,null,"5"],"token":"secret \"1\""}"#);
    let Body::Json(json) = &request(&plan, 1, 1).http().unwrap().body else { panic!("JSON") };
    assert_eq!(json.source(plan.labels(&plan.scenarios[1])), r#"{"n": ${iteration}, "t": "secret \"1\""}"#);
    assert!(matches!(&request(&plan, 1, 2).http().unwrap().body, Body::Text(text) if text.parts.len() == 4));
    assert!(matches!(&request(&plan, 1, 3).http().unwrap().body, Body::Form(form) if form.len() == 2));
}

/// Stages worked by hand: kinds, levels, and where the warm-up goes.
#[test]
fn stages_worked_by_hand() {
    use StageKind::{Hold, RampDown, RampUp, WarmUp};
    let cases = [
        ("workload: { open: { rate: 40/s } }", vec![(40.0, 40.0, Some(30), Hold)], "30 s by default"),
        (
            "workload: { open: { rate: 40/s } }\nduration: 5s\nwarm_up: 2s",
            vec![(40.0, 40.0, Some(2), WarmUp), (40.0, 40.0, Some(5), Hold)],
            "warm-up comes first",
        ),
        (
            "workload: { closed: { vus: 4 }, iterations: 9 }",
            vec![(4.0, 4.0, None, Hold)],
            "iterations alone end the run",
        ),
        (
            "workload: { closed: { vus: 4 }, iterations: 9 }\nduration: 5s",
            vec![(4.0, 4.0, Some(5), Hold)],
            "whichever ends first",
        ),
        (
            "workload: { open: { rate: 40/s } }\nwarm_up: 3s\nstages: [{ ramp: 1s, to: 50% }, { hold: 2s }, { ramp: 1s, to: 60/s }, { hold: 4s }, { ramp: 1s, to: 0 }]",
            vec![
                (0.0, 20.0, Some(1), RampUp),
                (20.0, 20.0, Some(3), WarmUp),
                (20.0, 20.0, Some(2), Hold),
                (20.0, 60.0, Some(1), RampUp),
                (60.0, 60.0, Some(4), Hold),
                (60.0, 0.0, Some(1), RampDown),
            ],
            "ramps begin where the stage before ended; the warm-up holds the first hold's level",
        ),
        (
            "workload: { closed: { vus: 10 } }\nstages: [{ hold: 1s }, { hold: 1s, to: 50 }, { ramp: 1s, to: 5 }]",
            vec![(10.0, 10.0, Some(1), Hold), (50.0, 50.0, Some(1), Hold), (50.0, 5.0, Some(1), RampDown)],
            "a first hold is at 100 %; a hold may jump",
        ),
    ];
    for (rest, want, why) in cases {
        let want: Vec<Stage> = want
            .into_iter()
            .map(|(from, to, length_s, kind)| Stage {
                from,
                to,
                length_ns: length_s.map(|s: u64| s * 1_000_000_000),
                kind,
            })
            .collect();
        assert_eq!(plan(&small(rest)).stages, want, "{why}");
    }
}

#[test]
fn weights_of_the_mix() {
    let weights = |mix: &str| {
        let text = format!(
            "nmax: 1\ntarget: http://a\nscenarios: {{ a: {{ steps: [{{ get: / }}] }}, b: {{ steps: [{{ get: / }}] }} }}\nworkload: {{ open: {{ rate: 1/s }}{mix} }}"
        );
        plan(&text).scenarios.iter().map(|scenario| scenario.weight).collect::<Vec<_>>()
    };
    assert_eq!(weights(""), [1.0, 1.0], "without a mix all are equal");
    assert_eq!(weights(", mix: { b: 2.5 }"), [0.0, 2.5], "a mix leaves the others out");
}

#[test]
fn arguments_override_the_document() {
    let text = small("workload: { open: { rate: \"${env.RATE}\" } }\nseed: 3\nduration: 9s");
    let set = [
        ("workload.open.rate".to_owned(), "9/s".to_owned()),
        ("name".into(), "x".into()),
        ("scenarios.s.steps.0.get".into(), "/y".into()),
        ("duration".into(), "null".into()),
        ("defaults.tls.insecure".into(), "true".into()),
    ];
    let changed = Options { target: Some("https://b:8443/"), set: &set, seed: Some(5), ..options() };
    assert_eq!(
        plan(&text).workload,
        Workload::Open { rate_per_s: 7.0, arrivals: Arrivals::Even, max_in_flight: 10_000 }
    );
    let plan = parse(&text, &changed).unwrap();
    assert_eq!(plan.workload, Workload::Open { rate_per_s: 9.0, arrivals: Arrivals::Even, max_in_flight: 10_000 });
    assert_eq!((plan.name.as_str(), plan.target.as_str(), plan.seed), ("x", "https://b:8443", 5));
    assert_eq!(request(&plan, 0, 0).http().unwrap().url, Template::text("/y"));
    assert_eq!(plan.stages[0].length_ns, Some(30_000_000_000), "null removes the key");
    assert!(plan.defaults.insecure, "missing maps are made");
    let staged = small("workload: { open: { rate: 7/s } }\nstages: [{ ramp: 2s, to: 100% }, { hold: 9s }]");
    let held = Options { duration: Some(Duration::from_secs(1)), ..options() };
    let stages = parse(&staged, &held).unwrap().stages;
    let lengths: Vec<_> = stages.iter().map(|stage| stage.length_ns).collect();
    assert_eq!(lengths, [Some(2_000_000_000), Some(1_000_000_000)], "the only hold lasts that long");
    let shorter = Options { duration: Some(Duration::from_secs(1)), ..options() };
    assert_eq!(parse(&text, &shorter).unwrap().stages[0].length_ns, Some(1_000_000_000));
}

/// Law: a key of the tables that the decoder ignores would let a nonsense value pass. None does.
#[test]
fn every_key_of_the_tables_is_decoded() {
    static ONE: Shape = Shape::Object(&STEP);
    static STEPS: Shape = Shape::List(&ONE);
    fn keys(
        shape: &Shape,
        node: &Node,
        path: &str,
        out: &mut Vec<String>,
        seen: &mut Vec<(&'static str, &'static str)>,
    ) {
        match (shape, &node.value) {
            (Shape::Object(table), Value::Map(_)) => walk(table, node, path, out, seen),
            (Shape::Condition, Value::Map(_)) => walk(&DECISION, node, path, out, seen),
            (Shape::Steps, Value::List(_)) => keys(&STEPS, node, path, out, seen),
            (Shape::List(item), Value::List(items)) => {
                items.iter().enumerate().for_each(|(i, node)| keys(item, node, &format!("{path}.{i}"), out, seen));
            }
            (Shape::Map(value), Value::Map(entries)) => {
                entries.iter().for_each(|entry| keys(value, &entry.value, &format!("{path}.{}", entry.key), out, seen));
            }
            (Shape::Either(shapes), _) => shapes.iter().for_each(|shape| keys(shape, node, path, out, seen)),
            _ => {}
        }
    }
    fn walk(
        table: &'static Table,
        node: &Node,
        path: &str,
        out: &mut Vec<String>,
        seen: &mut Vec<(&'static str, &'static str)>,
    ) {
        let Value::Map(entries) = &node.value else { return };
        for entry in entries {
            let key = table.keys.iter().find(|key| key.name == entry.key).unwrap();
            let path = if path.is_empty() { entry.key.clone() } else { format!("{path}.{}", entry.key) };
            seen.push((table.what, key.name));
            keys(&key.shape, &entry.value, &path, out, seen);
            out.push(path);
        }
    }
    fn all(table: &'static Table, out: &mut Vec<(&'static str, &'static str)>) {
        fn inner(shape: &Shape, out: &mut Vec<(&'static str, &'static str)>) {
            match shape {
                Shape::Object(table) => all(table, out),
                Shape::List(shape) | Shape::Map(shape) => inner(shape, out),
                Shape::Either(shapes) => shapes.iter().for_each(|shape| inner(shape, out)),
                _ => {}
            }
        }
        for key in table.keys {
            out.push((table.what, key.name));
            inner(&key.shape, out);
        }
    }
    let open =
        small("workload: { open: { rate: 1/s, arrivals: poisson, max_in_flight: 5 }, mix: { s: 1 } }\nduration: 1s\npacing_slack: 50us")
            .replace("{ get: / }", "{ post: /, body: a, expect_continue: true }");
    let (mut seen, mut wanted) = (Vec::new(), Vec::new());
    let profiles = super::run::profiles();
    let texts = [EVERY_KEY, open.as_str(), super::run::RUN_KEYS].into_iter();
    for text in texts.chain(profiles.iter().map(String::as_str)) {
        assert_eq!(rendered(text, &options()), "");
        let tree = tree::parse(text, None, &mut Vec::new()).unwrap();
        let mut paths = Vec::new();
        walk(&ROOT, &tree, "", &mut paths, &mut seen);
        for path in paths {
            // JSON bodies may be anything but a broken hole; other values are no list of lists.
            let set = [(path.clone(), "[[\"${oops\"]]".to_owned())];
            assert!(parse(text, &Options { set: &set, ..options() }).is_err(), "`{path}` is not decoded");
        }
    }
    for table in [&ROOT, &STEP, &DECISION] {
        all(table, &mut wanted);
    }
    wanted.retain(|key| !seen.contains(key));
    assert_eq!(wanted, [], "every key appears in the documents of this test");
    assert!(env("TOKEN").is_some());
}
