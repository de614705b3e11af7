//! A figure over many runs, and where it changed for good.

use std::path::{Path, PathBuf};

use nmax_analysis::compare::{Conclusion, Metric, Scale, TOTAL};
use nmax_analysis::history::{History, RUNS_MAX, RUNS_MIN, history, weigh_failures};
use nmax_report::comparison::{HistoryRun, HistoryView, change, runs as runs_of, value};
use nmax_store::{Manifest, RunEntry, RunReader};

use crate::compare::{FAILURE_MARGIN, MARGIN, run};

/// Which runs.
#[derive(Clone, Debug, Default)]
pub struct RunFilter {
    /// Labels, all of them.
    pub tag: Vec<String>,
    /// A base URL, or how it begins.
    pub target: Option<String>,
    /// Only the newest.
    pub last: Option<u32>,
}

impl RunFilter {
    /// Whether a run with these labels on this target is meant.
    pub fn has(&self, tags: &[String], target: &str) -> bool {
        let is_on = |wanted: &String| target.starts_with(wanted.trim_end_matches('/'));
        self.tag.iter().all(|tag| tags.contains(tag)) && self.target.as_ref().is_none_or(is_on)
    }
}

/// Which figure of which runs.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Name of the runs; `None` for any.
    pub name: Option<String>,
    /// Which of them.
    pub of: RunFilter,
    /// The figure.
    pub metric: Metric,
    /// Of which request.
    pub request: String,
    /// Change that still counts as none; `None` for the usual one.
    pub margin: Option<f64>,
    /// Where runs are kept.
    pub runs_dir: PathBuf,
}

/// A history, and whether the last change of failures was for the worse.
#[derive(Debug)]
pub struct Trend {
    /// Everything that a report shows.
    pub view: HistoryView,
    /// Whether failures rose with the last change.
    pub is_failing: bool,
}

/// The history of a figure.
///
/// # Errors
/// Why there is none.
pub fn trend(ask: &Ask) -> Result<Trend, String> {
    let list = nmax_store::list(&ask.runs_dir).map_err(|error| error.to_string())?;
    let is_meant =
        |run: &&RunEntry| ask.name.as_ref().is_none_or(|name| run.name == *name) && ask.of.has(&run.tags, &run.target);
    let meant: Vec<&RunEntry> = list.iter().filter(is_meant).collect();
    let limit = ask.of.last.map_or(RUNS_MAX, |last| (last as usize).min(RUNS_MAX));
    let mut notes = Vec::new();
    if ask.of.last.is_none() && meant.len() > limit {
        notes.push(format!("only the newest {limit} of {} runs are looked at", meant.len()));
    }
    let (mut runs, mut failures) = (Vec::new(), Vec::new());
    let (mut unsound, mut without) = (0_usize, 0_usize);
    for entry in meant.iter().take(limit).rev() {
        let is_whole = entry.finished && !entry.running && !entry.interrupted && !entry.aborted;
        if !is_whole || entry.verdict.as_deref() == Some("invalid") {
            unsound += 1;
            continue;
        }
        match figure(&entry.path, ask) {
            Some((value, failed)) => {
                runs.push(row(entry, value));
                failures.push(failed);
            }
            None => without += 1,
        }
    }
    if runs.is_empty() {
        return Err(none(ask, meant.len(), unsound, without));
    }
    if unsound > 0 {
        notes.push(format!("left out, for INVALID or cut off: {}", runs_of(unsound)));
    }
    if without > 0 {
        notes.push(format!(
            "left out, for they have no {} of {}: {}",
            ask.metric.name(),
            ask.request,
            runs_of(without)
        ));
    }
    if runs.len() < 2 * RUNS_MIN {
        notes.push(format!(
            "fewer than {} runs: a change is one that lasts for {RUNS_MIN} runs after as many others",
            2 * RUNS_MIN
        ));
    }
    notes.extend(differences(&runs));
    let margin = ask.margin.unwrap_or(match ask.metric.scale() {
        Scale::Ratio => MARGIN,
        Scale::Difference => FAILURE_MARGIN,
    });
    let values: Vec<f64> = runs.iter().map(|run| run.value).collect();
    let mut found = history(ask.metric, &values, margin).unwrap_or_default();
    let failures: Option<Vec<f64>> = failures.into_iter().collect();
    let failures = failures.filter(|_| ask.metric != Metric::FailureRate);
    let is_failing = failures.is_some_and(|failures| has_failed_more(&failures, &runs, &mut found, &mut notes));
    let view = HistoryView {
        nmax_version: env!("CARGO_PKG_VERSION").into(),
        title: title(ask),
        metric: ask.metric,
        request: ask.request.clone(),
        margin,
        runs,
        history: found,
        notes,
    };
    Ok(Trend { view, is_failing })
}

