//! JSON Schemas of the files of a run's directory, kept fresh in `docs/schema/` by a test.

use serde_json::{Map, Value, json};

/// File name below `docs/schema/` and schema of every JSON file and every JSON line of a run's directory, except
/// `summary.json`.
pub fn all() -> Vec<(&'static str, Value)> {
    vec![
        ("manifest.schema.json", manifest()),
        ("names.schema.json", names()),
        ("windows.schema.json", windows()),
        ("failures.schema.json", failures()),
        ("resources.schema.json", resources()),
        ("events.schema.json", events()),
    ]
}

fn manifest() -> Value {
    let hold = object(&[
        ("start_ns", count("start of phase hold, inclusive, ns since the start of the run")),
        ("end_ns", nullable("integer", "its end, exclusive; null when the plan sets none")),
    ]);
    document(
        "nmax manifest.json",
        "What was run, on what, when. Written once, before the first request.",
        &[
            ("schema_version", json!({ "const": 1, "description": "version of all files of the directory" })),
            ("nmax_version", string("version of the program")),
            ("id", string("id of the run: ASCII letters and digits")),
            ("name", string("name of the run")),
            ("note", string("remark of the user; empty without one")),
            ("tags", strings("labels of the user")),
            (
                "started_at",
                json!({ "type": "string", "format": "date-time", "description": "origin of the run's clock, UTC" }),
            ),
            ("seed", count("random seed")),
            ("plan", string("the plan as resolved, YAML")),
            ("plan_sha256", string("SHA-256 of plan, hexadecimal")),
            ("target", string("base URL of the system under test")),
            (
                "machine",
                json!({
                    "type": "object",
                    "additionalProperties": { "type": "string" },
                    "description": "the injector's machine: cores, cpu, memory_bytes, kernel, os, hostname, architecture, cpu_quota"
                }),
            ),
            ("command", string("the command, quoted for a shell, that repeats the run")),
            ("workers", count("worker threads")),
            ("window_ns", count("width of a window, ns")),
            ("hold", hold),
            (
                "authorization",
                nullable("string", "how loading this target was allowed; null where no permission is needed"),
            ),
            ("scenarios", strings("scenario names in the order of the plan")),
            ("checks", strings("check names in the order of the plan")),
        ],
    )
}

fn names() -> Value {
    document(
        "nmax names.json",
        "Names behind ids: an id is the position in its list, from 0.",
        &[
            ("requests", strings("request names; id n is tag rN")),
            ("scenarios", strings("scenario names; id n is tag sN")),
            ("checks", strings("check names")),
            ("transactions", strings("transaction names; id n is tag tN")),
            ("pages", strings("page names; id n is tag pN")),
            ("transitions", strings("transitions between pages; id n is tag xN")),
            ("locations", strings("location names; id n is tag lN")),
            ("overflowed", count("how often a request name beyond the cap was asked for; it is counted as `other`")),
        ],
    )
}

fn windows() -> Value {
    let histogram = object(&[
        ("tag", string("tag of the line in latency.hlog")),
        ("count", count("number of values")),
        ("sum_ns", count("exact sum, ns; may exceed 64 bits")),
        ("min_ns", count("exact smallest value, ns")),
        ("max_ns", count("exact largest value, ns")),
        ("clamped", count("values above one hour, counted as one hour")),
    ]);
    document(
        "a line of nmax windows.jsonl",
        "One window: everything but the buckets of its histograms.",
        &[
            ("index", count("number of the window; it begins at index * width_ns")),
            ("start_ns", count("its start, ns since the start of the run")),
            ("width_ns", count("its width, ns")),
            ("scenario_count", count("scenarios seen so far by the writer")),
            ("check_count", count("checks seen so far by the writer")),
            ("transaction_count", count("transactions seen so far by the writer")),
            ("page_count", count("pages seen so far by the writer")),
            ("transition_count", count("transitions seen so far by the writer")),
            ("location_count", count("locations seen so far by the writer")),
            ("hold", section("phase hold, which statistics are made of")),
            ("outside", section("ramps and warm-up")),
            ("histograms", list(histogram, "the window's lines of latency.hlog, in their order")),
        ],
    )
}

