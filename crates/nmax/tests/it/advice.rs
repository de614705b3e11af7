//! What `nmax check` says of the machine and of the testing that a load deserves.

use crate::bench::Bench;
use crate::schema::assert_schema;

const PLAN: &str = "nmax: 1
target: http://127.0.0.1:9
scenarios: { get: { steps: [{ get: / }] } }
workload: { open: { rate: RATE } }
";

fn check(rate: &str, more: &str, flags: &[&str]) -> serde_json::Value {
    let bench = Bench::new();
    std::fs::write(bench.path("plan.yaml"), PLAN.replace("RATE", rate) + more).unwrap();
    let args = [&["check", "plan.yaml", "--json"], flags].concat();
    let found = bench.nmax(&args).exits(0).json();
    assert_schema(&found, "check");
    found
}

#[test]
fn the_machine_is_measured_and_held_against_the_plan() {
    let small = check("1/s", "", &[]);
    let machine = &small["machine"];
    assert!(machine["requests_per_core_s"].as_f64().unwrap() > 100.0, "{machine:#}");
    assert_eq!(machine["is_enough"], true);
    assert_eq!(machine["needed_per_s"], 1.0);
    let wake = &machine["wake"];
    assert!(wake["wakes"].as_u64().unwrap() > 0, "{wake}");
    let ms = |key: &str| wake[key].as_f64().unwrap();
    assert!(
        ms("p50_ms") <= ms("p99_ms") && ms("p99_ms") <= ms("max_ms") && ms("p99_ms") < ms("target_p99_ms"),
        "{wake}"
    );
    let large = check("9000000/s", "duration: 1s\n", &[]);
    assert_eq!(large["machine"]["is_enough"], false);
    assert!(check("1/s", "", &["--quick"])["machine"].is_null());
}

/// Requests are those of steps; what replies decide comes on top, and that is said.
#[test]
fn what_is_not_counted_is_said() {
    let bench = Bench::new();
    let shown = |page: &str, more: &str| {
        let plan = PLAN.replace("RATE", "1/s").replace("{ get: / }", page) + more;
        std::fs::write(bench.path("plan.yaml"), plan).unwrap();
        bench.nmax(&["check", "plan.yaml", "--quick"]).exits(0).stdout
    };
    let none = shown("{ get: / }", "");
    assert!(!none.contains("not counted"), "{none}");
    let all = shown("{ get: /, name: home, resources: [/a.css, /b.js] }", "defaults: { redirects: follow }\n");
    let want = "#   not counted on top of these: 2 listed resources of pages, unless cached; what redirects lead to\n";
    assert!(all.contains(want), "{all}");
}

#[test]
fn load_and_criticality_say_how_much_testing() {
    let profiles = |value: &serde_json::Value| value["advice"]["profiles"].as_array().unwrap().len();
    let quick = &["--quick"][..];
    assert_eq!(profiles(&check("3/s", "", quick)), 1);
    assert_eq!(profiles(&check("20/s", "", quick)), 6);
    assert_eq!(profiles(&check("3/s", "availability: 99.99%\n", quick)), 6);
    assert_eq!(profiles(&check("3/s", "availability: 99.9%\n", quick)), 1);
}
