//! `summary.json`: times in milliseconds with microsecond digits, rates per second, unknown = null.

use nmax_analysis::NoInterval;
use serde_json::{Map, Value, json};

use crate::view::View;
use nmax_analysis::QUANTILES;
use nmax_analysis::summary::{Dist, PhaseTime, Stats, Times};

mod answers;
mod breakdown;
mod comparison;
mod diagnosis;
mod groups;
mod scale;
mod schema;
mod usl;
pub use comparison::{comparison, history};
pub use scale::{level, scale};
pub use schema::{
    comparison_schema, history_schema, scale_schema, schema, usl_compare_schema, usl_schema, usl_what_if_schema,
};
pub use usl::{asked_model, compare, predict, usl, what_if};

/// Version of the shape. Readers refuse versions they do not know.
pub const SCHEMA_VERSION: u32 = 1;

/// The summary of a run; [`schema`] describes it.
pub fn summary(view: &View) -> Value {
    let run = &view.run;
    json!({
        "schema_version": SCHEMA_VERSION,
        "nmax_version": run.nmax_version,
        "run": {
            "id": run.id,
            "name": run.name,
            "note": run.note,
            "tags": run.tags,
            "started_at": run.started_at,
            "seed": run.seed,
            "plan_sha256": run.plan_sha256,
            "target": run.target,
            "machine": object(run.machine.iter().map(|(key, value)| (key.clone(), json!(value)))),
        },
        "verdict": view.judgement.verdict.name(),
        "reasons": view.judgement.reasons.iter().map(|reason| json!({
            "code": reason.code,
            "text": reason.text,
            "evidence": object(reason.evidence.iter().map(|(key, value)| (key.clone(), json!(value)))),
            "decides": reason.decides,
        })).collect::<Vec<_>>(),
        "phase": { "name": view.summary.phase.name, "start_s": micro(view.summary.phase.start_s), "end_s": micro(view.summary.phase.end_s) },
        "duration_s": micro(view.summary.duration_s),
        "intended_rate_per_s": micro_or_null(view.summary.intended_rate_per_s),
        "achieved_rate_per_s": micro_or_null(view.summary.achieved_rate_per_s),
        "dropped": {
            "total": view.summary.dropped.total(),
            "injector": view.summary.dropped.injector,
            "in_flight_limit": view.summary.dropped.in_flight_limit,
        },
        "censored": view.summary.censored,
        "total": stats(&view.summary.total),
        "requests": object(view.summary.requests.iter().map(|(name, row)| (name.clone(), stats(row)))),
        "withheld": view.judgement.withheld.iter().map(|one| json!({
            "request": one.request,
            "quantile": one.quantile,
            "value_ms": micro(one.value_ms),
            "own_ms": micro(one.own_ms),
        })).collect::<Vec<_>>(),
        "scenarios": groups::scenarios(view),
        "background": view.summary.background,
        "transactions": groups::transactions(view),
        "pages": groups::pages(view),
        "transitions": groups::transitions(view),
        "locations": groups::locations(view),
        "checks": object(view.summary.checks.iter().map(|row| {
            (row.name.clone(), json!({ "passed": row.passed, "failed": row.failed }))
        })),
        "thresholds": thresholds(view),
        "gates": gates(view),
        "steady": answers::steady(view),
        "profile": answers::profile(view),
        "compress": micro(view.summary.compress),
        "timeline": answers::timeline(view),
        "observed": answers::observed(view),
        "breakdown": breakdown::breakdown(&view.judgement.breakdown),
        "hosts": breakdown::hosts(&view.summary.hosts),
        "log_errors": breakdown::log_errors(&view.summary.log_errors),
        "diagnosis": diagnosis::diagnosis(&view.judgement.diagnosis),
        "connections": connections(view),
        "injector": injector(view),
        "events": view.summary.events.iter().map(|event| json!({
            "at_s": micro(event.at_s), "code": event.code, "text": event.text,
        })).collect::<Vec<_>>(),
        "limits_hit": view.summary.limits_hit,
    })
}