/// Whether the last change of the failure rates, or that of the figure with them, was for the worse. Failures are said, and
/// no change of the figure is for the better with which they rose.
fn has_failed_more(failures: &[f64], runs: &[HistoryRun], found: &mut History, notes: &mut Vec<String>) -> bool {
    let of_failures = history(Metric::FailureRate, failures, FAILURE_MARGIN).unwrap_or_default();
    for step in of_failures.steps.iter().filter(|step| step.said == Conclusion::Worse) {
        notes.push(format!(
            "failures rose from run {} on, by {}: see --metric failure_rate",
            runs[step.at].id,
            change(Metric::FailureRate, step.change)
        ));
    }
    let mut is_worse = of_failures.last() == Some(Conclusion::Worse);
    for place in weigh_failures(found, failures, FAILURE_MARGIN) {
        let share = |(from, to, _): (usize, usize, f64)| failures[from..to].iter().sum::<f64>() / (to - from) as f64;
        let (before, after) = (share(found.levels[place]), share(found.levels[place + 1]));
        notes.push(format!(
            "the change from run {} on is neither better nor worse: {} of the requests failed before and {} from there on, \
             and what fails takes another time than what succeeds",
            runs[found.steps[place].at].id,
            value(Metric::FailureRate, before),
            value(Metric::FailureRate, after)
        ));
        is_worse |= place + 1 == found.steps.len() && after > before;
    }
    is_worse
}

/// The figure of a run and its failure rate; `None` when it has no figure, or one that cannot be compared.
fn figure(directory: &Path, ask: &Ask) -> Option<(f64, Option<f64>)> {
    let text = RunReader::open(directory).ok()?.summary().ok()??;
    let measured = run::measured(&serde_json::from_str(&text).ok()?);
    let figures = match ask.request.as_str() {
        TOTAL => measured.requests.get(TOTAL).unwrap_or(&measured.total),
        name => measured.requests.get(name)?,
    };
    let metric: Metric = ask.metric;
    let value = figures.values.get(metric)?;
    metric.score(value)?;
    Some((value, figures.values.get(Metric::FailureRate)))
}

fn row(entry: &RunEntry, value: f64) -> HistoryRun {
    HistoryRun {
        id: entry.id.clone(),
        name: entry.name.clone(),
        started_at: entry.started_at.clone(),
        note: entry.note.clone(),
        tags: entry.tags.clone(),
        verdict: entry.verdict.clone().unwrap_or_default(),
        target: entry.target.clone(),
        plan_sha256: Manifest::read(&entry.path).map(|manifest| manifest.plan_sha256).unwrap_or_default(),
        value,
    }
}

/// Something that is known of a run.
type Fact = fn(&HistoryRun) -> &str;

/// What the runs have not in common: sentences.
fn differences(runs: &[HistoryRun]) -> Vec<String> {
    let count = |of: fn(&HistoryRun) -> &str| {
        let mut values: Vec<&str> = runs.iter().map(of).collect();
        values.sort_unstable();
        values.dedup();
        values.len()
    };
    let mut said = Vec::new();
    let facts: [(&str, Fact); 3] =
        [("names", |run| &run.name), ("targets", |run| &run.target), ("plans", |run| &run.plan_sha256)];
    for (what, of) in facts {
        let count = count(of);
        if count > 1 {
            said.push(format!("these runs have {count} different {what}: a change may be theirs"));
        }
    }
    said
}

fn title(ask: &Ask) -> String {
    let mut words: Vec<String> = Vec::new();
    words.extend(ask.name.iter().map(|name| format!("named {name}")));
    words.extend(ask.of.tag.iter().map(|tag| format!("labelled {tag}")));
    words.extend(ask.of.target.iter().map(|target| format!("on {target}")));
    let which = if words.is_empty() { "all".to_owned() } else { words.join(", ") };
    format!("{which}, in {}", ask.runs_dir.display())
}

fn none(ask: &Ask, meant: usize, unsound: usize, without: usize) -> String {
    let title = title(ask);
    match meant {
        0 => format!("no runs: {title}\n  help: `nmax runs` lists names and labels"),
        _ => format!(
            "no run has a figure ({title}): {unsound} are INVALID or did not come to their end, {without} have no {} of {}\n  \
             help: choose another --metric or --request",
            ask.metric.name(),
            ask.request
        ),
    }
}
