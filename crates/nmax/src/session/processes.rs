//! What observed processes of this host use, read from `/proc` once per window.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use nmax_engine::watch::memory;
use nmax_metrics::{Nanos, Resource};
use nmax_plan::plan::{Observed, ProcessRef};

#[cfg(test)]
mod tests;

/// The kernel counts the CPU time of processes in hundredths of a second (`USER_HZ`, fixed on Linux).
const TICKS_PER_S: f64 = 100.0;
/// Bytes of a process name that the kernel keeps.
const COMM_BYTES_MAX: usize = 15;

/// Numbers of the processes that a reference means, lowest first; none when there is none.
///
/// - `root`: `/` but in tests
pub(crate) fn pids(root: &Path, process: &ProcessRef) -> Vec<u32> {
    let exists = |pid: &u32| root.join(format!("proc/{pid}")).exists();
    match process {
        ProcessRef::Pid(pid) => Some(*pid).filter(exists).into_iter().collect(),
        ProcessRef::PidFile(file) => {
            let text = fs::read_to_string(root.join(file.trim_start_matches('/'))).ok();
            let text = text.or_else(|| fs::read_to_string(file).ok());
            let pid = text.and_then(|text| text.split_whitespace().next()?.parse().ok());
            pid.filter(exists).into_iter().collect()
        }
        ProcessRef::Name(name) => named(root, name),
    }
}

/// All processes whose command has this name.
fn named(root: &Path, name: &str) -> Vec<u32> {
    let Ok(entries) = fs::read_dir(root.join("proc")) else {
        return Vec::new();
    };
    let numbers = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let mut pids: Vec<u32> = numbers.filter(|pid| is_named(root, *pid, name)).collect();
    pids.sort_unstable();
    pids
}

fn is_named(root: &Path, pid: u32, name: &str) -> bool {
    let Ok(comm) = fs::read_to_string(root.join(format!("proc/{pid}/comm"))) else {
        return false;
    };
    let comm = comm.trim_end();
    if comm == name {
        return true;
    }
    // The kernel cuts long names off; the whole one begins the command line.
    if comm.len() < COMM_BYTES_MAX || !name.starts_with(comm) {
        return false;
    }
    let line = fs::read(root.join(format!("proc/{pid}/cmdline"))).unwrap_or_default();
    let command = line.split(|byte| *byte == 0).next().unwrap_or_default();
    let file = command.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    file == name.as_bytes()
}

/// What one process uses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Usage {
    memory_bytes: f64,
    cpu_s: f64,
    threads: f64,
    open_files: Option<f64>,
    /// What it could have besides, bytes: of the host, or of its control group.
    memory_available_bytes: Option<f64>,
}

/// Reads one process; `None` when it is gone.
fn usage(root: &Path, pid: u32) -> Option<Usage> {
    let folder = root.join(format!("proc/{pid}"));
    let stat = fs::read_to_string(folder.join("stat")).ok()?;
    // The name stands in parentheses and may hold anything; fields are counted behind it.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let field = |number: usize| fields.get(number - 3)?.parse::<f64>().ok();
    let status = fs::read_to_string(folder.join("status")).ok()?;
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let resident_kib: f64 = resident
        .and_then(|text| text.split_whitespace().next()?.parse().ok())
        .unwrap_or(0.0);
    Some(Usage {
        memory_bytes: resident_kib * 1024.0,
        cpu_s: (field(14)? + field(15)?) / TICKS_PER_S,
        threads: field(20)?,
        // Those of other users cannot be counted.
        open_files: fs::read_dir(folder.join("fd"))
            .ok()
            .map(|entries| entries.count() as f64),
        memory_available_bytes: memory::tightest_of(root, pid).map(|memory| memory.available_bytes as f64),
    })
}

/// The observed processes.
pub(super) struct Processes {
    root: PathBuf,
    all: Vec<Process>,
}

struct Process {
    name: String,
    process: ProcessRef,
    /// CPU time of each process at the last reading, s.
    cpu_s: HashMap<u32, f64>,
    read_at: Option<Nanos>,
    is_missing: bool,
}

impl Processes {
    pub(super) fn new(root: &Path, observed: &[Observed]) -> Self {
        let process = |observed: &Observed| match observed {
            Observed::Process { name, process } => Some(Process {
                name: name.clone(),
                process: process.clone(),
                cpu_s: HashMap::new(),
                read_at: None,
                is_missing: false,
            }),
            Observed::Source(_) => None,
        };
        Self {
            root: root.to_owned(),
            all: observed.iter().filter_map(process).collect(),
        }
    }

    /// What they use, and which of them were there before and are not now, or the other way round.
    pub(super) fn read(&mut self, now: Nanos) -> (Vec<Resource>, Vec<String>) {
        let (mut lines, mut changes) = (Vec::new(), Vec::new());
        for process in &mut self.all {
            let used: Vec<(u32, Usage)> = pids(&self.root, &process.process)
                .into_iter()
                .filter_map(|pid| Some((pid, usage(&self.root, pid)?)))
                .collect();
            if used.is_empty() != process.is_missing {
                process.is_missing = used.is_empty();
                let word = if used.is_empty() {
                    "is not there"
                } else {
                    "is there again"
                };
                changes.push(format!("observed process `{}` {word}", process.name));
            }
            lines.extend(process.lines(now, &used));
        }
        (lines, changes)
    }
}

impl Process {
    fn lines(&mut self, now: Nanos, used: &[(u32, Usage)]) -> Vec<Resource> {
        if used.is_empty() {
            return Vec::new();
        }
        let sum = |part: fn(&Usage) -> f64| used.iter().map(|(_, usage)| part(usage)).sum::<f64>();
        // A process that came since the last reading used all of its time since.
        let spent: f64 = used
            .iter()
            .map(|(pid, usage)| (usage.cpu_s - self.cpu_s.get(pid).copied().unwrap_or(0.0)).max(0.0))
            .sum();
        let span_s = self.read_at.map(|before| now.since(before).as_secs_f64());
        self.cpu_s = used.iter().map(|(pid, usage)| (*pid, usage.cpu_s)).collect();
        self.read_at = Some(now);
        let files: Option<f64> = used.iter().map(|(_, usage)| usage.open_files).sum();
        let memory_bytes = sum(|usage| usage.memory_bytes);
        // Processes of one name share what is left; the one with the least decides.
        let available = used.iter().filter_map(|(_, usage)| usage.memory_available_bytes);
        let available = available.reduce(f64::min);
        let figures = [
            ("memory_bytes", Some(memory_bytes), "bytes"),
            (
                "memory_limit_bytes",
                available.map(|available| memory_bytes + available),
                "bytes",
            ),
            (
                "cpu_cores",
                span_s.filter(|span_s| *span_s > 0.0).map(|span_s| spent / span_s),
                "cores",
            ),
            ("threads_count", Some(sum(|usage| usage.threads)), "count"),
            ("open_files_count", files, "count"),
        ];
        let line = |(metric, value, unit): (&str, Option<f64>, &str)| {
            Some(Resource {
                at: now,
                host: "local".into(),
                source: format!("process {}", self.name),
                metric: metric.into(),
                value: value?,
                unit: unit.into(),
            })
        };
        figures.into_iter().filter_map(line).collect()
    }
}
