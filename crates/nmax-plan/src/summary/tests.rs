use super::*;
use crate::document::{self, tests::options};
use crate::plan::{Call, Loop, LoopEnd, Step};
use crate::template::Template;

fn shaped_forecast(shape: &str) -> Forecast {
    let text = format!(
        "nmax: 1\ntarget: http://a\nscenarios:\n  one: {{ weight: 3, steps: [{{ get: / }}, {{ think: 1s }}, {{ get: /b }}] }}\n  two: {{ weight: 1, steps: [{{ get: / }}] }}\n{shape}"
    );
    forecast(&document::parse(&text, &options()).unwrap())
}

/// Ramp 0 to 40/s over 10 s (200), hold 20 s (800), ramp down over 10 s (200): 1,200 iterations; three quarters have two requests.
#[test]
fn open_plans_are_known_exactly() {
    let forecast = shaped_forecast(
        "workload: { open: { rate: 40/s } }\nstages: [{ ramp: 10s, to: 100% }, { hold: 20s }, { ramp: 10s, to: 0 }]",
    );
    assert_eq!(forecast.iterations, Some(1_200));
    let counts: Vec<_> =
        forecast.scenarios.iter().map(|scenario| (scenario.share, scenario.iterations, scenario.requests)).collect();
    assert_eq!(counts, [(0.75, Some(900), Some(1_800)), (0.25, Some(300), Some(300))]);
    assert_eq!(forecast.requests, Some(2_100));
    assert_eq!(forecast.duration, Some(Duration::from_secs(40)));
    assert_eq!(forecast.peak, Peak::RatePerS(40.0));
    assert_eq!(forecast.peak_requests_per_s, Some(70.0));
}

#[test]
fn what_ends_the_run_decides() {
    let closed = shaped_forecast("workload: { closed: { vus: 7 } }");
    assert_eq!((closed.iterations, closed.requests, closed.peak), (None, None, Peak::Vus(7.0)));
    assert_eq!(closed.peak_requests_per_s, None);
    let limited = shaped_forecast("workload: { closed: { vus: 7 }, iterations: 100 }");
    assert_eq!((limited.iterations, limited.duration), (Some(100), None));
    let open = shaped_forecast("workload: { open: { rate: 10/s }, iterations: 100 }");
    assert_eq!((open.iterations, open.duration), (Some(100), None));
    let both = shaped_forecast("workload: { open: { rate: 10/s }, iterations: 100 }\nduration: 3s\nwarm_up: 2s");
    assert_eq!((both.iterations, both.duration), (Some(50), Some(Duration::from_secs(5))));
}

/// Topics and words for a plan with these defaults.
fn policy_of(defaults: &str, step: &str) -> Vec<(&'static str, String)> {
    let text = format!(
        "nmax: 1\ntarget: http://a\ndefaults: {defaults}\nscenarios: {{ s: {{ steps: [{{ get: / }}, {step}] }} }}\nworkload: {{ closed: {{ vus: 1 }} }}"
    );
    policy(&document::parse(&text, &options()).unwrap())
}

fn line<'a>(lines: &'a [(&str, String)], topic: &str) -> &'a str {
    lines.iter().find(|(name, _)| *name == topic).map_or("", |(_, text)| text.as_str())
}

#[test]
fn what_holds_without_a_word_is_said_too() {
    let lines = policy_of("{}", "{ think: 1s }");
    let topics: Vec<&str> = lines.iter().map(|(topic, _)| *topic).collect();
    assert_eq!(topics, ["connection", "visitor", "cookies", "redirects", "compression", "names"]);
    assert_eq!(line(&lines, "connection"), "HTTP/1.1, kept across iterations; `connection: keep-alive`");
    assert_eq!(line(&lines, "redirects"), "not followed");
    assert_eq!(line(&lines, "compression"), "not asked for");
}

/// Each pair of plans differs in one key, and so do the words.
#[test]
fn every_key_that_changes_the_answer_changes_the_words() {
    let plain = policy_of("{}", "{ get: /b }");
    let cases = [
        ("{ connection: per-request }", "connection"),
        ("{ connection: per-iteration }", "connection"),
        ("{ version: 1.0 }", "connection"),
        ("{ visitor: new }", "visitor"),
        ("{ visitor: { new: 30% } }", "visitor"),
        ("{ cookies: keep }", "cookies"),
        ("{ cookies: ignore }", "cookies"),
        ("{ redirects: follow }", "redirects"),
        ("{ compression: br }", "compression"),
        ("{ headers: { Accept-Encoding: br } }", "compression"),
        ("{ dns: { ttl: 0s } }", "names"),
        ("{ dns: { ttl: 5s } }", "names"),
        ("{ dns: { cache: vu } }", "names"),
        ("{ dns: { family: ipv6 } }", "names"),
        ("{ dns: { servers: 10.0.0.2 } }", "names"),
        ("{ source_addresses: 127.0.0.2 }", "source"),
        ("{ proxy: \"http://p:1\" }", "proxy"),
        ("{ tls: { insecure: true } }", "insecure"),
        ("{ tls: { certificate: a.pem, key: b.pem } }", "certificate"),
    ];
    for (defaults, topic) in cases {
        let changed = policy_of(defaults, "{ get: /b }");
        assert_ne!(line(&changed, topic), line(&plain, topic), "{defaults}");
        assert_ne!(line(&changed, topic), "", "{defaults}");
        for (other, text) in plain.iter().filter(|(other, _)| *other != topic) {
            assert_eq!(line(&changed, other), text, "{defaults} changes {other}");
        }
    }
}

