//! Which processes of this host a name, a number or a file means.

pub(crate) mod listening;
pub(crate) mod usage;

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use nmax_plan::plan::ProcessRef;

use crate::host::files::Files;

/// Bytes of a process name that the kernel keeps.
const COMM_BYTES_MAX: usize = 15;
/// Bytes of a file with a process's number.
const FILE_BYTES_MAX: u64 = 4_096;
/// Looks at the name of a new process: it has that of its parent until it has begun.
const FRESH_LOOKS: u8 = 3;
/// One in this many names that are known is looked at again each time: numbers of processes are used again.
const AGAIN_EVERY: u32 = 16;

/// Numbers of the processes that a reference means, lowest first; none when there is none.
///
/// - `root`: `/` but in tests
pub fn pids(root: &Path, process: &ProcessRef) -> Vec<u32> {
    let mut files = Files::new(root);
    let mut names = Names::default();
    if matches!(process, ProcessRef::Name(_)) {
        names.refresh(&mut files);
    }
    names.pids(&mut files, process)
}

/// Names of all processes, kept from one look to the next.
#[derive(Debug, Default)]
pub(crate) struct Names {
    known: HashMap<u32, Known>,
    looks: u32,
}

#[derive(Debug)]
struct Known {
    comm: String,
    looks: u8,
    is_there: bool,
}

impl Names {
    /// Looks which processes there are and reads the names of those that are new. O(processes), of which few are read.
    pub(crate) fn refresh(&mut self, files: &mut Files) {
        self.looks = self.looks.wrapping_add(1);
        self.known.values_mut().for_each(|known| known.is_there = false);
        let numbers = files.list("proc").unwrap_or_default();
        for pid in numbers.iter().filter_map(|name| name.parse::<u32>().ok()) {
            if let Some(known) = self.known.get_mut(&pid) {
                known.is_there = true;
                let is_due = pid % AGAIN_EVERY == self.looks % AGAIN_EVERY;
                if known.looks >= FRESH_LOOKS && !is_due {
                    continue;
                }
            }
            let Ok(comm) = files.read(&format!("proc/{pid}/comm")) else {
                continue;
            };
            let comm = comm.trim_end();
            let known =
                self.known.entry(pid).or_insert_with(|| Known { comm: String::new(), looks: 0, is_there: true });
            known.looks = known.looks.saturating_add(1);
            if known.comm != comm {
                comm.clone_into(&mut known.comm);
            }
        }
        self.known.retain(|_, known| known.is_there);
    }

    /// Numbers of the processes that a reference means, as of the last refresh, lowest first.
    pub(crate) fn pids(&self, files: &mut Files, process: &ProcessRef) -> Vec<u32> {
        match process {
            ProcessRef::Pid(pid) => Some(*pid).filter(|pid| is_there(files, *pid)).into_iter().collect(),
            ProcessRef::PidFile(file) => {
                let pid = number_in(&files.path(file)).or_else(|| number_in(Path::new(file)));
                pid.filter(|pid| is_there(files, *pid)).into_iter().collect()
            }
            ProcessRef::Name(name) => {
                let named = |(pid, known): (&u32, &Known)| is_named(files, *pid, &known.comm, name).then_some(*pid);
                let mut pids: Vec<u32> = self.known.iter().filter_map(named).collect();
                pids.sort_unstable();
                pids
            }
        }
    }
}

/// The number that a file begins with. Opening a pipe would wait for its other end, and a device may have no end.
fn number_in(file: &Path) -> Option<u32> {
    fs::metadata(file).ok().filter(|about| about.is_file())?;
    let mut text = String::new();
    let read = File::open(file).ok()?.take(FILE_BYTES_MAX).read_to_string(&mut text);
    read.ok()?;
    text.split_whitespace().next()?.parse().ok()
}

fn is_there(files: &Files, pid: u32) -> bool {
    files.path(&format!("proc/{pid}")).exists()
}

/// Whether a process with the name that the kernel keeps is meant.
fn is_named(files: &mut Files, pid: u32, comm: &str, name: &str) -> bool {
    if comm == name {
        return true;
    }
    // The kernel cuts long names off; the whole one begins the command line.
    if comm.len() < COMM_BYTES_MAX || !name.starts_with(comm) {
        return false;
    }
    let line = files.read(&format!("proc/{pid}/cmdline")).unwrap_or_default();
    let command = line.split('\0').next().unwrap_or_default();
    command.rsplit('/').next() == Some(name)
}

#[cfg(test)]
mod tests;
