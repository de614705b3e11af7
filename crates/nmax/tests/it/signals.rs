//! Ctrl-C and SIGTERM: once ends the load and keeps what is under way, twice cuts it off; both write everything.

use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::bench::{Bench, Job, count, lines, number, skip, until};
use crate::peers::{arrived, target};
use crate::schema::assert_summary;

/// A run whose requests take long, stopped by `signal` when the first are at the server.
fn interrupted(bench: &Bench, path: &str, signal: Signal) -> (nmax_target::Running, Job) {
    let target = target();
    let url = format!("{}{path}", target.url());
    let job = bench.spawn(&["run", &url, "-c", "3", "-d", "60s"]);
    until("requests at the server", || arrived(&target) >= 3);
    job.signal(signal);
    until("an answer to the signal", || job.stderr_so_far().contains("Stopping: "));
    (target, job)
}

fn summary(bench: &Bench) -> Value {
    let directory = bench.run();
    assert!(directory.join("report.html").is_file());
    let text = std::fs::read_to_string(directory.join("summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&text).unwrap();
    assert_summary(&summary);
    assert!(summary["events"].to_string().contains("INTERRUPTED"), "{summary:#}");
    summary
}

fn interrupt_once(signal: Signal) {
    let bench = Bench::new();
    let (target, job) = interrupted(&bench, "/delay/700ms", signal);
    job.wait().exits(130).shows(&[", interrupted after ", "the run was stopped after", "report    runs/"]);
    bench.nmax(&["runs"]).exits(0).shows(&[" (interrupted)"]);
    bench.nmax(&["show"]).exits(0).shows(&[", interrupted after "]);
    let cases = bench.nmax(&["report", "last", "--format", "junit"]).exits(0);
    // A busy machine may call the run INVALID: that is the error then, of the same words.
    cases.shows(&["interrupted after", "errors=\"1\"", "<error type=\"IN"]);
    let summary = summary(&bench);
    assert_eq!(count(&summary["censored"]), 0, "{summary:#}");
    assert_eq!(count(&summary["total"]["ok"]), arrived(&target), "what was under way has ended");
    let windows = lines(&bench.run().join("windows.jsonl"));
    let in_flight_s = windows.iter().map(|window| number(&window["hold"]["load"]["in_flight_ns"])).sum::<f64>() / 1e9;
    let held_s = number(&summary["phase"]["end_s"]);
    // Workers hear of the signal a moment later. What they waited for after it would be 2 s more.
    assert!(in_flight_s <= 3.0 * held_s + 1.0, "3 users, {in_flight_s} s in flight in {held_s} s");
    assert!(number(&summary["duration_s"]) < 60.0);
}

fn twice(signal: Signal) {
    let bench = Bench::new();
    let (target, job) = interrupted(&bench, "/delay/50s", signal);
    job.signal(signal);
    job.wait().exits(130).shows(&["censored  3 exchanges"]);
    let summary = summary(&bench);
    assert_eq!(count(&summary["censored"]), 3, "{summary:#}");
    assert_eq!(count(&summary["total"]["count"]), 0, "no sample is invented");
    assert_eq!(arrived(&target), 3);
    assert!(number(&summary["duration_s"]) < 50.0);
}

#[test]
fn ctrl_c_once_lets_requests_end() {
    interrupt_once(Signal::INT);
}

#[test]
fn terminate_is_as_ctrl_c() {
    interrupt_once(Signal::TERM);
}

/// A closed terminal or a lost connection ends a run as Ctrl-C does, so that everything is undone.
#[test]
fn hang_up_is_as_ctrl_c() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    if u64::from_str_radix(ignored.trim(), 16).unwrap() & 1 == 1 {
        return skip("under `nohup`, a hang-up is ignored as it should be");
    }
    interrupt_once(Signal::HUP);
}

#[test]
fn ctrl_c_twice_cuts_requests_off() {
    twice(Signal::INT);
}

#[test]
fn terminate_twice_is_as_ctrl_c_twice() {
    twice(Signal::TERM);
}

/// A process that is stopped for a while, as a paused container or a virtual machine that is moved, judges nothing: its
/// run is INVALID, whatever the conditions say and whichever way load is made.
fn stopped(workload: &str) {
    let (bench, target) = (Bench::new(), target());
    bench.write(
        "plan.yaml",
        &format!(
            "nmax: 1\ntarget: {}\nscenarios: {{ s: {{ steps: [{{ get: /delay/20ms }}] }} }}\nworkload: {{ {workload} }}\n\
             duration: 3s\nthresholds: [response_time p99 < 60ms, throughput > 10/s]\n",
            target.url()
        ),
    );
    let job = bench.spawn(&["run", "plan.yaml"]);
    until("requests at the server", || arrived(&target) >= 3);
    job.signal(Signal::STOP);
    let begun = Instant::now();
    until("a second of standing still", || begun.elapsed() >= Duration::from_secs(1));
    job.signal(Signal::CONT);
    job.wait().exits(4).shows(&["! INVALID", "nmax stood still for", "[G8_STALLS]"]);
    let text = std::fs::read_to_string(bench.run().join("summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&text).unwrap();
    assert_summary(&summary);
    assert!(number(&summary["injector"]["stalled_max_s"]) >= 0.9, "{:#}", summary["injector"]);
    assert!(number(&summary["injector"]["pickup_delay_ms"]["max"]) >= 900.0, "{:#}", summary["injector"]);
    // What is stored says the same.
    bench.nmax(&["show"]).exits(0).shows(&["! INVALID", "nmax stood still for"]);
}

#[test]
fn a_stopped_injector_makes_a_closed_run_invalid() {
    stopped("closed: { vus: 5 }");
}

#[test]
fn a_stopped_injector_makes_an_open_run_invalid() {
    stopped("open: { rate: 50/s }");
}

#[test]
fn exit_zero_does_not_hide_an_interruption() {
    let (bench, target) = (Bench::new(), target());
    let url = format!("{}/delay/100ms", target.url());
    let job = bench.spawn(&["run", &url, "-c", "1", "-d", "60s", "--exit-zero", "--quiet"]);
    until("a request at the server", || arrived(&target) >= 1);
    job.signal(Signal::INT);
    job.wait().exits(130);
}

/// The first process of a container has no defaults of signals: what has no handler is ignored, until it is killed.
#[test]
fn terminate_ends_the_first_process_of_a_container() {
    let bench = Bench::new();
    if !Command::new("unshare").args(["-fp", "true"]).status().is_ok_and(|status| status.success()) {
        return skip("process namespaces are not permitted here");
    }
    let job = bench.shell_job("exec unshare -fp --kill-child \"$NMAX\" data generate person -n 1000000000 > out");
    let child = || std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", job.id())).unwrap_or_default();
    let first = || child().trim().parse().ok().and_then(Pid::from_raw);
    until("its first rows", || std::fs::metadata(bench.path("out")).is_ok_and(|file| file.len() > 0));
    kill_process(first().unwrap(), Signal::TERM).unwrap();
    job.wait().exits(130);
}
