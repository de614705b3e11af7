//! A fleet in a world: machines, servers of NATS, injectors, and a target that logs.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use crate::bench::{Bench, Ended, Job, until};
use crate::world::{self, Net};

/// The network between injectors and NATS.
pub(crate) const CONTROL: Net = 77;
/// The network between injectors and target.
pub(crate) const DATA: Net = 78;
/// The network of a far region.
pub(crate) const REGION: Net = 79;
/// Machines of servers.
pub(crate) const SERVERS: [&str; 3] = ["n1", "n2", "n3"];
/// Iterations per second of a plan.
pub(crate) const RATE: u64 = 40;

/// Between two looks at a log: many worlds share a machine.
const LOOK: Duration = Duration::from_millis(100);

/// nats-server, where `scripts/install-test-deps.sh` puts it.
pub(crate) fn server() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-tools/nats-server")
}

/// A fleet: its machines, and what runs on them.
pub(crate) struct Fleet {
    pub(crate) bench: Bench,
    servers: BTreeMap<&'static str, Job>,
    injectors: BTreeMap<String, Job>,
    _target: Job,
    /// Names of injectors by their address as the target sees it.
    addresses: BTreeMap<String, String>,
}

impl Fleet {
    /// A cluster of three, a target, the keys of a fleet, and a machine for those who order runs.
    pub(crate) fn start() -> Self {
        let bench = Bench::new();
        [CONTROL, DATA, REGION].into_iter().for_each(world::network);
        world::machine("target", 9, &[DATA]);
        world::machine("manager", 8, &[CONTROL]);
        for (number, name) in SERVERS.iter().enumerate() {
            world::machine(name, number as u8 + 1, &[CONTROL]);
        }
        let target = target(&bench);
        let (servers, injectors, addresses) = Default::default();
        let mut fleet = Self { bench, servers, injectors, _target: target, addresses };
        SERVERS.into_iter().for_each(|name| fleet.serve(name));
        fleet.manage(&["fleet", "key"]).exits(0);
        // A cluster takes a moment to elect who may make streams.
        until("the streams", || fleet.manage(&fleet.nats(&["fleet", "check"])).code == 0);
        fleet
    }

    /// Starts a server, or starts it again.
    pub(crate) fn serve(&mut self, name: &'static str) {
        let number = SERVERS.iter().position(|known| *known == name).unwrap() as u8 + 1;
        let here = world::address(CONTROL, number);
        let routes = (1..=3).map(|number| format!("nats://{}:6222", world::address(CONTROL, number)));
        let text = format!(
            "server_name: {name}\nlisten: \"{here}:4222\"\nhttp: \"{here}:8222\"\n\
             jetstream {{ domain: hub, store_dir: \"{}\", sync_interval: always, max_file: 8G }}\n\
             cluster {{ name: fleet, listen: \"{here}:6222\", routes: [{}] }}\nleafnodes {{ listen: \"{here}:7422\" }}\n",
            self.bench.path(name).display(),
            routes.collect::<Vec<_>>().join(", ")
        );
        self.servers.insert(name, self.nats_server(name, &text));
    }

    /// Starts nats-server on a machine.
    pub(crate) fn nats_server(&self, machine: &str, text: &str) -> Job {
        let file = format!("{machine}.conf");
        self.bench.write(&file, text);
        self.on(machine, server().to_str().unwrap(), &["-c", &file])
    }

    /// Kills a server.
    pub(crate) fn kill_server(&mut self, name: &str) {
        let server = self.servers.remove(name).unwrap();
        server.signal(Signal::KILL);
        server.wait();
    }

