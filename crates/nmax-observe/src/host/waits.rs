//! How many threads wait for a processor, added up over the threads themselves.

use std::collections::{HashMap, HashSet};

use super::reading::{HostReading, Pace, Previous};
use crate::process::usage;

/// Threads that are added up; how many wait among more is unknown.
const THREADS_MAX: usize = 5_000;

/// Time that each thread waited, ns, by the numbers of its process and its own.
#[derive(Debug)]
pub(super) struct Waits {
    before: Previous<HashMap<(u32, u32), u64>>,
    pace: Pace,
}

impl Waits {
    /// Looking at each thread may take one part of a core in `share`.
    pub(super) fn new(share: u64) -> Self {
        Self { before: Previous::default(), pace: Pace::new(share) }
    }

    /// Mean number of threads of these processes that waited since the last look: time waited per time. `None` when it is
    /// too early to look again. Threads that ended meanwhile are missing.
    pub(super) fn mean(
        &mut self,
        look: &mut HostReading<'_>,
        pids: impl FnOnce(&mut HostReading<'_>) -> Vec<u32>,
    ) -> Option<f64> {
        let now = look.now;
        let waits = self.pace.run(now, || {
            let mut all = HashMap::new();
            for pid in pids(look) {
                // A process may have ended meanwhile.
                let threads = usage::waits(look.files, pid).unwrap_or_default();
                all.extend(threads.into_iter().map(|(thread, wait)| ((pid, thread), wait)));
                if all.len() > THREADS_MAX {
                    return None;
                }
            }
            (!all.is_empty()).then_some(all)
        });
        let waits = waits.flatten()?;
        let (span_s, before) = self.before.replace(now, waits.clone())?;
        let known: HashSet<u32> = before.keys().map(|(pid, _)| *pid).collect();
        let grown = waits.iter().map(|(thread, wait)| match before.get(thread) {
            Some(before) => wait.saturating_sub(*before),
            // All that a new thread waited, it waited since the last look; a process that was not known may be old.
            None if known.contains(&thread.0) => *wait,
            None => 0,
        });
        let waited_ns = grown.fold(0, u64::saturating_add);
        Some(waited_ns as f64 / 1e9 / span_s)
    }
}
