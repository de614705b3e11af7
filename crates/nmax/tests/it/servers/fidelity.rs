//! The whole way round: nginx writes down what visitors do, the log becomes a plan, and what nginx then writes down is
//! like the first log.

use std::collections::BTreeMap;

use serde_json::Value;

use super::nginx::nginx;
use crate::bench::Bench;
use crate::schema::assert_schema;

/// A site whose log has durations in milliseconds and who the visitor is.
const SITE: &str = "log_format visits '$remote_addr - - [$time_local] \"$request\" $status $body_bytes_sent \"-\" \
                    \"$http_user_agent\" $request_time';
  server { listen 127.0.0.1:PORT0; access_log FOLDER/visits.log visits; keepalive_requests 100000;
    location / { return 200 'the home page'; }
    location /item/ { return 200 'an item, which is longer than the home page'; }
    location /search { return 200 'found'; } }";

/// Visitors who come to the home page, look at items by popularity or search, and leave.
const VISITORS: &str = r#"
data:
  items: { csv: items.csv, pick: zipf, exponent: 1.0, per: request }
scenarios:
  browse:
    weight: 3
    steps:
      - get: /
        headers: { user-agent: "visitor ${iteration}" }
      - set: { more: "yes" }
      - while: "${more} == yes"
        steps:
          - think: { median: 40ms, p95: 90ms }
          - get: /item/${items.id}
            headers: { user-agent: "visitor ${iteration}" }
          - choose:
              - { weight: 70, steps: [{ set: { more: "yes" } }] }
              - { weight: 30, steps: [{ set: { more: "no" } }] }
  search:
    weight: 1
    steps:
      - get: /search?q=tea
        headers: { user-agent: "visitor ${iteration}" }
      - think: { median: 40ms, p95: 90ms }
      - get: /item/${items.id}
        headers: { user-agent: "visitor ${iteration}" }
workload: { open: { rate: 60/s, arrivals: poisson } }
duration: 4s
"#;

#[test]
fn a_plan_of_a_log_makes_such_a_log() {
    let bench = Bench::new();
    let server = nginx(&bench, 1, SITE);
    let items: String = (1..=40).map(|id| format!("{id}\n")).collect();
    bench.write("items.csv", &format!("id\n{items}"));
    bench.write("visitors.yaml", &format!("nmax: 1\ntarget: {}\n{VISITORS}", server.url(0)));
    bench.nmax(&["run", "visitors.yaml", "--exit-zero", "--quiet"]).exits(0);
    let log = server.file("visits.log");
    std::fs::copy(&log, bench.path("visits.log")).unwrap();
    let url = server.url(0);
    let import = ["import", "log", "visits.log", "--target", &url, "--json"];
    let found = bench.nmax(&import).exits(0).json();
    let lines = std::fs::read_to_string(&log).unwrap().lines().count() as u64;
    assert_eq!(found["parsed"], lines, "{found:#}");
    assert_eq!(found["sessions"], 240, "a visitor is an agent: {found:#}");
    std::fs::write(&log, "").unwrap();
    bench.nmax(&["run", "visits.yaml", "--duration", "4s", "--exit-zero", "--quiet"]).exits(0);
    let rows = rows(&bench);
    for what in ["mix of requests", "steps of a session", "rate of sessions"] {
        let verdict = rows.get(what).map(String::as_str);
        assert!(matches!(verdict, Some("alike" | "near")), "{what}: {rows:#?}");
    }
    for row in ["bytes of GET /item/{id}", "bytes of GET /"] {
        assert_eq!(rows.get(row).map(String::as_str), Some("alike"), "{row}: {rows:#?}");
    }
    // And the log itself, sent again, is the same traffic.
    bench.nmax(&["replay", "visits.log", "--target", &url, "--speed", "2", "--exit-zero", "--quiet"]).exits(0);
    let again = self::rows(&bench);
    for what in ["mix of requests", "steps of a session", "rate of sessions", "mix of statuses"] {
        if let Some(verdict) = again.get(what) {
            assert_eq!(verdict, "alike", "{what}: {again:#?}");
        }
    }
}

/// Verdicts of the last run by what is compared.
fn rows(bench: &Bench) -> BTreeMap<String, String> {
    let compared: Value = bench.nmax(&["fidelity", "last", "--json"]).exits(0).json();
    assert_schema(&compared, "fidelity");
    let rows = compared["rows"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    rows.iter().map(|row| (text(&row["what"]), text(&row["verdict"]))).collect()
}
