//! Every threshold of the diagnosis, with where it comes from. A source says what a figure means; where it names no
//! limit, the limit is ours, and docs/methods/suspects.md says why.

use super::{Cell, Finding};
use crate::wording::{digits, share};

/// The method of the matrix: utilization, saturation and errors of every resource.
pub(super) const USE: &str = "B. Gregg, Thinking Methodically about Performance (USE method), ACM Queue 2012";
/// Stall information of the kernel.
pub(super) const PSI: &str = "Linux, Documentation/accounting/psi.rst";
/// Waiting for processors.
pub(super) const SCHED: &str = "Linux, Documentation/scheduler/sched-stats.rst";
/// Control groups.
pub(super) const CGROUP: &str = "Linux, Documentation/admin-guide/cgroup-v2.rst";
/// Disk statistics.
pub(super) const IOSTATS: &str = "Linux, Documentation/admin-guide/iostats.rst";
/// Counters of TCP.
pub(super) const SNMP: &str = "Linux, Documentation/networking/snmp_counter.rst";
/// Swapping and reclaim.
pub(super) const PROC: &str = "Linux, Documentation/filesystems/proc.rst";
/// Time stolen by the hypervisor.
pub(super) const STEAL: &str = "proc_stat(5)";
/// Mean number = throughput × time.
pub(super) const LITTLE: &str = "J. D. C. Little, Operations Research 9 (1961)";
/// Utilization law and bounds.
pub(super) const OPERATIONAL: &str =
    "P. J. Denning, J. P. Buzen, The Operational Analysis of Queueing Network Models, ACM Computing Surveys 1978";
/// Waits of sessions.
pub(super) const POSTGRES: &str = "PostgreSQL, The Cumulative Statistics System (pg_stat_activity)";

/// Share of the time in the system from which a resource counts as where requests wait.
pub(super) const WAIT_SHARE_MIN: f64 = 0.15;
/// Share of a residence within which two resources are a tie.
pub(super) const TIE_SHARE: f64 = 0.2;
/// Share of the time in the system from which what is unexplained is worth a suspect of its own.
pub(super) const UNEXPLAINED_SHARE_MIN: f64 = 0.25;
/// Share of the phase that may be without readings.
pub(super) const GAP_SHARE_MAX: f64 = 0.2;
/// Share of the phase without readings from which a resource was not observed.
pub(super) const BLIND_SHARE_MIN: f64 = 0.5;

/// Utilization of processors from which arrivals wait, however they come.
pub(super) const CPU_BUSY_MIN: f64 = 0.7;
/// Utilization from which processors are saturated.
pub(super) const CPU_FULL: f64 = 0.9;
/// Utilization below which processors have room for what holds a pool or a lock.
pub(super) const CPU_ROOM_MAX: f64 = 0.8;
/// Waiting for a processor per running, from which it counts.
pub(super) const CPU_WAITING_SHARE_MIN: f64 = 0.25;
/// Mean number of tasks that wait for a processor below which nobody is held up.
pub(super) const CPU_WAITING_MIN: f64 = 0.1;
/// Share of the processors' time that a hypervisor may take.
pub(super) const STEAL_MAX: f64 = 0.05;
/// Share of its periods in which a control group may be throttled.
pub(super) const THROTTLED_MAX: f64 = 0.01;
/// Share of time in which tasks may stall for memory.
pub(super) const MEMORY_SOME_MAX: f64 = 0.05;
/// Share of time in which all tasks may stall for memory at once.
pub(super) const MEMORY_FULL_MAX: f64 = 0.01;
/// Bytes per second swapped in: a page. Any more is work that waits.
pub(super) const SWAP_IN_MAX: f64 = 4_096.0;
/// Share of the memory that should be available.
pub(super) const AVAILABLE_MIN: f64 = 0.05;
/// Requests in a disk, waiting or served, from which they queue.
pub(super) const DISK_QUEUE_MAX: f64 = 1.0;
/// Requests in a disk below which it counts as idle, unless each takes long.
pub(super) const DISK_QUEUE_IDLE: f64 = 0.5;
/// Time of a request in a disk that is long for any, ms: twice the seek of a spinning one.
pub(super) const AWAIT_LONG_MS: f64 = 20.0;
/// How many times longer than in its idlest time a request may take in a disk.
pub(super) const AWAIT_TIMES_MAX: f64 = 2.0;
/// Share of time in which tasks may stall for I/O.
pub(super) const IO_SOME_MAX: f64 = 0.1;
/// Share of the sent segments that may be sent again.
pub(super) const RETRANSMITTED_MAX: f64 = 0.01;
/// Share of a link's speed from which it is full.
pub(super) const LINK_FULL: f64 = 0.9;
/// Time on the way that counts, s: below it nobody notices.
pub(super) const WAY_MIN_S: f64 = 0.01;
/// Share of a limit from which it counts as reached.
pub(super) const LIMIT_SHARE: f64 = 0.95;
/// Mean number of waiters from which a pool or a lock holds requests up.
pub(super) const WAITERS_MIN: f64 = 0.1;
/// Calls under way in a service from which it is more than idle.
pub(super) const CALLS_MIN: f64 = 0.5;
/// Time in a service that counts, s.
pub(super) const CALL_LONG_S: f64 = 0.02;
/// Calls under way in a service below which it is idle, however long they take: samples of so few say little.
pub(super) const CALLS_IDLE: f64 = 0.1;
/// Share of the time that collections may stop the world.
pub(super) const PAUSE_MAX: f64 = 0.05;
/// Share of the blocks that a database should find in its buffers, where it reads any to speak of.
pub(super) const HIT_MIN: f64 = 0.9;
/// Blocks read per second that are to speak of.
pub(super) const READS_MIN: f64 = 10.0;

/// A rule that holds.
pub(super) fn rule(text: String, source: &'static str) -> Finding {
    Finding { kind: "rule", text, source }
}

/// What was read or computed here, by nobody's rule.
pub(super) fn said(kind: &'static str, text: String) -> Finding {
    Finding { kind, text, source: "" }
}

/// A figure that says where time goes.
pub(super) fn residence(text: String) -> Finding {
    Finding { kind: "residence", text, source: LITTLE }
}

/// `0.42 of 2`, or `42 %` where that is clear.
pub(super) fn percent(value: Option<f64>) -> Cell {
    value.map_or(Cell::NotObserved, |value| Cell::Observed(share(value)))
}

/// A figure with its unit.
pub(super) fn figure(value: Option<f64>, unit: &str) -> Cell {
    value.map_or(Cell::NotObserved, |value| Cell::Observed(format!("{} {unit}", digits(value))))
}