fn section(description: &str) -> Value {
    let ended = |what: &str| {
        format!(
            "{what} that ended within the hold, whenever they were due; 0 of `outside`; absent in runs of earlier versions"
        )
    };
    let request = object(&[
        ("id", count("request id")),
        ("ok", count("exchanges that ended ok")),
        ("failed", count("valid replies that were not ok")),
        ("errors", count("exchanges without a valid reply")),
        ("status", counts("replies by status code")),
        ("error_kinds", counts("errors by kind")),
        ("bytes_received", count("bytes received, heads included")),
        ("bytes_sent", count("bytes sent, heads included")),
        ("bytes_decoded", count("bytes of bodies received, content codings undone")),
        ("ended_within", count(&ended("exchanges"))),
    ]);
    let scenario = object(&[
        ("id", count("scenario id")),
        ("started", count("iterations started")),
        ("completed", count("iterations that reached their end, failed ones included")),
        ("failed", count("completed iterations in which something was not ok")),
        ("interrupted", count("iterations cut off by the end of the run")),
        ("ended_within", count(&ended("iterations"))),
    ]);
    let check =
        object(&[("id", count("check id")), ("passed", count("times it held")), ("failed", count("times it did not"))]);
    let pair = |what: &str| {
        [
            ("count", count(&format!("{what} that reached their end, failed ones included"))),
            ("failed", count("of those, the ones in which something was not ok")),
            ("ended_within", count(&ended(what))),
        ]
    };
    let with_id = |what: &str, many: &str| {
        let [all, failed, within] = pair(many);
        object(&[("id", count(&format!("{what} id"))), all, failed, within])
    };
    let [pages, pages_failed, pages_within] = pair("pages");
    let page = object(&[
        ("id", count("page id")),
        pages,
        pages_failed,
        pages_within,
        ("resources", count("resources that belonged to them")),
        ("cached", count("of those, how many came out of the cache without an exchange")),
        ("unchanged", count("of those, how many the server said were unchanged (304)")),
        ("resources_failed", count("of those, how many failed")),
        ("left_out", count("resources beyond the most that one page fetches, which were not asked for")),
        ("bytes_received", count("bytes received for documents and resources, heads included")),
    ]);
    let location = object(&[
        ("id", count("location id")),
        ("exchanges", object(&pair("exchanges"))),
        ("iterations", object(&pair("iterations"))),
        ("pages", object(&pair("pages"))),
    ]);
    let mut section = object(&[
        ("requests", list(request, "request names with exchanges")),
        ("scenarios", list(scenario, "scenarios with iterations")),
        ("checks", list(check, "checks with results")),
        ("transactions", list(with_id("transaction", "transactions"), "transactions that ended")),
        ("pages", list(page, "pages that ended")),
        ("transitions", list(with_id("transition", "pages"), "pages that ended, by the page before")),
        ("locations", list(location, "what users at a location did")),
        ("load", load()),
    ]);
    section["description"] = description.into();
    section
}

