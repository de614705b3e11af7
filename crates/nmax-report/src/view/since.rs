//! What a run differs in from the one before it of the same name: what was changed, and which figures moved.

use nmax_analysis::compare::{Metric, Origin, Scale, Values};

use crate::comparison::{change, value};

/// Share by which a figure must differ to be called moved; of a failure rate [`FAILURES_APART`].
const APART: f64 = 0.05;
/// Difference of failure rates from which on they are called moved.
const FAILURES_APART: f64 = 0.005;
/// Figures that are looked at, most important first.
const LOOKED_AT: [Metric; 5] =
    [Metric::ResponseP95, Metric::ResponseP50, Metric::ResponseP99, Metric::FailureRate, Metric::Throughput];

/// What changed since the run before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Since {
    /// The run before.
    pub before: RunFigures,
    /// What was changed: target, version of nmax, machine, workers, flags, then the plan as resolved.
    pub changes: Vec<Changed>,
    /// How many more values of the plan were changed.
    pub more: usize,
    /// Figures that differ by more than runs of equal systems usually do. One run on each side: a hint, not a proof.
    pub moved: Vec<Moved>,
}

/// A run in a few figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunFigures {
    /// Id, name, note, labels, start, target, verdict, load, profile and versions.
    pub origin: Origin,
    /// Iterations started per second in the hold.
    pub achieved_per_s: Option<f64>,
    /// Exchanges in the hold.
    pub count: u64,
    /// Response times, throughput and failure rate of all requests in the hold.
    pub values: Values,
    /// Why it is not a complete run: `interrupted after 3 s of 60 s`, or why it cannot be read.
    pub incomplete: Option<String>,
}

/// Something that two runs differ in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// What: `target`, `nmax`, `kernel`, `plan workload.open.rate`.
    pub what: String,
    /// Of the run before; empty where it had none.
    pub before: String,
    /// Of this one; empty where it has none.
    pub after: String,
}

/// A figure that moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// Which.
    pub metric: Metric,
    /// Of the run before.
    pub before: f64,
    /// Of this one.
    pub after: f64,
    /// Ratio, or difference of failure rates; `None` from or to nothing.
    pub change: Option<f64>,
}

impl Since {
    /// What was changed, a line each: `target: http://a → http://b`.
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.changes.iter().map(Changed::text).collect();
        if self.more > 0 {
            lines.push(format!("and {} more values of the plan", self.more));
        }
        if lines.is_empty() {
            lines.push("nothing that nmax knows of: plan, target, machine and nmax are the same".into());
        }
        lines
    }
}

impl Changed {
    /// As a line.
    pub fn text(&self) -> String {
        let word = |text: &str| if text.is_empty() { "none".to_owned() } else { text.to_owned() };
        format!("{}: {} → {}", self.what, word(&self.before), word(&self.after))
    }
}

impl Moved {
    /// As a line: `response_time p95: 12 ms → 15 ms (×1.25)`.
    pub fn text(&self) -> String {
        let by = self.change.map_or_else(String::new, |by| format!(" ({})", change(self.metric, by)));
        let figure = |figure| value(self.metric, figure);
        format!("{}: {} → {}{by}", self.metric.name(), figure(self.before), figure(self.after))
    }
}

/// Figures of all requests that moved from one run to another.
pub fn moved(before: &Values, after: &Values) -> Vec<Moved> {
    let one = |metric: Metric| {
        let (before, after) = (before.get(metric)?, after.get(metric)?);
        let scores = metric.score(before).zip(metric.score(after));
        let change = scores.map(|(before, after)| metric.shown(after - before));
        let is_apart = match (metric.scale(), change) {
            (Scale::Difference, Some(change)) => change.abs() >= FAILURES_APART,
            (Scale::Ratio, Some(change)) => change.max(1.0 / change) >= 1.0 + APART,
            (_, None) => before != after,
        };
        is_apart.then_some(Moved { metric, before, after, change })
    };
    LOOKED_AT.into_iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(p95: f64, failures: f64) -> Values {
        let mut values = Values::default();
        values.set(Metric::ResponseP95, Some(p95));
        values.set(Metric::FailureRate, Some(failures));
        values
    }

    #[test]
    fn figures_move_beyond_their_margin() {
        // p95 and failure rate before, after; lines, why this row
        let cases: [(_, _, &[&str], &str); 5] = [
            ((10.0, 0.0), (10.4, 0.004), &[], "within both margins"),
            ((10.0, 0.0), (12.5, 0.0), &["response_time p95: 10.0 ms → 12.5 ms (×1.25)"], "up"),
            ((10.0, 0.0), (8.0, 0.0), &["response_time p95: 10.0 ms → 8.00 ms (×0.80)"], "down"),
            ((10.0, 0.0), (10.0, 0.02), &["failure_rate: 0 % → 2.00 % (+2.00 pt)"], "failures have no ratio"),
            ((0.0, 0.0), (3.0, 0.0), &["response_time p95: 0 µs → 3.00 ms"], "from nothing"),
        ];
        for (before, after, lines, why) in cases {
            let found = moved(&values(before.0, before.1), &values(after.0, after.1));
            assert_eq!(found.iter().map(Moved::text).collect::<Vec<_>>(), lines, "{why}");
        }
        assert!(moved(&values(10.0, 0.0), &Values::default()).is_empty(), "what is unknown has not moved");
    }

    #[test]
    fn what_changed_is_a_line_each() {
        let changed = |what: &str, before: &str, after: &str| Changed {
            what: what.into(),
            before: before.into(),
            after: after.into(),
        };
        let changes = vec![changed("nmax", "0.1.0", "0.2.0"), changed("plan workload.open.rate", "40/s", "")];
        let since = Since { changes, more: 3, ..Since::default() };
        let lines = ["nmax: 0.1.0 → 0.2.0", "plan workload.open.rate: 40/s → none", "and 3 more values of the plan"];
        assert_eq!(since.lines(), lines);
        assert!(Since::default().lines()[0].starts_with("nothing that nmax knows of"));
        assert_eq!(changed("pin", "", "0,1").text(), "pin: none → 0,1");
    }
}
