use nmax_plan::document::{self, Options};

use super::*;

const PLAN: &str = r#"
nmax: 1
target: http://127.0.0.1:1
scenarios:
  visit:
    setup:
      - get: /start
        extract: { start: { header: x-start } }
    steps:
      - get: /login
        name: log-in page
        extract:
          csrf: { css: "input[name=csrf]@value" }
          unused: { header: etag }
      - transaction: enter
        steps:
          - set: { both: "${csrf}-${start}" }
          - post: /login
            name: log in
            form: { user: ann, csrf: "${csrf}" }
            headers: { x-both: "${both}" }
            extract: { csrf: { css: "input[name=csrf]@value" } }
      - if: "${start} == 1"
        then:
          - post: /order
            name: order
            json: { token: "${csrf}" }
            query: { s: "${start}" }
            extract: { order: { header: location } }
      - get: ${order}
        name: order page
workload: { closed: { vus: 1 } }
"#;

fn plan() -> Plan {
    let options =
        Options { read: &|_| Err("none".into()), exists: &|_| Err("none".into()), ..Options::standalone("plan.yaml") };
    document::parse(PLAN, &options).unwrap()
}

#[test]
fn a_value_is_followed_to_where_it_is_sent() {
    let sites = sites(&plan());
    let told: Vec<String> = sites
        .iter()
        .map(|site| {
            let to: Vec<String> = site.to.iter().map(|to| format!("{} {}", to.name, to.place)).collect();
            format!("{} {} from {}: {}", site.request, site.name, site.from, to.join(", "))
        })
        .collect();
    let want = [
        "0 start from GET /start: log in header x-both, order query s",
        "1 csrf from log-in page: log in header x-both, log in form field csrf",
        "1 unused from log-in page: ",
        "2 csrf from log in: order JSON body",
        "3 order from order: order page path",
    ];
    assert_eq!(told, want);
}

/// Trap: a request within a transaction or a condition is missed, and another one is pinned.
#[test]
fn a_pin_stands_right_behind_the_reply_that_it_belies() {
    let plan = plan();
    for site in sites(&plan) {
        let pinned = pinned(&plan, &site, "stale $1");
        let steps: Vec<&Step> = pinned.scenarios[0].all_steps().collect();
        let pin = Step::Set(vec![(site.extract.slot, Template::text("stale $1"))]);
        let at = steps.iter().position(|step| **step == pin).unwrap();
        let before = steps[..at].iter().filter(|step| matches!(step, Step::Call(_))).count();
        assert_eq!(before, site.request + 1, "{site:?}");
        assert!(matches!(steps[at - 1], Step::Call(_)), "{site:?}");
        assert_eq!(pinned.scenarios[0].calls().count(), plan.scenarios[0].calls().count());
    }
}

#[test]
fn numbered_requests_tell_whose_a_reply_is() {
    let numbered = numbered(&plan());
    for (number, request) in numbered.scenarios[0].calls().enumerate() {
        let name = request.name.as_constant().unwrap();
        let is = |name: &str| whose(name);
        assert_eq!(is(name), Some((number, 0)));
        assert_eq!(is(&format!("{name} +2")), Some((number, 2)));
        assert_eq!(is(&format!("{name} image")), None);
    }
    assert_eq!(whose("GET /logo.png"), None);
    assert_eq!(whose("GET /1 +1"), None);
}
