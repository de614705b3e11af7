//! Hosts, as their exporters tell of them.

use nmax_sources::figures::*;

use super::super::page::Formula::{Distinct, Less, Rate, Ratio, Rest, Value};
use super::Name::{Fixed, Label};
use super::{Convention, subject};

/// Bytes of a page of memory: `node_vmstat_pswpin` counts pages.
const PAGE_BYTES: f64 = 4_096.0;

conventions! {
    /// node_exporter of the Prometheus project.
    NODE {
        subject Fixed("cpu") => {
            CORES_COUNT = Distinct(&["node_cpu_seconds_total"], "cpu");
            BUSY_CORES = Rate(1.0, &["node_cpu_seconds_total{mode!=\"idle\",mode!=\"iowait\",mode!=\"steal\"}"]);
            USER_CORES = Rate(1.0, &["node_cpu_seconds_total{mode=\"user\"}", "node_cpu_seconds_total{mode=\"nice\"}"]);
            SYSTEM_CORES = Rate(1.0, &["node_cpu_seconds_total{mode=\"system\"}"]);
            IOWAIT_CORES = Rate(1.0, &["node_cpu_seconds_total{mode=\"iowait\"}"]);
            IRQ_CORES =
                Rate(1.0, &["node_cpu_seconds_total{mode=\"irq\"}", "node_cpu_seconds_total{mode=\"softirq\"}"]);
            STEAL_CORES = Rate(1.0, &["node_cpu_seconds_total{mode=\"steal\"}"]);
            RUNNING_COUNT = Value(&["node_procs_running"]);
            BLOCKED_COUNT = Value(&["node_procs_blocked"]);
            WAITING_COUNT = Rate(1.0, &["node_schedstat_waiting_seconds_total"]);
            LOAD1 = Value(&["node_load1"]);
            PRESSURE_SOME_RATIO = Rate(1.0, &["node_pressure_cpu_waiting_seconds_total"]);
        }
        subject Label("cpu", "cpu") => {
            BUSY_RATIO = Rest(&[
                "node_cpu_seconds_total{mode=\"idle\"}", "node_cpu_seconds_total{mode=\"iowait\"}",
                "node_cpu_seconds_total{mode=\"steal\"}",
            ]);
        }
        subject Fixed("memory") => {
            TOTAL_BYTES = Value(&["node_memory_MemTotal_bytes"]);
            AVAILABLE_BYTES = Value(&["node_memory_MemAvailable_bytes"]);
            SWAP_USED_BYTES = Less(&["node_memory_SwapTotal_bytes"], &["node_memory_SwapFree_bytes"]);
            SWAP_IN_BYTES_PER_S = Rate(PAGE_BYTES, &["node_vmstat_pswpin"]);
            SWAP_OUT_BYTES_PER_S = Rate(PAGE_BYTES, &["node_vmstat_pswpout"]);
            MAJOR_FAULTS_PER_S = Rate(1.0, &["node_vmstat_pgmajfault"]);
            DIRTY_BYTES = Value(&["node_memory_Dirty_bytes"]);
            OOM_KILLS_PER_S = Rate(1.0, &["node_vmstat_oom_kill"]);
            PRESSURE_SOME_RATIO = Rate(1.0, &["node_pressure_memory_waiting_seconds_total"]);
            PRESSURE_FULL_RATIO = Rate(1.0, &["node_pressure_memory_stalled_seconds_total"]);
        }
        subject Fixed("io") => {
            PRESSURE_SOME_RATIO = Rate(1.0, &["node_pressure_io_waiting_seconds_total"]);
            PRESSURE_FULL_RATIO = Rate(1.0, &["node_pressure_io_stalled_seconds_total"]);
        }
        subject Label("disk", "device") => {
            AWAIT_MS = Ratio(1e3, &["node_disk_read_time_seconds_total", "node_disk_write_time_seconds_total"],
                &["node_disk_reads_completed_total", "node_disk_writes_completed_total"]);
            QUEUE_COUNT = Rate(1.0, &["node_disk_io_time_weighted_seconds_total"]);
            READS_PER_S = Rate(1.0, &["node_disk_reads_completed_total"]);
            WRITES_PER_S = Rate(1.0, &["node_disk_writes_completed_total"]);
            READ_BYTES_PER_S = Rate(1.0, &["node_disk_read_bytes_total"]);
            WRITTEN_BYTES_PER_S = Rate(1.0, &["node_disk_written_bytes_total"]);
            BUSY_RATIO = Rate(1.0, &["node_disk_io_time_seconds_total"]);
        }
        subject Fixed("operations disk reads") => {
            OPERATIONS_PER_S = Rate(1.0, &["node_disk_reads_completed_total"]);
        }
        subject Fixed("operations disk writes") => {
            OPERATIONS_PER_S = Rate(1.0, &["node_disk_writes_completed_total"]);
        }
        subject Label("net", "device") => {
            RECEIVED_BYTES_PER_S = Rate(1.0, &["node_network_receive_bytes_total"]);
            SENT_BYTES_PER_S = Rate(1.0, &["node_network_transmit_bytes_total"]);
            DROPPED_PER_S = Rate(1.0, &["node_network_receive_drop_total", "node_network_transmit_drop_total"]);
            ERRORS_PER_S = Rate(1.0, &["node_network_receive_errs_total", "node_network_transmit_errs_total"]);
            SPEED_BYTES_PER_S = Value(&["node_network_speed_bytes"]);
        }
        subject Fixed("tcp") => {
            RETRANSMITTED_PER_S = Rate(1.0, &["node_netstat_Tcp_RetransSegs"]);
            SENT_SEGMENTS_PER_S = Rate(1.0, &["node_netstat_Tcp_OutSegs"]);
            LISTEN_OVERFLOWS_PER_S = Rate(1.0, &["node_netstat_TcpExt_ListenOverflows"]);
            LISTEN_DROPS_PER_S = Rate(1.0, &["node_netstat_TcpExt_ListenDrops"]);
            ESTABLISHED_COUNT = Value(&["node_netstat_Tcp_CurrEstab"]);
            TIME_WAIT_COUNT = Value(&["node_sockstat_TCP_tw"]);
        }
        subject Fixed("kernel") => {
            OPEN_FILES_COUNT = Value(&["node_filefd_allocated"]);
            OPEN_FILES_LIMIT_COUNT = Value(&["node_filefd_maximum"]);
            CONNTRACK_COUNT = Value(&["node_nf_conntrack_entries"]);
            CONNTRACK_LIMIT_COUNT = Value(&["node_nf_conntrack_entries_limit"]);
        }
    }
    /// windows_exporter.
    WINDOWS {
        subject Fixed("cpu") => {
            CORES_COUNT = Distinct(&["windows_cpu_time_total"], "core");
            // Interrupts and deferred calls are privileged time as well, and told apart besides.
            BUSY_CORES =
                Rate(1.0, &["windows_cpu_time_total{mode=\"user\"}", "windows_cpu_time_total{mode=\"privileged\"}"]);
            WAITING_COUNT = Value(&["windows_system_processor_queue_length"]);
        }
        subject Fixed("memory") => {
            TOTAL_BYTES = Value(&["windows_memory_physical_total_bytes"]);
            TOTAL_BYTES = Value(&["windows_cs_physical_memory_bytes"]);
            AVAILABLE_BYTES = Value(&["windows_memory_available_bytes"]);
        }
        subject Label("disk", "volume") => {
            AWAIT_MS = Ratio(1e3, &["windows_logical_disk_read_latency_seconds_total", "windows_logical_disk_write_latency_seconds_total"],
                &["windows_logical_disk_reads_total", "windows_logical_disk_writes_total"]);
            QUEUE_COUNT = Rate(1.0,
                &["windows_logical_disk_read_latency_seconds_total", "windows_logical_disk_write_latency_seconds_total"]);
            REQUESTS_COUNT = Value(&["windows_logical_disk_requests_queued"]);
            READS_PER_S = Rate(1.0, &["windows_logical_disk_reads_total"]);
            WRITES_PER_S = Rate(1.0, &["windows_logical_disk_writes_total"]);
            READ_BYTES_PER_S = Rate(1.0, &["windows_logical_disk_read_bytes_total"]);
            WRITTEN_BYTES_PER_S = Rate(1.0, &["windows_logical_disk_write_bytes_total"]);
            BUSY_RATIO = Rest(&["windows_logical_disk_idle_seconds_total"]);
        }
        subject Label("net", "nic") => {
            RECEIVED_BYTES_PER_S = Rate(1.0, &["windows_net_bytes_received_total"]);
            SENT_BYTES_PER_S = Rate(1.0, &["windows_net_bytes_sent_total"]);
            DROPPED_PER_S = Rate(1.0,
                &["windows_net_packets_received_discarded_total", "windows_net_packets_outbound_discarded_total"]);
            ERRORS_PER_S =
                Rate(1.0, &["windows_net_packets_received_errors_total", "windows_net_packets_outbound_errors_total"]);
            SPEED_BYTES_PER_S = Value(&["windows_net_current_bandwidth_bytes"]);
        }
    }
}
