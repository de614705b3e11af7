//! `nmax steer`: a run that goes on gets another load, says so, and can be repeated.

use std::fs;
use std::io::Write;
use std::path::Path;

use serde_json::Value;

use crate::bench::{Bench, Job, count, lines, number, until};
use crate::peers::{arrived, target};
use crate::schema::assert_summary;

/// A run of a minute that is under way.
fn started(bench: &Bench, load: &[&str]) -> (nmax_target::Running, Job) {
    let target = target();
    let url = target.url();
    let job = bench.spawn(&[&["run", &url, "-d", "60s", "--quiet"], load].concat());
    until("requests at the server", || arrived(&target) >= 3);
    (target, job)
}

fn summary(directory: &Path) -> Value {
    let text = fs::read_to_string(directory.join("summary.json")).unwrap();
    let summary = serde_json::from_str(&text).unwrap();
    assert_summary(&summary);
    summary
}

/// The texts of the events of this code.
fn events(directory: &Path, code: &str) -> Vec<String> {
    let all = lines(&directory.join("events.jsonl"));
    let of = all.iter().filter(|event| event["code"] == code);
    of.map(|event| event["text"].as_str().unwrap().to_owned()).collect()
}

/// Iterations due in windows that begin at or after `from_s` and before `until_s`.
fn due(directory: &Path, from_s: f64, until_s: f64) -> u64 {
    let within = |window: &&Value| (from_s * 1e9..until_s * 1e9).contains(&number(&window["start_ns"]));
    let all = lines(&directory.join("windows.jsonl"));
    let of = |window: &Value| count(&window["hold"]["load"]["due"]) + count(&window["outside"]["load"]["due"]);
    all.iter().filter(within).map(of).sum()
}

/// Iterations that these stages start.
fn planned(summary: &Value) -> f64 {
    let stages = summary["stages"].as_array().unwrap();
    let area = |stage: &Value| {
        let length_s = number(&stage["end_s"]) - number(&stage["start_s"]);
        (number(&stage["from"]) + number(&stage["to"])) / 2.0 * length_s
    };
    stages.iter().map(area).sum()
}

#[test]
fn a_running_run_gets_another_load_and_is_marked() {
    let bench = Bench::new();
    let (target, job) = started(&bench, &["-r", "20/s"]);
    bench.nmax(&["steer", "last", "--load", "60/s", "--ramp", "1s"]).exits(0).shows(&["the load goes to 60/s from "]);
    bench.nmax(&["steer", "last", "--hold"]).exits(0).shows(&["the load is held at "]);
    bench.nmax(&["steer", "last", "--load", "40/s"]).exits(0).shows(&["revision 3", "the load is 40/s from "]);
    let directory = bench.run();
    let changed_s = number(&lines(&directory.join("events.jsonl")).last().unwrap()["t"]);
    assert_eq!(changed_s.fract(), 0.0, "at the beginning of a window");
    until("seconds at the new load", || {
        let windows = lines(&directory.join("windows.jsonl"));
        windows.last().is_some_and(|window| number(&window["start_ns"]) >= (changed_s + 3.0) * 1e9)
    });
    // What is read while the run goes on is what it goes by.
    bench.nmax(&["show", "last"]).exits(0).shows(&["steered: the load is 40/s from "]);
    bench.nmax(&["runs"]).exits(0).shows(&["RUNNING, steered"]);
    bench.nmax(&["steer", "last", "--stop"]).exits(0).shows(&["revision 4", "the load was stopped"]);
    job.wait().exits(130);
    let summary = summary(&directory);
    assert_eq!(summary["steered"], true);
    assert_eq!(number(&summary["stages"].as_array().unwrap().last().unwrap()["to"]), 40.0);
    // A start that is late by less than a second is in the next window.
    let found = due(&directory, changed_s, changed_s + 3.0);
    assert!((80..=160).contains(&found), "{found} starts in 3 s at 40/s");
    let all = due(&directory, 0.0, f64::MAX) as f64;
    let want = planned(&summary);
    assert!((all - want).abs() <= 42.0, "{all} starts, {want} planned until the run was stopped");
    assert!(arrived(&target) as f64 <= all);
    assert_eq!(events(&directory, "STEERED").len(), 4);
    assert!(events(&directory, "INTERRUPTED")[0].starts_with("the run was stopped as asked for: revision 4"));
    for format in ["html", "md", "json", "text"] {
        bench.nmax(&["report", "last", "--format", format, "--output", "-"]).exits(0).shows(&["steered"]);
    }
    let runs = bench.nmax(&["runs", "--json"]).exits(0).json();
    assert_eq!((&runs["runs"][0]["steered"], &runs["runs"][0]["interrupted"]), (&true.into(), &true.into()));
    bench.nmax(&["steer", "last", "--hold"]).exits(2).says(&["the run has ended"]);
}

