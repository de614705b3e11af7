//! What one process uses.

use rustix::param::page_size;

use crate::host::files::Files;

/// The kernel counts the CPU time of processes in hundredths of a second (`USER_HZ`, fixed on Linux).
const TICKS_PER_S: f64 = 100.0;
/// Threads of a process whose waiting is added up; that of a process with more is unknown.
const THREADS_MAX: usize = 1_000;

/// One process, since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Usage {
    /// Begin, s after boot; tells it from a later process with the same number.
    pub(crate) began_s: f64,
    /// CPU time of all threads, s.
    pub(crate) cpu_s: f64,
    /// Resident memory, bytes.
    pub(crate) memory_bytes: f64,
    /// Threads.
    pub(crate) threads: f64,
}

/// `/proc/PID/stat` (proc_pid_stat(5)). The name stands in parentheses and may hold anything; fields are counted behind
/// it.
pub(crate) fn parse_stat(text: &str) -> Option<Usage> {
    let mut fields = [""; 22];
    let mut words = text.rsplit_once(')')?.1.split_ascii_whitespace();
    for field in &mut fields {
        *field = words.next()?;
    }
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok().map(|value| value as f64);
    Some(Usage {
        began_s: field(22)? / TICKS_PER_S,
        cpu_s: (field(14)? + field(15)?) / TICKS_PER_S,
        memory_bytes: field(24)? * page_size() as f64,
        threads: field(20)?,
    })
}

/// Bytes that a process read from and wrote to disks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Transferred {
    /// Read.
    pub(crate) read_bytes: u64,
    /// Written.
    pub(crate) written_bytes: u64,
}

/// `/proc/PID/io`.
pub(crate) fn parse_io(text: &str) -> Option<Transferred> {
    let number = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().parse::<u64>().ok()
    };
    Some(Transferred { read_bytes: number("read_bytes:")?, written_bytes: number("write_bytes:")? })
}

/// Files that a process may have open: the soft limit in `/proc/PID/limits`; `None` when there is none.
pub(crate) fn parse_files_limit(text: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    let number: u64 = line.split_ascii_whitespace().next()?.parse().ok()?;
    Some(number as f64)
}

/// Time that a thread was ready to run and waited for a processor, ns: the second number of `schedstat`.
pub(crate) fn parse_wait(text: &str) -> Option<u64> {
    text.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// Time that each thread of a process waited for a processor, ns, by the thread's number. The file of the process itself is
/// that of its first thread only.
pub(crate) fn waits(files: &mut Files, pid: u32) -> Option<Vec<(u32, u64)>> {
    let threads = files.list(&format!("proc/{pid}/task"))?;
    if threads.len() > THREADS_MAX {
        return None;
    }
    let mut waits = Vec::with_capacity(threads.len());
    for thread in threads.iter().filter_map(|name| name.parse::<u32>().ok()) {
        let text = files.read(&format!("proc/{pid}/task/{thread}/schedstat"));
        // A thread may have ended meanwhile.
        waits.extend(text.ok().and_then(parse_wait).map(|wait| (thread, wait)));
    }
    (!waits.is_empty()).then_some(waits)
}
