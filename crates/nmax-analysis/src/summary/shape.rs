//! The plan's stages on the time axis.

use nmax_metrics::Nanos;
use nmax_plan::schedule::{self, Stage, StageKind};

/// A stage with its place in time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// `warm-up`, `ramp-up`, `hold` or `ramp-down`.
    pub name: &'static str,
    /// Beginning, seconds since the start of the run.
    pub start_s: f64,
    /// End, seconds since the start of the run.
    pub end_s: f64,
    /// Level at its beginning as planned: iterations per second or VUs.
    pub from: f64,
    /// Level at its planned end.
    pub to: f64,
    /// Whether statistics are made of it.
    pub counted: bool,
}

/// The stages up to the end of the run.
pub fn spans(stages: &[Stage], end: Nanos) -> Vec<Span> {
    let held = schedule::hold_span(stages);
    let pieces = pieces(stages).filter(|(start, stop, _)| start < &end && start < stop);
    let span = |(start, stop, stage): (Nanos, Nanos, &Stage)| Span {
        name: match stage.kind {
            StageKind::WarmUp => "warm-up",
            StageKind::RampUp => "ramp-up",
            StageKind::Hold => "hold",
            StageKind::RampDown => "ramp-down",
        },
        start_s: start.as_secs_f64(),
        end_s: stop.min(end).as_secs_f64(),
        from: stage.from,
        to: stage.to,
        counted: start.0 >= held.start_ns && held.end_ns.is_none_or(|end_ns| stop.0 <= end_ns),
    };
    pieces.map(span).collect()
}

fn pieces(stages: &[Stage]) -> impl Iterator<Item = (Nanos, Nanos, &Stage)> {
    stages.iter().scan(Nanos::ZERO, |at, stage| {
        let start = *at;
        *at = stage.length_ns.map_or(Nanos::MAX, |length_ns| start + Nanos(length_ns));
        Some((start, *at, stage))
    })
}

/// When the last stage ends; `None` when it has no end.
pub fn end(stages: &[Stage]) -> Option<Nanos> {
    pieces(stages).last().map(|(_, stop, _)| stop).filter(|stop| *stop < Nanos::MAX)
}

/// Mean level between two instants: the integral of the stages over the distance; 0 outside of them.
pub fn mean_level(stages: &[Stage], from: Nanos, to: Nanos) -> f64 {
    schedule::mean_level(stages, from.0, to.0)
}

/// Mean level of the holds within a part of the statistics interval.
pub fn held_level(stages: &[Stage], from: Nanos, to: Nanos) -> f64 {
    let parts = schedule::held(stages, from.0, to.0);
    let length = |part: &std::ops::Range<u64>| (part.end - part.start) as f64;
    let sum: f64 = parts.iter().map(|part| schedule::mean_level(stages, part.start, part.end) * length(part)).sum();
    sum / parts.iter().map(length).sum::<f64>()
}

/// Mean level of a bin; `None` when it begins after the last stage (drain).
pub fn bin_level(stages: &[Stage], start_s: f64, width_s: f64) -> Option<f64> {
    let at = |seconds: f64| Nanos((seconds * 1e9).round() as u64);
    let end = pieces(stages).last()?.1;
    let (from, to) = (at(start_s), at(start_s + width_s));
    (from < end).then(|| mean_level(stages, from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intended_rate_follows_the_stages() {
        let stage = |from, to, seconds: u64, kind| Stage { from, to, length_ns: Some(seconds * 1_000_000_000), kind };
        let stages = [
            stage(0.0, 200.0, 20, StageKind::RampUp),
            stage(200.0, 200.0, 130, StageKind::Hold),
            stage(200.0, 0.0, 10, StageKind::RampDown),
        ];
        let at = |second: u32| bin_level(&stages, f64::from(second), 1.0);
        assert_eq!(at(0), Some(5.0), "mean of a ramp from 0 to 10/s within a second");
        assert_eq!(at(19), Some(195.0));
        assert_eq!(at(60), Some(200.0));
        assert_eq!(at(151), Some(170.0), "a falling ramp, from 180/s to 160/s");
        assert_eq!(at(160), None, "the drain has no intention");
    }
}
