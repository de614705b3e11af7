//! What a run differs in from the one before it of the same name, from their manifests and summaries.

use std::collections::HashMap;
use std::path::Path;

use nmax_report::number;
use nmax_report::view::since::{Changed, RunFigures, Since, moved};
use nmax_report::{View, json};
use nmax_store::manifest::safe_name;
use nmax_store::{Manifest, RunEntry, RunReader};
use serde_json::Value;

use crate::compare::run;

/// Most lines of plans that are shown.
const LINES_MAX: usize = 10;
/// Most characters of such a line.
const LINE_CHARS_MAX: usize = 120;
/// Flags that change how a run is made and are not in its plan.
const FLAGS: [&str; 2] = ["--pin", "--samples"];

/// A run in a few figures, and what it was made of.
pub(crate) struct Known {
    pub(crate) manifest: Manifest,
    pub(crate) figures: RunFigures,
}

impl Known {
    /// Of a run whose summary this is.
    pub(crate) fn new(manifest: Manifest, summary: &Value, incomplete: Option<String>) -> Self {
        let read = run::summed_up(&manifest, summary);
        let figures = RunFigures {
            achieved_per_s: summary["achieved_rate_per_s"].as_f64(),
            count: read.measured.total.count,
            values: read.measured.total.values,
            origin: read.origin,
            incomplete,
        };
        Self { manifest, figures }
    }

    /// Of a run that came to its end, from its directory.
    pub(crate) fn read(directory: &Path) -> Option<Self> {
        let reader = RunReader::open(directory).ok()?;
        let summary: Value = serde_json::from_str(&reader.summary().ok()??).ok()?;
        Some(Self::new(reader.manifest().clone(), &summary, None))
    }
}

/// The newest run of this name that came to its end, of those that began before `start`.
///
/// Looks only at directories that are named as nmax names them, and opens those of the same name, newest first.
pub fn last(root: &Path, name: &str, start: Option<jiff::Timestamp>) -> Option<RunEntry> {
    let part = format!("-{}-", safe_name(name));
    let is_alike = |path: &&std::path::PathBuf| {
        path.file_name().is_some_and(|directory| directory.to_string_lossy().contains(&part))
    };
    let is_before = |run: &RunEntry| {
        let began = run.started_at.parse::<jiff::Timestamp>().ok();
        start.is_none_or(|start| began.is_some_and(|began| began < start))
    };
    let directories = nmax_store::newest(root, usize::MAX);
    let mut runs = directories.iter().filter(is_alike).filter_map(|path| nmax_store::entry(path));
    let is_whole = |run: &RunEntry| run.verdict.is_some() && !run.running && !run.interrupted && !run.aborted;
    // Ids are made of the time, so directories of one name are in the order of their runs.
    runs.find(|run| run.name == name && is_whole(run) && is_before(run))
}

/// What changed since the run before it in the same folder.
pub(crate) fn since(root: Option<&Path>, manifest: &Manifest, view: &View) -> Option<Since> {
    let start = manifest.started_at.parse().ok()?;
    let before = last(root?, &manifest.name, Some(start))?;
    let before = Known::read(&before.path)?;
    Some(between(&before, &Known::new(manifest.clone(), &json::summary(view), None)))
}

/// What one run differs in from another.
pub(crate) fn between(before: &Known, after: &Known) -> Since {
    let (one, other) = (&before.manifest, &after.manifest);
    let mut changes = changes(one, other);
    let mut plan = if one.plan_sha256 == other.plan_sha256 { Vec::new() } else { of_plans(&one.plan, &other.plan) };
    let more = plan.len().saturating_sub(LINES_MAX);
    plan.truncate(LINES_MAX);
    changes.extend(plan);
    let moved = moved(&before.figures.values, &after.figures.values);
    Since { before: before.figures.clone(), changes, more, moved }
}

fn changes(before: &Manifest, after: &Manifest) -> Vec<Changed> {
    let mut all: Vec<(&str, String, String)> = vec![
        ("target", before.target.clone(), after.target.clone()),
        ("nmax", before.nmax_version.clone(), after.nmax_version.clone()),
        ("workers", before.workers.to_string(), after.workers.to_string()),
    ];
    all.extend(FLAGS.map(|name| (name, flag(&before.command, name), flag(&after.command, name))));
    let mut facts: Vec<&String> = before.machine.keys().chain(after.machine.keys()).collect();
    facts.sort_unstable();
    facts.dedup();
    let fact = |manifest: &Manifest, name: &String| {
        let text = manifest.machine.get(name).cloned().unwrap_or_default();
        let size = text.parse().ok().filter(|_| name.ends_with("_bytes"));
        size.map_or(text, |size: f64| number::bytes(size))
    };
    all.extend(facts.into_iter().map(|name| (name.trim_end_matches("_bytes"), fact(before, name), fact(after, name))));
    let differ = all.into_iter().filter(|(_, before, after)| before != after);
    differ.map(|(what, before, after)| Changed { what: what.to_owned(), before, after }).collect()
}

