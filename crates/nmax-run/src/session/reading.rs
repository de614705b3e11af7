//! A run that is in its directory.

use std::path::Path;

use nmax_analysis::{Ending, Fold, Judged};
use nmax_plan::plan::Plan;
use nmax_report::view::Likeness;
use nmax_report::{Beside, RunInfo, View};
use nmax_store::{RunReader, StoreError};

use super::Finished;
use super::ending::exit_of;
use super::manifest::info;
use crate::Exit;
use crate::plan::plan_of_manifest;

/// The result of a run that is in its directory, complete or cut short.
pub fn read(directory: &Path) -> Result<Finished, String> {
    let stored = Stored::read(directory)?;
    let report = directory.join("report.html");
    let exit = stored.exit;
    let view = stored.view(report.exists().then(|| report.display().to_string()));
    Ok(Finished { view, exit, directory: directory.to_owned(), data_ended: None, trouble: None })
}

/// What a directory says of its run.
pub(super) struct Stored {
    plan: Plan,
    run: RunInfo,
    pub(super) judged: Judged,
    likeness: Option<Likeness>,
    exit: Exit,
}

impl Stored {
    pub(super) fn read(directory: &Path) -> Result<Self, String> {
        let reader = RunReader::open(directory).map_err(|error| error.to_string())?;
        let is_running = reader.is_running();
        let manifest = reader.manifest();
        let plan = plan_of_manifest(&manifest.plan)?;
        let mut fold = fold(&plan);
        fold.facts.workers = manifest.workers as u32;
        fill(&mut fold, &reader).map_err(|error| error.to_string())?;
        let is_cut_off = !is_running && (fold.ended.is_none() || is_unfinished(&fold, directory));
        fold.facts.interrupted |= is_cut_off;
        if is_running {
            fold.event(fold.last_end(), "RUNNING", "the run goes on; these are its numbers so far");
        }
        let ending = match (is_running, is_cut_off) {
            (true, _) => Some(Ending::Running),
            (false, true) => Some(Ending::CutOff),
            (false, false) => None,
        };
        let sides = crate::sides::stored(directory);
        let judged = fold.judge(&plan, reader.catalog(), ending, sides.as_ref());
        Ok(Self {
            run: info(manifest),
            likeness: crate::fidelity::stored(directory).map(|stored| stored.likeness()),
            exit: exit_of(&judged.judgement, fold.totals()),
            judged,
            plan,
        })
    }

    pub(super) fn view(self, report_path: Option<String>) -> View {
        View::new(&self.judged, &self.plan, Beside { run: self.run, likeness: self.likeness, report_path })
    }
}

/// Nothing yet of a run of this plan.
pub(super) fn fold(plan: &Plan) -> Fold {
    let times = nmax_engine::times(plan);
    Fold::new(plan, times.hold, times.end)
}

fn fill(fold: &mut Fold, reader: &RunReader) -> Result<(), StoreError> {
    for resource in reader.resources()? {
        fold.resource(&resource?);
    }
    for window in reader.windows()? {
        fold.window(&window?);
    }
    for failure in reader.failures()? {
        fold.failure(failure?);
    }
    for event in reader.events()? {
        let event = event?;
        fold.event(event.at, &event.code, &event.text);
    }
    Ok(())
}

/// Whether a run whose numbers are complete was cut off all the same: its summary, which is written last, is missing, or
/// was made of such a run later on.
fn is_unfinished(fold: &Fold, directory: &Path) -> bool {
    let entry = nmax_store::entry(directory);
    entry.is_none_or(|entry| !entry.finished || (entry.interrupted && !fold.facts.interrupted))
}

#[cfg(test)]
mod tests;
