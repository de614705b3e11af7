//! Which figures are drawn together, and in which order.

use nmax_sources::Figure;
use nmax_sources::figures::*;

/// What a picture shows: of sources that are this word, or begin with it and a blank.
pub(super) struct Recipe {
    /// The word.
    pub(super) source: &'static str,
    /// What is shown of such a source.
    pub(super) title: &'static str,
    /// Its figures, and what they are called in the legend.
    pub(super) metrics: &'static [(Figure, &'static str)],
    /// A figure without which a source is of another kind.
    pub(super) only_with: Option<Figure>,
}

pub(super) const fn recipe(
    source: &'static str,
    title: &'static str,
    metrics: &'static [(Figure, &'static str)],
) -> Recipe {
    Recipe { source, title, metrics, only_with: None }
}

const fn only_with(figure: Figure, recipe: Recipe) -> Recipe {
    Recipe { only_with: Some(figure), ..recipe }
}

/// The pictures, in order.
pub(super) const RECIPES: [Recipe; 26] = [
    recipe(
        "cpu",
        "Processors",
        &[
            (BUSY_CORES, "busy"),
            (USER_CORES, "user"),
            (SYSTEM_CORES, "system"),
            (IOWAIT_CORES, "waiting for disks"),
            (STEAL_CORES, "stolen"),
        ],
    ),
    recipe(
        "cpu",
        "Tasks that run, and that wait for a processor",
        &[(RUNNING_COUNT, "ready or running"), (WAITING_COUNT, "waiting"), (BLOCKED_COUNT, "blocked")],
    ),
    recipe(
        "memory",
        "Memory",
        &[(AVAILABLE_BYTES, "available"), (DIRTY_BYTES, "to be written"), (SWAP_USED_BYTES, "swap used")],
    ),
    recipe("memory", "Swapping", &[(SWAP_IN_BYTES_PER_S, "in"), (SWAP_OUT_BYTES_PER_S, "out")]),
    recipe("disk", "queue", &[(QUEUE_COUNT, "transfers under way")]),
    recipe("disk", "time of a transfer", &[(AWAIT_MS, "await")]),
    recipe("disk", "throughput", &[(READ_BYTES_PER_S, "read"), (WRITTEN_BYTES_PER_S, "written")]),
    recipe("net", "throughput", &[(RECEIVED_BYTES_PER_S, "received"), (SENT_BYTES_PER_S, "sent")]),
    recipe("net", "lost", &[(DROPPED_PER_S, "dropped"), (ERRORS_PER_S, "errors")]),
    recipe(
        "tcp",
        "TCP trouble",
        &[
            (RETRANSMITTED_PER_S, "segments sent again"),
            (LISTEN_OVERFLOWS_PER_S, "listen overflows"),
            (LISTEN_DROPS_PER_S, "listen drops"),
        ],
    ),
    recipe(
        "tcp",
        "Sockets",
        &[
            (ESTABLISHED_COUNT, "established"),
            (TIME_WAIT_COUNT, "TIME_WAIT"),
            (CLOSE_WAIT_COUNT, "CLOSE_WAIT"),
            (SYN_RECV_COUNT, "SYN_RECV"),
        ],
    ),
    recipe("connections", "Round trip of our connections", &[(RTT_MS, "median"), (RTT_P95_MS, "p95")]),
    recipe("kernel", "Open files", &[(OPEN_FILES_COUNT, "open")]),
    recipe("cgroup", "Held back by its quota", &[(THROTTLED_RATIO, "periods")]),
    recipe("process", "processors", &[(CPU_CORES, "busy"), (WAITING_COUNT, "waiting")]),
    recipe("process", "memory", &[(MEMORY_BYTES, "resident")]),
    recipe("process", "threads and files", &[(THREADS_COUNT, "threads"), (OPEN_FILES_COUNT, "open files")]),
    recipe("pool", "pool", &[(IN_USE_COUNT, "in use"), (WAITING_COUNT, "waiting"), (LIMIT_COUNT, "limit")]),
    recipe("lock", "lock", &[(WAITING_COUNT, "waiting"), (HOLDING_COUNT, "holding")]),
    recipe("dependency", "dependency", &[(IN_FLIGHT_COUNT, "calls under way")]),
    recipe(
        "database",
        "sessions",
        &[
            (RUNNING_COUNT, "running"),
            (WAIT_IO_COUNT, "waiting: disk"),
            (WAIT_LOCK_COUNT, "waiting: lock"),
            (WAIT_LWLOCK_COUNT, "waiting: light lock"),
            (WAIT_CLIENT_COUNT, "waiting: client"),
            (WAIT_OTHER_COUNT, "waiting: other"),
        ],
    ),
    recipe("database", "blocks", &[(BLOCKS_HIT_PER_S, "in buffers"), (BLOCKS_READ_PER_S, "read")]),
    recipe("gc", "collecting", &[(PAUSE_RATIO, "share of time")]),
    only_with(
        REQUESTS_PER_S,
        recipe("log", "requests in the log", &[(REQUESTS_PER_S, "requests"), (ERRORS_PER_S, "errors")]),
    ),
    only_with(
        LINES_PER_S,
        recipe(
            "log",
            "lines in the log",
            &[(LINES_PER_S, "lines"), (WARNINGS_PER_S, "warnings"), (ERRORS_PER_S, "errors"), (FATAL_PER_S, "fatal")],
        ),
    ),
    recipe("log", "times in the log", &[(DURATION_MS, "mean"), (UPSTREAM_MS, "server behind")]),
];
