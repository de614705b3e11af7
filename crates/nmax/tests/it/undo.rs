//! What the timeline began is undone before the process ends, whatever ends it but `kill -9`.

use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::bench::{Bench, Job, lines, until};
use crate::peers::{arrived, target};

/// A plan whose timeline does `action` at once and undoes it at the end of the run.
fn plan(bench: &Bench, name: &str, url: &str, path: &str, item: &str, more: &str) {
    let text = format!(
        "nmax: 1\ntarget: {url}\nscenarios: {{ s: {{ steps: [{{ get: {path}, timeout: 2m }}] }} }}\n\
         workload: {{ open: {{ rate: 20/s }} }}\nduration: 2m\nwindow: 100ms\n\
         timeline: [{{ name: it, at: 0s, {item} }}]\n{more}"
    );
    bench.write(name, &text);
}

/// A run of it whose action has begun, in a folder of runs of its own.
fn begun(bench: &Bench, name: &str, is_done: impl Fn() -> bool) -> Job {
    let job = bench.spawn(&["run", &format!("{name}.yaml"), "--allow-exec", "--quiet", "--runs-dir", name]);
    until("the action", || is_done() || !job.is_alive());
    assert!(is_done(), "{}", job.stderr_so_far());
    job
}

fn codes(bench: &Bench, runs: &str) -> Vec<String> {
    let [run] = crate::bench::runs_in(&bench.path(runs)).try_into().unwrap();
    let code = |event: serde_json::Value| event["code"].as_str().unwrap().to_owned();
    lines(&run.join("events.jsonl")).into_iter().map(code).collect()
}

/// A process that is stopped and continued; killed when dropped.
struct Victim(Child);

impl Victim {
    fn new() -> Self {
        Self(Command::new("sleep").arg("300").process_group(0).spawn().unwrap())
    }

    fn is_stopped(&self) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.0.id())).unwrap();
        stat.rsplit_once(") ").unwrap().1.starts_with('T')
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = kill_process(Pid::from_child(&self.0), Signal::KILL);
        let _ = self.0.wait();
    }
}

/// Three signals that the system cannot make one of.
const QUICK: [Signal; 3] = [Signal::INT, Signal::QUIT, Signal::HUP];

#[test]
fn three_quick_signals_let_a_stopped_process_go_on() {
    let (bench, target, victim) = (Bench::new(), target(), Victim::new());
    let process = format!("process: {{ pid: {} }}", victim.0.id());
    let item = format!("signal: {{ {process}, send: STOP }}, undo: {{ signal: {{ {process}, send: CONT }} }}");
    plan(&bench, "a.yaml", &target.url(), "/", &item, "");
    let job = begun(&bench, "a", || victim.is_stopped());
    QUICK.into_iter().for_each(|signal| job.signal(signal));
    job.wait().exits(130);
    until("the process to go on", || !victim.is_stopped());
}

#[test]
fn three_quick_signals_wait_for_an_undo_and_its_event() {
    let (bench, target) = (Bench::new(), target());
    let item = "command: touch done, undo: { command: \"sleep 0.5; touch undone\" }";
    plan(&bench, "a.yaml", &target.url(), "/", item, "");
    let job = begun(&bench, "a", || bench.path("done").exists());
    QUICK.into_iter().for_each(|signal| job.signal(signal));
    job.wait().exits(130);
    assert!(bench.path("undone").exists());
    let codes = codes(&bench, "a");
    assert!(codes.iter().any(|code| code == "INTERVENTION_ENDED"), "{codes:?}");
}

