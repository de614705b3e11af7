//! Programs: what is limited within them, what collects their garbage, and their processes.

use super::super::page::Figure::{Rate, Value};
use super::Name::{Label, Own};
use super::{Convention, server, subject};

/// Pools, locks and dependencies within applications, and `nmax target`.
pub(super) const POOLS: [Convention; 10] = [
    // HikariCP by Micrometer.
    subject(
        Label("pool", "pool"),
        &[
            ("in_use_count", Value(&["hikaricp_connections_active"])),
            ("waiting_count", Value(&["hikaricp_connections_pending"])),
            ("limit_count", Value(&["hikaricp_connections_max"])),
            ("timeouts_per_s", Rate(1.0, &["hikaricp_connections_timeout_total"])),
        ],
    ),
    // HikariCP by its own tracker.
    subject(
        Label("pool", "pool"),
        &[
            ("in_use_count", Value(&["hikaricp_active_connections"])),
            ("waiting_count", Value(&["hikaricp_pending_threads"])),
            ("limit_count", Value(&["hikaricp_max_connections"])),
            ("timeouts_per_s", Rate(1.0, &["hikaricp_connection_timeout_total"])),
        ],
    ),
    // Tomcat by Micrometer; a request that waits for a thread is not counted there.
    subject(
        Label("pool", "name"),
        &[
            ("in_use_count", Value(&["tomcat_threads_busy_threads"])),
            ("limit_count", Value(&["tomcat_threads_config_max_threads"])),
        ],
    ),
    // Executors of Java by Micrometer.
    subject(
        Label("pool", "name"),
        &[
            ("in_use_count", Value(&["executor_active_threads"])),
            ("waiting_count", Value(&["executor_queued_tasks"])),
            ("limit_count", Value(&["executor_pool_max_threads"])),
        ],
    ),
    // php-fpm_exporter. Processes may come and go: as many can be lent as there are now, and who waits for more is told.
    subject(
        Label("pool", "pool"),
        &[
            ("in_use_count", Value(&["phpfpm_active_processes"])),
            ("waiting_count", Value(&["phpfpm_listen_queue"])),
            ("limit_count", Value(&["phpfpm_total_processes"])),
        ],
    ),
    // pgbouncer_exporter: connections to the server, and clients who wait for one.
    subject(
        Label("pool", "database"),
        &[
            ("in_use_count", Value(&["pgbouncer_pools_server_active_connections"])),
            ("waiting_count", Value(&["pgbouncer_pools_client_waiting_connections"])),
            ("limit_count", Value(&["pgbouncer_databases_pool_size"])),
        ],
    ),
    // varnish_exporter: sessions that wait for a thread.
    subject(Own("pool", "threads"), &[("waiting_count", Value(&["varnish_main_thread_queue_len"]))]),
    subject(
        Label("pool", "pool"),
        &[
            ("in_use_count", Value(&["nmax_target_pool_in_use"])),
            ("waiting_count", Value(&["nmax_target_pool_waiting"])),
            ("limit_count", Value(&["nmax_target_pool_limit"])),
            ("timeouts_per_s", Rate(1.0, &["nmax_target_pool_timeouts_total"])),
        ],
    ),
    subject(
        Label("lock", "lock"),
        &[
            ("waiting_count", Value(&["nmax_target_lock_waiting"])),
            ("holding_count", Value(&["nmax_target_lock_holding"])),
        ],
    ),
    subject(
        Label("dependency", "dependency"),
        &[
            ("in_flight_count", Value(&["nmax_target_dependency_in_flight"])),
            ("calls_per_s", Rate(1.0, &["nmax_target_dependency_calls_total"])),
            ("errors_per_s", Rate(1.0, &["nmax_target_dependency_errors_total"])),
        ],
    ),
];

/// Garbage collectors, and the process that serves the page.
pub(super) const COLLECTORS: [Convention; 4] = [
    // The JVM by Micrometer and by the older client of Prometheus.
    subject(
        Own("gc", ""),
        &[
            ("pause_ratio", Rate(1.0, &["jvm_gc_pause_seconds_sum", "jvm_gc_collection_seconds_sum"])),
            ("pauses_per_s", Rate(1.0, &["jvm_gc_pause_seconds_count", "jvm_gc_collection_seconds_count"])),
        ],
    ),
    server(
        Own("gc", ""),
        &[
            ("pause_ratio", Rate(1.0, &["go_gc_duration_seconds_sum"])),
            ("pauses_per_s", Rate(1.0, &["go_gc_duration_seconds_count"])),
        ],
    ),
    // prom-client of Node.js.
    server(
        Own("gc", ""),
        &[
            ("pause_ratio", Rate(1.0, &["nodejs_gc_duration_seconds_sum"])),
            ("pauses_per_s", Rate(1.0, &["nodejs_gc_duration_seconds_count"])),
        ],
    ),
    server(
        Own("process", ""),
        &[
            ("cpu_cores", Rate(1.0, &["process_cpu_seconds_total"])),
            ("memory_bytes", Value(&["process_resident_memory_bytes"])),
            ("open_files_count", Value(&["process_open_fds", "process_files_open_files"])),
            ("open_files_limit_count", Value(&["process_max_fds", "process_files_max_files"])),
        ],
    ),
];
