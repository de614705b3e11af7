//! Runs on several injectors over a real NATS server: processes that join, a manager that dies, a server that is killed.

use std::path::Path;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use crate::bench::{Bench, Job, count, lines, until};
use crate::nats::{Line, Nats, is_missing};
use crate::peers::{arrived, target};
use crate::ports::free_port;

/// A plan of so many requests per second for so long.
fn plan(url: &str, rate: u32, duration: &str) -> String {
    format!(
        "nmax: 1\ntarget: {url}\ngraceful_stop: 1s\nscenarios: {{ a: {{ steps: [{{ get: / }}] }} }}\n\
         workload: {{ open: {{ rate: {rate}/s }} }}\nduration: {duration}\n"
    )
}

/// The account in the configuration of a fleet's server.
fn account(of: &Bench) -> String {
    let text = read(&of.path("fleet.conf"));
    let (_, account) = text.split_once("accounts {\n").unwrap();
    account.trim_end().strip_suffix('}').unwrap().to_owned()
}

mod levels;
fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap()
}

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
        Self::start_beside(injectors, "")
    }

    /// With these accounts of the server besides.
    fn start_beside(injectors: usize, accounts: &str) -> Option<Self> {
        if is_missing() {
            return None;
        }
        let bench = Bench::new();
        bench.nmax(&["fleet", "key"]).exits(0).shows(&["fleet.key", "fleet.trust", "fleet.conf"]);
        // The server knows the users of the keys and no others.
        let nats = Nats::with(&format!("{JETSTREAM}accounts {{\n{}{accounts}}}\n", account(&bench)));
        let mut fleet = Self { bench, nats, injectors: Vec::new() };
        // Injectors may not make the streams.
        fleet.bench.nmax(&Self::with(&fleet.nats.line.url(), &["fleet", "check"])).exits(0);
        for number in 0..injectors {
            fleet.join(&format!("spool-{number}"), &["--allow-target", "127.0.0.0/8"]);
        }
        fleet.wait();
        Some(fleet)
    }

    /// Waits until all injectors wait for runs.
    fn wait(&self) {
        for injector in &self.injectors {
            until("an injector waits", || injector.stderr_so_far().contains("it waits for runs"));
        }
    }

    pub(crate) fn join(&mut self, spool: &str, more: &[&str]) {
        self.join_at(&self.nats.line.url(), spool, more);
    }

    fn join_at(&mut self, url: &str, spool: &str, more: &[&str]) {
        let own = ["fleet", "join", url, "--capacity", "1000", "--workers", "1", "--spool", spool];
        self.injectors.push(self.bench.spawn(&[&own[..], more].concat()));
    }

    /// Flags of a command with the server's address at its end.
    pub(crate) fn with<'a>(url: &'a str, args: &[&'a str]) -> Vec<&'a str> {
        [args, &["--nats", url]].concat()
    }

    /// A plan of so many requests per second for so long.
    pub(crate) fn plan(&self, url: &str, rate: u32, duration: &str) {
        self.bench.write("plan.yaml", &plan(url, rate, duration));
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
    fleet.wait();
    let url = fleet.nats.line.url();
    let before = arrived(&target);
    let run = Fleet::with(&url, &["fleet", "run", "plan.yaml"]);
    fleet.bench.nmax(&run).exits(2).says(&["is on this injector itself", "--allow-target 127.0.0.1"]);
    // Another fleet's key, of which the server knows nothing, and one whose owner came by a user of the server.
    std::fs::create_dir(fleet.bench.path("other")).unwrap();
    fleet.bench.nmax(&["fleet", "key", "--dir", "other"]).exits(0);
    let stranger = [&run[..], &["--fleet-key", "other/fleet.key"]].concat();
    fleet.bench.nmax(&stranger).exits(5).says(&["refuses these credentials"]);
    let file = |name: &str| read(&fleet.bench.path(name));
    let (own, other) = (file("fleet.key"), file("other/fleet.key"));
    let user = own.lines().last().unwrap();
    fleet.bench.write("other/fleet.key", &other.replace(other.lines().last().unwrap(), user));
    fleet.bench.nmax(&stranger).exits(2).says(&["none of the keys"]);
    assert_eq!(arrived(&target), before);
    fleet.bench.nmax(&["fleet", "key"]).exits(2).says(&["is there already"]);
    fleet.bench.nmax(&["fleet", "status", "--nats", "nats://127.0.0.1:1"]).exits(5);
    fleet.end();
}

/// An injector that cannot keep results says so at once; the others do not wait for it, and it takes part in the next run.
#[test]
fn an_injector_without_a_spool_is_named() {
    let Some(fleet) = Fleet::start(2) else { return };
    let target = target();
    fleet.plan(&target.url(), 40, "2s");
    let url = fleet.nats.line.url();
    let before = arrived(&target);
    let lock = fleet.bench.path("spool-1/lock");
    std::fs::remove_file(&lock).unwrap();
    std::fs::create_dir(&lock).unwrap();
    let run = Fleet::with(&url, &["fleet", "run", "plan.yaml", "--injectors", "2", "--exit-zero"]);
    fleet.bench.nmax(&run).exits(2).says(&["its spool", "directory"]);
    assert_eq!(arrived(&target), before);
    std::fs::remove_dir(&lock).unwrap();
    fleet.bench.nmax(&run).exits(0);
    assert_eq!(arrived(&target) - before, 80);
    fleet.end();
}

/// What an injector measured behind a broken link comes when the run has been shown without it, and counts where it belongs.
#[test]
fn results_that_come_late_count() {
    let Some(mut fleet) = Fleet::start(1) else { return };
    let target = target();
    fleet.plan(&target.url(), 40, "24s");
    let url = fleet.nats.line.url();
    let far = Line::new();
    far.lead_to(fleet.nats.port);
    fleet.join_at(&far.url(), "spool-far", &["--allow-target", "127.0.0.0/8"]);
    fleet.wait();
    let before = arrived(&target);
    let run = ["fleet", "run", "plan.yaml", "--injectors", "2", "--json", "--exit-zero"];
    let manager = fleet.bench.spawn(&Fleet::with(&url, &run));
    until("load", || arrived(&target) > before + 80);
    far.lead_to(0);
    until("load of 16 s", || arrived(&target) > before + 720);
    far.lead_to(fleet.nats.port);
    let summary = manager.wait().exits(0).json();
    assert_eq!((count(&summary["total"]["count"]), arrived(&target) - before), (960, 960), "{summary:#}");
    let said = fleet.injectors[1].stderr_so_far();
    assert!(said.contains("the connection to NATS at") && said.contains("works again"), "{said}");
    fleet.end();
}

/// A fleet that has an account of its own sees nothing of another's on the same server, and ends nothing of it.
#[test]
fn fleets_on_one_server_are_apart() {
    if is_missing() {
        return;
    }
    let other = Bench::new();
    other.nmax(&["fleet", "key"]).exits(0);
    let Some(fleet) = Fleet::start_beside(1, &account(&other)) else { return };
    let target = target();
    fleet.plan(&target.url(), 40, "1h");
    let url = fleet.nats.line.url();
    let before = arrived(&target);
    let manager = fleet.bench.spawn(&Fleet::with(&url, &["fleet", "run", "plan.yaml"]));
    until("load", || arrived(&target) > before + 10);
    let run = fleet.runs()[0]["run"].as_str().unwrap().to_owned();
    other.nmax(&Fleet::with(&url, &["fleet", "check"]));
    other.nmax(&Fleet::with(&url, &["fleet", "ls"])).exits(0).says(&["no runs"]);
    other.nmax(&Fleet::with(&url, &["fleet", "status"])).exits(0).says(&["no injector"]);
    other.nmax(&Fleet::with(&url, &["fleet", "abort", &run])).exits(2).says(&["no such run"]);
    let so_far = arrived(&target);
    until("load goes on", || arrived(&target) > so_far + 40);
    manager.signal(Signal::INT);
    manager.wait().exits(130);
    fleet.end();
}

/// As `nmax fleet key --broker` sets it up: the server takes the configuration as it is, and all goes over TLS without a flag.
#[test]
fn a_server_as_the_keys_configure_it() {
    if is_missing() {
        return;
    }
    let bench = Bench::new();
    bench.nmax(&["fleet", "key", "--broker", "127.0.0.1,broker.test"]).exits(0).shows(&["nats-server -c fleet.conf"]);
    let port = free_port();
    let config = read(&bench.path("fleet.conf")).replace("0.0.0.0:4222", &format!("127.0.0.1:{port}"));
    bench.write("fleet.conf", &config);
    let server = bench.shell_job(&format!("exec {} -c fleet.conf", crate::nats::program().unwrap().display()));
    until("the server", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
    let url = format!("tls://127.0.0.1:{port}");
    let target = target();
    let (nmax, before) = (|args: &[&str]| bench.nmax(&Fleet::with(&url, args)), arrived(&target));
    // An injector may not make the streams, and waits for them.
    let own = ["fleet", "join", &url, "--capacity", "1000", "--workers", "1", "--allow-target", "127.0.0.0/8"];
    let injector = bench.spawn(&own);
    until("an injector that waits for the streams", || injector.stderr_so_far().contains("NMAX_CTL is missing"));
    nmax(&["fleet", "check"]).exits(0).shows(&["the user may write"]);
    until("an injector", || injector.stderr_so_far().contains("it waits for runs"));
    bench.write("plan.yaml", &plan(&target.url(), 40, "2s"));
    nmax(&["fleet", "run", "plan.yaml", "--exit-zero"]).exits(0);
    assert_eq!(arrived(&target) - before, 80);
    // Whose keys do not know the certificate does not connect.
    std::fs::create_dir(bench.path("other")).unwrap();
    bench.nmax(&["fleet", "key", "--dir", "other"]).exits(0);
    nmax(&["fleet", "ls", "--fleet-key", "other/fleet.key"]).exits(5).says(&["TLS", "fails"]);
    // Who drains ends what it does, and leaves.
    nmax(&["fleet", "drain"]).exits(0).shows(&["takes no further run"]);
    injector.wait().exits(0).says(&["takes no further run, as asked for"]);
    server.signal(Signal::TERM);
    server.wait();
}
