//! Words of k6, Gatling, Locust and JMeter, and of nmax itself where they are out of place: what a plan says instead.

use crate::threshold::Metric;
use crate::units;

/// The map that a key is in, where that matters; keys; what to write.
const KEYS: &[(&str, &[&str], &str)] = &[
    ("a stage", &["duration"], "write `hold: 5m` for a steady level, or `ramp: 1m` for a change"),
    ("a stage", &["target", "vus", "users", "rate"], "write the level at its end, such as `to: 100%`"),
    ("`expect`", &["duration", "response_time", "responseTime", "latency"], "write `max_time: 500ms`"),
    ("`expect`", &["jsonPath", "jsonpath", "json_path"], "write `json: { \"$.count\": \"> 0\" }`"),
    ("`expect`", &["statuscode", "status_code", "statusCode"], "write `status: 200`"),
    ("`expect`", &["max_response_time", "maxResponseTime"], "write `max_time: 500ms`"),
    ("a step", &["url", "uri", "request", "method"], "write `get: /path`, or `post: /path`"),
    ("a step", &["params"], "write `query: { NAME: VALUE }`"),
    ("a step", &["loop"], "write `repeat: 3` with its `steps`"),
    ("", &["sleep", "pause", "wait", "delay", "think_time", "timer"], "write the step `- think: 1s`"),
    ("", &["wait_time"], "write the step `- think: { min: 1s, max: 3s }`"),
    (
        "",
        &["vus", "users", "threads", "num_threads", "concurrency", "constantConcurrentUsers", "atOnceUsers"],
        "write `workload: { closed: { vus: 10 } }`",
    ),
    (
        "",
        &["rps", "qps", "rate", "constantUsersPerSec", "constant_throughput", "throughput"],
        "write `workload: { open: { rate: 100/s } }`",
    ),
    (
        "",
        &["rampUsers", "rampUsersPerSec", "rampConcurrentUsers", "spawn_rate", "hatch_rate", "ramp_up", "ramp_time"],
        "write `stages: [{ ramp: 1m, to: 100% }, { hold: 5m }]` beside `workload`",
    ),
    ("", &["stages"], "write `stages: [{ ramp: 1m, to: 100% }, { hold: 5m }]` beside `workload`, for the whole run"),
    ("", &["duration", "run_time"], "write `duration: 30s` beside `workload`, for the whole run"),
    (
        "",
        &["thresholds", "assertions"],
        "write `thresholds: [response_time p95 < 500ms]` beside `workload`, for the whole run",
    ),
    ("", &["executor"], "write `workload: { open: { rate: 100/s } }` or `workload: { closed: { vus: 10 } }`"),
    ("", &["iterations", "loops"], "write `workload: { iterations: 1000 }` beside `open` or `closed`"),
    (
        "",
        &["check", "checks", "assert", "validate"],
        "write `expect: { status: 200, contains: TEXT }` into the request",
    ),
    ("", &["group"], "write the step `- transaction: NAME` with its `steps`"),
    ("", &["feed", "feeder", "csv_data"], "write `data: { users: { csv: users.csv } }` beside `scenarios`"),
    ("", &["capture", "saveAs"], "write `extract: { NAME: { json: \"$.id\" } }` into the request"),
    ("", &["on_start"], "write `setup` beside `steps`"),
    ("", &["on_stop"], "write `teardown` beside `steps`"),
];

/// Metrics, and ours.
const METRICS: &[(&[&str], Metric)] = &[
    (&["http_req_duration", "responseTime", "response_times", "latency", "duration"], Metric::ResponseTime),
    (&["http_req_waiting"], Metric::Ttfb),
    (&["http_req_failed", "failedRequests", "fail_ratio", "error_rate"], Metric::FailureRate),
    (&["http_reqs", "requestsPerSec", "rps", "qps"], Metric::Throughput),
    (&["iteration_duration"], Metric::IterationTime),
    (&["group_duration"], Metric::TransactionTime),
    (&["dropped_iterations"], Metric::Dropped),
    (&["data_received"], Metric::Bytes),
];

/// What to write in place of a key that has no meaning in this map.
pub(crate) fn key(map: &str, name: &str) -> Option<&'static str> {
    let means = |(of, names, _): &&(&str, &[&str], &str)| (of.is_empty() || *of == map) && names.contains(&name);
    KEYS.iter().find(means).map(|(_, _, instead)| *instead)
}

