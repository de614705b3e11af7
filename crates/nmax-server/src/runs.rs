//! All runs of a folder as a list that is kept up to date, and the one that an id means.
//!
//! A row is read again when its files changed or while the run goes on, so a list of thousands of runs costs a look at each
//! directory.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::time::SystemTime;

use hyper::StatusCode;
use nmax_metrics::{Nanos, Section};
use nmax_scale::stored;
use nmax_store::{RunEntry, RunReader};
use serde_json::Value;

use crate::api::{Kind, RunList, RunRow, State};
use crate::course::width_of;
use crate::refusal::Refusal;

/// Points of the small picture of a run.
const SPARK_POINTS: usize = 60;
/// Seconds between two pictures of a run that goes on.
const SPARK_PERIOD_S: u64 = 5;
/// Most windows that are read for it.
const SPARK_WINDOWS_MAX: u64 = 4_000;
/// Longest id.
const ID_MAX: usize = 64;
/// Most runs in an answer.
const LIMIT_MAX: usize = 1_000;

/// The runs of a folder.
pub(crate) struct Runs {
    folder: PathBuf,
    known: Mutex<HashMap<PathBuf, Known>>,
    first_look: Once,
}

/// A row, and when the files were changed that it was made of.
#[derive(Clone)]
struct Known {
    changed: [Option<SystemTime>; 3],
    row: RunRow,
    has_sparkline: bool,
}

/// Which runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    pub(crate) search: String,
    pub(crate) tag: Option<String>,
    pub(crate) verdict: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) limit: Option<usize>,
}