#[test]
fn users_of_a_running_run_become_more() {
    let bench = Bench::new();
    let (_target, job) = started(&bench, &["-c", "2"]);
    bench.nmax(&["steer", "last", "--load", "5"]).exits(0).shows(&["the load is 5 VUs from "]);
    let directory = bench.run();
    until("five users", || {
        let windows = lines(&directory.join("windows.jsonl"));
        windows.iter().any(|window| number(&window["hold"]["load"]["in_flight_ns"]) > 4e9)
    });
    bench.nmax(&["steer", "last", "--stop"]).exits(0);
    job.wait().exits(130);
    assert_eq!(number(&summary(&directory)["stages"][1]["to"]), 5.0);
}

#[test]
fn what_cannot_be_done_is_said_and_changes_nothing() {
    let bench = Bench::new();
    let (_target, job) = started(&bench, &["-r", "20/s"]);
    let directory = bench.run();
    let control = directory.join("control.jsonl");
    let cases = [
        (&["--load", "-3/s"][..], "`-3` is not a number"),
        (&["--load", "5"], "the workload of this run is open, so its load is a rate"),
        (&["--load", "2000M/s"], "is above 1000M/s"),
        (&["--load", "NaN"], "the workload of this run is open"),
        (&["--load", "5/s", "--ramp", "10m"], "a ramp of 10m does not fit: the load ends "),
        (&["--hold", "--stop"], "cannot be used with"),
        (&[], "the following required arguments"),
    ];
    for (arguments, want) in cases {
        bench.nmax(&[&["steer", "last"], arguments].concat()).exits(2).says(&[want]);
    }
    // Whatever else is written there is told and left.
    let mut file = fs::OpenOptions::new().append(true).open(&control).unwrap();
    file.write_all(
        b"rubbish\n{\"revision\":9,\"action\":\"stop\"}\n{\"revision\":2,\"action\":\"load\",\"level\":1e99}\n",
    )
    .unwrap();
    until("three answers more", || events(&directory, "NOT_STEERED").len() >= 4);
    assert!(events(&directory, "STEERED").is_empty() && !directory.join("steered.json").exists());
    fs::remove_file(&control).unwrap();
    bench.nmax(&["steer", "last", "--load", "21/s"]).exits(0).shows(&["revision 1", "the load is 21/s"]);
    bench.nmax(&["steer", "last", "--stop"]).exits(0);
    job.wait().exits(130);
    assert_eq!(summary(&directory)["steered"], true);
}

/// The recorded changes are a part of the plan: who repeats the run repeats them.
#[test]
fn a_steered_run_is_repeated_with_its_changes() {
    let (bench, target) = (Bench::new(), target());
    let plan = format!(
        "nmax: 1\nname: again\ntarget: {}\nscenarios: {{ s: {{ steps: [{{ get: /, headers: {{ authorization: 'Bearer \
         ${{env.TOKEN}}' }} }}] }} }}\nworkload: {{ open: {{ rate: 20/s }} }}\nduration: 3s\nsteered: [{{ at: 1s, to: 60/s, \
         ramp: 500ms }}, {{ at: 2s }}]\n",
        target.url()
    );
    bench.write("plan.yaml", &plan);
    bench.nmax_with(&[("TOKEN", "hush-9d8f")], &["run", "plan.yaml", "--quiet", "--exit-zero"]).exits(0);
    let first = bench.run();
    bench.nmax(&["check", first.to_str().unwrap()]).exits(2).says(&[
        "`scenarios.s.steps.0.headers.authorization` holds a secret, which the run did not store",
        "--set 'scenarios.s.steps.0.headers.authorization=...'",
    ]);
    let given = "scenarios.s.steps.0.headers.authorization=Bearer hush-9d8f";
    bench.nmax(&["run", first.to_str().unwrap(), "--set", given, "--quiet", "--exit-zero"]).exits(0);
    let runs = bench.runs();
    assert_eq!(runs.len(), 2);
    let both: Vec<Value> = runs.iter().map(|run| summary(run)).collect();
    assert_eq!(both[0]["stages"], both[1]["stages"]);
    assert_eq!(both[0]["run"]["plan_sha256"], both[1]["run"]["plan_sha256"]);
    for (run, summary) in runs.iter().zip(&both) {
        assert_eq!(summary["steered"], true);
        // 20 of the first second, 20 of the ramp, 90 of the rest.
        assert_eq!((due(run, 0.0, f64::MAX), planned(summary)), (130, 130.0));
    }
    bench.nmax(&["show", first.to_str().unwrap()]).exits(0).shows(&[
        "steered: the load goes to 60/s from 1s on, within 500ms",
        "steered: the load is held at 60/s from 2s on",
    ]);
}
