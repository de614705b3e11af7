//! This process's own resources, read from `/proc`: what the injector uses up while it generates.

use std::fs;

use nmax_metrics::{Nanos, Resource};
use rustix::process::{Resource as Limit, getrlimit};

/// A reading of this process.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reading {
    /// Open file descriptors.
    pub open_files: Option<u64>,
    /// Of those, sockets: an upper bound of the local ports in use.
    pub sockets: Option<u64>,
    /// Resident memory, bytes.
    pub resident_bytes: Option<u64>,
    /// CPU time of all threads.
    pub cpu: Option<Nanos>,
}

/// Soft limit of open descriptors; `None` when there is none.
pub fn open_files_limit() -> Option<u64> {
    getrlimit(Limit::Nofile).current
}

/// Reads this process. What cannot be read is absent.
pub fn read() -> Reading {
    let (mut open_files, mut sockets) = (None, None);
    if let Ok(entries) = fs::read_dir("/proc/self/fd") {
        let (mut files, mut found) = (0_u64, 0_u64);
        for entry in entries.flatten() {
            files += 1;
            let is_socket = fs::read_link(entry.path())
                .is_ok_and(|link| link.as_os_str().as_encoded_bytes().starts_with(b"socket:"));
            found += u64::from(is_socket);
        }
        // The listing itself holds one descriptor open.
        (open_files, sockets) = (Some(files.saturating_sub(1)), Some(found));
    }
    let cpu = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Reading {
        open_files,
        sockets,
        resident_bytes: resident_bytes(),
        cpu: Some(Nanos(
            cpu.tv_sec.unsigned_abs() * 1_000_000_000 + cpu.tv_nsec.unsigned_abs(),
        )),
    }
}

fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim()
        .strip_suffix(" kB")?
        .trim()
        .parse::<u64>()
        .ok()
        .map(|kilobytes| kilobytes * 1024)
}

impl Reading {
    /// The reading as lines of the run's resources; `before` and its instant give the CPU's share.
    pub fn resources(&self, at: Nanos, before: &Self, before_at: Nanos) -> Vec<Resource> {
        let line = |metric: &str, value: Option<f64>, unit: &str| {
            value.map(|value| Resource {
                at,
                host: "injector".into(),
                source: "process".into(),
                metric: metric.into(),
                value,
                unit: unit.into(),
            })
        };
        let span = at.since(before_at);
        let cpu = (self.cpu.zip(before.cpu)).filter(|_| span > Nanos::ZERO);
        let cores = cpu.map(|(now, before)| now.since(before).0 as f64 / span.0 as f64);
        [
            line("cpu_cores", cores, "cores"),
            line("resident_bytes", self.resident_bytes.map(|bytes| bytes as f64), "bytes"),
            line("open_files_count", self.open_files.map(|count| count as f64), "count"),
            line("sockets_count", self.sockets.map(|count| count as f64), "count"),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_file_is_counted() {
        let before = read();
        let _socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let after = read();
        assert!(
            after.sockets > before.sockets || after.open_files > before.open_files,
            "{before:?} {after:?}"
        );
        assert!(after.resident_bytes.unwrap() > 0);
    }
}
