//! Metrics of the user's own.

use nmax_metrics::{Aggregate, Catalog, Metric, MetricKind, MetricStats, Section};

use crate::QUANTILES;

/// A figure of a metric: its name, what it is, and its value in a phase of that many seconds.
type Figure = (&'static str, &'static str, fn(&MetricStats, f64) -> Option<f64>);

/// Every figure of a metric but its counts, in the order of files.
const FIGURES: [Figure; FIGURES_LEN] = [
    ("sum", "Sum of the numbers.", |stats, _| Some(stats.sum())),
    ("sum_per_s", "The same per second of the phase.", |stats, length_s| {
        (length_s > 0.0).then(|| stats.sum() / length_s)
    }),
    ("non_zero_share", "Share of the numbers that is not 0, 0 to 1.", |stats, _| {
        (stats.values > 0).then(|| stats.non_zero as f64 / stats.values as f64)
    }),
    ("last", "The last number, of several at the same instant the largest.", |stats, _| stats.last()),
    ("mean", "", |stats, _| (stats.values > 0).then(|| stats.sum() / stats.values as f64)),
    ("min", "", |stats, _| stats.quantile(0.0)),
    (QUANTILES[0].0, "", |stats, _| stats.quantile(QUANTILES[0].1)),
    (QUANTILES[1].0, "", |stats, _| stats.quantile(QUANTILES[1].1)),
    (QUANTILES[2].0, "", |stats, _| stats.quantile(QUANTILES[2].1)),
    (QUANTILES[3].0, "", |stats, _| stats.quantile(QUANTILES[3].1)),
    (QUANTILES[4].0, "", |stats, _| stats.quantile(QUANTILES[4].1)),
    ("max", "", |stats, _| stats.quantile(1.0)),
];
const FIGURES_LEN: usize = 7 + QUANTILES.len();

/// Names of figures with their titles.
type Titled = &'static [(&'static str, &'static str)];

/// What people are shown of each kind of metrics beside its counts: a heading, and figures.
pub const SHOWN: [(MetricKind, &str, Titled); 4] = [
    (MetricKind::Counter, "Counters", &[("sum", "sum"), ("sum_per_s", "per s")]),
    (MetricKind::Gauge, "Gauges", &[("last", "last"), ("min", "min"), ("max", "max")]),
    (MetricKind::Rate, "Rates", &[("non_zero_share", "not 0")]),
    (MetricKind::Trend, "Trends", &[("mean", "mean"), ("p50", "p50"), ("p95", "p95"), ("max", "max")]),
];

/// Numbers of a metric of the user's own, or of what has a tag of it.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricRow {
    /// What it is.
    pub metric: Metric,
    /// Numbers.
    pub count: u64,
    /// Times there was none: nothing found, or a text that is no number.
    pub unread: u64,
    /// Numbers beyond the largest size, which are counted as that.
    pub clamped: u64,
    /// Every other figure with its name; `None` without numbers.
    pub figures: [(&'static str, Option<f64>); FIGURES_LEN],
}

impl MetricRow {
    /// Names of the figures, and what each is where its name does not say it.
    pub fn figures() -> Vec<(&'static str, &'static str)> {
        FIGURES.map(|(name, about, _)| (name, about)).to_vec()
    }

    /// What people call it: `cart_total (EUR) of checkout`.
    pub fn title(&self) -> String {
        let Metric { name, unit, tag, .. } = &self.metric;
        let unit = if unit.is_empty() { String::new() } else { format!(" ({unit})") };
        let tag = tag.iter().map(|tag| format!(" of {tag}")).collect::<String>();
        format!("{name}{unit}{tag}")
    }

    /// The figure of this name.
    pub fn figure(&self, name: &str) -> Option<f64> {
        self.figures.iter().find(|(known, _)| *known == name).and_then(|(_, value)| *value)
    }
}

/// Those with numbers, or without where there should have been some, by name and tag.
pub(super) fn rows(counted: &Aggregate, catalog: &Catalog, length_s: f64) -> Vec<MetricRow> {
    let row = |(name, stats): (&str, &MetricStats)| {
        Some(MetricRow {
            metric: Metric::parse(name)?,
            count: stats.values,
            unread: stats.unread,
            clamped: stats.clamped(),
            figures: FIGURES.map(|(name, _, value)| (name, value(stats, length_s))),
        })
    };
    let named = counted.metrics.named(Section::Hold, &catalog.metrics);
    let mut rows: Vec<_> = named.filter(|(_, stats)| stats.values + stats.unread > 0).filter_map(row).collect();
    rows.sort_by(|a, b| (&a.metric.name, &a.metric.tag).cmp(&(&b.metric.name, &b.metric.tag)));
    rows
}
