//! A run as it is compared: its figures from `summary.json`, those of its parts from its windows.

use std::path::Path;

use nmax_analysis::compare::{Figures, Kind, Load, Measured, Metric, Origin, Values};
use nmax_metrics::{Aggregate, RequestStats, Section};
use nmax_plan::plan::Workload;
use nmax_store::{Manifest, RunReader, StoreError};
use serde_json::Value;

use super::names::{Known, known};

/// Parts of equal length that a run is cut into.
const PARTS: u64 = 10;
/// Fewest windows of a run with parts.
const WINDOWS_MIN: u64 = 4;
/// Share of its time that the injector's workers wait for processors, from which on it shares them with others.
const WAITED_SHARE: f64 = 0.05;

/// A run that was read.
pub(crate) struct Read {
    /// What it is.
    pub(crate) origin: Origin,
    /// Its figures.
    pub(crate) measured: Measured,
    /// What its requests ask for.
    pub(crate) known: Vec<Known>,
}

/// Reads a run; with its parts if asked for.
pub(crate) fn read(directory: &Path, with_blocks: bool) -> Result<Read, String> {
    let reader = RunReader::open(directory).map_err(|error| error.to_string())?;
    let manifest = reader.manifest();
    let unfinished = |why: &str| {
        let place = directory.display();
        format!(
            "{place}: {why}\n  help: `nmax show {}` shows what there is; compare runs that came to their end",
            manifest.id
        )
    };
    let text = reader.summary().map_err(|error| error.to_string())?;
    let text = text.ok_or_else(|| unfinished("the run has no summary.json: it goes on, or it was cut off"))?;
    let summary: Value =
        serde_json::from_str(&text).map_err(|error| unfinished(&format!("summary.json is damaged: {error}")))?;
    let mut read = summed_up(manifest, &summary);
    read.origin.is_complete &= !reader.is_running();
    if with_blocks {
        add_blocks(&reader, &mut read.measured).map_err(|error| error.to_string())?;
        leave_out_withheld(&summary, &mut read.measured);
    }
    Ok(read)
}

/// What a manifest and a summary say of a run.
pub(crate) fn summed_up(manifest: &Manifest, summary: &Value) -> Read {
    let phase = &summary["phase"];
    let hold_s = number(&phase["end_s"]).unwrap_or(0.0) - number(&phase["start_s"]).unwrap_or(0.0);
    let mut measured = Measured { hold_s, ..measured(summary) };
    let plan = crate::plan_of_manifest(&manifest.plan).ok();
    measured.is_paced = plan.as_ref().is_some_and(|plan| matches!(plan.workload, Workload::Open { .. }));
    let reasons = summary["reasons"].as_array().map(Vec::as_slice).unwrap_or_default();
    let has = |code: &str| reasons.iter().any(|reason| reason["code"] == code);
    let counts = measured.requests.iter().map(|(name, figures)| (name.clone(), figures.count));
    let machine = |key: &str| manifest.machine.get(key).cloned().unwrap_or_default();
    let origin = Origin {
        label: manifest.id.clone(),
        name: manifest.name.clone(),
        note: manifest.note.clone(),
        tags: manifest.tags.clone(),
        started_at: manifest.started_at.clone(),
        target: manifest.target.clone(),
        kind: Kind::Run,
        verdict: summary["verdict"].as_str().unwrap_or_default().to_owned(),
        is_complete: !has("INTERRUPTED") && !has("THRESHOLD_ABORT"),
        plan_sha256: manifest.plan_sha256.clone(),
        hold_s,
        load: plan.as_ref().map_or(Load::Unplanned, |plan| match plan.workload {
            Workload::Open { rate_per_s, .. } => {
                Load::Open(number(&summary["intended_rate_per_s"]).unwrap_or(rate_per_s))
            }
            Workload::Closed { vus } => Load::Closed(f64::from(vus)),
        }),
        profile: summary["profile"]["name"].as_str().map(str::to_owned),
        stages: plan.as_ref().map(|plan| plan.stages.clone()).unwrap_or_default(),
        nmax_version: manifest.nmax_version.clone(),
        workers: manifest.workers,
        machine: machine("cpu"),
        counts: counts.collect(),
    };
    let known = plan.as_ref().map(|plan| known(plan, measured.requests.keys())).unwrap_or_default();
    Read { origin, measured, known }
}

/// The figures of a summary.
pub(crate) fn measured(summary: &Value) -> Measured {
    let requests = summary["requests"].as_object().into_iter().flatten();
    let mut measured = Measured {
        total: figures(&summary["total"]),
        requests: requests.map(|(name, stats)| (name.clone(), figures(stats))).collect(),
        is_disturbed: is_disturbed(summary),
        ..Measured::default()
    };
    leave_out_withheld(summary, &mut measured);
    measured
}

/// Whether the run says that its injector did not get the processors it needed, or was late.
fn is_disturbed(summary: &Value) -> bool {
    let list = |key: &str| summary[key].as_array().into_iter().flatten();
    let is_late = |code: &str| code.starts_with("G3") || code.starts_with("G4");
    let has_waited =
        |gate: &Value| gate["name"] == "run queue" && gate["value"].as_f64().is_some_and(|share| share >= WAITED_SHARE);
    list("reasons").any(|reason| reason["code"].as_str().is_some_and(is_late)) || list("gates").any(has_waited)
}

