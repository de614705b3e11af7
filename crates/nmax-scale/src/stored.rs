//! Campaigns that are in their directories, complete or cut off.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use nmax_report::scalability::{FindResult, Knob, Level, ScaleView};
use nmax_store::RunEntry;
use nmax_usl::Observation;
use nmax_usl::design::Outcome;
use serde_json::Value;

use crate::answer;
use crate::folder::{self, Facts};
use crate::head::{self, Head};
use crate::job::Conducted;
use crate::rig::LevelResult;

/// How far a campaign came, in words, where runs have their verdict.
pub fn state(campaign: &RunEntry) -> &'static str {
    match (campaign.finished, campaign.interrupted) {
        (false, _) if campaign.running => "SCALE (running)",
        (true, false) => "SCALE",
        (true, true) => "SCALE (interrupted)",
        (false, _) => "SCALE (cut off)",
    }
}

/// The campaigns directly below `root`, newest first; none where there is no such folder.
pub fn list(root: &Path) -> Vec<RunEntry> {
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    let mut all: Vec<RunEntry> = entries.filter_map(|entry| entry_of(entry.path())).collect();
    all.sort_by(|a, b| b.started_at.cmp(&a.started_at));
    all
}

/// The campaign in a directory, which has no verdict; `None` for whatever is none.
pub fn entry_of(path: PathBuf) -> Option<RunEntry> {
    let head = Head::read(&path).ok()?;
    let result = result(&path);
    Some(RunEntry {
        running: folder::is_running(&path),
        finished: result.is_some(),
        interrupted: result.is_some_and(|result| result["run"]["interrupted"] == true),
        id: head.info.id,
        name: head.info.name,
        started_at: head.info.started_at,
        target: head.info.target,
        note: head.note,
        tags: head.tags,
        verdict: None,
        aborted: false,
        steered: false,
        path,
    })
}

/// The directory of the campaign that `asked` means: an id, the name or path of its directory, the beginning of an id;
/// `last` when it is newer than `run`, the beginning of the newest run. `None` when it means no campaign.
pub fn find(root: &Path, asked: &str, run: Option<&str>) -> Option<PathBuf> {
    let all = list(root);
    if asked == "last" {
        let newest = all.first()?;
        let instant = |text: &str| text.parse::<jiff::Timestamp>().ok();
        let is_newer = run.is_none_or(|run| instant(&newest.started_at) > instant(run));
        return is_newer.then(|| newest.path.clone());
    }
    if Path::new(asked).join(head::HEAD).is_file() {
        return Some(PathBuf::from(asked));
    }
    let is_named = |one: &&RunEntry| one.id == asked || one.path.file_name().is_some_and(|name| name == asked);
    if let Some(exact) = all.iter().find(is_named) {
        return Some(exact.path.clone());
    }
    let mut begins = all.iter().filter(|one| !asked.is_empty() && one.id.starts_with(asked));
    match (begins.next(), begins.next()) {
        (Some(only), None) => Some(only.path.clone()),
        _ => None,
    }
}

/// The result of a campaign that came to its end.
fn result(directory: &Path) -> Option<Value> {
    let text = fs::read_to_string(directory.join(folder::RESULT)).ok()?;
    serde_json::from_str(&text).ok()
}

/// The result of the campaign in a directory, as it was or as it stands.
///
/// # Errors
/// What is damaged.
pub fn read(directory: &Path) -> Result<ScaleView, String> {
    let head = Head::read(directory)?;
    let rows = levels(&directory.join(folder::LEVELS))?;
    let of_run: BTreeMap<&str, &LevelResult> = rows.iter().map(|kept| (kept.row.run.as_str(), kept)).collect();
    let points = |file: &Path| points(file, &of_run);
    let mut done = Conducted { observations: points(&directory.join(folder::POINTS))?, ..Conducted::default() };
    if let Some(knob) = head.knobs.get(1) {
        for value in &knob.values {
            let file = directory.join(folder::points_of(value));
            if file.is_file() {
                done.versions.push((format!("{}={value}", knob.name), points(&file)?));
            }
        }
    }
    for side in head.sides() {
        let file = directory.join(folder::points_of(side.name()));
        done.versions.push((side.name().to_owned(), if file.is_file() { points(&file)? } else { Vec::new() }));
    }
    match result(directory) {
        Some(result) => complete(&mut done, &head, &result),
        None if folder::is_running(directory) => {
            done.stopped = "the campaign goes on; this is what it has so far".into()
        }
        None => done.stopped = "cut off: what was measured until then is fitted".into(),
    }
    Ok(answer::view(&head, &rows, done, directory))
}

