//! The JSON of fits, predictions, comparisons and assumptions. Numbers keep all their digits; unknown = null.

use nmax_usl::gate::BEYOND;
use nmax_usl::predict::{By, Coefficient};
use nmax_usl::{
    Analysis, Estimate, Finding, Model, Point, Prediction, Quantity, Question, Reading, Regression, Rung, Usl,
};
use serde_json::{Value, json};

use super::{SCHEMA_VERSION, object};
use crate::scalability::{CompareView, FitView, PredictView, WhatIfView, words};

/// Points of a document at most: a million of them would be hundreds of megabytes.
const POINTS_MAX: usize = 10_000;

/// The answer of `nmax usl fit`; [`usl_schema`](super::usl_schema) describes it.
pub fn usl(view: &FitView) -> Value {
    let mut value = json!({
        "schema_version": SCHEMA_VERSION,
        "nmax_version": view.nmax_version,
        "title": view.title,
        "subtitle": view.subtitle,
        "n_label": view.n_label(),
        "x_unit": view.x_unit(),
    });
    let fields = value.as_object_mut().expect("built as an object");
    fields.extend(analysis(&view.analysis));
    fields.insert("asked_model".into(), Value::Null);
    value
}

/// A model that was asked for by name, beside the law: the value of `asked_model`. `None` where it cannot be fitted.
pub fn asked_model(analysis: &Analysis, model: Model) -> Value {
    let found = analysis.ladder.iter().find(|rung| rung.model == model);
    found.map_or(Value::Null, rung)
}

/// The fields of an analysis, in the order in which a reader needs them.
pub(super) fn analysis(analysis: &Analysis) -> serde_json::Map<String, Value> {
    let fit = analysis.fit.as_ref();
    let named = |name: &'static str, value: Value| (name.to_owned(), value);
    let fields = [
        named("model", json!(words::winner(analysis.winner))),
        named("method", json!(analysis.options.method.name())),
        named(
            "regression",
            json!(match analysis.options.regression {
                Regression::Throughput => "throughput",
                Regression::ResponseTime => "response_time",
            }),
        ),
        named("dimension", json!(analysis.options.dimension.name())),
        named("think_ms", json!(analysis.options.think_s * 1e3)),
        named("n", json!(analysis.observations.len())),
        named("alpha", est_or_null(fit.map(|fit| &fit.contention))),
        named("beta", est_or_null(fit.map(|fit| &fit.coherency))),
        named("gamma", est_or_null(fit.map(|fit| &fit.unit_throughput))),
        named("alpha_sign", analysis.contention_sign.map_or(Value::Null, |sign| json!(words::sign(Some(sign))))),
        named("beta_sign", analysis.coherency_sign.map_or(Value::Null, |sign| json!(words::sign(Some(sign))))),
        named("at_bound", fit.map_or(json!([]), |fit| json!(fit.at_bound))),
        named("converged", fit.map_or(Value::Null, |fit| json!(fit.converged))),
        named("rss", fit.map_or(Value::Null, |fit| json!(fit.rss))),
        named("residual_sd", fit.map_or(Value::Null, |fit| json!(residual_sd(fit.rss, fit.n, fit.k)))),
        named("r_squared", json!(fit.map(|fit| fit.r_squared))),
        named("best", analysis.best.map_or(Value::Null, |(n, x)| json!({ "concurrency": n, "throughput": x }))),
        named("observed_peak", observed_peak(analysis)),
        named("peak", peak(analysis)),
        named("peak_refused", json!(refused(analysis))),
        named(
            "gate",
            analysis
                .gate
                .iter()
                .map(|hold| json!({ "name": hold.name, "holds": hold.holds, "text": hold.text }))
                .collect(),
        ),
        named("limit", est_or_null(analysis.roof.as_ref())),
        named("optimum", est_or_null(analysis.optimum.as_ref())),
        named("class", json!(words::class(analysis.class))),
        named("class_text", json!(analysis.class_text)),
        named("demand", demand(analysis)),
        named("ceiling", ceiling(analysis)),
        named("ladder", analysis.ladder.iter().map(rung).collect()),
        named("findings", analysis.findings.iter().map(finding).collect()),
        named("left_out", json!(analysis.left_out)),
        named("meaning", json!(analysis.meaning)),
        named("points_total", json!(analysis.points.len())),
        named("points", shown(&analysis.points).map(point).collect()),
    ];
    fields.into_iter().collect()
}

/// Points as far as a document has room for them: all, else every few in the order of N, the first and the last among
/// them. The CSV file has all.
fn shown(points: &[Point]) -> impl Iterator<Item = &Point> {
    let stride = points.len().div_ceil(POINTS_MAX).max(1);
    let last = points.len().saturating_sub(1);
    let chosen = points.iter().enumerate();
    chosen.filter(move |(index, _)| index % stride == 0 || *index == last).map(|(_, point)| point)
}

