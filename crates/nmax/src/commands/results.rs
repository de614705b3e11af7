//! `nmax show`, `nmax runs`

use std::path::{Path, PathBuf};

use nmax_json::{Version, records};
use nmax_run::{Exit, Finished, Trouble};
use nmax_scale::stored;
use nmax_store::{RunEntry, StoreError};

use super::run::print;
use super::{Ended, scale};
use crate::args::{RunsArgs, ShowArgs};
use crate::say;

/// Shows a run, or a campaign, again.
pub fn show(args: &ShowArgs) -> Ended {
    match campaign(&args.runs_dir, &args.run) {
        Some(campaign) => scale::show(&campaign, args.output.json)?,
        None => print(&read(&args.runs_dir, &args.run)?.view, &args.output),
    }
    Ok(Exit::Pass)
}

/// Lists runs and campaigns.
pub fn runs(args: &RunsArgs) -> Ended {
    let mut list = nmax_store::list(&args.runs_dir)?;
    let is_named = |name: &str| args.name.as_ref().is_none_or(|wanted| wanted == name);
    let is_judged = |verdict: Option<&str>| args.verdict.as_deref().is_none_or(|wanted| verdict == Some(wanted));
    let of = args.of.which();
    list.retain(|run| is_named(&run.name) && is_judged(run.verdict.as_deref()) && of.has(&run.tags, &run.target));
    let mut campaigns = stored::list(&args.runs_dir);
    campaigns.retain(|one| is_named(&one.name) && is_judged(None) && of.has(&one.tags, &one.target));
    newest(args.of.last, &mut list, &mut campaigns);
    if args.json {
        say::line(format_args!("{:#}", nmax_json::value::<Runs, _>((&list, &campaigns))));
        return Ok(Exit::Pass);
    }
    if list.is_empty() && campaigns.is_empty() {
        say::note(none(args));
        return Ok(Exit::Pass);
    }
    let runs = list.iter().map(|run| (run, state(run)));
    let mut rows: Vec<_> = runs.chain(campaigns.iter().map(|one| (one, stored::state(one).to_owned()))).collect();
    // Both lists are in order, newest first; the sort keeps the order of what began together.
    rows.sort_by_key(|(entry, _)| std::cmp::Reverse(entry.started_at.parse::<jiff::Timestamp>().ok()));
    let widest = rows.iter().map(|(_, state)| state.len()).max().unwrap_or(0);
    rows.iter().for_each(|(entry, state)| say::line(row(entry, state, widest)));
    Ok(Exit::Pass)
}

records! {
    pub(super) struct Runs(all: (&Vec<RunEntry>, &Vec<RunEntry>)) {
        schema_version: Version = Version;
        runs: Vec<OneRun> = all.0, "Newest first.";
        scales: Vec<OneScale> = all.1, "Campaigns of `nmax scale`.";
    }
    pub(super) struct OneRun(run: &RunEntry) {
        id: String;
        name: String;
        started_at: String, "RFC 3339 UTC.";
        target: String;
        note: String;
        tags: Vec<String>;
        verdict: Option<String>, "`pass`, `fail` or `invalid`; null without a summary.";
        finished: bool;
        interrupted: bool;
        aborted: bool, "A condition ended it.";
        steered: bool, "Its load was changed while it, or the run that it repeats, went on.";
        running: bool, "Some process still writes it.";
        path: String = run.path.display().to_string();
    }
    pub(super) struct OneScale(one: &RunEntry) {
        id: String;
        name: String;
        started_at: String, "RFC 3339 UTC.";
        target: String;
        note: String;
        tags: Vec<String>;
        finished: bool;
        interrupted: bool;
        running: bool, "Some process still writes it.";
        path: String = one.path.display().to_string();
    }
}

/// Keeps the newest `last` of both lists together.
fn newest(last: Option<u32>, list: &mut Vec<RunEntry>, campaigns: &mut Vec<RunEntry>) {
    let Some(last) = last else { return };
    let starts = list.iter().map(|run| &run.started_at);
    let mut starts: Vec<String> = starts.chain(campaigns.iter().map(|one| &one.started_at)).cloned().collect();
    starts.sort_by_key(|start| std::cmp::Reverse(start.parse::<jiff::Timestamp>().ok()));
    starts.truncate(last as usize);
    list.retain(|run| starts.contains(&run.started_at));
    campaigns.retain(|one| starts.contains(&one.started_at));
}

/// Why nothing is listed.
fn none(args: &RunsArgs) -> String {
    let mut words: Vec<String> = Vec::new();
    words.extend(args.of.tag.iter().map(|tag| format!(" with the label `{tag}`")));
    words.extend(args.name.iter().map(|name| format!(" of the name `{name}`")));
    words.extend(args.of.target.iter().map(|target| format!(" on {target}")));
    words.extend(args.verdict.iter().map(|verdict| format!(" with the verdict {verdict}")));
    let folder = args.runs_dir.display();
    format!("no runs{} in {folder}\n  help: `nmax run PLAN` makes one", words.concat())
}

/// A run or a campaign in the list.
fn row(entry: &RunEntry, state: &str, widest: usize) -> String {
    let RunEntry { id, name, started_at, tags, note, .. } = entry;
    let started = started_at.get(..19).unwrap_or(started_at).replace('T', " ");
    let tags = if tags.is_empty() { String::new() } else { format!("  [{}]", tags.join(", ")) };
    let note = if note.is_empty() { String::new() } else { format!("  {note}") };
    format!("{id}  {started}  {state:<widest$}  {name}{tags}{note}")
}

/// The verdict of a run, and whether it came to its end.
pub fn state(run: &RunEntry) -> String {
    let steered = if run.steered { ", steered" } else { "" };
    let verdict = run.verdict.as_deref().map(str::to_uppercase);
    let state = match verdict {
        _ if run.running => "RUNNING".into(),
        Some(verdict) if run.interrupted => format!("{verdict} (interrupted)"),
        Some(verdict) if run.aborted => format!("{verdict} (ended by a condition)"),
        Some(verdict) => verdict,
        None if run.finished => "?".into(),
        None => "CUT OFF".into(),
    };
    state + steered
}

/// The directory of the campaign that was asked for, where no run is meant.
pub(super) fn campaign(runs_dir: &Path, asked: &str) -> Option<PathBuf> {
    let newest = || Some(nmax_store::list(runs_dir).ok()?.first()?.started_at.clone());
    let run = if asked == "last" { newest() } else { None };
    stored::find(runs_dir, asked, run.as_deref())
}

/// The directory of the run that was asked for.
pub(super) fn find(runs_dir: &Path, asked: &str) -> Result<PathBuf, Trouble> {
    match nmax_store::find(runs_dir, asked) {
        Err(StoreError::NotFound { .. }) if Path::new(asked).exists() => {
            let help =
                "give the directory of a run, as `nmax runs` lists them; `--runs-dir` is the folder with all runs";
            Err(Trouble::usage(format_args!("{asked}: this is not a run: it has no manifest.json"), help))
        }
        found => Ok(found?),
    }
}

pub(super) fn read(runs_dir: &Path, asked: &str) -> Result<Finished, Trouble> {
    Ok(nmax_run::read(&find(runs_dir, asked)?)?)
}
