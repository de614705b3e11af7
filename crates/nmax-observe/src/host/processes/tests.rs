use std::process::{Child, Command};

use super::*;
use crate::Source;
use crate::host::tree::{Figures, Tree, figures, read_at};

/// `/proc/PID/stat` of a process that began at `began` s and used `cpu` hundredths.
fn stat(pid: u32, cpu: u64, began_s: u64, pages: u64) -> String {
    let begin = began_s * 100;
    format!(
        "{pid} (a) b) (c) S 1 1 1 0 -1 4 0 0 0 0 {cpu} 0 0 0 20 0 3 0 {begin} 999999 {pages} 18446744073709551615 0\n"
    )
}

fn shop(pid: u32, cpu: u64, began_s: u64) -> [(String, String); 2] {
    [(format!("proc/{pid}/comm"), "shop\n".to_owned()), (format!("proc/{pid}/stat"), stat(pid, cpu, began_s, 10))]
}

fn write(tree: &Tree, files: &[(String, String)]) {
    files.iter().for_each(|(path, text)| tree.write(path, text));
}

fn named(name: &str) -> [(&str, ProcessRef); 1] {
    [(name, ProcessRef::Name(name.to_owned()))]
}

/// All that a new process used, it used since the last look; one that is old and was not known has no past.
#[test]
fn processes_that_come_count_from_their_begin() {
    let tree = Tree::new(&[("proc/uptime", "1000.00 1\n")]);
    write(&tree, &shop(7, 50_000, 100));
    let mut host = tree.host(&named("shop"));
    assert!(!read_at(&mut host, 0).contains_key("process shop cpu_cores"), "a rate needs two looks");
    tree.write("proc/uptime", "1002.00 1\n");
    write(&tree, &shop(7, 50_100, 100));
    write(&tree, &shop(8, 60, 1_001));
    write(&tree, &shop(9, 90_000, 5));
    let seen = read_at(&mut host, 2);
    assert_eq!(seen.get("process shop cpu_cores"), Some(&((1.0 + 0.6) / 2.0)));
    assert_eq!(seen.get("process shop threads_count"), Some(&9.0));
    let page = rustix::param::page_size() as f64;
    assert_eq!(seen.get("process shop memory_bytes"), Some(&(30.0 * page)));
    // The number of a process is given to another one.
    tree.write("proc/uptime", "1003.00 1\n");
    write(&tree, &shop(7, 40, 1_002));
    let seen = read_at(&mut host, 3);
    assert!((seen["process shop cpu_cores"] - 0.4).abs() < 1e-9, "{seen:?}");
}

#[test]
fn disks_files_and_waiting_of_a_process() {
    let tree = Tree::new(&[("proc/uptime", "1000.00 1\n")]);
    write(&tree, &shop(7, 1, 100));
    let io = |read: u64| format!("rchar: 5\nread_bytes: {read}\nwrite_bytes: 200\ncancelled_write_bytes: 0\n");
    tree.write("proc/7/io", io(100));
    tree.write(
        "proc/7/limits",
        "Limit  Soft  Hard\nMax open files            10                 20               files\n",
    );
    ["0", "1", "2"].iter().for_each(|fd| tree.write(&format!("proc/7/fd/{fd}"), ""));
    tree.write("proc/7/task/7/schedstat", "1 1000000000 1\n");
    tree.write("proc/7/task/8/schedstat", "1 0 1\n");
    let mut host = tree.host(&named("shop"));
    let first = read_at(&mut host, 0);
    assert_eq!(first.get("process shop open_files_count"), Some(&3.0));
    assert_eq!(first.get("process shop open_files_limit_count"), Some(&10.0));
    tree.write("proc/7/io", io(1_100));
    tree.write("proc/7/task/7/schedstat", "1 1500000000 1\n");
    tree.write("proc/7/task/9/schedstat", "1 500000000 1\n");
    let seen = read_at(&mut host, 1_000);
    assert_eq!(seen.get("process shop read_bytes_per_s"), Some(&1.0));
    assert_eq!(seen.get("process shop written_bytes_per_s"), Some(&0.0));
    let waiting = seen.get("process shop waiting_count").copied();
    assert!(waiting.is_some_and(|waiting| (waiting - 1e-3).abs() < 1e-12), "{waiting:?}");
    // A process that was not known has no past.
    write(&tree, &shop(9, 1, 5));
    tree.write("proc/9/task/9/schedstat", "1 900000000000 1\n");
    let seen = read_at(&mut host, 2_000);
    assert_eq!(seen.get("process shop waiting_count"), Some(&0.0));
    assert_eq!(seen.get("process shop read_bytes_per_s"), None, "unknown of one is unknown of all");
}

