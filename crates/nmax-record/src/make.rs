//! Recordings whose secrets are in their places become a plan and what belongs to it.

use std::path::Path;

use nmax_import::options::Options;
use nmax_import::recording::{Recording, Skipped};
use nmax_import::redact::{Secrets, redact};
use nmax_import::{convert, har};
use nmax_run::Trouble;

use crate::files::{self, Bundle, PlanDestination, RecordingCopy};
use crate::report::{ImportContext, ImportReport};
use crate::sources::RecordingFile;

/// More entries are worth a word on what is being done.
const ENTRIES_TOLD: usize = 2_000;

/// Converts recordings and writes what comes of it, which is nothing where no request can be replayed; `tell` is told when that takes long.
///
/// - `options`: its name and its key are those of the place and of the placeholders
///
/// # Errors
/// Why a file cannot be written.
pub fn make(
    destination: &PlanDestination,
    sources: Vec<RecordingFile>,
    key: [u8; 32],
    options: &Options,
    tell: &mut dyn FnMut(&str),
) -> Result<ImportReport, Trouble> {
    let mut secrets = Secrets::new(&key);
    let (mut recordings, mut kept) = (Vec::new(), Vec::new());
    let mut context = ImportContext::default();
    for (index, source) in sources.into_iter().enumerate() {
        let mut stored = source.read.recording.clone();
        secrets.absorb(redact(&mut stored, &key));
        if let Some(file) = &source.file {
            kept.push(keep(destination, index, file, source.key.is_some(), &stored));
        }
        let skipped = source.read.skipped.into_iter();
        context.skipped.extend(skipped.map(|skipped| Skipped { recording: index, ..skipped }));
        context.recordings.extend(source.file.as_ref().map(|file| file.display().to_string()));
        context.warnings.extend(source.read.warnings);
        recordings.push(source.read.recording);
    }
    let entries: usize = recordings.iter().map(|recording| recording.entries.len()).sum();
    if entries > ENTRIES_TOLD {
        tell(&format!("looking for values that come back, in {entries} exchanges ..."));
    }
    context.redactions = secrets.redactions;
    let converted = convert(recordings, &at(destination, key, options));
    if converted.summary.steps == 0 {
        return Ok(ImportReport::new(converted, context));
    }
    let bundle = Bundle { converted: &converted, secrets: &secrets, recordings: &kept };
    context.files = files::write(destination, &bundle)?;
    Ok(ImportReport::new(converted, context))
}

/// The options of a conversion whose files go to a place.
pub(crate) fn at(destination: &PlanDestination, key: [u8; 32], options: &Options) -> Options {
    Options { name: Some(destination.name().to_owned()), key, ..options.clone() }
}

/// `visit`, `visit-2`, `visit-3`, ..
fn numbered(name: &str, index: usize) -> String {
    match index {
        0 => name.to_owned(),
        _ => format!("{name}-{}", index + 1),
    }
}

/// The copy of a recording beside the plan, without its secrets. It never takes the place of the person's own file; one
/// whose secrets were taken out before is its own copy.
fn keep(
    destination: &PlanDestination,
    index: usize,
    file: &Path,
    has_placeholders: bool,
    stored: &Recording,
) -> RecordingCopy {
    let name = format!("{}.har", numbered(destination.name(), index));
    let own = file.canonicalize().ok();
    let is_own = own.is_some() && own == destination.path(&name).canonicalize().ok();
    let text = || Some(har::write(stored, env!("CARGO_PKG_VERSION")));
    match (is_own, has_placeholders) {
        (true, true) => RecordingCopy { name, text: None },
        (true, false) => {
            RecordingCopy { name: format!("{}.redacted.har", numbered(destination.name(), index)), text: text() }
        }
        (false, _) => RecordingCopy { name, text: text() },
    }
}
