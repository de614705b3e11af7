//! Demand counted in access logs.

use std::path::Path;

use nmax_capacity::Document;
use nmax_capacity::demand::{Series, Source};
use nmax_log::traffic::SeasonCounter;

use crate::Trouble;
use crate::logs::{Ask, Listener, Logs};

/// Puts the series of its logs in the place of their names, where a document names logs. They lie beside its file.
/// Memory: 256 bytes for each hour with requests.
///
/// # Errors
/// Why they cannot be read, or hold no series.
pub fn count(document: &mut Document, folder: &Path, listener: &mut dyn Listener) -> Result<(), Trouble> {
    let Some(demand) = &mut document.demand else { return Ok(()) };
    let Source::Logs(wanted) = &demand.source else { return Ok(()) };
    let files = wanted.files.iter().map(|file| folder.join(file)).collect();
    let ask = Ask { files, format: wanted.format.clone(), zone_s: wanted.zone_s, ..Ask::default() };
    let mut logs = Logs::open(&ask)?;
    let mut counter = SeasonCounter::new(wanted.zone_s);
    let counts = logs.read(listener, |record| counter.add(record.arrival_us));
    let help = "name logs of some weeks; `nmax import log` shows what is in them";
    let series = Series::of_minutes(&counter.into_minutes(), &logs.names().join(", "), wanted.peak);
    let mut series = series.map_err(|error| Trouble::usage(error, help))?;
    series.notes.extend(logs.notes);
    series.notes.extend(nmax_report::traffic::doubts(&counts));
    demand.source = Source::Series(series);
    Ok(())
}
