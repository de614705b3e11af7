//! What each kind of source says: its parts, and the figures of each.

use crate::figures::*;
use crate::{Figure, SourceKind, kinds};

/// A part of a host or service, as readings call it; and its figures. What is in capitals is a name of its own.
pub type Part = (&'static str, &'static [Figure]);

macro_rules! said {
    ($($($by:ident)+ { $($part:literal: $($figure:ident)+;)+ })+) => {
        /// Kinds of sources, and the parts that they tell of. Pages of metrics may say any of it, and more.
        pub static SAID: &[(&[&SourceKind], &[Part])] =
            &[$((&[$(&kinds::$by),+], &[$(($part, &[$($figure),+])),+])),+];
    };
}

said! {
    PROCESS AGENT {
        "cpu": CORES_COUNT BUSY_CORES USER_CORES SYSTEM_CORES IRQ_CORES IOWAIT_CORES STEAL_CORES RUNNING_COUNT
            WAITING_COUNT BLOCKED_COUNT LOAD1 PRESSURE_SOME_RATIO PRESSURE_FULL_RATIO;
        "cpu NUMBER": BUSY_RATIO;
        "memory": TOTAL_BYTES AVAILABLE_BYTES DIRTY_BYTES SWAP_USED_BYTES SWAP_IN_BYTES_PER_S SWAP_OUT_BYTES_PER_S
            MAJOR_FAULTS_PER_S OOM_KILLS_PER_S PRESSURE_SOME_RATIO PRESSURE_FULL_RATIO;
        "io": PRESSURE_SOME_RATIO PRESSURE_FULL_RATIO;
        "disk NAME": AWAIT_MS QUEUE_COUNT READS_PER_S WRITES_PER_S READ_BYTES_PER_S WRITTEN_BYTES_PER_S BUSY_RATIO;
        "net NAME": RECEIVED_BYTES_PER_S SENT_BYTES_PER_S DROPPED_PER_S ERRORS_PER_S SPEED_BYTES_PER_S;
        "tcp": RETRANSMITTED_PER_S SENT_SEGMENTS_PER_S LISTEN_OVERFLOWS_PER_S LISTEN_DROPS_PER_S ACCEPT_QUEUE_COUNT
            ESTABLISHED_COUNT TIME_WAIT_COUNT CLOSE_WAIT_COUNT SYN_RECV_COUNT SYN_SENT_COUNT FIN_WAIT_COUNT LAST_ACK_COUNT
            LISTENING_COUNT;
        "kernel": OPEN_FILES_COUNT OPEN_FILES_LIMIT_COUNT CONNTRACK_COUNT CONNTRACK_LIMIT_COUNT;
        "cgroup": QUOTA_CORES CPU_CORES THROTTLED_RATIO THROTTLED_S_PER_S MEMORY_BYTES MEMORY_LIMIT_BYTES OOM_KILLS_PER_S
            CPU_PRESSURE_SOME_RATIO CPU_PRESSURE_FULL_RATIO MEMORY_PRESSURE_SOME_RATIO MEMORY_PRESSURE_FULL_RATIO
            IO_PRESSURE_SOME_RATIO IO_PRESSURE_FULL_RATIO;
        "process NAME": CPU_CORES MEMORY_BYTES MEMORY_LIMIT_BYTES THREADS_COUNT OPEN_FILES_COUNT OPEN_FILES_LIMIT_COUNT
            READ_BYTES_PER_S WRITTEN_BYTES_PER_S WAITING_COUNT;
        "operations disk WHAT": OPERATIONS_PER_S;
    }
    PROCESS {
        "connections": RTT_MS RTT_P95_MS SMOOTHED_RTT_MS RETRANSMITTED_PER_S SAMPLED_COUNT;
    }
    AGENT {
        "agent NAME": CLOCK_OFFSET_S CLOCK_ERROR_S LEFT_OUT_COUNT COST_CORES;
    }
    LOG {
        "log NAME": REQUESTS_PER_S ERRORS_PER_S DURATION_MS DURATION_P95_MS UPSTREAM_MS UPSTREAM_P95_MS SENT_BYTES_PER_S
            REJECTED_LINES_PER_S LINES_PER_S WARNINGS_PER_S FATAL_PER_S ERRORS_COUNT;
    }
    POSTGRES {
        "database NAME": ACTIVE_COUNT RUNNING_COUNT WAIT_LOCK_COUNT WAIT_IO_COUNT WAIT_LWLOCK_COUNT WAIT_CLIENT_COUNT
            WAIT_OTHER_COUNT IDLE_IN_TRANSACTION_COUNT CONNECTIONS_COUNT CONNECTIONS_LIMIT_COUNT LOCKS_WAITING_COUNT
            OLDEST_TRANSACTION_S COMMITS_PER_S ROLLBACKS_PER_S DEADLOCKS_PER_S TEMP_BYTES_PER_S BLOCKS_READ_PER_S
            BLOCKS_HIT_PER_S HIT_RATIO READING_COUNT ROWS_READ_PER_S ROWS_WRITTEN_PER_S;
        "operations NAME WHAT": OPERATIONS_PER_S;
    }
    REDIS {
        "redis NAME": CONNECTIONS_COUNT CONNECTIONS_LIMIT_COUNT BLOCKED_COUNT MEMORY_BYTES MEMORY_LIMIT_BYTES HITS_PER_S
            MISSES_PER_S HIT_RATIO EVICTED_PER_S EXPIRED_PER_S ERRORS_PER_S REFUSED_PER_S RECEIVED_BYTES_PER_S
            SENT_BYTES_PER_S CPU_CORES;
        "pool NAME thread": IN_USE_COUNT LIMIT_COUNT;
        "operations NAME commands": OPERATIONS_PER_S;
    }
    MEMCACHED {
        "memcached NAME": CONNECTIONS_COUNT CONNECTIONS_LIMIT_COUNT MEMORY_BYTES MEMORY_LIMIT_BYTES GETS_PER_S SETS_PER_S
            HIT_RATIO EVICTED_PER_S REFUSED_PER_S RECEIVED_BYTES_PER_S SENT_BYTES_PER_S CPU_CORES;
        "pool NAME threads": IN_USE_COUNT LIMIT_COUNT;
        "operations NAME WHAT": OPERATIONS_PER_S;
    }
    NGINX {
        "nginx NAME": CONNECTIONS_COUNT READING_COUNT WRITING_COUNT IDLE_COUNT ACCEPTED_PER_S DROPPED_PER_S;
        "operations NAME requests": OPERATIONS_PER_S;
    }
}

/// Parts that have a figure, each once.
pub fn parts(figure: Figure) -> Vec<&'static str> {
    let parts = SAID.iter().flat_map(|(_, parts)| parts.iter());
    let mut found: Vec<&str> = parts.filter(|(_, figures)| figures.contains(&figure)).map(|(part, _)| *part).collect();
    found.dedup();
    found
}

/// Parts that a kind of source tells of.
pub fn of_kind(kind: &SourceKind) -> Vec<&'static str> {
    let of_kind = SAID.iter().filter(|(by, _)| by.contains(&kind));
    of_kind.flat_map(|(_, parts)| parts.iter().map(|(part, _)| *part)).collect()
}
