//! The text format of Prometheus, version 0.0.4.
//!
//! Source: Prometheus, *Exposition formats*.

use std::fmt::Write;

use crate::buckets::BOUNDS_S;
use crate::metric::{ALL, Metric, label};
use crate::snapshot::{Snapshot, Value};

/// What a page of it says of itself.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The page of these runs. Labels `nmax_run_id` and `nmax_run_name` tell them apart.
pub fn text(runs: &[&Snapshot]) -> String {
    let mut page = String::new();
    for metric in ALL {
        let name = metric.prometheus_name();
        let mut has_head = false;
        for series in runs.iter().flat_map(|run| of_metric(run, metric)) {
            if !has_head {
                let _ = writeln!(page, "# HELP {name} {}\n# TYPE {name} {}", help(metric.about), metric.kind.word());
                has_head = true;
            }
            let labels = series.labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value)));
            let labels = labels.collect::<Vec<_>>().join(",");
            let _ = writeln!(page, "{name}{}{{{labels}}} {}", series.suffix, series.value);
        }
    }
    page
}

/// A number with what it is of.
pub(crate) struct Series {
    /// Behind the name of its metric.
    pub(crate) suffix: &'static str,
    pub(crate) labels: Vec<(String, String)>,
    pub(crate) value: f64,
}

/// The series of a metric of a run.
pub(crate) fn of_metric<'a>(run: &'a Snapshot, metric: &'a Metric) -> impl Iterator<Item = Series> + 'a {
    run.points(metric).iter().flat_map(|point| {
        let run = [("nmax.run.id", &run.run_id), ("nmax.run.name", &run.run_name)];
        let attributes = point.attributes.iter().map(|(name, value)| (*name, value));
        let labels: Vec<_> =
            run.into_iter().chain(attributes).map(|(name, value)| (label(name), value.clone())).collect();
        let series = |suffix, value| Series { suffix, labels: labels.clone(), value };
        match &point.value {
            Value::Number(number) => vec![series("", *number)],
            Value::Buckets(buckets) => {
                let bounds = BOUNDS_S.iter().map(f64::to_string).chain(["+Inf".to_owned()]);
                let mut all: Vec<Series> = bounds
                    .zip(buckets.up_to())
                    .map(|(bound, count)| {
                        let mut series = series("_bucket", count as f64);
                        series.labels.push(("le".to_owned(), bound));
                        series
                    })
                    .collect();
                all.extend([series("_sum", buckets.sum_s()), series("_count", buckets.count() as f64)]);
                all
            }
        }
    })
}

fn help(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n")
}

fn escaped(value: &str) -> String {
    help(value).replace('"', "\\\"")
}
