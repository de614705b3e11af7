//! Several runs in one summary.

use nmax_analysis::compare::{Load, Metric};
use nmax_json::{Micro, Version, Word, records};
use serde_json::Value;

use crate::series::{SeriesRun, SeriesView};
use crate::view::since::{self, Since};

/// Several runs; [`series_schema`] describes it.
pub fn series(view: &SeriesView) -> Value {
    nmax_json::value::<Series, _>(view)
}

/// The schema of [`series`].
pub fn series_schema() -> Value {
    nmax_json::schema::<Series>("nmax report --campaign", super::ABOUT)
}

records! {
    struct Series(view: &SeriesView) {
        schema_version: Version = Version;
        nmax_version: String;
        title: String;
        verdict: Word = view.verdict().name(), in ["pass", "fail", "invalid"],
            "`fail` when a run fails; else `invalid` when one is INVALID or not complete; else `pass`.";
        headline: String = view.headline();
        runs: Vec<Run>, "In the order given; of a campaign oldest first.";
    }
    struct Run(run: &SeriesRun) {
        id: String = &run.figures.origin.label;
        name: String = &run.figures.origin.name;
        note: String = &run.figures.origin.note;
        tags: Vec<String> = &run.figures.origin.tags;
        started_at: String = &run.figures.origin.started_at;
        target: String = &run.figures.origin.target;
        profile: Option<String> = &run.figures.origin.profile;
        verdict: Option<String> = run.verdict().map(|verdict| verdict.name()), "Null of a run without a result.";
        incomplete: Option<String> = &run.figures.incomplete,
            "How far it came, or why it cannot be read; null of a complete run.";
        reasons: Vec<String>;
        intended_rate_per_s: Option<Micro> = if let Load::Open(rate) = run.figures.origin.load { Some(rate) } else { None },
            "Iterations per second of an open workload.";
        intended_vus: Option<Micro> = if let Load::Closed(vus) = run.figures.origin.load { Some(vus) } else { None };
        achieved_rate_per_s: Option<Micro> = run.figures.achieved_per_s;
        count: u64 = run.figures.count, "Exchanges in the hold.";
        rate_per_s: Option<Micro> = run.figures.values.get(Metric::Throughput);
        failure_rate: Option<Micro> = run.figures.values.get(Metric::FailureRate);
        p50_ms: Option<Micro> = run.figures.values.get(Metric::ResponseP50), "Of the response times of all requests.";
        p95_ms: Option<Micro> = run.figures.values.get(Metric::ResponseP95);
        p99_ms: Option<Micro> = run.figures.values.get(Metric::ResponseP99);
        since: Option<SinceRow>, "What changed since the run before it in the series.";
    }
    struct SinceRow(since: &Since) {
        run: String = &since.before.origin.label;
        changes: Vec<Changed>, "Target, nmax, machine, workers and flags, then values of the plan as resolved.";
        more: u64, "How many more values of the plan.";
        moved: Vec<Moved>, "Figures that differ by more than 5 %, failure rates by more than 0.5 points.";
    }
    struct Changed(changed: &since::Changed) {
        what: String;
        before: Option<String> = told(&changed.before), "Null where there was none.";
        after: Option<String> = told(&changed.after), "Null where there is none.";
    }
    struct Moved(moved: &since::Moved) {
        metric: Word = moved.metric.name(), in Metric::ALL.map(Metric::name);
        before: Micro, "Times in ms, rates per second, failure rates as shares.";
        after: Micro;
        change: Option<Micro>, "Ratio, or difference of failure rates.";
    }
}

fn told(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}