#[test]
fn steps_that_differ_are_counted() {
    let lines = policy_of("{ redirects: 5 }", "{ put: /a, file: a.bin, redirects: none }");
    assert_eq!(line(&lines, "redirects"), "followed, at most 5 in a step; 1 step otherwise");
    assert_eq!(line(&lines, "files"), "sent by 1 step");
}

#[test]
fn the_password_of_a_proxy_is_not_shown() {
    let lines = policy_of("{ proxy: \"http://me:hunter2@p:1\" }", "{ think: 1s }");
    assert_eq!(line(&lines, "proxy"), "http://p:1, with a name");
}

/// Expectations worked by hand: probabilities of branches, constant loops, and ends on the way.
#[test]
fn requests_of_an_iteration() {
    let cases = [
        ("{ repeat: 3, steps: [{ get: / }, { get: / }] }", "7 requests"),
        ("{ transaction: t, steps: [{ get: / }] }", "2 requests"),
        // 1 + 0.7 * 0 + 0.3 * 2
        (
            "{ choose: [{ weight: 7, steps: [] }, { weight: 3, steps: [{ get: / }, { get: / }] }] }",
            "1.6 requests on average",
        ),
        ("{ choose: [{ steps: [{ get: / }] }, { weight: 0, steps: [] }] }", "2 requests"),
        // A quarter ends before the last two: 1 + 0.75 * 2
        (
            "{ choose: [{ steps: [{ end: ok }] }, { weight: 3, steps: [] }] }, { get: / }, { get: / }",
            "2.5 requests on average",
        ),
        // Each pass ends with one half: 1 + (1 + 1/2 + 1/4)
        (
            "{ repeat: 3, steps: [{ get: / }, { choose: [{ steps: [] }, { steps: [{ fail: no }] }] }] }",
            "2.75 requests on average",
        ),
        ("{ if: '${vu} < 5', then: [{ get: / }] }", "1 to 2 requests"),
        ("{ if: '${vu} < 5', then: [{ get: / }], else: [{ get: / }] }, { get: / }", "3 requests"),
        ("{ if: '${vu} < 5', then: [{ end: ok }] }, { get: / }", "1 to 2 requests"),
        ("{ repeat: '${vu}', steps: [{ get: / }] }, { get: / }", "at least 2 requests"),
        ("{ while: 1 == 1, max: 5, steps: [{ get: / }] }, { get: / }", "2 to 7 requests"),
        ("{ while: 1 == 1, steps: [{ think: 1s }] }", "1 request"),
        ("{ end: ok }, { get: / }", "1 request"),
    ];
    for (steps, want) in cases {
        let text = format!(
            "nmax: 1\ntarget: http://a\nscenarios: {{ s: {{ setup: [{{ get: / }}], steps: [{{ get: / }}, {steps}] }} }}\nworkload: {{ open: {{ rate: 2/s }} }}"
        );
        let forecast = forecast(&document::parse(&text, &options()).unwrap());
        let requests = forecast.scenarios[0].requests_per_iteration;
        assert_eq!(requests.to_string(), want, "{steps}");
        assert_eq!(forecast.peak_requests_per_s, requests.expected.map(|requests| 2.0 * requests), "{steps}");
    }
}

#[test]
fn pages_and_what_is_done_once_are_said() {
    let text = "nmax: 1\ntarget: http://a\nsetup: { steps: [{ get: / }] }\nscenarios: { s: { teardown: [{ get: / }], \
                steps: [{ get: /, page: true }, { get: /b, resources: [a, b] }, { get: /c, resources: discover }] } }\n\
                workload: { closed: { vus: 1 } }";
    let lines = policy(&document::parse(text, &options()).unwrap());
    assert_eq!(
        line(&lines, "pages"),
        "3 steps, with 2 listed resources and what 1 of them name, in parallel, cached by each VU"
    );
    assert_eq!(line(&lines, "once"), "the plan's setup before the run, a scenario's teardown by each VU");
}

/// Nothing is known of a script, and nothing is added up that it has a part in.
#[test]
fn requests_of_scripts_are_unknown() {
    let text = "nmax: 1\ntarget: http://a\nscenarios: { s: { steps: [{ get: / }] }, t: { steps: [{ get: / }] } }\n\
                workload: { open: { rate: 2/s } }\nduration: 10s";
    let mut plan = document::parse(text, &options()).unwrap();
    let repeat = |steps| Step::Loop(Loop { until: LoopEnd::Times(Template::text("3")), counter: None, steps });
    for steps in [vec![Step::Script], vec![repeat(vec![Step::Script]), Step::Call(Call::get("/").into())]] {
        plan.scenarios[0].steps = steps;
        assert!(!plan.scenarios[0].is_declared());
        let forecast = forecast(&plan);
        assert_eq!(forecast.scenarios[0].requests_per_iteration.to_string(), "an unknown number of requests");
        assert_eq!((forecast.scenarios[0].requests, forecast.scenarios[1].requests), (None, Some(10)));
        assert_eq!((forecast.iterations, forecast.requests, forecast.peak_requests_per_s), (Some(20), None, None));
    }
}
