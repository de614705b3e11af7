//! Which metrics of well-known exporters and libraries are which figures of the vocabulary.
//!
//! A table, and no code that knows one of them. Rates whose counter is in seconds are means over time: seconds of waiting
//! per second are the mean number that wait.

use super::page::Figure;
use super::page::Figure::{Distinct, Less, Rate, Ratio, Rest, Value};
use Name::{Fixed, Label, Own};

/// Metrics that a figure is made of.
type Of = &'static [&'static str];

/// What a resource is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    /// By this, on every host: `memory`, `operations disk reads`.
    Fixed(&'static str),
    /// By its kind and the name of the source: `gc shop`; with what follows, `operations shop requests`.
    Own(&'static str, &'static str),
    /// By its kind and the value of a label: `disk sda`; without the label as [`Name::Own`].
    Label(&'static str, &'static str),
}

/// What a page's resource belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    /// To what the page is about.
    Subject,
    /// To the program that serves the page: itself where it is a service, nobody of interest where it is an exporter.
    Server,
}

/// A resource and its figures.
pub(crate) struct Convention {
    /// What it is called.
    pub(crate) name: Name,
    /// What it belongs to.
    pub(crate) about: About,
    /// Metrics of the vocabulary, and how they are made; of two with the same name the first that is there counts.
    pub(crate) figures: &'static [(&'static str, Figure<Of>)],
}

const fn subject(name: Name, figures: &'static [(&'static str, Figure<Of>)]) -> Convention {
    Convention {
        name,
        about: About::Subject,
        figures,
    }
}

const fn server(name: Name, figures: &'static [(&'static str, Figure<Of>)]) -> Convention {
    Convention {
        name,
        about: About::Server,
        figures,
    }
}

/// Bytes of a page of memory: `node_vmstat_pswpin` counts pages.
const PAGE_BYTES: f64 = 4_096.0;

/// Parts of names that only exporters have: what they say of themselves is not about their subject.
pub(crate) const EXPORTERS: [&str; 2] = ["exporter_build_info", "exporter_last_scrape"];

/// Those of [`CONVENTIONS`] that are about hosts.
pub(crate) const HOST_EXPORTERS: [&str; 2] = ["node_exporter", "windows_exporter"];

/// All of them, with what they have in common.
pub(crate) const CONVENTIONS: [(&str, &[Convention]); 6] = [
    ("node_exporter", &NODE),
    ("windows_exporter", &WINDOWS),
    ("Pools, locks and dependencies", &POOLS),
    ("Garbage collectors, and the process that serves the page", &COLLECTORS),
    ("Databases and caches", &DATABASES),
    ("Servers in front", &PROXIES),
];

