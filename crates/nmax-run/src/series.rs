//! Several runs in one summary, from their directories.

use std::path::{Path, PathBuf};

use nmax_analysis::compare::{Kind, Origin};
use nmax_report::series::{SeriesRun, SeriesView};
use nmax_report::view::since::RunFigures;
use nmax_report::{json, number};
use nmax_store::{Manifest, RunReader, StoreError};
use serde_json::Value;

use crate::since::{Known, between};

/// Directories of the runs with this label, oldest first.
///
/// # Errors
/// The folder cannot be read.
pub fn tagged(runs_dir: &Path, tag: &str) -> Result<Vec<PathBuf>, StoreError> {
    let mut list = nmax_store::list(runs_dir)?;
    list.retain(|run| run.tags.iter().any(|known| known == tag));
    Ok(list.into_iter().rev().map(|run| run.path).collect())
}

/// A summary of the runs in these directories. One that cannot be read has a row that says why.
pub fn series(title: String, directories: &[PathBuf]) -> SeriesView {
    let mut runs: Vec<SeriesRun> = Vec::new();
    let mut before: Option<Known> = None;
    for directory in directories {
        let (known, mut run) = match read(directory) {
            Ok((known, reasons)) => {
                let figures = known.figures.clone();
                (Some(known), SeriesRun { figures, reasons, since: None })
            }
            Err(why) => (None, SeriesRun { figures: unreadable(directory, &why), ..SeriesRun::default() }),
        };
        run.since = before.as_ref().zip(known.as_ref()).map(|(before, known)| between(before, known));
        before = known.or(before);
        runs.push(run);
    }
    SeriesView { nmax_version: env!("CARGO_PKG_VERSION").into(), title, runs }
}

/// A run and why it is not a PASS: from its summary where it has ended, else from all that there is of it.
fn read(directory: &Path) -> Result<(Known, Vec<String>), String> {
    let stored = || -> Option<(Manifest, Value)> {
        let reader = RunReader::open(directory).ok().filter(|reader| !reader.is_running())?;
        Some((reader.manifest().clone(), serde_json::from_str(&reader.summary().ok()??).ok()?))
    };
    let (manifest, summary, incomplete) = match stored() {
        Some((manifest, summary)) => {
            let incomplete = ended_early(&summary);
            (manifest, summary, incomplete)
        }
        None => {
            let view = crate::read(directory)?.view;
            let manifest = Manifest::read(directory).map_err(|error| error.to_string())?;
            (manifest, json::summary(&view), view.incomplete())
        }
    };
    let reasons = summary["reasons"].as_array().into_iter().flatten();
    let deciding = reasons.filter(|reason| reason["decides"] == true);
    let reasons = deciding.filter_map(|reason| Some(reason["text"].as_str()?.to_owned())).collect();
    Ok((Known::new(manifest, &summary, incomplete), reasons))
}

/// How a run that has a summary ended before its plan did.
fn ended_early(summary: &Value) -> Option<String> {
    let has = |code: &str| summary["reasons"].as_array().into_iter().flatten().any(|reason| reason["code"] == code);
    let word = match (has("THRESHOLD_ABORT"), has("INTERRUPTED")) {
        (true, _) => "ended early by a condition",
        (false, true) => "interrupted",
        (false, false) => return None,
    };
    let after = summary["duration_s"].as_f64().map(|seconds| format!(" after {}", number::span(seconds)));
    Some(format!("{word}{}", after.unwrap_or_default()))
}

/// What is known of a run of which nothing else can be read.
fn unreadable(directory: &Path, why: &str) -> RunFigures {
    let label = || directory.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let manifest = Manifest::read(directory).ok();
    let origin = manifest.map_or_else(
        || Origin { label: label(), ..Origin::default() },
        |manifest| Origin {
            label: manifest.id,
            name: manifest.name,
            note: manifest.note,
            tags: manifest.tags,
            started_at: manifest.started_at,
            target: manifest.target,
            kind: Kind::Run,
            ..Origin::default()
        },
    );
    let why = why.lines().next().unwrap_or_default();
    RunFigures { origin, incomplete: Some(format!("cannot be read: {why}")), ..RunFigures::default() }
}
