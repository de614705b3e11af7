//! Hosts, as their exporters tell of them.

use super::super::page::Figure::{Distinct, Less, Rate, Ratio, Rest, Value};
use super::Name::{Fixed, Label};
use super::{Convention, subject};

/// Bytes of a page of memory: `node_vmstat_pswpin` counts pages.
const PAGE_BYTES: f64 = 4_096.0;

/// node_exporter of the Prometheus project.
pub(super) const NODE: [Convention; 10] = [
    subject(
        Fixed("cpu"),
        &[
            ("cores_count", Distinct(&["node_cpu_seconds_total"], "cpu")),
            ("busy_cores", Rate(1.0, &["node_cpu_seconds_total{mode!=\"idle\",mode!=\"iowait\",mode!=\"steal\"}"])),
            (
                "user_cores",
                Rate(1.0, &["node_cpu_seconds_total{mode=\"user\"}", "node_cpu_seconds_total{mode=\"nice\"}"]),
            ),
            ("system_cores", Rate(1.0, &["node_cpu_seconds_total{mode=\"system\"}"])),
            ("iowait_cores", Rate(1.0, &["node_cpu_seconds_total{mode=\"iowait\"}"])),
            (
                "irq_cores",
                Rate(1.0, &["node_cpu_seconds_total{mode=\"irq\"}", "node_cpu_seconds_total{mode=\"softirq\"}"]),
            ),
            ("steal_cores", Rate(1.0, &["node_cpu_seconds_total{mode=\"steal\"}"])),
            ("running_count", Value(&["node_procs_running"])),
            ("blocked_count", Value(&["node_procs_blocked"])),
            ("waiting_count", Rate(1.0, &["node_schedstat_waiting_seconds_total"])),
            ("load1", Value(&["node_load1"])),
            ("pressure_some_ratio", Rate(1.0, &["node_pressure_cpu_waiting_seconds_total"])),
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
            ("swap_used_bytes", Less(&["node_memory_SwapTotal_bytes"], &["node_memory_SwapFree_bytes"])),
            ("swap_in_bytes_per_s", Rate(PAGE_BYTES, &["node_vmstat_pswpin"])),
            ("swap_out_bytes_per_s", Rate(PAGE_BYTES, &["node_vmstat_pswpout"])),
            ("major_faults_per_s", Rate(1.0, &["node_vmstat_pgmajfault"])),
            ("dirty_bytes", Value(&["node_memory_Dirty_bytes"])),
            ("oom_kills_per_s", Rate(1.0, &["node_vmstat_oom_kill"])),
            ("pressure_some_ratio", Rate(1.0, &["node_pressure_memory_waiting_seconds_total"])),
            ("pressure_full_ratio", Rate(1.0, &["node_pressure_memory_stalled_seconds_total"])),
        ],
    ),
    subject(
        Fixed("io"),
        &[
            ("pressure_some_ratio", Rate(1.0, &["node_pressure_io_waiting_seconds_total"])),
            ("pressure_full_ratio", Rate(1.0, &["node_pressure_io_stalled_seconds_total"])),
        ],
    ),
    subject(
        Label("disk", "device"),
        &[
            (
                "await_ms",
                Ratio(
                    1e3,
                    &["node_disk_read_time_seconds_total", "node_disk_write_time_seconds_total"],
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
    subject(Fixed("operations disk reads"), &[("operations_per_s", Rate(1.0, &["node_disk_reads_completed_total"]))]),
    subject(Fixed("operations disk writes"), &[("operations_per_s", Rate(1.0, &["node_disk_writes_completed_total"]))]),
    subject(
        Label("net", "device"),
        &[
            ("received_bytes_per_s", Rate(1.0, &["node_network_receive_bytes_total"])),
            ("sent_bytes_per_s", Rate(1.0, &["node_network_transmit_bytes_total"])),
            ("dropped_per_s", Rate(1.0, &["node_network_receive_drop_total", "node_network_transmit_drop_total"])),
            ("errors_per_s", Rate(1.0, &["node_network_receive_errs_total", "node_network_transmit_errs_total"])),
            ("speed_bytes_per_s", Value(&["node_network_speed_bytes"])),
        ],
    ),
    subject(
        Fixed("tcp"),
        &[
            ("retransmitted_per_s", Rate(1.0, &["node_netstat_Tcp_RetransSegs"])),
            ("sent_segments_per_s", Rate(1.0, &["node_netstat_Tcp_OutSegs"])),
            ("listen_overflows_per_s", Rate(1.0, &["node_netstat_TcpExt_ListenOverflows"])),
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
pub(super) const WINDOWS: [Convention; 4] = [
    subject(
        Fixed("cpu"),
        &[
            ("cores_count", Distinct(&["windows_cpu_time_total"], "core")),
            // Interrupts and deferred calls are privileged time as well, and told apart besides.
            (
                "busy_cores",
                Rate(1.0, &["windows_cpu_time_total{mode=\"user\"}", "windows_cpu_time_total{mode=\"privileged\"}"]),
            ),
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
            ("read_bytes_per_s", Rate(1.0, &["windows_logical_disk_read_bytes_total"])),
            ("written_bytes_per_s", Rate(1.0, &["windows_logical_disk_write_bytes_total"])),
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
                    &["windows_net_packets_received_discarded_total", "windows_net_packets_outbound_discarded_total"],
                ),
            ),
            (
                "errors_per_s",
                Rate(1.0, &["windows_net_packets_received_errors_total", "windows_net_packets_outbound_errors_total"]),
            ),
            ("speed_bytes_per_s", Value(&["windows_net_current_bandwidth_bytes"])),
        ],
    ),
];
