//! The JSON Schema (2020-12) of `summary.json`.

use nmax_metrics::RequestStats;
use serde_json::{Map, Value, json};

use super::SCHEMA_VERSION;
use nmax_analysis::QUANTILES;
use nmax_analysis::summary::PHASES;

mod breakdown;
mod comparison;
mod diagnosis;
mod groups;
mod usl;
mod versions;
pub use comparison::{comparison_schema, history_schema};
pub use usl::{scale_schema, usl_schema};
pub use versions::{usl_compare_schema, usl_what_if_schema};

/// The schema. Every key is required; what is unknown is null. Readers must ignore keys they do not know.
pub fn schema() -> Value {
    let mut root = record(&[
        ("schema_version", json!({ "const": SCHEMA_VERSION })),
        ("nmax_version", text()),
        ("run", run()),
        ("verdict", json!({ "enum": ["pass", "fail", "invalid"] })),
        ("reasons", list(reason())),
        (
            "phase",
            record(&[("name", json!({ "enum": ["hold", "whole"] })), ("start_s", number()), ("end_s", number())]),
        ),
        ("duration_s", number()),
        ("intended_rate_per_s", described(number_or_null(), "Iterations per second; null for closed workloads.")),
        ("achieved_rate_per_s", described(number_or_null(), "Iterations started per second in the phase.")),
        ("dropped", record(&[("total", count()), ("injector", count()), ("in_flight_limit", count())])),
        ("censored", described(count(), "Exchanges unfinished at the end of the run.")),
        ("total", reference("stats")),
        ("requests", map(reference("stats"))),
        (
            "withheld",
            described(
                list(record(&[
                    ("request", described(json!({ "type": ["string", "null"] }), "Null for all requests together.")),
                    ("quantile", text()),
                    ("value_ms", described(number(), "As measured, the injector's lag included.")),
                    ("own_ms", described(number(), "How much of it disappears without the lag.")),
                ])),
                "Quantiles of the response time of which more than a tenth is the injector's own lag.",
            ),
        ),
        ("scenarios", map(scenario())),
        (
            "background",
            described(list(text()), "Scenarios that ran beside the mix; the intended rate is without them."),
        ),
        ("transactions", map(groups::timed("transaction_time_ms"))),
        ("pages", map(groups::page())),
        (
            "transitions",
            described(map(groups::timed("transition_time_ms")), "Pages by the page before, as `from -> to`."),
        ),
        ("locations", map(groups::location())),
        ("checks", map(record(&[("passed", count()), ("failed", count())]))),
        ("thresholds", list(threshold())),
        ("gates", list(gate())),
        ("steady", groups::steady()),
        ("profile", groups::profile()),
        ("compress", described(number(), "How many times shorter than written the run was; 1 = as written.")),
        ("timeline", list(groups::intervention())),
        ("observed", list(groups::observed())),
        ("breakdown", breakdown::breakdown()),
        ("hosts", breakdown::hosts()),
        ("log_errors", breakdown::log_errors()),
        ("diagnosis", diagnosis::diagnosis()),
        ("connections", connections()),
        ("injector", injector()),
        ("events", list(record(&[("at_s", number()), ("code", text()), ("text", text())]))),
        ("limits_hit", list(text())),
    ]);
    let fields = root.as_object_mut().expect("built as an object");
    fields.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
    fields.insert("title".into(), json!("summary.json of nmax"));
    let note = "Times are milliseconds, rates per second, instants RFC 3339 UTC. Unknown is null.";
    fields.insert("description".into(), json!(note));
    fields.insert("$defs".into(), json!({ "stats": stats(), "times": record(&times()), "dist": dist() }));
    root
}

fn run() -> Value {
    record(&[
        ("id", text()),
        ("name", text()),
        ("note", text()),
        ("tags", list(text())),
        ("started_at", text()),
        ("seed", count()),
        ("plan_sha256", text()),
        ("target", text()),
        ("machine", map(text())),
    ])
}

fn reason() -> Value {
    record(&[
        ("code", text()),
        ("text", text()),
        ("evidence", map(text())),
        ("decides", described(boolean(), "False for a warning that does not change the verdict.")),
    ])
}

fn threshold() -> Value {
    record(&[
        ("condition", text()),
        ("value", number_or_null()),
        ("limit", number()),
        ("unit", described(text(), "Of value and limit: `ms`, `ratio` (0 to 1), `/s`, or empty for counts.")),
        ("margin", described(number_or_null(), "Distance to the limit relative to it, positive when it holds.")),
        ("holds", boolean()),
    ])
}

fn gate() -> Value {
    record(&[
        ("code", text()),
        ("name", text()),
        ("value", number_or_null()),
        ("limit", number_or_null()),
        ("unit", described(text(), "Of value and limit: `ms`, `ratio` (0 to 1), or empty for counts.")),
        ("holds", boolean()),
        ("text", text()),
    ])
}

fn injector() -> Value {
    record(&[
        ("workers", count()),
        (
            "pacing_slack_us",
            described(number_or_null(), "Starts due within this time share a wake-up; null in closed workloads."),
        ),
        ("cpu_utilization", described(number_or_null(), "Mean over workers, 0 to 1.")),
        ("injector_lag_ms", reference("dist")),
        (
            "pickup_delay_ms",
            described(reference("dist"), "What a complete reply that comes at a random instant waits for nmax."),
        ),
        ("stalled_max_s", described(number_or_null(), "Time that the worst worker stood still in the phase.")),
        ("open_files_max", count_or_null()),
        ("ports_used_max", count_or_null()),
        ("time_wait_max", described(count_or_null(), "Of the whole host, not of nmax alone.")),
    ])
}

