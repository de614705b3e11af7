//! Every figure that the code knows: one row each, with its name, unit, kind and meaning.
//!
//! Pages of metrics and logs also say what is not here; it is carried under its own name.

use crate::{Figure, Kind, Unit};

macro_rules! figures {
    ($($constant:ident $name:literal $unit:ident $kind:ident $about:literal;)+) => {
        $(
            #[doc = $about]
            pub const $constant: Figure =
                Figure { name: $name, unit: Unit::$unit, kind: Kind::$kind, about: $about };
        )+

        /// All of them.
        pub const ALL: &[Figure] = &[$($constant),+];

        /// The figure of this name.
        pub fn named(name: &str) -> Option<Figure> {
            match name {
                $($name => Some($constant),)+
                _ => None,
            }
        }
    };
}

figures! {
    // Every source.
    UP "up" Ratio Gauge "1 when the source was read, 0 when it could not be";
    // Processors.
    CORES_COUNT "cores_count" Count Gauge "processors that are switched on";
    BUSY_CORES "busy_cores" Cores Gauge "cores in use";
    USER_CORES "user_cores" Cores Gauge "cores in use by programs";
    SYSTEM_CORES "system_cores" Cores Gauge "cores in use by the kernel";
    IRQ_CORES "irq_cores" Cores Gauge "cores in use by interrupts";
    IOWAIT_CORES "iowait_cores" Cores Gauge "cores idle while a transfer was under way";
    STEAL_CORES "steal_cores" Cores Gauge "cores taken away by the machine below";
    COST_CORES "cost_cores" Cores Gauge "cores that the agent itself uses";
    CPU_CORES "cpu_cores" Cores Gauge "cores that it uses";
    QUOTA_CORES "quota_cores" Cores Limit "the smallest quota of processors";
    THROTTLED_RATIO "throttled_ratio" Ratio Share "part of the periods in which the quota was used up";
    THROTTLED_S_PER_S "throttled_s_per_s" SPerS Counter "time that tasks were held back by the quota";
    BUSY_RATIO "busy_ratio" Ratio Share "part of the time in which it was busy";
    LOAD1 "load1" Count Gauge "mean load of a minute";
    RUNNING_COUNT "running_count" Count Gauge "those that run, or are ready to";
    BLOCKED_COUNT "blocked_count" Count Gauge "those that wait and cannot run";
    WAITING_COUNT "waiting_count" Count Gauge "those that wait for it";
    PRESSURE_SOME_RATIO "pressure_some_ratio" Ratio Share "part of the time in which some task waited for it (PSI)";
    PRESSURE_FULL_RATIO "pressure_full_ratio" Ratio Share "part of the time in which all tasks waited for it (PSI)";
    CPU_PRESSURE_SOME_RATIO "cpu_pressure_some_ratio" Ratio Share
        "part of the time in which some task of the group waited for a processor";
    CPU_PRESSURE_FULL_RATIO "cpu_pressure_full_ratio" Ratio Share
        "part of the time in which all tasks of the group waited for a processor";
    MEMORY_PRESSURE_SOME_RATIO "memory_pressure_some_ratio" Ratio Share
        "part of the time in which some task of the group waited for memory";
    MEMORY_PRESSURE_FULL_RATIO "memory_pressure_full_ratio" Ratio Share
        "part of the time in which all tasks of the group waited for memory";
    IO_PRESSURE_SOME_RATIO "io_pressure_some_ratio" Ratio Share
        "part of the time in which some task of the group waited for a disk";
    IO_PRESSURE_FULL_RATIO "io_pressure_full_ratio" Ratio Share
        "part of the time in which all tasks of the group waited for a disk";
    // Memory.
    TOTAL_BYTES "total_bytes" Bytes Limit "memory that there is";
    AVAILABLE_BYTES "available_bytes" Bytes Gauge "memory that could be had without swapping";
    DIRTY_BYTES "dirty_bytes" Bytes Gauge "memory that is still to be written to disks";
    SWAP_USED_BYTES "swap_used_bytes" Bytes Gauge "swap space in use";
    SWAP_IN_BYTES_PER_S "swap_in_bytes_per_s" BytesPerS Counter "read from the swap space";
    SWAP_OUT_BYTES_PER_S "swap_out_bytes_per_s" BytesPerS Counter "written to the swap space";
    MAJOR_FAULTS_PER_S "major_faults_per_s" PerS Counter "page faults that needed a disk";
    OOM_KILLS_PER_S "oom_kills_per_s" PerS Counter "processes killed for want of memory";
    MEMORY_BYTES "memory_bytes" Bytes Gauge "memory that it has";
    MEMORY_LIMIT_BYTES "memory_limit_bytes" Bytes Limit "the most memory that it can have";
    // Disks and interfaces.
    AWAIT_MS "await_ms" Ms Time "time of a transfer with its waiting; absent when there was none";
    QUEUE_COUNT "queue_count" Count Gauge "mean number of transfers under way";
    REQUESTS_COUNT "requests_count" Count Gauge "requests that are queued";
    READS_PER_S "reads_per_s" PerS Counter "transfers that read";
    WRITES_PER_S "writes_per_s" PerS Counter "transfers that write";
    READ_BYTES_PER_S "read_bytes_per_s" BytesPerS Counter "bytes read";
    WRITTEN_BYTES_PER_S "written_bytes_per_s" BytesPerS Counter "bytes written";
    RECEIVED_BYTES_PER_S "received_bytes_per_s" BytesPerS Counter "bytes received";
    SENT_BYTES_PER_S "sent_bytes_per_s" BytesPerS Counter "bytes sent";
    SPEED_BYTES_PER_S "speed_bytes_per_s" BytesPerS Limit "speed of the link, where it tells";
    DROPPED_PER_S "dropped_per_s" PerS Counter "those that were dropped";
    ERRORS_PER_S "errors_per_s" PerS Counter "those that failed";
    // TCP and tables of the kernel.
    RETRANSMITTED_PER_S "retransmitted_per_s" PerS Counter "segments sent again";
    SENT_SEGMENTS_PER_S "sent_segments_per_s" PerS Counter "segments sent";
    LISTEN_OVERFLOWS_PER_S "listen_overflows_per_s" PerS Counter
        "connections that did not fit into the queue of a listening socket";
    LISTEN_DROPS_PER_S "listen_drops_per_s" PerS Counter "connections that a listening socket dropped";
    ACCEPT_QUEUE_COUNT "accept_queue_count" Count Gauge "connections in the queues of listening sockets";
    ESTABLISHED_COUNT "established_count" Count Gauge "connections, those in CLOSE_WAIT with them";
    TIME_WAIT_COUNT "time_wait_count" Count Gauge "sockets in TIME_WAIT";
    CLOSE_WAIT_COUNT "close_wait_count" Count Gauge "sockets in CLOSE_WAIT";
    SYN_RECV_COUNT "syn_recv_count" Count Gauge "sockets in SYN_RECV";
    SYN_SENT_COUNT "syn_sent_count" Count Gauge "sockets in SYN_SENT";
    FIN_WAIT_COUNT "fin_wait_count" Count Gauge "sockets in FIN_WAIT1 and FIN_WAIT2";
    LAST_ACK_COUNT "last_ack_count" Count Gauge "sockets in LAST_ACK";
    LISTENING_COUNT "listening_count" Count Gauge "sockets that listen";
    OPEN_FILES_COUNT "open_files_count" Count Gauge "open descriptors";
    OPEN_FILES_LIMIT_COUNT "open_files_limit_count" Count Limit "the most descriptors";
    CONNTRACK_COUNT "conntrack_count" Count Gauge "connections that the firewall tracks";
    CONNTRACK_LIMIT_COUNT "conntrack_limit_count" Count Limit "the most connections that the firewall tracks";
    RTT_MS "rtt_ms" Ms Time "median of the shortest round trips of the injector's connections";
    RTT_P95_MS "rtt_p95_ms" Ms Time "95th percentile of the shortest round trips of the injector's connections";
    SMOOTHED_RTT_MS "smoothed_rtt_ms" Ms Time "median of the smoothed round trips of the injector's connections";
    SAMPLED_COUNT "sampled_count" Count Gauge "connections that were looked at";
    THREADS_COUNT "threads_count" Count Gauge "threads";
    // Agents.
    CLOCK_OFFSET_S "clock_offset_s" S Gauge "calendar of its host less that of the injector's";
    CLOCK_ERROR_S "clock_error_s" S Gauge "how far its readings may be from where they belong on the run's clock";
    LEFT_OUT_COUNT "left_out_count" Count Sum
        "readings left out since their stamps cannot be right; absent when there were none";
    // Pools, locks, dependencies and collectors.
    IN_USE_COUNT "in_use_count" Count Gauge "those that are lent";
    LIMIT_COUNT "limit_count" Count Limit "as many as can be lent";
    TIMEOUTS_PER_S "timeouts_per_s" PerS Counter "those that gave up waiting";
    HOLDING_COUNT "holding_count" Count Gauge "those that hold it";
    IN_FLIGHT_COUNT "in_flight_count" Count Gauge "calls under way";
    CALLS_PER_S "calls_per_s" PerS Counter "calls";
    PAUSE_RATIO "pause_ratio" Ratio Share "part of the time in which the program stood still";
    PAUSES_PER_S "pauses_per_s" PerS Counter "times that the program stood still";
    // Databases, caches and servers in front.
    ACTIVE_COUNT "active_count" Count Gauge "sessions that have a statement under way";
    WAIT_LOCK_COUNT "wait_lock_count" Count Gauge "sessions that wait for a lock";
    WAIT_IO_COUNT "wait_io_count" Count Gauge "sessions that wait for a disk";
    WAIT_LWLOCK_COUNT "wait_lwlock_count" Count Gauge "sessions that wait for the server's own structures";
    WAIT_CLIENT_COUNT "wait_client_count" Count Gauge "sessions that wait for their client";
    WAIT_OTHER_COUNT "wait_other_count" Count Gauge "sessions that wait for something else";
    IDLE_IN_TRANSACTION_COUNT "idle_in_transaction_count" Count Gauge
        "sessions that hold a transaction open and do nothing";
    CONNECTIONS_COUNT "connections_count" Count Gauge "connections of clients";
    CONNECTIONS_LIMIT_COUNT "connections_limit_count" Count Limit "the most connections of clients";
    LOCKS_WAITING_COUNT "locks_waiting_count" Count Gauge "locks that are not granted";
    OLDEST_TRANSACTION_S "oldest_transaction_s" S Time "age of the oldest transaction";
    COMMITS_PER_S "commits_per_s" PerS Counter "transactions that were committed";
    ROLLBACKS_PER_S "rollbacks_per_s" PerS Counter "transactions that were rolled back";
    DEADLOCKS_PER_S "deadlocks_per_s" PerS Counter "deadlocks";
    TEMP_BYTES_PER_S "temp_bytes_per_s" BytesPerS Counter "bytes written to temporary files";
    BLOCKS_READ_PER_S "blocks_read_per_s" PerS Counter "blocks that were not in its buffers";
    BLOCKS_HIT_PER_S "blocks_hit_per_s" PerS Counter "blocks that were in its buffers";
    HIT_RATIO "hit_ratio" Ratio Share "part of what was asked for that was there";
    READING_COUNT "reading_count" Count Gauge "those that read";
    WRITING_COUNT "writing_count" Count Gauge "those that write";
    IDLE_COUNT "idle_count" Count Gauge "those that do nothing";
    ROWS_READ_PER_S "rows_read_per_s" PerS Counter "rows that were read";
    ROWS_WRITTEN_PER_S "rows_written_per_s" PerS Counter "rows that were inserted, updated or deleted";
    HITS_PER_S "hits_per_s" PerS Counter "keys that were there";
    MISSES_PER_S "misses_per_s" PerS Counter "keys that were not there";
    EVICTED_PER_S "evicted_per_s" PerS Counter "keys that made room for others";
    EXPIRED_PER_S "expired_per_s" PerS Counter "keys whose time was over";
    REFUSED_PER_S "refused_per_s" PerS Counter "connections that were refused";
    ACCEPTED_PER_S "accepted_per_s" PerS Counter "connections that were accepted";
    GETS_PER_S "gets_per_s" PerS Counter "reads of keys";
    SETS_PER_S "sets_per_s" PerS Counter "writes of keys";
    THREADS_LIMITED_PER_S "threads_limited_per_s" PerS Counter "threads that could not be made for want of room";
    OPERATIONS_PER_S "operations_per_s" PerS Counter "what was asked of it";
    // Logs.
    REQUESTS_PER_S "requests_per_s" PerS Counter "requests";
    REJECTED_LINES_PER_S "rejected_lines_per_s" PerS Counter "lines that do not fit the format";
    DURATION_MS "duration_ms" Ms Time "how long the server took, mean";
    DURATION_P95_MS "duration_p95_ms" Ms Time "how long the server took, 95th percentile";
    UPSTREAM_MS "upstream_ms" Ms Time "how long the server behind it took, mean";
    UPSTREAM_P95_MS "upstream_p95_ms" Ms Time "how long the server behind it took, 95th percentile";
    LINES_PER_S "lines_per_s" PerS Counter "lines";
    WARNINGS_PER_S "warnings_per_s" PerS Counter "lines of level warning";
    FATAL_PER_S "fatal_per_s" PerS Counter "lines of level fatal";
    ERRORS_COUNT "errors_count" Count Sum "errors of a kind";
    // The injector's own process.
    CLOCK_JUMP_S "clock_jump_s" S Gauge "size of a jump of the injector's clock";
    RESIDENT_BYTES "resident_bytes" Bytes Gauge "resident memory of nmax";
    SWAPPED_BYTES "swapped_bytes" Bytes Gauge "memory of nmax that is swapped out";
    SOCKETS_COUNT "sockets_count" Count Gauge "sockets of nmax";
    PORTS_USED_COUNT "ports_used_count" Count Gauge "local ports in use towards one destination, the most";
    PORTS_LIMIT_COUNT "ports_limit_count" Count Limit "local ports that one destination can have";
    MEMORY_AVAILABLE_RATIO "memory_available_ratio" Ratio Share "part of the memory that could be had without swapping";
    // The end of a run.
    WORKERS_COUNT "workers_count" Count Gauge "worker threads";
    WORKERS_CPUS_COUNT "workers_cpus_count" Count Gauge "processors that the workers could run on";
    WORKERS_CONFINED "workers_confined" Flag Gauge "1 when these were not all processors of the host";
    WINDOWS_MISSING_COUNT "windows_missing_count" Count Gauge "windows without the report of a worker";
    STALLED_HOLD_MAX_S "stalled_hold_max_s" S Gauge "time that the worst worker stood still within the hold";
    CPU_UTILIZATION_HOLD_MAX "cpu_utilization_hold_max" Ratio Share "busy part of the busiest worker within the hold";
    LOAD_ENDED_S "load_ended_s" S Gauge "when the last iteration was started, or was to be";
    ENDED_S "ended_s" S Gauge "when the run ended";
    INTERRUPTED "interrupted" Flag Gauge "1 when it ended before its plan did";
    // What used the processors of the injector's host, means of the hold.
    SPAN_S "span_s" S Gauge "time that was looked at";
    HOST_CORES "host_cores" Cores Gauge "cores of the host";
    IDLE_CORES "idle_cores" Cores Gauge "cores that were not used";
    OWN_CORES "own_cores" Cores Gauge "cores that nmax used";
    OTHERS_CORES "others_cores" Cores Gauge "cores that processes without a line of their own used";
    TARGET_CPU_CORES "target_cpu_cores" Cores Gauge "cores that the target's process used";
    THROTTLED_S "throttled_s" S Gauge "time that a quota held nmax back";
    FROZEN_S "frozen_s" S Gauge "time that nmax's control group was frozen";
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name ends with its unit, so that it can be read without the table.
    #[test]
    fn names_end_with_their_units() {
        for figure in ALL {
            let suffix = match figure.unit {
                Unit::PerS | Unit::BytesPerS | Unit::SPerS => figure.unit.name().replace(' ', "_"),
                unit => unit.name().to_owned(),
            };
            let has_suffix = figure.name.ends_with(&format!("_{suffix}"));
            assert!(has_suffix || [UP, LOAD1, CPU_UTILIZATION_HOLD_MAX].contains(figure) || figure.unit == Unit::Flag);
            assert_eq!(named(figure.name), Some(*figure), "no name is in two rows");
            assert_eq!(Unit::named(figure.unit.name()), Some(figure.unit));
        }
    }

    #[test]
    fn labels_come_back() {
        let name = ERRORS_COUNT.labeled("kind", "java.io.IOException");
        assert_eq!(name, "errors_count{kind=\"java.io.IOException\"}");
        assert_eq!(ERRORS_COUNT.label(&name, "kind"), Some("java.io.IOException"));
        assert_eq!(ERRORS_COUNT.label(&name, "status"), None);
        assert_eq!(ERRORS_COUNT.label("errors_count", "kind"), None);
    }
}
