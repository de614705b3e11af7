//! What an injector says beside its windows: readings, a line of JSON each.

use nmax_metrics::{Nanos, Resource};
use nmax_sources::INJECTOR;
use serde_json::{Value, json};

/// A reading as a line. One of the injector's own host gets its name where it arrives.
pub fn resource(resource: &Resource) -> String {
    let Resource { at, host, source, metric, value, unit } = resource;
    format!("{}\n", json!([at.0, host, source, metric, value, unit]))
}

/// The readings in lines of the injector of this name. What is not a line of this version is left out.
pub fn resources(lines: &str, injector: &str) -> Vec<Resource> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let read = |line: &str| {
        let line: Value = serde_json::from_str(line).ok()?;
        let host = text(&line[1])?;
        Some(Resource {
            at: Nanos(line[0].as_u64()?),
            host: if host == INJECTOR { injector.to_owned() } else { host },
            source: text(&line[2])?,
            metric: text(&line[3])?,
            value: line[4].as_f64()?,
            unit: text(&line[5])?,
        })
    };
    lines.lines().filter_map(read).collect()
}