/// The value of a flag in a command; empty without it.
fn flag(command: &str, name: &str) -> String {
    let mut words = command.split(' ');
    let value = words.by_ref().find_map(|word| match word.strip_prefix(name) {
        Some("") => Some(None),
        Some(rest) => rest.strip_prefix('=').map(Some),
        None => None,
    });
    value.and_then(|value| value.or_else(|| words.next())).unwrap_or_default().to_owned()
}

/// A line of a plan: the keys that lead to it, and its value; that of a block is [`BLOCK`].
type Placed<'a> = (String, &'a str);

/// Stands for what is below a key.
const BLOCK: &str = "{…}";

/// Values that only one of two plans has, those of the same keys beside each other. Of a block that one has not at all, its
/// key. The target is told apart, and so are not levels of stages, which follow the level of the workload.
fn of_plans(before: &str, after: &str) -> Vec<Changed> {
    let (before, after) = (placed(before), placed(after));
    let (gone, new) = (only(&before, &after), only(&after, &before));
    let mut keys: Vec<&str> = Vec::new();
    for (key, _) in gone.iter().chain(&new) {
        if !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    let blocks: Vec<&str> =
        gone.iter().chain(&new).filter(|(_, value)| *value == BLOCK).map(|(key, _)| key.as_str()).collect();
    let has_level = keys.iter().any(|key| matches!(*key, "workload.open.rate" | "workload.closed.vus"));
    let is_told = |key: &str| {
        let is_below = |block: &&str| key.strip_prefix(*block).is_some_and(|rest| rest.starts_with('.'));
        let is_level = has_level && key.starts_with("stages.") && key.ends_with(".to");
        key == "target" || is_level || blocks.iter().any(is_below)
    };
    let mut found = Vec::new();
    for key in keys.iter().filter(|key| !is_told(key)) {
        let values = |lines: &[&Placed<'_>]| -> Vec<String> {
            let these = lines.iter().filter(|(of, _)| of == key);
            these.map(|(_, value)| value.chars().take(LINE_CHARS_MAX).collect()).collect()
        };
        let (gone, new) = (values(&gone), values(&new));
        for place in 0..gone.len().max(new.len()) {
            let at = |values: &[String]| values.get(place).cloned().unwrap_or_default();
            found.push(Changed { what: format!("plan {key}"), before: at(&gone), after: at(&new) });
        }
    }
    if keys.is_empty() {
        found.push(Changed {
            what: "plan".into(),
            before: "one order".into(),
            after: "another order of the same".into(),
        });
    }
    found
}

/// Lines of one plan that the other has not, or not as often.
fn only<'a>(one: &'a [Placed<'a>], other: &'a [Placed<'a>]) -> Vec<&'a Placed<'a>> {
    let mut counts: HashMap<&Placed<'_>, usize> = HashMap::new();
    for line in other {
        *counts.entry(line).or_default() += 1;
    }
    let mut missing = Vec::new();
    for line in one {
        match counts.get_mut(line) {
            Some(count) if *count > 0 => *count -= 1,
            _ => missing.push(line),
        }
    }
    missing
}

/// Lines of a document as nmax writes it: a key on a line, what is below it indented.
fn placed(yaml: &str) -> Vec<Placed<'_>> {
    let mut above: Vec<(usize, &str)> = Vec::new();
    let mut lines = Vec::new();
    for line in yaml.lines().filter(|line| !line.trim().is_empty()) {
        let text = line.trim_start();
        let depth = line.len() - text.len();
        above.retain(|(of, _)| *of < depth);
        let text = text.trim_start_matches("- ");
        let (key, value) = match text.split_once(':').filter(|(_, rest)| rest.is_empty() || rest.starts_with(' ')) {
            Some((key, "")) => (key, BLOCK),
            Some((key, value)) => (key, value.trim()),
            None => ("", text),
        };
        let keys: Vec<&str> = above.iter().map(|(_, key)| *key).chain([key]).filter(|key| !key.is_empty()).collect();
        lines.push((keys.join("."), value));
        above.push((depth, key));
    }
    lines
}

#[cfg(test)]
mod tests;
