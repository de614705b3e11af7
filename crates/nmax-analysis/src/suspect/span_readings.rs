//! What was read in the phase that is judged: means, extremes and gaps of single figures.

use std::collections::BTreeSet;

use nmax_metrics::{Nanos, Readings, Track};
use nmax_sources::Figure;

/// Readings of one span of the run.
#[derive(Clone, Copy)]
pub(super) struct SpanReadings<'a> {
    readings: &'a Readings,
    span: (Nanos, Nanos),
}

impl<'a> SpanReadings<'a> {
    pub(super) fn new(readings: &'a Readings, span: (Nanos, Nanos)) -> Self {
        Self { readings, span }
    }

    /// The same readings in another span.
    pub(super) fn within(self, span: (Nanos, Nanos)) -> Self {
        Self { span, ..self }
    }

    /// One figure over the whole run.
    pub(super) fn track(&self, host: &str, source: &str, figure: Figure) -> Option<&'a Track> {
        self.readings.get(host, source, figure.name)
    }

    /// Mean in the phase, without what was read of the time before it; `None` when it was not read there.
    pub(super) fn mean(&self, host: &str, source: &str, figure: Figure) -> Option<f64> {
        let track = self.track(host, source, figure)?;
        track.mean(self.settled(track))
    }

    /// Mean in the phase of a figure each of whose readings is a mean itself, of as many as the other figures of its source
    /// count together: a second with one transfer counts less than one with thousands. The plain mean where they are not
    /// known.
    ///
    /// ```text
    /// Σ w·v / Σ w
    /// ```
    ///
    /// - v: the figure; w: sum of the other figures at the same time
    pub(super) fn weighted(&self, host: &str, source: &str, figure: Figure, counts: &[Figure]) -> Option<f64> {
        let track = self.track(host, source, figure)?;
        let span = self.settled(track);
        let counts: Vec<&Track> = counts.iter().filter_map(|count| self.track(host, source, *count)).collect();
        let weight = |at: Nanos| -> f64 {
            let bin = (at, Nanos(at.0 + track.width.0));
            counts.iter().filter_map(|count| count.mean(bin)).sum()
        };
        let inside = track.points().filter(|(at, _)| (span.0..span.1).contains(at));
        let (all, sum) = inside.fold((0.0, 0.0), |(all, sum), (at, value)| {
            let weight = weight(at).max(0.0);
            (all + weight, sum + weight * value)
        });
        if all > 0.0 { Some(sum / all) } else { track.mean(span) }
    }

    /// Mean in the phase less two standard errors, by the spread of its readings: a gauge is looked at now and then, and a
    /// small mean of few looks may be chance.
    pub(super) fn low(&self, host: &str, source: &str, figure: Figure) -> Option<f64> {
        let track = self.track(host, source, figure)?;
        let span = self.settled(track);
        let inside = |at: &Nanos| (span.0..span.1).contains(at);
        let points = track.points();
        let values: Vec<f64> = points.filter(|(at, _)| inside(at)).map(|(_, value)| value).collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        (n >= 1.0).then(|| mean - 2.0 * (squares / (n - 1.0).max(1.0) / n).sqrt())
    }

    /// The phase without its first reading: rates are of the time since the reading before, and gauges that are read when
    /// the load begins do not show it yet. All of it where nothing else was read.
    fn settled(&self, track: &Track) -> (Nanos, Nanos) {
        let Some(usual) = track.usual() else {
            return self.span;
        };
        let bin = self.span.0.0 / track.width.0 * track.width.0;
        let start = bin.saturating_add(usual.0).max(self.span.0.0);
        let span = (Nanos(start), self.span.1);
        if track.mean(span).is_some() { span } else { self.span }
    }

    /// Largest value in the phase.
    pub(super) fn max(&self, host: &str, source: &str, figure: Figure) -> Option<f64> {
        let bin = self.track(host, source, figure)?.within(self.span);
        (bin.count > 0).then_some(bin.max)
    }

    /// Sum of the means of a figure over several sources; `None` when none has it.
    pub(super) fn sum(&self, host: &str, sources: &[&str], figure: Figure) -> Option<f64> {
        let values = sources.iter().filter_map(|source| self.mean(host, source, figure));
        values.reduce(|sum, value| sum + value)
    }

    /// Whether anything was read of this source.
    pub(super) fn has(&self, host: &str, source: &str) -> bool {
        self.readings.iter().any(|(figure, _)| figure.host == host && figure.source == source)
    }

    /// Hosts of which anything was read.
    pub(super) fn hosts(&self) -> BTreeSet<&'a str> {
        self.readings.iter().map(|(figure, _)| figure.host.as_str()).collect()
    }

    /// Sources of this kind on a host: `disk sda` and `disk sdb` of `disk`. Where it has a name the kind alone is no source.
    pub(super) fn named(&self, host: &str, kind: &str) -> Vec<&'a str> {
        let figures = self.readings.iter().filter(|(figure, _)| figure.host == host);
        let names = figures.map(|(figure, _)| figure.source.as_str());
        let of_kind = names.filter(|source| source.strip_prefix(kind).is_some_and(|rest| rest.starts_with(' ')));
        of_kind.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Share of the phase in which a figure was not read although it is read now and then, 0 to 1; `None` without it.
    ///
    /// Sources have their own intervals, so a gap is what is longer than twice the usual distance of two readings.
    pub(super) fn missing(&self, host: &str, source: &str, figure: Figure) -> Option<f64> {
        let track = self.track(host, source, figure)?;
        let all: Vec<f64> = track.points().map(|(at, _)| at.as_secs_f64()).collect();
        let usual_s = track.usual()?.as_secs_f64();
        let (start_s, end_s) = (self.span.0.as_secs_f64(), self.span.1.as_secs_f64());
        let inside = all.into_iter().filter(|at| (start_s..end_s).contains(at));
        let (mut last_s, mut missing_s) = (start_s, 0.0);
        for at_s in inside.chain([end_s]) {
            if at_s - last_s > 2.0 * usual_s {
                missing_s += at_s - last_s - usual_s;
            }
            last_s = at_s;
        }
        Some((missing_s / (end_s - start_s).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0))
    }
}

/// The name in a source: `sda` of `disk sda`.
pub(super) fn name_of(source: &str) -> &str {
    source.split_once(' ').map_or("", |(_, name)| name)
}
