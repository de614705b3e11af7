//! What was found, for programs.

use serde_json::{Value, json};

use super::Found;

/// The result as JSON.
pub fn json(found: &Found) -> Value {
    let (counts, profile) = (&found.counts, &found.profile);
    let by_status: serde_json::Map<String, Value> =
        profile.by_status.iter().map(|(status, count)| (status.to_string(), json!(count))).collect();
    let rejections: Vec<Value> = counts
        .rejections
        .iter()
        .map(|(reason, rejected)| {
            let examples = rejected.examples.iter();
            let examples: Vec<Value> = examples.map(|(at, line)| json!({ "at": at, "line": line })).collect();
            json!({ "reason": reason, "count": rejected.count, "examples": examples })
        })
        .collect();
    let files: Vec<String> = found.written.iter().map(|path| path.display().to_string()).collect();
    json!({
        "schema_version": 1,
        "format": found.format,
        "files": found.files,
        "lines": counts.lines,
        "parsed": counts.parsed,
        "rejected": counts.rejected,
        "comments": counts.comments,
        "blank": counts.blank,
        "rejections": rejections,
        "requests": profile.requests,
        "by_status": by_status,
        "by_method": profile.by_method,
        "bytes": profile.bytes,
        "first": stamp(profile.first_us),
        "last": stamp(profile.last_us),
        "sessions": profile.sessions.count,
        "scenarios": found.made.scenarios,
        "sessions_per_s": found.made.sessions_per_s,
        "requests_per_s": found.made.requests_per_s,
        "covered": found.made.covered,
        "written": files,
        "notes": found.notes,
        "warnings": found.warnings,
    })
}

/// An instant for programs.
fn stamp(us: i64) -> String {
    jiff::Timestamp::from_microsecond(us).unwrap_or_default().to_string()
}
