//! What goes on the wire, and what is made of the replies.

use nmax_metrics::{Code, ErrorKind, Outcome, Section};
use nmax_testkit::plans::{plan, requests};
use nmax_testkit::sim::{Answer, Call, KeepRequests, Options, Server, Simulated, instant, reply_with, simulate};

use crate::ms;

const ONCE: &str = "workload: { closed: { vus: 1 }, iterations: 1 }";

/// What one iteration of these steps sends.
fn sent(steps: &str, keys: &str, server: impl Server) -> Vec<String> {
    let plan = requests("http://shop.test:8080", steps, &format!("{ONCE}\n{keys}"));
    let run = simulate(&plan, server, &Options { requests: KeepRequests::All, ..Options::all() });
    run.transcript.iter().map(|sent| String::from_utf8_lossy(&sent.bytes).into_owned()).collect()
}

/// The lines that every request of these tests has, with this method, target and connection.
fn head(line: &str, connection: &str) -> String {
    let agent = concat!("nmax/", env!("CARGO_PKG_VERSION"));
    format!("{line}\r\nhost: shop.test:8080\r\nuser-agent: {agent}\r\naccept: */*\r\nconnection: {connection}\r\n")
}

#[test]
fn requests_are_written_as_the_plan_says() {
    let json = "content-type: application/json\r\ncontent-length: ";
    let form = "content-type: application/x-www-form-urlencoded\r\ncontent-length: ";
    let cases = [
        ("{ get: / }", "", head("GET / HTTP/1.1", "keep-alive") + "\r\n"),
        ("{ head: /a }", "defaults: { version: 1.0 }", head("HEAD /a HTTP/1.0", "keep-alive") + "\r\n"),
        ("{ get: / }", "defaults: { connection: per-request }", head("GET / HTTP/1.1", "close") + "\r\n"),
        ("{ post: /a }", "", head("POST /a HTTP/1.1", "keep-alive") + "content-length: 0\r\n\r\n"),
        ("{ delete: /a }", "", head("DELETE /a HTTP/1.1", "keep-alive") + "\r\n"),
        (
            "{ get: \"/s?a=1\", query: { q: \"tea & cake\", n: \"${iteration}\" } }",
            "",
            head("GET /s?a=1&q=tea%20%26%20cake&n=0 HTTP/1.1", "keep-alive") + "\r\n",
        ),
        (
            "{ get: /, headers: { X-B: two, X-C: three } }",
            "defaults: { headers: { x-a: one, x-b: default } }",
            head("GET / HTTP/1.1", "keep-alive") + "x-a: one\r\nX-B: two\r\nX-C: three\r\n\r\n",
        ),
        (
            "{ put: /a, json: { name: \"vu ${vu}\", list: [1, true] } }",
            "",
            head("PUT /a HTTP/1.1", "keep-alive") + json + "33\r\n\r\n{\"name\":\"vu 0\",\"list\":[1,true]}",
        ),
        (
            "{ put: /a, json: { id: \"${number(iteration)}\", price: \"${number('-2.50')}\", name: \"no ${number(vu)}\" } }",
            "",
            head("PUT /a HTTP/1.1", "keep-alive") + json + "37\r\n\r\n{\"id\":0,\"price\":-2.50,\"name\":\"no 0\"}",
        ),
        (
            "{ post: /a, form: { mail: \"a+b@c.test\", word: \"correct horse\" } }",
            "",
            head("POST /a HTTP/1.1", "keep-alive") + form + "41\r\n\r\nmail=a%2Bb%40c.test&word=correct+horse",
        ),
        (
            "{ patch: /a, body: \"raw ${iteration}\", headers: { content-type: text/x } }",
            "",
            head("PATCH /a HTTP/1.1", "keep-alive") + "content-type: text/x\r\ncontent-length: 5\r\n\r\nraw 0",
        ),
    ];
    for (step, keys, expected) in cases {
        let found = sent(&format!("[{step}]"), keys, instant(ms(1)));
        // The length line is checked against the body itself.
        let (found_head, body) = found[0].split_once("\r\n\r\n").unwrap();
        let (expected_head, expected_body) = expected.split_once("\r\n\r\n").unwrap();
        assert_eq!(body, expected_body, "{step}");
        let without_length = |head: &str| {
            let lines = head.lines().filter(|line| !line.starts_with("content-length"));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(without_length(found_head), without_length(expected_head), "{step}");
        let length = found_head.lines().find_map(|line| line.strip_prefix("content-length: "));
        assert_eq!(
            length.map(|length| length.parse().unwrap()),
            expected_head.contains("content-length").then_some(body.len())
        );
    }
}

/// Gives `/list` a page of links, everything else an empty one.
fn page(body: &str) -> impl Server + use<> {
    let (list, other) = (reply_with(200, "", body), reply_with(200, "", ""));
    move |call: &Call<'_>| {
        let reply = if call.target().starts_with("/list") { &list } else { &other };
        Answer::Bytes(call.at + ms(1), reply.clone())
    }
}

