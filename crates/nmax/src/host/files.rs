//! The limit of open files of this process, and what it leaves for sockets.

use std::path::Path;

use nmax_engine::watch;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the soft limit of open files to the hard one. Where that is refused, the old limit stays.
pub fn raise() {
    let maximum = getrlimit(Resource::Nofile).maximum;
    let _ = setrlimit(
        Resource::Nofile,
        Rlimit {
            current: maximum,
            maximum,
        },
    );
}

/// Files that a run has open besides its sockets: those of its directory, its report, signals, lookups of names, and
/// what it reads of its host.
const RUN_FILES: u64 = 24;
/// Files of a worker: its reactor and its timer.
const WORKER_FILES: u64 = 6;

/// Files that a run on so many workers needs for itself.
pub fn reserve(workers: u64) -> u64 {
    RUN_FILES + WORKER_FILES * workers
}

/// Sockets that a run on so many workers may have open, so that it never lacks a file of its own; `None` where no
/// limit is known.
pub fn sockets(workers: u64) -> Option<u64> {
    let taken = watch::open_files(Path::new("/"))? + reserve(workers);
    Some(watch::open_files_limit()?.saturating_sub(taken))
}
