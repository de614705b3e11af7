//! `nmax show`, `nmax runs`, `nmax report`

use std::path::{Path, PathBuf};

use nmax_report::{csv, html, json, junit};
use nmax_store::{RunEntry, StoreError};
use serde_json::json;

use super::run::{complain, print, text, write};
use crate::args::{Format, ReportArgs, RunsArgs, ShowArgs};
use crate::exit::Exit;
use crate::say;
use crate::session::{self, Finished};

/// Shows a run again.
pub fn show(args: &ShowArgs) -> Exit {
    match read(&args.runs_dir, &args.run) {
        Ok(finished) => {
            print(&finished.view, &args.output);
            Exit::Pass
        }
        Err(error) => complain(&error, Exit::Usage),
    }
}

/// Lists runs.
pub fn runs(args: &RunsArgs) -> Exit {
    let list = match nmax_store::list(&args.runs_dir) {
        Ok(list) => list,
        Err(error) => return complain(&error, Exit::Usage),
    };
    let list: Vec<_> = list
        .into_iter()
        .filter(|run| args.tag.as_ref().is_none_or(|tag| run.tags.contains(tag)))
        .collect();
    if args.json {
        let rows: Vec<_> = list
            .iter()
            .map(|run| {
                json!({
                    "id": run.id, "name": run.name, "started_at": run.started_at, "target": run.target,
                    "note": run.note, "tags": run.tags, "verdict": run.verdict, "finished": run.finished,
                    "interrupted": run.interrupted, "aborted": run.aborted, "running": run.running,
                    "path": run.path,
                })
            })
            .collect();
        say::line(format_args!("{:#}", json!({ "schema_version": 1, "runs": rows })));
        return Exit::Pass;
    }
    if list.is_empty() {
        let labelled = args
            .tag
            .as_ref()
            .map_or_else(String::new, |tag| format!(" with the label `{tag}`"));
        let folder = args.runs_dir.display();
        say::note(format_args!(
            "no runs{labelled} in {folder}\n  help: `nmax run PLAN` makes one"
        ));
        return Exit::Pass;
    }
    let widest = list.iter().map(|run| state(run).len()).max().unwrap_or(0);
    for run in &list {
        let state = state(run);
        let started = run.started_at.get(..19).unwrap_or(&run.started_at).replace('T', " ");
        let tags = if run.tags.is_empty() {
            String::new()
        } else {
            format!("  [{}]", run.tags.join(", "))
        };
        let note = if run.note.is_empty() {
            String::new()
        } else {
            format!("  {}", run.note)
        };
        say::line(format_args!(
            "{}  {started}  {state:<widest$}  {}{tags}{note}",
            run.id, run.name
        ));
    }
    Exit::Pass
}

/// The verdict of a run, and whether it came to its end.
fn state(run: &RunEntry) -> String {
    let verdict = run.verdict.as_deref().map(str::to_uppercase);
    match verdict {
        _ if run.running => "RUNNING".into(),
        Some(verdict) if run.interrupted => format!("{verdict} (interrupted)"),
        Some(verdict) if run.aborted => format!("{verdict} (ended by a condition)"),
        Some(verdict) => verdict,
        None if run.finished => "?".into(),
        None => "CUT OFF".into(),
    }
}

/// Writes a run's report in some format.
pub fn report(args: &ReportArgs) -> Exit {
    let finished = match read(&args.runs_dir, &args.run) {
        Ok(finished) => finished,
        Err(error) => return complain(&error, Exit::Usage),
    };
    let view = &finished.view;
    let summary = || format!("{:#}\n", json::summary(view));
    let page = match args.format {
        Format::Html => html::page(view),
        Format::Json => summary(),
        Format::Junit => junit::xml(view),
        Format::Csv => csv::requests(view),
        Format::Text => text(view, false),
    };
    let written = match (&args.output, args.format) {
        (Some(file), _) if file == Path::new("-") => {
            say::text(&page);
            return Exit::Pass;
        }
        (Some(file), _) => write(file, &page).map(|()| file.clone()),
        (None, Format::Html) => nmax_store::write_results(&finished.directory, &summary(), &page)
            .map(|()| finished.directory.join("report.html"))
            .map_err(|error| error.to_string()),
        (None, _) => {
            say::text(&page);
            return Exit::Pass;
        }
    };
    match written {
        Ok(file) => {
            say::line(file.display());
            Exit::Pass
        }
        Err(error) => complain(&error, Exit::Usage),
    }
}

fn read(runs_dir: &Path, asked: &str) -> Result<Finished, String> {
    let directory: PathBuf = nmax_store::find(runs_dir, asked).map_err(|error| match error {
        StoreError::NotFound { .. } if Path::new(asked).exists() => {
            let help =
                "give the directory of a run, as `nmax runs` lists them; `--runs-dir` is the folder with all runs";
            format!("{asked}: this is no run: it has no manifest.json\n  help: {help}")
        }
        error => error.to_string(),
    })?;
    session::read(&directory)
}
