//! Response times taken apart, and what hosts felt, as `breakdown` and `hosts` of the summary.

use nmax_analysis::Latency;
use nmax_analysis::breakdown::{Breakdown, Row, Side, SideRow, Sides};
use serde_json::{Value, json};

use super::{micro, micro_or_null, object};
use nmax_analysis::summary::{FigureRow, HostView, LogErrors};

/// Figures of every host in the phase.
pub(super) fn hosts(hosts: &[HostView]) -> Value {
    let figure = |row: &FigureRow| {
        json!({
            "source": row.source,
            "metric": row.metric,
            "unit": row.unit,
            "mean": micro_or_null(row.mean),
            "max": micro_or_null(row.max),
            "covered": micro(row.covered),
        })
    };
    let host =
        |host: &HostView| json!({ "name": host.name, "figures": host.figures.iter().map(figure).collect::<Vec<_>>() });
    hosts.iter().map(host).collect()
}

/// Errors of logs of applications in the phase.
pub(super) fn log_errors(logs: &[LogErrors]) -> Value {
    let log = |log: &LogErrors| {
        let kinds = log.kinds.iter().map(|(kind, count)| (kind.clone(), Value::from(*count)));
        json!({ "host": log.host, "source": log.source, "count": log.total, "kinds": object(kinds) })
    };
    logs.iter().map(log).collect()
}

pub(super) fn breakdown(breakdown: &Breakdown) -> Value {
    let operations = breakdown.operations.iter().map(|one| {
        json!({
            "host": one.host,
            "what": one.what,
            "per_s": micro(one.per_s),
            "per_request": micro(one.per_request),
        })
    });
    json!({
        "rows": breakdown.rows.iter().map(row).collect::<Vec<_>>(),
        "bandwidth_bytes_per_s": micro_or_null(breakdown.bandwidth.as_ref().map(|one| one.bytes_per_s)),
        "bandwidth_of": breakdown.bandwidth.as_ref().map(|one| one.of.clone()),
        "operations": operations.collect::<Vec<_>>(),
        "sides": breakdown.sides.as_ref().map_or(Value::Null, sides),
        "notes": breakdown.notes,
    })
}

fn row(row: &Row) -> Value {
    json!({
        "dimension": row.dimension.name(),
        "value": row.value,
        "count": row.count,
        "rate_per_s": micro_or_null(row.rate_per_s),
        "failed": row.failed,
        "response_time_ms": row.response.as_ref().map_or(Value::Null, latency),
        "connect_ms": micro_or_null(row.connect_ms),
        "ttfb_ms": micro_or_null(row.ttfb_ms),
        "receive_ms": micro_or_null(row.receive_ms),
        "bytes": micro_or_null(row.bytes),
        "floor_ms": micro_or_null(row.floor.map(|floor| floor.floor_ms)),
    })
}

fn latency(latency: &Latency) -> Value {
    json!({
        "mean": micro(latency.mean_ms),
        "p50": micro(latency.p50_ms),
        "p95": micro(latency.p95_ms),
        "p99": micro(latency.p99_ms),
    })
}

fn sides(sides: &Sides) -> Value {
    let side = |side: &Side| json!({ "count": side.count, "time_ms": side.time.as_ref().map_or(Value::Null, latency) });
    let row = |row: &SideRow| {
        json!({
            "name": row.name,
            "status": row.status,
            "client": side(&row.client),
            "server": side(&row.server),
            "upstream_ms": micro_or_null(row.upstream_ms),
            "outside_ms": micro_or_null(row.outside_ms),
            "front_ms": micro_or_null(row.front_ms),
        })
    };
    json!({
        "logs": sides.logs,
        "behind": sides.behind,
        "rows": sides.rows.iter().map(row).collect::<Vec<_>>(),
        "others": sides.others,
        "offset_s": micro_or_null(sides.offset_s.map(|(offset_s, _)| offset_s)),
        "notes": sides.notes,
    })
}
