//! Runs below a root: all of them, or the one that an argument of the command line means.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::{Manifest, StoreError, files, line, writer};

/// Most candidates that an error names.
const CANDIDATES_MAX: usize = 10;

/// A run as listed.
#[derive(Clone, Debug, PartialEq)]
pub struct RunEntry {
    /// Its directory.
    pub path: PathBuf,
    /// Its id.
    pub id: String,
    /// Its name, for people.
    pub name: String,
    /// Origin of its clock, RFC 3339 in UTC.
    pub started_at: String,
    /// Base URL of the system under test.
    pub target: String,
    /// Remark of the user; empty without one.
    pub note: String,
    /// Labels of the user.
    pub tags: Vec<String>,
    /// `pass`, `fail` or `invalid`; `None` when the run has no readable summary.
    pub verdict: Option<String>,
    /// Whether the run has a summary.
    pub finished: bool,
    /// Whether its summary says that it was interrupted or cut off.
    pub interrupted: bool,
    /// Whether its summary says that a condition ended it.
    pub aborted: bool,
    /// Whether its load was changed while it ran, or followed the recorded changes of a run.
    pub steered: bool,
    /// Whether some process still writes it.
    pub running: bool,
}

/// The runs directly below `root`, newest first. Whatever is not a run of a known version is left out; a root that
/// does not exist has none.
pub fn list(root: &Path) -> Result<Vec<RunEntry>, StoreError> {
    let directory = match fs::read_dir(root) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        directory => directory.map_err(StoreError::io("read", root))?,
    };
    let mut runs = Vec::new();
    for entry in directory {
        let path = entry.map_err(StoreError::io("read", root))?.path();
        let Ok(manifest) = Manifest::read(&path) else { continue };
        let Ok(started) = manifest.started() else { continue };
        runs.push((started, entry_of(path, manifest)));
    }
    runs.sort_by(|(a, x), (b, y)| b.cmp(a).then_with(|| y.id.cmp(&x.id)));
    Ok(runs.into_iter().map(|(_, run)| run).collect())
}

/// The `limit` newest directories below `root` whose names begin with a time, as those of runs and scales do, newest
/// first. Opens none of them, so it is quick however many runs there are; a root that cannot be read has none.
pub fn newest(root: &Path, limit: usize) -> Vec<PathBuf> {
    let mut names: Vec<_> = fs::read_dir(root)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name())
        .filter(|name| begins_with_a_time(name.as_encoded_bytes()))
        .collect();
    names.sort_unstable_by(|a, b| b.cmp(a));
    names.truncate(limit);
    names.into_iter().map(|name| root.join(name)).collect()
}

/// Whether a name begins as in `20260131T120005Z-`.
fn begins_with_a_time(name: &[u8]) -> bool {
    const SHAPE: &[u8] = b"00000000T000000Z-";
    let fits = |(have, want): (&u8, &u8)| if *want == b'0' { have.is_ascii_digit() } else { have == want };
    name.len() > SHAPE.len() && name.iter().zip(SHAPE).all(fits)
}

/// The run in a directory; `None` for whatever is not a run of a known version.
pub fn entry(directory: &Path) -> Option<RunEntry> {
    Some(entry_of(directory.to_owned(), Manifest::read(directory).ok()?))
}

fn entry_of(path: PathBuf, manifest: Manifest) -> RunEntry {
    #[derive(Deserialize)]
    struct Summary {
        verdict: Option<String>,
        #[serde(default)]
        reasons: Vec<Reason>,
    }
    #[derive(Deserialize)]
    struct Reason {
        code: String,
    }
    let summary = fs::read(path.join(writer::SUMMARY)).ok();
    let known = summary.as_deref().and_then(|bytes| serde_json::from_slice::<Summary>(bytes).ok());
    let has = |code: &str| known.iter().flat_map(|summary| &summary.reasons).any(|reason| reason.code == code);
    RunEntry {
        finished: summary.is_some(),
        interrupted: has("INTERRUPTED"),
        aborted: has("THRESHOLD_ABORT"),
        steered: manifest.is_steered(),
        running: files::is_being_written(&path.join(line::FILE)),
        verdict: known.and_then(|summary| summary.verdict),
        path,
        id: manifest.id,
        name: manifest.name,
        started_at: manifest.started_at,
        target: manifest.target,
        note: manifest.note,
        tags: manifest.tags,
    }
}

/// The directory of the run that `asked` means: `last`, an id, the name of a directory below `root`, the path of a
/// run's directory or the beginning of an id, in this order.
pub fn find(root: &Path, asked: &str) -> Result<PathBuf, StoreError> {
    let runs = list(root)?;
    let is_named = |run: &RunEntry| run.path.file_name().is_some_and(|name| name == asked);
    let exact: Vec<&RunEntry> = match asked {
        "" => Vec::new(),
        "last" => runs.first().into_iter().collect(),
        _ => runs.iter().filter(|run| run.id == asked || is_named(run)).collect(),
    };
    let by_prefix = || runs.iter().filter(|run| !asked.is_empty() && run.id.starts_with(asked)).collect();
    let path = Path::new(asked);
    let found: Vec<&RunEntry> = match exact {
        exact if !exact.is_empty() || asked == "last" => exact,
        _ if path.join(crate::manifest::FILE).is_file() => return Ok(path.to_owned()),
        _ => by_prefix(),
    };
    match found.as_slice() {
        [run] => Ok(run.path.clone()),
        [] => Err(StoreError::NotFound {
            asked: asked.to_owned(),
            root: root.to_owned(),
            candidates: runs.iter().take(CANDIDATES_MAX).map(|run| run.id.clone()).collect(),
        }),
        several => Err(StoreError::Ambiguous {
            asked: asked.to_owned(),
            root: root.to_owned(),
            candidates: several.iter().take(CANDIDATES_MAX).map(|run| directory_name(run)).collect(),
        }),
    }
}

fn directory_name(run: &RunEntry) -> String {
    run.path.file_name().map_or_else(|| run.id.clone(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests;