/// What to write in place of a variable of k6 or Locust.
pub(crate) fn variable(name: &str) -> Option<String> {
    match name {
        "__VU" => Some("write `${vu}`".to_owned()),
        "__ITER" => Some("write `${iteration}`".to_owned()),
        _ => name.strip_prefix("__ENV.").map(|name| format!("write `${{env.{name}}}`, and give `-e {name}=..`")),
    }
}

/// What to write in place of a condition on a metric that has no meaning here.
pub(crate) fn condition(text: &str) -> Option<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let text = text.trim();
    if text.strip_prefix('p').is_some_and(|rest| rest.starts_with(|c: char| c == '(' || c.is_ascii_digit())) {
        return condition(&format!("latency {text}"));
    }
    let (name, rest) = text.split_at(text.find(|c| !is_word(c)).unwrap_or(text.len()));
    let (_, metric) = METRICS.iter().find(|(names, _)| names.contains(&name))?;
    let sign_at = rest.find(['<', '>'])?;
    let (stat, limit) = rest.split_at(sign_at);
    if stat.contains('{') {
        return None; // A tag of k6: which request it means is not known.
    }
    let value = limit.trim_start_matches(['<', '>', '=']);
    let sign = &limit[..limit.len() - value.len()];
    let stat = match stat.trim() {
        "avg" => "mean ".to_owned(),
        "med" => "p50 ".to_owned(),
        "" if metric.is_time() => "p95 ".to_owned(),
        stat if metric.is_time() => stat.replace(['(', ')'], "") + " ",
        _ => String::new(),
    };
    let value = value.trim();
    let value = match value.parse::<f64>() {
        Ok(_) if metric.is_time() => format!("{value}ms"),
        Ok(share) if *metric == Metric::FailureRate => units::format_share(share),
        Ok(_) if *metric == Metric::Throughput => format!("{value}/s"),
        _ => value.to_owned(),
    };
    Some(format!("{} {stat}{sign} {value}", metric.name()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threshold;

    /// What is written instead is a condition of a plan, with the same limit.
    #[test]
    fn conditions_of_other_tools_become_ours() {
        let cases = [
            ("http_req_duration p(95)<500", "response_time p95 < 500ms"),
            ("http_req_duration p(99.9) <= 1.5s", "response_time p99.9 <= 1.5s"),
            ("http_req_duration avg<200", "response_time mean < 200ms"),
            ("duration med < 80ms", "response_time p50 < 80ms"),
            ("responseTime < 800", "response_time p95 < 800ms"),
            ("http_req_failed rate<0.01", "failure_rate < 1%"),
            ("fail_ratio < 2%", "failure_rate < 2%"),
            ("http_reqs rate>100", "throughput > 100/s"),
            ("http_req_waiting max<50", "ttfb max < 50ms"),
            ("dropped_iterations < 3", "dropped < 3"),
            ("p95 < 500ms", "response_time p95 < 500ms"),
            ("p(99)<500", "response_time p99 < 500ms"),
        ];
        for (theirs, ours) in cases {
            assert_eq!(condition(theirs).as_deref(), Some(ours), "{theirs}");
            threshold::parse(ours).unwrap();
            let error = threshold::parse(theirs).unwrap_err();
            assert!(error.remedy.contains(ours), "{theirs}: {error:?}");
        }
        assert_eq!(condition("response_tme p95 < 5ms"), None, "a slip is no word of others");
    }

    /// In each map a word has one meaning.
    #[test]
    fn words_have_one_meaning() {
        let words: Vec<_> = KEYS.iter().flat_map(|(map, names, _)| names.iter().map(move |name| (map, name))).collect();
        assert_eq!(words.iter().collect::<std::collections::BTreeSet<_>>().len(), words.len());
        let metrics: Vec<_> = METRICS.iter().flat_map(|(names, _)| *names).collect();
        assert_eq!(metrics.iter().collect::<std::collections::BTreeSet<_>>().len(), metrics.len());
        assert!(metrics.iter().all(|name| Metric::ALL.iter().all(|metric| metric.name() != **name)));
    }
}