/// Every signal whose default ends a process, but for those that cannot be caught, or say that a process is broken.
#[test]
fn whatever_signal_ends_a_run_it_is_undone_and_told() {
    let (bench, target) = (Bench::new(), target());
    let signals = [
        Signal::HUP,
        Signal::INT,
        Signal::QUIT,
        Signal::TRAP,
        Signal::ABORT,
        Signal::USR1,
        Signal::USR2,
        Signal::ALARM,
        Signal::TERM,
        Signal::STKFLT,
        Signal::XCPU,
        Signal::VTALARM,
        Signal::PROF,
        Signal::IO,
        Signal::POWER,
        Signal::SYS,
    ];
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    let ignored = u64::from_str_radix(ignored.trim(), 16).unwrap();
    // As under `nohup`, what is ignored stays so.
    let is_heard = |signal: &Signal| ignored >> (signal.as_raw() - 1) & 1 == 0;
    let jobs: Vec<(String, Job)> = signals
        .into_iter()
        .filter(is_heard)
        .map(|signal| {
            let name = format!("s{}", signal.as_raw());
            let item = format!("command: touch done-{name}, undo: {{ command: touch undone-{name} }}");
            plan(&bench, &format!("{name}.yaml"), &target.url(), "/", &item, "");
            let done = bench.path(&format!("done-{name}"));
            let job = begun(&bench, &name, || done.exists());
            job.signal(signal);
            (name, job)
        })
        .collect();
    for (name, job) in jobs {
        job.wait().exits(130);
        assert!(bench.path(&format!("undone-{name}")).exists(), "{name}");
        let codes = codes(&bench, &name);
        assert!(
            ["INTERVENTION_ENDED", "INTERRUPTED"].iter().all(|code| codes.iter().any(|had| had == code)),
            "{codes:?}"
        );
    }
}

/// Neither requests that hang nor an undo that does keep the process beyond what containers leave: 10 s. The limits of
/// this plan are two minutes.
#[test]
fn terminate_ends_a_run_in_time_though_requests_and_undo_hang() {
    let (bench, target) = (Bench::new(), target());
    let undo = "touch undoing; while [ ! -e release ]; do sleep 0.05; done; touch undone";
    let item = format!("command: touch done, limit: 2m, undo: {{ command: \"{undo}\" }}");
    plan(&bench, "a.yaml", &target.url(), "/delay/100s", &item, "graceful_stop: 2m\n");
    let job = begun(&bench, "a", || bench.path("done").exists() && arrived(&target) > 0);
    let begin = Instant::now();
    job.signal(Signal::TERM);
    job.wait().exits(130);
    // 10 s are promised; a machine that stands still for a while is no defect of the program.
    assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", begin.elapsed());
    assert!(bench.path("undoing").exists());
    let shown = bench.nmax(&["show", "last", "--runs-dir", "a"]).exits(0).shows(&["left to end by itself"]);
    // On a slow machine the limit may come before the report is written: the run is then cut off.
    let endings = ["interrupted after", "cut off after"];
    assert!(endings.iter().any(|ending| shown.stdout.contains(ending)), "{}", shown.stdout);
    assert!(bench.path("undoing").exists() && !bench.path("undone").exists());
    bench.write("release", "");
    until("an undo that was left", || bench.path("undone").exists());
}

/// A teardown that hangs does not keep it either.
#[test]
fn terminate_ends_a_run_in_time_though_its_teardown_hangs() {
    let (bench, target) = (Bench::new(), target());
    let more = "graceful_stop: 2m\nteardown: { steps: [{ get: /delay/100s, timeout: 2m }] }\n";
    plan(&bench, "a.yaml", &target.url(), "/", "command: touch done, undo: { command: touch undone }", more);
    let job = begun(&bench, "a", || bench.path("done").exists());
    let begin = Instant::now();
    job.signal(Signal::TERM);
    job.wait().exits(130);
    assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", begin.elapsed());
    assert!(bench.path("undone").exists());
    let codes = codes(&bench, "a");
    assert!(["TEARDOWN_FAILED", "INTERRUPTED"].iter().all(|code| codes.iter().any(|had| had == code)), "{codes:?}");
}

#[test]
fn a_condition_and_a_limit_of_writing_end_in_undos() {
    let (bench, target) = (Bench::new(), target());
    let abort = "thresholds: [{ condition: \"failure_rate < 5%\", abort: 500ms }]\n";
    let item = "command: touch done, undo: { command: touch undone }";
    plan(&bench, "a.yaml", &target.url(), "/missing", item, abort);
    let said = bench.nmax(&["run", "a.yaml", "--allow-exec", "--quiet"]);
    assert!(matches!(said.code, 3 | 4), "{}", said.stderr);
    assert!(bench.path("undone").exists(), "{}", said.stderr);
    std::fs::remove_file(bench.path("undone")).unwrap();
    plan(&bench, "b.yaml", &target.url(), "/", item, "");
    bench.shell("ulimit -f 16 && exec \"$NMAX\" run b.yaml --allow-exec --quiet --runs-dir b").exits(5);
    assert!(bench.path("undone").exists());
}
