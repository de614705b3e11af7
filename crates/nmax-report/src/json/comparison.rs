//! Comparisons and histories as JSON.

use nmax_analysis::compare::{Kind, Load, Origin, Row, Scale};
use serde_json::{Value, json};

use super::{SCHEMA_VERSION, micro, micro_or_null, rounded};
use crate::comparison::{ComparisonView, HistoryView, unit};

/// The comparison; [`super::comparison_schema`] describes it.
pub fn comparison(view: &ComparisonView) -> Value {
    let answer = &view.answer;
    json!({
        "schema_version": SCHEMA_VERSION,
        "nmax_version": view.nmax_version,
        "said": answer.said().name(),
        "weak": answer.is_weak(),
        "margin": micro(answer.margin),
        "failure_margin": micro(answer.failure_margin),
        "family": answer.family,
        "runs_needed": answer.runs_needed,
        "history": answer.history,
        "before": view.before.iter().map(origin).collect::<Vec<_>>(),
        "after": view.after.iter().map(origin).collect::<Vec<_>>(),
        "caveats": view.caveats.iter().map(|caveat| json!({
            "text": caveat.text, "refuses": caveat.refuses,
        })).collect::<Vec<_>>(),
        "only_before": answer.only_before,
        "only_after": answer.only_after,
        "left_out": answer.left_out,
        "rows_silent": answer.silent,
        "rows": answer.rows.iter().map(row).collect::<Vec<_>>(),
    })
}

fn origin(origin: &Origin) -> Value {
    let (kind, word) = match origin.kind {
        Kind::Run => ("run", Some(&origin.verdict)),
        Kind::Log => ("log", None),
    };
    let (rate, vus) = match origin.load {
        Load::Unplanned => (None, None),
        Load::Open(rate) => (Some(rate), None),
        Load::Closed(vus) => (None, Some(vus)),
    };
    json!({
        "label": origin.label,
        "kind": kind,
        "name": origin.name,
        "note": origin.note,
        "tags": origin.tags,
        "started_at": origin.started_at,
        "target": origin.target,
        "verdict": word,
        "plan_sha256": origin.plan_sha256,
        "hold_s": micro(origin.hold_s),
        "rate_per_s": micro_or_null(rate),
        "vus": micro_or_null(vus),
        "profile": origin.profile,
    })
}

fn row(row: &Row) -> Value {
    json!({
        "request": row.request,
        "metric": row.metric.name(),
        "unit": unit(row.metric),
        "scale": match row.metric.scale() {
            Scale::Ratio => "ratio",
            Scale::Difference => "difference",
        },
        "before": micro(row.before),
        "after": micro(row.after),
        "change": micro_or_null(row.change),
        "interval": row.interval.map(|(low, high)| json!([micro(low), micro(high)])),
        "p": rounded(row.p, 1e12),
        "p_adjusted": rounded(row.p_adjusted, 1e12),
        "weak": row.is_weak,
        "said": row.said.name(),
    })
}

/// The history; [`super::history_schema`] describes it.
pub fn history(view: &HistoryView) -> Value {
    let runs = view.runs.iter().map(|run| {
        json!({
            "id": run.id, "name": run.name, "started_at": run.started_at, "note": run.note, "tags": run.tags,
            "verdict": run.verdict, "target": run.target, "plan_sha256": run.plan_sha256, "value": micro(run.value),
        })
    });
    let steps = view.history.steps.iter().map(|step| {
        json!({
            "run": view.runs[step.at].id,
            "at": step.at,
            "change": micro(step.change),
            "interval": [micro(step.interval.0), micro(step.interval.1)],
            "p": rounded(step.p, 1e12),
            "said": step.said.name(),
        })
    });
    let levels = view
        .history
        .levels
        .iter()
        .map(|(from, to, median)| json!({ "from": from, "to": to, "median": micro(*median) }));
    json!({
        "schema_version": SCHEMA_VERSION,
        "nmax_version": view.nmax_version,
        "title": view.title,
        "metric": view.metric.name(),
        "unit": unit(view.metric),
        "request": view.request,
        "margin": micro(view.margin),
        "runs": runs.collect::<Vec<_>>(),
        "levels": levels.collect::<Vec<_>>(),
        "changes": steps.collect::<Vec<_>>(),
        "notes": view.notes,
    })
}
