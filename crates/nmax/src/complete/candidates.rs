//! What may stand for a value: ids, names and labels of runs, codes, kept slices, plans.
//!
//! Reading is bounded: [`RUNS_MAX`] directories, the newest ones, whatever stands in the runs directory. What cannot be
//! read has no candidate.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap_complete::engine::{
    ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};
use jiff::Timestamp;
use nmax_analysis::compare::Metric;
use nmax_analysis::explain::explanations;
use nmax_scale::stored;
use nmax_store::{Manifest, RunEntry};

use crate::commands::results::state;

/// Directories that one Tab looks into.
const RUNS_MAX: usize = 200;

/// Codes of results, for `nmax explain`.
pub fn codes() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let typed = typed.to_string_lossy().to_ascii_uppercase();
        let meant = explanations().filter(|explanation| explanation.code.starts_with(&typed));
        meant.map(|explanation| candidate(explanation.code, explanation.title)).collect::<Vec<_>>()
    })
}

/// A run or a campaign: `last`, ids, and after a `/` directories.
pub fn runs() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let mut found = ids(&runs_dir(), &typed.to_string_lossy());
        if found.is_empty() {
            found = PathCompleter::dir().complete(typed);
        }
        found
    })
}

/// A run, or access logs.
pub fn runs_or_files() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let mut found = ids(&runs_dir(), &typed.to_string_lossy());
        found.extend(PathCompleter::any().complete(typed));
        found
    })
}

/// A side of a comparison: a run, runs by name or label, or access logs.
pub fn sides() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let text = typed.to_string_lossy();
        let root = runs_dir();
        let mut found = ids(&root, &text);
        for (prefix, choose) in [("tag:", Choose::Tags), ("name:", Choose::Names)] {
            if text.is_empty() || text.starts_with(prefix) || prefix.starts_with(&*text) {
                let all = distinct(&root, choose).into_iter().map(|value| value.add_prefix(prefix));
                found.extend(all.filter(|value| value.get_value().to_string_lossy().starts_with(&*text)));
            }
        }
        found.extend(PathCompleter::any().complete(typed));
        found
    })
}

/// Names of runs.
pub fn names() -> ArgValueCandidates {
    ArgValueCandidates::new(|| distinct(&runs_dir(), Choose::Names))
}

/// Labels of runs.
pub fn tags() -> ArgValueCandidates {
    ArgValueCandidates::new(|| distinct(&runs_dir(), Choose::Tags))
}

/// Names of kept slices.
pub fn slices() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let text = std::fs::read_to_string(runs_dir().join(nmax_slice::saved::FILE)).unwrap_or_default();
        let kept = nmax_slice::saved::read(&text).unwrap_or_default();
        kept.into_iter().map(|(name, _)| CompletionCandidate::new(name)).collect::<Vec<_>>()
    })
}

/// Metrics of a comparison.
pub fn metrics() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        Metric::ALL.iter().map(|metric| CompletionCandidate::new(metric.name())).collect::<Vec<_>>()
    })
}

/// Plan files.
pub fn plans() -> ArgValueCompleter {
    let is_plan = |path: &Path| {
        let ending = path.extension().and_then(OsStr::to_str);
        matches!(ending, Some("yaml" | "yml")) && path.is_file()
    };
    ArgValueCompleter::new(PathCompleter::any().filter(is_plan))
}

fn candidate(value: impl Into<OsString>, help: impl Into<String>) -> CompletionCandidate {
    CompletionCandidate::new(value).help(Some(help.into().into()))
}

/// `last` and the ids that begin with `typed`, newest first; names of directories where no id begins so.
fn ids(root: &Path, typed: &str) -> Vec<CompletionCandidate> {
    let directories = nmax_store::newest(root, RUNS_MAX);
    let named = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    // The id is the end of the name, so those that are not meant need not be opened.
    let has_id = |path: &&PathBuf| named(path).rsplit('-').next().is_some_and(|id| id.starts_with(typed));
    let mut found: Vec<_> = directories.iter().filter(has_id).filter_map(|path| described(path, None)).collect();
    if found.is_empty() {
        let named = directories.iter().map(|path| (path, named(path))).filter(|(_, name)| name.starts_with(typed));
        found = named.filter_map(|(path, name)| described(path, Some(name))).collect();
    }
    // Names of directories say the second only.
    found.sort_by_key(|(started, _)| std::cmp::Reverse(*started));
    let mut found: Vec<_> = found.into_iter().map(|(_, candidate)| candidate).collect();
    if "last".starts_with(typed) && !directories.is_empty() {
        found.insert(0, candidate("last", "the newest"));
    }
    found
}

/// When a run or campaign began, and its id, or `value`, with its verdict, name and start.
fn described(directory: &Path, value: Option<String>) -> Option<(Timestamp, CompletionCandidate)> {
    let run = nmax_store::entry(directory).map(|run| (state(&run), run));
    let campaign = || stored::entry_of(directory.to_owned()).map(|one| (stored::state(&one).to_owned(), one));
    let (state, RunEntry { id, name, started_at, .. }) = run.or_else(campaign)?;
    let started = started_at.get(..16).unwrap_or(&started_at).replace('T', " ");
    // A line for each, whatever a manifest says.
    let help = format!("{state} {name}, {started}").replace(char::is_control, " ");
    Some((started_at.parse().ok()?, candidate(value.unwrap_or(id), help)))
}

/// What of a run is chosen by.
#[derive(Clone, Copy, Debug)]
enum Choose {
    Names,
    Tags,
}

/// The names or labels of the newest runs, each once.
fn distinct(root: &Path, choose: Choose) -> Vec<CompletionCandidate> {
    let directories = nmax_store::newest(root, RUNS_MAX);
    let manifests = directories.iter().filter_map(|path| Manifest::read(path).ok());
    let words = manifests.flat_map(|manifest| match choose {
        Choose::Names => vec![manifest.name],
        Choose::Tags => manifest.tags,
    });
    let mut seen = HashSet::new();
    let new = words.filter(|word| !word.contains(char::is_control) && seen.insert(word.clone()));
    new.map(CompletionCandidate::new).collect()
}

/// The runs directory that the line or the environment names.
fn runs_dir() -> PathBuf {
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    // Bash passes its line as one word.
    let words = words.iter().flat_map(|word| word.split_whitespace());
    named_runs_dir(words).or_else(|| std::env::var_os("NMAX_RUNS_DIR").map(Into::into)).unwrap_or_else(|| "runs".into())
}

/// The value of the last `--runs-dir` among `words`.
fn named_runs_dir<'a>(words: impl Iterator<Item = &'a str>) -> Option<PathBuf> {
    let mut named = None;
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        if word == "--runs-dir" {
            named = words.peek().copied();
        } else if let Some(value) = word.strip_prefix("--runs-dir=") {
            named = Some(value);
        }
    }
    named.filter(|value| !value.is_empty()).map(Into::into)
}

#[cfg(test)]
mod tests;
