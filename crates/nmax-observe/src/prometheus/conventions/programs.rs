//! Programs: what is limited within them, what collects their garbage, and their processes.

use nmax_sources::figures::*;

use super::super::page::Formula::{Rate, Value};
use super::Name::{Label, Own};
use super::{Convention, server, subject};

conventions! {
    /// Pools, locks and dependencies within applications, and `nmax target`.
    POOLS {
        // HikariCP by Micrometer.
        subject Label("pool", "pool") => {
            IN_USE_COUNT = Value(&["hikaricp_connections_active"]);
            WAITING_COUNT = Value(&["hikaricp_connections_pending"]);
            LIMIT_COUNT = Value(&["hikaricp_connections_max"]);
            TIMEOUTS_PER_S = Rate(1.0, &["hikaricp_connections_timeout_total"]);
        }
        // HikariCP by its own tracker.
        subject Label("pool", "pool") => {
            IN_USE_COUNT = Value(&["hikaricp_active_connections"]);
            WAITING_COUNT = Value(&["hikaricp_pending_threads"]);
            LIMIT_COUNT = Value(&["hikaricp_max_connections"]);
            TIMEOUTS_PER_S = Rate(1.0, &["hikaricp_connection_timeout_total"]);
        }
        // Tomcat by Micrometer; a request that waits for a thread is not counted there.
        subject Label("pool", "name") => {
            IN_USE_COUNT = Value(&["tomcat_threads_busy_threads"]);
            LIMIT_COUNT = Value(&["tomcat_threads_config_max_threads"]);
        }
        // Executors of Java by Micrometer.
        subject Label("pool", "name") => {
            IN_USE_COUNT = Value(&["executor_active_threads"]);
            WAITING_COUNT = Value(&["executor_queued_tasks"]);
            LIMIT_COUNT = Value(&["executor_pool_max_threads"]);
        }
        // php-fpm_exporter. Processes may come and go: as many can be lent as there are now, and who waits for more is told.
        subject Label("pool", "pool") => {
            IN_USE_COUNT = Value(&["phpfpm_active_processes"]);
            WAITING_COUNT = Value(&["phpfpm_listen_queue"]);
            LIMIT_COUNT = Value(&["phpfpm_total_processes"]);
        }
        // pgbouncer_exporter: connections to the server, and clients who wait for one.
        subject Label("pool", "database") => {
            IN_USE_COUNT = Value(&["pgbouncer_pools_server_active_connections"]);
            WAITING_COUNT = Value(&["pgbouncer_pools_client_waiting_connections"]);
            LIMIT_COUNT = Value(&["pgbouncer_databases_pool_size"]);
        }
        // varnish_exporter: sessions that wait for a thread.
        subject Own("pool", "threads") => { WAITING_COUNT = Value(&["varnish_main_thread_queue_len"]); }
        subject Label("pool", "pool") => {
            IN_USE_COUNT = Value(&["nmax_target_pool_in_use"]);
            WAITING_COUNT = Value(&["nmax_target_pool_waiting"]);
            LIMIT_COUNT = Value(&["nmax_target_pool_limit"]);
            TIMEOUTS_PER_S = Rate(1.0, &["nmax_target_pool_timeouts_total"]);
        }
        subject Label("lock", "lock") => {
            WAITING_COUNT = Value(&["nmax_target_lock_waiting"]);
            HOLDING_COUNT = Value(&["nmax_target_lock_holding"]);
        }
        subject Label("dependency", "dependency") => {
            IN_FLIGHT_COUNT = Value(&["nmax_target_dependency_in_flight"]);
            CALLS_PER_S = Rate(1.0, &["nmax_target_dependency_calls_total"]);
            ERRORS_PER_S = Rate(1.0, &["nmax_target_dependency_errors_total"]);
        }
    }
    /// Garbage collectors, and the process that serves the page.
    COLLECTORS {
        // The JVM by Micrometer and by the older client of Prometheus.
        subject Own("gc", "") => {
            PAUSE_RATIO = Rate(1.0, &["jvm_gc_pause_seconds_sum", "jvm_gc_collection_seconds_sum"]);
            PAUSES_PER_S = Rate(1.0, &["jvm_gc_pause_seconds_count", "jvm_gc_collection_seconds_count"]);
        }
        server Own("gc", "") => {
            PAUSE_RATIO = Rate(1.0, &["go_gc_duration_seconds_sum"]);
            PAUSES_PER_S = Rate(1.0, &["go_gc_duration_seconds_count"]);
        }
        // prom-client of Node.js.
        server Own("gc", "") => {
            PAUSE_RATIO = Rate(1.0, &["nodejs_gc_duration_seconds_sum"]);
            PAUSES_PER_S = Rate(1.0, &["nodejs_gc_duration_seconds_count"]);
        }
        server Own("process", "") => {
            CPU_CORES = Rate(1.0, &["process_cpu_seconds_total"]);
            MEMORY_BYTES = Value(&["process_resident_memory_bytes"]);
            OPEN_FILES_COUNT = Value(&["process_open_fds", "process_files_open_files"]);
            OPEN_FILES_LIMIT_COUNT = Value(&["process_max_fds", "process_files_max_files"]);
        }
    }
}
