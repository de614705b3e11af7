//! Runs on several injectors over a real NATS server: processes that join, a manager that dies, a server that is killed.

use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use crate::bench::{Bench, Job, count, lines, until};
use crate::nats::{Nats, is_missing};
use crate::peers::{arrived, target};

mod levels;

/// With room for the streams of a fleet.
const JETSTREAM: &str = "jetstream { store_dir: \"FOLDER/js\", sync_interval: always, max_file: 8G }\n";

/// A fleet on a server of its own; its files are those of a bench.
pub(crate) struct Fleet {
    pub(crate) bench: Bench,
    pub(crate) nats: Nats,
    pub(crate) injectors: Vec<Job>,
}

impl Fleet {
    /// With so many injectors; `None` where no server is installed.
    pub(crate) fn start(injectors: usize) -> Option<Self> {
        if is_missing() {
            return None;
        }
        let (bench, nats) = (Bench::new(), Nats::with(JETSTREAM));
        bench.nmax(&["fleet", "key"]).exits(0).shows(&["fleet.key", "fleet.trust"]);
        let mut fleet = Self { bench, nats, injectors: Vec::new() };
        for number in 0..injectors {
            fleet.join(&format!("spool-{number}"), &["--allow-target", "127.0.0.0/8"]);
        }
        for injector in &fleet.injectors {
            until("an injector waits", || injector.stderr_so_far().contains("it waits for runs"));
        }
        Some(fleet)
    }

    pub(crate) fn join(&mut self, spool: &str, more: &[&str]) {
        let url = self.nats.line.url();
        let own = ["fleet", "join", &url, "--capacity", "1000", "--workers", "1", "--spool", spool];
        self.injectors.push(self.bench.spawn(&[&own[..], more].concat()));
    }

