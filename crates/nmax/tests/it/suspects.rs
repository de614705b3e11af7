//! What to look at first: systems whose one bottleneck is known, because it is real work of the calibrated target. Judged
//! widely and by one run each; the benchmark `suspects` has all kinds and counts how often it is right.

use nmax_target::{Bottleneck, Options, Running, spawn};
use serde_json::Value;

use crate::bench::{Bench, skip};

/// A system with a bottleneck, and how it is looked at.
struct Case {
    name: &'static str,
    /// What the target is told; `{other}` is a second one.
    bottlenecks: &'static [&'static str],
    path: &'static str,
    /// Whether the plan observes what the target says of itself.
    asks_target: bool,
    /// The resource that requests wait for.
    kind: &'static str,
}

/// A pool whose holders could be at another server as well, were that not watched and idle.
const POOL: &[&str] = &["/hello=pool:size=1,held=20ms,name=orders", "/stock=dependency:url={other}/hello,name=stock"];

const CASES: [Case; 5] = [
    Case { name: "pool", bottlenecks: POOL, path: "/hello", asks_target: true, kind: "pool" },
    Case { name: "pool-that-nobody-watches", bottlenecks: POOL, path: "/hello", asks_target: false, kind: "pool" },
    Case {
        name: "lock",
        bottlenecks: &["lock:held=20ms,name=orders"],
        path: "/hello",
        asks_target: true,
        kind: "lock",
    },
    Case {
        name: "network",
        bottlenecks: &["network:bytes_per_s=1MB"],
        path: "/bytes/20000",
        asks_target: false,
        kind: "network",
    },
    Case {
        name: "dependency",
        bottlenecks: &["dependency:url={other}/delay/100ms,name=stock"],
        path: "/hello",
        asks_target: true,
        kind: "dependency",
    },
];

fn system(case: &Case, other: &str) -> Running {
    let bottlenecks = case.bottlenecks.iter();
    let bottlenecks = bottlenecks.map(|text| text.replace("{other}", other).parse::<Bottleneck>().unwrap());
    spawn(Options { bottlenecks: bottlenecks.collect(), ..Options::default() }).unwrap()
}

fn plan(case: &Case, url: &str) -> String {
    // The targets are threads of this process.
    let mut observe = format!("  - {{ process: {{ pid: {} }}, name: target }}\n", std::process::id());
    if case.asks_target {
        observe += &format!("  - {{ prometheus: \"{url}/metrics\", name: app }}\n");
    }
    format!(
        "nmax: 1\nname: {}\ntarget: {url}\nscenarios:\n  look:\n    steps:\n      - {{ get: {} }}\nworkload:\n  closed: \
         {{ vus: 8 }}\nwarm_up: 1s\nobserve:\n{observe}",
        case.name, case.path
    )
}

/// Whether there was anything to judge: the run is valid and the host had time to spare.
#[track_caller]
fn is_judged(case: &Case, diagnosis: &Value) -> bool {
    let suspects = diagnosis["suspects"].as_array().unwrap();
    let others = diagnosis["others"].as_array().unwrap();
    let is = |one: &Value, kind: &str, label: &str| one["kind"] == kind && one["label"] == label;
    let cpu = suspects.iter().chain(others).find(|one| one["kind"] == "cpu");
    let is_busy = cpu.is_none_or(|cpu| cpu["utilization"].as_f64().is_none_or(|used| used > 0.8));
    if diagnosis["refused"] != serde_json::json!([]) || is_busy {
        return false;
    }
    let at = suspects.iter().position(|one| one["kind"] == case.kind);
    if case.kind == "network" || case.asks_target {
        let found = at.is_some_and(|at| is(&suspects[at], case.kind, "WAIT"));
        assert!(found, "{}: {diagnosis:#}", case.name);
        let residence_s = suspects[at.unwrap()]["residence_s"].as_f64().unwrap();
        let response_s = diagnosis["budget"]["response_s"].as_f64().unwrap();
        assert!((0.3..1.3).contains(&(residence_s / response_s)), "{}: {diagnosis:#}", case.name);
        return true;
    }
    assert_eq!(suspects[0]["label"], "NOT OBSERVED", "{}: {diagnosis:#}", case.name);
    let is_named = suspects.iter().chain(others).any(|one| is(one, case.kind, "NOT OBSERVED"));
    assert!(is_named, "{}: {diagnosis:#}", case.name);
    let row = diagnosis["coverage"].as_array().unwrap().iter();
    let row = row.clone().find(|row| row["kind"] == case.kind).unwrap();
    assert!(!row["remedy"].as_str().unwrap().is_empty(), "{row:#}");
    true
}

/// With nothing else running.
mod serial {
    use super::*;

    /// All at the same time: none of them needs the processor.
    #[test]
    fn known_bottlenecks_are_suspected_and_hidden_ones_are_not_observed() {
        let bench = Bench::exclusive();
        let other = spawn(Options::default()).unwrap();
        let systems: Vec<Running> = CASES.iter().map(|case| system(case, &other.url())).collect();
        let jobs: Vec<_> = CASES
            .iter()
            .zip(&systems)
            .map(|(case, target)| {
                let (file, runs) = (format!("{}.yaml", case.name), format!("runs-of-{}", case.name));
                bench.write(&file, &plan(case, &target.url()));
                bench.spawn(&[
                    "run", &file, "--runs-dir", &runs, "--workers", "1", "--duration", "5s", "--json", "--exit-zero",
                    "--quiet",
                ])
            })
            .collect();
        let mut judged = 0;
        for (case, job) in CASES.iter().zip(jobs) {
            let summary = job.wait().exits(0).json();
            judged += usize::from(is_judged(case, &summary["diagnosis"]));
        }
        if judged == 0 {
            skip("this machine is too busy for runs that are valid");
        }
    }
}
