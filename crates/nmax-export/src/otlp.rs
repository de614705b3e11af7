//! OpenTelemetry's protocol for metrics over HTTP, as JSON: cumulative sums and histograms.
//!
//! Source: OpenTelemetry Protocol 1.4, *JSON Protobuf Encoding* (64-bit integers are texts, enums are numbers, keys are in
//! lowerCamelCase); metrics data model.

use serde_json::{Value as Json, json};

use crate::buckets::BOUNDS_S;
use crate::metric::Kind;
use crate::snapshot::{Family, Point, Snapshot, Value};

/// `AGGREGATION_TEMPORALITY_CUMULATIVE`
const CUMULATIVE: u8 = 2;

/// The request that carries a snapshot.
pub(crate) fn request(snapshot: &Snapshot) -> Json {
    let resource = [
        ("service.name", "nmax"),
        ("service.version", env!("CARGO_PKG_VERSION")),
        ("service.instance.id", &snapshot.run_id),
        ("nmax.run.id", &snapshot.run_id),
        ("nmax.run.name", &snapshot.run_name),
    ];
    let metrics: Vec<Json> = snapshot.families.iter().map(|family| metric(snapshot, family)).collect();
    json!({ "resourceMetrics": [{
        "resource": { "attributes": attributes(resource.into_iter()) },
        "scopeMetrics": [{
            "scope": { "name": "nmax", "version": env!("CARGO_PKG_VERSION") },
            "metrics": metrics,
        }],
    }] })
}

fn metric(snapshot: &Snapshot, Family { metric, points }: &Family) -> Json {
    let points: Vec<Json> = points.iter().map(|one| point(snapshot, metric.kind, one)).collect();
    let (key, data) = match metric.kind {
        Kind::Counter => {
            ("sum", json!({ "dataPoints": points, "aggregationTemporality": CUMULATIVE, "isMonotonic": true }))
        }
        Kind::Gauge => ("gauge", json!({ "dataPoints": points })),
        Kind::Histogram => ("histogram", json!({ "dataPoints": points, "aggregationTemporality": CUMULATIVE })),
    };
    json!({ "name": metric.name, "description": metric.about, "unit": metric.unit, key: data })
}

fn point(snapshot: &Snapshot, kind: Kind, point: &Point) -> Json {
    let of = point.attributes.iter().map(|(name, value)| (*name, value.as_str()));
    let mut json = json!({ "attributes": attributes(of), "timeUnixNano": snapshot.at_ns.to_string() });
    if kind != Kind::Gauge {
        json["startTimeUnixNano"] = snapshot.started_ns.to_string().into();
    }
    match &point.value {
        Value::Number(number) => json["asDouble"] = (*number).into(),
        Value::Buckets(buckets) => {
            let counts: Vec<String> = buckets.counts().iter().map(u64::to_string).collect();
            json["count"] = buckets.count().to_string().into();
            json["sum"] = buckets.sum_s().into();
            json["bucketCounts"] = counts.into();
            json["explicitBounds"] = BOUNDS_S.to_vec().into();
        }
    }
    json
}

/// Status codes and ports are numbers by the conventions.
fn attributes<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Json {
    let of = |(name, value): (&str, &str)| {
        let is_number = matches!(name, "http.response.status_code" | "server.port");
        let value = match value.parse::<u16>() {
            Ok(number) if is_number => json!({ "intValue": number.to_string() }),
            _ => json!({ "stringValue": value }),
        };
        json!({ "key": name, "value": value })
    };
    pairs.map(of).collect()
}

/// Where metrics go below a base URL, as OpenTelemetry's exporters add it.
pub(crate) fn url(base: &str) -> String {
    let path = "/v1/metrics";
    let (place, query) = base.split_once('?').map_or((base, None), |(place, query)| (place, Some(query)));
    let place = place.trim_end_matches('/').trim_end_matches(path);
    format!("{place}{path}{}", query.map_or_else(String::new, |query| format!("?{query}")))
}

/// Why points of a request that was taken were not; `None` when all were.
pub(crate) fn rejected(reply: &str) -> Option<String> {
    let reply: Json = serde_json::from_str(reply).ok()?;
    let partial = reply.get("partialSuccess")?;
    let count = partial.get("rejectedDataPoints")?;
    let count = count.as_u64().or_else(|| count.as_str()?.parse().ok()).filter(|count| *count > 0)?;
    let why = partial.get("errorMessage").and_then(Json::as_str).unwrap_or_default();
    Some(format!("{count} points were rejected: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_have_their_path() {
        let cases = [
            ("http://a.test:4318", "http://a.test:4318/v1/metrics"),
            ("http://a.test:4318/", "http://a.test:4318/v1/metrics"),
            ("https://a.test/otlp?tenant=1", "https://a.test/otlp/v1/metrics?tenant=1"),
            ("http://a.test/v1/metrics", "http://a.test/v1/metrics"),
        ];
        for (base, want) in cases {
            assert_eq!(url(base), want);
        }
    }

    #[test]
    fn what_is_rejected_is_told() {
        let some = r#"{"partialSuccess":{"rejectedDataPoints":"3","errorMessage":"too old"}}"#;
        assert_eq!(rejected(some).unwrap(), "3 points were rejected: too old");
        for none in ["", "{}", r#"{"partialSuccess":{}}"#, r#"{"partialSuccess":{"rejectedDataPoints":0}}"#] {
            assert_eq!(rejected(none), None, "{none}");
        }
    }
}
