//! The result of a campaign, and how it is printed: the same of one that has just ended and of one that is read back.

use std::io::IsTerminal;
use std::path::Path;

use nmax_report::scalability::{FitView, Found, Knob, ScaleInfo, ScaleView, Version};
use nmax_report::terminal::{self, Style};
use nmax_report::{csv, html, json, svg};
use nmax_run::Exit;
use nmax_text::Painted;
use nmax_usl::{Effect, Observation, Options, analyse};

use super::complain;
use super::conduct::GONE;
use super::demand;
use super::folder;
use super::head::Head;
use super::prepare::Job;
use super::rig::Kept;
use crate::args::ScaleArgs;
use crate::commands::run::{is_stdout, write};
use crate::{live, say};

/// What the levels came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Conducted {
    /// What is fitted; `row` is the number of the level.
    pub(super) observations: Vec<Observation>,
    /// Which rule ended it.
    pub(super) stopped: String,
    /// Whether a person ended it.
    pub(super) interrupted: bool,
    /// Time that it took, seconds.
    pub(super) elapsed_s: Option<f64>,
    /// The answer to `--find`.
    pub(super) find: Option<Found>,
    /// Settings of the system under test.
    pub(super) knobs: Vec<Knob>,
    /// Observations of each value of the second knob; the first ones are also `observations`.
    pub(super) versions: Vec<(String, Vec<Observation>)>,
    /// What belongs to no level.
    pub(super) notes: Vec<String>,
}

/// Fits what was measured.
pub(super) fn view(head: &Head, rows: &[Kept], done: Conducted, directory: &Path) -> ScaleView {
    let observed = || demand::of(rows, &head.observed, head.cores);
    let demand = head.demand.clone().or_else(observed);
    let (dimension, n_label) = head.dimension();
    let fitted = |observations: &[Observation]| {
        let options =
            Options { dimension, think_s: pause_s(rows, observations), demand: demand.clone(), ..Options::default() };
        analyse(observations, &options)
    };
    let version = |(name, observations): &(String, Vec<Observation>)| Version {
        name: name.clone(),
        analysis: fitted(observations),
    };
    ScaleView {
        fit: FitView {
            title: head.info.name.clone(),
            subtitle: directory.display().to_string(),
            n_label: n_label.to_owned(),
            x_unit: head.x_unit.clone(),
            nmax_version: head.nmax_version.clone(),
            analysis: fitted(&done.observations),
        },
        info: ScaleInfo { elapsed_s: done.elapsed_s, interrupted: done.interrupted, ..head.info.clone() },
        levels: rows.iter().map(|kept| kept.row.clone()).collect(),
        stopped: done.stopped,
        notes: head.notes.iter().chain(&done.notes).cloned().collect(),
        find: done.find,
        knobs: done.knobs,
        versions: done.versions.iter().map(version).collect(),
    }
}

/// Mean pause for each completion, seconds; 0 where it is not known.
fn pause_s(rows: &[Kept], observations: &[Observation]) -> f64 {
    let of_row = |row: usize| rows.iter().find(|kept| kept.row.number == row)?.facts.pause_s;
    let pauses: Vec<f64> = observations.iter().filter_map(|one| of_row(one.row)).collect();
    let n = pauses.len().max(1) as f64;
    // A sum of nothing would be −0.
    pauses.iter().fold(0.0, |sum, pause| sum + pause) / n
}

/// How a campaign ends: a person's word, then what cannot be believed, then the objective.
///
/// - `is_asked`: whether there is an objective, and so a highest load that holds it
pub(super) fn exit(head: &Head, view: &ScaleView, is_asked: bool) -> Exit {
    let analysis = &view.fit.analysis;
    let is_blocked = analysis.findings.iter().any(|finding| finding.effect == Effect::Block);
    // With knobs the table is the answer: a handful of settings seldom bears a law.
    let is_answered = match head.knobs.is_empty() {
        true => analysis.fit.is_some() && !is_blocked,
        false => !view.knobs.is_empty() && view.knobs.iter().all(|knob| knob.x.is_some()),
    };
    if view.info.interrupted {
        Exit::Interrupted
    } else if view.stopped == GONE {
        Exit::Unreachable
    } else if !is_answered {
        Exit::Invalid
    } else {
        match &view.find {
            Some(found) if found.level.is_none() => Exit::Failed,
            // With knobs the objective only says which load is usable.
            None if is_asked && head.knobs.is_empty() => Exit::Invalid,
            _ => Exit::Pass,
        }
    }
}

/// Writes and prints what has just ended.
pub(super) fn tell(job: &Job, done: Conducted, args: &ScaleArgs) -> Exit {
    let rig = &job.rig;
    let directory = rig.folder.path();
    let view = view(&job.head, &rig.rows, done, directory);
    if let Err(error) = rig.folder.finish(&json::scale(&view), &html::scale(&view)) {
        return complain(&error, Exit::Unreachable);
    }
    let pictures =
        [(&args.svg, &(|| svg::figure(&view.fit)) as &dyn Fn() -> String), (&args.csv, &|| csv::measured(&view))];
    for (file, form) in pictures {
        if let Some(file) = file
            && let Err(error) = write(file, &form())
        {
            return complain(&error, Exit::Usage);
        }
    }
    if !args.csv.as_deref().is_some_and(is_stdout) {
        print(&view, directory, args.output.json);
    }
    exit(&job.head, &view, job.find.is_some())
}

/// Prints a campaign on standard output.
pub(super) fn print(view: &ScaleView, directory: &Path, as_json: bool) {
    if as_json {
        return say::line(format_args!("{:#}", json::scale(view)));
    }
    say::text(text(view));
    let report = directory.join(folder::REPORT);
    if report.is_file() {
        say::line(format_args!("report          {}", report.display()));
    }
}

/// As fits standard output.
pub(super) fn text(view: &ScaleView) -> Painted {
    let is_terminal = std::io::stdout().is_terminal();
    let style = Style { color: is_terminal && live::use_color(), width: live::output_width(80), wide: false };
    terminal::scale(view, style, live::glyphs(is_terminal))
}