fn thresholds(view: &View) -> Value {
    let one = |result: &nmax_analysis::ThresholdResult| {
        json!({
            "condition": result.condition,
            "value": micro_or_null(result.value),
            "limit": micro(result.limit),
            "unit": unit(result.unit),
            "margin": micro_or_null(result.margin),
            "holds": result.holds,
        })
    };
    view.judgement.thresholds.iter().map(one).collect()
}

fn gates(view: &View) -> Value {
    let one = |gate: &nmax_analysis::Gate| {
        json!({
            "code": gate.code,
            "name": gate.name,
            "value": micro_or_null(gate.value),
            "limit": micro_or_null(gate.limit),
            "unit": unit(gate.unit),
            "holds": gate.holds,
            "text": gate.text,
        })
    };
    view.judgement.gates.iter().map(one).collect()
}

/// Shares stay from 0 to 1 here, so they are ratios and no percentages.
fn unit(unit: &str) -> &str {
    match unit {
        "%" => "ratio",
        "%/h" => "ratio/h",
        unit => unit,
    }
}

fn injector(view: &View) -> Value {
    let injector = &view.summary.injector;
    json!({
        "workers": injector.workers,
        "pacing_slack_us": micro_or_null(injector.pacing_slack_ns.map(|ns| ns / 1e3)),
        "cpu_utilization": micro_or_null(injector.cpu_utilization),
        "injector_lag_ms": dist(&injector.lag),
        "pickup_delay_ms": dist(&injector.pickup_delay),
        "stalled_max_s": micro_or_null(injector.stalled_max_s),
        "open_files_max": injector.open_files_max,
        "ports_used_max": injector.ports_used_max,
        "time_wait_max": injector.time_wait_max,
    })
}

fn connections(view: &View) -> Value {
    let all = &view.summary.connections;
    let seconds = |ns: Option<f64>| micro_or_null(ns.map(|ns| ns / 1e9));
    let held = json!({
        "count": all.held.count,
        "still_open": all.held_open,
        "seconds": {
            "mean": seconds(all.held.mean_ns),
            "p50": seconds(all.held.p50().map(|ns| ns as f64)),
            "max": seconds(all.held.max_ns.map(|ns| ns as f64)),
        },
    });
    json!({
        "opened": all.opened,
        "policy": all.policy,
        "retries": all.retries,
        "informational": all.informational,
        "redirects": all.redirects,
        "tls_handshakes": all.tls_handshakes,
        "tls_resumed": all.tls_resumed,
        "resumed_share": micro_or_null(all.resumed_share),
        "addresses": by_address(&all.addresses),
        "passed_over": by_address(&all.passed_over),
        "held": held,
    })
}

fn by_address(counts: &[(String, u64)]) -> Value {
    object(counts.iter().map(|(address, count)| (address.clone(), json!(count))))
}

fn stats(stats: &Stats) -> Value {
    let outcomes = [
        ("count".into(), json!(stats.count)),
        ("ok".into(), json!(stats.ok)),
        ("failed".into(), json!(stats.failed)),
        ("errors".into(), json!(stats.errors)),
        ("rate_per_s".into(), micro_or_null(stats.rate_per_s)),
    ];
    let kinds = [
        ("status".into(), object(stats.status.iter().map(|(code, count)| (code.to_string(), json!(count))))),
        ("error_kinds".into(), object(stats.error_kinds.iter().map(|(kind, n)| ((*kind).to_owned(), json!(n))))),
    ];
    let sums = stats.sums().map(|(name, sum)| (name.to_owned(), json!(sum)));
    let mut value = object(outcomes.into_iter().chain(sums).chain(kinds));
    let fields = value.as_object_mut().expect("built as an object");
    fields.extend(times(&stats.times));
    let outcomes = ["ok", "failed", "error"].iter().zip(&stats.by_outcome);
    let outcomes = object(outcomes.map(|(name, of_outcome)| ((*name).to_owned(), Value::Object(times(of_outcome)))));
    fields.insert("by_outcome".into(), outcomes);
    let phases = stats.phases.iter().map(|row| (row.name.to_owned(), phase(row)));
    fields.insert("phases".into(), object(phases));
    value
}

