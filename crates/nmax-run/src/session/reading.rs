//! A run that is in its directory.

use std::path::Path;

use nmax_report::Ending;
use nmax_store::{RunReader, StoreError};

use super::Finished;
use super::ending::exit_of;
use super::manifest::info;
use crate::plan::plan_of_manifest;
use crate::tally::Tally;

/// The result of a run that is in its directory, complete or cut short.
pub fn read(directory: &Path) -> Result<Finished, String> {
    let reader = RunReader::open(directory).map_err(|error| error.to_string())?;
    let is_running = reader.is_running();
    let manifest = reader.manifest().clone();
    let plan = plan_of_manifest(&manifest.plan)?;
    let mut tally = Tally::new(&plan);
    tally.facts.workers = manifest.workers as u32;
    let read = |tally: &mut Tally| -> Result<(), StoreError> {
        for resource in reader.resources()? {
            tally.resource(&resource?);
        }
        for window in reader.windows()? {
            tally.window(&window?);
        }
        for failure in reader.failures()? {
            tally.failure(failure?);
        }
        for event in reader.events()? {
            let event = event?;
            tally.event(event.at, &event.code, &event.text);
        }
        Ok(())
    };
    read(&mut tally).map_err(|error| error.to_string())?;
    let is_cut_off = !is_running && (tally.ended.is_none() || is_unfinished(&tally, directory));
    tally.facts.interrupted |= is_cut_off;
    if is_running {
        let now = tally.last_end();
        tally.event(now, "RUNNING", "the run goes on; these are its numbers so far");
    }
    let (judgement, mut view) = tally.conclude(&plan, reader.catalog(), info(&manifest));
    if is_running {
        view.ending = Ending::Running;
    } else if is_cut_off {
        view.ending = Ending::CutOff;
    }
    view.likeness = crate::fidelity::stored(directory).map(|stored| stored.likeness());
    view.breakdown.sides = crate::sides::stored(directory);
    let report = directory.join("report.html");
    view.report_path = report.exists().then(|| report.display().to_string());
    let exit = exit_of(&judgement, tally.totals());
    Ok(Finished { view, exit, directory: directory.to_owned(), data_ended: None, trouble: None })
}

/// Whether a run whose numbers are complete was cut off all the same: its summary, which is written last, is missing, or
/// was made of such a run later on.
fn is_unfinished(tally: &Tally, directory: &Path) -> bool {
    let entry = nmax_store::entry(directory);
    entry.is_none_or(|entry| !entry.finished || (entry.interrupted && !tally.facts.interrupted))
}

#[cfg(test)]
mod tests;