fn connections() -> Value {
    let seconds = record(&["mean", "p50", "max"].map(|name| (name, number_or_null())));
    let still_open = described(count(), "Of `count`, those that were still open when nmax gave them up.");
    let held = record(&[("count", count()), ("still_open", still_open), ("seconds", seconds)]);
    record(&[
        ("opened", described(count(), "In the phase, like all but `addresses`, `passed_over` and `held`.")),
        ("policy", json!({ "enum": ["keep-alive", "per-iteration", "per-request"] })),
        ("retries", described(count(), "Exchanges repeated because a kept connection had been closed.")),
        ("informational", described(count(), "Interim (1xx) replies.")),
        ("redirects", described(count(), "Redirects followed.")),
        ("tls_handshakes", described(count(), "TLS handshakes that succeeded.")),
        ("tls_resumed", described(count(), "Of those, how many resumed a session.")),
        ("resumed_share", described(number_or_null(), "0 to 1; null without a handshake.")),
        (
            "addresses",
            described(map(count()), "Connections opened by server address, whole run, at most 64 addresses."),
        ),
        (
            "passed_over",
            described(
                map(count()),
                "Connections that an address did not take, refusing or silent, although another address of its name then did, by address, whole run, at most 64 addresses.",
            ),
        ),
        (
            "held",
            described(
                held,
                "Sockets that servers kept open for 100 ms and longer after complete replies that should have ended them, whole run.",
            ),
        ),
    ])
}

/// Phases of an exchange; those that took no time in any are absent.
fn phases() -> Value {
    let phase = record(&[
        ("count", described(count(), "Exchanges in which it took time.")),
        ("mean", number_or_null()),
        ("p95", number_or_null()),
        ("max", number_or_null()),
    ]);
    let properties: Map<String, Value> = PHASES.iter().map(|name| ((*name).to_owned(), phase.clone())).collect();
    let description = "Milliseconds in the exchanges that had the phase; a phase that took no time in any is absent.";
    json!({ "type": "object", "properties": properties, "description": description })
}

fn scenario() -> Value {
    record(&[
        ("iterations", count()),
        ("failed", count()),
        ("rate_per_s", number_or_null()),
        ("iteration_time_ms", reference("dist")),
    ])
}

fn stats() -> Value {
    let mut fields = vec![
        ("count", described(count(), "ok + failed + errors")),
        ("ok", count()),
        ("failed", described(count(), "Valid replies that were not ok.")),
        ("errors", described(count(), "Exchanges without a valid reply.")),
        ("rate_per_s", number_or_null()),
    ];
    fields.extend(RequestStats::sums().map(|counter| (counter.name, described(count(), counter.about))));
    fields.extend(["status", "error_kinds"].map(|name| (name, map(count()))));
    fields.extend(times());
    let outcomes = ["ok", "failed", "error"].map(|outcome| (outcome, reference("times")));
    fields.push(("by_outcome", record(&outcomes)));
    fields.push(("phases", phases()));
    record(&fields)
}

fn times() -> [(&'static str, Value); 4] {
    ["response_time_ms", "service_time_ms", "send_lag_ms", "ttfb_ms"].map(|time| (time, reference("dist")))
}

fn dist() -> Value {
    let pair = json!({ "type": ["array", "null"], "items": number(), "minItems": 2, "maxItems": 2 });
    let intervals: Vec<_> = QUANTILES.iter().map(|(name, _)| (*name, pair.clone())).collect();
    let mut ci95 = record(&intervals);
    ci95["type"] = json!(["object", "null"]);
    let mut fields = vec![("count", count())];
    fields.extend(["mean", "min", "max"].map(|name| (name, number_or_null())));
    fields.extend(QUANTILES.iter().map(|(name, _)| (*name, number_or_null())));
    fields.push(("ci95", described(ci95, "Within-run 95 % intervals, which allow for exchanges that depend on each other; null where there are none.")));
    let words = json!({ "enum": [null, "too few values", "too short", "too dependent", "not examined"] });
    let mut missing = record(&QUANTILES.map(|(name, _)| (name, words.clone())));
    missing["type"] = json!(["object", "null"]);
    let why = "Why a quantile has no interval: too few values; fewer than ten windows; exchanges depend too much on those \
               before them; dependence is only looked at in response times of all outcomes.";
    fields.push(("ci95_missing", described(missing, why)));
    fields.push(("clamped", described(count(), "Values above one hour, counted as one hour.")));
    record(&fields)
}

fn record(fields: &[(&str, Value)]) -> Value {
    let required: Vec<_> = fields.iter().map(|(name, _)| *name).collect();
    let properties: Map<String, Value> = fields.iter().map(|(name, kind)| ((*name).to_owned(), kind.clone())).collect();
    json!({ "type": "object", "required": required, "properties": properties })
}

fn list(items: Value) -> Value {
    json!({ "type": "array", "items": items })
}

fn map(values: Value) -> Value {
    json!({ "type": "object", "additionalProperties": values })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

fn described(mut kind: Value, description: &str) -> Value {
    kind["description"] = json!(description);
    kind
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn boolean() -> Value {
    json!({ "type": "boolean" })
}

fn number() -> Value {
    json!({ "type": "number" })
}

fn number_or_null() -> Value {
    json!({ "type": ["number", "null"] })
}

fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

fn count_or_null() -> Value {
    json!({ "type": ["integer", "null"], "minimum": 0 })
}
