//! A world of its own for a test: processes, mounts and networks that no other test sees, and that end with it.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::bench::skip;

/// Names the test that runs inside.
const INSIDE: &str = "NMAX_FAULTS_INSIDE";
/// What becomes a world: the test program dies with its parent, and everything else with the test program. In a session of its
/// own, since a shell that ends would hang up on the group of a process that is stopped.
const ENTER: [&str; 5] = ["setpriv", "--pdeathsig", "KILL", "setsid", "unshare"];
const NAMESPACES: [&str; 6] = ["--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"];
/// Where files of a world are: in memory, and gone with it.
const FILES: &str = "/run/files";

/// Runs the body of a test, a closure in it, in a world of its own, or says why it cannot.
pub(crate) fn run<F: FnOnce()>(body: F) {
    // The path of the test is in that of the closure: PROGRAM::MODULE::TEST::{{closure}}.
    let (_, path) = std::any::type_name::<F>().split_once("::").unwrap();
    let test = path.trim_end_matches("::{{closure}}");
    if std::env::var(INSIDE).is_ok_and(|inside| inside == test) {
        prepare();
        return body();
    }
    let missing = ["ip", "unshare", "setpriv", "setsid", "nginx"].into_iter().find(|program| find(program).is_none());
    if let Some(program) = missing {
        return skip(&format!("{program} is not installed; scripts/install-test-deps.sh installs it"));
    }
    if !crate::fleet::server().is_file() {
        return skip("nats-server is not installed; scripts/install-test-deps.sh installs it");
    }
    let probe = "mount -t tmpfs tmpfs /run && mkdir /run/netns && ip netns add try && ip link add try0 type bridge && \
                 ip link add try1 type veth peer name try2 netns try && ip netns exec try true";
    let tried = enter().args(["sh", "-e", "-c", probe]).output().unwrap();
    if !tried.status.success() {
        let why = String::from_utf8_lossy(&tried.stderr);
        return skip(&format!("this machine allows no network namespaces: {}", why.trim().replace('\n', "; ")));
    }
    let mut command = enter();
    command.arg(std::env::current_exe().unwrap()).args(["--exact", test, "--nocapture"]).env(INSIDE, test);
    let ended = command.env("TMPDIR", FILES).stdin(Stdio::null()).output().unwrap();
    let [out, err] = [&ended.stdout, &ended.stderr].map(|text| String::from_utf8_lossy(text));
    eprintln!("{err}");
    assert!(ended.status.success(), "{test} failed:\n{out}");
}

/// The command that enters a world: as root, or as a user who is root in it.
fn enter() -> Command {
    let mut command = Command::new(ENTER[0]);
    command.args(&ENTER[1..]);
    if !rustix::process::geteuid().is_root() {
        command.args(["--user", "--map-root-user"]);
    }
    command.args(NAMESPACES);
    command
}

/// Where a program is.
pub(crate) fn find(program: &str) -> Option<std::path::PathBuf> {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut folders = path.split(':').chain(["/usr/sbin", "/sbin"]);
    folders.find_map(|folder| Some(Path::new(folder).join(program)).filter(|file| file.is_file()))
}

fn prepare() {
    shell(&format!("mount -t tmpfs tmpfs /run; mkdir -p /run/netns {FILES}; ip link set lo up"));
}

/// Runs lines of shell here.
pub(crate) fn shell(lines: &str) {
    let status = Command::new("sh").args(["-e", "-c", lines]).status().unwrap();
    assert!(status.success(), "{lines}");
}

/// A network that links machines, or a way from a machine to it.
pub(crate) type Net = u8;

/// Makes a network, on which the test has the last address.
pub(crate) fn network(net: Net) {
    ip(&format!("link add net{net} type bridge\nlink set net{net} up\naddr add 10.{net}.0.254/24 dev net{net}\n"));
}

/// Makes a machine with links to these networks; its address on each ends with its number.
pub(crate) fn machine(name: &str, number: u8, nets: &[Net]) {
    let mut lines = format!("netns add {name}\n-n {name} link set lo up\n");
    for net in nets {
        let (outside, address) = (line(name, *net), address(*net, number));
        lines += &format!(
            "link add {outside} type veth peer name net{net} netns {name}\nlink set {outside} master net{net} up\n\
             -n {name} addr add {address}/24 dev net{net}\n-n {name} link set net{net} up\n"
        );
    }
    ip(&lines);
}

/// Cuts the link of a machine, or mends it.
pub(crate) fn link(name: &str, net: Net, is_up: bool) {
    ip(&format!("link set {} {}\n", line(name, net), if is_up { "up" } else { "down" }));
}

/// The address of a machine.
pub(crate) fn address(net: Net, number: u8) -> String {
    format!("10.{net}.0.{number}")
}

fn line(name: &str, net: Net) -> String {
    format!("{name}-{net}")
}

/// Does lines of `ip`; those that begin with `-n` are of a machine.
fn ip(lines: &str) {
    let mut here = String::new();
    for line in lines.lines() {
        match line.strip_prefix("-n ") {
            None => here += &format!("{line}\n"),
            Some(of) => {
                batch(&std::mem::take(&mut here), &[]);
                let (name, line) = of.split_once(' ').unwrap();
                batch(line, &["-n", name]);
            }
        }
    }
    batch(&here, &[]);
}

fn batch(lines: &str, flags: &[&str]) {
    if lines.is_empty() {
        return;
    }
    let mut command = Command::new("ip");
    let mut child = command.args(flags).args(["-batch", "-"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success(), "{flags:?} {lines}");
}