    /// The machine of the server that leads a stream.
    pub(crate) fn leader(&self, stream: &str) -> &'static str {
        let found = std::cell::Cell::new(None);
        until("a leader", || {
            let leader = SERVERS.iter().filter_map(|server| led(server, stream)).next();
            found.set(leader.and_then(|leader| SERVERS.into_iter().find(|name| **name == leader)));
            found.get().is_some()
        });
        found.get().unwrap()
    }

    /// Starts a program on a machine.
    pub(crate) fn on(&self, machine: &str, program: &str, args: &[&str]) -> Job {
        let mut command = self.bench.command("ip");
        command.args(["netns", "exec", machine, program]).args(args);
        self.bench.start(command)
    }

    /// Starts nmax on the machine of those who order runs.
    pub(crate) fn order(&self, args: &[&str]) -> Job {
        self.on("manager", env!("CARGO_BIN_EXE_nmax"), args)
    }

    /// The same, and waits for its end.
    pub(crate) fn manage<A: AsRef<str>>(&self, args: &[A]) -> Ended {
        self.order(&args.iter().map(AsRef::as_ref).collect::<Vec<_>>()).wait()
    }

    /// A command with the addresses of the servers.
    pub(crate) fn nats(&self, args: &[&str]) -> Vec<String> {
        let mut all: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
        all.extend(["--unprotected".into(), "--nats".into(), urls()]);
        all
    }

    /// Makes a machine an injector, with links to these networks, and waits until it is one.
    pub(crate) fn join(&mut self, name: &str, nets: &[Net], urls: &str, more: &[&str]) {
        let number = 11 + self.addresses.len() as u8;
        world::machine(name, number, nets);
        self.addresses.insert(world::address(DATA, number), name.into());
        self.rejoin(name, urls, more);
    }

    /// Starts an injector on a machine that was one.
    pub(crate) fn rejoin(&mut self, name: &str, urls: &str, more: &[&str]) {
        let spool = format!("spool-{name}");
        let own = ["fleet", "join", urls, "--unprotected", "--allow-target", "10.0.0.0/8", "--spool", &spool];
        let load = ["--capacity", "1000", "--workers", "1"];
        let job = self.on(name, env!("CARGO_BIN_EXE_nmax"), &[&own[..], &load, more].concat());
        until("an injector waits", || job.stderr_so_far().contains("it waits for runs"));
        self.injectors.insert(name.into(), job);
    }

    /// So many injectors, `i1` and on.
    pub(crate) fn join_all(&mut self, count: usize) {
        for number in 1..=count {
            self.join(&format!("i{number}"), &[CONTROL, DATA], &urls(), &[]);
        }
    }

    /// An injector's process.
    pub(crate) fn injector(&self, name: &str) -> &Job {
        &self.injectors[name]
    }

    /// Kills an injector.
    pub(crate) fn kill_injector(&mut self, name: &str) {
        let injector = self.injectors.remove(name).unwrap();
        injector.signal(Signal::KILL);
        injector.wait();
    }

    /// An injector that has a part of the run which is under way.
    pub(crate) fn one_of_the_run(&self) -> String {
        let log = self.log();
        let (address, _) = log.first().expect("a request");
        self.addresses[address].clone()
    }

    /// Signals a server.
    pub(crate) fn signal_server(&self, name: &str, signal: Signal) {
        self.servers[name].signal(signal);
    }

    /// Orders a run of so many seconds by four injectors.
    pub(crate) fn run(&self, seconds: u64, more: &[&str]) -> Job {
        let text = format!(
            "nmax: 1\ntarget: http://{}\ngraceful_stop: 1s\nscenarios: {{ a: {{ steps: [{{ get: \"/${{iteration}}\", name: a }}] }} }}\n\
             workload: {{ open: {{ rate: {RATE}/s }} }}\nduration: {seconds}s\n",
            world::address(DATA, 9)
        );
        self.bench.write("plan.yaml", &text);
        let run = ["fleet", "run", "plan.yaml", "--json", "--exit-zero"];
        let args = self.nats(&[&run[..], more].concat());
        self.order(&args.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The target's log: from which address each iteration came.
    fn log(&self) -> Vec<(String, u64)> {
        let text = std::fs::read_to_string(self.bench.path("target/access.log")).unwrap();
        let complete = text.rfind('\n').map_or("", |end| &text[..end]);
        let lines = complete.lines().map(|line| line.split_once(" /").unwrap());
        lines.map(|(address, iteration)| (address.to_owned(), iteration.parse().unwrap())).collect()
    }

    /// How often each iteration has arrived at the target.
    pub(crate) fn arrived(&self) -> BTreeMap<u64, u64> {
        let mut arrived = BTreeMap::new();
        for (_, iteration) in self.log() {
            *arrived.entry(iteration).or_default() += 1;
        }
        arrived
    }

    /// Begins a new log.
    pub(crate) fn forget(&self) {
        std::fs::write(self.bench.path("target/access.log"), "").unwrap();
    }

    /// Waits until so many requests have arrived.
    pub(crate) fn loaded(&self, count: u64) {
        until("load", || {
            std::thread::sleep(LOOK);
            let log = std::fs::read(self.bench.path("target/access.log")).unwrap();
            log.iter().filter(|byte| **byte == b'\n').count() as u64 >= count
        });
    }

    /// What every process said last, for a test that fails.
    pub(crate) fn said(&self) -> String {
        let last = |text: String| text.lines().rev().take(12).map(|line| format!("  {line}\n")).collect::<Vec<_>>();
        let of = |name: &str, job: &Job| {
            let lines: String = last(job.stderr_so_far()).into_iter().rev().collect();
            format!("{name}:\n{lines}")
        };
        self.injectors.iter().map(|(name, job)| of(name, job)).collect()
    }
}

/// A fault lasts for so many seconds.
pub(crate) fn lasts(seconds: u64) {
    std::thread::sleep(Duration::from_secs(seconds));
}

/// Where injectors and managers connect.
pub(crate) fn urls() -> String {
    (1..=3).map(|number| format!("nats://{}:4222", world::address(CONTROL, number))).collect::<Vec<_>>().join(",")
}

/// nginx, which logs the path of each request.
fn target(bench: &Bench) -> Job {
    let folder = bench.path("target");
    std::fs::create_dir(&folder).unwrap();
    let kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let temporary = kinds.map(|kind| format!("{kind}_temp_path FOLDER/{kind};")).join(" ");
    let text = format!(
        "daemon off; master_process off; worker_processes 1; pid FOLDER/pid; error_log FOLDER/error.log;\n\
         events {{ worker_connections 1000; }}\n\
         http {{ {temporary} log_format path '$remote_addr $uri'; access_log FOLDER/access.log path; keepalive_requests 1000000;\n\
         server {{ listen 80; location / {{ return 200 'ok'; }} }} }}\n"
    );
    let text = text.replace("FOLDER", folder.to_str().unwrap());
    std::fs::write(folder.join("nginx.conf"), text).unwrap();
    let mut command: Command = bench.command("ip");
    command.args(["netns", "exec", "target"]).arg(world::find("nginx").unwrap());
    command.arg("-p").arg(&folder).arg("-e").arg(folder.join("error.log")).arg("-c").arg(folder.join("nginx.conf"));
    let job = bench.start(command);
    let address = format!("{}:80", world::address(DATA, 9));
    until("the target", || TcpStream::connect(&address).is_ok());
    job
}

/// The name of the server that leads a stream, as a server tells.
fn led(server: &str, stream: &str) -> Option<String> {
    let number = SERVERS.iter().position(|name| *name == server)? as u8 + 1;
    let address = format!("{}:8222", world::address(CONTROL, number)).parse().ok()?;
    let mut connection = TcpStream::connect_timeout(&address, Duration::from_millis(300)).ok()?;
    connection.write_all(b"GET /jsz?streams=true&accounts=true HTTP/1.0\r\n\r\n").ok()?;
    let mut reply = String::new();
    connection.read_to_string(&mut reply).ok()?;
    let told: Value = serde_json::from_str(reply.split_once("\r\n\r\n")?.1).ok()?;
    let streams = told["account_details"][0]["stream_detail"].as_array()?;
    let found = streams.iter().find(|found| found["name"] == stream)?;
    found["cluster"]["leader"].as_str().filter(|leader| !leader.is_empty()).map(str::to_owned)
}