#[test]
fn links_are_followed_as_a_browser_would() {
    let cases = [
        ("item/7", "GET /list/item/7 HTTP/1.1\r\nhost: shop.test:8080\r\n"),
        ("/item/7", "GET /item/7 HTTP/1.1\r\nhost: shop.test:8080\r\n"),
        ("../x?y=1", "GET /x?y=1 HTTP/1.1\r\nhost: shop.test:8080\r\n"),
        ("http://cdn.test/x#top", "GET /x HTTP/1.1\r\nhost: cdn.test\r\n"),
    ];
    for (link, expected) in cases {
        let steps = "[{ get: /list/all, extract: { link: { css: \"a@href\" } } }, { get: \"${link}\", name: next }]";
        let found = sent(steps, "", page(&format!("<a href=\"{link}\">x</a>")));
        assert!(found[1].starts_with(expected), "{link}: {}", found[1]);
    }
}

/// Data cannot add headers or requests.
#[test]
fn line_breaks_in_values_stay_in_their_line() {
    let steps =
        "[{ get: /list, extract: { v: { regex: \"(?s)<(.*)>\" } } }, { get: \"/a/${v}\", headers: { x-v: \"${v}\" } }]";
    let found = sent(steps, "", page("<a\r\nx-evil: 1\r\n\r\nGET /b>"));
    assert_eq!(found.len(), 2);
    assert!(found[1].starts_with("GET /a/"), "{}", found[1]);
    assert!(!found[1].lines().any(|line| line.starts_with("x-evil")), "{}", found[1]);
    assert_eq!(found[1].matches("\r\n\r\n").count(), 1, "{}", found[1]);
}

/// A value that makes no URL is an error of its exchange, and the iteration ends.
#[test]
fn a_value_that_is_no_url_is_an_error() {
    let steps =
        "[{ get: /list, extract: { link: { css: \"a@href\" } } }, { get: \"${link}\", name: next }, { get: /after }]";
    let plan = requests("http://shop.test", steps, ONCE);
    let run = simulate(&plan, page("<a href=\"http://[broken\">"), &Options::all());
    let outcomes: Vec<Outcome> = run.raw.iter().map(|raw| raw.sample.outcome).collect();
    assert_eq!(outcomes, [Outcome::Ok, Outcome::Error(ErrorKind::Protocol)]);
    assert_eq!(run.raw[1].sample.sent, None);
    assert!(run.failures[0].text.contains("[broken"), "{}", run.failures[0].text);
}

/// The example of the reference is what is sent.
#[test]
fn numbers_of_json_are_those_of_the_reference() {
    let page = include_str!("../../../../docs/reference/plan.md");
    let json = page.lines().find_map(|line| line.trim().strip_prefix("json: { product: ")).unwrap();
    let want = page.lines().find_map(|line| line.strip_prefix("sends `")?.split('`').next()).unwrap();
    let steps = format!("[{{ set: {{ id: 116, name: Ada }} }}, {{ post: /, json: {{ product: {json} }}]");
    let sent = sent(&steps, "", instant(ms(1)));
    assert_eq!(sent[0].split_once("\r\n\r\n").unwrap().1, want);
}

/// A value that is to be a number and is none fails its iteration, in place of a body that is not JSON.
#[test]
fn what_is_to_be_a_number_is_one_or_fails() {
    let steps = "[{ set: { id: tea } }, { post: /, json: { id: \"${number(id)}\" } }]";
    let run = ten(steps, 200, "");
    assert_eq!((run.totals.total(Section::Hold).count(), run.failures.len()), (10, 10));
    assert!(run.failures.iter().all(|failure| failure.text.contains("`tea` is not a number")), "{:?}", run.failures[0]);
}

