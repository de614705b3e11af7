//! Where figures lie on the time axis: lines of few points, and the times without readings.

use std::collections::BTreeMap;

use nmax_metrics::{Nanos, Track, TrackKey};
use nmax_sources::{Figure, figures};

use super::PanelLine;

/// Most points of a line.
pub(super) const POINTS_MAX: usize = 150;
/// Time between two readings beyond which some are missing, in usual times between readings: one may be late.
const GAP: f64 = 2.5;
/// Units of figures that are all of the time since the reading before.
const UNITS: [&str; 5] = ["per s", "bytes per s", "s per s", "cores", "ratio"];
/// Others of that kind: the first word of their source, and the figure, perhaps with labels.
const OF_TIME_BEFORE: [(&str, Figure); 10] = [
    ("cpu", figures::WAITING_COUNT),
    ("process", figures::WAITING_COUNT),
    ("disk", figures::QUEUE_COUNT),
    ("disk", figures::AWAIT_MS),
    ("database", figures::READING_COUNT),
    ("log", figures::DURATION_MS),
    ("log", figures::DURATION_P95_MS),
    ("log", figures::UPSTREAM_MS),
    ("log", figures::UPSTREAM_P95_MS),
    ("log", figures::ERRORS_COUNT),
];
/// Figures in these units that are of a moment.
const OF_A_MOMENT: [Figure; 2] = [figures::QUOTA_CORES, figures::SPEED_BYTES_PER_S];

/// Whether readings of a figure are each of the time since the one before; others are of their moment.
pub(super) fn is_of_time_before(figure: &TrackKey, unit: &str) -> bool {
    let kind = figure.source.split(' ').next().unwrap_or_default();
    let name = figure.metric.split('{').next().unwrap_or_default();
    let is_named = |(source, figure): &(&str, Figure)| *source == kind && *name == *figure;
    (UNITS.contains(&unit) && !OF_A_MOMENT.iter().any(|known| figure.metric == *known))
        || OF_TIME_BEFORE.iter().any(is_named)
        || is_share_of_threads(figure)
}

/// Whether a figure is how many threads of a server computed, which is made of their processor time.
fn is_share_of_threads(figure: &TrackKey) -> bool {
    let is_threads = [" thread", " threads"].iter().any(|end| figure.source.ends_with(end));
    is_threads && figure.source.starts_with("pool ") && figure.metric == figures::IN_USE_COUNT
}

/// Few points of the whole run; neighbours are averaged. A value stands at the instant at which it was read, one that is of
/// the time since the reading before in the middle of that time. Bins without a reading are gaps, unless the figure is
/// read as seldom as that all the time and they are in none of the `gaps` of its source.
pub(super) fn line(name: &str, (figure, track): (&TrackKey, &Track), gaps: &[(f64, f64)], end: Nanos) -> PanelLine {
    let bins = (end.0.div_ceil(track.width.0) as usize).max(track.bins.len());
    let per = bins.div_ceil(POINTS_MAX).max(1);
    let width_s = track.width.as_secs_f64();
    let late_s = if is_of_time_before(figure, &track.unit) { usual_s(track) / 2.0 } else { 0.0 };
    let points: Vec<(f64, Option<f64>)> = (0..bins.div_ceil(per))
        .map(|index| {
            let (first, last) = (index * per, ((index + 1) * per).min(bins));
            let span = [first, last].map(|bin| Nanos(track.width.0 * bin as u64));
            let at_s = read_at_s(track, first..last).unwrap_or((first + last) as f64 / 2.0 * width_s);
            ((at_s - late_s).max(0.0), track.mean((span[0], span[1])))
        })
        .collect();
    PanelLine { name: name.to_owned(), points: without_small_gaps(points, gaps) }
}

/// Usual time between two readings, s, also where there are several in a bin.
fn usual_s(track: &Track) -> f64 {
    let read = track.bins.iter().filter(|bin| bin.count > 0);
    let (bins, readings) = read.fold((0.0, 0.0), |(bins, readings), bin| (bins + 1.0, readings + f64::from(bin.count)));
    let step = track.usual().unwrap_or(track.width).as_secs_f64();
    if readings > 0.0 { step * bins / readings } else { step }
}

/// Mean instant, s, of the readings in some bins.
fn read_at_s(track: &Track, bins: std::ops::Range<usize>) -> Option<f64> {
    let (mut readings, mut sum_s) = (0.0, 0.0);
    for index in bins {
        if let Some(at_s) = track.read_at_s(index) {
            let count = f64::from(track.bins[index].count);
            readings += count;
            sum_s += count * at_s;
        }
    }
    (readings > 0.0).then(|| sum_s / readings)
}

/// Leaves out missing values that are no longer than twice the median distance of readings, and are in none of the gaps.
fn without_small_gaps(points: Vec<(f64, Option<f64>)>, gaps: &[(f64, f64)]) -> Vec<(f64, Option<f64>)> {
    let read: Vec<usize> = (0..points.len()).filter(|index| points[*index].1.is_some()).collect();
    let mut steps: Vec<usize> = read.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.sort_unstable();
    let usual = steps.get(steps.len().saturating_sub(1) / 2).copied().unwrap_or(1);
    if usual <= 1 {
        return points;
    }
    let is_small = |index: usize| {
        let next = read.partition_point(|read| *read < index);
        let (Some(before), Some(after)) = (next.checked_sub(1).map(|before| read[before]), read.get(next)) else {
            return false;
        };
        let (from_s, until_s) = (points[before].0, points[*after].0);
        let is_cut = gaps.iter().any(|gap| gap.0 < until_s && from_s < gap.1);
        after - before <= 2 * usual && !is_cut
    };
    let kept: Vec<bool> = (0..points.len()).map(|index| points[index].1.is_some() || !is_small(index)).collect();
    let points = points.into_iter().zip(kept);
    points.filter(|(_, kept)| *kept).map(|(point, _)| point).collect()
}

/// When none of these sources had a reading, s: begin and end. What was read just after a gap is of the time before it, so a
/// gap ends one usual time earlier.
pub(super) fn gaps(all: &[(&TrackKey, &Track)], sources: &[&str], end: Nanos) -> Vec<(f64, f64)> {
    let is_of = |figure: &TrackKey| figure.metric != figures::UP && sources.contains(&figure.source.as_str());
    let tracks = all.iter().filter(|(figure, _)| is_of(figure));
    let width = tracks.clone().map(|(_, track)| track.width.0).max().unwrap_or(1);
    // Figures of one reading may have been taken at slightly different instants.
    let mut readings: BTreeMap<u64, f64> = BTreeMap::new();
    for (_, track) in tracks {
        let instants = (0..track.bins.len()).filter_map(|index| Some((index, track.read_at_s(index)?)));
        for (index, at_s) in instants {
            readings.entry(index as u64 * track.width.0 / width).or_insert(at_s);
        }
    }
    let mut instants: Vec<f64> = readings.into_values().collect();
    let mut steps: Vec<f64> = instants.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.sort_unstable_by(f64::total_cmp);
    let Some(usual_s) = steps.get(steps.len().saturating_sub(1) / 2).copied() else {
        return Vec::new();
    };
    instants.insert(0, 0.0);
    instants.push(end.as_secs_f64().max(instants[instants.len() - 1]) + usual_s);
    let is_gap = |pair: &&[f64]| pair[1] - pair[0] > GAP * usual_s;
    let pairs = instants.windows(2);
    pairs.filter(is_gap).map(|pair| (pair[0], pair[1] - usual_s)).collect()
}

#[cfg(test)]
mod tests;