/// node_exporter of the Prometheus project.
const NODE: [Convention; 10] = [
    subject(
        Fixed("cpu"),
        &[
            ("cores_count", Distinct(&["node_cpu_seconds_total"], "cpu")),
            (
                "busy_cores",
                Rate(
                    1.0,
                    &["node_cpu_seconds_total{mode!=\"idle\",mode!=\"iowait\",mode!=\"steal\"}"],
                ),
            ),
            (
                "user_cores",
                Rate(
                    1.0,
                    &[
                        "node_cpu_seconds_total{mode=\"user\"}",
                        "node_cpu_seconds_total{mode=\"nice\"}",
                    ],
                ),
            ),
            ("system_cores", Rate(1.0, &["node_cpu_seconds_total{mode=\"system\"}"])),
            ("iowait_cores", Rate(1.0, &["node_cpu_seconds_total{mode=\"iowait\"}"])),
            (
                "irq_cores",
                Rate(
                    1.0,
                    &[
                        "node_cpu_seconds_total{mode=\"irq\"}",
                        "node_cpu_seconds_total{mode=\"softirq\"}",
                    ],
                ),
            ),
            ("steal_cores", Rate(1.0, &["node_cpu_seconds_total{mode=\"steal\"}"])),
            ("running_count", Value(&["node_procs_running"])),
            ("blocked_count", Value(&["node_procs_blocked"])),
            ("waiting_count", Rate(1.0, &["node_schedstat_waiting_seconds_total"])),
            ("load1", Value(&["node_load1"])),
            (
                "pressure_some_ratio",
                Rate(1.0, &["node_pressure_cpu_waiting_seconds_total"]),
            ),
        ],
    ),
    subject(
        Label("cpu", "cpu"),
        &[(
            "busy_ratio",
            Rest(&[
                "node_cpu_seconds_total{mode=\"idle\"}",
                "node_cpu_seconds_total{mode=\"iowait\"}",
                "node_cpu_seconds_total{mode=\"steal\"}",
            ]),
        )],
    ),
    subject(
        Fixed("memory"),
        &[
            ("total_bytes", Value(&["node_memory_MemTotal_bytes"])),
            ("available_bytes", Value(&["node_memory_MemAvailable_bytes"])),
            (
                "swap_used_bytes",
                Less(&["node_memory_SwapTotal_bytes"], &["node_memory_SwapFree_bytes"]),
            ),
            ("swap_in_bytes_per_s", Rate(PAGE_BYTES, &["node_vmstat_pswpin"])),
            ("swap_out_bytes_per_s", Rate(PAGE_BYTES, &["node_vmstat_pswpout"])),
            ("major_faults_per_s", Rate(1.0, &["node_vmstat_pgmajfault"])),
            ("dirty_bytes", Value(&["node_memory_Dirty_bytes"])),
            ("oom_kills_per_s", Rate(1.0, &["node_vmstat_oom_kill"])),
            (
                "pressure_some_ratio",
                Rate(1.0, &["node_pressure_memory_waiting_seconds_total"]),
            ),
            (
                "pressure_full_ratio",
                Rate(1.0, &["node_pressure_memory_stalled_seconds_total"]),
            ),
        ],
    ),
    subject(
        Fixed("io"),
        &[
            (
                "pressure_some_ratio",
                Rate(1.0, &["node_pressure_io_waiting_seconds_total"]),
            ),
            (
                "pressure_full_ratio",
                Rate(1.0, &["node_pressure_io_stalled_seconds_total"]),
            ),
        ],
    ),
    subject(
        Label("disk", "device"),
        &[
            (
                "await_ms",
                Ratio(
                    1e3,
                    &[
                        "node_disk_read_time_seconds_total",
                        "node_disk_write_time_seconds_total",
                    ],
                    &["node_disk_reads_completed_total", "node_disk_writes_completed_total"],
                ),
            ),
            ("queue_count", Rate(1.0, &["node_disk_io_time_weighted_seconds_total"])),
            ("reads_per_s", Rate(1.0, &["node_disk_reads_completed_total"])),
            ("writes_per_s", Rate(1.0, &["node_disk_writes_completed_total"])),
            ("read_bytes_per_s", Rate(1.0, &["node_disk_read_bytes_total"])),
            ("written_bytes_per_s", Rate(1.0, &["node_disk_written_bytes_total"])),
            ("busy_ratio", Rate(1.0, &["node_disk_io_time_seconds_total"])),
        ],
    ),
    subject(
        Fixed("operations disk reads"),
        &[("operations_per_s", Rate(1.0, &["node_disk_reads_completed_total"]))],
    ),
    subject(
        Fixed("operations disk writes"),
        &[("operations_per_s", Rate(1.0, &["node_disk_writes_completed_total"]))],
    ),
    subject(
        Label("net", "device"),
        &[
            ("received_bytes_per_s", Rate(1.0, &["node_network_receive_bytes_total"])),
            ("sent_bytes_per_s", Rate(1.0, &["node_network_transmit_bytes_total"])),
            (
                "dropped_per_s",
                Rate(
                    1.0,
                    &["node_network_receive_drop_total", "node_network_transmit_drop_total"],
                ),
            ),
            (
                "errors_per_s",
                Rate(
                    1.0,
                    &["node_network_receive_errs_total", "node_network_transmit_errs_total"],
                ),
            ),
            ("speed_bytes_per_s", Value(&["node_network_speed_bytes"])),
        ],
    ),
    subject(
        Fixed("tcp"),
        &[
            ("retransmitted_per_s", Rate(1.0, &["node_netstat_Tcp_RetransSegs"])),
            ("sent_segments_per_s", Rate(1.0, &["node_netstat_Tcp_OutSegs"])),
            (
                "listen_overflows_per_s",
                Rate(1.0, &["node_netstat_TcpExt_ListenOverflows"]),
            ),
            ("listen_drops_per_s", Rate(1.0, &["node_netstat_TcpExt_ListenDrops"])),
            ("established_count", Value(&["node_netstat_Tcp_CurrEstab"])),
            ("time_wait_count", Value(&["node_sockstat_TCP_tw"])),
        ],
    ),
    subject(
        Fixed("kernel"),
        &[
            ("open_files_count", Value(&["node_filefd_allocated"])),
            ("open_files_limit_count", Value(&["node_filefd_maximum"])),
            ("conntrack_count", Value(&["node_nf_conntrack_entries"])),
            ("conntrack_limit_count", Value(&["node_nf_conntrack_entries_limit"])),
        ],
    ),
];

