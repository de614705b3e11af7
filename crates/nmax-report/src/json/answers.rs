//! What a run says beyond its numbers: the answer of its profile, steadiness, effects of interventions.

use nmax_analysis::{Effect, Figures, Finding, SeriesTest};
use serde_json::{Value, json};

use super::{micro, micro_or_null, unit};
use crate::view::View;
use nmax_analysis::summary::ObservedRow;

pub(super) fn profile(view: &View) -> Value {
    let Some(answer) = &view.judgement.answer else {
        return Value::Null;
    };
    let one = |finding: &Finding| {
        json!({
            "code": finding.code,
            "subject": finding.subject,
            "value": micro_or_null(finding.value),
            "low": micro_or_null(finding.interval.map(|(low, _)| low)),
            "high": micro_or_null(finding.interval.map(|(_, high)| high)),
            "unit": unit(finding.unit),
            "text": finding.text,
            "trouble": finding.is_trouble,
        })
    };
    json!({
        "name": answer.profile.name(),
        "headline": answer.headline,
        "findings": answer.findings.iter().map(one).collect::<Vec<_>>(),
    })
}

pub(super) fn steady(view: &View) -> Value {
    let Some(steadiness) = &view.judgement.steadiness else {
        return Value::Null;
    };
    let one = |test: &SeriesTest| {
        json!({
            "name": test.name,
            "drift": micro_or_null(test.drift),
            "drift_limit": micro(test.drift_limit),
            "kpss": micro_or_null(test.kpss),
            "adf": micro_or_null(test.adf),
            "holds": test.holds,
        })
    };
    json!({
        "holds": steadiness.holds,
        "transient_s": micro_or_null(steadiness.transient_s),
        "series": steadiness.series.iter().map(one).collect::<Vec<_>>(),
        "text": steadiness.text,
    })
}

pub(super) fn timeline(view: &View) -> Value {
    let figures = |figures: &Option<Figures>| {
        figures.as_ref().map_or(Value::Null, |figures| {
            json!({
                "length_s": micro(figures.length_s),
                "throughput_per_s": micro(figures.throughput_per_s),
                "failure_rate": micro(figures.failure_rate),
                "p50_ms": micro_or_null(figures.p50_ms),
                "p95_ms": micro_or_null(figures.p95_ms),
            })
        })
    };
    let one = |effect: &Effect| {
        let [before, during, after] = &effect.phases;
        json!({
            "name": effect.happened.name,
            "start_s": micro(effect.happened.start_s),
            "end_s": micro_or_null(effect.happened.end_s),
            "error": effect.happened.error,
            "before": figures(before),
            "during": figures(during),
            "after": figures(after),
            "worst_p95_ms": micro_or_null(effect.worst_p95_ms),
            "recovery_s": micro_or_null(effect.recovery.seconds()),
            "text": effect.text,
        })
    };
    view.judgement.effects.iter().map(one).collect()
}

pub(super) fn observed(view: &View) -> Value {
    let one = |row: &ObservedRow| {
        json!({
            "name": row.name,
            "metric": row.metric,
            "first": micro(row.first),
            "last": micro(row.last),
            "max": micro(row.max),
        })
    };
    view.summary.observed.iter().map(one).collect()
}
