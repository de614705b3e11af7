//! Which figures are drawn together, and in which order.

/// What a picture shows: of sources that are this word, or begin with it and a blank.
pub(super) struct Recipe {
    /// The word.
    pub(super) source: &'static str,
    /// What is shown of such a source.
    pub(super) title: &'static str,
    /// Its figures, and what they are called in the legend.
    pub(super) metrics: &'static [(&'static str, &'static str)],
    /// A figure without which a source is of another kind.
    pub(super) only_with: Option<&'static str>,
}

pub(super) const fn recipe(
    source: &'static str,
    title: &'static str,
    metrics: &'static [(&'static str, &'static str)],
) -> Recipe {
    Recipe { source, title, metrics, only_with: None }
}

const fn only_with(metric: &'static str, recipe: Recipe) -> Recipe {
    Recipe { only_with: Some(metric), ..recipe }
}

/// The pictures, in order.
pub(super) const RECIPES: [Recipe; 26] = [
    recipe(
        "cpu",
        "Processors",
        &[
            ("busy_cores", "busy"),
            ("user_cores", "user"),
            ("system_cores", "system"),
            ("iowait_cores", "waiting for disks"),
            ("steal_cores", "stolen"),
        ],
    ),
    recipe(
        "cpu",
        "Tasks that run, and that wait for a processor",
        &[("running_count", "ready or running"), ("waiting_count", "waiting"), ("blocked_count", "blocked")],
    ),
    recipe(
        "memory",
        "Memory",
        &[("available_bytes", "available"), ("dirty_bytes", "to be written"), ("swap_used_bytes", "swap used")],
    ),
    recipe("memory", "Swapping", &[("swap_in_bytes_per_s", "in"), ("swap_out_bytes_per_s", "out")]),
    recipe("disk", "queue", &[("queue_count", "transfers under way")]),
    recipe("disk", "time of a transfer", &[("await_ms", "await")]),
    recipe("disk", "throughput", &[("read_bytes_per_s", "read"), ("written_bytes_per_s", "written")]),
    recipe("net", "throughput", &[("received_bytes_per_s", "received"), ("sent_bytes_per_s", "sent")]),
    recipe("net", "lost", &[("dropped_per_s", "dropped"), ("errors_per_s", "errors")]),
    recipe(
        "tcp",
        "TCP trouble",
        &[
            ("retransmitted_per_s", "segments sent again"),
            ("listen_overflows_per_s", "listen overflows"),
            ("listen_drops_per_s", "listen drops"),
        ],
    ),
    recipe(
        "tcp",
        "Sockets",
        &[
            ("established_count", "established"),
            ("time_wait_count", "TIME_WAIT"),
            ("close_wait_count", "CLOSE_WAIT"),
            ("syn_recv_count", "SYN_RECV"),
        ],
    ),
    recipe("connections", "Round trip of our connections", &[("rtt_ms", "median"), ("rtt_p95_ms", "p95")]),
    recipe("kernel", "Open files", &[("open_files_count", "open")]),
    recipe("cgroup", "Held back by its quota", &[("throttled_ratio", "periods")]),
    recipe("process", "processors", &[("cpu_cores", "busy"), ("waiting_count", "waiting")]),
    recipe("process", "memory", &[("memory_bytes", "resident")]),
    recipe("process", "threads and files", &[("threads_count", "threads"), ("open_files_count", "open files")]),
    recipe("pool", "pool", &[("in_use_count", "in use"), ("waiting_count", "waiting"), ("limit_count", "limit")]),
    recipe("lock", "lock", &[("waiting_count", "waiting"), ("holding_count", "holding")]),
    recipe("dependency", "dependency", &[("in_flight_count", "calls under way")]),
    recipe(
        "database",
        "sessions",
        &[
            ("running_count", "running"),
            ("wait_io_count", "waiting: disk"),
            ("wait_lock_count", "waiting: lock"),
            ("wait_lwlock_count", "waiting: light lock"),
            ("wait_client_count", "waiting: client"),
            ("wait_other_count", "waiting: other"),
        ],
    ),
    recipe("database", "blocks", &[("blocks_hit_per_s", "in buffers"), ("blocks_read_per_s", "read")]),
    recipe("gc", "collecting", &[("pause_ratio", "share of time")]),
    only_with(
        "requests_per_s",
        recipe("log", "requests in the log", &[("requests_per_s", "requests"), ("errors_per_s", "errors")]),
    ),
    only_with(
        "lines_per_s",
        recipe(
            "log",
            "lines in the log",
            &[
                ("lines_per_s", "lines"),
                ("warnings_per_s", "warnings"),
                ("errors_per_s", "errors"),
                ("fatal_per_s", "fatal"),
            ],
        ),
    ),
    recipe("log", "times in the log", &[("duration_ms", "mean"), ("upstream_ms", "server behind")]),
];

/// Beginnings of sources whose other figures are drawn as they are.
pub(super) const SERVICES: [&str; 6] = ["postgres ", "redis ", "memcached ", "nginx ", "prometheus ", "log "];