/// What only the end knows.
fn complete(done: &mut Conducted, head: &Head, result: &Value) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    done.stopped = text(&result["stopped"]);
    done.interrupted = result["run"]["interrupted"] == true;
    done.elapsed_s = result["run"]["elapsed_s"].as_f64();
    done.notes = head::texts(&result["notes"]).into_iter().filter(|note| !head.notes.contains(note)).collect();
    let find = &result["find"];
    done.find = find.is_object().then(|| FindResult {
        objective: text(&find["objective"]),
        level: find["level"].as_f64(),
        low: find["low"].as_f64(),
        high: find["high"].as_f64(),
        x: find["x"].as_f64(),
        runs: find["runs"].as_u64().unwrap_or_default() as usize,
        text: text(&find["text"]),
    });
    let knob = |value: &Value| {
        let of = |name: &str| (name.to_owned(), text(&value["values"][name]));
        Knob {
            values: head.knobs.iter().map(|knob| of(&knob.name)).collect(),
            load: value["load"].as_f64(),
            x: value["x"].as_f64(),
            r_ms: value["r_ms"].as_f64(),
            runs: value["runs"].as_u64().unwrap_or_default() as usize,
            price_per_h: value["price_per_h"].as_f64(),
            price_per_million: value["price_per_million"].as_f64(),
            why: text(&value["why"]),
        }
    };
    done.knobs = result["knobs"].as_array().into_iter().flatten().map(knob).collect();
}

/// Complete lines of the levels; what a kill left torn at the end is left out.
fn levels(file: &Path) -> Result<Vec<LevelResult>, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let complete = text.rfind('\n').map_or("", |end| &text[..end]);
    let parse = |(index, line): (usize, &str)| {
        let value: Result<Value, _> = serde_json::from_str(line);
        let kept = value.ok().as_ref().and_then(level);
        kept.ok_or_else(|| format!("{}:{}: damaged", file.display(), index + 1))
    };
    complete.lines().enumerate().map(parse).collect()
}

fn level(value: &Value) -> Option<LevelResult> {
    let text = |key: &str| Some(value[key].as_str()?.to_owned());
    let steady = value["steady_from_s"].as_f64().zip(value["steady_to_s"].as_f64());
    Some(LevelResult {
        outcome: Outcome::Invalid("read back".into()),
        row: Level {
            number: value["number"].as_u64()? as usize,
            purpose: text("purpose")?,
            setting: text("setting")?,
            level: value["level"].as_f64()?,
            n: value["n"].as_f64(),
            x: value["x"].as_f64(),
            r_ms: value["r_ms"].as_f64(),
            verdict: text("verdict")?,
            used: value["used"].as_bool()?,
            why: text("why")?,
            // Campaigns of older versions did not keep it.
            full: text("full").unwrap_or_default(),
            run: text("run")?,
        },
        facts: Facts {
            seed: value["seed"].as_u64()?,
            completions: value["completions"].as_u64(),
            steady_s: steady,
            moves: value["moves"].as_f64(),
            in_flight: value["in_flight"].as_f64(),
            cores_used: value["cores_used"].as_f64(),
            pause_s: value["pause_s"].as_f64(),
            lawful_r_s: value["lawful_r_s"].as_f64(),
            objective: value["objective"].as_f64(),
        },
        judged: None,
        failed: None,
        is_gone: false,
        exit: nmax_run::Exit::Invalid,
        iterations_per_s: None,
    })
}

/// What was fitted: N and X of the file, what else is known by its run.
fn points(file: &Path, of_run: &BTreeMap<&str, &LevelResult>) -> Result<Vec<Observation>, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let complete = text.rfind('\n').map_or("", |end| &text[..end]);
    let parse = |line: &str| {
        let mut cells = line.split(',');
        let (n, x) = (cells.next()?.parse().ok()?, cells.next()?.parse().ok()?);
        let kept = of_run.get(cells.nth(2)?);
        Some(Observation {
            n,
            x,
            r_s: kept.and_then(|kept| kept.facts.lawful_r_s),
            weight: 1.0,
            row: kept.map_or(0, |kept| kept.row.number),
            count: kept.and_then(|kept| kept.facts.completions),
        })
    };
    let damaged = |number: usize| format!("{}:{number}: damaged", file.display());
    let lines = complete.lines().enumerate().skip(1);
    lines.map(|(index, line)| parse(line).ok_or_else(|| damaged(index + 1))).collect()
}
