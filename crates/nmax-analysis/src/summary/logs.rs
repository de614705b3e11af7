//! What followed logs say in numbers: errors of applications by kind, and the mean of a server's times.

use nmax_metrics::{Nanos, Track, TrackKey};
use nmax_sources::figures;

use crate::Evidence;
use crate::wording;

/// Most kinds that are named; the rest is other.
const KINDS_MAX: usize = 6;
/// Kinds that name nothing: of errors that name none, and of all beyond the most that are told apart.
const UNNAMED: [&str; 2] = ["(no kind)", "(other)"];

/// Errors of a log in the phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogErrors {
    /// Host whose log it is.
    pub host: String,
    /// The log, as readings call it: `log app`.
    pub source: String,
    /// All errors.
    pub total: u64,
    /// By what they are, most frequent first; at most [`KINDS_MAX`], so they may be fewer than all.
    pub kinds: Vec<(String, u64)>,
}

impl LogErrors {
    /// In words: `10 errors: 4 panic, 3 java.io.IOException, 3 other`.
    pub fn text(&self) -> String {
        let all = wording::counted(self.total, "error");
        if self.kinds.is_empty() {
            return all;
        }
        let named: u64 = self.kinds.iter().map(|(_, count)| count).sum();
        let other = (self.total > named).then(|| ("other".to_owned(), self.total - named));
        let parts: Vec<String> =
            self.kinds.iter().chain(&other).map(|(kind, count)| format!("{} {kind}", wording::count(*count))).collect();
        format!("{all}: {}", parts.join(", "))
    }
}

/// The errors of every log of an application, by host and log; a log without errors is among them.
pub(super) fn errors(evidence: &Evidence<'_>, phase: (Nanos, Nanos)) -> Vec<LogErrors> {
    let mut found: Vec<LogErrors> = Vec::new();
    for (figure, track) in evidence.readings.iter() {
        if !figure.source.starts_with("log ") {
            continue;
        }
        let kind = kind_of(figure);
        // Logs of applications, and no others, have lines.
        if kind.is_none() && figure.metric != figures::LINES_PER_S {
            continue;
        }
        let is_known = found.last().is_some_and(|last| (&last.host, &last.source) == (&figure.host, &figure.source));
        if !is_known {
            found.push(LogErrors {
                host: figure.host.clone(),
                source: figure.source.clone(),
                total: 0,
                kinds: Vec::new(),
            });
        }
        let (Some(kind), Some(log)) = (kind, found.last_mut()) else {
            continue;
        };
        let count = counted(track, phase);
        log.total += count;
        if count > 0 && !UNNAMED.contains(&kind) {
            log.kinds.push((kind.to_owned(), count));
        }
    }
    for log in &mut found {
        log.kinds.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        log.kinds.truncate(KINDS_MAX);
    }
    found
}

/// Mean in the phase of the times in an access log, over requests: a second with one request counts less than one with a
/// thousand. `None` for all other figures. `all` are those of the host.
pub(super) fn mean_time(
    all: &[(&TrackKey, &Track)],
    (figure, times): (&TrackKey, &Track),
    phase: (Nanos, Nanos),
) -> Option<f64> {
    if !figure.source.starts_with("log ")
        || !matches!(figures::named(&figure.metric), Some(figures::DURATION_MS | figures::UPSTREAM_MS))
    {
        return None;
    }
    let is_count = |other: &TrackKey| other.source == figure.source && other.metric == figures::REQUESTS_PER_S;
    let (_, requests) = all.iter().find(|(other, _)| is_count(other))?;
    let inside = times.points().filter(|(at, _)| phase.0 <= *at && *at < phase.1);
    let (count, sum_ms) = inside.fold((0.0, 0.0), |(count, sum_ms), (at, ms)| {
        let own = requests.mean((at, Nanos(at.0 + times.width.0))).unwrap_or(0.0);
        (count + own, sum_ms + own * ms)
    });
    (count > 0.0).then(|| sum_ms / count)
}

/// The kind whose errors a figure counts.
fn kind_of(figure: &TrackKey) -> Option<&str> {
    figures::ERRORS_COUNT.label(&figure.metric, "kind")
}

/// Each reading is what came since the one before, so they add up. What is read first came since the run began.
fn counted(track: &Track, phase: (Nanos, Nanos)) -> u64 {
    let begin = (Nanos::ZERO, track.usual().unwrap_or(track.width));
    let first = if phase.0 == Nanos::ZERO { track.within(begin).sum } else { 0.0 };
    (first + track.since(phase).sum).round() as u64
}

#[cfg(test)]
mod tests;
