//! This process's own resources and its host's, read from `/proc` and `/sys`: what the injector uses up while it
//! generates. What cannot be read is absent, never zero.
//!
//! # Layout
//! - [`ports`]: local ports and TIME_WAIT; [`memory`]: memory and control groups; [`threads`]: waiting for a processor

pub mod memory;
pub mod ports;
pub mod threads;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use nmax_metrics::{Nanos, Resource};
use nmax_sources::{Figure, INJECTOR, figures};
use rustix::process::{Resource as Limit, getrlimit};
use rustix::time::{ClockId, clock_gettime};

/// The part of one core that looking at each socket may take: one in this many.
const LOOK_COST: u64 = 200;

/// A reading of this process and its host.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reading {
    /// Open file descriptors.
    pub open_files: Option<u64>,
    /// Of those, sockets; absent when they were not looked at this time.
    pub sockets: Option<u64>,
    /// Local ports that are taken from one address to one destination of ours; absent as `sockets` is.
    pub ports_used: Option<u64>,
    /// Connections of the host in TIME_WAIT.
    pub time_wait: Option<u64>,
    /// Resident memory, bytes.
    pub resident_bytes: Option<u64>,
    /// Share of the memory that is available, 0 to 1.
    pub memory_available: Option<f64>,
    /// Memory of this process on swap, bytes.
    pub swapped_bytes: Option<u64>,
    /// CPU time of all threads.
    pub cpu: Option<Nanos>,
}

/// Soft limit of open descriptors; `None` when there is none.
pub fn open_files_limit() -> Option<u64> {
    getrlimit(Limit::Nofile).current
}

/// Open file descriptors of this process, read below `root`.
pub fn open_files(root: &Path) -> Option<u64> {
    let entries = fs::read_dir(root.join("proc/self/fd")).ok()?;
    // The listing itself holds one descriptor open.
    Some((entries.count() as u64).saturating_sub(1))
}

/// Reads this process again and again.
#[derive(Debug)]
pub struct Watch {
    root: PathBuf,
    ports: Option<ports::Counter>,
    ports_limit: Option<u64>,
    /// Not before this instant are all sockets looked at again.
    next_look: Nanos,
}

impl Watch {
    /// Reads below `root`, which is `/` but in tests.
    pub fn new(root: &Path) -> Self {
        let range = ports::range(root);
        Self {
            root: root.to_owned(),
            ports_limit: range.as_ref().map(ports::Range::count),
            ports: range.map(|range| {
                let reuse = ports::reuse(root).unwrap_or(ports::Reuse::Never);
                ports::Counter::new(range, reuse)
            }),
            next_look: Nanos::ZERO,
        }
    }

    /// Local ports that the system gives out.
    pub fn ports_limit(&self) -> Option<u64> {
        self.ports_limit
    }

    /// Reads all but what is too dear at the moment: with many thousand sockets a look at each of them takes tens of
    /// milliseconds, so the next look waits until it costs no more than half a per cent of a core.
    pub fn read(&mut self, at: Nanos) -> Reading {
        let mut reading = Reading {
            open_files: open_files(&self.root),
            time_wait: ports::time_wait(&self.root),
            resident_bytes: memory::resident_bytes(&self.root),
            memory_available: memory::tightest(&self.root).map(|memory| memory.available_ratio()),
            swapped_bytes: memory::swapped_bytes(&self.root),
            cpu: Some(cpu_time(ClockId::ProcessCPUTime)),
            ..Reading::default()
        };
        if at >= self.next_look {
            let before = cpu_time(ClockId::ThreadCPUTime);
            (reading.sockets, reading.ports_used) = self.count_sockets();
            let cost = cpu_time(ClockId::ThreadCPUTime).since(before);
            self.next_look = at + Nanos(cost.0.saturating_mul(LOOK_COST));
        }
        reading
    }

    /// Sockets of this process, and ports that are taken.
    fn count_sockets(&mut self) -> (Option<u64>, Option<u64>) {
        let Ok(entries) = fs::read_dir(self.root.join("proc/self/fd")) else {
            return (None, None);
        };
        let links = entries.flatten().filter_map(|entry| fs::read_link(entry.path()).ok());
        let own: HashSet<u64> = links.filter_map(|link| inode(link.to_str()?)).collect();
        let ports = self.ports.as_mut().and_then(|ports| ports.most(&self.root, &own));
        (Some(own.len() as u64), ports)
    }
}

/// The number in `socket:[4711]`.
fn inode(link: &str) -> Option<u64> {
    link.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
}

fn cpu_time(clock: ClockId) -> Nanos {
    let time = clock_gettime(clock);
    Nanos(time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs())
}

/// A line of the run's resources about the injector.
pub fn resource(at: Nanos, source: &str, figure: Figure, value: f64) -> Resource {
    let (metric, unit) = (figure.name.into(), figure.unit.name().into());
    Resource { at, host: INJECTOR.into(), source: source.into(), metric, value, unit }
}

impl Reading {
    /// The reading as lines of the run's resources; `before` and its instant give the CPU's share.
    pub fn resources(&self, at: Nanos, before: &Self, before_at: Nanos) -> Vec<Resource> {
        let line = |source, figure, value: Option<f64>| value.map(|value| resource(at, source, figure, value));
        let number = |value: Option<u64>| value.map(|value| value as f64);
        let span = at.since(before_at);
        let cpu = (self.cpu.zip(before.cpu)).filter(|_| span > Nanos::ZERO);
        let cores = cpu.map(|(now, before)| now.since(before).0 as f64 / span.0 as f64);
        [
            line("process", figures::CPU_CORES, cores),
            line("process", figures::RESIDENT_BYTES, number(self.resident_bytes)),
            line("process", figures::SWAPPED_BYTES, number(self.swapped_bytes)),
            line("process", figures::OPEN_FILES_COUNT, number(self.open_files)),
            line("process", figures::SOCKETS_COUNT, number(self.sockets)),
            line("process", figures::PORTS_USED_COUNT, number(self.ports_used)),
            line("host", figures::TIME_WAIT_COUNT, number(self.time_wait)),
            line("host", figures::MEMORY_AVAILABLE_RATIO, self.memory_available),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

#[cfg(test)]
mod tests;
