//! Services with exporters or pages of their own.

use super::super::page::Figure::{Rate, Ratio, Value, Without};
use super::Name::{Label, Own};
use super::{Convention, subject};

/// Databases and caches.
pub(super) const DATABASES: [Convention; 10] = [
    // postgres_exporter.
    subject(
        Own("database", ""),
        &[
            // The exporter asks in a session of its own, and senders of the log are active all the time.
            ("active_count", Without(1.0, &["pg_stat_activity_count{state=\"active\",backend_type!=\"walsender\"}"])),
            ("wait_lock_count", Value(&["pg_stat_activity_count{state=\"active\",wait_event_type=\"Lock\"}"])),
            ("wait_io_count", Value(&["pg_stat_activity_count{state=\"active\",wait_event_type=\"IO\"}"])),
            ("wait_lwlock_count", Value(&["pg_stat_activity_count{state=\"active\",wait_event_type=\"LWLock\"}"])),
            ("wait_client_count", Value(&["pg_stat_activity_count{state=\"active\",wait_event_type=\"Client\"}"])),
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
        &[("operations_per_s", Rate(1.0, &["pg_stat_database_xact_commit", "pg_stat_database_xact_rollback"]))],
    ),
    subject(Own("operations", "rows"), &[("operations_per_s", Rate(1.0, &["pg_stat_database_tup_returned"]))]),
    // mysqld_exporter.
    subject(
        Own("database", ""),
        &[
            // The thread that answers the exporter is running.
            ("active_count", Without(1.0, &["mysql_global_status_threads_running"])),
            ("wait_lock_count", Value(&["mysql_global_status_innodb_row_lock_current_waits"])),
            ("connections_count", Value(&["mysql_global_status_threads_connected"])),
            ("connections_limit_count", Value(&["mysql_global_variables_max_connections"])),
            ("blocks_read_per_s", Rate(1.0, &["mysql_global_status_innodb_buffer_pool_reads"])),
            ("rows_read_per_s", Rate(1.0, &["mysql_global_status_innodb_row_ops_total{operation=\"read\"}"])),
        ],
    ),
    subject(Own("operations", "queries"), &[("operations_per_s", Rate(1.0, &["mysql_global_status_questions"]))]),
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
    subject(Own("operations", "commands"), &[("operations_per_s", Rate(1.0, &["redis_commands_processed_total"]))]),
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
        &[("operations_per_s", Rate(1.0, &["memcached_commands_total{command=\"get\"}"]))],
    ),
    subject(
        Own("operations", "sets"),
        &[("operations_per_s", Rate(1.0, &["memcached_commands_total{command=\"set\"}"]))],
    ),
];

/// Servers in front.
pub(super) const PROXIES: [Convention; 6] = [
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
    subject(Own("operations", "requests"), &[("operations_per_s", Rate(1.0, &["nginx_http_requests_total"]))]),
    // varnish_exporter.
    subject(
        Own("varnish", ""),
        &[
            (
                "hit_ratio",
                Ratio(1.0, &["varnish_main_cache_hit"], &["varnish_main_cache_hit", "varnish_main_cache_miss"]),
            ),
            ("threads_count", Value(&["varnish_main_threads"])),
            ("threads_limited_per_s", Rate(1.0, &["varnish_main_threads_limited"])),
        ],
    ),
    subject(Own("operations", "fetches"), &[("operations_per_s", Rate(1.0, &["varnish_main_backend_req"]))]),
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
