#![allow(clippy::disallowed_methods, reason = "waits for real processes")]

use std::process::{Child, Command};
use std::time::Duration;

use super::*;

/// A process of the test's own, ended with it.
struct Own(Child);

impl Own {
    fn sleeping() -> Self {
        Self(Command::new("sleep").arg("30").spawn().unwrap())
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn observed(process: ProcessRef) -> [Observed; 1] {
    [Observed::Process {
        name: "it".into(),
        process,
    }]
}

#[test]
fn this_process_is_read() {
    let pid = std::process::id();
    let mut processes = Processes::new(Path::new("/"), &observed(ProcessRef::Pid(pid)));
    processes.read(Nanos::ZERO);
    let filled = vec![7_u8; 64 << 20];
    let (lines, changes) = processes.read(Nanos::from_secs(1));
    let value = |metric: &str| lines.iter().find(|line| line.metric == metric).unwrap().value;
    assert!(value("memory_bytes") > filled.len() as f64, "{}", value("memory_bytes"));
    assert!(value("memory_limit_bytes") > value("memory_bytes"));
    assert!(value("threads_count") >= 1.0 && value("open_files_count") >= 3.0);
    assert!((0.0..1_000.0).contains(&value("cpu_cores")));
    assert!(changes.is_empty());
}

#[test]
fn a_process_is_found_by_name_number_and_file() {
    let own = Own::sleeping();
    let pid = own.0.id();
    // Its name is that of its parent until it has begun.
    let begun = || pids(Path::new("/"), &ProcessRef::Name("sleep".into())).contains(&pid);
    for _ in 0..200 {
        if begun() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(begun());
    let file = std::env::temp_dir().join(format!("nmax-pid-{pid}"));
    fs::write(&file, format!("{pid}\n")).unwrap();
    let by_file = pids(Path::new("/"), &ProcessRef::PidFile(file.display().to_string()));
    fs::remove_file(&file).unwrap();
    assert_eq!(by_file, [pid]);
    assert_eq!(pids(Path::new("/"), &ProcessRef::Pid(pid)), [pid]);
    assert!(pids(Path::new("/"), &ProcessRef::Name("no-such-process".into())).is_empty());
}

#[test]
fn going_and_coming_are_told_once() {
    let mut own = Own::sleeping();
    let pid = own.0.id();
    let mut processes = Processes::new(Path::new("/"), &observed(ProcessRef::Pid(pid)));
    assert!(processes.read(Nanos::from_secs(1)).1.is_empty());
    own.0.kill().unwrap();
    own.0.wait().unwrap();
    let (lines, changes) = processes.read(Nanos::from_secs(2));
    assert!(lines.is_empty());
    assert_eq!(changes, ["observed process `it` is not there"]);
    assert!(processes.read(Nanos::from_secs(3)).1.is_empty());
}
