//! Runs that end before their plan does: by a condition, by a smoke, with what was begun undone.

use crate::bench::Bench;
use crate::peers::target;

fn plan(bench: &Bench, url: &str, more: &str) {
    let text =
        format!("nmax: 1\ntarget: {url}\nscenarios: {{ get: {{ steps: [{{ get: PATH }}] }} }}\nwindow: 100ms\n{more}");
    let path = if more.contains("# missing") { "/missing" } else { "/" };
    std::fs::write(bench.path("plan.yaml"), text.replace("PATH", path)).unwrap();
}

#[test]
fn a_condition_ends_the_run_which_fails() {
    let (bench, target) = (Bench::new(), target());
    let more = "# missing\nworkload: { open: { rate: 50/s } }\nduration: 60s\n\
                thresholds: [{ condition: failure_rate < 5%, abort: 500ms }]";
    plan(&bench, &target.url(), more);
    let live = bench.nmax(&["run", "plan.yaml", "--json"]);
    let read = bench.nmax(&["show", "--json"]);
    // A machine that other tests keep busy may make it INVALID, which is never a PASS either.
    assert!(matches!(live.code, 3 | 4), "{}", live.code);
    for summary in [live.json(), read.json()] {
        assert!(
            summary["reasons"].as_array().unwrap().iter().any(|reason| reason["code"] == "THRESHOLD_ABORT"),
            "{:#}",
            summary["reasons"]
        );
        assert!(summary["duration_s"].as_f64().unwrap() < 30.0, "{}", summary["duration_s"]);
        let events = summary["events"].as_array().unwrap();
        assert!(events.iter().any(|event| event["code"] == "THRESHOLD_ABORT"), "{events:?}");
    }
}

#[test]
fn a_smoke_stops_a_wrong_plan_before_a_heavy_profile() {
    let (bench, target) = (Bench::new(), target());
    let more = "# missing\nworkload: { open: { rate: 50/s } }\nprofile: peak";
    plan(&bench, &target.url(), more);
    bench.nmax(&["run", "plan.yaml"]).exits(2).says(&["profile peak does not begin", "status 404", "--no-smoke"]);
    plan(&bench, &target.url(), "workload: { open: { rate: 50/s } }\nprofile: peak");
    let args = ["run", "plan.yaml", "--compress", "36000", "--json", "--exit-zero"];
    let summary = bench.nmax(&args).exits(0).says(&["smoke: one iteration of 1 scenario"]).json();
    assert_eq!(summary["profile"]["name"], "peak");
    assert_eq!(summary["compress"], 36_000.0);
}

#[test]
fn what_was_begun_is_undone_and_told() {
    let (bench, target) = (Bench::new(), target());
    let more = "workload: { open: { rate: 50/s } }\nduration: 3s\n\
                timeline: [{ name: marked, at: 1s, command: touch done, for: 1s, undo: { command: touch undone } }]";
    plan(&bench, &target.url(), more);
    bench.nmax(&["run", "plan.yaml"]).exits(2).says(&["--allow-exec"]);
    let args = ["run", "plan.yaml", "--allow-exec", "--json", "--exit-zero"];
    let live = bench.nmax(&args).exits(0).json();
    let read = bench.nmax(&["show", "--json"]).json();
    for summary in [live, read] {
        let marked = &summary["timeline"][0];
        assert_eq!(marked["name"], "marked");
        let (start, end) = (marked["start_s"].as_f64().unwrap(), marked["end_s"].as_f64().unwrap());
        assert!((0.9..2.0).contains(&start) && end >= start + 0.9, "{marked:#}");
        assert!(marked["before"]["throughput_per_s"].as_f64().unwrap() > 10.0, "{marked:#}");
    }
    assert!(bench.path("done").exists() && bench.path("undone").exists());
}

#[test]
fn observed_processes_are_in_the_result() {
    let (bench, target) = (Bench::new(), target());
    let more = format!(
        "workload: {{ open: {{ rate: 20/s }} }}\nduration: 2s\nobserve: [{{ process: {{ pid: {} }}, name: us }}]",
        std::process::id()
    );
    plan(&bench, &target.url(), &more);
    let summary = bench.nmax(&["run", "plan.yaml", "--json", "--exit-zero"]).exits(0).json();
    let observed = summary["observed"].as_array().unwrap();
    let memory = observed.iter().find(|row| row["metric"] == "memory_bytes").unwrap();
    assert_eq!(memory["name"], "us");
    assert!(memory["last"].as_f64().unwrap() > 1e6, "{memory:#}");
}
