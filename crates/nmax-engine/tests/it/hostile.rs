//! Replies that are made to hold a worker: each exchange fails with its reason, and the run goes on.

use nmax_metrics::{Outcome, Section};
use nmax_testkit::plans::requests;
use nmax_testkit::sim::{Answer, Call, Options, Simulated, reply_with, simulate};

use crate::ms;

/// Four iterations of these steps against a server with this body.
fn four(steps: &str, body: &str) -> Simulated {
    let reply = reply_with(200, "content-type: text/html\r\n", body);
    let plan = requests("http://h.test", steps, "workload: { closed: { vus: 2 }, iterations: 4 }");
    simulate(&plan, move |call: &Call<'_>| Answer::Bytes(call.at + ms(1), reply.clone()), &Options::all())
}

#[test]
fn a_reply_that_is_given_up_fails_its_exchange_and_the_run_goes_on() {
    let deep = "<div>".repeat(400_000);
    let wide = format!("<p{}>", (0..50_000).map(|number| format!(" a{number}")).collect::<String>());
    let tags = "<a>".repeat(1 << 20);
    let json = "[".repeat(100_000);
    let ways = format!("{}1{}", "[".repeat(120), "]".repeat(120));
    let nested = "nested more than";
    // Steps, the reply, the kind of the failure, and the reason.
    let cases = [
        ("get: /, extract: { v: { css: a } }", &deep, "extract `v`", nested),
        ("get: /, extract: { v: { css: a, default: none } }", &deep, "extract `v`", nested),
        ("get: /, extract: { v: { css: a, pick: random } }", &deep, "extract `v`", nested),
        ("get: /, expect: { finds: { css: a } }", &deep, "check", nested),
        ("get: /, resources: discover", &deep, "resources", nested),
        ("get: /, extract: { v: { css: a } }", &wide, "extract `v`", "attributes"),
        ("get: /, extract: { v: { css: b } }", &tags, "extract `v`", "memory"),
        ("get: /, extract: { v: { json: $ } }", &json, "extract `v`", nested),
        ("get: /, expect: { finds: { json: \"$..*..*..*..*..x\" } }", &ways, "check", "work"),
    ];
    for (step, body, kind, reason) in cases {
        let run = four(&format!("[{{ {step} }}]"), body);
        let stats = run.totals.total(Section::Hold);
        assert_eq!((stats.ok(), stats.failed()), (0, 4), "{step}");
        assert!(run.raw.iter().all(|raw| raw.sample.outcome == Outcome::Failed), "{step}");
        let failure = &run.failures[0];
        assert!(failure.kind.starts_with(kind), "{step}: {}", failure.kind);
        assert!(failure.text.contains(reason), "{step}: {}", failure.text);
    }
}

/// A frame that is given up is a resource that failed, of a document that is well.
#[test]
fn a_frame_that_is_given_up_fails_and_its_page_does_not() {
    let document = reply_with(200, "content-type: text/html\r\n", "<iframe src=/frame></iframe><img src=/i>");
    let frame = reply_with(200, "content-type: text/html\r\n", &"<div>".repeat(100_000));
    let plan = requests(
        "http://h.test",
        "[{ get: /, resources: discover }]",
        "workload: { closed: { vus: 1 }, iterations: 3 }",
    );
    let server = move |call: &Call<'_>| {
        let reply = if call.target() == "/frame" { &frame } else { &document };
        Answer::Bytes(call.at + ms(1), reply.clone())
    };
    let run = simulate(&plan, server, &Options::all());
    let outcome = |name: &str| -> Vec<Outcome> {
        let named = run.raw.iter().filter(|raw| run.catalog.requests.name(raw.sample.name) == name);
        named.map(|raw| raw.sample.outcome).collect()
    };
    assert_eq!(outcome("GET /"), [Outcome::Ok; 3]);
    assert_eq!(outcome("GET / frame"), [Outcome::Failed; 3]);
    assert_eq!(outcome("GET / image"), [Outcome::Ok; 3]);
    assert!(run.failures[0].text.contains("nested more than"), "{}", run.failures[0].text);
}
