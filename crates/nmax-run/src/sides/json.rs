//! Both sides as a document in the directory of the run.

use std::fs;
use std::path::Path;

use nmax_analysis::Latency;
use nmax_analysis::breakdown::{Side, SidePoint, SideRow, Sides};
use serde_json::{Value, json};

/// The file.
const FILE: &str = "breakdown.json";
/// Version of the document.
const SCHEMA_VERSION: u64 = 1;

/// Writes it into the directory of a run.
pub fn write(directory: &Path, sides: &Sides) -> std::io::Result<()> {
    fs::write(directory.join(FILE), format!("{:#}\n", to_json(sides)))
}

/// The sides that are in the directory of a run, if there are any.
pub fn stored(directory: &Path) -> Option<Sides> {
    let text = fs::read_to_string(directory.join(FILE)).ok()?;
    of_json(&serde_json::from_str(&text).ok()?)
}

/// The document.
pub(super) fn to_json(sides: &Sides) -> Value {
    let offset = sides.offset_s.map(|(ahead_s, error_s)| json!({ "ahead_s": ahead_s, "error_s": error_s }));
    json!({
        "schema_version": SCHEMA_VERSION,
        "logs": sides.logs,
        "behind": sides.behind,
        "others": sides.others,
        "offset": offset,
        "notes": sides.notes,
        "rows": sides.rows.iter().map(row).collect::<Vec<_>>(),
        "points": sides.points.iter().map(point).collect::<Vec<_>>(),
    })
}

fn row(row: &SideRow) -> Value {
    json!({
        "name": row.name,
        "status": row.status,
        "client": side(&row.client),
        "server": side(&row.server),
        "upstream_ms": row.upstream_ms,
        "outside_ms": row.outside_ms,
        "front_ms": row.front_ms,
    })
}

fn side(side: &Side) -> Value {
    let time = side.time.map(
        |time| json!({ "mean_ms": time.mean_ms, "p50_ms": time.p50_ms, "p95_ms": time.p95_ms, "p99_ms": time.p99_ms }),
    );
    json!({ "count": side.count, "time": time })
}

fn point(point: &SidePoint) -> Value {
    json!({
        "start_s": point.start_s,
        "width_s": point.width_s,
        "client_count": point.client_count,
        "server_count": point.server_count,
        "client_ms": point.client_ms,
        "server_ms": point.server_ms,
        "upstream_ms": point.upstream_ms,
    })
}

/// The sides of such a document; `None` when it is none.
pub(super) fn of_json(value: &Value) -> Option<Sides> {
    if value["schema_version"].as_u64()? != SCHEMA_VERSION {
        return None;
    }
    let texts = |value: &Value| -> Option<Vec<String>> {
        let texts = value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned));
        texts.collect()
    };
    Some(Sides {
        logs: texts(&value["logs"])?,
        // Runs of older versions have none.
        behind: texts(&value["behind"]).unwrap_or_default(),
        others: value["others"].as_u64()?,
        offset_s: offset_of(&value["offset"]),
        notes: texts(&value["notes"])?,
        rows: value["rows"].as_array()?.iter().map(row_of).collect::<Option<_>>()?,
        points: value["points"].as_array()?.iter().map(point_of).collect::<Option<_>>()?,
    })
}

fn offset_of(value: &Value) -> Option<(f64, f64)> {
    Some((value["ahead_s"].as_f64()?, value["error_s"].as_f64()?))
}

fn row_of(value: &Value) -> Option<SideRow> {
    Some(SideRow {
        name: value["name"].as_str()?.to_owned(),
        status: value["status"].as_u64().and_then(|status| u16::try_from(status).ok()),
        client: side_of(&value["client"])?,
        server: side_of(&value["server"])?,
        upstream_ms: value["upstream_ms"].as_f64(),
        outside_ms: value["outside_ms"].as_f64(),
        front_ms: value["front_ms"].as_f64(),
    })
}

fn side_of(value: &Value) -> Option<Side> {
    let time = &value["time"];
    let latency = || {
        Some(Latency {
            mean_ms: time["mean_ms"].as_f64()?,
            p50_ms: time["p50_ms"].as_f64()?,
            p95_ms: time["p95_ms"].as_f64()?,
            p99_ms: time["p99_ms"].as_f64()?,
        })
    };
    Some(Side { count: value["count"].as_u64()?, time: latency() })
}

fn point_of(value: &Value) -> Option<SidePoint> {
    Some(SidePoint {
        start_s: value["start_s"].as_f64()?,
        width_s: value["width_s"].as_f64()?,
        client_count: value["client_count"].as_u64()?,
        server_count: value["server_count"].as_u64()?,
        client_ms: value["client_ms"].as_f64(),
        server_ms: value["server_ms"].as_f64(),
        upstream_ms: value["upstream_ms"].as_f64(),
    })
}
