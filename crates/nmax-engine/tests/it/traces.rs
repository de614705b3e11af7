//! `traceparent`: each request is a span of its iteration's trace, whatever makes it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nmax_metrics::Nanos;
use nmax_plan::plan::Plan;
use nmax_testkit::plans::requests;
use nmax_testkit::sim::{Answer, Call, KeepRequests, Options, Simulated, reply_with, simulate};

use crate::ms;

/// A page with a resource, a redirect, a cookie, a request with a hole, and one that fails.
const STEPS: &str = "[{ get: /page, page: true, resources: [/picture.png] }, { get: /old, redirects: follow }, { get: '/item?n=${iteration}' },
    { post: /fixed, body: x }, { get: /broken }]";

fn plan(trace: &str) -> Arc<Plan> {
    let keys = format!("workload: {{ closed: {{ vus: 3 }}, iterations: 40 }}\ndefaults: {{ {trace} cookies: keep }}");
    requests("http://server.test", STEPS, &keys)
}

fn run(plan: &Arc<Plan>) -> Simulated {
    let server = |call: &Call<'_>| {
        let reply = match call.target() {
            "/page" => reply_with(200, "content-type: text/html\r\nset-cookie: a=b\r\n", "<img src=/picture.png>"),
            "/old" => reply_with(302, "location: /new\r\n", ""),
            "/broken" => reply_with(500, "", ""),
            "/picture.png" => reply_with(200, "cache-control: no-store\r\n", ""),
            _ => reply_with(200, "", ""),
        };
        Answer::Bytes(call.at + ms(2), reply)
    };
    simulate(plan, server, &Options { requests: KeepRequests::All, ..Options::all() })
}

/// Trace, span and flags of each request, by its target; panics where one has not exactly one header.
fn headers(run: &Simulated) -> Vec<(String, String, String, String)> {
    let of = |bytes: &[u8]| {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let (head, _) = text.split_once("\r\n\r\n").unwrap();
        let lines: Vec<&str> = head.lines().filter_map(|line| line.strip_prefix("traceparent: ")).collect();
        assert_eq!(lines.len(), 1, "{head}");
        let parts: Vec<&str> = lines[0].split('-').collect();
        assert_eq!((parts[0], parts[1].len(), parts[2].len(), parts[3].len()), ("00", 32, 16, 2), "{head}");
        let target = head.split(' ').nth(1).unwrap();
        (target.to_owned(), parts[1].to_owned(), parts[2].to_owned(), parts[3].to_owned())
    };
    run.transcript.iter().map(|sent| of(&sent.bytes)).collect()
}

/// Law: every request carries a span of its own in the trace of its iteration, resources and redirects too; what is kept one by
/// one names it, and so do failures; the share of sampled traces is as asked.
#[test]
fn requests_are_spans_of_their_iteration() {
    let link = "https://tempo.test/{trace_id}";
    let plan = plan(&format!("trace: {{ share: 50%, link: '{link}' }},"));
    let trace = plan.defaults.trace.clone().unwrap();
    let run = run(&plan);
    let headers = headers(&run);
    let spans: BTreeSet<_> = headers.iter().map(|(_, trace, span, _)| (trace, span)).collect();
    assert_eq!(spans.len(), headers.len(), "no span is twice");
    let mut by_trace: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    headers.iter().for_each(|(target, trace, ..)| by_trace.entry(trace).or_default().push(target));
    assert_eq!(by_trace.len(), 40, "one for each iteration");
    for targets in by_trace.values_mut() {
        let item = targets.iter().position(|target| target.starts_with("/item")).unwrap();
        targets.remove(item);
        targets.sort_unstable();
        assert_eq!(*targets, ["/broken", "/fixed", "/new", "/old", "/page", "/picture.png"]);
    }
    let kept: BTreeMap<String, usize> = run.raw.iter().fold(BTreeMap::new(), |mut kept, raw| {
        *kept.entry(trace.context(plan.seed, raw.vu, raw.iteration).to_string()).or_default() += 1;
        kept
    });
    assert_eq!(kept.len(), 40);
    assert!(kept.iter().all(|(id, count)| by_trace[id.as_str()].len() + 1 == *count), "samples name their traces");
    for failure in &run.failures {
        let place = failure.text.split_once("[trace ").unwrap().1.strip_suffix(']').unwrap();
        let id = place.strip_prefix("https://tempo.test/").unwrap();
        assert!(failure.request.contains(&format!("traceparent: 00-{id}-")), "{}", failure.request);
    }
    assert!(!run.failures.is_empty());
    let sampled = headers.iter().filter(|(.., flags)| flags == "01").count() as f64 / headers.len() as f64;
    assert!((0.2..0.8).contains(&sampled), "{sampled}");
}

/// Law: traces change nothing else of a run: times, names and outcomes are the same, and equal plans send equal traces.
#[test]
fn traces_change_nothing_else() {
    let (with, without) = (run(&plan("trace: true,")), run(&plan("")));
    assert_eq!(headers(&with), headers(&run(&plan("trace: true,"))));
    assert_eq!(with.transcript.len(), without.transcript.len());
    for (with, without) in with.transcript.iter().zip(&without.transcript) {
        let text = String::from_utf8(with.bytes.clone()).unwrap();
        let rest: String = text.split_inclusive('\n').filter(|line| !line.starts_with("traceparent: ")).collect();
        assert_eq!((with.at, rest), (without.at, String::from_utf8(without.bytes.clone()).unwrap()));
    }
    assert!(headers(&with).iter().all(|(.., flags)| flags == "01"));
    assert_eq!(with.end, without.end);
    assert!(with.end > Nanos::ZERO);
}

/// A header that the plan gives itself stays, and is the only one.
#[test]
fn the_plans_own_header_stays() {
    let own = "00-11111111111111111111111111111111-2222222222222222-00";
    let keys = format!(
        "workload: {{ closed: {{ vus: 1 }}, iterations: 1 }}\ndefaults: {{ trace: true, headers: {{ TraceParent: '{own}' }} }}"
    );
    let plan = requests("http://server.test", "[{ get: /fixed }, { get: '/${iteration}' }]", &keys);
    let run = run(&plan);
    for sent in &run.transcript {
        let text = String::from_utf8(sent.bytes.clone()).unwrap().to_ascii_lowercase();
        assert_eq!(text.matches("traceparent").count(), 1, "{text}");
        assert!(text.contains(own), "{text}");
    }
}