    /// Flags of a command with the server's address at its end.
    pub(crate) fn with<'a>(url: &'a str, args: &[&'a str]) -> Vec<&'a str> {
        [args, &["--nats", url]].concat()
    }

    /// A plan of so many requests per second for so long.
    pub(crate) fn plan(&self, url: &str, rate: u32, duration: &str) {
        let text = format!(
            "nmax: 1\ntarget: {url}\ngraceful_stop: 1s\nscenarios: {{ a: {{ steps: [{{ get: / }}] }} }}\n\
             workload: {{ open: {{ rate: {rate}/s }} }}\nduration: {duration}\n"
        );
        self.bench.write("plan.yaml", &text);
    }

    /// Ids of runs, as the fleet lists them.
    fn runs(&self) -> Vec<Value> {
        let url = self.nats.line.url();
        let list = || self.bench.nmax(&Self::with(&url, &["fleet", "ls", "--json"])).exits(0).json();
        let listed = (0..20).map(|_| list()["runs"].as_array().unwrap().clone());
        listed.into_iter().find(|runs| !runs.is_empty()).expect("a run")
    }

    /// Asks all injectors to leave.
    pub(crate) fn end(self) {
        for injector in self.injectors {
            injector.signal(Signal::INT);
            injector.wait();
        }
    }
}

/// Four injectors do together what the plan says, and what they say is what the target saw.
#[test]
fn four_injectors_do_what_the_plan_says() {
    let Some(fleet) = Fleet::start(4) else { return };
    let target = target();
    fleet.plan(&target.url(), 80, "3s");
    let url = fleet.nats.line.url();
    let before = arrived(&target);
    let too_many = ["fleet", "run", "plan.yaml", "--injectors", "5"];
    fleet.bench.nmax(&Fleet::with(&url, &too_many)).exits(5).says(&["5 injectors are asked for, and 4 are free"]);
    let run = ["fleet", "run", "plan.yaml", "--injectors", "4", "--json", "--exit-zero"];
    let summary = fleet.bench.nmax(&Fleet::with(&url, &run)).exits(0).json();
    assert_eq!(count(&summary["total"]["count"]), 240, "{summary:#}");
    // Each injector looks once whether the target is there.
    assert_eq!(arrived(&target) - before, 240);
    let injectors = summary["injectors"].as_array().unwrap();
    assert_eq!(injectors.len(), 4, "{injectors:?}");
    let status = || fleet.bench.nmax(&Fleet::with(&url, &["fleet", "status", "--json"])).exits(0).json();
    until("all in the list", || status()["injectors"].as_array().unwrap().len() == 4);
    // The directory says the same.
    let directory = summary["run"]["id"].as_str().unwrap().to_owned();
    let shown = fleet.bench.nmax(&["show", &directory, "--json"]).json();
    assert_eq!(shown["total"], summary["total"]);
    fleet.end();
}

/// The manager is killed: the run goes on, is ended from elsewhere, and its report is written by another.
#[test]
fn a_run_outlives_its_manager() {
    let Some(fleet) = Fleet::start(2) else { return };
    let target = target();
    fleet.plan(&target.url(), 40, "1h");
    let url = fleet.nats.line.url();
    let before = arrived(&target);
    let manager = fleet.bench.spawn(&Fleet::with(&url, &["fleet", "run", "plan.yaml", "--injectors", "2"]));
    until("load", || arrived(&target) > before + 10);
    manager.signal(Signal::KILL);
    manager.wait();
    let at_death = arrived(&target);
    until("load without a manager", || arrived(&target) > at_death + 40);
    let runs = fleet.runs();
    let run = runs[0]["run"].as_str().unwrap().to_owned();
    until("a run that goes on", || fleet.runs()[0]["state"] == "goes on, or lost injectors");
    fleet.bench.nmax(&Fleet::with(&url, &["fleet", "abort", "nonesuch"])).exits(2).says(&["no such run"]);
    fleet.bench.nmax(&Fleet::with(&url, &["fleet", "abort", &run])).exits(0).shows(&["is asked to end"]);
    until("the end of both parts", || fleet.runs()[0]["state"] == "ended");
    let report = ["fleet", "report", &run, "--json", "--exit-zero"];
    let summary = fleet.bench.nmax(&Fleet::with(&url, &report)).exits(0).json();
    let whole = fleet.bench.run_of(&run);
    let sent: u64 = lines(&whole.join("windows.jsonl")).iter().map(crate::bench::exchanges).sum();
    assert_eq!(sent, arrived(&target) - before, "{:#}", summary["total"]);
    fleet.end();
}

/// All of NATS is killed during the run: injectors finish by their warrant, and results come when it is back.
#[test]
fn a_run_outlives_the_server() {
    let Some(mut fleet) = Fleet::start(2) else { return };
    let target = target();
    fleet.plan(&target.url(), 40, "6s");
    let url = fleet.nats.line.url();
    let before = arrived(&target);
    let run = ["fleet", "run", "plan.yaml", "--injectors", "2", "--json", "--exit-zero"];
    let manager = fleet.bench.spawn(&Fleet::with(&url, &run));
    until("load", || arrived(&target) > before + 20);
    fleet.nats.kill();
    until("all of the load", || arrived(&target) == before + 240);
    std::thread::sleep(Duration::from_millis(500));
    fleet.nats.run();
    let summary = manager.wait().exits(0).json();
    assert_eq!((count(&summary["total"]["count"]), arrived(&target) - before), (240, 240), "{summary:#}");
    fleet.end();
}

/// What an injector may not load, or cannot read, ends the run before any load, and is named.
#[test]
fn a_refusal_is_named_before_any_load() {
    let Some(mut fleet) = Fleet::start(0) else { return };
    let target = target();
    fleet.plan(&target.url(), 40, "2s");
    fleet.join("spool", &[]);
    until("an injector waits", || fleet.injectors[0].stderr_so_far().contains("it waits for runs"));
    let url = fleet.nats.line.url();
    let before = arrived(&target);
    let run = Fleet::with(&url, &["fleet", "run", "plan.yaml"]);
    fleet.bench.nmax(&run).exits(2).says(&["is on this injector itself", "--allow-target 127.0.0.1"]);
    // Another fleet's key.
    std::fs::create_dir(fleet.bench.path("other")).unwrap();
    fleet.bench.nmax(&["fleet", "key", "--dir", "other"]).exits(0);
    let stranger = [&run[..], &["--fleet-key", "other/fleet.key"]].concat();
    fleet.bench.nmax(&stranger).exits(2).says(&["none of the keys"]);
    assert_eq!(arrived(&target), before);
    fleet.bench.nmax(&["fleet", "key"]).exits(2).says(&["is there already"]);
    fleet.bench.nmax(&["fleet", "status", "--nats", "nats://127.0.0.1:1"]).exits(5);
    fleet.end();
}
