//! Services with exporters or pages of their own.

use nmax_sources::figures::*;

use super::super::page::Formula::{Rate, Ratio, Value, Without};
use super::Name::{Label, Own};
use super::{Convention, subject};

conventions! {
    /// Databases and caches.
    DATABASES {
        // postgres_exporter.
        subject Own("database", "") => {
            // The exporter asks in a session of its own, and senders of the log are active all the time.
            ACTIVE_COUNT = Without(1.0, &["pg_stat_activity_count{state=\"active\",backend_type!=\"walsender\"}"]);
            WAIT_LOCK_COUNT = Value(&["pg_stat_activity_count{state=\"active\",wait_event_type=\"Lock\"}"]);
            WAIT_IO_COUNT = Value(&["pg_stat_activity_count{state=\"active\",wait_event_type=\"IO\"}"]);
            WAIT_LWLOCK_COUNT = Value(&["pg_stat_activity_count{state=\"active\",wait_event_type=\"LWLock\"}"]);
            WAIT_CLIENT_COUNT = Value(&["pg_stat_activity_count{state=\"active\",wait_event_type=\"Client\"}"]);
            CONNECTIONS_COUNT = Value(&["pg_stat_database_numbackends"]);
            CONNECTIONS_LIMIT_COUNT = Value(&["pg_settings_max_connections"]);
            COMMITS_PER_S = Rate(1.0, &["pg_stat_database_xact_commit"]);
            ROLLBACKS_PER_S = Rate(1.0, &["pg_stat_database_xact_rollback"]);
            BLOCKS_READ_PER_S = Rate(1.0, &["pg_stat_database_blks_read"]);
            BLOCKS_HIT_PER_S = Rate(1.0, &["pg_stat_database_blks_hit"]);
            HIT_RATIO = Ratio(1.0, &["pg_stat_database_blks_hit"],
                &["pg_stat_database_blks_hit", "pg_stat_database_blks_read"]);
            ROWS_READ_PER_S = Rate(1.0, &["pg_stat_database_tup_returned"]);
            TEMP_BYTES_PER_S = Rate(1.0, &["pg_stat_database_temp_bytes"]);
            DEADLOCKS_PER_S = Rate(1.0, &["pg_stat_database_deadlocks"]);
        }
        subject Own("operations", "transactions") => {
            OPERATIONS_PER_S = Rate(1.0, &["pg_stat_database_xact_commit", "pg_stat_database_xact_rollback"]);
        }
        subject Own("operations", "rows") => { OPERATIONS_PER_S = Rate(1.0, &["pg_stat_database_tup_returned"]); }
        // mysqld_exporter.
        subject Own("database", "") => {
            // The thread that answers the exporter is running.
            ACTIVE_COUNT = Without(1.0, &["mysql_global_status_threads_running"]);
            WAIT_LOCK_COUNT = Value(&["mysql_global_status_innodb_row_lock_current_waits"]);
            CONNECTIONS_COUNT = Value(&["mysql_global_status_threads_connected"]);
            CONNECTIONS_LIMIT_COUNT = Value(&["mysql_global_variables_max_connections"]);
            BLOCKS_READ_PER_S = Rate(1.0, &["mysql_global_status_innodb_buffer_pool_reads"]);
            ROWS_READ_PER_S = Rate(1.0, &["mysql_global_status_innodb_row_ops_total{operation=\"read\"}"]);
        }
        subject Own("operations", "queries") => { OPERATIONS_PER_S = Rate(1.0, &["mysql_global_status_questions"]); }
        // redis_exporter.
        subject Own("redis", "") => {
            CONNECTIONS_COUNT = Value(&["redis_connected_clients"]);
            BLOCKED_COUNT = Value(&["redis_blocked_clients"]);
            MEMORY_BYTES = Value(&["redis_memory_used_bytes"]);
            MEMORY_LIMIT_BYTES = Value(&["redis_memory_max_bytes"]);
            EVICTED_PER_S = Rate(1.0, &["redis_evicted_keys_total"]);
            HIT_RATIO = Ratio(1.0, &["redis_keyspace_hits_total"],
                &["redis_keyspace_hits_total", "redis_keyspace_misses_total"]);
        }
        subject Own("operations", "commands") => { OPERATIONS_PER_S = Rate(1.0, &["redis_commands_processed_total"]); }
        // memcached_exporter.
        subject Own("memcached", "") => {
            CONNECTIONS_COUNT = Value(&["memcached_current_connections"]);
            CONNECTIONS_LIMIT_COUNT = Value(&["memcached_max_connections"]);
            MEMORY_BYTES = Value(&["memcached_current_bytes"]);
            MEMORY_LIMIT_BYTES = Value(&["memcached_limit_bytes"]);
            EVICTED_PER_S = Rate(1.0, &["memcached_items_evicted_total"]);
            HIT_RATIO = Ratio(1.0, &["memcached_commands_total{command=\"get\",status=\"hit\"}"],
                &["memcached_commands_total{command=\"get\"}"]);
        }
        subject Own("operations", "gets") => {
            OPERATIONS_PER_S = Rate(1.0, &["memcached_commands_total{command=\"get\"}"]);
        }
        subject Own("operations", "sets") => {
            OPERATIONS_PER_S = Rate(1.0, &["memcached_commands_total{command=\"set\"}"]);
        }
    }
    /// Servers in front.
    PROXIES {
        // nginx-prometheus-exporter.
        subject Own("nginx", "") => {
            CONNECTIONS_COUNT = Value(&["nginx_connections_active"]);
            READING_COUNT = Value(&["nginx_connections_reading"]);
            WRITING_COUNT = Value(&["nginx_connections_writing"]);
            IDLE_COUNT = Value(&["nginx_connections_waiting"]);
        }
        subject Own("operations", "requests") => { OPERATIONS_PER_S = Rate(1.0, &["nginx_http_requests_total"]); }
        // varnish_exporter.
        subject Own("varnish", "") => {
            HIT_RATIO = Ratio(1.0, &["varnish_main_cache_hit"], &["varnish_main_cache_hit", "varnish_main_cache_miss"]);
            THREADS_COUNT = Value(&["varnish_main_threads"]);
            THREADS_LIMITED_PER_S = Rate(1.0, &["varnish_main_threads_limited"]);
        }
        subject Own("operations", "fetches") => { OPERATIONS_PER_S = Rate(1.0, &["varnish_main_backend_req"]); }
        // HAProxy's own page.
        subject Label("pool", "proxy") => {
            IN_USE_COUNT = Value(&["haproxy_backend_current_sessions"]);
            WAITING_COUNT = Value(&["haproxy_backend_current_queue"]);
        }
        // Envoy's own page.
        subject Label("dependency", "envoy_cluster_name") => {
            IN_FLIGHT_COUNT = Value(&["envoy_cluster_upstream_rq_active"]);
            CALLS_PER_S = Rate(1.0, &["envoy_cluster_upstream_rq_total"]);
            ERRORS_PER_S = Rate(1.0, &["envoy_cluster_upstream_rq_5xx"]);
        }
    }
}