/// Ten iterations of these steps against a server with this reply.
fn ten(steps: &str, status: u16, body: &str) -> Simulated {
    let reply = reply_with(status, "x-id: abc\r\n", body);
    let plan = requests("http://h.test", steps, "workload: { closed: { vus: 2 }, iterations: 10 }");
    simulate(&plan, move |call: &Call<'_>| Answer::Bytes(call.at + ms(1), reply.clone()), &Options::all())
}

const BODY: &str = r#"{"drinks": ["tea"], "count": 10, "text": "7", "state": "open", "open": true, "error": null,
    "prices": [2, 3.5]}"#;

/// A check that fails says what was there in place of what was wanted.
#[test]
fn failed_checks_of_values_say_what_was_found() {
    let cases = [
        ("json: { $.count: '> 10' }", "check \"json $.count > 10\"", "found `10`"),
        ("json: { '$.prices[*]': '> 2' }", "check \"json $.prices[*] > 2\"", "found `2`"),
        ("json: { $.nothing: open }", "check \"json $.nothing == open\"", "found no value"),
        ("json: { $.nothing: exists }", "check \"json $.nothing exists\"", "does not hold"),
        ("max_time: 100us", "check \"max_time 100us\"", "the reply took 1ms"),
    ];
    for (expect, kind, text) in cases {
        let run = ten(&format!("[{{ get: /, expect: {{ {expect} }} }}]"), 200, BODY);
        let failure = &run.failures[0];
        assert_eq!((failure.kind.as_str(), failure.text.contains(text)), (kind, true), "{}", failure.text);
    }
}

#[test]
fn expectations_decide_what_is_ok() {
    let cases = [
        ("", 200, true),
        ("", 302, true),
        ("", 404, false),
        ("expect: { status: 404 }", 404, true),
        ("expect: { status: [2xx, 409] }", 409, true),
        ("expect: { status: 200 }", 201, false),
        ("expect: { contains: tea }", 200, true),
        ("expect: { contains: [tea, coffee] }", 200, false),
        ("expect: { lacks: coffee }", 200, true),
        ("expect: { lacks: tea }", 200, false),
        ("expect: { header: { x-id: b } }", 200, true),
        ("expect: { header: { x-id: z } }", 200, false),
        ("expect: { finds: { json: \"$.drinks[0]\" } }", 200, true),
        ("expect: { finds: { json: \"$.drinks[7]\" } }", 200, false),
        ("expect: { header: { x-cache: absent } }", 200, true),
        ("expect: { header: { x-id: absent } }", 200, false),
        ("expect: { json: { $.count: '> 9' } }", 200, true),
        ("expect: { json: { $.count: '> 10' } }", 200, false),
        ("expect: { json: { $.count: ['>= 10', '<= 10', 10, 1e1] } }", 200, false),
        ("expect: { json: { $.count: ['>= 10', '<= 10', 10, 10.0, '!= 7'] } }", 200, true),
        ("expect: { json: { $.text: '< 10' } }", 200, true),
        ("expect: { json: { $.text: '== 7' } }", 200, true),
        ("expect: { json: { $.open: true, $.error: null, $.state: open } }", 200, true),
        ("expect: { json: { $.state: closed } }", 200, false),
        ("expect: { json: { $.state: contains pe } }", 200, true),
        ("expect: { json: { '$.prices[*]': '> 1' } }", 200, true),
        ("expect: { json: { '$.prices[*]': '> 2' } }", 200, false),
        ("expect: { json: { '$.nothing': '!= 2' } }", 200, false),
        ("expect: { json: { $.count: exists, $.nothing: absent } }", 200, true),
        ("expect: { json: { $.nothing: exists } }", 200, false),
        ("expect: { json: { $.error: absent } }", 200, false),
        ("expect: { json: { $.vu: \"${vu}\" } }", 200, false),
        ("expect: { max_time: 1ms, header: { x-cache: absent } }", 200, true),
        ("expect: { max_time: 999us }", 200, false),
    ];
    for (expect, status, is_ok) in cases {
        let comma = if expect.is_empty() { "" } else { ", " };
        let run = ten(&format!("[{{ get: /{comma}{expect} }}]"), status, BODY);
        let stats = run.totals.total(Section::Hold);
        assert_eq!((stats.ok(), stats.failed()), if is_ok { (10, 0) } else { (0, 10) }, "{expect} {status}");
        assert_eq!(stats.status, [(Code::new(status), 10)]);
        if !run.catalog.checks.is_empty() {
            let check = |index| run.totals.checks.get(Section::Hold, index).map(|check| (check.passed, check.failed));
            let last = run.catalog.checks.len() - 1;
            if run.catalog.checks.len() == 1 || is_ok {
                assert_eq!(check(last), Some(if is_ok { (10, 0) } else { (0, 10) }), "{expect}");
            }
        }
    }
}