/// Of several processes the one nearest to its limit decides.
#[test]
fn one_process_without_files_left_is_seen_among_many() {
    let tree = Tree::new(&[]);
    for (pid, open) in [(7, 4), (8, 1)] {
        write(&tree, &shop(pid, 1, 1));
        tree.write(&format!("proc/{pid}/limits"), "Max open files  4  4  files\n");
        (0..open).for_each(|fd| tree.write(&format!("proc/{pid}/fd/{fd}"), ""));
    }
    let seen = read_at(&mut tree.host(&named("shop")), 0);
    let value = |metric: &str| seen[&format!("process shop {metric}")];
    assert_eq!(value("open_files_count") / value("open_files_limit_count"), 1.0);
}

#[test]
fn a_group_of_its_own_is_shown_and_bounds_its_memory() {
    let tree = Tree::new(&[
        ("proc/meminfo", "MemAvailable: 900 kB\n"),
        ("proc/self/cgroup", "0::/own\n"),
        ("sys/fs/cgroup/cgroup.controllers", ""),
        ("sys/fs/cgroup/box/cpu.max", "50000 100000\n"),
        ("sys/fs/cgroup/box/memory.max", "6000\n"),
        ("sys/fs/cgroup/box/memory.current", "5000\n"),
        ("sys/fs/cgroup/own/memory.max", "6000\n"),
        ("sys/fs/cgroup/own/memory.current", "10\n"),
    ]);
    write(&tree, &shop(7, 1, 1));
    tree.write("proc/7/cgroup", "0::/box\n");
    let mut host = tree.host(&named("shop"));
    let seen = read_at(&mut host, 0);
    assert_eq!(seen.get("cgroup shop quota_cores"), Some(&0.5));
    let room = seen["process shop memory_limit_bytes"] - seen["process shop memory_bytes"];
    assert_eq!(room, 1_000.0);
    assert_eq!(seen.get("cgroup memory_bytes"), Some(&10.0));
}

/// A process of the test's own, ended with it.
struct Own(Child);

impl Own {
    fn sleeping() -> Self {
        Self(Command::new("sleep").arg("600").spawn().unwrap())
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn real(process: ProcessRef) -> crate::host::Host {
    crate::host::Host::new(std::path::Path::new("/"), vec![("it".to_owned(), process)])
}

fn of_it(host: &mut crate::host::Host, now: Nanos) -> Figures {
    let figures = figures(&host.read(now).unwrap());
    figures.into_iter().filter(|(figure, _)| figure.starts_with("process it ")).collect()
}

#[test]
fn this_process_is_read() {
    let mut host = real(ProcessRef::Pid(std::process::id()));
    of_it(&mut host, Nanos::ZERO);
    let filled = vec![7_u8; 64 << 20];
    let seen = of_it(&mut host, Nanos::from_secs(1));
    let value = |metric: &str| seen[&format!("process it {metric}")];
    assert!(value("memory_bytes") > filled.len() as f64, "{seen:?}");
    assert!(value("memory_limit_bytes") > value("memory_bytes"));
    assert!(value("threads_count") >= 1.0 && value("open_files_count") >= 3.0);
    assert!((0.0..1_000.0).contains(&value("cpu_cores")));
}

#[test]
fn going_and_coming_are_told_once() {
    let mut own = Own::sleeping();
    let mut host = real(ProcessRef::Pid(own.0.id()));
    let told = |host: &mut crate::host::Host, second| {
        let seen = of_it(host, Nanos::from_secs(second));
        (seen.is_empty(), host.events())
    };
    assert_eq!(told(&mut host, 1), (false, vec![]));
    own.0.kill().unwrap();
    own.0.wait().unwrap();
    assert_eq!(told(&mut host, 2), (true, vec![("OBSERVED", "observed process `it` is not there".to_owned())]));
    assert_eq!(told(&mut host, 3), (true, vec![]));
}

/// The server is read under its own name, once, whatever the plan calls it.
#[test]
fn the_server_of_a_port_is_read_by_itself() {
    let table = "head\n 0: 0100007F:1F90 00000000:0000 0A 0:0 00:0 0 0 0 71 1\n";
    let tree = Tree::new(&[("proc/net/tcp", table)]);
    write(&tree, &shop(7, 1, 1));
    std::fs::create_dir_all(tree.path().join("proc/7/fd")).unwrap();
    std::os::unix::fs::symlink("socket:[71]", tree.path().join("proc/7/fd/3")).unwrap();
    let seen = read_at(&mut tree.host(&[]).also_serving(Some(8080)), 0);
    assert!(seen.contains_key("process shop threads_count"), "{seen:?}");
    let known = [("mine", ProcessRef::Pid(7))];
    let seen = read_at(&mut tree.host(&known).also_serving(Some(8080)), 0);
    assert!(seen.contains_key("process mine threads_count") && !seen.contains_key("process shop threads_count"));
    let seen = read_at(&mut tree.host(&[]).also_serving(Some(80)), 0);
    assert!(seen.keys().all(|figure| !figure.starts_with("process ")));
}
