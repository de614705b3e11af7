//! The limit of open files of this process, and what it leaves for sockets.

use std::path::Path;

use nmax_engine::measure::watch;
use nmax_observe::host::kept_files;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the soft limit of open files to the hard one. Where that is refused, the old limit stays.
pub fn raise() {
    let maximum = getrlimit(Resource::Nofile).maximum;
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
}

/// Files that a run has open besides its sockets: those of its directory, its report, signals, lookups of names, and
/// one that it reads of its host.
const RUN_FILES: u64 = 24;
/// Files of a source of readings: its reactor, its connection, and lookups of its name.
const SOURCE_FILES: u64 = 6;
/// Files of a worker: its reactor and its timer.
const WORKER_FILES: u64 = 6;

/// Files that a run on so many workers needs for itself, with those that the reading of this host keeps open.
pub(super) fn reserve(workers: u64) -> u64 {
    RUN_FILES + WORKER_FILES * workers + kept_files()
}

/// Sockets that a run on so many workers and with so many sources of readings may have open, so that it never lacks a
/// file of its own; `None` where no limit is known.
pub fn sockets(workers: u64, sources: u64) -> Option<u64> {
    let taken = watch::open_files(Path::new("/"))? + reserve(workers) + SOURCE_FILES * sources;
    Some(watch::open_files_limit()?.saturating_sub(taken))
}