fn phase(row: &PhaseTime) -> Value {
    json!({
        "count": row.time.count,
        "mean": milliseconds(row.time.mean_ns),
        "p95": whole_milliseconds(row.time.p95()),
        "max": whole_milliseconds(row.time.max_ns),
    })
}

fn times(times: &Times) -> Map<String, Value> {
    [
        ("response_time_ms".to_owned(), dist(&times.response)),
        ("service_time_ms".to_owned(), dist(&times.service)),
        ("send_lag_ms".to_owned(), dist(&times.send_lag)),
        ("ttfb_ms".to_owned(), dist(&times.ttfb)),
    ]
    .into_iter()
    .collect()
}

fn dist(dist: &Dist) -> Value {
    let mut fields = Map::new();
    fields.insert("count".into(), json!(dist.count));
    fields.insert("mean".into(), milliseconds(dist.mean_ns));
    fields.insert("min".into(), whole_milliseconds(dist.min_ns));
    fields.insert("max".into(), whole_milliseconds(dist.max_ns));
    for ((name, _), value_ns) in QUANTILES.iter().zip(dist.quantiles_ns) {
        fields.insert((*name).into(), whole_milliseconds(value_ns));
    }
    fields.insert("ci95".into(), intervals(dist));
    fields.insert("ci95_missing".into(), no_intervals(dist));
    fields.insert("clamped".into(), json!(dist.clamped));
    Value::Object(fields)
}

/// Null when there is no interval at all, else each quantile's or null.
fn intervals(dist: &Dist) -> Value {
    if dist.intervals_ns.iter().all(Result::is_err) {
        return Value::Null;
    }
    let pair = |(low_ns, high_ns)| json!([whole_milliseconds(Some(low_ns)), whole_milliseconds(Some(high_ns))]);
    object(
        QUANTILES
            .iter()
            .zip(dist.intervals_ns)
            .map(|((name, _), interval)| ((*name).to_owned(), interval.map_or(Value::Null, pair))),
    )
}

/// Null without values, else why each quantile has no interval, or null.
fn no_intervals(dist: &Dist) -> Value {
    if dist.count == 0 {
        return Value::Null;
    }
    let why = |interval: Result<_, NoInterval>| json!(interval.err().map(NoInterval::text));
    object(QUANTILES.iter().zip(dist.intervals_ns).map(|((name, _), interval)| ((*name).to_owned(), why(interval))))
}

fn object(fields: impl IntoIterator<Item = (String, Value)>) -> Value {
    Value::Object(fields.into_iter().collect())
}

fn whole_milliseconds(ns: Option<u64>) -> Value {
    milliseconds(ns.map(|ns| ns as f64))
}

/// Milliseconds with three digits after the point.
fn milliseconds(ns: Option<f64>) -> Value {
    ns.map_or(Value::Null, |ns| rounded(ns / 1e6, 1e3))
}

fn micro(value: f64) -> Value {
    rounded(value, 1e6)
}

fn micro_or_null(value: Option<f64>) -> Value {
    value.map_or(Value::Null, micro)
}

/// The nearest multiple of 1 / `per_unit`, halves away from zero. Too large to round is kept as it is.
pub(crate) fn rounded_to(value: f64, per_unit: f64) -> f64 {
    let scaled = (value * per_unit).round();
    if scaled.abs() < 9e15 { scaled / per_unit } else { value }
}

/// Rounded to a multiple of 1 / `per_unit`; null when not finite. Too large to round is kept as it is.
fn rounded(value: f64, per_unit: f64) -> Value {
    let value = rounded_to(value, per_unit);
    if value.is_finite() { json!(value) } else { Value::Null }
}
