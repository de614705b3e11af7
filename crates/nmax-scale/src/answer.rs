//! The result of a campaign: the same of one that has just ended and of one that is read back.

use std::path::Path;

use nmax_report::scalability::{CompareView, FitView, ScaleInfo, ScaleView, Version};
use nmax_report::{html, json};
use nmax_run::Exit;
use nmax_usl::{Analysis, Dimension, Effect, Observation, Options, analyse};

use crate::demand;
use crate::head::Head;
use crate::job::{Conducted, GONE, Job};
use crate::order::Finished;
use crate::rig::LevelResult;

/// Fits what was measured.
pub(crate) fn view(head: &Head, rows: &[LevelResult], done: Conducted, directory: &Path) -> ScaleView {
    let observed = || demand::estimate(rows, &head.observed, head.cores);
    let demand = head.demand.clone().or_else(observed);
    let (dimension, n_label) = head.dimension();
    let fitted = |observations: &[Observation], dimension: Dimension| {
        let options =
            Options { dimension, think_s: pause_s(rows, observations), demand: demand.clone(), ..Options::default() };
        analyse(observations, &options)
    };
    let version = |(place, (name, observations)): (usize, &(String, Vec<Observation>))| Version {
        name: name.clone(),
        analysis: fitted(observations, head.sides().get(place).map_or(dimension, |side| side.dimension())),
    };
    let versions: Vec<Version> = done.versions.iter().enumerate().map(version).collect();
    let beside = || CompareView::sides(versions.clone(), head.nmax_version.clone(), "injectors, or threads of one");
    ScaleView {
        fit: FitView {
            title: head.info.name.clone(),
            subtitle: directory.display().to_string(),
            n_label: n_label.to_owned(),
            x_unit: head.x_unit.clone(),
            nmax_version: head.nmax_version.clone(),
            analysis: fitted(&done.observations, dimension),
        },
        info: ScaleInfo { elapsed_s: done.elapsed_s, interrupted: done.interrupted, ..head.info.clone() },
        levels: rows.iter().map(|kept| kept.row.clone()).collect(),
        stopped: done.stopped,
        notes: head.notes.iter().chain(&done.notes).cloned().collect(),
        find: done.find,
        knobs: done.knobs,
        sides: head.has_sides.then(beside),
        versions,
    }
}

/// Mean pause for each completion, seconds; 0 where it is not known.
fn pause_s(rows: &[LevelResult], observations: &[Observation]) -> f64 {
    let of_row = |row: usize| rows.iter().find(|kept| kept.row.number == row)?.facts.pause_s;
    let pauses: Vec<f64> = observations.iter().filter_map(|one| of_row(one.row)).collect();
    let n = pauses.len().max(1) as f64;
    // A sum of nothing would be −0.
    pauses.iter().fold(0.0, |sum, pause| sum + pause) / n
}

/// How a campaign ends: a person's word, then what cannot be believed, then the objective.
///
/// - `is_asked`: whether there is an objective, and so a highest load that holds it
fn exit(head: &Head, view: &ScaleView, is_asked: bool) -> Exit {
    let is_blocked = |of: &Analysis| of.findings.iter().any(|finding| finding.effect == Effect::Block);
    let is_law = |of: &Analysis| of.fit.is_some() && !is_blocked(of);
    // With knobs the table is the answer: a handful of settings seldom bears a law.
    let is_answered = match head.knobs.is_empty() {
        true if head.has_sides => view.versions.iter().all(|version| is_law(&version.analysis)),
        true => is_law(&view.fit.analysis),
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

/// Writes what has just ended.
pub(crate) fn finish(job: &Job<'_>, done: Conducted) -> Result<Finished, String> {
    let rig = &job.rig;
    let directory = rig.folder.path();
    let view = view(&job.head, &rig.rows, done, directory);
    rig.folder.finish(&json::scale(&view), &html::write(&nmax_report::report::scalability::scale(&view)))?;
    let exit = exit(&job.head, &view, job.task.find.is_some());
    Ok(Finished { view, exit, directory: directory.to_owned() })
}