/// Takes out what the run itself calls unknown for the injector's lag, of the run and of its parts.
fn leave_out_withheld(summary: &Value, measured: &mut Measured) {
    for one in summary["withheld"].as_array().into_iter().flatten() {
        let metric = match one["quantile"].as_str() {
            Some("p50") => Metric::ResponseP50,
            Some("p95") => Metric::ResponseP95,
            Some("p99") => Metric::ResponseP99,
            _ => continue,
        };
        let figures = match one["request"].as_str() {
            Some(name) => measured.requests.get_mut(name),
            None => Some(&mut measured.total),
        };
        if let Some(figures) = figures {
            figures.values.set(metric, None);
            figures.blocks.iter_mut().for_each(|block| block.set(metric, None));
        }
    }
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64()
}

fn figures(stats: &Value) -> Figures {
    let count = stats["count"].as_u64().unwrap_or(0);
    let mut values = Values::default();
    let per_exchange = |sum: f64| (count > 0).then(|| sum / count as f64);
    for (metric, pointer) in [
        (Metric::ResponseMean, "/response_time_ms/mean"),
        (Metric::ResponseP50, "/response_time_ms/p50"),
        (Metric::ResponseP95, "/response_time_ms/p95"),
        (Metric::ResponseP99, "/response_time_ms/p99"),
        (Metric::ServiceMean, "/service_time_ms/mean"),
        (Metric::ServiceP50, "/service_time_ms/p50"),
        (Metric::ServiceP95, "/service_time_ms/p95"),
        (Metric::ServiceP99, "/service_time_ms/p99"),
        (Metric::Throughput, "/rate_per_s"),
    ] {
        values.set(metric, stats.pointer(pointer).and_then(number));
    }
    let not_ok = number(&stats["failed"]).zip(number(&stats["errors"]));
    values.set(Metric::FailureRate, not_ok.and_then(|(failed, errors)| per_exchange(failed + errors)));
    values.set(Metric::Bytes, number(&stats["bytes_received"]).and_then(per_exchange));
    Figures { count, values, blocks: Vec::new() }
}

/// Adds the figures of the parts of the hold.
fn add_blocks(reader: &RunReader, measured: &mut Measured) -> Result<(), StoreError> {
    let manifest = reader.manifest();
    let width = manifest.window_ns;
    let first = manifest.hold.start_ns.div_ceil(width);
    let mut windows: Vec<(u64, Aggregate)> = Vec::new();
    let last = match manifest.hold.end_ns {
        Some(end) => end / width,
        None => {
            let mut last = 0;
            for window in reader.windows()? {
                last = window?.index + 1;
            }
            last
        }
    };
    let count = last.saturating_sub(first);
    if count < WINDOWS_MIN {
        return Ok(());
    }
    let size = count.div_ceil(PARTS);
    for window in reader.windows()? {
        let window = window?;
        if !(first..last).contains(&window.index) {
            continue;
        }
        let part = (window.index - first) / size;
        match windows.last_mut() {
            Some((known, sums)) if *known == part => sums.merge(&window.aggregate),
            _ => windows.push((part, window.aggregate)),
        }
    }
    for (part, sums) in windows {
        let length = size.min(last - (first + part * size));
        if 2 * length < size {
            continue;
        }
        let seconds = length as f64 * width as f64 / 1e9;
        measured.total.blocks.push(of_stats(&sums.total(Section::Hold), seconds));
        for (id, stats) in sums.requests(Section::Hold).filter(|(_, stats)| !stats.is_empty()) {
            if let Some(figures) = measured.requests.get_mut(reader.catalog().requests.name(id)) {
                figures.blocks.push(of_stats(stats, seconds));
            }
        }
    }
    Ok(())
}

fn of_stats(stats: &RequestStats, seconds: f64) -> Values {
    let mut values = Values::default();
    let count = stats.count() as f64;
    if count == 0.0 {
        return values;
    }
    let times = stats.latencies();
    let ms = |ns: u64| ns as f64 / 1e6;
    values.set(Metric::ResponseMean, times.response.mean_ns().map(|ns| ns / 1e6));
    values.set(Metric::ResponseP50, times.response.quantile_ns(0.5).map(ms));
    values.set(Metric::ResponseP95, times.response.quantile_ns(0.95).map(ms));
    values.set(Metric::ResponseP99, times.response.quantile_ns(0.99).map(ms));
    values.set(Metric::ServiceMean, times.service.mean_ns().map(|ns| ns / 1e6));
    values.set(Metric::ServiceP50, times.service.quantile_ns(0.5).map(ms));
    values.set(Metric::ServiceP95, times.service.quantile_ns(0.95).map(ms));
    values.set(Metric::ServiceP99, times.service.quantile_ns(0.99).map(ms));
    values.set(Metric::Throughput, Some(stats.ended_within as f64 / seconds));
    values.set(Metric::FailureRate, Some((stats.failed() + stats.errors()) as f64 / count));
    values.set(Metric::Bytes, Some(stats.bytes_received as f64 / count));
    values
}
