//! `nmax doctor` and what a run says of its host before and after.

use rustix::process::Signal;
use serde_json::Value;

use crate::bench::{Bench, lines, until};
use crate::peers::{arrived, target};
use crate::schema::assert_schema;

#[test]
fn doctor_tells_what_the_host_allows() {
    let bench = Bench::new();
    let text = bench.nmax(&["doctor"]);
    assert!(matches!(text.code, 0 | 2), "{}", text.stderr);
    let text = text.shows(&["This host\n", "open files", "local ports", "memory", "cores", "warning"]);
    assert!(!text.stdout.contains('\x1b'), "no colors but on a terminal");
    assert!(text.stdout.lines().all(|line| line.chars().count() <= 80), "{}", text.stdout);
    let json = bench.nmax(&["doctor", "--json"]).json();
    assert_schema(&json, "doctor");
    assert!(json["forecast"].is_null(), "{json:#}");
    let checks = json["checks"].as_array().unwrap();
    for check in checks {
        for key in ["code", "what", "value", "meaning"] {
            assert!(!check[key].as_str().unwrap().is_empty(), "{check:#}");
        }
        let is_bad = matches!(check["level"].as_str(), Some("note" | "warning" | "error"));
        assert_eq!(is_bad, check["remedy"].is_string(), "whatever is not ok has a remedy: {check:#}");
    }
}

#[test]
fn doctor_holds_a_plan_against_the_host() {
    let (bench, target) = (Bench::new(), target());
    let plan = |vus: u32, connection: &str| {
        format!(
            "nmax: 1\ntarget: {}\ndefaults: {{ connection: {connection} }}\nscenarios:\n  a:\n    steps:\n      - get: /\n\
             workload: {{ closed: {{ vus: {vus} }} }}\n",
            target.url()
        )
    };
    bench.write("small.yaml", &plan(5, "keep-alive"));
    bench.write("large.yaml", &plan(300, "keep-alive"));
    bench.write("closing.yaml", &plan(300, "per-request"));
    let doctor = |file: &str| bench.shell(&format!("ulimit -n 200 && exec \"$NMAX\" doctor {file} --json"));
    let found = |file: &str, code: &str| {
        let json = doctor(file).json();
        assert_schema(&json, "doctor");
        let forecast = json["forecast"].as_array().unwrap().clone();
        let finding = forecast.into_iter().find(|finding| finding["code"] == code);
        finding.unwrap_or_else(|| panic!("{file}: no {code}: {json:#}"))
    };
    assert_eq!(found("small.yaml", "FORECAST_OPEN_FILES")["level"], "ok");
    let large = found("large.yaml", "FORECAST_OPEN_FILES");
    assert_eq!((&large["level"], &large["figure"], &large["limit"]), (&"error".into(), &400.0.into(), &200.0.into()));
    doctor("large.yaml").exits(2);
    // Nobody knows how many of these are open at once.
    assert_eq!(found("closing.yaml", "FORECAST_OPEN_FILES")["level"], "warning");
    assert_eq!(found("closing.yaml", "FORECAST_TIME_WAIT")["level"], "note");
    let json = bench.nmax(&["doctor", &target.url(), "-r", "100k/s", "--close", "--json"]).json();
    let forecast = json["forecast"].as_array().unwrap();
    let ports = forecast.iter().find(|found| found["code"] == "FORECAST_TIME_WAIT").unwrap();
    assert_eq!(ports["figure"], 100_000.0, "a URL and its flags are a plan too: {ports:#}");
    assert_eq!(arrived(&target), 0, "doctor sends nothing");
    for flags in [&["-c", "5"][..], &["--target", "http://127.0.0.1:1"], &["--workers", "2"]] {
        bench.nmax(&[&["doctor"], flags].concat()).exits(2).says(&["PLAN|URL"]);
    }
    bench.nmax(&["doctor", "none.yaml"]).exits(2).says(&["none.yaml: cannot read the plan"]);
}

/// What was said before a run is in its events; what was used during it, in its resources.
#[test]
fn a_run_keeps_what_it_knew_and_used_of_its_host() {
    let (bench, target) = (Bench::new(), target());
    let line = format!(
        "ulimit -n 200 && exec \"$NMAX\" run {}/delay/50ms -d 1200ms -r 100/s -c 150 --exit-zero -q",
        target.url()
    );
    bench.shell(&line).exits(0).says(&["warning: 120 iterations in flight may need 220 open files", "`ulimit -n 220`"]);
    let run = bench.runs().pop().unwrap();
    let events = lines(&run.join("events.jsonl"));
    let codes: Vec<&str> = events.iter().filter_map(|event| event["code"].as_str()).collect();
    assert!(codes.contains(&"FORECAST_OPEN_FILES"), "{events:?}");
    let resources = lines(&run.join("resources.jsonl"));
    for metric in ["ports_used_count", "ports_limit_count", "time_wait_count", "memory_available_ratio"] {
        assert!(resources.iter().any(|line| line["metric"] == metric), "{metric}: {resources:?}");
    }
}

/// The gates of the host stand in the result, also when the run is read again.
#[test]
fn the_gates_of_the_host_are_in_the_result() {
    let (bench, target) = (Bench::new(), target());
    let url = format!("{}/delay/20ms", target.url());
    let job = bench.spawn(&["run", &url, "-c", "8", "-d", "10m", "--json"]);
    // Where the host has thousands of sockets, they are looked at every few seconds only.
    until("the ports are looked at under load", || {
        let runs = bench.runs();
        let readings = runs.last().map(|run| lines(&run.join("resources.jsonl")));
        let is_meant = |line: &Value| line["metric"] == "ports_used_count" && line["value"].as_f64() >= Some(8.0);
        readings.is_some_and(|readings| readings.iter().any(is_meant))
    });
    job.signal(Signal::INT);
    let summary = job.wait().exits(130).json();
    let again = bench.nmax(&["show", "--json"]).exits(0).json();
    for summary in [summary, again] {
        let gates = summary["gates"].as_array().unwrap();
        assert_eq!(gates.iter().filter(|gate| gate["code"] == "G4").count(), 7, "{gates:#?}");
        let used = summary["injector"]["ports_used_max"].as_u64().unwrap();
        assert!((8..=40).contains(&used), "8 users keep 8 connections: {used}");
    }
}