impl Runs {
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), known: Mutex::default(), first_look: Once::new() }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    fn known(&self) -> MutexGuard<'_, HashMap<PathBuf, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at every directory; the rows that are others than before, and the ids of those that are gone.
    pub(crate) fn refresh(&self) -> (Vec<RunRow>, Vec<String>) {
        let directories = std::fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let directories: Vec<PathBuf> = directories.filter(|path| path.is_dir()).collect();
        let mut changed = Vec::new();
        for path in &directories {
            let now = changed_at(path);
            let before = self.known().get(path).cloned();
            let is_same =
                before.as_ref().is_some_and(|known| known.changed == now && known.row.state != State::Running);
            if is_same {
                continue;
            }
            let Some(row) = row(path) else { continue };
            let sparkline = before.as_ref().map(|known| known.row.sparkline.clone()).unwrap_or_default();
            let row = RunRow { sparkline, ..row };
            if before.is_none_or(|known| !is_equal(&known.row, &row)) {
                changed.push(row.clone());
            }
            // Of a run that has ended the picture is drawn once more; while it goes on, now and then.
            let length_s = row.duration_s.unwrap_or_default() as u64;
            let period_s = SPARK_PERIOD_S.max(length_s / SPARK_POINTS as u64);
            let is_same = row.state == State::Running && !length_s.is_multiple_of(period_s);
            self.known().insert(path.clone(), Known { changed: now, has_sparkline: is_same, row });
        }
        let mut gone = Vec::new();
        self.known().retain(|path, known| {
            let is_there = directories.contains(path);
            if !is_there {
                gone.push(known.row.id.clone());
            }
            is_there
        });
        (changed, gone)
    }

    /// Draws the small picture of one run that has none yet; its row.
    pub(crate) fn draw_one(&self) -> Option<RunRow> {
        let next = {
            let known = self.known();
            let open = known.iter().filter(|(_, known)| !known.has_sparkline && known.row.kind == Kind::Run);
            open.max_by(|(_, one), (_, other)| one.row.started_at.cmp(&other.row.started_at))
                .map(|(path, _)| path.clone())
        }?;
        let sparkline = sparkline(&next).unwrap_or_default();
        let mut known = self.known();
        let known = known.get_mut(&next)?;
        known.has_sparkline = true;
        if known.row.sparkline == sparkline {
            return None;
        }
        known.row.sparkline = sparkline;
        Some(known.row.clone())
    }

    /// The rows that a filter lets through, the newest first.
    pub(crate) fn list(&self, filter: &Filter) -> RunList {
        // Who asks first is not told that there are none.
        self.first_look.call_once(|| drop(self.refresh()));
        let mut all: Vec<RunRow> = self.known().values().map(|known| known.row.clone()).collect();
        all.sort_by(|one, other| other.started_at.cmp(&one.started_at).then_with(|| other.id.cmp(&one.id)));
        let tags: BTreeSet<&String> = all.iter().flat_map(|row| &row.tags).collect();
        let names: BTreeSet<&String> = all.iter().map(|row| &row.name).collect();
        let (tags, names) = (tags.into_iter().cloned().collect(), names.into_iter().cloned().collect());
        let words: Vec<String> = filter.search.split_whitespace().map(str::to_lowercase).collect();
        all.retain(|row| {
            let text = [&row.id, &row.name, &row.target, &row.note, &row.started_at].into_iter().chain(&row.tags);
            let text = text.map(|text| text.to_lowercase()).collect::<Vec<_>>().join("\n");
            let is_named = filter.name.as_ref().is_none_or(|name| row.name == *name);
            let is_judged = filter.verdict.as_ref().is_none_or(|verdict| nmax_json::word(&row.state) == *verdict);
            let is_tagged = filter.tag.as_ref().is_none_or(|tag| row.tags.contains(tag));
            words.iter().all(|word| text.contains(word)) && is_named && is_judged && is_tagged
        });
        let limit = filter.limit.unwrap_or(200).min(LIMIT_MAX);
        let more = all.len() > limit;
        all.truncate(limit);
        RunList { runs: all, more, tags, names }
    }

    /// The row and the directory of an id.
    pub(crate) fn find(&self, id: &str) -> Result<(RunRow, PathBuf), Refusal> {
        if id.is_empty() || id.len() > ID_MAX || !id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Err(Refusal::bad("an id has letters and digits", "GET /api/runs lists them"));
        }
        let search = || {
            let known = self.known();
            known.iter().find(|(_, known)| known.row.id == id).map(|(path, known)| (known.row.clone(), path.clone()))
        };
        if let Some((known, path)) = search() {
            if !path.is_dir() {
                return Err(Refusal::new(StatusCode::GONE, format!("run {id} was deleted"), ""));
            }
            // It may have ended since the last look.
            let now = (known.state == State::Running).then(|| self::row(&path)).flatten();
            let sparkline = known.sparkline.clone();
            return Ok((now.map_or(known, |now| RunRow { sparkline, ..now }), path));
        }
        self.refresh();
        search().or_else(|| self.level(id)).ok_or_else(|| Refusal::missing(format!("there is no run {id}")))
    }

    /// Whether a run of this id was in the folder at the last look.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.known().values().any(|known| known.row.id == id)
    }

    /// A level of a campaign, which is a run in its folder.
    fn level(&self, id: &str) -> Option<(RunRow, PathBuf)> {
        let campaigns: Vec<PathBuf> = {
            let known = self.known();
            known.iter().filter(|(_, known)| known.row.kind == Kind::Scale).map(|(path, _)| path.clone()).collect()
        };
        campaigns.iter().find_map(|campaign| {
            let runs = nmax_store::list(campaign).unwrap_or_default();
            let run = runs.into_iter().find(|run| run.id == id)?;
            Some((row(&run.path)?, run.path))
        })
    }

    /// Gives a run another note or other tags; its row.
    pub(crate) fn label(&self, id: &str, note: Option<String>, tags: Option<Vec<String>>) -> Result<RunRow, Refusal> {
        let (row, path) = self.find(id)?;
        if row.kind == Kind::Scale {
            return Err(Refusal::bad("a campaign keeps the note that it was made with", "note its runs"));
        }
        nmax_store::Manifest::relabel(&path, note, tags)?;
        let row = RunRow { sparkline: row.sparkline, ..self::row(&path).ok_or_else(|| Refusal::missing(id))? };
        if let Some(known) = self.known().get_mut(&path) {
            known.row = row.clone();
        }
        Ok(row)
    }
}

fn is_equal(one: &RunRow, other: &RunRow) -> bool {
    serde_json::to_value(one).ok() == serde_json::to_value(other).ok()
}