/// Trap: `lacks` holds because only the beginning of a long body was looked at.
#[test]
fn a_check_that_the_beginning_of_a_body_does_not_decide_fails_and_says_so() {
    let body = format!("tea {} coffee", " ".repeat(16 << 20));
    let reply = reply_with(200, "x-id: abc\r\n", &body);
    let cases = [
        ("expect: { contains: tea }", None),
        ("expect: { contains: coffee }", Some("not decided")),
        ("expect: { lacks: coffee }", Some("not decided")),
        ("expect: { lacks: milk }", Some("not decided")),
        ("expect: { lacks: tea }", Some("does not hold")),
        ("expect: { finds: { regex: te. } }", None),
        ("expect: { finds: { regex: \"^[^x]*$\" } }", Some("not decided")),
        ("expect: { finds: { json: $ } }", Some("not decided")),
        ("expect: { finds: { css: html } }", Some("not decided")),
        ("expect: { json: { $: '> 0' } }", Some("not decided")),
        ("expect: { json: { $: absent } }", Some("not decided")),
        ("expect: { header: { x-cache: absent }, max_time: 1s }", None),
        ("expect: { header: { x-id: b }, contains: tea }", None),
        ("extract: { id: { header: x-id } }", None),
        ("extract: { word: { regex: te. } }", Some("not decided")),
        ("extract: { word: { regex: te., default: none } }", Some("not decided")),
    ];
    for (keys, want) in cases {
        let plan = requests("http://h.test", &format!("[{{ get: /, {keys} }}]"), ONCE);
        let reply = reply.clone();
        let run =
            simulate(&plan, move |call: &Call<'_>| Answer::Bytes(call.at + ms(1), reply.clone()), &Options::all());
        match (want, run.failures.first()) {
            (None, None) => assert_eq!(run.totals.total(Section::Hold).ok(), 1, "{keys}"),
            (Some(want), Some(failure)) => {
                let is_kind = failure.kind.starts_with("check") || failure.kind.starts_with("extract");
                assert!(is_kind && failure.text.contains(want), "{keys}: {} {}", failure.kind, failure.text);
            }
            (want, failure) => panic!("{keys}: wanted {want:?}, got {failure:?}"),
        }
    }
}

/// A page may be longer each time; only a check makes that a failure. ab calls it one by itself.
#[test]
fn a_change_of_length_is_no_failure() {
    let plan = requests("http://h.test", "[{ get: / }]", "workload: { closed: { vus: 1 }, iterations: 10 }");
    let longer = |call: &Call<'_>| {
        let body = "x".repeat(call.at.as_millis_f64() as usize);
        Answer::Bytes(call.at + ms(1), reply_with(200, "", &body))
    };
    let run = simulate(&plan, longer, &Options::all());
    let mut bytes: Vec<u64> = run.raw.iter().map(|raw| raw.sample.bytes_received).collect();
    bytes.dedup();
    assert_eq!(bytes.len(), 10, "the lengths differ: {bytes:?}");
    let stats = run.totals.total(Section::Hold);
    assert_eq!((stats.ok(), stats.failed()), (10, 0));
}

#[test]
fn values_are_taken_as_the_plan_says() {
    let cases = [
        ("{ json: \"$.drinks[*]\" }", "tea"),
        ("{ json: \"$.drinks[*]\", pick: last }", "milk"),
        ("{ json: \"$.drinks[*]\", pick: 2 }", "mate"),
        ("{ regex: \"t(e.)\" }", "ea"),
        ("{ header: x-id }", "abc"),
        ("{ json: \"$.food\", default: none }", "none"),
    ];
    for (source, expected) in cases {
        let text = format!(
            "nmax: 1\ntarget: http://h.test\n{ONCE}\nscenarios: {{ a: {{ steps: [\
             {{ get: /a, extract: {{ v: {source} }} }}, {{ get: \"/b/${{v}}\" }}] }} }}"
        );
        let reply = reply_with(200, "x-id: abc\r\n", r#"{"drinks": ["tea", "mate", "milk"]}"#);
        let server = move |call: &Call<'_>| Answer::Bytes(call.at + ms(1), reply.clone());
        let run = simulate(&plan(&text), server, &Options { requests: KeepRequests::All, ..Options::all() });
        let line = String::from_utf8_lossy(&run.transcript[1].bytes).lines().next().unwrap().to_owned();
        assert_eq!(line, format!("GET /b/{expected} HTTP/1.1"), "{source}");
    }
}