/// windows_exporter.
const WINDOWS: [Convention; 4] = [
    subject(
        Fixed("cpu"),
        &[
            ("cores_count", Distinct(&["windows_cpu_time_total"], "core")),
            ("busy_cores", Rate(1.0, &["windows_cpu_time_total{mode!=\"idle\"}"])),
            ("waiting_count", Value(&["windows_system_processor_queue_length"])),
        ],
    ),
    subject(
        Fixed("memory"),
        &[
            ("total_bytes", Value(&["windows_memory_physical_total_bytes"])),
            ("total_bytes", Value(&["windows_cs_physical_memory_bytes"])),
            ("available_bytes", Value(&["windows_memory_available_bytes"])),
        ],
    ),
    subject(
        Label("disk", "volume"),
        &[
            (
                "await_ms",
                Ratio(
                    1e3,
                    &[
                        "windows_logical_disk_read_latency_seconds_total",
                        "windows_logical_disk_write_latency_seconds_total",
                    ],
                    &["windows_logical_disk_reads_total", "windows_logical_disk_writes_total"],
                ),
            ),
            (
                "queue_count",
                Rate(
                    1.0,
                    &[
                        "windows_logical_disk_read_latency_seconds_total",
                        "windows_logical_disk_write_latency_seconds_total",
                    ],
                ),
            ),
            ("requests_count", Value(&["windows_logical_disk_requests_queued"])),
            ("reads_per_s", Rate(1.0, &["windows_logical_disk_reads_total"])),
            ("writes_per_s", Rate(1.0, &["windows_logical_disk_writes_total"])),
            (
                "read_bytes_per_s",
                Rate(1.0, &["windows_logical_disk_read_bytes_total"]),
            ),
            (
                "written_bytes_per_s",
                Rate(1.0, &["windows_logical_disk_write_bytes_total"]),
            ),
            ("busy_ratio", Rest(&["windows_logical_disk_idle_seconds_total"])),
        ],
    ),
    subject(
        Label("net", "nic"),
        &[
            ("received_bytes_per_s", Rate(1.0, &["windows_net_bytes_received_total"])),
            ("sent_bytes_per_s", Rate(1.0, &["windows_net_bytes_sent_total"])),
            (
                "dropped_per_s",
                Rate(
                    1.0,
                    &[
                        "windows_net_packets_received_discarded_total",
                        "windows_net_packets_outbound_discarded_total",
                    ],
                ),
            ),
            (
                "errors_per_s",
                Rate(
                    1.0,
                    &[
                        "windows_net_packets_received_errors_total",
                        "windows_net_packets_outbound_errors_total",
                    ],
                ),
            ),
            ("speed_bytes_per_s", Value(&["windows_net_current_bandwidth_bytes"])),
        ],
    ),
];