/// Why the peak of the law is not given; empty when it is.
fn refused(analysis: &Analysis) -> Vec<String> {
    match (&analysis.peak, words::refusals(analysis)) {
        (Some(_), _) => Vec::new(),
        (None, reasons) if reasons.is_empty() => vec!["no fit: the findings say why".into()],
        (None, reasons) => reasons,
    }
}

fn residual_sd(rss: f64, n: usize, k: usize) -> Option<f64> {
    let freedom = n.checked_sub(k).filter(|freedom| *freedom > 0)?;
    Some((rss / freedom as f64).sqrt())
}

pub(super) fn est(of: &Estimate) -> Value {
    json!({ "estimate": of.estimate, "low": of.low, "high": of.high, "at_bound": of.at_bound })
}

fn est_or_null(of: Option<&Estimate>) -> Value {
    of.map_or(Value::Null, est)
}

fn observed_peak(analysis: &Analysis) -> Value {
    analysis.observed_peak.map_or(Value::Null, |peak| {
        json!({
            "concurrency": peak.concurrency,
            "throughput": peak.throughput,
            "between": [peak.between.0, peak.between.1],
        })
    })
}

fn peak(analysis: &Analysis) -> Value {
    analysis.peak.as_ref().map_or(Value::Null, |peak| {
        let pair = |(n, x): (f64, f64)| json!({ "concurrency": n, "throughput": x });
        json!({
            "concurrency": est(&peak.concurrency),
            "throughput": est(&peak.throughput),
            "integer": pair(peak.integer),
            "alternative": peak.alternative.map_or(Value::Null, pair),
            "alternative_is_beyond": peak.alternative_is_beyond,
        })
    })
}

fn demand(analysis: &Analysis) -> Value {
    analysis.options.demand.as_ref().map_or(Value::Null, |demand| {
        let seconds = &demand.seconds;
        let ms = |s: f64| s * 1e3;
        json!({
            "name": demand.name,
            "ms": { "estimate": ms(seconds.estimate), "low": seconds.low.map(ms), "high": seconds.high.map(ms), "at_bound": seconds.at_bound },
        })
    })
}

fn ceiling(analysis: &Analysis) -> Value {
    analysis.ceiling.as_ref().map_or(Value::Null, |ceiling| {
        json!({
            "name": ceiling.name,
            "throughput": est(&ceiling.throughput),
            "reading": ceiling.reading.map(|reading| match reading {
                Reading::Explained => "explained",
                Reading::CapComesFirst => "cap_comes_first",
                Reading::OtherSuspect => "other_suspect",
            }),
            "text": ceiling.text,
        })
    })
}

fn rung(rung: &Rung) -> Value {
    json!({
        "model": rung.model.name(),
        "k": rung.k,
        "aicc": rung.aicc,
        "delta": rung.delta,
        "rss": rung.rss,
        "coefficients": object(words::coefficients(&rung.curve).into_iter().map(|(name, value)| (name.to_owned(), json!(value)))),
    })
}

fn finding(finding: &Finding) -> Value {
    json!({
        "code": finding.code.name(),
        "effect": words::effect(finding.effect),
        "rows": finding.rows,
        "text": finding.text,
    })
}

fn point(point: &Point) -> Value {
    json!({
        "row": point.row,
        "n": point.n,
        "x": point.x,
        "r": point.r_s.map(|s| s * 1e3),
        "capacity": point.capacity,
        "efficiency": point.efficiency,
        "efficiency_of_law": point.efficiency_of_law,
        "fitted": point.fitted,
        "band": point.band.map(|(low, high)| [low, high]),
        "residual": point.residual,
        "zone": point.zone.map(words::zone),
    })
}

/// A law without intervals.
fn law(law: &Usl) -> Value {
    json!({ "alpha": law.contention, "beta": law.coherency, "gamma": law.unit_throughput })
}