fn changed_at(path: &Path) -> [Option<SystemTime>; 3] {
    ["manifest.json", "summary.json", "scale.json"]
        .map(|file| path.join(file).metadata().and_then(|it| it.modified()).ok())
}

/// The row of a directory; `None` for what is neither a run nor a campaign.
fn row(path: &Path) -> Option<RunRow> {
    match nmax_store::entry(path) {
        Some(run) => Some(run_row(run)),
        None => stored::entry_of(path.to_owned()).map(scale_row),
    }
}

fn base(entry: RunEntry, kind: Kind, state: State) -> RunRow {
    RunRow {
        id: entry.id,
        name: entry.name,
        kind,
        started_at: entry.started_at,
        target: entry.target,
        note: entry.note,
        tags: entry.tags,
        state,
        is_interrupted: entry.interrupted || entry.aborted,
        is_steered: false,
        duration_s: None,
        rate: None,
        p95_ms: None,
        failure_rate: None,
        sparkline: Vec::new(),
    }
}

fn run_row(run: RunEntry) -> RunRow {
    let state = match run.verdict.as_deref() {
        _ if run.running => State::Running,
        Some("pass") => State::Pass,
        Some("fail") => State::Fail,
        Some(_) => State::Invalid,
        None if run.finished => State::Done,
        None => State::CutOff,
    };
    let text = std::fs::read(run.path.join("summary.json")).unwrap_or_default();
    let summary: Value = serde_json::from_slice(&text).unwrap_or_default();
    let number = |at: &str| summary.pointer(at).and_then(Value::as_f64);
    // What the report withholds is not known here either.
    let withheld = summary["withheld"].as_array();
    let is_p95 = |one: &Value| one["request"].is_null() && one["quantile"] == "p95";
    let is_withheld = withheld.is_some_and(|all| all.iter().any(is_p95));
    let bad = number("/total/failed").zip(number("/total/errors")).map(|(failed, errors)| failed + errors);
    let count = number("/total/count").filter(|count| *count > 0.0);
    let written = || RunReader::open(&run.path).ok()?.last_end().ok()?.map(Nanos::as_secs_f64);
    let duration_s = number("/duration_s").or_else(written);
    RunRow {
        duration_s,
        rate: number("/achieved_rate_per_s"),
        p95_ms: number("/total/response_time_ms/p95").filter(|_| !is_withheld),
        failure_rate: bad.zip(count).map(|(bad, count)| bad / count),
        is_steered: run.steered,
        ..base(run, Kind::Run, state)
    }
}

fn scale_row(campaign: RunEntry) -> RunRow {
    let state = match (campaign.finished, campaign.running) {
        (true, _) => State::Done,
        (false, true) => State::Running,
        (false, false) => State::CutOff,
    };
    base(campaign, Kind::Scale, state)
}

/// Exchanges per second over the time of a run.
fn sparkline(path: &Path) -> Option<Vec<f64>> {
    let run = RunReader::open(path).ok()?;
    let end = run.last_end().ok()??;
    let width = width_of(end, Nanos(run.manifest().window_ns));
    if end.0 / width.0.max(1) > SPARK_WINDOWS_MAX {
        return None;
    }
    let mut follower = run.follow_by(width).ok()?;
    follower.refresh().ok()?;
    // Of a short run there are fewer windows than points.
    let points = (end.0.div_ceil(width.0.max(1)) as usize).clamp(1, SPARK_POINTS);
    let mut sums = vec![0.0; points];
    while let Ok(Some(window)) = follower.window() {
        let place = (window.start().0 as u128 * points as u128 / end.0.max(1) as u128) as usize;
        let exchanges = Section::ALL.iter().flat_map(|section| window.aggregate.requests(*section));
        let count: u64 = exchanges.map(|(_, stats)| stats.count()).sum();
        sums[place.min(points - 1)] += count as f64;
    }
    // The last window of a run is often cut short, and has only what was under way.
    sums.truncate(if points > 1 && sums[points - 1] == 0.0 { points - 1 } else { points });
    let seconds = end.as_secs_f64() / points as f64;
    Some(sums.into_iter().map(|sum| sum / seconds).collect())
}

/// What is shared by all who ask.
pub(crate) type SharedRuns = Arc<Runs>;