/// Pools, locks and dependencies within applications, and `nmax target`.
const POOLS: [Convention; 10] = [
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
    // php-fpm_exporter. Its processes come and go, and their most is not told.
    subject(
        Label("pool", "pool"),
        &[
            ("in_use_count", Value(&["phpfpm_active_processes"])),
            ("waiting_count", Value(&["phpfpm_listen_queue"])),
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
    subject(
        Own("pool", "threads"),
        &[("waiting_count", Value(&["varnish_main_thread_queue_len"]))],
    ),
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
const COLLECTORS: [Convention; 4] = [
    // The JVM by Micrometer and by the older client of Prometheus.
    subject(
        Own("gc", ""),
        &[
            (
                "pause_ratio",
                Rate(1.0, &["jvm_gc_pause_seconds_sum", "jvm_gc_collection_seconds_sum"]),
            ),
            (
                "pauses_per_s",
                Rate(1.0, &["jvm_gc_pause_seconds_count", "jvm_gc_collection_seconds_count"]),
            ),
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
            (
                "open_files_count",
                Value(&["process_open_fds", "process_files_open_files"]),
            ),
            (
                "open_files_limit_count",
                Value(&["process_max_fds", "process_files_max_files"]),
            ),
        ],
    ),
];

/// Databases and caches.
const DATABASES: [Convention; 10] = [
    // postgres_exporter.
    subject(
        Own("database", ""),
        &[
            ("active_count", Value(&["pg_stat_activity_count{state=\"active\"}"])),
            (
                "wait_lock_count",
                Value(&["pg_stat_activity_count{state=\"active\",wait_event_type=\"Lock\"}"]),
            ),
            (
                "wait_io_count",
                Value(&["pg_stat_activity_count{state=\"active\",wait_event_type=\"IO\"}"]),
            ),
            (
                "wait_lwlock_count",
                Value(&["pg_stat_activity_count{state=\"active\",wait_event_type=\"LWLock\"}"]),
            ),
            (
                "wait_client_count",
                Value(&["pg_stat_activity_count{state=\"active\",wait_event_type=\"Client\"}"]),
            ),
            ("connections_count", Value(&["pg_stat_database_numbackends"])),
            ("connections_limit_count", Value(&["pg_settings_max_connections"])),
            ("commits_per_s", Rate(1.0, &["pg_stat_database_xact_commit"])),
            ("rollbacks_per_s", Rate(1.0, &["pg_stat_database_xact_rollback"])),
            ("blocks_read_per_s", Rate(1.0, &["pg_stat_database_blks_read"])),
            ("blocks_hit_per_s", Rate(1.0, &["pg_stat_database_blks_hit"])),
            (
                "hit_ratio",
                Ratio(
                    1.0,
                    &["pg_stat_database_blks_hit"],
                    &["pg_stat_database_blks_hit", "pg_stat_database_blks_read"],
                ),
            ),
            ("rows_read_per_s", Rate(1.0, &["pg_stat_database_tup_returned"])),
            ("temp_bytes_per_s", Rate(1.0, &["pg_stat_database_temp_bytes"])),
            ("deadlocks_per_s", Rate(1.0, &["pg_stat_database_deadlocks"])),
        ],
    ),
    subject(
        Own("operations", "transactions"),
        &[(
            "operations_per_s",
            Rate(1.0, &["pg_stat_database_xact_commit", "pg_stat_database_xact_rollback"]),
        )],
    ),
    subject(
        Own("operations", "rows"),
        &[("operations_per_s", Rate(1.0, &["pg_stat_database_tup_returned"]))],
    ),
    // mysqld_exporter.
    subject(
        Own("database", ""),
        &[
            ("active_count", Value(&["mysql_global_status_threads_running"])),
            (
                "wait_lock_count",
                Value(&["mysql_global_status_innodb_row_lock_current_waits"]),
            ),
            ("connections_count", Value(&["mysql_global_status_threads_connected"])),
            (
                "connections_limit_count",
                Value(&["mysql_global_variables_max_connections"]),
            ),
            (
                "blocks_read_per_s",
                Rate(1.0, &["mysql_global_status_innodb_buffer_pool_reads"]),
            ),
            (
                "rows_read_per_s",
                Rate(1.0, &["mysql_global_status_innodb_row_ops_total{operation=\"read\"}"]),
            ),
        ],
    ),
    subject(
        Own("operations", "queries"),
        &[("operations_per_s", Rate(1.0, &["mysql_global_status_questions"]))],
    ),
    // redis_exporter.
    subject(
        Own("redis", ""),
        &[
            ("connections_count", Value(&["redis_connected_clients"])),
            ("blocked_count", Value(&["redis_blocked_clients"])),
            ("memory_bytes", Value(&["redis_memory_used_bytes"])),
            ("memory_limit_bytes", Value(&["redis_memory_max_bytes"])),
            ("evicted_per_s", Rate(1.0, &["redis_evicted_keys_total"])),
            (
                "hit_ratio",
                Ratio(
                    1.0,
                    &["redis_keyspace_hits_total"],
                    &["redis_keyspace_hits_total", "redis_keyspace_misses_total"],
                ),
            ),
        ],
    ),
    subject(
        Own("operations", "commands"),
        &[("operations_per_s", Rate(1.0, &["redis_commands_processed_total"]))],
    ),
    // memcached_exporter.
    subject(
        Own("memcached", ""),
        &[
            ("connections_count", Value(&["memcached_current_connections"])),
            ("connections_limit_count", Value(&["memcached_max_connections"])),
            ("memory_bytes", Value(&["memcached_current_bytes"])),
            ("memory_limit_bytes", Value(&["memcached_limit_bytes"])),
            ("evicted_per_s", Rate(1.0, &["memcached_items_evicted_total"])),
            (
                "hit_ratio",
                Ratio(
                    1.0,
                    &["memcached_commands_total{command=\"get\",status=\"hit\"}"],
                    &["memcached_commands_total{command=\"get\"}"],
                ),
            ),
        ],
    ),
    subject(
        Own("operations", "gets"),
        &[(
            "operations_per_s",
            Rate(1.0, &["memcached_commands_total{command=\"get\"}"]),
        )],
    ),
    subject(
        Own("operations", "sets"),
        &[(
            "operations_per_s",
            Rate(1.0, &["memcached_commands_total{command=\"set\"}"]),
        )],
    ),
];

/// Servers in front.
const PROXIES: [Convention; 6] = [
    // nginx-prometheus-exporter.
    subject(
        Own("nginx", ""),
        &[
            ("connections_count", Value(&["nginx_connections_active"])),
            ("reading_count", Value(&["nginx_connections_reading"])),
            ("writing_count", Value(&["nginx_connections_writing"])),
            ("idle_count", Value(&["nginx_connections_waiting"])),
        ],
    ),
    subject(
        Own("operations", "requests"),
        &[("operations_per_s", Rate(1.0, &["nginx_http_requests_total"]))],
    ),
    // varnish_exporter.
    subject(
        Own("varnish", ""),
        &[
            (
                "hit_ratio",
                Ratio(
                    1.0,
                    &["varnish_main_cache_hit"],
                    &["varnish_main_cache_hit", "varnish_main_cache_miss"],
                ),
            ),
            ("threads_count", Value(&["varnish_main_threads"])),
            ("threads_limited_per_s", Rate(1.0, &["varnish_main_threads_limited"])),
        ],
    ),
    subject(
        Own("operations", "fetches"),
        &[("operations_per_s", Rate(1.0, &["varnish_main_backend_req"]))],
    ),
    // HAProxy's own page.
    subject(
        Label("pool", "proxy"),
        &[
            ("in_use_count", Value(&["haproxy_backend_current_sessions"])),
            ("waiting_count", Value(&["haproxy_backend_current_queue"])),
        ],
    ),
    // Envoy's own page.
    subject(
        Label("dependency", "envoy_cluster_name"),
        &[
            ("in_flight_count", Value(&["envoy_cluster_upstream_rq_active"])),
            ("calls_per_s", Rate(1.0, &["envoy_cluster_upstream_rq_total"])),
            ("errors_per_s", Rate(1.0, &["envoy_cluster_upstream_rq_5xx"])),
        ],
    ),
];

#[cfg(test)]
mod tests;