/// The answer of `nmax usl compare`.
pub fn compare(view: &CompareView) -> Value {
    let version = |version: &crate::scalability::Version| {
        let mut value = json!({ "name": version.name });
        value.as_object_mut().expect("built as an object").extend(analysis(&version.analysis));
        value
    };
    // Of α and β later minus earlier, of throughputs later through earlier.
    let difference = |of: &nmax_usl::Difference| {
        let (coefficient, base) = match of.quantity {
            Quantity::Contention => ("contention", 0.0),
            Quantity::Coherency => ("coherency", 0.0),
            Quantity::UnitThroughput => ("unit throughput", 1.0),
            Quantity::ThroughputAt(_) => ("throughput", 1.0),
        };
        let mut value = json!({
            "from": of.from,
            "to": of.to,
            "coefficient": coefficient,
            "value": of.difference.estimate + base,
            "low": of.difference.low.map(|low| low + base),
            "high": of.difference.high.map(|high| high + base),
            "text": of.text,
            "change": of.change.name(),
            "before": of.before,
            "after": of.after,
            "degrees_of_freedom": of.df,
        });
        if let Quantity::ThroughputAt(n) = of.quantity {
            value["at"] = json!(n);
        }
        value
    };
    json!({
        "schema_version": SCHEMA_VERSION,
        "nmax_version": view.nmax_version,
        "title": view.title,
        "versions": view.versions.iter().map(version).collect::<Vec<_>>(),
        "differences": view.differences.iter().map(difference).collect::<Vec<_>>(),
        "caveats": view.caveats,
    })
}

/// The answer of `nmax usl what-if`. Everything but `base` is assumed.
pub fn what_if(view: &WhatIfView) -> Value {
    let peak = |peak: Option<(f64, f64)>| peak.map(|(n, x)| json!({ "concurrency": n, "throughput": x }));
    let names = || std::iter::once("base").chain(view.assumed.iter().map(|(name, _)| name.as_str()));
    json!({
        "schema_version": SCHEMA_VERSION,
        "nmax_version": view.nmax_version,
        "title": view.title,
        "base": law(&view.base),
        "n_max": view.n_max,
        "assumed": view.assumed.iter().map(|(name, assumed)| json!({ "name": name, "law": law(assumed) })).collect::<Vec<_>>(),
        "curves": view.curves().into_iter().map(|(n, x)| json!({
            "n": n,
            "x": object(names().map(str::to_owned).zip(x.iter().map(|x| json!(x)))),
        })).collect::<Vec<_>>(),
        "weeks": view.weeks.iter().map(|week| json!({
            "week": week.week,
            "n": week.n,
            "x": object(names().map(str::to_owned).zip(week.x.iter().map(|x| json!(x)))),
        })).collect::<Vec<_>>(),
        "notes": view.notes,
        "peak": peak(view.peak),
        "assumed_peak": peak(view.assumed_peak),
    })
}

/// The answer of `nmax usl predict`.
pub fn predict(view: &PredictView) -> Value {
    let model = match view.basis.by {
        By::Given | By::Law(_) => "usl",
        By::Asked(model) | By::Leader(model) | By::Collapsed(model) => model.name(),
    };
    let method = match view.basis.by {
        By::Law(method) => Some(method.name()),
        _ => None,
    };
    let coefficients = view.basis.coefficients();
    let measured = view.basis.measured.map(|measured| {
        json!({
            "concurrency": measured.n_hi, "throughput": measured.x_max,
            "concurrency_limit": BEYOND * measured.n_hi, "throughput_limit": BEYOND * measured.x_max,
        })
    });
    json!({
        "schema_version": SCHEMA_VERSION,
        "nmax_version": view.nmax_version,
        "name": view.name,
        "model": model,
        "method": method,
        "by": view.by(),
        "coefficients": object(coefficients.iter().map(|(name, value)| (key(*name).to_owned(), est(value)))),
        "think_time_ms": view.basis.think_s * 1e3,
        "measured": measured,
        "predictions": view.predictions.iter().map(prediction).collect::<Vec<_>>(),
        "notes": view.notes,
    })
}

const fn key(name: Coefficient) -> &'static str {
    match name {
        Coefficient::Alpha => "alpha",
        Coefficient::Beta => "beta",
        Coefficient::Gamma => "gamma",
        Coefficient::Cap => "cap",
    }
}

fn prediction(of: &Prediction) -> Value {
    let asked = match of.asked {
        Question::Concurrency(n) => json!({ "concurrency": n }),
        Question::Throughput(x) => json!({ "throughput": x }),
        Question::ResponseTime(r_s) => json!({ "response_time_ms": r_s * 1e3 }),
    };
    json!({
        "asked": asked,
        "concurrency": est_or_null(of.n.as_ref()),
        "throughput": est_or_null(of.x.as_ref()),
        "response_time_ms": est_or_null(of.r_s.map(in_ms).as_ref()),
        "efficiency": est_or_null(of.efficiency.as_ref()),
        "also_at": of.also_at,
        "refused": of.refused,
    })
}

fn in_ms(of: Estimate) -> Estimate {
    let ms = |end: Option<f64>| end.map(|end| end * 1e3);
    Estimate { estimate: of.estimate * 1e3, low: ms(of.low), high: ms(of.high), at_bound: of.at_bound }
}
