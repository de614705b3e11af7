//! What hosts and services felt, on the time axis of the run: pictures of what is known well, figures of all the rest.
//!
//! # Layout
//! - this file: hosts and their figures in numbers
//! - `panels`: the pictures; `recipes`: which figures are drawn together
//! - `lines`: where figures lie on the time axis, and where they are missing

mod lines;
mod panels;
mod recipes;

use nmax_metrics::{Nanos, Readings, Track, TrackKey};
use nmax_sources::figures;

use super::logs;
use crate::Evidence;

/// Most hosts shown.
const HOSTS_MAX: usize = 16;
/// Most figures of a host in its table.
const FIGURES_MAX: usize = 200;

/// A host and everything on it.
#[derive(Clone, Debug, PartialEq)]
pub struct HostView {
    /// As readings call it; `injector` is this one.
    pub name: String,
    /// Pictures, in the order of reading.
    pub panels: Vec<Panel>,
    /// Every figure, by source and metric, those of which there may be any number last; at most [`FIGURES_MAX`].
    pub figures: Vec<FigureRow>,
    /// Figures for which there was no room in the table.
    pub left_out: usize,
}

/// Some figures over time in one picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// What they are of: `Processors`, `Disk sda: queue`.
    pub title: String,
    /// Unit of all lines: `cores`, `ratio`, `ms`, `bytes per s`, `per s`, `count`, `bytes`.
    pub unit: String,
    /// Lines.
    pub lines: Vec<PanelLine>,
    /// When there was no reading of what is drawn, s: begin and end.
    pub gaps: Vec<(f64, f64)>,
}

/// One figure in a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct PanelLine {
    /// In the legend.
    pub name: String,
    /// Instants, s, and means; a missing value is a gap. What is of the time since the reading before stands in the middle
    /// of that time.
    pub points: Vec<(f64, Option<f64>)>,
}

/// One figure in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureRow {
    /// Part of the host.
    pub source: String,
    /// Metric.
    pub metric: String,
    /// Unit.
    pub unit: String,
    /// Mean in the phase; `None` when there was no reading in it, and of percentiles, which are not averaged.
    pub mean: Option<f64>,
    /// Largest in the phase.
    pub max: Option<f64>,
    /// Share of the phase in which it was read, 0 to 1.
    pub covered: f64,
}

/// Every host that was read, injectors last.
pub(super) fn hosts(evidence: &Evidence<'_>, phase: (Nanos, Nanos)) -> Vec<HostView> {
    let injectors: Vec<&str> = evidence.injectors.iter().map(|injector| injector.name.as_str()).collect();
    hosts_of(evidence.readings, &injectors, phase, evidence.end)
}

/// What was read of hosts until `end`, `injectors` last, with means in `phase`.
pub fn hosts_of(readings: &Readings, injectors: &[&str], phase: (Nanos, Nanos), end: Nanos) -> Vec<HostView> {
    let mut names: Vec<&str> = Vec::new();
    for (figure, _) in readings.iter() {
        if names.last() != Some(&figure.host.as_str()) {
            names.push(&figure.host);
        }
    }
    names.sort_by_key(|name| (injectors.contains(name), *name));
    names.truncate(HOSTS_MAX);
    names.into_iter().map(|name| host(readings, (phase, end), name)).collect()
}

fn host(readings: &Readings, (phase, end): ((Nanos, Nanos), Nanos), name: &str) -> HostView {
    let all: Vec<(&TrackKey, &Track)> = readings.iter().filter(|(figure, _)| figure.host == name).collect();
    let rows = rows(&all, phase);
    HostView {
        name: name.to_owned(),
        panels: panels::panels(&all, end),
        left_out: rows.len().saturating_sub(FIGURES_MAX),
        figures: rows.into_iter().take(FIGURES_MAX).collect(),
    }
}

/// All figures of a host; those that give way where there is no room for all come last.
fn rows(all: &[(&TrackKey, &Track)], phase: (Nanos, Nanos)) -> Vec<FigureRow> {
    let shown = all.iter().filter(|(figure, _)| figure.metric != figures::UP);
    let with_mean = |(figure, track): &(&TrackKey, &Track)| {
        let row = row(figure, track, phase);
        let mean = logs::mean_time(all, (figure, track), phase).or(row.mean);
        FigureRow { mean, ..row }
    };
    let mut rows: Vec<FigureRow> = shown.map(with_mean).collect();
    rows.sort_by_key(|row| is_one_of_many(&row.source));
    rows
}

/// Whether a source is one of any number: single processors, series of pages.
fn is_one_of_many(source: &str) -> bool {
    ["cpu ", "prometheus "].iter().any(|begin| source.starts_with(begin))
}

/// Whether a figure is a percentile of a second, of which there is no mean.
fn is_percentile(metric: &str) -> bool {
    metric.split('_').any(|word| matches!(word, "p50" | "p90" | "p95" | "p99"))
}

fn row(figure: &TrackKey, track: &Track, phase: (Nanos, Nanos)) -> FigureRow {
    let all = track.within(phase);
    let bins = phase.1.since(phase.0).0.div_ceil(track.width.0).max(1) as usize;
    let first = phase.0.0.div_ceil(track.width.0) as usize;
    let read = track.bins.iter().skip(first).take(bins).filter(|bin| bin.count > 0).count();
    FigureRow {
        source: figure.source.clone(),
        metric: figure.metric.clone(),
        unit: track.unit.clone(),
        mean: all.mean().filter(|_| !is_percentile(&figure.metric)),
        max: (all.count > 0).then_some(all.max),
        covered: read as f64 / bins as f64,
    }
}

#[cfg(test)]
mod tests;