fn load() -> Value {
    object(&[
        ("due", count("iterations whose intended start passed (open workloads)")),
        ("started", count("iterations started")),
        ("waited", count("of those, how many had waited for an in-flight slot")),
        ("dropped_injector", count("due iterations never started: the injector could not keep up")),
        ("dropped_in_flight_limit", count("due iterations never started: the in-flight limit was reached")),
        ("in_flight_ns", count("integral of the iterations in flight over time, ns; may exceed 64 bits")),
        ("in_flight_max", count("most iterations in flight at once on one worker")),
        (
            "start_delay_ns",
            count("sum over completed iterations from their intended start to the moment a VU took them, ns"),
        ),
        ("run_wait_ns", count("time that worker threads were ready to run and waited for a processor, ns")),
        ("users", count("virtual users who began an iteration, closed workloads, at the end of the run")),
        ("stalled_ns", count("time that workers stood still, summed over them, ns")),
        ("samples_left_out", count("exchanges that are not in `samples-NNNN.parquet` although all were to be")),
        ("cpu_ns", count("CPU time of the worker threads, ns")),
        ("worker_time_ns", count("time the worker threads existed, ns")),
        ("connections", count("connections opened")),
        ("retries", count("exchanges repeated because a kept connection had been closed")),
        ("informational", count("interim (1xx) replies")),
        ("redirects", count("redirects followed")),
        ("tls_handshakes", count("TLS handshakes that succeeded")),
        ("tls_resumed", count("of those, how many resumed a session")),
        ("addresses", counts("connections opened by server address, at most 64")),
        (
            "passed_over",
            counts(
                "connections that an address did not take, refusing or silent, although another address of its name then did, by address, at most 64",
            ),
        ),
        (
            "held_open",
            count(
                "sockets kept open by the server after a complete reply that should have ended them, still open when given up",
            ),
        ),
    ])
}

fn failures() -> Value {
    let outcome = json!({ "enum": ["failed", "error"], "description": "how the exchange ended" });
    document(
        "a line of nmax failures.jsonl",
        "A failed exchange, redacted: the first 100 of each kind.",
        &[
            ("t", seconds("end of the exchange")),
            ("number", count("number among the failures of its kind, from 1")),
            ("kind", string("what failures are grouped by: an error kind, a status, a check, an extraction")),
            ("outcome", outcome),
            ("error_kind", nullable("string", "kind of error; null for outcome failed")),
            ("status", nullable("integer", "status code; null without a reply")),
            ("name", string("request name")),
            ("scenario", string("scenario name")),
            ("text", string("what went wrong")),
            ("request", string("head and body as sent, redacted, shortened")),
            ("reply", string("head and kept body as received, redacted, shortened; empty without a reply")),
            ("response_time_ns", count("done - intended, ns")),
        ],
    )
}

fn resources() -> Value {
    document(
        "a line of nmax resources.jsonl",
        "A reading of a host.",
        &[
            ("t", seconds("when it was read")),
            ("host", string("host; injector for the program itself")),
            ("source", string("part of the host: process, worker 0, a device")),
            ("metric", string("metric name with the suffix of its unit")),
            ("value", nullable("number", "value; null when unknown")),
            ("unit", string("ratio, count, bytes, ...")),
        ],
    )
}

fn events() -> Value {
    document(
        "a line of nmax events.jsonl",
        "Something that happened during the run.",
        &[
            ("t", seconds("when")),
            ("code", string("stable code, for programs")),
            ("text", string("one sentence, for people")),
        ],
    )
}

fn document(title: &str, description: &str, properties: &[(&str, Value)]) -> Value {
    let mut schema = Map::new();
    schema.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
    schema.insert("title".into(), title.into());
    schema.insert("description".into(), description.into());
    if let Value::Object(object) = object(properties) {
        schema.extend(object);
    }
    schema.into()
}

/// An object that has exactly these properties.
fn object(properties: &[(&str, Value)]) -> Value {
    let required: Vec<&str> = properties.iter().map(|(name, _)| *name).collect();
    let properties: Map<String, Value> =
        properties.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn list(items: Value, description: &str) -> Value {
    json!({ "type": "array", "items": items, "description": description })
}

fn strings(description: &str) -> Value {
    list(json!({ "type": "string" }), description)
}

fn string(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn count(description: &str) -> Value {
    json!({ "type": "integer", "minimum": 0, "description": description })
}

fn counts(description: &str) -> Value {
    json!({ "type": "object", "additionalProperties": { "type": "integer", "minimum": 0 }, "description": description })
}

fn seconds(description: &str) -> Value {
    json!({ "type": "number", "minimum": 0, "description": format!("{description}, seconds since the start of the run") })
}

fn nullable(kind: &str, description: &str) -> Value {
    json!({ "type": [kind, "null"], "description": description })
}

#[cfg(test)]
mod tests;
